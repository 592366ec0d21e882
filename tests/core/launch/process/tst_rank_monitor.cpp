// SPDX-License-Identifier: Apache-2.0
// What the supervisor sees of a rank's process, of a real one.
#include "core/base/values/clock.h"
#include "core/launch/process/rank_monitor.h"
#include "tests/support/test_runner.h"

#include <QTemporaryDir>
#include <QTest>

#include <csignal>
#include <filesystem>

using namespace rankscope;
using namespace rankscope::launch;
using State = diagnosis::ProcessView::State;

class TestRankWatch : public QObject {
    Q_OBJECT
private Q_SLOTS:
    /// A process of ours that has looked into a stopped rank lets it run for a moment: no glance at that ends the stop.
    void aStoppedRankThatIsLookedInto() {
        QTemporaryDir dir;
        RunPaths run{std::filesystem::path(dir.path().toStdString())};
        std::filesystem::create_directories(run.log(0).parent_path());
        RankWatch rank(0, run);
        LaunchPlan::Rank plan;
        plan.argv = {"/bin/sleep", "60"};
        QVERIFY(rank.start(plan));
        const auto sees = [&](State state, bool held) {
            rank.look(monotonicNs(), held);
            return rank.view(false).state == state;
        };
        QVERIFY(sees(State::Running, false));
        QCOMPARE(::kill(rank.pid(), SIGSTOP), 0);
        QTRY_VERIFY_WITH_TIMEOUT(sees(State::Stopped, false), 10'000);
        const std::int64_t since = rank.stoppedSinceNs();
        QCOMPARE(::kill(rank.pid(), SIGCONT), 0);
        for (int i = 0; i < 5; ++i) {
            QTest::qWait(10);
            QVERIFY(sees(State::Stopped, true));
        }
        QCOMPARE(rank.stoppedSinceNs(), since);
        QVERIFY(sees(State::Running, false)); // nobody holds it: it was continued
        rank.terminate(SIGKILL);
        QTRY_VERIFY_WITH_TIMEOUT((rank.look(monotonicNs()), rank.ended()), 10'000);
    }
};

RANKSCOPE_CORE_TEST(TestRankWatch)
#include "tst_rank_monitor.moc"
