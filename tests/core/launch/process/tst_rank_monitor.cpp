// SPDX-License-Identifier: Apache-2.0
// How the supervisor observes the process of a rank, with a real process.
#include "core/base/values/clock.h"
#include "core/diagnosis/evidence/cause_finder.h"
#include "core/diagnosis/stalls/stall_scan.h"
#include "core/launch/process/rank_monitor.h"
#include "tests/support/test_runner.h"

#include <QFile>
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
    /// A stop names a step some time ahead: one long recent step must not bring it too close.
    void oneLongStepDoesNotLowerTheRate() {
        RankMonitor rank(0, RunPaths{});
        std::int64_t endNs = 1'000'000'000;
        for (std::int64_t step = 0; step < 15; ++step) {
            telemetry::StepRecord record;
            record.header.step = step;
            record.endNs = endNs += step == 8 ? 15'000'000'000 : 20'000'000;
            const std::vector records{telemetry::AnyRecord::of(record)};
            rank.add(records);
        }
        QVERIFY2(std::abs(rank.stepsPerSecond() - 50) < 0.1, std::to_string(rank.stepsPerSecond()).c_str());
    }
    /// When one of our processes has inspected a stopped rank, the rank runs for a moment: seeing that does not end the
    /// stop.
    void aStoppedRankThatIsLookedInto() {
        QTemporaryDir dir;
        RunPaths run{std::filesystem::path(dir.path().toStdString())};
        std::filesystem::create_directories(run.log(0).parent_path());
        RankMonitor rank(0, run);
        PreparedLaunch::RankLaunch plan;
        plan.argv = {"/bin/sleep", "60"};
        QVERIFY(rank.start(plan));
        const auto sees = [&](State state, bool held) {
            rank.poll(monotonicNs(), held);
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
        QTRY_VERIFY_WITH_TIMEOUT(sees(State::Running, true), 10'000); // not only for a moment: it was continued
        QCOMPARE(::kill(rank.pid(), SIGSTOP), 0);
        QTRY_VERIFY_WITH_TIMEOUT(sees(State::Stopped, true), 10'000);
        QCOMPARE(::kill(rank.pid(), SIGCONT), 0);
        QTRY_VERIFY_WITH_TIMEOUT(sees(State::Running, false), 10'000); // no process holds it
        rank.terminate(SIGKILL);
        QTRY_VERIFY_WITH_TIMEOUT((rank.poll(monotonicNs()), rank.ended()), 10'000);
    }
    /// A rank of a watched command has no separate log.
    void aRankThatAborted_data() {
        QTest::addColumn<QString>("signal");
        QTest::addColumn<bool>("said");
        QTest::newRow("abort") << "ABRT" << true;
        QTest::newRow("another signal") << "KILL" << false;
    }
    void aRankThatAborted() {
        QFETCH(QString, signal);
        QTemporaryDir dir;
        RunPaths run{std::filesystem::path(dir.path().toStdString())};
        std::filesystem::create_directories(run.log(0).parent_path());
        RankMonitor rank(0, run);
        PreparedLaunch::RankLaunch plan;
        plan.argv = {"/bin/sh", "-c", "kill -" + signal.toStdString() + " $$"};
        QVERIFY(rank.start(plan));
        QTRY_VERIFY_WITH_TIMEOUT((rank.poll(monotonicNs()), rank.ended()), 10'000);
        QVERIFY(rank.view(false).lastLines.empty());
        const std::string why = "  what():  [enforce fail at pair.cc:523] op.preamble.length <= op.nbytes. 16 vs 4";
        QFile log(QString::fromStdString(run.commandLog().string()));
        QVERIFY(log.open(QIODevice::WriteOnly));
        log.write(("[rank1]: ValueError: another rank's\n" + why + "\nstep 12\n").c_str());
        log.close();
        rank.poll(monotonicNs());
        QTEST(diagnosis::isAbortedByMismatch(rank.view(false)), "said");
        QCOMPARE(rank.view(false).lastLines.find("ValueError"), std::string::npos);
    }
    /// Detected from the rank's log, or from its end message, which takes precedence: the log may be about an earlier
    /// checkpoint.
    void aRankThatFoundTheDiskFull_data() {
        QTest::addColumn<QString>("log");
        QTest::addColumn<QString>("said");
        QTest::addColumn<int>("code");
        QTest::addColumn<bool>("full");
        const QString full = "last.safetensors: cannot write: No space left on device";
        QTest::newRow("by its log") << full << "" << 3 << true;
        QTest::newRow("by what it said") << "step 50/100" << full << 3 << true;
        QTest::newRow("what it said was cut") << full << QString(160, 'x') << 3 << true;
        QTest::newRow("another reason") << full << "data.json: no such file" << 3 << false;
        QTest::newRow("a quota") << "x: cannot write: Disk quota exceeded"
                                 << "" << 3 << true;
        QTest::newRow("no such word") << "step 50/100"
                                      << "" << 3 << false;
        QTest::newRow("another program's exit code") << full << "" << 1 << false;
    }
    void aRankThatFoundTheDiskFull() {
        QFETCH(QString, log);
        QFETCH(QString, said);
        QFETCH(int, code);
        QTemporaryDir dir;
        RunPaths run{std::filesystem::path(dir.path().toStdString())};
        std::filesystem::create_directories(run.log(0).parent_path());
        RankMonitor rank(0, run);
        PreparedLaunch::RankLaunch plan;
        plan.argv = {"/bin/sh", "-c", "echo \"$1\"; exit $2", "rank", log.toStdString(), std::to_string(code)};
        QVERIFY(rank.start(plan));
        QTRY_VERIFY_WITH_TIMEOUT((rank.poll(monotonicNs()), rank.ended()), 10'000);
        if (!said.isEmpty()) {
            telemetry::EndRecord end;
            end.cause = telemetry::EndCause::Failed;
            telemetry::putText(end.text, sizeof end.text, said.toStdString());
            const telemetry::AnyRecord records[]{telemetry::AnyRecord::of(end)};
            rank.add(records);
        }
        QTEST(rank.end().diskFull, "full");
        const bool told = diagnosis::mentionsFullDisk(rank.view(false).lastLines);
        QVERIFY(told || !rank.end().diskFull); // the incident takes its reason from these lines
    }
};

RANKSCOPE_CORE_TEST(TestRankWatch)
#include "tst_rank_monitor.moc"
