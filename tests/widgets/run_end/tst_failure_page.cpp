// SPDX-License-Identifier: GPL-3.0-or-later
// A failed run opens with the full cause; culprit and victims look different; the incident that ended the run is first.
#include "tests/support/test_runner.h"
#include "tests/widgets/review/review_shown.h"
#include "tests/widgets/run_end/checkpoint_files.h"
#include "widgets/controls/copy_line.h"
#include "widgets/incidents/incident_detail.h"
#include "widgets/incidents/incident_page.h"
#include "widgets/main_window/actions/actions.h"
#include "widgets/main_window/window/main_window.h"
#include "widgets/models/tables/incident_model.h"
#include "widgets/run_end/checkpoint_pane.h"
#include "widgets/run_end/failure_panel.h"
#include "widgets/run_end/run_end_controller.h"

#include <QLabel>
#include <QLocale>
#include <QPlainTextEdit>
#include <QPushButton>
#include <QScrollArea>
#include <QScrollBar>
#include <QSignalSpy>
#include <QTableView>
#include <QTemporaryDir>
#include <QToolButton>

#include <cmath>
#include <filesystem>

using namespace rankscope;
using namespace rankscope::ui;
using test::Shown;
using test::SyntheticRun;

namespace {

constexpr const char* kCause = "rank 1 ended with SIGKILL at step 120 while in backward";

std::unique_ptr<SyntheticRun> killed(std::int64_t steps = 120, const char* cause = kCause) {
    auto run = std::make_unique<SyntheticRun>(2, launch::RunState::Running, 400);
    run->addSteps(steps, test::describe);
    if (steps > 60)
        run->addIncident(1, diagnosis::Cause::DataLoading, 1, 60, 3'000'000'000);
    if (steps > 0)
        run->addIncident(2, diagnosis::Cause::Dead, 1, steps, 0);
    run->finishStore();
    run->writeLog(1, "2026-01-01 10:00:00.000 info rank 1: step 100\nout of luck\n");
    run->setState(launch::RunState::Failed, cause);
    return run;
}

} // namespace

class FailurePage : public QObject {
    Q_OBJECT
private slots:
    void initTestCase() {
        QLocale::setDefault(QLocale::English);
        Theme::instance().apply(Theme::Mode::Light);
    }

    void theBannerTellsAll() {
        const auto run = killed();
        test::writeCheckpoint(run->paths(), "last.safetensors", 100, "4.8");
        Shown shown(*run);
        QVERIFY(shown.complete());
        auto* panel = shown.page.findChild<FailurePanel*>();
        QVERIFY(panel && panel->isVisible());
        QCOMPARE(panel->findChild<QLabel*>(QStringLiteral("failureHeadline"))->text(),
                 QStringLiteral("Rank 1 ended with SIGKILL at step 120 while in backward."));
        const QString text = panel->asText();
        for (const char* part : {"Rank 0 ended because rank 1 did.", "last.safetensors, after step 99",
                                 "out-of-memory killer", "journalctl -k", "out of luck"})
            QVERIFY2(text.contains(QLatin1String(part)), qPrintable(text));
        auto* headline = panel->findChild<QLabel*>(QStringLiteral("failureHeadline"));
        QVERIFY(headline->wordWrap());
        // the last lines of a killed rank seldom say why, so they are folded
        auto* log = panel->findChild<QPlainTextEdit*>(QStringLiteral("failureLogLines"));
        QVERIFY(!log->isVisible());
    }
    void theLogOpensAtItsEnd() {
        const auto run = killed();
        QString lines;
        for (int line = 0; line < 40; ++line)
            lines += QStringLiteral("line %1\n").arg(line);
        run->writeLog(1, lines.toStdString());
        Shown shown(*run);
        QVERIFY(shown.complete());
        auto* log = shown.page.findChild<QPlainTextEdit*>(QStringLiteral("failureLogLines"));
        for (auto* fold : shown.page.findChild<FailurePanel*>()->findChildren<QToolButton*>())
            if (fold->text().startsWith(QLatin1String("Last lines")))
                fold->click();
        QTRY_VERIFY(log->isVisible() && log->verticalScrollBar()->maximum() > 0);
        QTRY_COMPARE(log->verticalScrollBar()->value(), log->verticalScrollBar()->maximum());
    }
    /// A run written by a version that called it finished and saved its weights as if they were good.
    void aRunWhoseLossIsNaN() {
        auto run = std::make_unique<SyntheticRun>(2, launch::RunState::Running, 100);
        run->addSteps(60, test::describe);
        run->addSteps(40, [](int rank, std::int64_t step) {
            auto nan = test::describe(rank, step);
            nan.loss = std::nan("");
            return nan;
        });
        run->addIncident(1, diagnosis::Cause::NotFinite, 1, 60, 0);
        run->addEnds(telemetry::EndCause::Finished);
        run->finishStore();
        test::writeEffective(run->paths());
        test::writeCheckpoint(run->paths(), "a.safetensors", 40, "4.1", "4.2");
        test::writeCheckpoint(run->paths(), "last.safetensors", 100, "nan", "nan");
        test::writeModelFile(run->paths(), "synthetic.nemo");
        run->setState(launch::RunState::Finished, "finished");
        Shown shown(*run);
        QVERIFY(shown.complete());
        auto* panel = shown.page.findChild<FailurePanel*>();
        QVERIFY(panel && panel->isVisible());
        QVERIFY2(panel->asText().startsWith(QLatin1String("The loss has been NaN since step 60, and nothing has been "
                                                          "learned since.")),
                 qPrintable(panel->asText()));
        QVERIFY2(panel->asText().contains(QLatin1String("from before that: a.safetensors, after step 39")),
                 qPrintable(panel->asText()));
        auto* resume = panel->findChild<QPushButton*>(QStringLiteral("failureResume"));
        QVERIFY(resume->isVisible());
        QCOMPARE(resume->text(), QStringLiteral("Resume from before it, step 40"));
        QVERIFY(shown.page.ending()->weightsFile().endsWith(QLatin1String("a.safetensors")));
        for (const RankTile& tile : shown.session->view().ranks)
            QCOMPARE(tile.status.state, diagnosis::RankState::Dead);
        // without a checkpoint from before the NaN there is nothing to resume from or to export
        std::filesystem::remove(run->paths().checkpoints() / "a.safetensors");
        Shown again(*run);
        QVERIFY(again.complete());
        QVERIFY(!again.session->view().resumable);
        QVERIFY(!again.page.findChild<QPushButton*>(QStringLiteral("failureResume"))->isVisible());
        QVERIFY(again.page.ending()->weightsFile().isEmpty());
    }
    void itsButtonsLeadOn() {
        const auto run = killed();
        test::writeCheckpoint(run->paths(), "last.safetensors", 100, "4.8");
        Shown shown(*run);
        QVERIFY(shown.complete());
        RunEndController* ending = shown.page.ending();
        QSignalSpy resumed(ending, &RunEndController::resumeRequested), log(ending, &RunEndController::logRequested),
            details(ending, &RunEndController::detailRequested);
        const auto click = [&](const char* name) {
            auto* button = shown.page.findChild<QPushButton*>(QLatin1String(name));
            QVERIFY2(button && button->isVisible() && button->isEnabled(), name);
            QTest::mouseClick(button, Qt::LeftButton);
        };
        QCOMPARE(shown.page.findChild<QPushButton*>(QStringLiteral("failureResume"))->text(),
                 QStringLiteral("Resume from step 100"));
        click("failureResume");
        click("failureLog");
        click("failureDetails");
        QCOMPARE(resumed.size(), 1);
        QCOMPARE(log.size(), 1);
        QCOMPARE(log.front().front().toInt(), 1);
        QCOMPARE(details.front().front().toLongLong(), 2);
    }
    void itIsClosedAndComesBack() {
        const auto run = killed();
        Shown shown(*run);
        QVERIFY(shown.complete());
        auto* panel = shown.page.findChild<FailurePanel*>();
        QSignalSpy changed(shown.page.ending(), &RunEndController::shownChanged);
        for (auto* button : panel->findChildren<QToolButton*>())
            if (button->accessibleName() == QLatin1String("Close"))
                QTest::mouseClick(button, Qt::LeftButton);
        QVERIFY(!panel->isVisible());
        QCOMPARE(changed.size(), 1);
        shown.page.ending()->setShown(true);
        QVERIFY(panel->isVisible());
    }
    /// If a run failed before its first step, the log explains it, and plots without data have no numbers.
    void aRunWithoutASingleStep() {
        const auto run =
            killed(0, "rank 1 ended with exit code 3 before its first step; its log ends with: out of luck");
        Shown shown(*run);
        QVERIFY(shown.complete());
        auto* log = shown.page.findChild<QPlainTextEdit*>(QStringLiteral("failureLogLines"));
        QVERIFY(log && log->isVisible());
        QVERIFY(log->toPlainText().contains(QLatin1String("out of luck")));
        QLabel* reason = nullptr;
        for (auto* label : shown.page.findChildren<QLabel*>())
            if (label->isVisible() && label->text().startsWith(QLatin1String("No curves:")))
                reason = label;
        QVERIFY(reason && reason->autoFillBackground());
        for (auto* plot : shown.plots()) {
            const QRect place(plot->mapTo(&shown.page, QPoint()), plot->size());
            const QRect cover(reason->mapTo(&shown.page, QPoint()), reason->size());
            QVERIFY(cover.contains(place));
        }
    }
    void culpritAndVictimLookDifferent() {
        const auto run = killed();
        Shown shown(*run);
        QVERIFY(shown.complete());
        const auto& ranks = shown.session->view().ranks;
        QVERIFY(ranks[1].status.state == diagnosis::RankState::Dead);
        QVERIFY(ranks[0].status.state == diagnosis::RankState::Unknown);
        QCOMPARE(ranks[0].status.words.english(), std::string("ended because rank 1 did"));
        QVERIFY(ranks[1].status.words.english().ends_with("at step 120"));
    }
    /// A long run that failed opens at its end, and its menu offers what it saved.
    void theWindowGoesToTheEnd() {
        QTemporaryDir home;
        const auto run = killed(400);
        test::writeModelFile(run->paths(), "synthetic.nemo");
        WindowOptions options;
        options.remember = false;
        options.runsDir = home.path();
        MainWindow window(options);
        window.resize(1200, 800);
        window.show();
        window.start();
        window.openRun(QString::fromStdString(run->paths().dir.string()));
        window.showPage(Page::Review);
        auto* page = window.findChild<ReviewPage*>();
        QTRY_VERIFY_WITH_TIMEOUT(window.isComplete() && page->seenSteps() && page->seenSteps()->first >= 195, 20'000);
        QCOMPARE(page->seenSteps()->second, 400);
        const auto& acts = *window.actions();
        QVERIFY(acts[ActionId::ExportWeights]->isEnabled());
        QVERIFY(acts[ActionId::ShowEnding]->isChecked());
        acts[ActionId::ShowEnding]->trigger();
        QVERIFY(!window.findChild<FailurePanel*>()->isVisible());
        acts[ActionId::ShowCheckpoints]->trigger();
        QVERIFY(window.findChild<CheckpointPane*>()->isVisible());
        QTest::keyClick(&window, Qt::Key_4, Qt::ControlModifier);
        acts[ActionId::ShowEnding]->trigger(); // shows the page with the ending
        QVERIFY(window.page() == Page::Review);
        QVERIFY(window.findChild<FailurePanel*>()->isVisible());
        QTest::mouseClick(window.findChild<QPushButton*>(QStringLiteral("failureDetails")), Qt::LeftButton);
        QVERIFY(window.page() == Page::Incidents);
    }
    void aSmallWindowKeepsThePlots() {
        QTemporaryDir home;
        const auto run = killed();
        WindowOptions options;
        options.remember = false;
        options.runsDir = home.path();
        MainWindow window(options);
        window.resize(900, 600);
        window.show();
        window.start();
        window.openRun(QString::fromStdString(run->paths().dir.string()));
        window.showPage(Page::Review);
        QTRY_VERIFY_WITH_TIMEOUT(window.isComplete(), 20'000);
        auto* panel = window.findChild<FailurePanel*>();
        QTRY_VERIFY(panel->isVisible());
        auto* log = panel->findChild<QPlainTextEdit*>(QStringLiteral("failureLogLines"));
        for (auto* fold : panel->findChildren<QToolButton*>())
            if (fold->text().contains(QStringLiteral("Last lines")))
                fold->click();
        QTRY_VERIFY(log->isVisible());
        QTest::qWait(50);
        QCOMPARE(window.size(), QSize(900, 600));
        QVERIFY2(panel->height() <= 300, qPrintable(QString::number(panel->height())));
        const auto* area = window.findChild<QScrollArea*>(QStringLiteral("plotsArea"));
        QVERIFY(area->viewport()->height() >= 40 && area->verticalScrollBar()->maximum() > 0);
        for (const auto* plot : window.findChildren<RankPlot*>())
            QVERIFY2(plot->height() >= 80, qPrintable(QString::number(plot->height())));
    }

    void whoWatchedItFailKeepsTheView() {
        QTemporaryDir home;
        SyntheticRun run(2, launch::RunState::Running, 400);
        run.addSteps(400, test::describe);
        WindowOptions options;
        options.remember = false;
        options.runsDir = home.path();
        MainWindow window(options);
        window.resize(1200, 800);
        window.show();
        window.start();
        window.openRun(QString::fromStdString(run.paths().dir.string()));
        window.showPage(Page::Review);
        auto* page = window.findChild<ReviewPage*>();
        QTRY_VERIFY_WITH_TIMEOUT(window.session()->view().step == 399 && page->seenSteps(), 20'000);
        QVERIFY(!window.findChild<FailurePanel*>()->isVisible());
        page->showSteps(10, 30);
        QTRY_COMPARE(page->seenSteps()->first, 10);
        run.addIncident(2, diagnosis::Cause::Dead, 1, 400, 0);
        run.finishStore();
        run.setState(launch::RunState::Failed, "rank 1 ended with SIGKILL at step 400 while in backward");
        QTRY_VERIFY_WITH_TIMEOUT(window.findChild<FailurePanel*>()->isVisible(), 10'000);
        QTRY_VERIFY(page->ending()->isComplete());
        QCOMPARE(page->seenSteps()->first, 10);
    }
    void theFatalIncidentIsFirstAndChosen() {
        const auto run = killed();
        RunSession session(run->paths());
        IncidentPage page;
        page.resize(1000, 700);
        page.show();
        page.setSession(&session);
        auto* table = page.findChild<QTableView*>();
        QTRY_COMPARE_WITH_TIMEOUT(table->model()->rowCount(), 2, 10'000);
        const auto at = [&](int row, int column) { return table->model()->index(row, column); };
        QTRY_COMPARE(table->currentIndex().row(), 0);
        QCOMPARE(at(0, IncidentModel::StateColumn).data().toString(), QStringLiteral("Ended the run"));
        QCOMPARE(at(0, IncidentModel::CauseColumn).data().toString(), QStringLiteral("Rank died"));
        QCOMPARE(at(0, 0).data(IncidentModel::MarkRole).toInt(), static_cast<int>(diagnosis::RankState::Dead));
        QCOMPARE(at(1, 0).data(IncidentModel::MarkRole).toInt(), static_cast<int>(diagnosis::RankState::Computing));
        // it comes first, because it ended the run, even if other incidents are newer
        table->sortByColumn(IncidentModel::StepColumn, Qt::AscendingOrder);
        table->sortByColumn(IncidentModel::SinceColumn, Qt::DescendingOrder);
        QCOMPARE(at(0, 0).data(IncidentModel::IdRole).toLongLong(), 2);
    }
};

RANKSCOPE_GUI_TEST(FailurePage)
#include "tst_failure_page.moc"
