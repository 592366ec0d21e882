// SPDX-License-Identifier: Apache-2.0
// Calls that do not match on two ranks: the order of the calls before tells which rank left one out, or made one too
// many.
#include "core/base/values/byte_codec.h"
#include "core/diagnosis/evidence/rank_status.h"
#include "tests/core/diagnosis/program_stage.h"
#include "tests/support/test_runner.h"

#include <QTest>

#include <vector>

using namespace rankscope::diagnosis;
using namespace rankscope::diagnosis::test;

namespace {

struct Call {
    std::string tag;
    std::int64_t count = 1;
};

/// A program whose ranks have made calls in steps, all of them the same.
struct Loop : Program {
    explicit Loop(int world) : Program(world) { warmUp(); }
    void step(const std::vector<Call>& calls) {
        for (const Call& c : calls)
            call(next++, c.tag, c.count, number);
        ++number;
        look();
    }
    void steps(int count, const std::vector<Call>& calls) {
        for (int i = 0; i < count; ++i)
            step(calls);
    }
    /// The next call of each rank.
    void meet(int rank, const Call& its, const Call& others) {
        for (int r = 0; r < static_cast<int>(records.size()); ++r) {
            const Call& c = r == rank ? its : others;
            enter(r, next, c.tag, c.count);
        }
        pass(kSecond);
    }

    std::uint64_t next = 30;
    std::int64_t number = 0;
};

const Call kReduced{"train.py:40"}, kGradients{"gradient:0", 8};

} // namespace

class TestCallOrder : public QObject {
    Q_OBJECT

    static void eachRank() {
        QTest::addColumn<int>("rank");
        QTest::newRow("rank 0") << 0;
        QTest::newRow("rank 1") << 1;
    }
    static void isBlamed(const Loop& s, int rank) {
        QCOMPARE(s.only().cause, Cause::MismatchedCollective);
        QCOMPARE(s.only().holders, Ranks{rank});
        QCOMPARE(s.only().waiters, Ranks{1 - rank});
        QVERIFY(!s.only().evidence.missing);
        QVERIFY(s.speaksChinese());
    }
private Q_SLOTS:
    void aCallThatARankLeavesOut_data() { eachRank(); }
    void aCallThatARankLeavesOut() {
        QFETCH(int, rank);
        Loop s(2);
        s.steps(4, {kReduced, kGradients});
        s.meet(rank, kGradients, kReduced);
        isBlamed(s, rank);
        QCOMPARE(s.only().evidence.usualCall.value_or(""), std::string("all-reduce train.py:40 of 1 element"));
        QVERIFY2(s.said().contains(QString("which rank %1 left out.").arg(rank)), qPrintable(s.said()));
    }
    /// The rank's thread does not wait for gradients, so that its board shows a later one.
    void aRankThatIsAheadByGradients_data() { eachRank(); }
    void aRankThatIsAheadByGradients() {
        QFETCH(int, rank);
        Loop s(2);
        s.steps(4, {kReduced, kGradients, {"gradient:1", 8}});
        s.enter(rank, s.next, "gradient:0", 8);
        s.enter(rank, s.next + 1, "gradient:1", 8);
        s.enter(1 - rank, s.next, "train.py:40");
        s.pass(kSecond);
        isBlamed(s, rank);
    }
    void aCallThatARankMakesInAddition_data() { eachRank(); }
    void aCallThatARankMakesInAddition() {
        QFETCH(int, rank);
        Loop s(2);
        s.steps(4, {kReduced, kGradients});
        s.meet(rank, {"train.py:52"}, kReduced);
        isBlamed(s, rank);
        QCOMPARE(s.only().evidence.newCall.value_or(""), std::string("all-reduce train.py:52 of 1 element"));
        QVERIFY2(s.said().contains("No rank had made all-reduce train.py:52 of 1 element before."),
                 qPrintable(s.said()));
    }
    void aCallOfEveryFourthStep_data() {
        QTest::addColumn<int>("rank");
        QTest::addColumn<bool>("leftOut"); // or made two steps too early
        for (int rank = 0; rank < 2; ++rank) {
            QTest::addRow("rank %d leaves it out", rank) << rank << true;
            QTest::addRow("rank %d makes it too early", rank) << rank << false;
        }
    }
    void aCallOfEveryFourthStep() {
        QFETCH(int, rank);
        QFETCH(bool, leftOut);
        const Call rare{"train.py:60"};
        Loop s(2);
        for (int i = 0; i < 4; ++i) {
            s.steps(3, {kReduced, kGradients});
            s.step({kReduced, kGradients, rare});
        }
        s.steps(leftOut ? 4 : 2, {kReduced, kGradients});
        s.meet(rank, leftOut ? kReduced : rare, leftOut ? rare : kReduced);
        isBlamed(s, rank);
    }
    /// One line makes two calls in each step, with different numbers of elements.
    void theSameLineWithAnotherSize_data() { eachRank(); }
    void theSameLineWithAnotherSize() {
        QFETCH(int, rank);
        Loop s(2);
        s.steps(4, {{"reduce.py:10", 4}, {"reduce.py:10", 1}, kGradients});
        s.meet(rank, {"reduce.py:10", 1}, {"reduce.py:10", 4});
        isBlamed(s, rank);
    }
    void sizesThatDifferInEachStep_data() { eachRank(); }
    void sizesThatDifferInEachStep() {
        QFETCH(int, rank);
        Loop s(2);
        for (int i = 0; i < 4; ++i)
            s.step({{"train.py:40", 100 + i}, kGradients});
        s.meet(rank, kGradients, {"train.py:40", 90});
        isBlamed(s, rank);
    }
    void twoRanksOfFour() {
        Loop s(4);
        s.steps(4, {kReduced, kGradients});
        for (int r = 0; r < 4; ++r)
            s.enter(r, s.next, r < 2 ? "gradient:0" : "train.py:40", r < 2 ? 8 : 1);
        s.pass(kSecond);
        QCOMPARE(s.only().cause, Cause::MismatchedCollective);
        QCOMPARE(s.only().holders, (Ranks{0, 1}));
        QCOMPARE(s.only().waiters, (Ranks{2, 3}));
    }
    void nothingTellsWhichRankIsWrong_data() {
        QTest::addColumn<int>("steps");
        QTest::newRow("no earlier call") << 0;
        QTest::newRow("one step") << 1;
    }
    void nothingTellsWhichRankIsWrong() {
        QFETCH(int, steps);
        Loop s(2);
        s.steps(steps, {kReduced, kGradients});
        s.meet(0, kGradients, kReduced);
        QCOMPARE(s.only().cause, Cause::MismatchedCollective);
        QCOMPARE(s.only().holders, (Ranks{0, 1}));
        QVERIFY(s.only().waiters.empty());
        QCOMPARE(s.only().evidence.missing.value_or(""), std::string("which_side"));
        QVERIFY2(s.said().contains("The calls before do not tell which rank is wrong"), qPrintable(s.said()));
        QVERIFY(s.speaksChinese());
        for (const RankStatus& status : rankStatuses(s.seen, {s.only()}))
            QVERIFY(status.state != RankState::Holder);
    }
    /// Either of two calls may follow a third one, in no order.
    void callsInNoOrder() {
        Loop s(2);
        for (const int which : {0, 1, 1, 0, 0, 1, 0, 1, 1, 1, 0})
            s.step({kReduced, which == 0 ? Call{"train.py:50"} : Call{"train.py:51"}});
        s.step({kReduced});
        s.meet(0, {"train.py:50"}, {"train.py:51"});
        QCOMPARE(s.only().evidence.missing.value_or(""), std::string("which_side"));
    }
    /// The rank has had all batches of its epoch, and the other one is still in that epoch's last step.
    void aCallLeftOutInTheLastStep_data() {
        QTest::addColumn<int>("rank");
        QTest::addColumn<bool>("inNextEpoch"); // or it says how many steps its epoch has, fewer than the other one
        for (int rank = 0; rank < 2; ++rank) {
            QTest::addRow("rank %d, next epoch", rank) << rank << true;
            QTest::addRow("rank %d, fewer steps", rank) << rank << false;
        }
    }
    void aCallLeftOutInTheLastStep() {
        QFETCH(int, rank);
        QFETCH(bool, inNextEpoch);
        Loop s(2);
        s.steps(4, {kReduced, kGradients});
        s.phase(rank, Phase::None);
        if (inNextEpoch) {
            s.board(rank).step = 11;
            s.board(rank).epoch = 1;
        } else {
            s.board(rank).stepsPerEpoch = 11;
            s.board(1 - rank).stepsPerEpoch = 12;
        }
        s.meet(rank, {"train.py:60"}, kReduced);
        isBlamed(s, rank);
    }
    /// The other one has a batch more.
    void noBatchForTheNextStep_data() { aCallLeftOutInTheLastStep_data(); }
    void noBatchForTheNextStep() {
        QFETCH(int, rank);
        QFETCH(bool, inNextEpoch);
        Loop s(2);
        s.steps(4, {kReduced, kGradients});
        s.phase(rank, Phase::None);
        s.board(1 - rank).step = 11;
        if (inNextEpoch) {
            s.board(rank).step = 11;
            s.board(rank).epoch = 1;
        } else {
            s.board(rank).stepsPerEpoch = 11;
            s.board(1 - rank).stepsPerEpoch = 12;
        }
        s.meet(rank, {"train.py:60"}, kReduced);
        QCOMPARE(s.only().cause, Cause::UnevenBatches);
        QCOMPARE(s.only().holders, Ranks{rank});
    }
    void aRankThatValidates_data() {
        QTest::addColumn<int>("stepsPerEpoch");
        QTest::addColumn<int>("othersStep");
        QTest::addColumn<int>("othersEpoch");
        QTest::addColumn<int>("cause");
        const int mismatched = int(Cause::MismatchedCollective), uneven = int(Cause::UnevenBatches);
        QTest::newRow("the other has more batches") << 0 << 11 << 0 << uneven;
        QTest::newRow("so it has, and they say how many") << 11 << 11 << 0 << uneven;
        QTest::newRow("in between") << 100 << 11 << 0 << mismatched;
        QTest::newRow("the other is in its last step") << 11 << 10 << 0 << mismatched;
        QTest::newRow("the other is in its next epoch") << 11 << 11 << 1 << mismatched;
    }
    void aRankThatValidates() {
        QFETCH(int, stepsPerEpoch);
        QFETCH(int, othersStep);
        QFETCH(int, othersEpoch);
        QFETCH(int, cause);
        Loop s(2);
        s.steps(4, {kReduced, kGradients});
        s.phase(0, Phase::Validate);
        s.board(0).stepsPerEpoch = s.board(1).stepsPerEpoch = stepsPerEpoch;
        s.board(1).step = othersStep;
        s.board(1).epoch = othersEpoch;
        s.meet(0, {"evaluate.py:9"}, kReduced);
        QCOMPARE(int(s.only().cause), cause);
        QCOMPARE(s.only().holders, Ranks{0});
    }
    void theOrderIsPartOfTheState() {
        Loop s(2);
        s.steps(4, {kReduced, kGradients});
        rankscope::ByteEncoder saved, again;
        s.detector.save(saved);
        Detector loaded(2, programSettings());
        rankscope::ByteDecoder bytes(saved.bytes());
        QVERIFY(loaded.load(bytes) && bytes.atEnd());
        loaded.save(again);
        QCOMPARE(again.bytes(), saved.bytes());
        s.look();
        s.enter(0, s.next, "gradient:0", 8);
        s.enter(1, s.next, "train.py:40");
        for (int i = 0; i < 10; ++i) {
            s.look();
            loaded.advance(s.seen);
        }
        QCOMPARE(loaded.open().size(), std::size_t{1});
        QCOMPARE(canonicalText(loaded.open().front()), canonicalText(s.only()));
    }
};

RANKSCOPE_TEST(TestCallOrder)
#include "tst_call_order.moc"
