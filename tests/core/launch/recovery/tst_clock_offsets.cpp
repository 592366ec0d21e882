// SPDX-License-Identifier: Apache-2.0
#include "core/launch/recovery/rank_collection.h"
#include "core/telemetry/format/records.h"
#include "tests/support/test_runner.h"

#include <QTest>

#include <algorithm>
#include <cmath>
#include <random>

using namespace rankscope;
using namespace rankscope::launch;
using namespace rankscope::telemetry;

class TestClockOffsets : public QObject {
    Q_OBJECT

    static constexpr std::int64_t kMs = 1'000'000, kDay = 86'400'000 * kMs, kWall = 1'790'000'000'000 * kMs;

    /// Returns a rank whose monotonic clock is `ahead` of the true one, and whose wall clock is off by `wrong`.
    static ClockEvidence rank(int number, const char* host, std::int64_t ahead, std::int64_t wrong) {
        ClockEvidence e;
        e.rank = number;
        e.host = host;
        e.monotonicNs = kDay + ahead;
        e.realtimeNs = kWall + wrong;
        return e;
    }

    /// All ranks enter `count` collectives at random times, and leave within `quickest` ... 20 ms after the last one
    /// enters.
    static void meet(std::vector<ClockEvidence>& ranks, const std::vector<std::int64_t>& ahead, int count,
                     std::int64_t quickest) {
        std::mt19937_64 random(3);
        const auto draw = [&](std::int64_t low, std::int64_t high) {
            return std::uniform_int_distribution<std::int64_t>(low, high)(random);
        };
        for (int i = 0; i < count; ++i) {
            std::vector<std::int64_t> arrived;
            for (std::size_t r = 0; r < ranks.size(); ++r)
                arrived.push_back(2 * kDay + i * 100 * kMs + draw(0, 30 * kMs));
            const std::int64_t last = *std::max_element(arrived.begin(), arrived.end());
            for (std::size_t r = 0; r < ranks.size(); ++r)
                ranks[r].collectives[{0, static_cast<std::uint64_t>(i)}] = {arrived[r] + ahead[r],
                                                                            last + draw(quickest, 20 * kMs) + ahead[r]};
        }
    }

private Q_SLOTS:
    void oneHostHasOneClock() {
        std::vector<ClockEvidence> ranks{rank(0, "a", 0, 0), rank(1, "a", 0, 3 * kMs)}; // the wall clock was corrected
        meet(ranks, {0, 0}, 50, kMs / 10);
        QVERIFY((clockOffsets(ranks) == std::vector<std::int64_t>{0, 0}));
    }

    void hostsAreTiedByTheirCollectives() {
        const std::vector<std::int64_t> ahead{0, 0, -7 * kDay, -7 * kDay, 300 * kMs};
        // two machines may have the same name; the wall clocks are seconds apart
        std::vector<ClockEvidence> ranks{rank(0, "a", ahead[0], 0), rank(1, "a", ahead[1], 0),
                                         rank(2, "b", ahead[2], 4000 * kMs), rank(3, "b", ahead[3], 4000 * kMs),
                                         rank(4, "c", ahead[4], -90 * kMs)};
        meet(ranks, ahead, 400, kMs / 5);
        const auto offsets = clockOffsets(ranks);
        QCOMPARE(offsets[0], 0);
        QCOMPARE(offsets[1], 0);
        QCOMPARE(offsets[2], offsets[3]);
        for (std::size_t r = 2; r < ranks.size(); ++r)
            QVERIFY2(std::abs(offsets[r] + ahead[r]) < kMs, qPrintable(QString::number(offsets[r] + ahead[r])));
    }

    void withoutCollectivesTheWallClocksDecide() {
        const std::vector<ClockEvidence> ranks{rank(0, "a", 0, 0), rank(1, "b", 5 * kDay, 2 * kMs)};
        QCOMPARE(clockOffsets(ranks)[1], -5 * kDay + 2 * kMs);
        QVERIFY(clockOffsets({}).empty());
    }

    void shiftsTimesOnly() {
        CollectiveRecord c;
        c.header.timeNs = 10, c.header.step = 7, c.arrivedNs = 1, c.startedNs = 2, c.doneNs = 3, c.exposedNs = 4;
        AnyRecord any = AnyRecord::of(c);
        rebaseClock(any, 100);
        const auto* moved = any.as<CollectiveRecord>();
        QVERIFY(moved && moved->header.timeNs == 110 && moved->header.step == 7 && moved->arrivedNs == 101 &&
                moved->startedNs == 102 && moved->doneNs == 103 && moved->exposedNs == 4);
        StepRecord s;
        s.beginNs = INT64_MAX - 5, s.endNs = 5, s.exposedGradientNs = 6;
        any = AnyRecord::of(s);
        rebaseClock(any, 100);
        QVERIFY(any.as<StepRecord>()->beginNs == INT64_MAX && any.as<StepRecord>()->endNs == 105 &&
                any.as<StepRecord>()->exposedGradientNs == 6);
        BatchRecord b;
        b.loadNs = 3, b.waitNs = 4;
        any = AnyRecord::of(b);
        rebaseClock(any, -50);
        QVERIFY(any.header().timeNs == -50 && any.as<BatchRecord>()->loadNs == 3 && any.as<BatchRecord>()->waitNs == 4);
        NoteRecord n;
        putText(n.text, sizeof n.text, "text");
        any = AnyRecord::of(n);
        rebaseClock(any, 1);
        QVERIFY(any.header().timeNs == 1 && getText(any.as<NoteRecord>()->text, sizeof n.text) == "text");
    }

    void whatSynchronises() {
        QVERIFY(synchronises(CollectiveOp::AllReduce) && synchronises(CollectiveOp::AllGather) &&
                synchronises(CollectiveOp::Barrier));
        QVERIFY(!synchronises(CollectiveOp::Broadcast) &&
                !synchronises(CollectiveOp::Send)); // the root may leave early
    }
};

RANKSCOPE_TEST(TestClockOffsets)
#include "tst_clock_offsets.moc"
