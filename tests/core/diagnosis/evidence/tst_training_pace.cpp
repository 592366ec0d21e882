// SPDX-License-Identifier: Apache-2.0
// The rate that is shown for a run: that of the steps that nothing held up; none while the run is stalled.
#include "core/diagnosis/evidence/run_stall.h"
#include "tests/support/test_runner.h"

#include <QTest>

using namespace rankscope::diagnosis;

class TestPace : public QObject {
    Q_OBJECT

    static constexpr std::int64_t kSecond = 1'000'000'000;

    static Incident stall(int rank, std::int64_t openedNs, std::int64_t closedNs = 0) {
        Incident in;
        in.cause = Cause::DataLoading;
        in.holders = {rank};
        in.openedNs = openedNs;
        in.closedNs = closedNs;
        in.closed = closedNs ? CloseReason::Recovered : CloseReason::Open;
        return in;
    }
    /// Returns the ends of steps of one second, from 0 on; step `at` takes `held` longer.
    static std::vector<std::int64_t> ends(int steps, int at = -1, std::int64_t held = 0) {
        std::vector<std::int64_t> all{0};
        for (int i = 0; i < steps; ++i)
            all.push_back(all.back() + kSecond + (i == at ? held : 0));
        return all;
    }

private Q_SLOTS:
    void aStallThatIsOverDoesNotWeigh() {
        const auto times = ends(20, 10, 47 * kSecond);
        const std::vector<Incident> incidents{stall(1, times[10] + kSecond / 2, times[11] - kSecond / 10)};
        const Pace with = paceOf(times, stalledIntervals(incidents)), without = paceOf(times, {});
        QCOMPARE(with.steps, std::int64_t{19});
        QCOMPARE(with.stepsPerSecond(times.back()), 1.0);
        QVERIFY(without.stepsPerSecond(times.back()) < 0.31); // the rate if the stall is not known
        // directly after it, before a step has ended
        const std::vector<std::int64_t> soFar(times.begin(), times.begin() + 11);
        const Pace behind = paceOf(soFar, stalledIntervals(incidents));
        QCOMPARE(behind.stepsPerSecond(incidents.front().closedNs + kSecond), 1.0);
    }

    void whatIsNoStallCounts() {
        auto bad = stall(0, 5 * kSecond, 6 * kSecond);
        bad.cause = Cause::NotFinite;
        auto slow = stall(0, 5 * kSecond, 6 * kSecond);
        slow.straggler = true; // a series of short waits, in which the run continues
        QVERIFY(stalledIntervals(std::vector{bad, slow}).empty());
        QCOMPARE(paceOf(ends(20), stalledIntervals(std::vector{bad, slow})).steps, std::int64_t{20});
    }

    void nothingIsKnownWithoutSteps() {
        QCOMPARE(paceOf({}, {}).stepsPerSecond(kSecond), 0.0);
        QCOMPARE(paceOf(std::vector<std::int64_t>{kSecond}, {}).stepsPerSecond(2 * kSecond), 0.0);
        const std::vector<Incident> all{stall(0, 0)};
        QCOMPARE(paceOf(ends(1), stalledIntervals(all)).stepsPerSecond(2 * kSecond), 0.0); // held up from the beginning
        QCOMPARE(paceOf(ends(20, 10, 40 * kSecond), stalledIntervals(all)).steps,
                 std::int64_t{19}); // many steps in one incident
    }

    void whoHoldsItUp() {
        const std::vector<Incident> incidents{stall(3, 10 * kSecond), stall(1, 12 * kSecond), stall(3, 13 * kSecond),
                                              stall(0, 1 * kSecond, 2 * kSecond)};
        const RunStall now = currentStall(incidents);
        QCOMPARE(now.ranks, (std::vector<int>{1, 3}));
        QCOMPARE(now.sinceNs, 10 * kSecond);
        QCOMPARE(standstillText(now, 57 * kSecond + kSecond / 2).english(), std::string("stalled 47 s, ranks 1, 3"));
        QCOMPARE(standstillText({{1}, 0}, 65 * kSecond).english(), std::string("stalled 65 s, rank 1"));
        QCOMPARE(standstillText({{1}, 0}, 100 * kSecond).english(), std::string("stalled 1 min 40 s, rank 1"));
        QCOMPARE(standstillText({{1}, 0}, 252 * kSecond).english(), std::string("stalled 4 min 12 s, rank 1"));
        QCOMPARE(standstillText(now, 57 * kSecond).text(rankscope::Language::Chinese),
                 std::string("卡住 47 秒，rank 1、3"));
        QCOMPARE(standstillText({{1}, 0}, 252 * kSecond).text(rankscope::Language::Chinese),
                 std::string("卡住 4 分 12 秒，rank 1"));
        QCOMPARE(standstillText({{1}, 10}, 0).english(), std::string("stalled 0 s, rank 1"));
        QVERIFY(!currentStall(std::vector{stall(0, 1, 2)}));
    }
};

RANKSCOPE_TEST(TestPace)
#include "tst_training_pace.moc"
