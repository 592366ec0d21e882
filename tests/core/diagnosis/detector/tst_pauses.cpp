// SPDX-License-Identifier: Apache-2.0
// Runs that pause as a whole: no rank is blamed, and no value includes the time.
#include "core/diagnosis/evidence/incident_sentence.h"
#include "core/diagnosis/evidence/run_stall.h"
#include "core/diagnosis/model/active_clock.h"
#include "tests/core/diagnosis/simulated_run.h"
#include "tests/support/test_runner.h"

#include <QTest>

#include <csignal>

using namespace rankscope;
using namespace rankscope::diagnosis;
using namespace rankscope::diagnosis::test;

namespace {

/// Returns steps whose length is not a multiple of the detector's interval.
Work oddWork(int rank, std::int64_t step) {
    Work w;
    w.forwardNs = (57 + 7 * rank + step % 5) * kMs;
    w.backwardNs = (91 + step % 7) * kMs;
    return w;
}

void setStopped(SimulatedRun& run, int ranks, bool stopped) {
    for (int r = 0; r < ranks; ++r)
        run.rank(r).process = stopped ? ProcessView{ProcessView::State::Stopped, 0, SIGSTOP, run.now()}
                                      : ProcessView{ProcessView::State::Running};
}

double seconds(const Incident& in) {
    return static_cast<double>(lastedNs(in, in.closedNs)) * 1e-9;
}

} // namespace

class TestPauses : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void clock() {
        ActiveClock clock;
        QVERIFY(!clock.hasPauses());
        clock.add({100, 150});
        clock.add({150, 160}); // directly follows the first
        clock.add({300, 400});
        QCOMPARE(clock.active(0), 0);
        QCOMPARE(clock.active(90), 90);
        QCOMPARE(clock.active(120), 100);
        QCOMPARE(clock.active(200), 140);
        QCOMPARE(clock.active(500), 340);
        for (const std::int64_t ns : {1, 99, 160, 170, 299, 400, 1000})
            QCOMPARE(clock.monotonic(clock.active(ns)), ns);
        QCOMPARE(clock.pausedIn(120, 350), 40 + 50);
        for (std::int64_t i = 0; i < 1000; ++i) // a clock that keeps only a few pauses still works
            clock.add({1000 + 10 * i, 1005 + 10 * i});
        QCOMPARE(clock.active(20'000), 20'000 - 160 - 5000);
        QCOMPARE(clock.monotonic(clock.active(20'000)), 20'000);
        ByteEncoder out;
        clock.save(out);
        ActiveClock loaded;
        ByteDecoder in(out.bytes());
        QVERIFY(loaded.load(in) && in.atEnd());
        QCOMPARE(loaded.active(20'000), clock.active(20'000));
    }

    void aFrozenRunBlamesNobody_data() {
        QTest::addColumn<int>("ranks");
        QTest::addColumn<int>("offset");
        for (int ranks : {1, 2, 4})
            for (int offset = 0; offset < 10; ++offset)
                QTest::addRow("%d ranks, %d", ranks, offset) << ranks << offset;
    }
    void aFrozenRunBlamesNobody() {
        QFETCH(int, ranks);
        QFETCH(int, offset);
        SimulatedRun run(ranks, {}, oddWork);
        run.runFor(20 * kSecond + offset * 50 * kMs);
        run.freeze(15 * kSecond);
        run.runFor(30 * kSecond);
        const auto all = run.incidents();
        QCOMPARE(all.size(), std::size_t{1});
        const Incident& in = all.front();
        QCOMPARE(in.cause, Cause::Paused);
        QVERIFY(in.holders.empty() && in.waiters.empty());
        QCOMPARE(in.closed, CloseReason::Recovered);
        QVERIFY2(std::abs(seconds(in) - 15) < 0.3, std::to_string(seconds(in)).c_str());
        const std::string said = sentence(in, run.now()).english();
        QVERIFY2(said.starts_with("Everything was paused for 1") && said.find("from outside") != said.npos,
                 said.c_str());
        QVERIFY(!sentence(in, run.now()).text(rankscope::Language::Chinese).empty());
        QVERIFY(!isStall(in));
        QCOMPARE(stalledIntervals(all).size(), std::size_t{1}); // its steps do not count for the pace
    }

    /// The run is paused for 2.5 s again and again. Its typical step is still short, and a stall is still recognized as
    /// one.
    void whatIsTypicalLeavesThemOut() {
        SimulatedRun run(2, {}, [](int rank, std::int64_t step) {
            Work w = oddWork(rank, step);
            w.loadNs = rank == 1 && step == 400 ? 4 * kSecond : w.loadNs;
            return w;
        });
        while (run.rank(1).step < 400) {
            run.runFor(kSecond / 5);
            run.freeze(2 * kSecond + kSecond / 2);
        }
        run.observe();
        const auto paused = run.incidents().size();
        QVERIFY(paused > 300);
        run.runFor(20 * kSecond);
        const auto all = run.incidents();
        QCOMPARE(all.size(), paused + 1);
        const Incident& stall = all.back();
        QCOMPARE(stall.cause, Cause::DataLoading);
        QCOMPARE(stall.holders, std::vector<int>{1});
        QVERIFY2(seconds(stall) > 3.8 && seconds(stall) < 4.3, std::to_string(seconds(stall)).c_str());
        QVERIFY(stall.openedNs > run.now() - 25 * kSecond); // monotonic, like all reported times
        QVERIFY(stall.evidence.typicalStepSeconds.value() < 0.4);
    }

    void aStallThatIsPausedGoesOn() {
        SimulatedRun run(2, {}, [](int rank, std::int64_t step) {
            Work w = oddWork(rank, step);
            w.loadNs = rank == 1 && step == 50 ? 10 * kSecond : w.loadNs;
            return w;
        });
        while (run.rank(1).step < 50)
            run.runFor(50 * kMs);
        const std::int64_t beganNs = run.now();
        run.runFor(4 * kSecond);
        QCOMPARE(run.incidents().size(), std::size_t{1});
        run.freeze(30 * kSecond);
        run.runFor(15 * kSecond);
        const auto all = run.incidents();
        QCOMPARE(all.size(), std::size_t{2});
        QCOMPARE(all[0].cause, Cause::DataLoading);
        QVERIFY(std::abs(all[0].openedNs - beganNs) < kSecond);
        QVERIFY(std::abs(all[0].closedNs - beganNs - 40 * kSecond) < kSecond);
        QVERIFY2(seconds(all[0]) > 9.5 && seconds(all[0]) < 10.5, std::to_string(seconds(all[0])).c_str());
        QCOMPARE(all[1].cause, Cause::Paused);
    }

    /// The signals do not reach all processes at the same moment.
    void notAllAtTheSameMoment() {
        SimulatedRun run(3, {}, oddWork);
        run.runFor(20 * kSecond);
        setStopped(run, 3, true);
        run.runFor(kSecond);
        run.freeze(10 * kSecond);
        run.runFor(kSecond);
        setStopped(run, 3, false);
        run.runFor(20 * kSecond);
        const auto all = run.incidents();
        QCOMPARE(all.size(), std::size_t{1});
        QCOMPARE(all.front().cause, Cause::Paused);
        QVERIFY2(std::abs(seconds(all.front()) - 12) < 0.2, std::to_string(seconds(all.front())).c_str());
    }
    void ranksThatRunALittleLonger() {
        SimulatedRun run(2, {}, oddWork);
        run.runFor(20 * kSecond);
        run.runUnwatched(kSecond / 2);
        const std::int64_t beginNs = run.unwatched.beginNs;
        run.freeze(10 * kSecond);
        run.runUnwatched(kSecond / 2);
        run.unwatched.beginNs = beginNs;
        run.runFor(20 * kSecond);
        const auto all = run.incidents();
        QCOMPARE(all.size(), std::size_t{1});
        QCOMPARE(all.front().cause, Cause::Paused);
        QVERIFY2(std::abs(seconds(all.front()) - 10) < 0.2, std::to_string(seconds(all.front())).c_str());
    }

    /// The ranks kept running: nothing was paused, and no rank is blamed.
    void aSupervisorThatWasStoppedAlone() {
        SimulatedRun run(2, {}, oddWork);
        run.runFor(20 * kSecond);
        run.runUnwatched(15 * kSecond);
        run.runFor(20 * kSecond);
        QCOMPARE(run.incidents().size(), std::size_t{0});
    }
    /// The processes are known to have run, although nothing was observed meanwhile.
    void aStallThatNobodyWatched() {
        SimulatedRun run(2, {}, [](int rank, std::int64_t step) {
            Work w = oddWork(rank, step);
            w.loadNs = rank == 1 && step == 50 ? 30 * kSecond : w.loadNs;
            return w;
        });
        while (run.rank(1).step < 50)
            run.runFor(50 * kMs);
        run.runFor(kSecond);
        run.runUnwatched(10 * kSecond);
        run.unwatched.ranks = UnwatchedTime::RankActivity::Ran;
        run.runFor(30 * kSecond);
        const auto all = run.incidents();
        QCOMPARE(all.size(), std::size_t{1});
        QCOMPARE(all.front().cause, Cause::DataLoading);
        QVERIFY(seconds(all.front()) > 29);
    }

    void oneStoppedRankIsAHolder() {
        SimulatedRun run(2, {}, oddWork);
        run.runFor(20 * kSecond);
        run.rank(1).process = {ProcessView::State::Stopped, 0, SIGSTOP, run.now()};
        run.runFor(5 * kSecond);
        QCOMPARE(run.incidents().size(), std::size_t{1});
        QCOMPARE(run.incidents().front().cause, Cause::Stopped);
        QCOMPARE(run.incidents().front().holders, std::vector<int>{1});
    }

    void aSuspendedMachine() {
        SimulatedRun run(2, {}, oddWork);
        run.runFor(20 * kSecond);
        run.unwatched.suspendedNs = 8 * 3600 * kSecond;
        run.runFor(20 * kSecond);
        const auto all = run.incidents();
        QCOMPARE(all.size(), std::size_t{1});
        QCOMPARE(sentence(all.front(), run.now()).english(),
                 std::string("Everything was paused for 8 h 00 min: the machine was suspended."));
        QCOMPARE(all.front().closed, CloseReason::Recovered);
    }
};

RANKSCOPE_TEST(TestPauses)
#include "tst_pauses.moc"
