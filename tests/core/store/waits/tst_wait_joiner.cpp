// SPDX-License-Identifier: Apache-2.0
#include "core/store/waits/wait_joiner.h"
#include "tests/support/test_runner.h"

#include <QTest>

using namespace rankscope::store;

class TestWaits : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void familiesAndColumns();
    void joinsWhenTheLastRankArrives();
    void joinsTheRanksOfAGroup();
    void aRankThatBeganAnewIsForgotten();
    void givesUpTheOldestOfTooMany();
};

void TestWaits::familiesAndColumns() {
    QCOMPARE(tagFamily("gradient:3"), std::string_view("gradient"));
    QCOMPARE(tagFamily("metrics"), std::string_view("metrics"));
    QCOMPARE(waitMetric("sync_max_audio_length"), Metric::WaitLengthSync);
    QCOMPARE(waitMetric("gradient:3"), Metric::WaitGradient);
    QCOMPARE(waitMetric("sync_batchnorm:encoder.layers.1"), Metric::WaitSyncBatchNorm);
    QCOMPARE(waitMetric("barrier:x"), Metric::WaitBarrier);
    QCOMPARE(waitMetric("metrics"), Metric::WaitMetrics);
    QCOMPARE(waitMetric("gradients:1"), Metric::WaitOther);
    QCOMPARE(waitMetric(""), Metric::WaitOther);
}

void TestWaits::joinsWhenTheLastRankArrives() {
    WaitJoiner joiner(3);
    QVERIFY(!joiner.add({0, 5}, 2, {true, 30, 1, 0, 0}, 3));
    QVERIFY(!joiner.add({1, 5}, 0, {true, 99, 1, 0, 1}, 3)); // another group
    QVERIFY(!joiner.add({0, 5}, 2, {true, 31, 1, 0, 2}, 3)); // the same rank again is not a third rank
    QVERIFY(!joiner.add({0, 5}, 0, {true, 10, 1, 0, 3}, 3));
    const auto joined = joiner.add({0, 5}, 1, {true, 20, 1, 0, 4}, 3);
    QVERIFY(joined);
    QCOMPARE((*joined)[0].arrivedNs, 10);
    QCOMPARE((*joined)[1].arrivedNs, 20);
    QCOMPARE((*joined)[2].arrivedNs, 31);
    QCOMPARE(joiner.pending(), std::size_t{1});
}

/// Two of four ranks are a group.
void TestWaits::joinsTheRanksOfAGroup() {
    WaitJoiner joiner(4);
    QVERIFY(!joiner.add({7, 5}, 3, {true, 30, 1, 0, 0}, 2));
    const auto joined = joiner.add({7, 5}, 1, {true, 20, 1, 0, 1}, 2);
    QVERIFY(joined);
    QCOMPARE(joined->size(), std::size_t{4});
    QVERIFY((*joined)[1].present && (*joined)[3].present && !(*joined)[0].present && !(*joined)[2].present);
    using enum rankscope::telemetry::CollectiveOp;
    QVERIFY(canJoin(AllReduce, 4) && !canJoin(AllReduce, -1) && canJoin(Send, 2) && !canJoin(Recv, 4));
    QCOMPARE(waitLimit(Send, 7, "pipeline.py:3", 50, 40), std::int64_t{40});
    QCOMPARE(waitLimit(Recv, 7, "pipeline.py:3", 50, 40), std::numeric_limits<std::int64_t>::max());
}

void TestWaits::aRankThatBeganAnewIsForgotten() {
    WaitJoiner joiner(2);
    QVERIFY(!joiner.add({0, 0}, 0, {true, 10, 0, 0, 0}, 2));
    joiner.forget(0);
    QCOMPARE(joiner.pending(), std::size_t{0});
    QVERIFY(!joiner.add({0, 0}, 1, {true, 20, 0, 0, 0}, 2));
    QVERIFY(joiner.add({0, 0}, 0, {true, 30, 0, 0, 0}, 2));
}

void TestWaits::givesUpTheOldestOfTooMany() {
    WaitJoiner joiner(2);
    for (std::uint64_t i = 0; i < 70000; ++i)
        QVERIFY(!joiner.add({0, i}, 0, {true, 1, 0, 0, 0}, 2));
    QCOMPARE(joiner.pending(), std::size_t{65536});
    QCOMPARE(joiner.takeDroppedCount(), std::size_t{70000 - 65536});
    QVERIFY(joiner.add({0, 69999}, 1, {true, 1, 0, 0, 0}, 2));
}

RANKSCOPE_TEST(TestWaits)
#include "tst_wait_joiner.moc"
