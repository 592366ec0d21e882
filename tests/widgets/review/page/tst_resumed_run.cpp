// SPDX-License-Identifier: GPL-3.0-or-later
// A resumed run and the runs before it form one curve, over real stores and on the real page.
#include "core/base/values/clock.h"
#include "tests/support/test_runner.h"
#include "tests/widgets/review/review_shown.h"
#include "widgets/models/run/lineage_reader.h"
#include "widgets/models/run/run_observer.h"
#include "widgets/waits/waits_pane.h"

#include <QAction>
#include <QHelpEvent>
#include <QLabel>
#include <QMenu>
#include <QSignalSpy>
#include <QToolButton>

#include <filesystem>
#include <fstream>

using namespace rankscope;
using namespace rankscope::ui;
using namespace rankscope::test;

namespace {

constexpr int kFirstSteps = 120, kResumedAt = 80, kAllSteps = 160;
const std::string kFirstId = "20250131-110000-synthetic-aaaa", kMiddleId = "20250131-113000-synthetic-bbbb";

/// The loss identifies the run of a step.
auto lossOf(double base) {
    return [base](int rank, std::int64_t step) {
        RankStep s;
        s.loss = base + 0.1 * rank + 0.001 * static_cast<double>(step);
        s.frames = 400 + 100 * rank;
        s.lateNs = rank == 1 ? 20'000'000 : 0;
        return s;
    };
}

struct Chain {
    std::vector<std::unique_ptr<SyntheticRun>> earlier; ///< oldest first
    std::unique_ptr<SyntheticRun> run;
};

void end(SyntheticRun& run, RunState state) {
    run.addEnds(telemetry::EndCause::Finished);
    run.finishStore();
    run.setState(state);
}

/// Failed at step 119 with a checkpoint after step 79; incidents at step 30, and at step 100, which was discarded.
std::unique_ptr<SyntheticRun> firstRun() {
    auto run = std::make_unique<SyntheticRun>(2, RunState::Running, kAllSteps);
    run->addSteps(60, lossOf(5));
    run->addValidation(5.5);
    run->addSteps(kFirstSteps - 60, lossOf(5));
    run->addValidation(5.7);
    run->addIncident(1, diagnosis::Cause::DataLoading, 1, 30, 130'000'000); // its end is noticed in the next step
    run->addIncident(2, diagnosis::Cause::DataLoading, 0, 100, 50'000'000);
    run->addCheckpoint(kResumedAt - 1);
    run->addCheckpoint(110);
    end(*run, RunState::Failed);
    return run;
}

Chain resumed(RunState state = RunState::Finished) {
    Chain chain;
    chain.run = std::make_unique<SyntheticRun>(2, RunState::Running, kAllSteps);
    chain.run->beginAt(kResumedAt);
    chain.run->addSteps(20, lossOf(3));
    chain.run->addValidation(3.5);
    chain.run->addSteps(kAllSteps - kResumedAt - 20, lossOf(3));
    chain.run->addIncident(1, diagnosis::Cause::DataLoading, 1, 130, 50'000'000);
    chain.run->setResumedFrom(kFirstId);
    if (!launch::isLive(state))
        end(*chain.run, state);
    chain.earlier.push_back(firstRun());
    chain.earlier.back()->moveBeside(*chain.run, kFirstId);
    return chain;
}

QAction* switchOf(const ReviewPage& page) {
    return page.findChild<QAction*>(QStringLiteral("withWhatCameBefore"));
}

QString noticeOf(const ReviewPage& page) {
    for (const auto* label : page.findChildren<QLabel*>())
        if (label->isVisible() && label->text().contains(QLatin1String("was resumed")))
            return label->text();
    return {};
}

void hover(RankPlot* plot, double x) {
    const QPointF at(plot->xAxis->coordToPixel(x), plot->axisRect()->rect().center().y());
    QMouseEvent move(QEvent::MouseMove, at, plot->mapToGlobal(at), Qt::NoButton, Qt::NoButton, Qt::NoModifier);
    QCoreApplication::sendEvent(plot, &move);
}

std::ptrdiff_t drawnSteps(const RankPlot* plot) {
    return plot->series().empty() ? 0 : std::ssize(plot->series()[0]);
}

} // namespace

class TestResumedRun : public QObject {
    Q_OBJECT

private slots:
    void initTestCase() { Theme::instance().apply(Theme::Mode::Light); }

    void oneCurveOverBothRuns() {
        const Chain chain = resumed();
        Shown shown(*chain.run);
        QVERIFY(shown.complete());
        QCOMPARE(shown.page.seenSteps()->first, 0);
        QCOMPARE(shown.page.seenSteps()->second, kAllSteps - 1);
        const auto* loss = shown.plots()[0];
        for (int rank = 0; rank < 2; ++rank) {
            const Samples& samples = loss->series()[static_cast<std::size_t>(rank)];
            QCOMPARE(std::ssize(samples), kAllSteps);
            for (std::int64_t step = 0; step < kAllSteps; ++step) {
                const Sample& s = samples[static_cast<std::size_t>(step)];
                QCOMPARE(s.firstStep, step);
                const double expected = (step < kResumedAt ? 5 : 3) + 0.1 * rank + 0.001 * static_cast<double>(step);
                QVERIFY(std::abs(s.mean - expected) < 1e-9);
            }
        }
        for (const RankPlot* plot : shown.plots()) {
            QCOMPARE(drawnSteps(plot), kAllSteps);
            QCOMPARE(plot->line(0)->dataCount(), kAllSteps);
            QCOMPARE(plot->joints().size(), 1U);
            QCOMPARE(plot->joints()[0].x, kResumedAt - 0.5);
        }
        QCOMPARE(loss->joints()[0].label, QStringLiteral("resumed from aaaa"));
        QVERIFY(loss->joints()[0].text.contains(QLatin1String("steps 80 to 119")));
        if (const QString folder = qEnvironmentVariable("RANKSCOPE_PICTURES"); !folder.isEmpty())
            QVERIFY(shown.page.grab().save(folder + QStringLiteral("/review-resumed.png")));
    }

    void validationsAndMarksOfBothRuns() {
        const Chain chain = resumed();
        Shown shown(*chain.run);
        QVERIFY(shown.complete());
        auto* loss = shown.plots()[0];
        // the validation after step 119 of the first run was discarded
        QCOMPARE(loss->reference()->dataCount(), 2);
        QCOMPARE(loss->reference()->dataMainKey(0), 59.0);
        QCOMPARE(loss->reference()->dataMainValue(0), 5.5);
        QCOMPARE(loss->reference()->dataMainKey(1), 99.0);
        int checkpoints = 0;
        for (const PlotMark& mark : loss->marks())
            if (mark.kind == PlotMark::PlotMarkKind::Checkpoint) {
                ++checkpoints;
                QCOMPARE(mark.lo, kResumedAt - 1.0);
                QVERIFY2(mark.text.contains(QLatin1String("run aaaa")), qPrintable(mark.text));
            }
        QCOMPARE(checkpoints, 1);
    }

    void aReadoutSaysWhichRun() {
        const Chain chain = resumed();
        Shown shown(*chain.run);
        QVERIFY(shown.complete());
        auto* loss = shown.plots()[0];
        hover(loss, 40);
        QVERIFY2(spoken(loss).contains(QLatin1String("step 40,")), qPrintable(spoken(loss)));
        QVERIFY2(spoken(loss).contains(QLatin1String("run aaaa")), qPrintable(spoken(loss)));
        hover(loss, 120);
        QVERIFY2(spoken(loss).contains(QLatin1String("step 120,")), qPrintable(spoken(loss)));
        QVERIFY2(!spoken(loss).contains(QLatin1String("run aaaa")), qPrintable(spoken(loss)));
        hover(loss, kResumedAt - 0.5);
        QVERIFY2(loss->toolTip().contains(QLatin1String("was resumed from run")), qPrintable(loss->toolTip()));
        hover(loss, kResumedAt + 30);
        QVERIFY(!loss->toolTip().contains(QLatin1String("was resumed from run")));
    }

    void incidentsAcrossTheJoint() {
        const Chain chain = resumed();
        Shown shown(*chain.run);
        QVERIFY(shown.complete());
        const auto spans = shown.plots()[0]->spans();
        QCOMPARE(spans.size(), 2); // the incident at step 100 of the first run was discarded
        QCOMPARE((PlotRange{spans[0].lo, spans[0].hi}), (PlotRange{29.5, 30.5}));
        QSignalSpy said(&shown.page, &ReviewPage::message), chosen(&shown.page, &ReviewPage::incidentSelected);
        shown.page.nextIncident();
        QVERIFY2(said.last()[0].toString().startsWith(QLatin1String("Run aaaa: ")),
                 qPrintable(said.last()[0].toString()));
        QVERIFY(shown.page.seenSteps()->first <= 30 && shown.page.seenSteps()->second >= 30);
        QVERIFY(shown.page.seenSteps()->second < kResumedAt);
        shown.page.nextIncident();
        QVERIFY(!said.last()[0].toString().contains(QLatin1String("aaaa")));
        QVERIFY(shown.page.seenSteps()->first > kResumedAt && shown.page.seenSteps()->second >= 130);
        shown.page.previousIncident();
        QVERIFY(said.last()[0].toString().startsWith(QLatin1String("Run aaaa: ")));
        QVERIFY(shown.complete());
        // the mark is on the last plot's axis; the incidents page does not list it, as it belongs to an earlier run
        auto* bottom = shown.plots().last();
        const QRect rect = bottom->axisRect()->rect();
        const QPoint mark(static_cast<int>(bottom->xAxis->coordToPixel(30)), rect.bottom() + 5);
        QTest::mouseClick(bottom, Qt::LeftButton, {}, mark);
        QVERIFY(said.last()[0].toString().startsWith(QLatin1String("Run aaaa: ")));
        QCOMPARE(chosen.size(), 0);
    }

    void theSwitchIsRemembered() {
        const Chain chain = resumed();
        Shown shown(*chain.run);
        QVERIFY(shown.complete());
        QAction* on = switchOf(shown.page);
        QVERIFY(on && on->isEnabled() && on->isChecked());
        on->trigger();
        QVERIFY(shown.complete());
        QCOMPARE(shown.page.seenSteps()->first, kResumedAt);
        QVERIFY(shown.plots()[0]->joints().empty());
        QCOMPARE(drawnSteps(shown.plots()[0]), kAllSteps - kResumedAt);
        QCOMPARE(shown.plots()[0]->spans().size(), 1);
        QCOMPARE(shown.plots()[0]->reference()->dataCount(), 1);
        Shown again(*chain.run);
        again.page.restoreLayout(shown.page.saveLayout());
        QVERIFY(again.complete());
        QVERIFY(!switchOf(again.page)->isChecked());
        QCOMPARE(again.page.seenSteps()->first, kResumedAt);
        switchOf(again.page)->trigger();
        QVERIFY(again.complete());
        QCOMPARE(again.page.seenSteps()->first, 0);
        QCOMPARE(drawnSteps(again.plots()[0]), kAllSteps);
    }

    void severalRunsInARow() {
        Chain chain = resumed();
        auto middle = std::make_unique<SyntheticRun>(2, RunState::Running, kAllSteps);
        middle->beginAt(50);
        middle->addSteps(40, lossOf(4)); // steps 50 to 89
        end(*middle, RunState::Stopped);
        middle->setResumedFrom(kFirstId);
        middle->moveBeside(*chain.run, kMiddleId);
        chain.run->setResumedFrom(kMiddleId);
        Shown shown(*chain.run);
        QVERIFY(shown.complete());
        const auto* loss = shown.plots()[0];
        const Samples& samples = loss->series()[0];
        QCOMPARE(std::ssize(samples), kAllSteps);
        const auto owner = [&](std::size_t step) { return std::floor(samples[step].mean); };
        QCOMPARE(owner(49), 5.0);
        QCOMPARE(owner(50), 4.0);
        QCOMPARE(owner(79), 4.0);
        QCOMPARE(owner(80), 3.0);
        QCOMPARE(loss->joints().size(), 2U);
        QCOMPARE(loss->joints()[0].x, 49.5);
        QCOMPARE(loss->joints()[0].label, QStringLiteral("resumed from aaaa"));
        QCOMPARE(loss->joints()[1].label, QStringLiteral("resumed from bbbb"));
        QCOMPARE(loss->spans().size(), 2);
    }

    /// Resumed, failed before its next checkpoint, and resumed from the same checkpoint again.
    void aRunOfWhichNothingCounts() {
        Chain chain = resumed();
        auto middle = std::make_unique<SyntheticRun>(2, RunState::Running, kAllSteps);
        middle->beginAt(kResumedAt);
        middle->addSteps(10, lossOf(4));
        end(*middle, RunState::Failed);
        middle->setResumedFrom(kFirstId);
        middle->moveBeside(*chain.run, kMiddleId);
        chain.run->setResumedFrom(kMiddleId);
        Shown shown(*chain.run);
        QVERIFY(shown.complete());
        const auto* loss = shown.plots()[0];
        QCOMPARE(drawnSteps(loss), kAllSteps);
        QCOMPARE(std::floor(loss->series()[0][kResumedAt].mean), 3.0);
        QCOMPARE(loss->joints().size(), 1U);
        QVERIFY(loss->joints()[0].text.contains(QString::fromStdString(kMiddleId)));
        QVERIFY(noticeOf(shown.page).isEmpty());
    }

    void aMissingRunIsSaidOnce() {
        const Chain chain = resumed();
        std::filesystem::remove_all(chain.earlier[0]->paths().dir);
        Shown shown(*chain.run);
        QVERIFY(shown.complete());
        QVERIFY2(noticeOf(shown.page).contains(QString::fromStdString(kFirstId)), qPrintable(noticeOf(shown.page)));
        QCOMPARE(shown.page.seenSteps()->first, kResumedAt);
        QCOMPARE(drawnSteps(shown.plots()[0]), kAllSteps - kResumedAt);
        QVERIFY(!switchOf(shown.page)->isEnabled());
    }

    void aDamagedRunIsSaid_data() {
        QTest::addColumn<QString>("file");
        QTest::newRow("run.json") << QStringLiteral("run.json");
        QTest::newRow("store") << QStringLiteral("run.sqlite");
    }

    void aDamagedRunIsSaid() {
        QFETCH(QString, file);
        const Chain chain = resumed();
        std::ofstream(chain.earlier[0]->paths().dir / file.toStdString(), std::ios::trunc) << "no such thing";
        Shown shown(*chain.run);
        QVERIFY(shown.complete());
        QVERIFY2(noticeOf(shown.page).contains(QString::fromStdString(kFirstId)), qPrintable(noticeOf(shown.page)));
        QVERIFY2(noticeOf(shown.page).contains(file), qPrintable(noticeOf(shown.page)));
        QCOMPARE(drawnSteps(shown.plots()[0]), kAllSteps - kResumedAt);
    }

    void filesThatLeadInCirclesOrElsewhere() {
        const Chain chain = resumed();
        chain.earlier[0]->setResumedFrom(chain.run->paths().dir.filename().string());
        {
            Shown shown(*chain.run);
            QVERIFY(shown.complete());
            QCOMPARE(shown.plots()[0]->joints().size(), 1U);
        }
        chain.run->setResumedFrom("../" + chain.run->paths().dir.parent_path().filename().string() + "/" + kFirstId);
        Shown shown(*chain.run);
        QVERIFY(shown.complete());
        QVERIFY(shown.plots()[0]->joints().empty());
        QVERIFY(!noticeOf(shown.page).isEmpty());
    }

    void aLiveRunIsFollowed() {
        const Chain chain = resumed(RunState::Running);
        Shown shown(*chain.run);
        QVERIFY(shown.complete());
        QTRY_COMPARE(drawnSteps(shown.plots()[0]), kAllSteps);
        QVERIFY(shown.page.follow());
        chain.run->addSteps(10, lossOf(3));
        QTRY_COMPARE(shown.page.seenSteps()->second, kAllSteps + 9);
        QCOMPARE(shown.page.seenSteps()->first, 0);
        QTRY_COMPARE(drawnSteps(shown.plots()[0]), kAllSteps + 10);
        // a run without steps yet
        const auto young = std::make_unique<SyntheticRun>(2, RunState::Running, kAllSteps);
        young->setResumedFrom(kFirstId);
        firstRun()->moveBeside(*young, kFirstId);
        Shown fresh(*young);
        QTRY_VERIFY(fresh.session->view().nowNs != 0);
        QVERIFY(fresh.session->view().chain == nullptr);
        QVERIFY(noticeOf(fresh.page).isEmpty());
        young->beginAt(kResumedAt);
        young->addSteps(5, lossOf(3));
        QTRY_COMPARE(drawnSteps(fresh.plots()[0]), kResumedAt + 5);
        QCOMPARE(fresh.page.seenSteps()->first, 0);
    }

    void overTimeTheRunIsAlone() {
        const Chain chain = resumed();
        Shown shown(*chain.run);
        QVERIFY(shown.complete());
        shown.page.setAxis(CurveAxis::Time);
        QVERIFY(shown.complete());
        QVERIFY(shown.plots()[0]->joints().empty());
        QCOMPARE(drawnSteps(shown.plots()[0]), kAllSteps - kResumedAt);
        QCOMPARE(shown.plots()[0]->spans().size(), 1);
        shown.page.setAxis(CurveAxis::Step);
        QVERIFY(shown.complete());
        QCOMPARE(drawnSteps(shown.plots()[0]), kAllSteps);
    }

    void waitsOfStepsOfAnEarlierRun() {
        const Chain chain = resumed();
        Shown shown(*chain.run);
        QVERIFY(shown.complete());
        for (auto* action : shown.page.findChildren<QAction*>())
            if (action->text() == QLatin1String("Who waits for whom"))
                action->setChecked(true);
        shown.page.setFilter(10, 19);
        QVERIFY(shown.complete());
        auto* waits = shown.page.findChild<WaitsPane*>();
        QVERIFY(waits && waits->isVisible());
        QTRY_VERIFY(waits->isComplete());
        // rank 0 waits 20 ms for rank 1 at each step, of either run
        QVERIFY2(waits->asText().contains(QLatin1String("200 ms")), qPrintable(waits->asText()));
        shown.page.setFilter(kResumedAt, kResumedAt + 4);
        QTRY_VERIFY2(waits->asText().contains(QLatin1String("100 ms")), qPrintable(waits->asText()));
    }

    void levelsOfDetail() {
        constexpr int kMany = 20'000;
        Chain chain;
        chain.run = std::make_unique<SyntheticRun>(1, RunState::Running, 2 * kMany);
        chain.run->beginAt(kMany);
        chain.run->addSteps(500, lossOf(3));
        chain.run->setResumedFrom(kFirstId);
        end(*chain.run, RunState::Finished);
        chain.earlier.push_back(std::make_unique<SyntheticRun>(1, RunState::Running, 2 * kMany));
        chain.earlier[0]->addSteps(kMany, lossOf(5));
        end(*chain.earlier[0], RunState::Failed);
        chain.earlier[0]->moveBeside(*chain.run, kFirstId);
        ui::RunObserver observer(chain.run->paths());
        QVERIFY(observer.read(monotonicNs()).chain);
        SeriesRequest request;
        request.metrics = {store::Metric::Loss};
        request.to = 2 * kMany;
        request.maxPoints = 300;
        request.withEarlierRuns = true;
        const SeriesReply reply = observer.series(request);
        QVERIFY2(reply.error.isEmpty(), qPrintable(reply.error));
        const auto& earlier = reply.earlier[0][0];
        QVERIFY(earlier.size() >= 300 && earlier.size() <= 700);
        std::int64_t next = 0, values = 0;
        for (const auto& point : earlier) {
            QCOMPARE(point.firstStep, next);
            next = point.lastStep + 1;
            values += point.count;
        }
        QCOMPARE(next, kMany);
        QCOMPARE(values, kMany);
        QCOMPARE(reply.points[0][0].front().firstStep, kMany);
    }
};

RANKSCOPE_GUI_TEST(TestResumedRun)
#include "tst_resumed_run.moc"
