// SPDX-License-Identifier: GPL-3.0-or-later
// Launching through a rankscopectl that the test writes: the arguments it gets, and how its errors are shown.
#include "tests/support/test_runner.h"
#include "tests/widgets/config/launch/scripted_launch.h"
#include "widgets/config/labels/severity_marks.h"
#include "widgets/config/launch/launch_panel.h"
#include "widgets/config/launch/target_machine_dialog.h"
#include "widgets/config/model/recipe_model.h"
#include "widgets/config/page/config_page.h"
#include "widgets/config/page/recipe_text_pane.h"
#include "widgets/config/plan/plan_request.h"
#include "widgets/config/plan/plan_text.h"
#include "widgets/config/problems/key_detail.h"
#include "widgets/config/problems/notice_bar.h"
#include "widgets/config/problems/problem_list.h"
#include "widgets/config/problems/problem_model.h"
#include "widgets/config/sync/sync_card.h"
#include "widgets/config/sync/sync_card_row.h"
#include "widgets/config/text/yaml_editor.h"
#include "widgets/config/tree/recipe_view.h"
#include "widgets/controls/clamped_label.h"
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
#include <QTest>
#include <QTreeView>

#include <algorithm>

using namespace rankscope::ui;

class Launching : public ScriptedLaunch {
    Q_OBJECT

private slots:
    void initTestCase() { Theme::instance().apply(Theme::Mode::Light); }

    void init() { open(); }
    void cleanup() { close(); }

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
        QCOMPARE(asked(), QStringList({QStringLiteral("launch"), m_config, QStringLiteral("trainer.max_steps=5"),
                                       QStringLiteral("trainer.devices=[0, 1]"), QStringLiteral("--ranks"),
                                       QStringLiteral("3"), QStringLiteral("--runs"), path("runs"),
                                       QStringLiteral("--detach"), QStringLiteral("--json")}));
        QVERIFY(panel()->problem().isEmpty());
    }

    void nemoTrainsInItsOwnPython() {
        script("printf '%s\\n' \"$@\" > \"$(dirname \"$0\")/asked\"; echo '{\"path\":\"/runs/r-3\"}'");
        auto* trainer = panel()->findChild<QComboBox*>(QStringLiteral("trainer"));
        NemoPython* nemo = panel()->nemo();
        QVERIFY(!nemo->isVisible() && button()->isEnabled());
        trainer->setCurrentIndex(1);
        QVERIFY(nemo->isVisible() && !button()->isEnabled()); // no Python is named yet
        nemo->setPython(writeProgram("python", "echo NeMo 2.7.3"));
        QTRY_VERIFY(nemo->isFound());
        QCOMPARE(nemo->status(), QStringLiteral("NeMo 2.7.3"));
        QVERIFY(button()->isEnabled());
        QSignalSpy launched(panel(), &LaunchPanel::launched);
        panel()->launch();
        QTRY_COMPARE(launched.count(), 1);
        const qsizetype at = asked().indexOf(QStringLiteral("--trainer"));
        QCOMPARE(asked().mid(at, 4), QStringList({QStringLiteral("--trainer"), QStringLiteral("nemo"),
                                                  QStringLiteral("--python"), nemo->python()}));
        trainer->setCurrentIndex(0);
        panel()->launch();
        QTRY_COMPARE(launched.count(), 2);
        QVERIFY(!asked().contains(QStringLiteral("--trainer")));
    }

    void aPythonWithoutNemo_data() {
        QTest::addColumn<QByteArray>("body");
        QTest::addColumn<QString>("status");
        QTest::newRow("not installed") << QByteArray(
                                              "echo Traceback >&2; echo "
                                              "'importlib.metadata.PackageNotFoundError: nemo_toolkit' >&2; exit 1")
                                       << "This Python has no NeMo";
        QTest::newRow("broken") << QByteArray("echo 'no module named encodings' >&2; exit 1")
                                << "no module named encodings";
        QTest::newRow("another program") << QByteArray("exit 0") << "It gave no answer";
        QTest::newRow("killed") << QByteArray("echo NeMo 2.7.3; kill -9 $$") << "It gave no answer";
    }
    void aPythonWithoutNemo() {
        QFETCH(QByteArray, body);
        QFETCH(QString, status);
        panel()->findChild<QComboBox*>(QStringLiteral("trainer"))->setCurrentIndex(1);
        panel()->nemo()->setPython(writeProgram("python", body));
        QTRY_COMPARE(panel()->nemo()->status(), status);
        QVERIFY(!panel()->nemo()->isFound() && !button()->isEnabled());
        panel()->nemo()->setPython(path("none"));
        QTRY_VERIFY(panel()->nemo()->status().startsWith(QStringLiteral("It cannot be started: ")));
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
        QCOMPARE(read(path("launched.yaml")), read(m_config).replace("\n  devices: 2", "\n  devices: 4"));
        QVERIFY(read(path("launched.yaml")) != read(m_config));
        QCOMPARE(read(path("modes")), QByteArray("700\n600\n"));
        QCOMPARE(QDir(QString::fromUtf8(read(path("where")).trimmed())).canonicalPath(),
                 QDir(m_dir->path()).canonicalPath());
        QVERIFY(read(m_config).contains("\n  devices: 2")); // the file stays as it was saved
        QVERIFY(!QFile::exists(asked().at(1)));             // the copy is gone
    }

    void missingManifestsAreNamed() {
        for (const char* there : {"train.json", "noise.json", "val.json"}) // the other manifests of the recipe
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

    /// The remedy for an injected fault: the same recipe without the key, whether the recipe or an override had set it.
    void aRunIsRepeatedWithoutItsFaults_data() {
        QTest::addColumn<bool>("inTheRecipe");
        QTest::newRow("in the recipe") << true;
        QTest::newRow("among the overrides") << false;
    }
    void aRunIsRepeatedWithoutItsFaults() {
        QFETCH(bool, inTheRecipe);
        QByteArray text = read(m_config);
        QVERIFY(text.contains("    - kind: data_loading"));
        if (!inTheRecipe) {
            text.truncate(text.indexOf("  faults:"));
            write(m_config, text);
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
        QVERIFY2(notice->text().startsWith(QStringLiteral("rankscope.faults was removed")), qPrintable(notice->text()));
        m_page->file()->discardEdits();
    }

    /// The remedy: a copy of the run's recipe with one key set, launched after the run was stopped.
    void aRunIsRepeatedWithAChange() {
        const QString run = makeRun({"trainer.max_steps=7", "model.train_ds.num_workers=0"}, 3);
        script("printf '%s\\n' \"$@\" >> \"$(dirname \"$0\")/asked\"; echo '{\"path\":\"/runs/r-2\"}'");
        m_page->openCopyWith(run, QStringLiteral("model.train_ds.num_workers"), QStringLiteral("4"));
        QTRY_VERIFY(m_page->isComplete());
        QCOMPARE(panel()->fields().repeats, run);
        // the key that was set is visible: its row is selected and in view, and its sections are open
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
        // an override of the same key would have hidden the new value
        QVERIFY(words.contains(QStringLiteral("trainer.max_steps=7")));
        QVERIFY(words.filter(QStringLiteral("num_workers")).isEmpty());
        QCOMPARE(words.at(words.indexOf(QStringLiteral("--ranks")) + 1), QStringLiteral("3"));
        QCOMPARE(words.at(words.indexOf(QStringLiteral("--relaunch")) + 1), run);

        m_page->setRuns({{QStringLiteral("r-1"), run, false}}); // it has ended: nothing to stop
        QCOMPARE(button()->text(), QStringLiteral("Launch (unsaved changes)"));
        QFile::remove(path("asked"));
        panel()->launch();
        QTRY_COMPARE(launched.count(), 2);
        QCOMPARE(asked().front(), QStringLiteral("launch"));
        m_page->file()->discardEdits();
        m_page->open(m_config); // another recipe does not repeat the run
        QTRY_VERIFY(panel()->fields().repeats.isEmpty());
    }

    /// A run whose number of ranks was never requested, such as a resumed one, is repeated with the number it had.
    void aRepeatedRunKeepsItsNumberOfRanks() {
        write(m_config, read(m_config).replace("\n  devices: 2 ", "\n  devices: -1 "));
        m_page->openCopyOf(makeRun({}, 0));
        QTRY_VERIFY(m_page->isComplete());
        QCOMPARE(panel()->fields().ranks, 2);
        QCOMPARE(panel()->dryRunRequest().ranks, 2);
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

    /// A likely failure is named next to the button, whose text then shows that it is a known risk.
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
        QVERIFY(line()->text().contains(markColor(MarkSeverity::Danger).name()));
    }

    /// The disk may have filled since the plan was made, so its free space is read again before the run starts.
    void aDiskThatHasFilledIsNoticedAtTheStart_data() {
        QTest::addColumn<QString>("machine");
        QTest::newRow("planned for this machine") << QString();
        QTest::newRow("planned for another machine") << QStringLiteral("8xH100");
    }
    void aDiskThatHasFilledIsNoticedAtTheStart() {
        QFETCH(QString, machine);
        script("echo \"$1\" >> \"$(dirname \"$0\")/asked\"; echo '{\"path\":\"/runs/r-1\"}'");
        planned("", "there.json");
        planned(disk(8'000'000'000'000'000, 9'000'000'000'000'000)); // more than any disk has
        planAgain();
        panel()->setMachine(machine);
        QTRY_COMPARE(m_page->dryRun()->state(), PlanRequest::PlanState::Ready);
        QTRY_VERIFY(!m_page->isPlanning());
        const QString plain = machine.isEmpty() ? QStringLiteral("Launch") : QStringLiteral("Launch on this machine");
        QCOMPARE(button()->text(), plain);
        QSignalSpy launched(panel(), &LaunchPanel::launched);
        panel()->launch();
        QVERIFY(!button()->isEnabled());
        QTRY_COMPARE(button()->text(), QStringLiteral("Launch anyway"));
        QVERIFY(asked().isEmpty());
        const QString why = QStringLiteral("the run needs at least");
        QVERIFY2(button()->toolTip().contains(why), qPrintable(button()->toolTip()));
        QVERIFY(panel()->problem().contains(why));
        QCOMPARE(line()->toolTip().contains(why), machine.isEmpty());
        QCOMPARE(shownProblem(), !machine.isEmpty()); // the reason is shown once
        panel()->launch();                            // anyway
        QTRY_COMPARE(launched.count(), 1);
        QCOMPARE(asked(), QStringList{QStringLiteral("launch")});
    }

    void aDiskWithRoomIsNotMentioned() {
        script("echo '{\"path\":\"/runs/r-1\"}'");
        planned(disk(1, 2));
        planAgain();
        QSignalSpy launched(panel(), &LaunchPanel::launched);
        panel()->launch();
        QTRY_COMPARE(launched.count(), 1);
        QVERIFY(panel()->problem().isEmpty());
        QCOMPARE(button()->text(), QStringLiteral("Launch"));
    }

    /// If the new run would not fit on the disk, the run that would be stopped for it continues.
    void aFullDiskStopsNoRun() {
        const QString run = makeRun({}, 0);
        script("echo \"$1\" >> \"$(dirname \"$0\")/asked\"; echo '{\"path\":\"/runs/r-2\"}'");
        planned(disk(8'000'000'000'000'000, 9'000'000'000'000'000));
        m_page->openCopyOf(run);
        QTRY_VERIFY(m_page->isComplete());
        m_page->setRuns({{QStringLiteral("r-1"), run, true}});
        planAgain();
        QCOMPARE(button()->text(), QStringLiteral("Stop run and launch"));
        panel()->launch();
        QTRY_VERIFY(button()->isEnabled());
        QVERIFY(line()->toolTip().contains(QStringLiteral("the run needs at least")));
        QVERIFY(asked().isEmpty());
    }

    /// A launch that would be refused is not tried; the reason is shown next to the button and in the list, at its key.
    void whatWouldBeRefusedIsNotTried() {
        planned(refusal("model.train_ds.manifest_filepath", "/no/such.json does not exist"));
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

    /// A risk that turned into an error keeps its line, its marks and the button that fixes it.
    void whatIsRefusedKeepsTheRemedyOfItsRisk() {
        const QString key = QStringLiteral("trainer.val_check_interval");
        const QByteArray reason = "100 batches are more than the 10 of an epoch";
        planned(refusal(key.toLatin1(), reason + ": set trainer.check_val_every_n_epoch: null to count across epochs") +
                R"(, "risks": [{"id": "validation-beyond-epoch", "key": "trainer.val_check_interval", "reason": ")" +
                reason + R"(", "set": {"key": "trainer.check_val_every_n_epoch", "value": "1"}}])");
        planAgain();
        const ProblemModel* problems = m_page->textPane()->info()->problems();
        QModelIndex row;
        int rows = 0;
        for (int i = 0; i < problems->rowCount(); ++i)
            if (problems->index(i).data(ProblemModel::KeyRole) == key) {
                row = problems->index(i);
                ++rows;
            }
        QCOMPARE(rows, 1); // error and risk are the same problem
        QCOMPARE(problems->rows()[static_cast<std::size_t>(row.row())].severity, MarkSeverity::Error);
        QCOMPARE(row.data(ProblemModel::ActionRole).toString(), QStringLiteral("Set check_val_every_n_epoch: 1"));
        const int line = row.data(ProblemModel::LineRole).toInt();
        QVERIFY(line > 0);
        QVERIFY(m_page->textPane()->editor()->problemAt(line).contains(QString::fromUtf8(reason)));
        const RecipeModel* tree = m_page->recipe()->model();
        const QVariant error = static_cast<int>(MarkSeverity::Error);
        QCOMPARE(tree->indexOf(key).data(RecipeModel::WorstRole), error);
        QCOMPARE(tree->indexOf(QStringLiteral("trainer")).data(RecipeModel::WorstRole), error);
        m_page->recipe()->reveal(key);
        const KeyDetail* detail = m_page->textPane()->info()->detail();
        QVERIFY(detail->plainText().contains(QString::fromUtf8(reason)));
        QVERIFY(detail->findChild<QPushButton*>(QStringLiteral("apply")));

        ProblemList* list = m_page->textPane()->info()->problemList();
        m_page->textPane()->info()->showTab(InfoPane::Problems);
        emit list->clicked(row);
        QCOMPARE(m_page->textPane()->editor()->textCursor().blockNumber() + 1, line);
        list->setCurrentIndex(row);
        QTest::keyClick(list, Qt::Key_Space);
        QVERIFY(m_page->file()->bytes().find("check_val_every_n_epoch: 1") != std::string::npos);
        planned("");
        planAgain();
        QTRY_VERIFY(!tree->indexOf(key).data(RecipeModel::WorstRole).isValid());
    }

    /// The same if rankscopectl cannot make a plan of the recipe.
    void aRefusedRecipeIsMarkedAtItsKey() {
        QVERIFY(QFile::remove(path("plan.json")));
        m_page->dryRun()->rerun();
        QTRY_COMPARE(m_page->dryRun()->state(), PlanRequest::PlanState::Failed);
        const QModelIndex first = m_page->textPane()->info()->problems()->index(0);
        QCOMPARE(first.data(ProblemModel::KeyRole).toString(), QStringLiteral("trainer.devices"));
        QVERIFY(first.data(ProblemModel::LineRole).toInt() > 0);
        QCOMPARE(m_page->recipe()->model()->indexOf(QStringLiteral("trainer.devices")).data(RecipeModel::WorstRole),
                 QVariant(static_cast<int>(MarkSeverity::Error)));
    }

    /// Only this machine decides whether the button is enabled, whichever machine is planned for.
    void aLaunchHereIsRefusedAsHere() {
        const QByteArray noBatch = refusal("model.train_ds.drop_last", "leaves no batch");
        planned("", "there.json");
        planned(noBatch);
        planAgain();
        QVERIFY(!button()->isEnabled());
        panel()->setMachine(QStringLiteral("8xH100"));
        QTRY_COMPARE(m_page->dryRun()->state(), PlanRequest::PlanState::Ready);
        QTRY_VERIFY(!m_page->isPlanning());
        QCOMPARE(button()->text(), QStringLiteral("Launch on this machine"));
        QVERIFY(!button()->isEnabled());
        QVERIFY2(button()->toolTip().contains(QStringLiteral("leaves no batch")), qPrintable(button()->toolTip()));
        QVERIFY(!line()->text().contains(QStringLiteral("leaves no batch"))); // on that machine there are batches left

        planned(noBatch + ", \"machine\": \"8 x H100 80 GB\"", "there.json");
        planned("");
        m_page->otherDryRun()->rerun();
        planAgain();
        QTRY_VERIFY(!m_page->isPlanning());
        QVERIFY(button()->isEnabled());
        QVERIFY2(line()->text().contains(QStringLiteral("On 8 x H100 80 GB: drop_last: leaves no batch")),
                 qPrintable(line()->text())); // whereas the button is about this machine
    }

    /// Nor can it be tried if the launch would be refused on both; the sentence of a refused try is then shown once.
    void aLaunchRefusedOnBothMachinesIsNotTried() {
        script("echo 'rankscopectl: model.train_ds.drop_last: leaves no batch' >&2; exit 2");
        panel()->launch();
        QTRY_VERIFY(panel()->problem().contains(QStringLiteral("leaves no batch")));
        QVERIFY(shownProblem());
        const QByteArray noBatch = refusal("model.train_ds.drop_last", "leaves no batch");
        planned(noBatch);
        planned(noBatch + ", \"machine\": \"8 x H100 80 GB\"", "there.json");
        panel()->setMachine(QStringLiteral("8xH100"));
        QTRY_COMPARE(m_page->dryRun()->state(), PlanRequest::PlanState::Ready);
        QTRY_VERIFY(!m_page->isPlanning());
        QVERIFY(!button()->isEnabled());
        QVERIFY2(button()->toolTip().contains(QStringLiteral("On this machine: drop_last: leaves no batch")),
                 qPrintable(button()->toolTip()));
        QVERIFY(line()->text().contains(QStringLiteral("leaves no batch")));
        QVERIFY(!shownProblem());
    }

    void aRefusalIsSaidOnce() {
        script("echo 'rankscopectl: model.train_ds.drop_last: leaves no batch' >&2; exit 2");
        panel()->launch();
        QTRY_VERIFY(panel()->problem().contains(QStringLiteral("leaves no batch")));
        QVERIFY(shownProblem());
        planned(refusal("model.train_ds.drop_last", "leaves no batch"));
        planAgain();
        QVERIFY(line()->text().contains(QStringLiteral("leaves no batch")));
        QVERIFY(!shownProblem());
    }

    /// With one rank the settings have no effect here, so the cards describe the target machine.
    void cardsOfASingleRankSayWhatSeveralDo() {
        write(path("there.json"), "{\"machine\": \"8 x H100 80 GB\", \"ranks\": 8, \"collectives\": [{\"tag\": "
                                  "\"sync_max_audio_length\", \"calls\": 1, \"bytes\": 4, \"blocks\": true}]}");
        write(path("plan.json"), "{\"ranks\": 1, \"collectives\": []}");
        planAgain();
        QTRY_VERIFY(!m_page->isPlanning());
        const SyncCard* card = m_page->cards()->card(0);
        const auto says = [card](const char* label) {
            return card->findChild<ClampedLabel*>(QLatin1String(label))->text();
        };
        QCOMPARE(says("cost"), QStringLiteral("One rank here"));
        const QString elsewhere = costText({1, 4}, true);
        QVERIFY(elsewhere.contains(QStringLiteral("can hang")));
        QVERIFY2(says("effect").startsWith(QStringLiteral("On 8 x H100 80 GB: ") + elsewhere),
                 qPrintable(says("effect")));
        const auto labels = card->findChildren<QLabel*>();
        // no tick, which would look like an all-clear
        QVERIFY(std::none_of(labels.begin(), labels.end(), [](const QLabel* label) {
            return label->isVisible() && label->pixmap().toImage() == tickPixmap().toImage();
        }));
        m_page->cards()->setFolded(true); // folded to two lines, it says as much
        QVERIFY2(says("cost").contains(QStringLiteral("can hang")), qPrintable(says("cost")));
        m_page->cards()->setFolded(false);
        auto* link = card->findChild<QLabel*>(QStringLiteral("planForTarget"));
        QVERIFY(link && link->isVisible());
        emit link->linkActivated(QStringLiteral("#"));
        QCOMPARE(panel()->machine(), QStringLiteral("8xH100"));
        QTRY_VERIFY(!m_page->isPlanning());
        QCOMPARE(says("cost"), elsewhere);
        QVERIFY(!link->isVisible());
    }

    /// The working folder is not blamed for an absolute path that does not exist.
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

    /// The plan is made for the chosen machine; the button then says that the launch is on this one.
    void anotherMachineIsPlannedFor() {
        script("exit 2");
        auto* machines = panel()->findChild<QComboBox*>(QStringLiteral("machine"));
        QVERIFY(machines && machines->count() > 4);
        const int at = machines->findData(QStringLiteral("8xH100"));
        QVERIFY(at > 0);
        machines->setCurrentIndex(at);
        emit machines->activated(at);
        QCOMPARE(panel()->dryRunRequest().machine, QStringLiteral("8xH100"));
        QTRY_COMPARE(m_page->dryRun()->state(), PlanRequest::PlanState::Ready);
        QCOMPARE(button()->text(), QStringLiteral("Launch on this machine"));
        const QByteArray layout = m_page->saveLayout();
        ConfigPage other;
        other.restoreLayout(layout); // before the recipe that the machine belongs to is open
        QVERIFY(other.launchPanel()->machine().isEmpty());
        other.open(m_config);
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
};

RANKSCOPE_GUI_TEST(Launching)
#include "tst_launch_panel.moc"
