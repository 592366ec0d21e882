// SPDX-License-Identifier: GPL-3.0-or-later
// The user's work is never lost: drafts hold everything that a recipe had, undo stops at the restored text, questions
// say what happens next, and no question is asked about edits that were launched.
#include "core/launch/run/run_folder.h"
#include "tests/support/test_runner.h"
#include "widgets/config/launch/launch_panel.h"
#include "widgets/config/model/recipe_model.h"
#include "widgets/config/page/config_page.h"
#include "widgets/config/page/recipe_text_pane.h"
#include "widgets/config/problems/notice_bar.h"
#include "widgets/config/text/yaml_editor.h"
#include "widgets/config/tree/recipe_view.h"
#include "widgets/theme/theme.h"

#include <QDir>
#include <QFile>
#include <QFileInfo>
#include <QLineEdit>
#include <QPushButton>
#include <QSignalSpy>
#include <QSpinBox>
#include <QTemporaryDir>
#include <QTest>

#include <unistd.h>

using namespace rankscope::ui;

class KeptWork : public QObject {
    Q_OBJECT

private slots:
    void initTestCase() {
        Theme::instance().apply(Theme::Mode::Light);
        m_text = read(QStringLiteral(RANKSCOPE_SOURCE_DIR "/configs/quickstart.yaml"));
        QVERIFY(m_text.contains("devices: 2"));
    }

    void init() {
        m_dir = std::make_unique<QTemporaryDir>();
        qputenv("XDG_STATE_HOME", m_dir->filePath(QStringLiteral("state")).toLocal8Bit());
        qputenv("RANKSCOPECTL", "/nowhere/rankscopectl");
        m_config = m_dir->filePath(QStringLiteral("recipe.yaml"));
        m_drafts = m_dir->filePath(QStringLiteral("drafts"));
        write(m_config, m_text);
        start();
    }

    void aCopyComesBackWhole_data() {
        QTest::addColumn<QString>("origin");
        for (const char* what : {"as it was", "gone", "edited since"})
            QTest::newRow(what) << QString::fromLatin1(what);
    }

    void aCopyComesBackWhole() {
        QFETCH(QString, origin);
        const QString run = makeRun(QStringLiteral("r-e6a6"), m_config, {"trainer.max_steps=7"}, 3);
        m_page->openCopyOf(run);
        QTRY_VERIFY(m_page->isComplete());
        edit("trainer.devices", "4");
        overrides()->setText(QStringLiteral("trainer.max_steps=3000"));
        const QByteArray edited = bytes();
        QTRY_VERIFY(draftHolds("max_steps=3000") && draftHolds("devices: 4"));
        if (origin == QLatin1String("gone"))
            QVERIFY(QFile::remove(m_config));
        else if (origin == QLatin1String("edited since"))
            write(m_config, m_text + "# later\n");
        dieAndStart();
        QVERIFY(m_page->file()->recoverUntitled());
        QCOMPARE(bytes(), edited);
        QCOMPARE(overrides()->text(), QStringLiteral("trainer.max_steps=3000"));
        QCOMPARE(m_page->launchPanel()->fields().repeats, run);
        QCOMPARE(m_page->launchPanel()->fields().ranks, 3);
        QVERIFY(m_page->notice()->text().startsWith(QStringLiteral("Restored unsaved edits from ")));

        for (int i = 0; i < 3; ++i) // undo does not go back beyond what this window did
            QTest::keyClick(m_page->textPane()->editor(), Qt::Key_Z, Qt::ControlModifier);
        QCOMPARE(bytes(), edited);
        QVERIFY(!m_page->file()->undoStack()->canUndo());
        QVERIFY(m_page->file()->hasUnkeptEdits());
        m_page->file()->drafts()->flush();
        QVERIFY(draftHolds("devices: 4"));
        edit("trainer.devices", "8");
        QTest::keyClick(m_page->textPane()->editor(), Qt::Key_Z, Qt::ControlModifier);
        QCOMPARE(bytes(), edited);

        QTest::mouseClick(button("Discard"), Qt::LeftButton);
        QCOMPARE(bytes(), m_text); // the run's recipe, not an empty one
        m_page->file()->undoStack()->undo();
        QCOMPARE(bytes(), edited);
    }

    void overridesAloneComeBack() {
        m_page->open(m_config);
        QTRY_VERIFY(m_page->isComplete());
        overrides()->setText(QStringLiteral("trainer.max_steps=5"));
        QTRY_VERIFY(draftHolds("max_steps=5"));
        dieAndStart();
        m_page->open(m_config);
        QCOMPARE(overrides()->text(), QStringLiteral("trainer.max_steps=5"));
        QCOMPARE(bytes(), m_text);
    }

    /// Options of a launch that are not in the recipe's text belong to its recipe.
    void launchFieldsGoWithTheirRecipe() {
        const QString other = m_dir->filePath(QStringLiteral("other.yaml"));
        write(other, m_text);
        LaunchPanel* panel = m_page->launchPanel();
        panel->setDefaultRunsDir(QStringLiteral("/default/runs"));
        m_page->open(m_config);
        const LaunchFields none = panel->fields();
        QCOMPARE(none, LaunchFields());
        const LaunchFields mine{
            {}, {QStringLiteral("trainer.max_steps=7")}, 2, QStringLiteral("/small"), QStringLiteral("8xH100")};
        overrides()->setText(QStringLiteral("trainer.max_steps=7"));
        panel->findChild<QSpinBox*>()->setValue(2);
        runsFolder()->setText(QStringLiteral("/small"));
        panel->setMachine(QStringLiteral("8xH100"));
        QCOMPARE(panel->fields(), mine);
        QTRY_VERIFY(draftHolds("8xH100") && draftHolds("/small"));

        m_page->open(other);
        QCOMPARE(panel->fields(), none);
        const DryRunRequest asked = panel->dryRunRequest();
        QVERIFY(asked.overrides.isEmpty() && asked.machine.isEmpty() && asked.ranks == 0);
        QCOMPARE(asked.runsDir, QStringLiteral("/default/runs"));
        QTRY_VERIFY(m_page->isComplete());
        const auto steps = m_page->file()->evaluation()->find("trainer.max_steps");
        QVERIFY(steps && steps->origin != rankscope::config::Origin::Override);
        panel->findChild<QSpinBox*>()->setValue(3);

        m_page->openCopyOf(makeRun(QStringLiteral("r-e6a6"), m_config, {}, 0)); // with the options of that run
        QCOMPARE(panel->fields().ranks, 0);
        QVERIFY(panel->fields().overrides.isEmpty());
        m_page->open(m_config);
        QCOMPARE(panel->fields(), mine);
        QTRY_VERIFY(m_page->isComplete());
        QCOMPARE(m_page->file()->evaluation()->find("trainer.max_steps")->origin, rankscope::config::Origin::Override);
        m_page->open(other);
        QCOMPARE(panel->fields(), (LaunchFields{{}, {}, 3}));
    }

    void anEmptyRunsFolderIsTheDefault() {
        m_page->launchPanel()->setDefaultRunsDir(QStringLiteral("/default/runs"));
        m_page->open(m_config);
        QVERIFY(runsFolder()->text().isEmpty());
        QCOMPARE(runsFolder()->placeholderText(), QStringLiteral("/default/runs"));
        runsFolder()->setText(QStringLiteral("/small"));
        QVERIFY(runsFolder()->toolTip().contains(QStringLiteral("/small")));
        runsFolder()->clear();
        QCOMPARE(m_page->launchPanel()->dryRunRequest().runsDir, QStringLiteral("/default/runs"));
        QVERIFY(runsFolder()->toolTip().contains(QStringLiteral("/default/runs")));
    }

    void launchedEditsAreNoLongerOfferedToDiscard() {
        m_page->open(m_config);
        QTRY_VERIFY(m_page->isComplete());
        edit("trainer.devices", "4");
        QTRY_VERIFY(draftHolds("devices: 4"));
        dieAndStart();
        m_page->open(m_config);
        QVERIFY(m_page->notice()->text().startsWith(QStringLiteral("Restored unsaved edits from ")));
        script("echo '{\"path\":\"/runs/r-2\"}'");
        QTRY_VERIFY(m_page->isComplete() && m_page->file()->evaluation()->ok());
        QSignalSpy launched(m_page->launchPanel(), &LaunchPanel::launched);
        m_page->launchPanel()->launch(); // as its button does
        QTRY_COMPARE(launched.count(), 1);
        QVERIFY(m_page->notice()->isHidden());
        QVERIFY(bytes().contains("devices: 4"));
    }

    void editsOfAFileThatIsGoneComeBack() {
        m_page->open(m_config);
        QTRY_VERIFY(m_page->isComplete());
        edit("trainer.devices", "4");
        QTRY_VERIFY(draftHolds("devices: 4"));
        QVERIFY(QFile::remove(m_config));
        dieAndStart();
        QVERIFY(m_page->file()->recoverLost(m_config));
        QVERIFY(bytes().contains("devices: 4"));
        QVERIFY(m_page->notice()->text().contains(QStringLiteral("gone")));
        QVERIFY(m_page->save());
        QVERIFY(read(m_config).contains("devices: 4"));
    }

    void aDamagedDraftIsPassedOver() {
        QVERIFY(QDir().mkpath(m_drafts));
        write(m_drafts + QStringLiteral("/a-1.draft"),
              "{\"path\":\"\",\"title\":\"a\",\"when\":\"2026-01-01T00:00:00.000Z\",\"pid\":1,\"ticks\":\"1\","
              "\"text_bytes\":900}\nshort");
        QVERIFY(!m_page->file()->recoverUntitled());
    }

    /// A draft written by a version whose drafts had no base text.
    void anOlderDraftIsTaken() {
        QVERIFY(QDir().mkpath(m_drafts));
        write(m_drafts + QStringLiteral("/a-1.draft"), "{\"path\":\"\",\"title\":\"a\",\"when\":\"2026-01-01T00:00:00."
                                                       "000Z\",\"pid\":1,\"ticks\":\"1\"}\nname: x\n");
        QVERIFY(m_page->file()->recoverUntitled());
        QCOMPARE(bytes(), QByteArray("name: x\n"));
        m_page->file()->undoStack()->undo();
        QCOMPARE(bytes(), QByteArray("name: x\n"));
    }

    void aLaunchedCopyIsAskedAboutNoMore() {
        const QString run = makeRun(QStringLiteral("r-e6a6"), m_config, {}, 0);
        script("echo '{\"path\":\"/runs/r-2\"}'");
        m_page->openCopyWith(run, QStringLiteral("trainer.devices"), QStringLiteral("4"));
        QTRY_VERIFY(m_page->isComplete() && m_page->file()->evaluation()->ok());
        QVERIFY(m_page->file()->hasUnkeptEdits());
        QSignalSpy launched(m_page->launchPanel(), &LaunchPanel::launched);
        m_page->launch();
        QTRY_COMPARE(launched.count(), 1);
        QVERIFY(!m_page->file()->hasUnkeptEdits());
        edit("trainer.devices", "5"); // edits that were not launched are asked about
        QVERIFY(m_page->file()->hasUnkeptEdits());
        m_page->file()->undoStack()->undo();
        m_page->open(m_config);
        QCOMPARE(m_page->file()->path(), m_config);
        m_page->file()->drafts()->flush();
        QVERIFY(!draftHolds("devices"));
    }

    void launchedEditsOfAFileComeBackWithIt() {
        const QString run = makeRun(QStringLiteral("r-e6a6"), m_config, {}, 0);
        script("echo '{\"path\":\"/runs/r-2\"}'");
        m_page->open(m_config);
        QTRY_VERIFY(m_page->isComplete());
        edit("trainer.devices", "4");
        const QByteArray edited = bytes();
        QTRY_VERIFY(m_page->file()->evaluation()->ok() && m_page->isComplete());
        QSignalSpy launched(m_page->launchPanel(), &LaunchPanel::launched);
        m_page->launch();
        QTRY_COMPARE(launched.count(), 1);
        QVERIFY(m_page->file()->hasUnsavedEdits() && !m_page->file()->hasUnkeptEdits());

        m_page->openCopyWith(run, QStringLiteral("model.train_ds.num_workers"), QStringLiteral("2"));
        QVERIFY(m_page->file()->path().isEmpty()); // without a question
        QVERIFY(bytes().contains("num_workers: 2"));
        script("echo '{\"path\":\"/runs/r-3\"}'");
        QTRY_VERIFY(m_page->isComplete());
        m_page->launch();
        QTRY_COMPARE(launched.count(), 2);
        m_page->open(m_config);
        QCOMPARE(bytes(), edited);
        QVERIFY(m_page->notice()->text().startsWith(QStringLiteral("Restored unsaved edits from ")));
        QCOMPARE(read(m_config), m_text);
    }

    void theQuestionNamesWhatComesNext() {
        const QString run = makeRun(QStringLiteral("r-e6a6"), m_config, {}, 0);
        m_page->open(m_config);
        QTRY_VERIFY(m_page->isComplete());
        edit("trainer.devices", "4");
        m_page->openCopyWith(run, QStringLiteral("model.train_ds.num_workers"), QStringLiteral("2"));
        const QString asked = m_page->notice()->text();
        for (const char* word : {"recipe.yaml", "r-e6a6", "num_workers: 2"})
            QVERIFY2(asked.contains(QLatin1String(word)), qPrintable(asked));
        QCOMPARE(m_page->file()->path(), m_config);
        QTest::mouseClick(button("Save and open"), Qt::LeftButton);
        QVERIFY(read(m_config).contains("devices: 4"));
        QVERIFY(m_page->file()->path().isEmpty());
        QVERIFY(bytes().contains("num_workers: 2"));
    }

    void namesOfCopiesDoNotGrow() {
        const QString first = makeRun(QStringLiteral("r-e6a6"), m_config, {}, 0);
        m_page->openCopyOf(first);
        QVERIFY2(m_page->notice()->text().startsWith(QStringLiteral("This is a copy of the recipe of run r-e6a6.")),
                 qPrintable(m_page->notice()->text())); // an imported run was not launched
        QCOMPARE(m_page->file()->title(), QStringLiteral("quickstart, copy of e6a6"));
        QCOMPARE(m_page->suggestedPath(), m_dir->filePath(QStringLiteral("recipe-copy.yaml")));
        write(m_dir->filePath(QStringLiteral("recipe-copy.yaml")), m_text);
        QCOMPARE(m_page->suggestedPath(), m_dir->filePath(QStringLiteral("recipe-copy-2.yaml")));

        edit("trainer.devices", "4");
        QTRY_VERIFY(m_page->isComplete() && m_page->file()->evaluation()->ok());
        script("printf '%s' \"$2\" > \"$(dirname \"$0\")/asked\"; echo '{\"path\":\"/runs/r-2\"}'");
        QSignalSpy launched(m_page->launchPanel(), &LaunchPanel::launched);
        m_page->launch();
        QTRY_COMPARE(launched.count(), 1);
        const QString copy = QString::fromUtf8(read(m_dir->filePath(QStringLiteral("asked"))));
        QCOMPARE(QFileInfo(copy).fileName(), QStringLiteral("recipe.yaml"));
        QVERIFY(!QFileInfo::exists(QFileInfo(copy).absolutePath())); // the temporary copy is removed

        const QString second = makeRun(QStringLiteral("r-087e"), copy, {}, 0, "r-e6a6");
        m_page->openCopyOf(second);
        QCOMPARE(m_page->file()->title(), QStringLiteral("quickstart, copy of 087e"));
        QCOMPARE(m_page->suggestedPath(), m_dir->filePath(QStringLiteral("recipe-copy-2.yaml")));
    }

    void aRefusedValueIsStillSaid() {
        m_page->open(m_config);
        m_page->textPane()->editor()->selectAll();
        m_page->textPane()->editor()->insertPlainText(QStringLiteral("trainer: [1, 2\nname: x\n"));
        edit("trainer.devices", "1234");
        QVERIFY2(m_page->notice()->text().contains(QStringLiteral("1234")), qPrintable(m_page->notice()->text()));
    }

private:
    void start() {
        m_page = std::make_unique<ConfigPage>();
        m_page->resize(1100, 700);
        m_page->file()->setDraftDir(m_drafts);
        m_page->show();
    }
    /// Simulates a crash: nothing is cleaned up, and the drafts belong to a process that is gone.
    void dieAndStart() {
        m_page->file()->setDraftDir({});
        m_page.reset();
        for (const QFileInfo& file : QDir(m_drafts).entryInfoList({QStringLiteral("*.draft")}, QDir::Files)) {
            QByteArray text = read(file.filePath());
            text.replace("\"pid\":" + QByteArray::number(::getpid()), "\"pid\":1");
            QVERIFY(QFile::remove(file.filePath()));
            write(file.filePath().replace(QStringLiteral("-%1.").arg(::getpid()), QStringLiteral("-1.")), text);
        }
        start();
    }
    bool draftHolds(const char* words) const {
        for (const QFileInfo& file : QDir(m_drafts).entryInfoList({QStringLiteral("*.draft")}, QDir::Files))
            if (read(file.filePath()).contains(words))
                return true;
        return false;
    }
    static void write(const QString& path, const QByteArray& text) {
        QFile file(path);
        QVERIFY(file.open(QIODevice::WriteOnly));
        file.write(text);
    }
    static QByteArray read(const QString& path) {
        QFile file(path);
        return file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray();
    }
    QByteArray bytes() const { return QByteArray::fromStdString(m_page->file()->bytes()); }
    void edit(const char* key, const char* value) {
        emit m_page->recipe()->model()->editRequested(QLatin1String(key), QLatin1String(value));
    }
    QLineEdit* overrides() const {
        for (QLineEdit* line : m_page->launchPanel()->findChildren<QLineEdit*>())
            if (line->placeholderText().contains(QLatin1Char('=')))
                return line;
        qFatal("no line for overrides");
    }
    QLineEdit* runsFolder() const { return m_page->launchPanel()->findChild<QLineEdit*>(QStringLiteral("runsFolder")); }
    QPushButton* button(const char* text) const {
        QCoreApplication::processEvents(); // a layout shows new widgets with a delay
        for (QPushButton* one : m_page->notice()->findChildren<QPushButton*>())
            if (one->isVisible() && one->text() == QLatin1String(text))
                return one;
        qFatal("the notice has no button %s", text);
    }
    void script(const QByteArray& body) {
        const QString path = m_dir->filePath(QStringLiteral("rankscopectl"));
        write(path, "#!/bin/sh\n" + body + "\n");
        QFile::setPermissions(path, QFile::ReadOwner | QFile::WriteOwner | QFile::ExeOwner);
        qputenv("RANKSCOPECTL", path.toLocal8Bit());
    }
    QString makeRun(const QString& id, const QString& config, const std::vector<std::string>& overrides, int ranks,
                    const std::string& repeats = {}) {
        const QString folder = m_dir->filePath(QStringLiteral("runs/") + id);
        const rankscope::launch::RunPaths run{folder.toStdString()};
        rankscope::launch::RunInfo info;
        info.id = id.toStdString();
        info.name = "quickstart";
        info.state = rankscope::launch::RunState::Finished;
        info.worldSize = 2;
        info.overrides = overrides;
        info.ranksAsked = ranks;
        info.configPath = config.toStdString();
        info.relaunchedFrom = repeats;
        if (!QDir().mkpath(folder) || !rankscope::launch::writeRunInfo(run, info))
            qFatal("no run could be made");
        write(QString::fromStdString(run.config().string()), m_text);
        return folder;
    }

    std::unique_ptr<QTemporaryDir> m_dir;
    QByteArray m_text;
    QString m_config, m_drafts;
    std::unique_ptr<ConfigPage> m_page;
};

RANKSCOPE_GUI_TEST(KeptWork)
#include "tst_kept_work.moc"
