// SPDX-License-Identifier: Apache-2.0
// The verdict on a supervised run, the end that the detector gets, and what is recorded.
#include "core/launch/run/launch_spec.h"
#include "core/launch/supervise/run_end.h"
#include "tests/support/test_runner.h"

#include <QTest>

#include <csignal>

using namespace rankscope;
using namespace rankscope::launch;
using diagnosis::RunOutcomeSeen;
using telemetry::EndCause;

static RankEnd ended(int rank, const ProcessEnd& process, std::optional<EndCause> said = {}) {
    RankEnd end;
    end.rank = rank;
    end.process = process;
    end.said = said;
    end.step = 12;
    end.done = 12;
    end.phase = telemetry::Phase::Forward;
    return end;
}

/// Returns two ranks of which the second was killed and the first ended by the supervisor.
static RunEndFacts killed() {
    RunEndFacts facts;
    facts.ranks = {ended(0, {true, SIGTERM, 20}), ended(1, {true, SIGKILL, 10})};
    facts.ranks[0].byUs = true;
    facts.ranks[0].lastLines = {"of rank 0"};
    facts.ranks[1].lastLines = {"loss 3.1", "loss 3.0"};
    return facts;
}

static RunEndFacts finished() {
    RunEndFacts facts;
    facts.ranks = {ended(0, {false, 0, 10}, EndCause::Finished), ended(1, {false, 0, 10}, EndCause::Finished)};
    return facts;
}

static RunEndFacts stopped() {
    RunEndFacts facts;
    facts.ranks = {ended(0, {false, 0, 10}, EndCause::Stopped), ended(1, {false, 0, 10}, EndCause::Stopped)};
    facts.stopping = true;
    return facts;
}

static RunEndFacts left() {
    RunEndFacts facts = stopped();
    facts.leaving = true;
    facts.asked = "rank 1 was asked to leave by SIGTERM";
    return facts;
}

static RunEndFacts folderRemoved() {
    RunEndFacts facts = killed();
    facts.removedFolder = "/runs/a";
    return facts;
}

static RunEndFacts released() {
    RunEndFacts facts;
    facts.ranks = {ended(0, {true, SIGKILL, 10})}; // how it ended meanwhile does not count
    facts.released = true;
    return facts;
}

static RunEndFacts ofCommand(int code) {
    RunEndFacts facts = finished();
    facts.command = {{false, code, 10}, {}};
    return facts;
}

class TestRunEnd : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void eachKind_data() {
        QTest::addColumn<RunEndFacts>("facts");
        QTest::addColumn<QString>("state");
        QTest::addColumn<int>("exitCode");
        QTest::addColumn<QString>("cause");
        QTest::addColumn<QString>("reason");
        QTest::addColumn<RunOutcomeSeen>("seen");
        QTest::newRow("finished") << finished() << "finished" << int(kDone) << "finished"
                                  << "none" << RunOutcomeSeen::Finished;
        QTest::newRow("a rank was killed")
            << killed() << "failed" << int(kRankFailed) << "rank 1 ended with SIGKILL at step 12 while in forward"
            << "killed" << RunOutcomeSeen::Failed;
        QTest::newRow("stopped by the user")
            << stopped() << "stopped" << int(kStopped) << "stopped by the user after 12 steps"
            << "none" << RunOutcomeSeen::StoppedByUser;
        QTest::newRow("asked to leave") << left() << "stopped" << int(kStopped)
                                        << "stopped after 12 steps: rank 1 was asked to leave by SIGTERM"
                                        << "none" << RunOutcomeSeen::Finished;
        QTest::newRow("folder removed") << folderRemoved() << "failed" << int(kRankFailed)
                                        << "the run's folder /runs/a was removed or renamed while it trained"
                                        << "folder_removed" << RunOutcomeSeen::Failed;
        QTest::newRow("no longer watched") << released() << "stopped" << int(kStopped) << "no longer watched"
                                           << "none" << RunOutcomeSeen::Finished;
        RunEndFacts continuing = released();
        continuing.anyLives = true;
        QTest::newRow("no longer watched, ranks live")
            << continuing << "stopped" << int(kStopped) << "no longer watched; its ranks continue"
            << "none" << RunOutcomeSeen::Finished;
        QTest::newRow("command failed") << ofCommand(9) << "failed" << 9 << "the command ended with exit code 9"
                                        << "exited" << RunOutcomeSeen::Failed;
        RunEndFacts unrecorded = ofCommand(0);
        unrecorded.removedFolder = "/runs/a"; // the command continued without being recorded, and decides
        QTest::newRow("command, folder removed") << unrecorded << "finished" << 0 << "finished"
                                                 << "none" << RunOutcomeSeen::Finished;
    }
    void eachKind() {
        QFETCH(RunEndFacts, facts);
        QFETCH(QString, state);
        QFETCH(int, exitCode);
        QFETCH(QString, cause);
        QFETCH(QString, reason);
        QFETCH(RunOutcomeSeen, seen);
        const RunOutcome outcome = outcomeOf(facts);
        QCOMPARE(QString::fromStdString(std::string(runStateName(outcome.state))), state);
        QCOMPARE(outcome.exitCode, exitCode);
        QCOMPARE(QString::fromStdString(outcome.cause.english()), cause);
        QCOMPARE(QString::fromStdString(std::string(endKindName(outcome.reason.kind))), reason);
        QCOMPARE(endForDetector(facts, outcome.state), seen);
    }

    void theNoteQuotesTheRankToBlame() {
        QCOMPARE(endNote(killed(), "rank 1 ended with SIGKILL"),
                 std::string("The run ended: rank 1 ended with SIGKILL. Last lines of rank 1's log:\nloss 3.1\n"
                             "loss 3.0"));
        QCOMPARE(endNote(finished(), "finished"), std::string("The run ended: finished."));
    }
    /// The end of a rank that the user wanted is nothing to look into.
    void theNoteOnAStopQuotesNoLog() {
        RunEndFacts facts = killed();
        facts.stopping = true;
        QCOMPARE(endNote(facts, "stopped by the user"), std::string("The run ended: stopped by the user."));
    }

    void whatIsRecorded() {
        RunInfo info;
        info.startNs = 1'000;
        info.startRealtimeNs = 50'000;
        recordOutcome(outcomeOf(killed()), 3'000, 52'100, info);
        QCOMPARE(info.state, RunState::Failed);
        QCOMPARE(info.exitCode, int(kRankFailed));
        QCOMPARE(info.cause.english(), std::string("rank 1 ended with SIGKILL at step 12 while in forward"));
        QVERIFY(info.reason == (EndReason{EndKind::Killed, 1, 12}));
        QCOMPARE(info.endRealtimeNs, std::int64_t{52'100});
    }
    void aWallClockThatWasSetBack() {
        RunInfo info;
        info.startNs = 1'000;
        info.startRealtimeNs = 50'000;
        recordOutcome(outcomeOf(finished()), 3'000, 40'000, info);
        QCOMPARE(info.endRealtimeNs, std::int64_t{52'000});
    }
};

RANKSCOPE_CORE_TEST(TestRunEnd)
#include "tst_run_end.moc"
