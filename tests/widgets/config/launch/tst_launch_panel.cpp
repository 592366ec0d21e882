// SPDX-License-Identifier: GPL-3.0-or-later
// Launching through a rankscopectl that the test writes: what it is asked, what its errors look like.
#include "core/launch/run/run_folder.h"
#include "tests/support/test_runner.h"
#include "widgets/config/labels/severity_marks.h"
#include "widgets/config/launch/launch_panel.h"
#include "widgets/config/launch/plan_request.h"
#include "widgets/config/launch/target_machine_dialog.h"
#include "widgets/config/page/config_page.h"
#include "widgets/config/page/recipe_text_pane.h"
#include "widgets/config/problems/notice_bar.h"
#include "widgets/config/problems/problem_model.h"
#include "widgets/config/tree/recipe_view.h"
#include "widgets/theme/theme.h"

#include <QComboBox>
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
#include <QTreeView>

#include <algorithm>

using namespace rankscope::ui;

class Launching : public QObject {
    Q_OBJECT

private slots:
    void initTestCase() { Theme::instance().apply(Theme::Mode::Light); }

    void init() {
        m_dir = std::make_unique<QTemporaryDir>();
        qputenv("XDG_STATE_HOME", m_dir->filePath(QStringLiteral("state")).toLocal8Bit());
        m_config = m_dir->filePath(QStringLiteral("recipe.yaml"));
        QVERIFY(QFile::copy(QStringLiteral(RANKSCOPE_SOURCE_DIR "/configs/quickstart.yaml"), m_config));
        planned("");
        script("exit 2");
        QDir::setCurrent(m_dir->path());
        m_page = std::make_unique<ConfigPage>();
        m_page->launchPanel()->setRunsDir(m_dir->filePath(QStringLiteral("runs")));
        m_page->resize(1280, 760);
        m_page->show();
        m_page->open(m_config);
        QTRY_VERIFY(m_page->isComplete());
    }
    void cleanup() {
        m_page.reset();
        qunsetenv("RANKSCOPECTL");
    }

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
        QDir::setCurrent(QDir::rootPath());
        const LaunchPanel elsewhere(m_page->file());
        QCOMPARE(elsewhere.workingFolder().path, QFileInfo(m_config).absolutePath());
        QVERIFY(elsewhere.workingFolder().missing.isEmpty());
    }

    /// The way of an injected fault's remedy: the same recipe without the key, wherever it was asked for.
    void aRunIsRepeatedWithoutItsFaults_data() {
        QTest::addColumn<bool>("inTheRecipe");
        QTest::newRow("in the recipe") << true;
        QTest::newRow("among the overrides") << false;
    }
    void aRunIsRepeatedWithoutItsFaults() {
        QFETCH(bool, inTheRecipe);
        QByteArray text = onDisk();
        QVERIFY(text.contains("    - kind: data_loading"));
        if (!inTheRecipe) {
            text.truncate(text.indexOf("  faults:"));
            QFile file(m_config);
            QVERIFY(file.open(QIODevice::WriteOnly));
            file.write(text);
        }
        std::vector<std::string> overrides{"trainer.max_steps=7"};
        if (!inTheRecipe)
            overrides.emplace_back("rankscope.faults=[{kind: dead, rank: 1, step: 3}]");
        const QString run = makeRun(overrides, 2);
        m_page->openCopyWith(run, QStringLiteral("rankscope.faults"), QString());
        QTRY_VERIFY(m_page->isComplete());
        QCOMPARE(panel()->fields(), (LaunchFields{run, {QStringLiteral("trainer.max_steps=7")}, 2}));
        QVERIFY(!QByteArray::fromStdString(m_page->file()->bytes()).contains("    - kind: data_loading"));
        QCOMPARE(m_page->file()->hasEdits(), inTheRecipe);
        const auto* notice = m_page->findChild<NoticeBar*>();
        QVERIFY2(notice->text().startsWith(QStringLiteral("rankscope.faults is left out")), qPrintable(notice->text()));
        m_page->file()->discardEdits();
    }

    /// The remedy's way: a copy of the run's recipe with one key set, launched after the run was stopped.
    void aRunIsRepeatedWithAChange() {
        const QString run = makeRun({"trainer.max_steps=7", "model.train_ds.num_workers=0"}, 3);
        script("printf '%s\\n' \"$@\" >> \"$(dirname \"$0\")/asked\"; echo '{\"path\":\"/runs/r-2\"}'");
        m_page->openCopyWith(run, QStringLiteral("model.train_ds.num_workers"), QStringLiteral("4"));
        QTRY_VERIFY(m_page->isComplete());
        QCOMPARE(panel()->fields().repeats, run);
        // what was set is seen: its row is the chosen one, its sections are open, and it stands in the tree's view
        const auto* recipe = m_page->findChild<RecipeView*>();
        QTRY_COMPARE(recipe->currentKey(), QStringLiteral("model.train_ds.num_workers"));
        const QTreeView* tree = recipe->tree();
        const QRect row = tree->visualRect(tree->currentIndex());
        QVERIFY(row.isValid() && tree->viewport()->rect().contains(row.center()));
        for (QModelIndex up = tree->currentIndex().parent(); up.isValid(); up = up.parent())
            QVERIFY(tree->isExpanded(up.siblingAtColumn(0)));
        m_page->setRuns({{QStringLiteral("r-1"), run, true}});
        QCOMPARE(button()->text(), QStringLiteral("Stop run and launch"));
        QSignalSpy launched(panel(), &LaunchPanel::launched);
        panel()->launch();
        QTRY_COMPARE(launched.count(), 1);
        QStringList words = asked();
        QCOMPARE(words.mid(0, 3), QStringList({QStringLiteral("stop"), run, QStringLiteral("launch")}));
        // the override of the key that is set now would have hidden it
        QVERIFY(words.contains(QStringLiteral("trainer.max_steps=7")));
        QVERIFY(words.filter(QStringLiteral("num_workers")).isEmpty());
        QCOMPARE(words.at(words.indexOf(QStringLiteral("--ranks")) + 1), QStringLiteral("3"));
        QCOMPARE(words.at(words.indexOf(QStringLiteral("--relaunch")) + 1), run);

        m_page->setRuns({{QStringLiteral("r-1"), run, false}}); // it has ended: nothing to stop
        QCOMPARE(button()->text(), QStringLiteral("Launch (unsaved changes)"));
        QFile::remove(m_dir->filePath(QStringLiteral("asked")));
        panel()->launch();
        QTRY_COMPARE(launched.count(), 2);
        QCOMPARE(asked().front(), QStringLiteral("launch"));
        m_page->file()->discardEdits();
        m_page->open(m_config); // another recipe repeats nothing
        QTRY_VERIFY(panel()->fields().repeats.isEmpty());
    }

    void aRunThatDoesNotStopIsNotRepeated() {
        const QString run = makeRun({}, 0);
        script("test \"$1\" = stop && { echo 'rankscopectl: r-1: no answer' >&2; exit 3; }; echo '{\"path\":\"/x\"}'");
        m_page->openCopyOf(run);
        QTRY_VERIFY(m_page->isComplete());
        m_page->setRuns({{QStringLiteral("r-1"), run, true}});
        QSignalSpy launched(panel(), &LaunchPanel::launched);
        panel()->launch();
        QTRY_VERIFY2(panel()->problem().contains(QStringLiteral("no answer")), qPrintable(panel()->problem()));
        QVERIFY(panel()->problem().contains(QStringLiteral("nothing was launched")));
        QCOMPARE(launched.count(), 0);
        QVERIFY(button()->isEnabled());
    }

    /// What the run would fail from is said at the button, which then says that it knows.
    void whatARunWouldFailFromIsSaidAtTheButton() {
        planAgain();
        QCOMPARE(button()->text(), QStringLiteral("Launch"));
        planned(", \"obstacles\": [{\"refused\": false, \"kind\": \"memory\", \"key\": "
                "\"model.train_ds.batch_size\", \"text\": \"x\"}]");
        planAgain();
        QCOMPARE(button()->text(), QStringLiteral("Launch anyway"));
        QVERIFY(button()->isEnabled());
        QVERIFY2(line()->text().contains(QStringLiteral("18.1 GB")) &&
                     line()->text().contains(QStringLiteral("3.16 GB")),
                 qPrintable(line()->text()));
        QVERIFY(line()->text().contains(markColor(Severity::Danger).name()));
    }

    /// What would be refused is not tried; the reason stands at the button and in the list, at the key.
    void whatWouldBeRefusedIsNotTried() {
        planned(", \"obstacles\": [{\"refused\": true, \"kind\": \"data\", \"key\": "
                "\"model.train_ds.manifest_filepath\", \"text\": \"/no/such.json does not exist\"}]");
        planAgain();
        QVERIFY(!button()->isEnabled());
        QVERIFY2(button()->toolTip().contains(QStringLiteral("/no/such.json does not exist")),
                 qPrintable(button()->toolTip()));
        QVERIFY(line()->text().contains(QStringLiteral("does not exist")));
        const QModelIndex first = m_page->textPane()->info()->problems()->index(0);
        QCOMPARE(first.data(ProblemModel::KeyRole).toString(), QStringLiteral("model.train_ds.manifest_filepath"));
        QVERIFY(first.data(ProblemModel::LineRole).toInt() > 0);
        planned("");
        planAgain();
        QVERIFY(button()->isEnabled());
    }

    /// Where an absolute path leads to nothing the working folder is not to blame.
    void theFolderIsNotBlamedForAnAbsolutePath() {
        for (const char* there : {"train.json", "noise.json", "val.json"})
            touch(QStringLiteral("resources/sample/data"), QLatin1String(there));
        QVERIFY(m_page->file()->setValue(QStringLiteral("model.train_ds.manifest_filepath"),
                                         QStringLiteral("/no/such.json")));
        QTRY_COMPARE(panel()->workingFolder().missing, QStringList{QStringLiteral("/no/such.json")});
        const auto labels = panel()->findChildren<QLabel*>();
        QVERIFY(std::none_of(labels.begin(), labels.end(),
                             [](const QLabel* label) { return label->text().contains(QStringLiteral("missing")); }));
        QVERIFY(std::any_of(labels.begin(), labels.end(),
                            [](const QLabel* label) { return label->text() == QStringLiteral("Working folder"); }));
    }

    /// The plan is asked for the machine that is chosen; the button then says that a launch is here.
    void anotherMachineIsPlannedFor() {
        script("exit 2");
        auto* machines = panel()->findChild<QComboBox*>(QStringLiteral("machine"));
        QVERIFY(machines && machines->count() > 4);
        const int at = machines->findData(QStringLiteral("8xH100"));
        QVERIFY(at > 0);
        machines->setCurrentIndex(at);
        emit machines->activated(at);
        QCOMPARE(panel()->dryRunRequest().machine, QStringLiteral("8xH100"));
        QTRY_COMPARE(m_page->dryRun()->state(), DryRun::State::Ready);
        QCOMPARE(button()->text(), QStringLiteral("Launch here"));
        const QByteArray layout = m_page->saveLayout();
        ConfigPage other;
        other.restoreLayout(layout);
        QCOMPARE(other.launchPanel()->machine(), QStringLiteral("8xH100"));
        panel()->setMachine(QStringLiteral("gpus=3,memory=20G"));
        QCOMPARE(panel()->dryRunRequest().machine, QStringLiteral("gpus=3,memory=20G"));
        MachineDialog dialog(panel()->machine());
        dialog.findChild<QSpinBox*>(QStringLiteral("nodes"))->setValue(2);
        QVERIFY2(dialog.text().startsWith(QStringLiteral("gpus=3,memory=20G")) &&
                     dialog.text().endsWith(QStringLiteral("nodes=2")),
                 qPrintable(dialog.text()));
        panel()->setMachine({});
        QVERIFY(panel()->dryRunRequest().machine.isEmpty());
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
    /// An ended run with the quickstart's recipe; its folder.
    QString makeRun(const std::vector<std::string>& overrides, int ranks) {
        const rankscope::launch::RunPaths run{m_dir->filePath(QStringLiteral("runs/r-1")).toStdString()};
        rankscope::launch::RunInfo info;
        info.name = "r";
        info.state = rankscope::launch::RunState::Finished;
        info.worldSize = 2;
        info.overrides = overrides;
        info.ranksAsked = ranks;
        info.configPath = m_config.toStdString();
        if (!QDir().mkpath(m_dir->filePath(QStringLiteral("runs/r-1"))) ||
            !rankscope::launch::writeRunInfo(run, info) ||
            !QFile::copy(m_config, QString::fromStdString(run.config().string())))
            qFatal("no run could be made");
        return QString::fromStdString(run.dir.string());
    }
    /// What the dry run answers: members of a plan beside those that each has.
    void planned(const QByteArray& more) {
        QFile file(m_dir->filePath(QStringLiteral("plan.json")));
        QVERIFY(file.open(QIODevice::WriteOnly));
        file.write("{\"ranks\": 2, \"collectives\": [], \"memory\": {\"total\": 18100000000, \"available\": "
                   "3160000000}" +
                   more + "}");
    }
    void planAgain() {
        m_page->dryRun()->again();
        QTRY_COMPARE(m_page->dryRun()->state(), DryRun::State::Ready);
    }
    QLabel* line() const { return panel()->findChild<QLabel*>(QStringLiteral("planLine")); }

    void script(const QByteArray& body) {
        QFile file(m_dir->filePath(QStringLiteral("rankscopectl")));
        QVERIFY(file.open(QIODevice::WriteOnly));
        file.write("#!/bin/sh\nif [ \"$1\" = plan ]; then cat \"$(dirname \"$0\")/plan.json\"; exit; fi\n" + body +
                   "\n");
        file.setPermissions(QFile::ReadOwner | QFile::WriteOwner | QFile::ExeOwner);
        file.close();
        qputenv("RANKSCOPECTL", file.fileName().toLocal8Bit());
    }

    std::unique_ptr<QTemporaryDir> m_dir;
    QString m_config;
    std::unique_ptr<ConfigPage> m_page;
};

RANKSCOPE_GUI_TEST(Launching)
#include "tst_launch_panel.moc"
