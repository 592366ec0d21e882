// SPDX-License-Identifier: Apache-2.0
// What ranks waited when their run was stopped is part of its figures.
#include "core/launch/figures/open_waits.h"
#include "tests/support/test_runner.h"

#include <QTest>

using namespace rankscope;
using namespace rankscope::launch;
using diagnosis::CloseReason;

class TestWaitsAtEnd : public QObject {
    Q_OBJECT
    static constexpr std::int64_t kSecond = 1'000'000'000, kStartNs = 100 * kSecond;

    /// Rank 1 holds up the others from 10 s to 50 s, in step 60.
    static diagnosis::Incident stall(CloseReason closed) {
        diagnosis::Incident in;
        in.id = 1;
        in.cause = diagnosis::Cause::DataLoading;
        in.holders = {1};
        in.waiters = {0, 2, 3};
        in.step = 60;
        in.openedNs = kStartNs + 10 * kSecond;
        in.closedNs = kStartNs + 50 * kSecond;
        in.closed = closed;
        return in;
    }
    /// Four ranks, the slowest of which ended `lastStep`, 10 s after the start.
    static std::vector<store::RankSummary> ranks(std::int64_t lastStep) {
        std::vector<store::RankSummary> all(4);
        for (int r = 0; r < 4; ++r) {
            all[static_cast<std::size_t>(r)].rank = r;
            all[static_cast<std::size_t>(r)].lastStep = lastStep + (r == 0 ? 0 : 1);
            all[static_cast<std::size_t>(r)].lastNs = 10 * kSecond;
        }
        return all;
    }
    static store::LostTime lostWith(const std::vector<diagnosis::Incident>& incidents, std::int64_t lastStep,
                                    std::vector<store::RankSummary>& all) {
        all = ranks(lastStep);
        store::LostTime lost{lastStep + 1, 9 * kSecond, 1e9};
        addWaitsAtEnd(incidents, kStartNs, all, lost);
        return lost;
    }

private Q_SLOTS:
    void ofAStoppedRun() {
        for (const auto closed : {CloseReason::StoppedByUser, CloseReason::RunEnded}) {
            std::vector<store::RankSummary> all;
            const auto lost = lostWith({stall(closed)}, 59, all);
            QCOMPARE(lost.lostNs, 1e9 + 30e9); // three of four ranks waited for 40 s
            QCOMPARE(lost.lastedNs, 49 * kSecond);
            QCOMPARE(all[0].waitedNs, 40 * kSecond);
            QCOMPARE(all[1].waitedNs, std::int64_t{0});
            QCOMPARE(all[1].heldNs, 120 * kSecond);
        }
    }
    void aPauseIsNoWait() {
        diagnosis::Incident pause;
        pause.cause = diagnosis::Cause::Paused;
        pause.closed = CloseReason::StoppedByUser;
        pause.openedNs = kStartNs + 20 * kSecond;
        pause.closedNs = kStartNs + 30 * kSecond;
        std::vector<store::RankSummary> all;
        QCOMPARE(lostWith({stall(CloseReason::StoppedByUser), pause}, 59, all).lastedNs, 39 * kSecond);
        QCOMPARE(all[0].waitedNs, 30 * kSecond);
    }
    void inTheReportOfWaits() {
        std::vector<store::RankSummary> all = ranks(59);
        auto cutOff = stall(CloseReason::StoppedByUser);
        cutOff.phase = telemetry::Phase::DataWait;
        cutOff.collective = {"gradient:3", telemetry::CollectiveOp::AllReduce, 0, 200, true};
        const WaitsAtEnd atEnd = waitsAtEnd(std::vector{cutOff}, all);
        store::WaitReport report;
        report.worldSize = 4;
        report.steps = {0, 59};
        report.endNs = 10 * kSecond;
        addWaitsAtEnd(atEnd, kStartNs, report);
        QCOMPARE(report.lostNs(), 30e9);
        QCOMPARE(report.lastedNs(), 50 * kSecond);
        QCOMPARE(report.matrix.cells().size(), std::size_t{3});
        const auto& [key, sums] = *report.matrix.cells().begin();
        QVERIFY(key == diagnosis::WaitMatrix::PairKey(0, 1, "gradient"));
        QCOMPARE(sums.untilEndNs, 40 * kSecond);
        QCOMPARE(sums.waitNs, 40 * kSecond);
        QVERIFY(sums.mostly() == telemetry::Phase::DataWait);
        QCOMPARE(report.matrix.total().untilEndNs, 120 * kSecond);

        store::WaitReport alone; // only the step of the stall was asked for: no rank has ended it
        addWaitsAtEnd(atEnd, kStartNs, alone);
        QVERIFY(alone.steps == (store::StepInterval{60, 60}));
        QCOMPARE(alone.beginNs, 10 * kSecond);
        QCOMPARE(alone.lastedNs(), 40 * kSecond);
        QVERIFY(waitsAtEnd(std::vector{stall(CloseReason::Recovered)}, all).waits.empty());
    }
    void notTwice() {
        std::vector<store::RankSummary> all;
        QCOMPARE(lostWith({stall(CloseReason::Recovered)}, 59, all).lostNs, 1e9);
        QCOMPARE(lostWith({stall(CloseReason::StoppedByUser)}, 60, all).lostNs, 1e9); // its records are counted
        QCOMPARE(all[0].waitedNs, std::int64_t{0});
        auto again = stall(CloseReason::StoppedByUser);
        again.openedNs += 20 * kSecond; // a second incident of the same wait
        QCOMPARE(lostWith({stall(CloseReason::StoppedByUser), again}, 59, all).lostNs, 31e9);
    }
};

RANKSCOPE_CORE_TEST(TestWaitsAtEnd)
#include "tst_waits_at_end.moc"
