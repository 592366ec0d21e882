// SPDX-License-Identifier: GPL-3.0-or-later
// All checkpoints of a run and the actions on each of them.
#include "tests/support/test_runner.h"
#include "tests/widgets/review/review_shown.h"
#include "tests/widgets/run_end/checkpoint_files.h"
#include "widgets/run_end/checkpoint_model.h"
#include "widgets/run_end/checkpoint_pane.h"
#include "widgets/run_end/run_end_controller.h"

#include <QLabel>
#include <QLocale>
#include <QPushButton>
#include <QSignalSpy>
#include <QTableView>
#include <QToolButton>

#include <fstream>

using namespace rankscope;
using namespace rankscope::ui;
using test::Shown;
using test::SyntheticRun;

class CheckpointPaneTest : public QObject {
    Q_OBJECT
    static std::unique_ptr<SyntheticRun> makeRun(launch::RunState state) {
        auto run = std::make_unique<SyntheticRun>(2, launch::RunState::Running, 400);
        run->addSteps(60, test::describe);
        run->finishStore();
        test::writeEffective(run->paths());
        test::writeCheckpoint(run->paths(), "a--val_loss=4.1-epoch=4.safetensors", 20, "4.125");
        test::writeCheckpoint(run->paths(), "a--val_loss=4.5-epoch=8.safetensors", 40, "4.5");
        test::writeCheckpoint(run->paths(), "last.safetensors", 60, "nan");
        std::ofstream(run->paths().checkpoints() / "cut.safetensors") << "abc";
        test::writeModelFile(run->paths(), "synthetic.nemo");
        run->setState(state, state == launch::RunState::Stopped ? "stopped by the user at step 59" : "");
        return run;
    }

private slots:
    void initTestCase() {
        QLocale::setDefault(QLocale::English);
        Theme::instance().apply(Theme::Mode::Light);
    }

    void listsThemAll() {
        const auto run = makeRun(launch::RunState::Stopped);
        Shown shown(*run);
        shown.page.showCheckpoints(true);
        QVERIFY(shown.complete());
        auto* pane = shown.page.findChild<CheckpointPane*>();
        QVERIFY(pane->isVisible());
        auto* table = pane->findChild<QTableView*>(QStringLiteral("checkpointTable"));
        QTRY_COMPARE(table->model()->rowCount(), 5);
        QStringList rows;
        for (int r = 0; r < 5; ++r) {
            QStringList cells;
            for (const int c : {CheckpointModel::StepColumn, CheckpointModel::LossColumn, CheckpointModel::MarkColumn})
                cells << table->model()->index(r, c).data().toString();
            rows << cells.join(u' ');
        }
        QCOMPARE(rows[0], QStringLiteral("59 – last"));
        QCOMPARE(rows[1], QStringLiteral("39 4.5000 "));
        QCOMPARE(rows[2], QStringLiteral("19 4.1250 best"));
        QVERIFY(rows.contains(QStringLiteral("– – cannot be used")));
        QVERIFY(rows.contains(QStringLiteral("– – for NeMo")));
    }
    void modelsSayWhichStepTheirWeightsAreOf() {
        launch::RunCheckpoints all;
        all.models = {{"known.nemo", 4, 0, 400}, {"foreign.nemo", 4, 0, -1}};
        CheckpointModel model;
        model.setCheckpoints(all);
        const QModelIndex known = model.index(0, CheckpointModel::StepColumn),
                          foreign = model.index(1, CheckpointModel::StepColumn);
        QCOMPARE(known.data().toString(), QStringLiteral("399")); // as the steps of validations are counted
        QCOMPARE(known.data(Qt::ToolTipRole).toString(), QStringLiteral("known.nemo"));
        QCOMPARE(foreign.data().toString(), QStringLiteral("–"));
        QVERIFY(foreign.data(Qt::ToolTipRole).toString().contains(QLatin1String("not recorded")));
    }
    /// Training continues after a failed checkpoint, so nothing else reports it.
    void thoseThatCouldNotBeWritten() {
        const auto run = makeRun(launch::RunState::Stopped);
        {
            Shown shown(*run);
            shown.page.showCheckpoints(true);
            QVERIFY(shown.complete());
            QVERIFY(shown.page.findChild<QLabel*>(QStringLiteral("checkpointFailed"))->isHidden());
        }
        auto store = store::RunWriter::reopen(run->paths().store());
        QVERIFY(store);
        telemetry::NoteRecord note;
        note.severity = telemetry::NoteSeverity::Error;
        std::vector<telemetry::AnyRecord> notes;
        for (const char* text : {"no checkpoint after 30 steps: a: cannot write: No space left on device",
                                 "checkpoint after 40 steps: a in 0.1 s",
                                 "no checkpoint after 1200 steps: b: cannot write: No space left on device"}) {
            telemetry::putText(note.text, sizeof note.text, text);
            notes.push_back(telemetry::AnyRecord::of(note));
        }
        QVERIFY(store->commit(std::vector<store::RunWriter::Chunk>{{0, notes, {}, {}}}, {}));
        QVERIFY(store->finish());
        Shown shown(*run);
        shown.page.showCheckpoints(true);
        QVERIFY(shown.complete());
        auto* failed = shown.page.findChild<QLabel*>(QStringLiteral("checkpointFailed"));
        QTRY_VERIFY(failed->isVisible());
        const QString text = failed->text();
        QVERIFY2(text.startsWith(QLatin1String("2 checkpoint")), qPrintable(text));
        QVERIFY2(text.endsWith(QLatin1String("could not be written. The newest was due after 1,200 steps: b: cannot "
                                             "write: No space left on device")),
                 qPrintable(text));
    }
    void actsOnTheOneThatIsChosen() {
        const auto run = makeRun(launch::RunState::Stopped);
        Shown shown(*run);
        shown.page.showCheckpoints(true);
        QVERIFY(shown.complete());
        auto* pane = shown.page.findChild<CheckpointPane*>();
        auto* exporting = pane->findChild<QPushButton*>(QStringLiteral("checkpointExport"));
        auto* resuming = pane->findChild<QPushButton*>(QStringLiteral("checkpointResume"));
        QSignalSpy exported(shown.page.ending(), &RunEndController::exportRequested),
            resumed(shown.page.ending(), &RunEndController::resumeRequested);
        pane->select(QStringLiteral("a--val_loss=4.1-epoch=4.safetensors"));
        QTest::mouseClick(exporting, Qt::LeftButton);
        QTest::mouseClick(resuming, Qt::LeftButton);
        QVERIFY(exported.front().front().toString().endsWith(QLatin1String("/a--val_loss=4.1-epoch=4.safetensors")));
        QCOMPARE(resumed.front().front().toString(), QStringLiteral("a--val_loss=4.1-epoch=4.safetensors"));
        pane->select(QStringLiteral("cut.safetensors"));
        QVERIFY(!exporting->isEnabled() && !resuming->isEnabled());
        pane->select(QStringLiteral("synthetic.nemo"));
        QVERIFY(exporting->isEnabled() && !resuming->isEnabled());
    }
    void isClosedWhereItWasOpened() {
        const auto run = makeRun(launch::RunState::Stopped);
        Shown shown(*run);
        QVERIFY(shown.complete());
        auto* pane = shown.page.findChild<CheckpointPane*>();
        QVERIFY(!pane->isVisible());
        for (const bool byButton : {true, false}) {
            emit shown.page.ending()->checkpointsRequested();
            QVERIFY(pane->isVisible());
            if (byButton)
                QTest::mouseClick(pane->findChild<QToolButton*>(QStringLiteral("checkpointClose")), Qt::LeftButton);
            else
                emit shown.page.ending()->checkpointsRequested();
            QVERIFY(!pane->isVisible() && !shown.page.checkpointsShown());
        }
    }
    void aLiveRunIsNotResumed() {
        const auto run = makeRun(launch::RunState::Running);
        Shown shown(*run);
        shown.page.showCheckpoints(true);
        auto* pane = shown.page.findChild<CheckpointPane*>();
        QTRY_VERIFY_WITH_TIMEOUT(!pane->current().isEmpty(), 10'000);
        QVERIFY(!pane->findChild<QPushButton*>(QStringLiteral("checkpointResume"))->isEnabled());
        QVERIFY(pane->findChild<QPushButton*>(QStringLiteral("checkpointExport"))->isEnabled());
    }
};

RANKSCOPE_GUI_TEST(CheckpointPaneTest)
#include "tst_checkpoint_pane.moc"
