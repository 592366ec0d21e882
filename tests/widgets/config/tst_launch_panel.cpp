// SPDX-License-Identifier: GPL-3.0-or-later
// Launching through a rankscopectl that the test writes: what it is asked, what its errors look like.
#include "widgets/config/config_page.h"
#include "widgets/config/launch_panel.h"
#include "widgets/theme/theme.h"

#include <QDir>
#include <QFile>
#include <QFileInfo>
#include <QLabel>
#include <QLineEdit>
#include <QPushButton>
#include <QSignalSpy>
#include <QSpinBox>
#include <QTemporaryDir>
#include <QTest>

using namespace rankscope::ui;

class Launching : public QObject {
    Q_OBJECT

private slots:
    void initTestCase() { Theme::instance().apply(Theme::Mode::Light); }

    void init() {
        m_dir = std::make_unique<QTemporaryDir>();
        qputenv("XDG_STATE_HOME", m_dir->filePath(QStringLiteral("state")).toLocal8Bit());
        m_config = m_dir->filePath(QStringLiteral("recipe.yaml"));
        QVERIFY(QFile::copy(QFINDTESTDATA("../../../configs/quickstart.yaml"), m_config));
        m_page = std::make_unique<ConfigPage>();
        m_page->launchPanel()->setRunsDir(m_dir->filePath(QStringLiteral("runs")));
        m_page->launchPanel()->setStartDir(m_dir->path());
        m_page->show();
        m_page->open(m_config);
        QTRY_VERIFY(m_page->isComplete());
    }
    void cleanup() { qunsetenv("RANKSCOPECTL"); }

    void errorIsShownInline() {
        script("echo 'rankscopectl: trainer.devices: 2 ranks asked for, 1 GPU present' >&2; exit 2");
        QSignalSpy launched(panel(), &LaunchPanel::launched);
        QTest::mouseClick(button(), Qt::LeftButton);
        QTRY_COMPARE(panel()->problem(), QStringLiteral("trainer.devices: 2 ranks asked for, 1 GPU present"));
        QCOMPARE(launched.count(), 0);
        QVERIFY(button()->isEnabled()); // and can be tried again
    }

    void launchesTheFileWithEverythingAsked() {
        script("printf '%s\\n' \"$@\" > \"$(dirname \"$0\")/asked\"; echo '{\"id\":\"r-1\",\"path\":\"/runs/r-1\"}'");
        panel()->findChild<QSpinBox*>()->setValue(3);
        for (QLineEdit* line : panel()->findChildren<QLineEdit*>())
            if (line->placeholderText().contains(QLatin1Char('=')))
                line->setText(QStringLiteral("trainer.max_steps=5 trainer.devices=[0, 1]"));
        QTRY_VERIFY(m_page->isComplete());
        QSignalSpy launched(panel(), &LaunchPanel::launched);
        QVERIFY(button()->isEnabled());
        panel()->launch();
        QTRY_COMPARE(launched.count(), 1);
        QCOMPARE(launched.front().front().toString(), QStringLiteral("/runs/r-1"));
        QCOMPARE(asked(),
                 QStringList({QStringLiteral("launch"), m_config, QStringLiteral("trainer.max_steps=5"),
                              QStringLiteral("trainer.devices=[0, 1]"), QStringLiteral("--ranks"), QStringLiteral("3"),
                              QStringLiteral("--runs"), m_dir->filePath(QStringLiteral("runs")),
                              QStringLiteral("--detach"), QStringLiteral("--json")}));
        QVERIFY(panel()->problem().isEmpty());
    }

    void unsavedTextIsLaunchedFromAPrivateCopy() {
        script("cp \"$2\" \"$(dirname \"$0\")/launched.yaml\"; stat -c %a \"$(dirname \"$2\")\" \"$2\" > "
               "\"$(dirname \"$0\")/modes\"; printf '%s\\n' \"$@\" > \"$(dirname \"$0\")/asked\"; pwd > "
               "\"$(dirname \"$0\")/where\"; echo '{\"path\":\"/runs/r-2\"}'");
        QVERIFY(m_page->file()->setValue(QStringLiteral("trainer.devices"), QStringLiteral("4")));
        QTRY_VERIFY(m_page->isComplete());
        QSignalSpy launched(panel(), &LaunchPanel::launched);
        panel()->launch();
        QTRY_COMPARE(launched.count(), 1);
        QCOMPARE(read("launched.yaml"), QByteArray(onDisk()).replace("\n  devices: 2", "\n  devices: 4"));
        QVERIFY(read("launched.yaml") != onDisk());
        QCOMPARE(read("modes"), QByteArray("700\n600\n"));
        QCOMPARE(QDir(QString::fromUtf8(read("where").trimmed())).canonicalPath(), QDir(m_dir->path()).canonicalPath());
        QVERIFY(onDisk().contains("\n  devices: 2")); // the file stays as it was saved
        QVERIFY(!QFile::exists(asked().at(1)));       // the copy is gone
    }

    void missingManifestsAreNamed() {
        for (const char* there : {"train.json", "noise.json", "val.json"}) // what else the recipe names
            touch(QStringLiteral("resources/sample/data"), QLatin1String(there));
        QVERIFY(m_page->file()->setValue(QStringLiteral("model.train_ds.manifest_filepath"),
                                         QStringLiteral("no/such.json")));
        QTRY_COMPARE(panel()->workingFolder().missing, QStringList{QStringLiteral("no/such.json")});
        touch(QStringLiteral("no"), QStringLiteral("such.json"));
        panel()->setStartDir(QDir::rootPath());
        QCOMPARE(panel()->workingFolder().path, QFileInfo(m_config).absolutePath());
        QVERIFY(panel()->workingFolder().missing.isEmpty());
    }

    void aRecipeWithErrorsIsNotLaunched() {
        QVERIFY(m_page->file()->setValue(QStringLiteral("trainer.sync_batchnorm"), QStringLiteral("7.5")));
        QTRY_VERIFY(m_page->isComplete() && !m_page->file()->evaluation()->ok());
        QVERIFY(!button()->isEnabled());
    }

private:
    LaunchPanel* panel() const { return m_page->launchPanel(); }
    QPushButton* button() const { return panel()->findChild<QPushButton*>(); }
    QByteArray read(const char* name) const {
        QFile file(m_dir->filePath(QLatin1String(name)));
        return file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray();
    }
    void touch(const QString& folder, const QString& name) const {
        QDir dir(m_dir->path());
        QVERIFY(dir.mkpath(folder) && dir.cd(folder));
        QFile file(dir.filePath(name));
        QVERIFY(file.open(QIODevice::WriteOnly));
    }
    QByteArray onDisk() const {
        QFile file(m_config);
        return file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray();
    }
    QStringList asked() const { return QString::fromUtf8(read("asked")).split(QLatin1Char('\n'), Qt::SkipEmptyParts); }
    void script(const QByteArray& body) {
        QFile file(m_dir->filePath(QStringLiteral("rankscopectl")));
        QVERIFY(file.open(QIODevice::WriteOnly));
        file.write("#!/bin/sh\n" + body + "\n");
        file.setPermissions(QFile::ReadOwner | QFile::WriteOwner | QFile::ExeOwner);
        file.close();
        qputenv("RANKSCOPECTL", file.fileName().toLocal8Bit());
    }

    std::unique_ptr<QTemporaryDir> m_dir;
    QString m_config;
    std::unique_ptr<ConfigPage> m_page;
};

QTEST_MAIN(Launching)
#include "tst_launch_panel.moc"
