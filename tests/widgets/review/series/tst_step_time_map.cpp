// SPDX-License-Identifier: GPL-3.0-or-later
// The steps that a stall covers while it lasts and afterwards, whatever part of the run has been read by then; random
// live runs, compared with what really happened in them.
#include "tests/support/test_runner.h"
#include "widgets/plots/curves/step_time_map.h"
#include "widgets/review/series/incident_place.h"
#include "widgets/review/series/run_series.h"

#include <QTest>

#include <random>

using namespace rankscope;
using namespace rankscope::ui;

namespace {

constexpr std::int64_t kMs = 1'000'000;
constexpr std::int64_t kStart = 5'000'000 * kMs; ///< the run's start, monotonic

struct Stall {
    std::int64_t step = 0, beginNs = 0, endNs = 0; ///< since the run's start
};

/// A simulated run: steps of random lengths, some of them held up.
class LiveRun {
public:
    explicit LiveRun(std::uint32_t seed) : m_random(seed) {
        std::int64_t at = 300 * kMs;
        const std::int64_t steps = pick(30, 400);
        for (std::int64_t step = 0; step < steps; ++step) {
            std::int64_t length = pick(20, 400) * kMs;
            if (step > 3 && pick(0, 40) == 0) {
                const std::int64_t begin = at + length * pick(0, 99) / 100, stalled = pick(2000, 60'000) * kMs;
                m_stalls.push_back({step, begin, begin + stalled});
                length += stalled;
            }
            m_begins.push_back(at);
            at += length;
        }
        m_begins.push_back(at);
    }

    std::int64_t pick(std::int64_t lo, std::int64_t hi) {
        return std::uniform_int_distribution<std::int64_t>(lo, hi)(m_random);
    }
    std::int64_t end() const { return m_begins.back(); }
    std::int64_t beginOf(std::int64_t step) const { return m_begins[static_cast<std::size_t>(step)]; }
    const std::vector<Stall>& stalls() const { return m_stalls; }
    std::int64_t stepAt(std::int64_t ns) const {
        return std::upper_bound(m_begins.begin(), m_begins.end() - 1, ns) - m_begins.begin() - 1;
    }

    /// Returns points of `size` steps each, from the steps finished at `ns`.
    StepTimeTable clock(std::int64_t ns, std::int64_t size, std::int64_t from = 0) const {
        std::vector<store::SeriesPoint> points;
        const std::int64_t finished = stepAt(ns);
        for (std::int64_t step = from; step < finished; step += size) {
            store::SeriesPoint p;
            p.firstStep = step;
            p.lastStep = std::min(step + size, finished) - 1;
            p.beginNs = m_begins[static_cast<std::size_t>(step)];
            p.endNs = m_begins[static_cast<std::size_t>(p.lastStep + 1)];
            points.push_back(p);
        }
        return points.empty() ? StepTimeTable{} : StepTimeTable(points);
    }

    /// Returns what the window knows at `now` if the store's last commit was at `storedNs`.
    RunView view(std::int64_t now, std::int64_t storedNs) const {
        RunView view;
        view.info.state = launch::RunState::Running;
        view.info.worldSize = 2;
        view.info.startNs = kStart;
        view.nowNs = view.knownNs = kStart + now;
        const std::int64_t finished = stepAt(storedNs) - 1;
        for (int rank = 0; rank < 2; ++rank) {
            store::RankSummary summary;
            summary.rank = rank;
            summary.firstStep = finished < 0 ? -1 : 0;
            summary.lastStep = finished;
            summary.lastNs = finished < 0 ? 0 : m_begins[static_cast<std::size_t>(finished + 1)];
            view.summaries.push_back(summary);
            view.ranks.push_back({rank, {}, stepAt(now)});
        }
        std::int64_t id = 0;
        for (const Stall& stall : m_stalls) {
            if (stall.beginNs > now)
                break;
            diagnosis::Incident in;
            in.id = ++id;
            in.step = stall.step;
            in.holders = {1};
            in.waiters = {0};
            in.openedNs = kStart + stall.beginNs;
            if (stall.endNs <= now) {
                in.closedNs = kStart + stall.endNs;
                in.closed = diagnosis::CloseReason::Recovered;
            }
            view.incidents.push_back(in);
        }
        return view;
    }

private:
    std::mt19937 m_random;
    std::vector<std::int64_t> m_begins; ///< of each step, followed by the end of the last one
    std::vector<Stall> m_stalls;
};

} // namespace

class TestRunClock : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void stallsCoverTheirSteps();
    void aCollectiveIsOfOneStep();
    void aHoldUpWithoutWaitersIsOfOneStep();
    void holdUpsInARowCoverTheirSteps();
    void aPauseIsWhereTheRanksStood();
    void timeAndStepAgree();
    void aStepUnderWayReachesToNow();
    void waitsThatGoOnAreValues();
};

/// At any moment, with any lag of the store and of the curves, an incident covers the step that was held up.
void TestRunClock::stallsCoverTheirSteps() {
    int open = 0, closed = 0;
    for (std::uint32_t seed = 1; seed <= 400; ++seed) {
        LiveRun run(seed);
        for (int look = 0; look < 20; ++look) {
            std::int64_t now = run.pick(kMs, run.end() - 1);
            if (!run.stalls().empty() && run.pick(0, 1) == 0) { // within a stall
                const Stall& stall = run.stalls()[static_cast<std::size_t>(
                    run.pick(0, static_cast<std::int64_t>(run.stalls().size()) - 1))];
                now = run.pick(stall.beginNs, stall.endNs);
            }
            const std::int64_t stored = std::max<std::int64_t>(0, now - run.pick(0, 1000) * kMs);
            const RunView view = run.view(now, stored);
            StepTimeMap clock;
            const std::int64_t overview = std::max<std::int64_t>(0, stored - run.pick(0, 3000) * kMs);
            clock.setWhole(run.clock(overview, run.pick(0, 2) == 0 ? 16 : 1));
            if (run.pick(0, 1) == 0)
                clock.setPart(run.clock(stored, 1, run.pick(0, std::max<std::int64_t>(0, run.stepAt(stored)))));
            clock.setNow(view);
            for (std::size_t i = 0; i < view.incidents.size(); ++i) {
                const auto& in = view.incidents[i];
                const PlotRange steps = stepsOfIncident(in, view, clock);
                const auto seen = static_cast<double>(in.step);
                const bool isOpen = in.closedNs == 0;
                ++(isOpen ? open : closed);
                const auto told = QStringLiteral("seed %1, look %2, step %3, %4: %5 to %6")
                                      .arg(seed)
                                      .arg(look)
                                      .arg(in.step)
                                      .arg(isOpen ? "open" : "closed")
                                      .arg(steps.lo)
                                      .arg(steps.hi);
                QVERIFY2(steps == (PlotRange{seen - 0.5, seen + 0.5}), qPrintable(told));
            }
        }
    }
    QVERIFY2(open > 500 && closed > 5000, qPrintable(QStringLiteral("%1 open, %2 closed").arg(open).arg(closed)));
}

/// The end of a stall is noticed a little late, when the next step has begun; that step was not held up.
void TestRunClock::aCollectiveIsOfOneStep() {
    LiveRun run(7);
    const Stall& stall = run.stalls().front();
    const std::int64_t now = run.end() - 1;
    RunView view = run.view(now, now);
    StepTimeMap clock;
    clock.setWhole(run.clock(now, 1));
    clock.setNow(view);
    diagnosis::Incident& in = view.incidents.front();
    in.closedNs = kStart + run.beginOf(stall.step + 1) + 50 * kMs;
    const auto seen = static_cast<double>(in.step);
    QVERIFY(stepsOfIncident(in, view, clock).hi > seen + 0.5); // judging by its times alone
    in.collective.known = true;
    QCOMPARE(stepsOfIncident(in, view, clock), (PlotRange{seen - 0.5, seen + 0.5}));
}

/// The same in a run of one rank, where no collective is involved.
void TestRunClock::aHoldUpWithoutWaitersIsOfOneStep() {
    LiveRun run(7);
    const Stall& stall = run.stalls().front();
    RunView view = run.view(run.end() - 1, run.end() - 1);
    StepTimeMap clock;
    clock.setWhole(run.clock(run.end() - 1, 1));
    clock.setNow(view);
    diagnosis::Incident& in = view.incidents.front();
    in.closedNs = kStart + run.beginOf(stall.step + 1) + 50 * kMs;
    const auto seen = static_cast<double>(in.step);
    for (const auto cause : {diagnosis::Cause::DataLoading, diagnosis::Cause::Stopped, diagnosis::Cause::Checkpoint}) {
        in.cause = cause;
        QCOMPARE(stepsOfIncident(in, view, clock), (PlotRange{seen - 0.5, seen + 0.5}));
    }
}

/// Several steps that are held up for one reason are one incident, which names the last of them.
void TestRunClock::holdUpsInARowCoverTheirSteps() {
    LiveRun run(7);
    RunView view = run.view(run.end() - 1, run.end() - 1);
    StepTimeMap clock;
    clock.setWhole(run.clock(run.end() - 1, 1));
    clock.setNow(view);
    diagnosis::Incident& in = view.incidents.front();
    in.cause = diagnosis::Cause::DataLoading;
    in.collective.known = true;
    in.evidence.holdUps = 3;
    in.step = 14;
    in.openedNs = kStart + run.beginOf(12) + kMs;
    in.closedNs = kStart + run.beginOf(15) + 5 * kMs;
    QCOMPARE(stepsOfIncident(in, view, clock), (PlotRange{11.5, 14.5}));
}

/// All ranks and the supervisor were stopped within a step. When the supervisor sees that, the ranks are further on.
void TestRunClock::aPauseIsWhereTheRanksStood() {
    LiveRun run(7);
    const Stall& stall = run.stalls().front();
    RunView view = run.view(run.end() - 1, run.end() - 1);
    diagnosis::Incident& in = view.incidents.front();
    in.cause = diagnosis::Cause::Paused;
    in.step = stall.step + 2;
    const auto held = static_cast<double>(stall.step);
    StepTimeMap clock;
    clock.setWhole(run.clock(run.end() - 1, 1));
    clock.setNow(view);
    QCOMPARE(stepsOfIncident(in, view, clock), (PlotRange{held - 0.5, held + 0.5}));
    in.closedNs = kStart + run.beginOf(stall.step + 1); // the first sign of life is the end of the step
    QCOMPARE(stepsOfIncident(in, view, clock), (PlotRange{held - 0.5, held + 0.5}));
}

void TestRunClock::timeAndStepAgree() {
    for (std::uint32_t seed = 1; seed <= 100; ++seed) {
        LiveRun run(seed);
        const std::int64_t now = run.pick(run.end() / 4, run.end() - 1);
        StepTimeMap clock;
        clock.setWhole(run.clock(now - std::min(now, run.pick(0, 3000) * kMs), 1));
        clock.setNow(run.view(now, now - std::min(now, run.pick(0, 500) * kMs)));
        double before = -1;
        for (int i = 0; i <= 200; ++i) {
            const std::int64_t ns = now * i / 200;
            const double step = clock.stepAt(ns);
            QVERIFY2(step >= before, "it never falls with time");
            before = step;
            if (ns > 300 * kMs)
                QVERIFY2(std::abs(clock.timeOf(step) - ns) < 2 * kMs,
                         qPrintable(QStringLiteral("seed %1: %2 ns is step %3 is %4 ns")
                                        .arg(seed)
                                        .arg(ns)
                                        .arg(step)
                                        .arg(clock.timeOf(step))));
        }
        QCOMPARE(before, static_cast<double>(run.stepAt(now)) + 0.5);
    }
}

void TestRunClock::aStepUnderWayReachesToNow() {
    LiveRun run(7);
    const Stall& stall = run.stalls().front();
    const std::int64_t now = stall.endNs - kMs;
    StepTimeMap clock;
    clock.setNow(run.view(now, now)); // no curve has been read yet
    QCOMPARE(clock.stepAt(now), static_cast<double>(stall.step) + 0.5);
    QCOMPARE(clock.timeOf(static_cast<double>(stall.step) + 0.5), now);
    clock.clear();
    QVERIFY(clock.isEmpty());
}

void TestRunClock::waitsThatGoOnAreValues() {
    RunView view = LiveRun(7).view(20'000 * kMs, 20'000 * kMs);
    diagnosis::OpenWait wait;
    wait.rank = 0;
    wait.holder = 1;
    wait.collective.tag = "sync_max_audio_length";
    wait.step = 60;
    wait.sinceNs = view.nowNs - 4'500 * kMs;
    view.openWaits = {wait};
    view.ranks[1].phase = telemetry::Phase::DataWait;
    view.ranks[1].phaseSinceNs = view.nowNs - 5'000 * kMs;
    view.ranks[1].step = 60;
    const auto place = [](std::int64_t step) { return static_cast<double>(step); };
    const auto total = openValues(store::Metric::WaitTotal, view, place);
    QCOMPARE(total.size(), std::size_t{1});
    QCOMPARE(total[0], (OngoingValue{0, 60, 4.5}));
    QCOMPARE(openValues(store::Metric::WaitLengthSync, view, place).size(), std::size_t{1});
    QVERIFY(openValues(store::Metric::WaitGradient, view, place).empty());
    QVERIFY(openValues(store::Metric::Loss, view, place).empty());
    const auto data = openValues(store::Metric::DataWait, view, place);
    QCOMPARE(data.size(), std::size_t{1});
    QCOMPARE(data[0], (OngoingValue{1, 60, 5.0}));
}

RANKSCOPE_TEST(TestRunClock)
#include "tst_step_time_map.moc"
