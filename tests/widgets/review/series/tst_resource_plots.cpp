// SPDX-License-Identifier: GPL-3.0-or-later
// Memory, CPU and GPU as plots on the page.
#include "tests/support/test_runner.h"
#include "tests/widgets/review/review_shown.h"

#include <QMenu>

using namespace rankscope;
using namespace rankscope::ui;
using namespace rankscope::test;

namespace {

/// Makes a run with memory and CPU time of both ranks at every tenth step, one second apart.
std::unique_ptr<SyntheticRun> measured() {
    auto run = std::make_unique<SyntheticRun>(2, RunState::Running, 120);
    run->addSteps(120, [](int, std::int64_t) { return RankStep{}; });
    for (int rank = 0; rank < 2; ++rank)
        for (std::int64_t step = 0; step < 120; step += 10)
            run->addResources(rank, step, (rank + 1) * 1'000'000'000 + step * 1'000'000, step * 150'000'000);
    run->addEnds(telemetry::EndCause::Finished);
    run->finishStore();
    run->setState(RunState::Finished);
    return run;
}

RankPlot* plotOf(const Shown& shown, const char* name) {
    return shown.page.findChild<RankPlot*>(QLatin1String("resource:") + QLatin1String(name) + QLatin1String("Plot"));
}

} // namespace

class TestResourcePlots : public QObject {
    Q_OBJECT

private slots:
    void initTestCase() { Theme::instance().apply(Theme::Mode::Light); }

    void memoryIsAddedFromTheMenu() {
        const auto run = measured();
        Shown shown(*run);
        QVERIFY(shown.complete());
        QVERIFY(!plotOf(shown, "memory")); // hidden by default
        QAction* add = nullptr;
        for (auto* menu : shown.page.findChildren<QMenu*>()) {
            emit menu->aboutToShow();
            for (auto* group : menu->actions())
                if (group->menu() && group->text() == QLatin1String("Memory, CPU and GPU"))
                    for (auto* action : group->menu()->actions())
                        add = action->text() == QLatin1String("Memory") ? action : add;
        }
        QVERIFY(add);
        add->trigger();
        QVERIFY(shown.complete());
        auto* plot = plotOf(shown, "memory");
        QVERIFY(plot);
        QCOMPARE(plot->series().size(), std::size_t(2));
        for (std::size_t rank = 0; rank < 2; ++rank) {
            const Samples& samples = plot->series()[rank];
            QCOMPARE(samples.size(), std::size_t(12));
            for (std::size_t i = 0; i < samples.size(); ++i) {
                QCOMPARE(samples[i].mean, static_cast<double>(rank + 1) + 0.01 * static_cast<double>(i));
                QVERIFY(std::abs(samples[i].x - 10.0 * static_cast<double>(i)) <= 0.6); // at the start of its step
            }
        }
        QCOMPARE(plot->unitText(), QStringLiteral("GB"));
        QVERIFY(spoken(plot).isEmpty());
        QVERIFY(plot->line(1)->dataCount() == 12);
    }

    void cpuOnEachAxis() {
        const auto run = measured();
        Shown shown(*run);
        QVERIFY(shown.page.addPlot(QStringLiteral("resource:cpu")));
        QVERIFY(shown.complete());
        const auto* plot = plotOf(shown, "cpu");
        QCOMPARE(plot->series()[0].size(), std::size_t(11)); // each value needs the record before it
        for (const Sample& s : plot->series()[0])
            QVERIFY(std::abs(s.mean - 1.5) < 0.02); // steps last 0.1 s
        shown.page.setAxis(CurveAxis::Time);
        QVERIFY(shown.complete());
        QCOMPARE(plot->series()[0].size(), std::size_t(11));
        const double seconds = static_cast<double>(run->stepBegin(10) - run->info().startNs) * 1e-9;
        QVERIFY(std::abs(plot->series()[0][0].x - seconds / 2) < 0.1 + seconds / 2);
        QVERIFY(plot->series()[0][10].x < shown.plots()[0]->range().hi);
        shown.page.setAxis(CurveAxis::SampleCount);
        QVERIFY(shown.complete());
        QVERIFY(plot->series()[0].back().x > 100); // 4 utterances in each of 2 ranks a step
        shown.page.setAxis(CurveAxis::Step);
        QVERIFY(shown.complete());
        QVERIFY(plot->series()[0].back().x < 120);
        // a part of the run
        shown.page.showSteps(50, 60);
        QVERIFY(shown.complete());
        QVERIFY(plot->series()[0].size() < 6);
        QVERIFY(!plot->series()[0].empty());
    }

    void whatIsNotRecordedIsSaid() {
        const auto run = measured();
        Shown shown(*run);
        QVERIFY(shown.page.addPlot(QStringLiteral("resource:gpu_memory")));
        QVERIFY(shown.page.addPlot(QStringLiteral("resource:gpu_use")));
        QVERIFY(shown.complete());
        auto* memory = plotOf(shown, "gpu_memory");
        QCOMPARE(spoken(memory), QStringLiteral("Not recorded in this run"));
        QCOMPARE(spoken(plotOf(shown, "gpu_use")), QStringLiteral("Not recorded in this run"));
        for (const auto& samples : memory->series())
            QVERIFY(samples.empty()); // a resource that was not measured has no line of zeros
    }

    void anotherRunAndAnotherStart() {
        const auto run = measured();
        auto gpu = std::make_unique<SyntheticRun>(1, RunState::Running, 40);
        gpu->addSteps(40, [](int, std::int64_t) { return RankStep{}; });
        gpu->addResources(0, 20, 5'000'000, 0, 3'000'000'000, 75);
        gpu->finishStore();
        gpu->setState(RunState::Finished);
        Shown shown(*run);
        QVERIFY(shown.page.addPlot(QStringLiteral("resource:gpu_memory")));
        QVERIFY(shown.complete());
        const QByteArray layout = shown.page.saveLayout();
        RunSession next(gpu->paths());
        shown.page.setSession(&next);
        QTRY_VERIFY(spoken(plotOf(shown, "gpu_memory")).isEmpty()); // after the next frame
        QVERIFY(shown.complete());
        QCOMPARE(plotOf(shown, "gpu_memory")->series()[0].size(), std::size_t(1));
        QCOMPARE(plotOf(shown, "gpu_memory")->series()[0][0].mean, 3.0);
        shown.page.showSteps(0, 4);
        QVERIFY(shown.complete());
        QCOMPARE(spoken(plotOf(shown, "gpu_memory")), QStringLiteral("Nothing was measured in this view"));
        shown.page.restoreLayout(layout);
        QVERIFY(shown.complete());
        QVERIFY(plotOf(shown, "gpu_memory"));
        QVERIFY(!shown.page.addPlot(QStringLiteral("resource:gpu_memory"))); // already on the page
        QVERIFY(!shown.page.addPlot(QStringLiteral("resource:nonsense")));
        shown.page.setSession(nullptr);
    }

    void aPlotIsRemovedWhileItIsRead() {
        const auto run = measured();
        Shown shown(*run);
        QVERIFY(shown.page.addPlot(QStringLiteral("resource:memory")));
        QTest::keyClick(plotOf(shown, "memory"), Qt::Key_Delete);
        QVERIFY(shown.complete());
        QVERIFY(!plotOf(shown, "memory"));
        QCOMPARE(shown.plots()[0]->series()[0].size(), std::size_t(120));
    }
};

RANKSCOPE_GUI_TEST(TestResourcePlots)
#include "tst_resource_plots.moc"
