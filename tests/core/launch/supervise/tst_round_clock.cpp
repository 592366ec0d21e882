// SPDX-License-Identifier: Apache-2.0
// What the supervisor concludes from its own clock, and from real processes that were stopped together with it.
#include "core/base/values/clock.h"
#include "core/launch/supervise/round_clock.h"
#include "tests/support/test_runner.h"

#include <QTemporaryDir>
#include <QTest>

#include <csignal>
#include <filesystem>

using namespace rankscope;
using namespace rankscope::launch;
using RankActivity = diagnosis::UnwatchedTime::RankActivity;

static constexpr std::int64_t kSecond = 1'000'000'000;

class TestRoundClock : public QObject {
    Q_OBJECT
    /// Returns fewer than two if one cannot be started.
    static std::vector<RankMonitor> sleepingRanks(const QString& dir) {
        const RunPaths run{std::filesystem::path(dir.toStdString())};
        std::vector<RankMonitor> ranks;
        for (int r = 0; r < 2; ++r) {
            std::filesystem::create_directories(run.log(r).parent_path());
            PreparedLaunch::RankLaunch plan;
            plan.argv = {"/bin/sleep", "60"};
            if (!ranks.emplace_back(r, run).start(plan))
                return {};
        }
        return ranks;
    }
    static void stopAndContinue(RankMonitor& rank, std::int64_t nowNs) {
        QCOMPARE(::kill(rank.pid(), SIGSTOP), 0);
        QTRY_VERIFY_WITH_TIMEOUT((rank.poll(nowNs), rank.stoppedSinceNs() != 0), 10'000);
        QCOMPARE(::kill(rank.pid(), SIGCONT), 0);
        rank.poll(nowNs);
    }

private Q_SLOTS:
    void whatTheRanksDid() {
        QCOMPARE(whatRanksDid(true, 2, 2, 0, 10 * kSecond), RankActivity::StoodStill);
        QCOMPARE(whatRanksDid(false, 2, 2, 0, 10 * kSecond), RankActivity::StoodStill);
        QCOMPARE(whatRanksDid(true, 2, 0, 0, 10 * kSecond), RankActivity::Ran);      // only the supervisor was stopped
        QCOMPARE(whatRanksDid(true, 2, 1, 0, 10 * kSecond), RankActivity::Ran);      // one rank was stopped with it
        QCOMPARE(whatRanksDid(false, 2, 0, 0, 10 * kSecond), RankActivity::Unknown); // frozen, or a slow disk
        QCOMPARE(whatRanksDid(false, 2, 0, 9 * kSecond, 10 * kSecond), RankActivity::Ran);
        QCOMPARE(whatRanksDid(true, 0, 0, 0, 10 * kSecond), RankActivity::Ran);
    }

    void processesThatWereStoppedAndContinued() {
        QTemporaryDir dir;
        std::vector<RankMonitor> ranks = sleepingRanks(dir.path());
        QCOMPARE(ranks.size(), 2);
        std::int64_t nowNs = monotonicNs();
        RoundClock clock;
        const auto look = [&](bool continued) {
            for (auto& rank : ranks)
                rank.poll(nowNs);
            return clock.next(nowNs, continued, ranks);
        };
        QCOMPARE(look(false), diagnosis::UnwatchedTime{}); // no round before the first one
        nowNs += kSecond / 10;
        QCOMPARE(look(true), diagnosis::UnwatchedTime{});
        for (auto& rank : ranks)
            stopAndContinue(rank, nowNs);
        const std::int64_t before = nowNs;
        nowNs += 12 * kSecond;
        const auto paused = look(true);
        QCOMPARE(paused.beginNs, before);
        QCOMPARE(paused.ranks, RankActivity::StoodStill);
        nowNs += 12 * kSecond;
        QCOMPARE(look(true).ranks, RankActivity::Ran); // they were not stopped this time
    }
    /// The supervisor is stopped after it has polled the first rank and before it polls the second.
    void stoppedBetweenTwoRanks() {
        QTemporaryDir dir;
        std::vector<RankMonitor> ranks = sleepingRanks(dir.path());
        QCOMPARE(ranks.size(), 2);
        std::int64_t nowNs = monotonicNs();
        RoundClock clock;
        for (auto& rank : ranks)
            rank.poll(nowNs);
        clock.next(nowNs, false, ranks);
        nowNs += kSecond / 10;
        ranks[0].poll(nowNs);
        stopAndContinue(ranks[1], nowNs);
        QCOMPARE(clock.next(nowNs, false, ranks), diagnosis::UnwatchedTime{});
        stopAndContinue(ranks[0], nowNs);
        nowNs += 4 * kSecond;
        for (auto& rank : ranks)
            rank.poll(nowNs);
        QCOMPARE(clock.next(nowNs, true, ranks).ranks, RankActivity::StoodStill);
    }
};

RANKSCOPE_CORE_TEST(TestRoundClock)
#include "tst_round_clock.moc"
