// SPDX-License-Identifier: GPL-3.0-or-later
// The dry run before a launch, with a rankscopectl that the test writes: its arguments, that nothing outdated is shown,
// and how failures are reported; also with the real one.
#include "tests/support/test_runner.h"
#include "widgets/config/labels/severity_marks.h"
#include "widgets/config/launch/launch_panel.h"
#include "widgets/config/model/recipe_model.h"
#include "widgets/config/page/config_page.h"
#include "widgets/config/page/info_pane.h"
#include "widgets/config/page/recipe_text_pane.h"
#include "widgets/config/plan/plan_panel.h"
#include "widgets/config/plan/plan_request.h"
#include "widgets/config/plan/plan_text.h"
#include "widgets/config/plan/speed_measurement.h"
#include "widgets/config/problems/problem_list.h"
#include "widgets/config/problems/problem_model.h"
#include "widgets/config/sync/sync_card.h"
#include "widgets/config/sync/sync_card_row.h"
#include "widgets/config/sync/sync_value_box.h"
#include "widgets/config/tree/recipe_view.h"
#include "widgets/controls/clamped_label.h"
#include "widgets/main_window/settings/window_language.h"
#include "widgets/theme/theme.h"

#include <QClipboard>
#include <QComboBox>
#include <QDir>
#include <QFile>
#include <QFileDialog>
#include <QFileInfo>
#include <QFontInfo>
#include <QGuiApplication>
#include <QLabel>
#include <QLocale>
#include <QPushButton>
#include <QScrollBar>
#include <QSignalSpy>
#include <QSpinBox>
#include <QTemporaryDir>
#include <QTest>
#include <QToolButton>
#include <QTreeWidget>

#include <algorithm>

using namespace rankscope::ui;

/// A plan whose number of ranks is the recipe's `devices`.
static const char* const kPlan =
    "echo \"$@\" >> \"$(dirname \"$0\")/asked\"; pwd >> \"$(dirname \"$0\")/where\"\n"
    "n=$(sed -n 's/^  devices: //p' \"$2\")\n"
    "printf '{\"ranks\": %s, \"collectives\": [{\"tag\": \"sync_max_audio_length\", \"op\": \"all-reduce\", \"phase\": "
    "\"forward\", \"calls\": 2, \"bytes\": 8, \"blocks\": true}, {\"tag\": \"gradient\", \"op\": \"all-reduce\", "
    "\"calls\": 3, \"bytes\": 4000000, \"certain\": false}], \"model\": {\"trainable\": 1234567}, \"memory\": "
    "{\"total\": "
    "5000000000, \"available\": 4000000000}, \"train\": {\"batches_per_rank\": 12, \"padding_share\": 0.25}}' \"$n\"\n";

class DryRunTest : public QObject {
    Q_OBJECT

private slots:
    void initTestCase() { Theme::instance().apply(Theme::Mode::Light); }

    void init() {
        m_dir = std::make_unique<QTemporaryDir>();
        m_file = m_dir->filePath(QStringLiteral("recipe.yaml"));
        QFile file(m_file);
        QVERIFY(file.open(QIODevice::WriteOnly));
        file.write("name: test\ntrainer:\n  devices: 2\n  max_steps: 10\n"
                   "model:\n  train_ds:\n    manifest_filepath: train.json\n");
        file.close();
        QDir::setCurrent(m_dir->path());
        m_page = std::make_unique<ConfigPage>();
        m_page->resize(1200, 760);
        m_page->show();
    }
    void cleanup() {
        m_page.reset();
        qunsetenv("RANKSCOPECTL");
    }

    void figuresAndCosts() {
        script(kPlan);
        openOk();
        QTRY_COMPARE(run()->state(), PlanRequest::PlanState::Ready);
        QCOMPARE(run()->ranks(), 2);
        const auto shown = [&](int card, const char* calls, const char* rest) { // the plural is the translation's
            const QString text = cost(card);
            return text.startsWith(QLatin1String(calls)) && text.endsWith(QLatin1String(rest));
        };
        QVERIFY2(shown(0, "2 collective", ", 8 B per step; can hang"), qPrintable(cost(0)));
        QVERIFY2(cost(1).startsWith(QStringLiteral("≈ 3 collective")) && shown(1, "", ", 4.00 MB per step; can hang"),
                 qPrintable(cost(1)));
        QCOMPARE(cost(2), QStringLiteral("no collective"));
        QVERIFY(read("where").contains(QFileInfo(m_dir->path()).canonicalFilePath().toUtf8()));
        bool tooMuch = false;
        for (const PlanLine& line : planLines(*run()))
            tooMuch = tooMuch ||
                      (line.kind == PlanLine::PlanLineKind::Problem && line.value.contains(QStringLiteral("memory")));
        QVERIFY(tooMuch);
        QVERIFY(m_page->textPane()->info()->dryRun()->findChild<QTreeWidget*>()->topLevelItemCount() > 5);
    }

    void nothingOutdatedIsShown() {
        script(kPlan);
        openOk();
        QTRY_COMPARE(run()->state(), PlanRequest::PlanState::Ready);
        QSignalSpy changed(run(), &PlanRequest::changed);
        edit("trainer.devices", "3");
        QCOMPARE(run()->state(), PlanRequest::PlanState::Working); // immediately, before anything was computed
        QVERIFY(run()->plan().isEmpty());
        QCOMPARE(cost(0), QStringLiteral("Cost: planning…"));
        QTRY_COMPARE(run()->state(), PlanRequest::PlanState::Ready);
        QCOMPARE(run()->ranks(), 3);
        // a late answer belongs to a recipe that has changed since
        script(QByteArray("n=$(sed -n 's/^  devices: //p' \"$2\"); if [ \"$n\" = 5 ]; then exec sleep 600; fi\n") +
               kPlan);
        edit("trainer.devices", "5");
        QTRY_VERIFY(m_page->isComplete());
        QTest::qWait(400); // until it has been requested
        edit("trainer.devices", "4");
        QTRY_COMPARE(run()->state(), PlanRequest::PlanState::Ready);
        QCOMPARE(run()->ranks(), 4);
    }

    void ranksAndOverridesArePlanned() {
        script(kPlan);
        openOk();
        m_page->launchPanel()->findChild<QSpinBox*>()->setValue(7);
        QTRY_COMPARE(run()->state(), PlanRequest::PlanState::Ready);
        QTRY_VERIFY(read("asked").contains("--ranks 7"));
        QVERIFY(read("asked").contains("--json"));
    }

    void aManifestThatIsWrittenIsPlannedAnew() {
        QFile manifest(m_dir->filePath(QStringLiteral("train.json")));
        QVERIFY(manifest.open(QIODevice::WriteOnly));
        manifest.write("{}\n");
        manifest.flush();
        script(kPlan);
        openOk();
        QTRY_COMPARE(run()->state(), PlanRequest::PlanState::Ready);
        const auto before = read("asked").count('\n');
        manifest.write("{}\n");
        manifest.flush();
        QTRY_VERIFY(read("asked").count('\n') > before);
        QTRY_COMPARE(run()->state(), PlanRequest::PlanState::Ready);
    }

    void whatALaunchWouldRefuseIsSaid() {
        script("echo \"rankscopectl: $2:3:12: trainer.devices: 2 GPUs asked for, none present\" >&2; exit 2");
        openOk();
        QTRY_COMPARE(run()->state(), PlanRequest::PlanState::Failed);
        const QString said = QString::fromStdString(run()->problem().english());
        QCOMPARE(said, QStringLiteral("recipe.yaml:3:12: trainer.devices: 2 GPUs asked for, none present"));
        QCOMPARE(m_page->textPane()->info()->dryRun()->findChild<QLabel*>(QStringLiteral("state"))->text(), said);
        script("echo nonsense");
        edit("trainer.devices", "6");
        QTRY_VERIFY(run()->problem().english().find("not a plan") != std::string::npos);
        edit("trainer.devices", "[");
        QVERIFY(m_page->file()->bytes().find("devices: 6") != std::string::npos);
        edit("trainer.sync_batchnorm", "7.5"); // an error in the recipe itself: nothing can be planned
        QTRY_COMPARE(run()->state(), PlanRequest::PlanState::None);
    }

    /// NeMo's own YAML leaves the manifest unset: everything else is planned, and only the launch is disabled.
    void anOpenManifestIsNoObstacleToThePlan() {
        qputenv("RANKSCOPECTL", qEnvironmentVariable("RANKSCOPE_REAL_CTL").toLocal8Bit());
        m_page->open(QStringLiteral(RANKSCOPE_SOURCE_DIR "/tests/data/nemo/conf/nest_fast-conformer.yaml"));
        m_page->launchPanel()->findChild<QSpinBox*>()->setValue(2);
        QTRY_COMPARE_WITH_TIMEOUT(run()->state(), PlanRequest::PlanState::Ready, 60000);
        QVERIFY(cost(0).contains(QStringLiteral("can hang")));
        QVERIFY(planLines(*run()).size() > 15);
        QPushButton* launch = nullptr;
        for (auto* one : m_page->launchPanel()->findChildren<QPushButton*>())
            launch = one;
        QVERIFY(launch && !launch->isEnabled());
        // the button of a row opens a file dialog, and the chosen file is set
        ProblemList* list = m_page->textPane()->info()->problemList();
        m_page->textPane()->info()->showTab(InfoPane::Problems);
        QModelIndex row;
        for (int i = 0; i < m_page->textPane()->info()->problems()->rowCount() && !row.isValid(); ++i)
            if (m_page->textPane()->info()->problems()->index(i).data(ProblemModel::ManifestRole).toBool())
                row = m_page->textPane()->info()->problems()->index(i);
        QVERIFY(row.isValid());
        QCOMPARE(row.data(ProblemModel::ActionRole).toString(), QStringLiteral("Choose manifest…"));
        list->scrollTo(row);
        QTest::mouseClick(list->viewport(), Qt::LeftButton, {},
                          list->visualRect(row).bottomLeft() + QPoint(50, -14)); // its button
        auto* dialog = m_page->findChild<QFileDialog*>(QStringLiteral("chooseManifest"));
        QVERIFY(dialog);
        const QString manifest = m_dir->filePath(QStringLiteral("my train.json"));
        emit dialog->fileSelected(manifest);
        dialog->close();
        QTRY_VERIFY(m_page->isComplete());
        QCOMPARE(m_page->file()->evaluation()->find("model.train_ds.manifest_filepath")->effective,
                 std::optional<std::string>("my train.json")); // relative to the working folder
    }

    /// One press sets both keys, one undo reverts both.
    void aRemedyOfTwoKeysIsOneStep() {
        script("printf '{\"ranks\": 2, \"collectives\": [], \"risks\": [{\"id\": \"memory-short\", \"key\": "
               "\"model.train_ds.batch_size\", \"reason\": \"r\", \"set\": {\"key\": \"model.train_ds.batch_size\", "
               "\"value\": \"2\"}, \"also\": [{\"key\": \"trainer.accumulate_grad_batches\", \"value\": \"4\"}]}]}'");
        openOk();
        QTRY_COMPARE(run()->state(), PlanRequest::PlanState::Ready);
        const std::string before = m_page->file()->bytes();
        m_page->textPane()->info()->showTab(InfoPane::Problems);
        ProblemList* list = m_page->textPane()->info()->problemList();
        const auto remedy = [&] {
            for (int i = 0; i < m_page->textPane()->info()->problems()->rowCount(); ++i)
                if (m_page->textPane()->info()->problems()->index(i).data(ProblemModel::KeyRole) ==
                    QStringLiteral("model.train_ds.batch_size"))
                    return m_page->textPane()->info()->problems()->index(i);
            return QModelIndex();
        };
        QVERIFY(remedy().isValid());
        list->setCurrentIndex(remedy());
        list->setFocus();
        QTest::keyClick(list, Qt::Key_Space); // works like the mouse
        const std::string after = m_page->file()->bytes();
        QVERIFY(after.find("batch_size: 2") != std::string::npos);
        QVERIFY(after.find("accumulate_grad_batches: 4") != std::string::npos);
        m_page->file()->undoStack()->undo();
        QCOMPARE(m_page->file()->bytes(), before);
    }

    /// With one rank no card mentions waiting, whatever the setting.
    void cardsOfOneRankAgreeWithThemselves() {
        script("printf '{\"ranks\": 1, \"collectives\": [], \"risks\": []}'");
        openOk();
        QTRY_COMPARE(run()->state(), PlanRequest::PlanState::Ready);
        for (int i = 0; i < 3; ++i) {
            QCOMPARE(cost(i), QStringLiteral("One rank here"));
            QVERIFY2(m_page->cards()
                         ->card(i)
                         ->findChild<ClampedLabel*>(QStringLiteral("effect"))
                         ->text()
                         .startsWith(QStringLiteral("With only one rank")),
                     qPrintable(m_page->cards()->card(i)->findChild<ClampedLabel*>(QStringLiteral("effect"))->text()));
        }
    }

    /// A problem's sentence is in the list alone: the card states the effect, and its link selects the problem.
    void cardsLeaveProblemsToTheList() {
        const QString sync = QStringLiteral("model.encoder.sync_max_audio_length");
        script("printf '{\"ranks\": 2, \"collectives\": [{\"tag\": \"sync_max_audio_length\", \"calls\": 1, \"bytes\": "
               "4, \"blocks\": true}], \"risks\": [{\"id\": \"length-sync-blocks\", \"key\": "
               "\"model.encoder.sync_max_audio_length\", \"reason\": \"holds up all\"}, {\"id\": "
               "\"syncbn-without-batch-norm\", \"key\": \"trainer.sync_batchnorm\", \"reason\": \"no norm\"}]}'");
        openOk();
        edit("model.encoder.sync_max_audio_length", "true");
        edit("trainer.sync_batchnorm", "true");
        QTRY_VERIFY(m_page->isComplete() && run()->state() == PlanRequest::PlanState::Ready);
        const auto effect = [this](int card) {
            return m_page->cards()->card(card)->findChild<ClampedLabel*>(QStringLiteral("effect"))->text();
        };
        const auto link = [this](int card) {
            return m_page->cards()->card(card)->findChild<QToolButton*>(QStringLiteral("toProblems"));
        };
        QVERIFY2(effect(0).startsWith(QStringLiteral("Adds a blocking all-reduce")), qPrintable(effect(0)));
        QCOMPARE(effect(2), QStringLiteral("In this recipe, this setting has no effect."));
        QVERIFY(link(0)->isVisible() && !link(1)->isVisible() && link(2)->isVisible());
        QVERIFY(link(0)->text().contains(QStringLiteral("1 problem")));
        m_page->textPane()->showTab(InfoPane::Key);
        link(0)->click();
        const InfoPane* info = m_page->textPane()->info();
        QCOMPARE(info->currentWidget(), info->problemList());
        QCOMPARE(info->problemList()->currentIndex().data(ProblemModel::KeyRole).toString(), sync);
        QVERIFY(info->problemList()->currentIndex().data().toString().contains(QStringLiteral("holds up all")));
        // the mark is that of the listed problem, also where no rank can hang
        const auto labels = m_page->cards()->card(2)->findChildren<QLabel*>();
        QVERIFY(std::any_of(labels.begin(), labels.end(), [](const QLabel* label) {
            return label->isVisible() && label->pixmap().toImage() == markPixmap(MarkSeverity::Caution).toImage();
        }));
    }

    /// The page below the cards does not move when a value changes, and they fold to value and cost.
    void cardsKeepTheirHeight() {
        script(kPlan);
        openOk();
        QTRY_COMPARE(run()->state(), PlanRequest::PlanState::Ready);
        const int height = m_page->cards()->height();
        for (const char* value : {"false", "true", "false"}) {
            edit("model.encoder.sync_max_audio_length", value);
            QTRY_VERIFY(m_page->isComplete());
            QTRY_COMPARE(run()->state(), PlanRequest::PlanState::Ready);
            QCOMPARE(m_page->cards()->height(), height);
        }
        auto* fold = m_page->cards()->findChild<QToolButton*>(QStringLiteral("foldCards"));
        QVERIFY(fold);
        QTest::mouseClick(fold, Qt::LeftButton);
        QTRY_VERIFY2(m_page->cards()->height() < 80, QByteArray::number(m_page->cards()->height()));
        QVERIFY(m_page->cards()->card(0)->editor()->isVisible());
        QVERIFY(cost(0).contains(QStringLiteral("can hang")));
        const QByteArray layout = m_page->saveLayout();
        QTest::mouseClick(fold, Qt::LeftButton);
        QTRY_COMPARE(m_page->cards()->height(), height);
        m_page->restoreLayout(layout);
        QTRY_VERIFY(m_page->cards()->height() < 80);
    }

    void whatDoesNotFitHasAToolTip() {
        ClampedLabel label(1);
        label.show();
        label.resize(60, 20);
        label.setText(QStringLiteral("18 collectives, 1.44 MB per step; can hang"));
        QVERIFY(label.lines().last().endsWith(QChar(0x2026)));
        QVERIFY(label.toolTip().contains(QStringLiteral("can hang")));
        label.resize(900, 20);
        QVERIFY(label.toolTip().isEmpty());
        ClampedLabel two(2);
        const int height = two.sizeHint().height();
        two.setText(QString(400, QLatin1Char('x')));
        QCOMPARE(two.sizeHint().height(), height);
    }

    /// The lines to copy name the user's recipe, not the copy that was planned.
    void startLinesNameTheRecipe() {
        qputenv("RANKSCOPECTL", qEnvironmentVariable("RANKSCOPE_REAL_CTL").toLocal8Bit());
        const QString path = QStringLiteral(RANKSCOPE_SOURCE_DIR "/configs/nest_large.yaml");
        m_page->open(path);
        m_page->launchPanel()->setMachine(QStringLiteral("8xH100"));
        QTRY_VERIFY_WITH_TIMEOUT(run()->state() == PlanRequest::PlanState::Ready && !run()->machine().isEmpty(), 60000);
        QCOMPARE(run()->machine(), QStringLiteral("8 x H100 80 GB"));
        QCOMPARE(run()->ranks(), 8);
        QVERIFY(!run()->startLines().isEmpty());
        for (const auto& [program, command] : run()->startLines())
            QVERIFY2(command.contains(path) && !command.contains(QStringLiteral("rankscope-plan-")),
                     qPrintable(command));
        auto* copy = m_page->textPane()->info()->dryRun()->findChild<QToolButton*>(QStringLiteral("copy-torchrun"));
        QVERIFY(copy);
        copy->click();
        QVERIFY(QGuiApplication::clipboard()->text().contains(QStringLiteral("--nproc-per-node 8")));
    }

    /// A command is on as many lines as it needs, and the button next to its program looks like every copy button.
    void aStartLineIsReadAndCopiedWhole() {
        const QString command = QStringLiteral("torchrun --nnodes 1 --nproc-per-node 8 rankscope-trainer launch "
                                               "/work/recipes/large/nest_large_of_the_second_week.yaml "
                                               "trainer.max_steps=100000 model.train_ds.batch_size=16");
        script("printf '{\"ranks\": 8, \"collectives\": [], \"start\": [{\"program\": \"torchrun\", \"command\": \"" +
               command.toUtf8() + "\"}]}'");
        openOk();
        QTRY_COMPARE(run()->state(), PlanRequest::PlanState::Ready);
        m_page->textPane()->info()->showTab(InfoPane::Plan);
        QCoreApplication::processEvents();
        const auto* list = m_page->textPane()->info()->dryRun()->findChild<QTreeWidget*>();
        const QList<QTreeWidgetItem*> found = list->findItems(command, Qt::MatchExactly);
        QCOMPARE(found.size(), 1);
        QVERIFY(QFontInfo(found.front()->font(0)).fixedPitch());
        const QFontMetrics metrics(found.front()->font(0));
        const QRect row = list->visualItemRect(found.front());
        QVERIFY2(metrics.horizontalAdvance(command) > list->viewport()->width(),
                 "the command must not fit on one line");
        QVERIFY2(row.height() * list->viewport()->width() > metrics.horizontalAdvance(command) * metrics.height(),
                 qPrintable(QString::number(row.height())));
        auto* copy = list->findChild<QToolButton*>(QStringLiteral("copy-torchrun"));
        QVERIFY(copy && !copy->icon().isNull() && copy->text().isEmpty());
        QCOMPARE(copy->accessibleName(), QStringLiteral("Copy torchrun"));
        copy->click();
        QCOMPARE(QGuiApplication::clipboard()->text(), command);
        QVERIFY(m_page->window()->findChild<QLabel*>(QStringLiteral("copiedNote")));
    }

    /// Measures steps of the real trainer on request: progress, the result next to the time per epoch, and its source.
    void theTimeOfAnEpochIsMeasured() {
        script(QByteArray("case \"$*\" in *--calibrate*)\n") +
               "printf '{\"event\": \"measuring\", \"step\": 7, \"of\": 23}\\n' >&2\n"
               "until [ -e \"$(dirname \"$0\")/go\" ]; do sleep 0.05; done\n"
               "printf '{\"collectives\": [], \"speed\": {\"measured_steps\": 20, \"step_s\": 0.5, \"epoch_s\": 60, "
               "\"audio_per_second\": 36, \"of_manifest\": true}}'; exit 0;; esac\n" +
               kPlan);
        openOk();
        QTRY_COMPARE(run()->state(), PlanRequest::PlanState::Ready);
        QVERIFY(row(QStringLiteral("Time per epoch")).value.contains(QStringLiteral("not known")));
        measureButton();
        QTreeWidget* list = m_page->textPane()->info()->dryRun()->findChild<QTreeWidget*>();
        list->scrollToBottom();
        QVERIFY(list->verticalScrollBar()->value() > 0);
        QTest::mouseClick(measureButton(), Qt::LeftButton);
        QTRY_VERIFY(run()->measurement()->of() == 23);
        QVERIFY(list->verticalScrollBar()->value() > 0); // the clicked item stays in view
        QVERIFY(!measureButton()->visibleRegion().isEmpty());
        QTRY_VERIFY(panelSays(QStringLiteral("measuring, step 7 of 23")));
        QCOMPARE(measureButton()->text(), QStringLiteral("Cancel"));
        QVERIFY(QFile(m_dir->filePath(QStringLiteral("go"))).open(QIODevice::WriteOnly));
        QTRY_COMPARE(row(QStringLiteral("Time per epoch")).value, QStringLiteral("60.0 s"));
        QVERIFY(row(QStringLiteral("Based on"))
                    .value.startsWith(QStringLiteral("measured just now on this machine, 20 step")));
        QVERIFY(planFacts(*run()).join(QLatin1Char(' ')).contains(QStringLiteral("60.0 s")));
        QTRY_COMPARE(measureButton()->text(), QStringLiteral("Measure"));
    }

    /// A cancelled measurement gets SIGTERM, because it must remove its folder; another recipe cancels it, too.
    void aMeasurementIsCalledOff() {
        script(QByteArray("case \"$*\" in *--calibrate*)\n") +
               "trap 'touch \"$(dirname \"$0\")/left\"; exit 2' TERM\n"
               "printf '{\"event\": \"measuring\", \"step\": 1, \"of\": 23}\\n' >&2\n"
               "while :; do sleep 0.05; done;; esac\n" +
               kPlan);
        openOk();
        const auto left = [&] { return QFile::exists(m_dir->filePath(QStringLiteral("left"))); };
        for (const bool byButton : {true, false}) {
            QTRY_COMPARE(run()->state(), PlanRequest::PlanState::Ready);
            QFile::remove(m_dir->filePath(QStringLiteral("left")));
            QTest::mouseClick(measureButton(), Qt::LeftButton);
            QTRY_COMPARE(run()->measurement()->step(), 1);
            if (byButton)
                QTest::mouseClick(measureButton(), Qt::LeftButton);
            else
                edit("trainer.max_steps", "20");
            QTRY_VERIFY(left());
            QVERIFY(!run()->measurement()->isRunning());
        }
        QTRY_COMPARE(run()->state(), PlanRequest::PlanState::Ready);
        QVERIFY(row(QStringLiteral("Time per epoch")).value.contains(QStringLiteral("not known")));
    }

    void whyItWasNotMeasured() {
        script(QByteArray("case \"$*\" in *--calibrate*)\n") +
               "echo 'rankscopectl: the measurement: ended: rank 0 was killed by SIGKILL' >&2; exit 2;; esac\n" +
               kPlan);
        openOk();
        QTRY_COMPARE(run()->state(), PlanRequest::PlanState::Ready);
        QTest::mouseClick(measureButton(), Qt::LeftButton);
        const auto told = [&] {
            const auto lines = planLines(*run());
            return std::any_of(lines.begin(), lines.end(), [](const PlanLine& line) {
                return line.kind == PlanLine::PlanLineKind::Problem && line.value.contains(QStringLiteral("SIGKILL"));
            });
        };
        QTRY_VERIFY(told());
        m_page->launchPanel()->setMachine(QStringLiteral("8xH100")); // another machine
        QTRY_VERIFY(!told());
    }

    void theRealOneAnswers() {
        qputenv("RANKSCOPECTL", qEnvironmentVariable("RANKSCOPE_REAL_CTL").toLocal8Bit());
        m_page->open(QStringLiteral(RANKSCOPE_SOURCE_DIR "/configs/quickstart.yaml"));
        QTRY_VERIFY_WITH_TIMEOUT(
            run()->state() == PlanRequest::PlanState::Ready || run()->state() == PlanRequest::PlanState::Failed, 60000);
        QVERIFY2(run()->state() == PlanRequest::PlanState::Ready, run()->problem().english().c_str());
        QCOMPARE(run()->ranks(), 2);
        QVERIFY(run()->cost(QStringLiteral("sync_max_audio_length")).calls >= 1);
        QVERIFY(run()->cost(QStringLiteral("gradient")).bytes > 1000);
        QVERIFY(run()->cost(QStringLiteral("sync_batchnorm")).calls > 0);
        // NeMo's step next to ours: it broadcasts buffers in spite of SyncBN
        const auto lines = planLines(*run());
        const auto nemo = std::find_if(lines.begin(), lines.end(), [](const PlanLine& line) {
            return line.kind == PlanLine::PlanLineKind::Section &&
                   line.label == QStringLiteral("The same step in NeMo");
        });
        QVERIFY(std::distance(nemo, lines.end()) > 2);
        const PlanLine& obstacle = *(nemo + 1);
        QCOMPARE(obstacle.kind, PlanLine::PlanLineKind::Problem);
        QVERIFY2(obstacle.value.contains(QStringLiteral("SyncBatchNorm")), qPrintable(obstacle.value));
        const PlanLine& buffers = *(nemo + 2);
        QCOMPARE(buffers.label, QStringLiteral("broadcast:buffers"));
        QVERIFY2(buffers.value.contains(QLocale().toString(9999 * 64 + 3 * 2 * 64 + 20960)), qPrintable(buffers.value));
        QVERIFY2(buffers.detail.contains(QStringLiteral("9,999 x 64 (position table)")), qPrintable(buffers.detail));
        QVERIFY(std::none_of(lines.begin(), nemo,
                             [](const PlanLine& line) { return line.label == QStringLiteral("broadcast:buffers"); }));
        const QString before = cost(0);
        QVERIFY(before.contains(QStringLiteral("can hang")));
        edit("model.encoder.sync_max_audio_length", "false");
        QTRY_COMPARE_WITH_TIMEOUT(cost(0), QStringLiteral("no collective"), 60000);
        for (const PlanLine& line : planLines(*run()))
            QVERIFY2(line.kind == PlanLine::PlanLineKind::Problem || !line.label.isEmpty(), qPrintable(line.value));
    }
    void oneBatchIsSingular() {
        setLanguage(QStringLiteral("en")); // its translation has the plurals
        script("printf '{\"ranks\": 2, \"collectives\": [], \"train\": {\"batches_per_rank\": 1}}'");
        openOk();
        QTRY_COMPARE(run()->state(), PlanRequest::PlanState::Ready);
        const QStringList facts = planFacts(*run());
        QVERIFY2(facts.contains(QStringLiteral("1 batch per rank and epoch")), qPrintable(facts.join(u'|')));
    }

private:
    PlanRequest* run() const { return m_page->dryRun(); }
    QString cost(int card) const {
        return m_page->cards()->card(card)->findChild<ClampedLabel*>(QStringLiteral("cost"))->text();
    }
    void openOk() {
        m_page->open(m_file);
        QTRY_VERIFY(m_page->isComplete());
    }
    PlanLine row(const QString& label) const {
        for (const PlanLine& line : planLines(*run()))
            if (line.label == label)
                return line;
        return {};
    }
    QToolButton* measureButton() const {
        m_page->textPane()->info()->showTab(InfoPane::Plan);
        QToolButton* found = nullptr;
        const auto look = [&] {
            for (auto* one :
                 m_page->textPane()->info()->dryRun()->findChildren<QToolButton*>(QStringLiteral("measure")))
                found = one; // the newest
            return found != nullptr;
        };
        if (!QTest::qWaitFor(look, 5000))
            qFatal("there is no button Measure");
        QCoreApplication::sendPostedEvents(nullptr, QEvent::DeferredDelete);
        look();
        return found;
    }
    bool panelSays(const QString& text) const {
        const auto labels = m_page->textPane()->info()->dryRun()->findChildren<QLabel*>();
        return std::any_of(labels.begin(), labels.end(), [&](const QLabel* one) { return one->text() == text; });
    }
    void edit(const char* key, const char* value) {
        emit m_page->recipe()->model()->editRequested(QLatin1String(key), QLatin1String(value));
    }
    void script(const QByteArray& text) {
        const QString path = m_dir->filePath(QStringLiteral("rankscopectl"));
        QFile file(path + QStringLiteral(".new"));
        QVERIFY(file.open(QIODevice::WriteOnly));
        file.write("#!/bin/sh\n" + text);
        file.setPermissions(QFile::ReadOwner | QFile::WriteOwner | QFile::ExeOwner);
        file.close();
        QFile::remove(path);
        QVERIFY(file.rename(path));
        qputenv("RANKSCOPECTL", path.toLocal8Bit());
    }
    QByteArray read(const char* name) const {
        QFile file(m_dir->filePath(QLatin1String(name)));
        return file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray();
    }

    std::unique_ptr<QTemporaryDir> m_dir;
    QString m_file;
    std::unique_ptr<ConfigPage> m_page;
};

RANKSCOPE_GUI_TEST(DryRunTest)
#include "tst_plan_pane.moc"
