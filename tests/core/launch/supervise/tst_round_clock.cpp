// SPDX-License-Identifier: Apache-2.0
// What the supervisor concludes from its own clock, and from real processes that were stopped with it.
#include "core/base/values/clock.h"
#include "core/launch/supervise/round_clock.h"
#include "tests/support/test_runner.h"

#include <QTemporaryDir>
#include <QTest>

#include <csignal>
#include <filesystem>

using namespace rankscope;
using namespace rankscope::launch;
using Ranks = diagnosis::UnwatchedTime::Ranks;

static constexpr std::int64_t kSecond = 1'000'000'000;

class TestRoundClock : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void whatTheRanksDid() {
        QCOMPARE(whatRanksDid(true, 2, 2, 0, 10 * kSecond), Ranks::StoodStill);
        QCOMPARE(whatRanksDid(false, 2, 2, 0, 10 * kSecond), Ranks::StoodStill);
        QCOMPARE(whatRanksDid(true, 2, 0, 0, 10 * kSecond), Ranks::Ran);      // the supervisor alone
        QCOMPARE(whatRanksDid(true, 2, 1, 0, 10 * kSecond), Ranks::Ran);      // one rank with it
        QCOMPARE(whatRanksDid(false, 2, 0, 0, 10 * kSecond), Ranks::Unknown); // frozen, or a slow disk
        QCOMPARE(whatRanksDid(false, 2, 0, 9 * kSecond, 10 * kSecond), Ranks::Ran);
        QCOMPARE(whatRanksDid(true, 0, 0, 0, 10 * kSecond), Ranks::Ran);
    }

    void processesThatWereStoppedAndContinued() {
        QTemporaryDir dir;
        const RunPaths run{std::filesystem::path(dir.path().toStdString())};
        std::vector<RankWatch> ranks;
        for (int r = 0; r < 2; ++r) {
            std::filesystem::create_directories(run.log(r).parent_path());
            LaunchPlan::Rank plan;
            plan.argv = {"/bin/sleep", "60"};
            QVERIFY(ranks.emplace_back(r, run).start(plan));
        }
        std::int64_t nowNs = monotonicNs();
        RoundClock clock;
        const auto look = [&](bool continued) {
            for (auto& rank : ranks)
                rank.look(nowNs);
            return clock.next(nowNs, continued, ranks);
        };
        QCOMPARE(look(false), diagnosis::UnwatchedTime{}); // the first round knows of none before it
        nowNs += kSecond / 10;
        QCOMPARE(look(true), diagnosis::UnwatchedTime{});
        for (auto& rank : ranks) {
            QCOMPARE(::kill(rank.pid(), SIGSTOP), 0);
            QTRY_VERIFY_WITH_TIMEOUT((rank.look(nowNs), rank.stoppedSinceNs() != 0), 10'000);
            QCOMPARE(::kill(rank.pid(), SIGCONT), 0);
        }
        const std::int64_t before = nowNs;
        nowNs += 12 * kSecond;
        const auto paused = look(true);
        QCOMPARE(paused.beginNs, before);
        QCOMPARE(paused.ranks, Ranks::StoodStill);
        nowNs += 12 * kSecond;
        QCOMPARE(look(true).ranks, Ranks::Ran); // this time nobody stopped them
    }
};

RANKSCOPE_CORE_TEST(TestRoundClock)
#include "tst_round_clock.moc"
