// SPDX-License-Identifier: Apache-2.0
// Ranks that are slow in every step: how soon they are reported, with which values, and as how many incidents; and that
// random lateness is not mistaken for it.
#include "core/diagnosis/evidence/incident_sentence.h"
#include "core/diagnosis/statistics/slow_rank_test.h"
#include "core/diagnosis/statistics/step_window.h"
#include "tests/core/diagnosis/simulated_fleet.h"
#include "tests/support/test_runner.h"

#include <QTest>

#include <algorithm>
#include <cmath>
#include <map>
#include <random>

using namespace rankscope;
using namespace rankscope::diagnosis;
using namespace rankscope::diagnosis::test;

namespace {

/// A simulated fleet, the detector that observes it, and the incidents it reports.
struct WatchedFleet {
    WatchedFleet(const FleetOptions& options, std::vector<PlannedFault> faults, Settings settings = {})
        : fault(faults.front()), fleet(options, std::move(faults)), detector(options.world, std::move(settings)) {}

    void run(double seconds) {
        for (const std::int64_t end = fleet.nowNs() + static_cast<std::int64_t>(seconds * 1e9); fleet.nowNs() < end;) {
            const Observation& o = fleet.tick();
            const auto& board = o.ranks[static_cast<std::size_t>(fault.rank)].board;
            const std::int64_t step = board ? board->step : -1;
            beganNs = beganNs == 0 && step >= fault.step ? o.nowNs : beganNs;
            for (const Transition& t : detector.advance(o)) {
                incidents[t.incident.id] = t.incident;
                if (t.incident.straggler && steps < 0) {
                    steps = step - fault.step;
                    afterSeconds = static_cast<double>(o.nowNs - beganNs) * 1e-9;
                }
            }
        }
    }
    const Incident& only() const {
        static const Incident none;
        return incidents.size() == 1 ? incidents.begin()->second : none;
    }
    std::string all() const {
        std::string lines;
        for (const auto& [id, in] : incidents)
            lines += sentence(in, fleet.nowNs()).english() + "\n";
        return lines;
    }

    PlannedFault fault;
    SimulatedFleet fleet;
    Detector detector;
    std::map<std::int64_t, Incident> incidents;
    std::int64_t beganNs = 0, steps = -1; ///< slow steps before the rank was reported; -1: not reported
    double afterSeconds = -1;
};

/// Returns a step in which each rank works for so many milliseconds and waits for the slowest one.
StepStats stepOf(const std::vector<double>& workMs, const std::vector<std::int64_t>& frames = {}) {
    StepStats step;
    const double slowest = *std::max_element(workMs.begin(), workMs.end());
    for (std::size_t r = 0; r < workMs.size(); ++r) {
        RankStep s;
        s.stepNs = static_cast<std::int64_t>(slowest * 1e6);
        s.blockedNs = static_cast<std::int64_t>((slowest - workMs[r]) * 1e6);
        s.framesMax = frames.empty() ? 800 : frames[r];
        s.batchSize = 4;
        step.ranks.push_back(s);
    }
    return step;
}

constexpr double kNats = 24;

} // namespace

class TestSlowRanks : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void isNamedInTime_data() {
        QTest::addColumn<int>("world");
        QTest::addColumn<double>("factor");
        QTest::addColumn<double>("secondsPerSecond");
        QTest::addColumn<int>("mostSteps");
        for (const int world : {2, 3, 4, 8, 16})
            for (const double perSecond : {0.005, 0.02, 0.12}) {
                QTest::addRow("%d ranks, 2.0, %.3f", world, perSecond) << world << 2.0 << perSecond << 12;
                QTest::addRow("%d ranks, 1.3, %.3f", world, perSecond) << world << 1.3 << perSecond << 60;
            }
    }
    /// A rank that is twice as slow is reported within 12 steps or 10 s, whichever is later; 1.3 times, within 60
    /// steps.
    void isNamedInTime() {
        QFETCH(int, world);
        QFETCH(double, factor);
        QFETCH(double, secondsPerSecond);
        QFETCH(int, mostSteps);
        FleetOptions options;
        options.world = world;
        options.secondsPerSecond = secondsPerSecond;
        options.seed = static_cast<std::uint64_t>(world) + 3;
        WatchedFleet run(options, {{FleetFault::SlowRank, 1, 40, factor, PlannedFault::kForever}});
        const double step = 60 * secondsPerSecond + 0.1;
        run.run(120 * step + 40);
        qInfo("named after %d steps, %.1f s: %s", static_cast<int>(run.steps), run.afterSeconds, run.all().c_str());
        QVERIFY2(run.steps > 0, run.all().c_str());
        QVERIFY(run.steps <= mostSteps || (factor >= 2 && run.afterSeconds <= 10));
        const Incident& in = run.only();
        QVERIFY2(in.straggler, run.all().c_str());
        QCOMPARE(in.holders, std::vector<int>{1});
        QCOMPARE(in.waiters.size(), static_cast<std::size_t>(world - 1));
        QCOMPARE(in.cause, Cause::SlowCompute);
        QCOMPARE(in.closedNs, 0);
        const double ratio = in.evidence.workRatio.value_or(0.0);
        QVERIFY2(ratio > 0.8 * factor && ratio < 1.3 * factor, std::to_string(ratio).c_str());
        QVERIFY(in.evidence.lastInSteps.value_or(0) <= in.evidence.windowSteps.value_or(0));
        QVERIFY(in.evidence.lateStepSeconds.value_or(0.0) > 0);
        // the share refers to the steps counted in windowSteps
        const double longest =
            in.evidence.longestBatchShare.value_or(-1.0) * static_cast<double>(in.evidence.windowSteps.value_or(0));
        QVERIFY2(longest >= 0 && std::abs(longest - std::round(longest)) < 1e-6, std::to_string(longest).c_str());
    }
    void fromTheFirstStepOn() {
        FleetOptions options;
        options.world = 4;
        WatchedFleet run(options, {{FleetFault::SlowRank, 2, 0, 2.0, PlannedFault::kForever}});
        run.run(90);
        QVERIFY2(run.steps > 0 && run.steps <= 20, std::to_string(run.steps).c_str());
        QCOMPARE(run.only().holders, std::vector<int>{2});
    }
    void aLoaderThatIsSlowInEveryStep() {
        FleetOptions options;
        options.world = 3;
        options.secondsPerSecond = 0.005;
        WatchedFleet run(options, {{FleetFault::Loader, 2, 60, 0.15, PlannedFault::kForever}});
        run.run(90);
        QVERIFY2(run.afterSeconds > 0 && run.afterSeconds <= 10, std::to_string(run.afterSeconds).c_str());
        const Incident& in = run.only();
        QCOMPARE(in.cause, Cause::DataLoading);
        QCOMPARE(in.phase, telemetry::Phase::DataWait);
        QCOMPARE(in.holders, std::vector<int>{2});
        QVERIFY(std::abs(in.evidence.lateStepSeconds.value_or(0.0) - 0.15) < 0.05);
    }
    /// One hold-up is one incident, even if the rank happens to come last for a second afterwards.
    void aHoldUpThatWasToldIsNoSlowRank() {
        FleetOptions options;
        options.secondsPerSecond = 0.0005;
        options.hiccups = 0;
        options.validateEvery = options.checkpointEvery = 0;
        WatchedFleet run(options, {{FleetFault::Preprocess, 1, 60, 4, 1}, {FleetFault::SlowRank, 1, 61, 2.5, 14}});
        run.run(40);
        QCOMPARE(run.incidents.size(), std::size_t(1));
        QVERIFY2(!run.only().straggler, run.all().c_str());
        QCOMPARE(run.only().step, std::int64_t{60});
    }
    void itIsOverWhenTheRankIsAsFastAsTheOthersAgain() {
        FleetOptions options;
        options.world = 4;
        WatchedFleet run(options, {{FleetFault::SlowRank, 1, 40, 2.0, 80}});
        while (run.fleet.step() < 119)
            run.run(1);
        QVERIFY(run.only().straggler && run.only().closedNs == 0);
        const std::int64_t soundNs = run.fleet.nowNs();
        run.run(60);
        QCOMPARE(run.only().closed, CloseReason::Recovered);
        QVERIFY(std::abs(static_cast<double>(run.only().closedNs - soundNs)) < 12e9);
    }
    /// What was certain about the slow steps is kept, even if the rank is the fastest from then on.
    void soundStepsTakeNothingBack() {
        FleetOptions options;
        WatchedFleet run(options, {{FleetFault::SlowRank, 1, 40, 2.0, 20}, {FleetFault::SlowRank, 0, 60, 3.0, 40}});
        double held = 0;
        while (run.fleet.step() < 100) {
            run.run(0.1);
            for (const auto& [id, in] : run.incidents) {
                if (!in.straggler || in.holders != std::vector<int>{1})
                    continue;
                QVERIFY2(in.evidence.heldSeconds.value_or(0.0) >= held, run.all().c_str());
                QVERIFY2(in.evidence.workRatio.value_or(0.0) > 1, run.all().c_str());
                held = in.evidence.heldSeconds.value_or(0.0);
            }
        }
        QVERIFY2(held > 1, run.all().c_str());
    }
    /// Each step of the rank is a stall for the others, and no two are equally long; it is still one incident.
    void heldBackByTheQuota_data() {
        QTest::addColumn<int>("world");
        QTest::addColumn<double>("secondsPerSecond");
        for (const int world : {2, 3, 6})
            for (const double perSecond : {0.007, 0.02})
                QTest::addRow("%d ranks, %.3f", world, perSecond) << world << perSecond;
    }
    void heldBackByTheQuota() {
        QFETCH(int, world);
        QFETCH(double, secondsPerSecond);
        FleetOptions options;
        options.world = world;
        options.secondsPerSecond = secondsPerSecond;
        WatchedFleet run(options, {{FleetFault::Throttled, 1, 60, 12.5, PlannedFault::kForever}});
        run.run(300);
        qInfo("named after %d steps, %.1f s: %s", static_cast<int>(run.steps), run.afterSeconds, run.all().c_str());
        QVERIFY2(run.steps > 0 && run.steps <= 6, run.all().c_str());
        const Incident& in = run.only();
        QVERIFY2(in.straggler, run.all().c_str());
        QCOMPARE(in.cause, Cause::SlowCompute);
        QCOMPARE(in.holders, std::vector<int>{1});
        QCOMPARE(in.evidence.cpuQuota.value_or(0.0), 0.08);
        const std::string english = sentence(in, run.fleet.nowNs()).english(),
                          chinese = sentence(in, run.fleet.nowNs()).text(rankscope::Language::Chinese);
        QVERIFY2(english.find("allows it 0.08 of a processor and held it back in 90 % of the periods") !=
                     std::string::npos,
                 english.c_str());
        QVERIFY2(english.find("quota of 0.08 processors") != std::string::npos, english.c_str());
        QVERIFY2(chinese.find("只有 0.08 核 CPU，90% 的调度周期都被限流") != std::string::npos, chinese.c_str());
    }
    /// Without a quota it takes a few more steps to be certain, and it is one incident as well.
    void soSlowThatEveryStepIsAStall() {
        FleetOptions options;
        options.world = 3;
        WatchedFleet run(options, {{FleetFault::SlowRank, 1, 60, 12, PlannedFault::kForever}});
        run.run(300);
        QVERIFY2(run.steps > 0 && run.steps <= 12, run.all().c_str());
        QVERIFY2(run.only().straggler, run.all().c_str());
    }
    /// A straggler that stops completely for a while causes a separate stall.
    void aStragglerThatStalls() {
        FleetOptions options;
        options.world = 3;
        WatchedFleet run(
            options, {{FleetFault::SlowRank, 1, 40, 2.0, PlannedFault::kForever}, {FleetFault::Loader, 1, 100, 30.0}});
        run.run(200);
        QVERIFY2(run.incidents.size() == 2, run.all().c_str());
        QVERIFY(run.incidents.at(1).straggler);
        QCOMPARE(run.incidents.at(2).cause, Cause::DataLoading);
        QCOMPARE(run.incidents.at(2).closed, CloseReason::Recovered);
    }
    void fairRunsRaiseNothing_data() {
        QTest::addColumn<int>("world");
        for (const int world : {2, 3, 8})
            QTest::addRow("%d ranks", world) << world;
    }
    void fairRunsRaiseNothing() {
        QFETCH(int, world);
        FleetOptions options;
        options.world = world;
        options.batchSize = 4; // lengths differ most between small batches
        options.meanLength = 5;
        options.hiccups = 5e-3;
        options.stepsPerEpoch = 60;
        WatchedFleet run(options, {{FleetFault::SlowRank, 0, PlannedFault::kForever}});
        run.run(1800);
        QVERIFY2(run.incidents.empty(), run.all().c_str());
    }

    /// Loaders that deliver two batches at once: a rank is late in each short step and early in each long one.
    void latenessThatCostsLittle() {
        FleetOptions options;
        options.world = 2;
        options.secondsPerSecond = 0.005;
        std::vector<PlannedFault> faults;
        for (int step = 40; step < 200; step += 2) {
            faults.push_back({FleetFault::Loader, 1, step, 0.2, 1});
            faults.push_back({FleetFault::Loader, 1, step + 1, 1.0, 1});
            faults.push_back({FleetFault::Loader, 0, step + 1, 1.17, 1});
        }
        WatchedFleet run(options, faults);
        run.run(240);
        QVERIFY2(run.incidents.empty(), run.all().c_str());
    }

    /// On a busy machine, one rank is slower for a few steps and then another. That lasts longer than a step, but
    /// neither is a slow rank.
    void latenessThatComesAndGoes_data() {
        QTest::addColumn<double>("correlation");
        for (const double c : {0.0, 0.5, 0.8})
            QTest::addRow("%.1f", c) << c;
    }
    void latenessThatComesAndGoes() {
        QFETCH(double, correlation);
        std::mt19937 random(5);
        std::normal_distribution<double> normal(0, 0.14);
        SlowRankTest slow(2, 0.25);
        double x[2] = {0, 0};
        for (int i = 0; i < 20'000; ++i) {
            for (double& v : x)
                v = correlation * v + std::sqrt(1 - correlation * correlation) * normal(random);
            slow.add(stepOf({100 * std::exp(x[0]), 100 * std::exp(x[1])}));
            for (const int r : {0, 1})
                QVERIFY2(slow.confirmedSteps(r, kNats) < 50, std::to_string(i).c_str());
        }
        for (int i = 0; i < 150; ++i) // a slow rank is still recognized
            slow.add(stepOf({100, 220}));
        QVERIFY(slow.confirmedSteps(1, kNats) > 0);
        QCOMPARE(slow.confirmedSteps(0, kNats), 0);
    }
    /// Two of three ranks share a processor: neither is slow, the third is fast.
    void mostRanksAreNotSlow() {
        SlowRankTest slow(3, 0.25);
        for (int i = 0; i < 1000; ++i)
            slow.add(stepOf({100, 200, 200.0 + i % 7}));
        for (const int r : {0, 1, 2})
            QCOMPARE(slow.confirmedSteps(r, kNats), 0);
    }
    void twoSlowOnesOfFour() {
        SlowRankTest slow(4, 0.25);
        for (int i = 0; i < 20; ++i)
            slow.add(stepOf({100, 200, 100, 200.0 + i % 7}));
        QVERIFY(slow.confirmedSteps(1, kNats) > 0 && slow.confirmedSteps(3, kNats) > 0);
        QCOMPARE(slow.confirmedSteps(0, kNats), 0);
    }
    /// A rank whose batches happen to be longer is not slow.
    void longBatchesAreNoSlowRank() {
        std::mt19937 random(2);
        SlowRankTest slow(2, 0.25);
        for (int i = 0; i < 2000; ++i) {
            std::vector<std::int64_t> frames{400 + static_cast<std::int64_t>(random() % 1200),
                                             400 + static_cast<std::int64_t>(random() % 1200)};
            if (i >= 1000)
                frames[1] = 2 * frames[0];
            slow.add(stepOf({static_cast<double>(frames[0]) / 5, static_cast<double>(frames[1]) / 5}, frames));
            for (const int r : {0, 1})
                QCOMPARE(slow.confirmedSteps(r, kNats), 0);
        }
    }
    void aStateIsSavedToTheLastBit() {
        std::mt19937 random(1);
        SlowRankTest slow(3, 0.25);
        const auto step = [&] { return stepOf({100.0 + random() % 20, 170.0 + random() % 20, 100.0 + random() % 20}); };
        for (int i = 0; i < 7; ++i)
            slow.add(step());
        slow.startRecoveryTest(1);
        ByteEncoder first;
        slow.save(first);
        SlowRankTest other(3, 0.25);
        ByteDecoder in(first.bytes());
        QVERIFY(other.load(in) && in.atEnd());
        for (int i = 0; i < 10; ++i) {
            const StepStats next = step();
            slow.add(next);
            other.add(next);
        }
        ByteEncoder a, b;
        slow.save(a);
        other.save(b);
        QVERIFY(a.bytes() == b.bytes());
        QVERIFY(slow.confirmedSteps(1, kNats) > 0);
    }
};

RANKSCOPE_TEST(TestSlowRanks)
#include "tst_slow_ranks.moc"
