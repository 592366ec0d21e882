// SPDX-License-Identifier: Apache-2.0
#include "core/launch/process/run_outcome.h"
#include "core/launch/run/launch_spec.h"
#include "tests/support/test_runner.h"

#include <QTest>

#include <csignal>

using namespace rankscope;
using namespace rankscope::launch;
using telemetry::EndCause;

static RankEnd rank(int r) {
    RankEnd e;
    e.rank = r;
    e.step = e.done = 99; // the hundredth step had begun
    e.phase = telemetry::Phase::Forward;
    return e;
}
static RankEnd exited(int r, int code, std::optional<EndCause> said = {}, std::int64_t at = 100) {
    RankEnd e = rank(r);
    e.process = ProcessEnd{false, code, at};
    e.said = said;
    return e;
}
static RankEnd killed(int r, int signal, bool byUs, std::int64_t at = 100) {
    RankEnd e = rank(r);
    e.process = ProcessEnd{true, signal, at};
    e.byUs = byUs;
    return e;
}
static RankEnd done(int r, std::uint64_t hash = 7) {
    RankEnd e = exited(r, 0, EndCause::Finished);
    e.weightsHash = hash;
    return e;
}
static QString q(const Message& message) {
    return QString::fromStdString(message.english());
}

class TestVerdict : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void finished() {
        const std::vector<RankEnd> ends{done(0), done(1)};
        const auto v = determineOutcome(ends, false);
        QCOMPARE(v.state, RunState::Finished);
        QCOMPARE(v.exitCode, int(kDone));
    }
    void finishedBeforeTheStopCame() {
        const std::vector<RankEnd> ends{done(0), done(1)};
        QCOMPARE(determineOutcome(ends, true).state, RunState::Finished);
    }
    void signalNamesStepAndPhase() {
        const std::vector<RankEnd> ends{killed(0, SIGTERM, true), killed(1, SIGKILL, false)};
        const auto v = determineOutcome(ends, false);
        QCOMPARE(v.state, RunState::Failed);
        QCOMPARE(v.exitCode, int(kRankFailed));
        QCOMPARE(q(v.cause), QString("rank 1 ended with SIGKILL at step 99 while in forward"));
    }
    void outOfMemoryIsToldApart() {
        auto e = killed(1, SIGKILL, false);
        e.outOfMemory = true;
        QCOMPARE(
            q(endSentence(e)),
            QString("rank 1 was killed by the kernel because memory ran out (SIGKILL) at step 99 while in forward"));
    }
    void theReasonIsAValue() {
        const auto kind = [](const RankEnd& end, bool stopping = false) {
            const auto reason = determineOutcome(std::vector{end, done(1)}, stopping).reason;
            const bool ofARank = reason.rank == 0 && reason.step == 99;
            const auto name = endKindName(reason.kind);
            return ofARank || reason == EndReason() ? QString::fromUtf8(name.data(), qsizetype(name.size()))
                                                    : QString();
        };
        RankEnd end = killed(0, SIGKILL, false);
        QCOMPARE(kind(end), QString("killed"));
        QCOMPARE(kind(end, true), QString("none")); // the user stopped the run
        end.outOfMemory = true;
        QCOMPARE(kind(end), QString("out_of_memory"));
        QCOMPARE(kind(killed(0, SIGSEGV, false)), QString("crashed"));
        QCOMPARE(kind(exited(0, 7)), QString("exited"));
        QCOMPARE(kind(exited(0, 0, EndCause::Stopped)), QString("exited"));
        QCOMPARE(kind(done(0)), QString("none"));
        end = exited(0, kOutOfMemoryExit, EndCause::Failed);
        end.outOfMemory = true;
        QCOMPARE(kind(end), QString("out_of_memory"));
        end = exited(0, kFailedExit, EndCause::Failed);
        end.diskFull = true;
        QCOMPARE(kind(end), QString("disk_full"));
        end = exited(0, kRefusedExit, EndCause::Failed);
        end.text = "trainer.strategy: fsdp is not supported";
        QCOMPARE(kind(end), QString("refused"));
        end.text = "/runs/x: cannot write: No space left on device";
        QCOMPARE(kind(end), QString("disk_full"));
    }
    /// The victim's end is often seen first: it fails within milliseconds, while a large process takes time to exit.
    void theVictimIsNotBlamed() {
        auto victim = exited(0, 3, EndCause::Failed, 100);
        victim.victim = true;
        const std::vector<RankEnd> ends{victim, exited(1, 7, {}, 200)};
        QCOMPARE(*firstFailure(ends, false), std::size_t(1));
    }
    /// Both exited with the code of a failed trainer; only one of them lost a collective.
    void theRankWithAReasonOfItsOwnIsBlamed() {
        auto victim = exited(0, 3, EndCause::Failed, 100);
        victim.victim = true;
        const std::vector<RankEnd> ends{victim, exited(1, 3, EndCause::Failed, 200)};
        QCOMPARE(*firstFailure(ends, false), std::size_t(1));
    }
    void anotherExitCodeTellsMore() {
        const std::vector<RankEnd> ends{exited(0, 3, {}, 100), exited(1, 1, {}, 200)};
        QCOMPARE(*firstFailure(ends, false), std::size_t(1));
    }
    void aSignalComesBeforeAnExitCode() {
        const std::vector<RankEnd> ends{exited(0, 1, {}, 100), killed(1, SIGSEGV, false, 200)};
        QCOMPARE(*firstFailure(ends, false), std::size_t(1));
    }
    void theEarlierOfTwoEqualOnes() {
        const std::vector<RankEnd> ends{exited(0, 1, {}, 300), exited(1, 1, {}, 200), exited(2, 1, {}, 250)};
        QCOMPARE(*firstFailure(ends, false), std::size_t(1));
    }
    void aloneTheVictimIsNamed() {
        auto victim = exited(0, 3);
        victim.victim = true;
        const std::vector<RankEnd> ends{victim, killed(1, SIGKILL, true)};
        QCOMPARE(*firstFailure(ends, false), std::size_t(0));
    }
    void exitCodeZeroProvesNothing() {
        const std::vector<RankEnd> ends{done(0), exited(1, 0)};
        const auto v = determineOutcome(ends, false);
        QCOMPARE(v.state, RunState::Failed);
        QVERIFY2(q(v.cause).contains("rank 1 left at step 99"), v.cause.english().c_str());
    }
    void anEndThatWasNotSeenCountsByItsWords() {
        auto unseen = done(1);
        unseen.process->known = false;
        const std::vector<RankEnd> finished{done(0), unseen};
        QCOMPARE(determineOutcome(finished, false).state, RunState::Finished);
        unseen.said.reset();
        const std::vector<RankEnd> silent{done(0), unseen};
        const auto v = determineOutcome(silent, false);
        QCOMPARE(v.state, RunState::Failed);
        QVERIFY2(q(v.cause).contains("how it ended is unknown"), v.cause.english().c_str());
    }
    void stoppedFromOutside() {
        const std::vector<RankEnd> ends{exited(0, 0, EndCause::Stopped), done(1)};
        const auto v = determineOutcome(ends, false);
        QCOMPARE(v.state, RunState::Failed);
        QVERIFY2(q(v.cause).contains("rank 0 was stopped from outside"), v.cause.english().c_str());
    }
    void stoppedByTheUser() {
        const std::vector<RankEnd> ends{exited(0, 0, EndCause::Stopped), exited(1, 0, EndCause::Stopped)};
        const auto v = determineOutcome(ends, true);
        QCOMPARE(v.state, RunState::Stopped);
        QCOMPARE(v.exitCode, int(kStopped));
        QCOMPARE(q(v.cause), QString("stopped by the user after 99 steps"));
    }
    void stoppedBecauseARankWasAsked() {
        const Message asked = "rank 1 was asked to leave by SIGTERM from earlyoom (process 4711 of root)";
        const std::vector<RankEnd> ends{exited(0, 0, EndCause::Stopped), exited(1, 0, EndCause::Stopped)};
        const auto v = determineOutcome(ends, true, asked);
        QCOMPARE(v.state, RunState::Stopped);
        QCOMPARE(v.exitCode, int(kStopped));
        QCOMPARE(q(v.cause), "stopped after 99 steps: " + q(asked));
        const std::vector<RankEnd> one{exited(0, 0, EndCause::Stopped), killed(1, SIGKILL, true)};
        QCOMPARE(q(determineOutcome(one, true, asked).cause),
                 "stopped after 99 steps: " + q(asked) + "; rank 1 had to be killed");
    }
    void stopThatNeededForceSaysSo() {
        const std::vector<RankEnd> ends{exited(0, 0, EndCause::Stopped), killed(1, SIGKILL, true)};
        const auto v = determineOutcome(ends, true);
        QCOMPARE(v.state, RunState::Stopped);
        QVERIFY2(q(v.cause).contains("rank 1 had to be killed"), v.cause.english().c_str());
    }
    void waitingForARankThatDoesNotJoinIsNoForce() {
        std::vector<RankEnd> ends{killed(0, SIGTERM, true), killed(1, SIGKILL, true)};
        ends[0].done = ends[1].done = 0;
        ends[1].waitedInVain = true;
        const auto v = determineOutcome(ends, true);
        QCOMPARE(v.state, RunState::Stopped);
        QCOMPARE(q(v.cause), QString("stopped by the user before the first step"));
    }
    void crashWhileStoppingIsStillAStop() {
        const std::vector<RankEnd> ends{exited(0, 0, EndCause::Stopped), killed(1, SIGSEGV, false)};
        const auto v = determineOutcome(ends, true);
        QCOMPARE(v.exitCode, int(kStopped));
        QVERIFY2(q(v.cause).contains("rank 1 ended with SIGSEGV"), v.cause.english().c_str());
    }
    void differentWeights() {
        const std::vector<RankEnd> ends{done(0, 1), done(1, 2), done(2, 1)};
        const auto v = determineOutcome(ends, false);
        QCOMPARE(v.state, RunState::Failed);
        QCOMPARE(v.exitCode, int(kRankFailed));
        QCOMPARE(q(v.cause), QString("the ranks hold different weights at the end: ranks 0, 2 against rank 1"));
        QVERIFY(v.reason == EndReason{EndKind::WeightsDiffer});
    }
    void weightsOfDifferentStepsAreNotCompared() {
        auto a = exited(0, 0, EndCause::Stopped), b = exited(1, 0, EndCause::Stopped);
        a.weightsHash = 1, b.weightsHash = 2, b.step = 98;
        const std::vector<RankEnd> ends{a, b};
        QCOMPARE(determineOutcome(ends, true).state, RunState::Stopped);
        QVERIFY(determineOutcome(std::vector<RankEnd>{a, exited(1, 0, EndCause::Stopped)}, true).state ==
                RunState::Stopped);
    }
    void theEndRecordSpeaksBeforeTheLog() {
        auto e = exited(1, 2, EndCause::Failed);
        e.lastLines = {"last line"};
        QVERIFY(q(endSentence(e)).endsWith(": last line"));
        e.text = "utt.wav: no samples";
        QVERIFY(q(endSentence(e)).endsWith(": utt.wav: no samples"));
    }
    /// If a rank rejects the recipe, its complete sentence comes before what other ranks say about its absence.
    void aRankThatRefusesIsQuoted() {
        auto refused = exited(1, 2, EndCause::Failed, 200);
        refused.step = -1;
        refused.phase = telemetry::Phase::Startup;
        refused.text = "trainer.val_check_interval: 20 batches are mo";
        refused.lastLines = {
            "2026-11-23 12:00:00.000 info rank 1: one of 2",
            "rankscope-trainer: trainer.val_check_interval: 20 batches are more than the 8 of an epoch"};
        const QString cause =
            "rank 1 cannot train with this: trainer.val_check_interval: 20 batches are more than the 8 "
            "of an epoch";
        QCOMPARE(q(endSentence(refused)), cause);
        auto victim = exited(0, 3, EndCause::Failed, 100);
        victim.text = "rank 1 of 2 did not join within 60 s: see its log";
        QCOMPARE(q(determineOutcome(std::vector<RankEnd>{victim, refused}, false).cause), cause);
        refused.lastLines.clear(); // a log that cannot be read
        QVERIFY(q(endSentence(refused)).endsWith("20 batches are mo"));
        refused.text.clear();
        QVERIFY(q(endSentence(refused)).startsWith("rank 1 ended with exit code 2 before its first step"));
    }
    void aFullDiskIsOneSentence() {
        auto e = exited(0, 3, EndCause::Failed);
        e.step = 199;
        e.phase = telemetry::Phase::None;
        e.diskFull = true;
        e.lastLines = {"info rank 0: step 50/200"}; // the full disk cut the log short
        QCOMPARE(q(endSentence(e)), QString("rank 0 ended at step 199 because the disk or quota is full"));
        e.text = "/runs/x/checkpoints/last.safetensors: cann"; // cut to the size of an end record's text
        e.lastLines = {
            "rankscope-trainer: /runs/x/checkpoints/last.safetensors: cannot write: No space left on device"};
        QCOMPARE(q(determineOutcome(std::vector<RankEnd>{e, done(1)}, false).cause),
                 QString("rank 0 ended at step 199 because the disk or quota is full: "
                         "/runs/x/checkpoints/last.safetensors: cannot write: No space left on device"));
    }
    void beforeTheFirstStep() {
        auto e = exited(1, 1);
        e.step = -1;
        e.phase = telemetry::Phase::Startup;
        QCOMPARE(q(endSentence(e)), QString("rank 1 ended with exit code 1 before its first step while in startup"));
    }
};

RANKSCOPE_TEST(TestVerdict)
#include "tst_run_outcome.moc"
