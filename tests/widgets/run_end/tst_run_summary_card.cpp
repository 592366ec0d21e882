// SPDX-License-Identifier: GPL-3.0-or-later
// A finished run shows its weights and how to load them; a stopped run shows how to continue.
#include "tests/support/test_runner.h"
#include "tests/widgets/review/review_shown.h"
#include "tests/widgets/run_end/checkpoint_files.h"
#include "widgets/controls/copy_line.h"
#include "widgets/run_end/run_end_controller.h"
#include "widgets/run_end/run_summary_card.h"

#include <QApplication>
#include <QClipboard>
#include <QLocale>
#include <QPushButton>
#include <QSignalSpy>
#include <QToolButton>

using namespace rankscope;
using namespace rankscope::ui;
using test::Shown;
using test::SyntheticRun;

/// Returns whether the mark next to the title has the colour of what went well.
static bool looksGood(RunSummaryCard* card) {
    const QImage mark = card->grab(QRect(12, 0, 14, 40)).toImage();
    for (int y = 0; y < mark.height(); ++y)
        for (int x = 0; x < mark.width(); ++x)
            if (mark.pixelColor(x, y) == Theme::instance().palette().good)
                return true;
    return false;
}

class EndCardTest : public QObject {
    Q_OBJECT
private slots:
    void initTestCase() {
        QLocale::setDefault(QLocale::English);
        Theme::instance().apply(Theme::Mode::Light);
    }

    void aFinishedRun() {
        auto run = std::make_unique<SyntheticRun>(2, launch::RunState::Running, 120);
        run->addSteps(100, test::describe);
        run->addValidation(4.25);
        run->addSteps(20, test::describe);
        run->addValidation(5.5);
        run->addEnds(telemetry::EndCause::Finished);
        run->finishStore();
        test::writeEffective(run->paths());
        test::writeCheckpoint(run->paths(), "last.safetensors", 120, "5.5");
        test::writeModelFile(run->paths(), "synthetic.nemo", 100); // with save_best_model
        run->setState(launch::RunState::Finished);
        Shown shown(*run);
        QVERIFY(shown.complete());
        auto* card = shown.page.findChild<RunSummaryCard*>();
        QVERIFY(card && card->isVisible());
        const QString text = card->asText();
        const QString file = QString::fromStdString((run->paths().checkpoints() / "synthetic.nemo").string());
        QVERIFY2(text.contains(QLatin1String("Finished after 120 steps")), qPrintable(text));
        QVERIFY(looksGood(card));
        QVERIFY2(text.contains(file + QLatin1String(" (after step 99, 2.05 kB)")), qPrintable(text));
        QVERIFY2(text.contains(QLatin1String("4.25 (step 99); the latest is 5.5 (step 119)")), qPrintable(text));
        QWidget* first = card->nextInFocusChain();
        while (!(first->focusPolicy() & Qt::TabFocus) || !first->isVisible())
            first = first->nextInFocusChain();
        QCOMPARE(first->objectName(), QStringLiteral("endExport")); // not the button that closes the card
        auto* load = card->findChild<CopyLine*>(QStringLiteral("endLoad"));
        QTest::mouseClick(load->findChild<QToolButton*>(), Qt::LeftButton);
        QCOMPARE(QApplication::clipboard()->text(),
                 QStringLiteral("from nemo.collections.asr.models import EncDecDenoiseMaskedTokenPredModel; model = "
                                "EncDecDenoiseMaskedTokenPredModel.restore_from(\"%1\", map_location=\"cpu\")")
                     .arg(file));
        QVERIFY(!card->findChild<QPushButton*>(QStringLiteral("endResume"))->isVisible());
        QSignalSpy exported(shown.page.ending(), &RunEndController::exportRequested);
        QTest::mouseClick(card->findChild<QPushButton*>(QStringLiteral("endExport")), Qt::LeftButton);
        QCOMPARE(exported.size(), 1);
        QCOMPARE(exported.front().front().toString(), file);
    }
    /// NeMo's own files and those of older versions do not say it.
    void theStepOfWeightsThatIsNotRecorded() {
        SyntheticRun run(2, launch::RunState::Running, 50);
        run.addSteps(50, test::describe);
        run.addEnds(telemetry::EndCause::Finished);
        run.finishStore();
        test::writeModelFile(run.paths(), "synthetic.nemo");
        run.setState(launch::RunState::Finished);
        Shown shown(run);
        QVERIFY(shown.complete());
        const QString text = shown.page.findChild<RunSummaryCard*>()->asText();
        QVERIFY2(text.contains(QLatin1String("(2.05 kB; after which step is not recorded)")), qPrintable(text));
    }
    void aStoppedRunSaysHowToGoOn() {
        SyntheticRun run(2, launch::RunState::Running, 400);
        run.addSteps(50, test::describe);
        run.addEnds(telemetry::EndCause::Stopped);
        run.finishStore();
        test::writeCheckpoint(run.paths(), "last.safetensors", 50);
        run.setState(launch::RunState::Stopped, "stopped by the user at step 49");
        Shown shown(run);
        QVERIFY(shown.complete());
        auto* card = shown.page.findChild<RunSummaryCard*>();
        QVERIFY(card && card->isVisible());
        const QString text = card->asText();
        QVERIFY2(text.contains(QLatin1String("Stopped after 50 of 400 steps")), qPrintable(text));
        QVERIFY2(text.contains(QLatin1String("continues at step 50")), qPrintable(text));
        QVERIFY2(text.contains(QLatin1String("no .nemo file was written")), qPrintable(text));
        auto* resume = card->findChild<QPushButton*>(QStringLiteral("endResume"));
        QVERIFY(resume->isVisible());
        QSignalSpy resumed(shown.page.ending(), &RunEndController::resumeRequested);
        QTest::mouseClick(resume, Qt::LeftButton);
        QCOMPARE(resumed.size(), 1);
        QVERIFY(shown.session->view().ranks[0].status.words.english() == "stopped after 50 steps");
    }
    void aStoppedRunWithoutACheckpointDoesNotLookFinished() {
        SyntheticRun run(2, launch::RunState::Running, 400);
        run.addSteps(50, test::describe);
        run.finishStore();
        run.setState(launch::RunState::Stopped, "stopped by the user at step 49");
        Shown shown(run);
        QVERIFY(shown.complete());
        auto* card = shown.page.findChild<RunSummaryCard*>();
        QVERIFY2(card->asText().contains(QLatin1String("It saved no checkpoint")), qPrintable(card->asText()));
        QVERIFY(!looksGood(card));
    }
    /// Resuming it again would make a second continuation, so the first one is offered before.
    void aRunThatWasResumedLeadsToTheNewOne() {
        SyntheticRun run(2, launch::RunState::Running, 400);
        run.addSteps(50, test::describe);
        run.addEnds(telemetry::EndCause::Stopped);
        run.finishStore();
        test::writeCheckpoint(run.paths(), "last.safetensors", 50);
        run.setState(launch::RunState::Stopped, "stopped by the user at step 49");
        Shown shown(run);
        QVERIFY(shown.complete());
        auto* card = shown.page.findChild<RunSummaryCard*>();
        auto* next = card->findChild<QPushButton*>(QStringLiteral("endNext"));
        auto* resume = card->findChild<QPushButton*>(QStringLiteral("endResume"));
        QVERIFY(!next->isVisible());
        QCOMPARE(resume->text(), QStringLiteral("Resume from step 50"));
        const QString dir = QStringLiteral("/runs/20260101-110000-nest-77b0");
        shown.page.ending()->setResumedBy(dir);
        QVERIFY2(card->asText().contains(QLatin1String("Run 77b0 was resumed from this one.")),
                 qPrintable(card->asText()));
        QVERIFY(next->isVisible());
        QCOMPARE(next->text(), QStringLiteral("Open run 77b0"));
        QCOMPARE(resume->text(), QStringLiteral("Resume again from step 50"));
        QTRY_VERIFY(next->x() + next->width() < resume->x());
        QSignalSpy wanted(shown.page.ending(), &RunEndController::runRequested);
        QTest::mouseClick(next, Qt::LeftButton);
        QCOMPARE(wanted.size(), 1);
        QCOMPARE(wanted.front().front().toString(), dir);
        shown.page.ending()->setResumedBy({}); // it is in the trash now
        QVERIFY(!next->isVisible());
        QCOMPARE(resume->text(), QStringLiteral("Resume from step 50"));
    }
    void nothingWhileItGoesOn() {
        SyntheticRun run(2, launch::RunState::Running, 400);
        run.addSteps(50, test::describe);
        Shown shown(run);
        QVERIFY(shown.complete());
        QVERIFY(!shown.page.findChild<RunSummaryCard*>()->isVisible());
        QVERIFY(!shown.page.ending()->hasEnding());
    }
};

RANKSCOPE_GUI_TEST(EndCardTest)
#include "tst_run_summary_card.moc"
