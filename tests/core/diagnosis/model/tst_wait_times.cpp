// SPDX-License-Identifier: Apache-2.0
// Waits counted once, compared with counting each nanosecond separately.
#include "core/diagnosis/model/wait_times.h"
#include "tests/support/test_runner.h"

#include <QTest>

#include <algorithm>
#include <array>
#include <map>
#include <random>
#include <tuple>

using namespace rankscope::diagnosis;

namespace {

constexpr std::int64_t kMostNs = 60; ///< upper limit of the times in random waits

/// Returns the ns that count for each wait, by index.
std::map<std::size_t, std::int64_t> countedOf(const std::vector<RankWait>& waits) {
    std::map<std::size_t, std::int64_t> counted, untilNs;
    for (std::size_t i = 0; i < waits.size(); ++i)
        counted[i] = 0, untilNs[i] = waits[i].span.beginNs;
    for (const CountedPart& part : countOnce(waits)) {
        if (part.span.beginNs < untilNs.at(part.wait) || part.span.endNs > waits[part.wait].span.endNs)
            qFatal("a part is outside its wait, or parts are not ascending");
        untilNs[part.wait] = part.span.endNs;
        counted[part.wait] += part.span.lengthNs();
    }
    return counted;
}

std::vector<RankWait> randomWaits(std::mt19937& random) {
    std::vector<RankWait> waits;
    const std::size_t count = random() % 12;
    for (std::size_t i = 0; i < count; ++i) {
        const auto begin = static_cast<std::int64_t>(random() % kMostNs);
        const auto end = begin + static_cast<std::int64_t>(random() % static_cast<unsigned>(kMostNs - begin));
        const std::int64_t blocked = random() % 2 ? 0 : static_cast<std::int64_t>(random() % kMostNs);
        waits.push_back({{begin, end}, blocked, static_cast<std::uint32_t>(random() % 2), i});
    }
    return waits;
}

} // namespace

class TestWaitTimes : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void theLastToArriveHoldsTheOthers() {
        const auto joined = [](std::vector<std::int64_t> arrived) { return computeWaits(arrived); };
        const ArrivalWaits waits = joined({100, 400, 250});
        QCOMPARE(waits.holder, 1);
        QCOMPARE(waits.latestNs, std::int64_t{400});
        QCOMPARE(waits.waitNs, (std::vector<std::int64_t>{300, 0, 150}));
        QCOMPARE(joined({7, 7}).holder, 0);
        QCOMPARE(joined({7}).waitNs, (std::vector<std::int64_t>{0}));
        QCOMPARE(joined({}).holder, -1);
    }

    /// A gradient bucket and a SyncBatchNorm wait for the same arrival.
    void twoCollectivesThatWaitForOneArrival() {
        const std::vector<RankWait> waits{{{100, 802}, 0, 0, 7}, {{300, 803}, 503, 0, 8}};
        const auto counted = countedOf(waits);
        QCOMPARE(counted.at(1), std::int64_t{503}); // blocks the thread
        QCOMPARE(counted.at(0), std::int64_t{200}); // until the other one began to block
    }

    void everyMomentCountsForOneWait() {
        std::mt19937 random(1);
        for (int round = 0; round < 2000; ++round) {
            std::vector<RankWait> waits = randomWaits(random);
            std::map<std::size_t, std::int64_t> expected;
            std::int64_t inAnyNs = 0, sumNs = 0, earliest = kMostNs, latest = 0;
            for (std::int64_t at = 0; at < kMostNs; ++at) {
                std::size_t owner = waits.size();
                const auto key = [&](std::size_t i) {
                    const RankWait& w = waits[i];
                    return std::tuple(at >= w.span.beginNs + w.blockedNs, w.span.beginNs, w.span.endNs, w.group, i);
                };
                for (std::size_t i = 0; i < waits.size(); ++i)
                    if (waits[i].span.beginNs <= at && at < waits[i].span.endNs &&
                        (owner == waits.size() || key(i) < key(owner)))
                        owner = i;
                if (owner == waits.size())
                    continue;
                ++expected[owner];
                ++inAnyNs;
            }
            const auto counted = countedOf(waits);
            QCOMPARE(counted.size(), waits.size());
            std::int64_t unionNs = 0;
            for (const auto& [i, ns] : counted) {
                QCOMPARE(ns, expected[i]);
                unionNs += ns;
                sumNs += waits[i].span.lengthNs();
                earliest = std::min(earliest, waits[i].span.beginNs);
                latest = std::max(latest, waits[i].span.endNs);
            }
            QCOMPARE(unionNs, inAnyNs);
            QVERIFY(unionNs <= sumNs);
            QVERIFY(unionNs <= std::max<std::int64_t>(0, latest - earliest));

            // the order of the waits does not matter
            std::vector<std::size_t> order(waits.size());
            for (std::size_t i = 0; i < order.size(); ++i)
                order[i] = i;
            std::shuffle(order.begin(), order.end(), random);
            std::vector<RankWait> shuffled;
            for (const std::size_t i : order)
                shuffled.push_back(waits[i]);
            for (const auto& [i, ns] : countedOf(shuffled))
                QCOMPARE(ns, counted.at(order[i]));
        }
    }

    void timeIsCountedOnce() {
        std::mt19937 random(2);
        for (int round = 0; round < 500; ++round) {
            CountedTime counted;
            std::array<bool, kMostNs> known{};
            for (const RankWait& wait : randomWaits(random)) {
                std::int64_t expected = 0;
                for (std::int64_t at = wait.span.beginNs; at < wait.span.endNs; ++at)
                    expected += !std::exchange(known[static_cast<std::size_t>(at)], true);
                std::vector<TimeSpan> fresh;
                QCOMPARE(counted.add(wait.span, &fresh), expected);
                QCOMPARE(lengthOf(fresh), expected);
            }
            QCOMPARE(lengthOf(counted.spans()), static_cast<std::int64_t>(std::ranges::count(known, true)));
            for (std::size_t i = 1; i < counted.spans().size(); ++i)
                QVERIFY(counted.spans()[i - 1].endNs < counted.spans()[i].beginNs);
            QVERIFY(CountedTime(counted.spans()).spans() == counted.spans());
            const std::int64_t until = counted.untilNs();
            counted.closeGaps();
            QVERIFY(counted.spans().size() <= 1);
            QCOMPARE(counted.untilNs(), until);
        }
    }
};

RANKSCOPE_TEST(TestWaitTimes)
#include "tst_wait_times.moc"
