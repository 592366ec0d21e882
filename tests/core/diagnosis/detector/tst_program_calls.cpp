// SPDX-License-Identifier: Apache-2.0
// Programs that were not started from a recipe: ranks that make different calls, or another number of them.
#include "tests/core/diagnosis/program_stage.h"
#include "tests/support/test_runner.h"

#include <QTest>

#include <csignal>

using namespace rankscope::diagnosis;
using namespace rankscope::diagnosis::test;

class TestProgramCalls : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void theLineOnEachRank() {
        Program s(4);
        s.warmUp();
        for (int r = 0; r < 4; ++r)
            s.enter(r, 40, r == 2 ? "train.py:52" : r == 3 ? "gradient:0" : "train.py:40", r == 2 ? 8 : 1);
        s.pass(kSecond);
        QCOMPARE(s.only().cause, Cause::MismatchedCollective);
        QCOMPARE(s.only().holders, (Ranks{2, 3}));
        QCOMPARE(QString::fromStdString(s.only().evidence.mismatch.value_or("")),
                 QString("ranks 0, 1 all-reduce train.py:40 of 1 element, rank 2 all-reduce train.py:52 of 8 elements, "
                         "rank 3 all-reduce gradient:0 of 1 element"));
        QVERIFY(!s.only().evidence.setting);
        QVERIFY(s.speaksChinese());
    }
    /// A barrier between two steps is not the end of the program.
    void aBarrierThatOneRankCalls() {
        Program s(2);
        s.warmUp();
        s.enter(0, 40, "gradient:0", 8);
        s.phase(1, Phase::Barrier);
        s.enter(1, 40, "barrier:save.py:9");
        s.pass(kSecond);
        QCOMPARE(s.only().cause, Cause::MismatchedCollective);
    }
    void oneMoreCallFromTheSameLine() {
        Program s(3);
        s.warmUp();
        for (std::uint64_t n = 0; n < 3; ++n)
            s.call(30 + n, "decode.py:17", 1, 10);
        s.look();
        for (int r = 0; r < 3; ++r)
            s.enter(r, 33, r == 1 ? "decode.py:17" : "gradient:0");
        s.pass(kSecond);
        QCOMPARE(s.only().cause, Cause::UnevenCalls);
        QCOMPARE(s.only().holders, Ranks{1});
        QCOMPARE(s.only().evidence.holderCalls.value_or(0), std::int64_t{4});
        QCOMPARE(s.only().evidence.othersCalls.value_or(0), std::int64_t{3});
        QCOMPARE(s.only().collective.tag, std::string("decode.py:17"));
        QVERIFY2(s.said().contains("how often they have called decode.py:17 in this step: rank 1 4, the others 3."),
                 qPrintable(s.said()));
        QVERIFY(s.speaksChinese());
    }
    void oneCallFewerFromTheSameLine() {
        Program s(3);
        s.warmUp();
        for (std::uint64_t n = 0; n < 3; ++n)
            s.call(30 + n, "decode.py:17", 1, 10);
        s.look();
        for (int r = 0; r < 3; ++r)
            s.enter(r, 33, r == 1 ? "gradient:0" : "decode.py:17");
        s.pass(kSecond);
        QCOMPARE(s.only().cause, Cause::UnevenCalls);
        QCOMPARE(s.only().holders, Ranks{1});
        QCOMPARE(s.only().evidence.holderCalls.value_or(0), std::int64_t{3});
        QCOMPARE(s.only().evidence.othersCalls.value_or(0), std::int64_t{4});
    }
    /// All ranks make the call in each step; in this one, a rank makes it twice, and another leaves it out.
    void callsOfEarlierStepsDoNotCount() {
        Program s(2);
        s.warmUp();
        s.call(30, "train.py:17", 1, 9);
        s.call(31, "gradient:0", 1, 10);
        s.look();
        s.enter(0, 32, "gradient:0");
        s.enter(1, 32, "train.py:17");
        s.pass(kSecond);
        QCOMPARE(s.only().cause, Cause::MismatchedCollective);
    }
    /// The newest step of which all calls are known is the one before.
    void aCallThatNoRankMadeBefore_data() {
        QTest::addColumn<int>("rank");
        QTest::newRow("rank 0") << 0;
        QTest::newRow("rank 1") << 1;
    }
    void aCallThatNoRankMadeBefore() {
        QFETCH(int, rank);
        Program s(2);
        s.warmUp();
        s.call(30, "train.py:17", 1, 9);
        s.call(31, "gradient:0", 1, 9);
        s.look();
        s.enter(rank, 32, "train.py:12");
        s.enter(1 - rank, 32, "train.py:17");
        s.pass(kSecond);
        QCOMPARE(s.only().cause, Cause::MismatchedCollective);
        QCOMPARE(s.only().holders, Ranks{rank});
        QCOMPARE(s.only().waiters, Ranks{1 - rank});
    }
    /// Gloo lets a rank leave whose message is shorter: only its record has the call that differs.
    void aCallThatARankHasLeft_data() { aCallThatNoRankMadeBefore_data(); }
    void aCallThatARankHasLeft() {
        QFETCH(int, rank);
        Program s(2);
        s.warmUp();
        s.call(31, "train.py:17", 4, 9);
        s.look();
        s.enter(1 - rank, 32, "train.py:17", 4);
        s.called(rank, 32, "train.py:12", 1, 10);
        s.enter(rank, 33, "train.py:17", 4);
        s.pass(kSecond);
        QCOMPARE(s.only().cause, Cause::MismatchedCollective);
        QCOMPARE(s.only().holders, Ranks{rank});
        QCOMPARE(s.only().waiters, Ranks{1 - rank});
        QCOMPARE(s.only().collective.sequence, std::uint64_t{32});
        QVERIFY(s.only().evidence.mismatch.value_or("").find("train.py:12 of 1 element") != std::string::npos);
        QVERIFY(s.only().evidence.mismatch.value_or("").find("train.py:17 of 4 elements") != std::string::npos);
    }
    /// Ranks leave the same collective one after the other.
    void theSameCallThatARankHasLeft() {
        Program s(2);
        s.warmUp();
        s.enter(0, 32, "train.py:17", 4);
        s.called(1, 32, "train.py:17", 4, 10);
        s.enter(1, 33, "train.py:18", 1);
        s.pass(3 * kSecond);
        QCOMPARE(s.only().cause, Cause::InsideCollective);
        QCOMPARE(s.only().holders, Ranks{0});
    }
    /// Of two ranks, the one is odd that calls the line another number of times than in the step before.
    void oneCallMoreOrFewerThanUsual_data() {
        QTest::addColumn<int>("usual");
        QTest::addColumn<int>("again");
        for (int usual = 1; usual < 3; ++usual)
            for (int again = 0; again < 2; ++again)
                QTest::addRow("%d calls, rank %d calls again", usual, again) << usual << again;
    }
    void oneCallMoreOrFewerThanUsual() {
        QFETCH(int, usual);
        QFETCH(int, again);
        Program s(2);
        s.warmUp();
        for (int n = 0; n < usual; ++n)
            s.call(30 + static_cast<std::uint64_t>(n), "train.py:17", 1, 9);
        s.call(40, "gradient:0", 1, 9);
        s.call(41, "train.py:17", 1, 10);
        s.look();
        s.enter(again, 42, "train.py:17");
        s.enter(1 - again, 42, "gradient:0");
        s.pass(kSecond);
        QCOMPARE(s.only().cause, Cause::UnevenCalls);
        QCOMPARE(s.only().holders, Ranks{usual == 1 ? again : 1 - again});
        QCOMPARE(s.only().evidence.holderCalls.value_or(0), std::int64_t{usual == 1 ? 2 : 1});
        QCOMPARE(s.only().evidence.othersCalls.value_or(0), std::int64_t{usual == 1 ? 1 : 2});
        QCOMPARE(s.only().collective.tag, std::string("train.py:17"));
    }
    /// Gloo aborts a rank that gets more than it asked for. Why it did so comes into the command's log a moment later.
    void anAbortByAnotherRanksCall() {
        Program s(2);
        s.warmUp();
        s.call(30, "train.py:17", 4, 9);
        s.look();
        s.enter(0, 31, "train.py:17", 4);
        s.enter(1, 31, "train.py:12", 1);
        s.process(1) = {ProcessView::State::Signalled, 0, SIGABRT, s.now, false, {}};
        s.look();
        QVERIFY(s.incidents.empty());
        s.process(1).lastLines = "what():  [enforce fail at pair.cc:523] op.preamble.length <= op.nbytes. 16 vs 4";
        s.pass(kSecond);
        QCOMPARE(s.only().cause, Cause::MismatchedCollective);
        QCOMPARE(s.only().holders, Ranks{1});
        s.process(0) = {ProcessView::State::Signalled, 0, SIGTERM, s.now, false, {}}; // by the launcher
        s.pass(kSecond);
        QCOMPARE(s.incidents.size(), std::size_t{1});
    }
    void anAbortThatNothingExplains() {
        Program s(2);
        s.warmUp();
        s.enter(0, 31, "train.py:17", 4);
        s.process(1) = {ProcessView::State::Signalled, 0, SIGABRT, s.now, false, {}};
        s.pass(kSecond);
        QCOMPARE(s.only().cause, Cause::Dead);
        QCOMPARE(s.only().holders, Ranks{1});
        QVERIFY(s.only().detectedNs - s.only().openedNs < kSecond);
    }
    void aBufferThatGrewOnOneRank() {
        Program s(3);
        s.warmUp();
        s.call(30, "broadcast:buffers", 4000, 9, CollectiveOp::Broadcast);
        s.look();
        for (int r = 0; r < 3; ++r) {
            s.enter(r, 31, "broadcast:buffers", r == 0 ? 8000 : 4000);
            s.newest(r, 0).op = CollectiveOp::Broadcast;
        }
        s.pass(kSecond);
        QCOMPARE(s.only().cause, Cause::GrownBuffer);
        QCOMPARE(s.only().holders, Ranks{0});
        QCOMPARE(s.only().waiters, (Ranks{1, 2}));
        QVERIFY2(s.said().contains("had grown on rank 0: 8000 elements there, 4000 on the others."),
                 qPrintable(s.said()));
        QVERIFY(s.speaksChinese());
    }
    void anotherSizeThatDidNotGrow() {
        Program s(2);
        s.warmUp();
        s.call(30, "train.py:8", 8, 9);
        s.look();
        s.enter(0, 31, "train.py:8", 4);
        s.enter(1, 31, "train.py:8", 2);
        s.pass(kSecond);
        QCOMPARE(s.only().cause, Cause::MismatchedCollective);
    }
    /// Rank 1's loader has ten batches, the others' twelve. It has left its loop and waits at the epoch's end.
    void fewerBatchesOnOneRank() {
        Program s(3);
        s.warmUp();
        for (int r = 0; r < 3; ++r) {
            s.board(r).stepsPerEpoch = r == 1 ? 10 : 12;
            s.board(r).step = r == 1 ? 9 : 10;
            s.phase(r, r == 1 ? Phase::None : Phase::Backward);
            s.enter(r, 40, r == 1 ? "train.py:60" : "gradient:0");
        }
        s.pass(kSecond);
        QCOMPARE(s.only().cause, Cause::UnevenBatches);
        QCOMPARE(s.only().holders, Ranks{1});
        QCOMPARE(s.only().evidence.holderBatches.value_or(0), std::int64_t{10});
        QCOMPARE(s.only().evidence.othersBatches.value_or(0), std::int64_t{12});
        QVERIFY2(s.said().contains("(an epoch: 10 batches; of the others: 12)"), qPrintable(s.said()));
        QVERIFY(s.only().remedy.key.empty());
        QVERIFY(s.speaksChinese());
    }
    void aRankThatIsDoneWhileOthersGoOn() {
        Program s(2);
        s.warmUp();
        s.enter(0, 40, "gradient:0");
        s.end(1, EndCause::Finished, "");
        s.pass(3 * kSecond);
        QCOMPARE(s.only().cause, Cause::UnevenBatches);
        QCOMPARE(s.only().holders, Ranks{1});
    }
    /// The connection to the rank that ended well breaks: that is no reason of the others' own.
    void aRankThatIsDoneBreaksTheOthersCollectives() {
        Program s(3);
        s.warmUp();
        s.end(1, EndCause::Finished, "");
        s.process(1) = {ProcessView::State::Exited, 0, 0, s.now, false, {}};
        s.look();
        for (const int r : {0, 2}) {
            s.end(r, EndCause::Failed, "RuntimeError: Connection closed by peer [127.0.0.1]:5 (train.py:31)");
            s.process(r) = {ProcessView::State::Exited, 1, 0, s.now, false, {}};
        }
        s.pass(2 * kSecond);
        QCOMPARE(s.only().cause, Cause::UnevenBatches);
        QCOMPARE(s.only().holders, Ranks{1});
        QCOMPARE(s.only().waiters, (Ranks{0, 2}));
    }
};

RANKSCOPE_TEST(TestProgramCalls)
#include "tst_program_calls.moc"
