// SPDX-License-Identifier: Apache-2.0
#include "core/plan/data/epoch_order.h"
#include "core/trainer/libtorch.h"
#include "tests/support/test_runner.h"

#include <ATen/CPUGeneratorImpl.h>

#include <QTest>

#include <algorithm>
#include <map>
#include <numeric>

using namespace rankscope::plan;
using Rows = std::vector<std::int64_t>;

static Rows torchsRandperm(std::int64_t size, std::uint64_t seed) {
    const auto order = torch::randperm(size, at::detail::createCPUGenerator(seed), torch::kInt64);
    return {order.const_data_ptr<std::int64_t>(), order.const_data_ptr<std::int64_t>() + size};
}

static ShardOptions shard(int rank, int worldSize, bool shuffle, bool dropLast = false, std::uint64_t seed = 0) {
    return {rank, worldSize, shuffle, dropLast, seed};
}

class TestSampler : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void permutationIsTorchs() {
        // torch.randperm(10, generator=torch.Generator().manual_seed(0))
        QCOMPARE(shardOrder(10, shard(0, 1, true), 0), (Rows{4, 1, 7, 5, 3, 9, 0, 8, 6, 2}));
        for (const std::int64_t size : {1, 2, 17, 1000})
            for (const std::uint64_t seed : {0ull, 1ull, 42ull, 123456789ull, 0x1234567890abcdefull})
                QCOMPARE(shardOrder(size, shard(0, 1, true, false, seed), 0), torchsRandperm(size, seed));
    }

    void epochIsAddedToTheSeed() {
        QCOMPARE(shardOrder(50, shard(0, 1, true, false, 3), 2), shardOrder(50, shard(0, 1, true, false, 5), 0));
        QVERIFY(shardOrder(50, shard(0, 1, true, false, 3), 2) != shardOrder(50, shard(0, 1, true, false, 3), 1));
    }

    void slicesByRank() {
        QCOMPARE(shardOrder(6, shard(0, 2, false), 7), (Rows{0, 2, 4}));
        QCOMPARE(shardOrder(6, shard(1, 2, false), 7), (Rows{1, 3, 5}));
        const Rows all = shardOrder(12, shard(0, 1, true), 4);
        for (int rank = 0; rank < 3; ++rank) {
            const Rows mine = shardOrder(12, shard(rank, 3, true), 4);
            for (std::size_t i = 0; i < mine.size(); ++i)
                QCOMPARE(mine[i], all[i * 3 + static_cast<std::size_t>(rank)]);
        }
    }

    void wrapsAroundWhereTheSetDoesNotDivide() {
        QCOMPARE(shardOrder(5, shard(0, 3, false), 0), (Rows{0, 3}));
        QCOMPARE(shardOrder(5, shard(1, 3, false), 0), (Rows{1, 4}));
        QCOMPARE(shardOrder(5, shard(2, 3, false), 0), (Rows{2, 0})); // the first one is repeated
        // fewer utterances than ranks: they are repeated as often as necessary
        for (int rank = 0; rank < 5; ++rank)
            QCOMPARE(shardOrder(2, shard(rank, 5, false), 0), (Rows{rank % 2}));
    }

    void dropLastCuts() {
        QCOMPARE(shardOrder(5, shard(0, 3, false, true), 0), (Rows{0}));
        QCOMPARE(shardOrder(5, shard(2, 3, false, true), 0), (Rows{2}));
        QVERIFY(shardOrder(2, shard(0, 3, false, true), 0).empty());
    }

    void everyRowIsSeenEquallyOften_data() {
        QTest::addColumn<int>("size");
        QTest::addColumn<int>("worldSize");
        for (const int size : {1, 7, 64, 101})
            for (const int worldSize : {1, 2, 3, 8})
                QTest::addRow("%d rows, %d ranks", size, worldSize) << size << worldSize;
    }
    void everyRowIsSeenEquallyOften() {
        QFETCH(int, size);
        QFETCH(int, worldSize);
        std::map<std::int64_t, int> seen;
        for (int rank = 0; rank < worldSize; ++rank) {
            const Rows mine = shardOrder(size, shard(rank, worldSize, true, false, 9), 1);
            QCOMPARE(static_cast<std::int64_t>(mine.size()), shardSize(size, worldSize, false));
            for (const std::int64_t row : mine)
                ++seen[row];
        }
        QCOMPARE(seen.size(), static_cast<std::size_t>(size));
        const auto [least, most] = std::minmax_element(
            seen.begin(), seen.end(), [](const auto& a, const auto& b) { return a.second < b.second; });
        QVERIFY(most->second - least->second <= 1);
        QVERIFY(size % worldSize != 0 || most->second == 1);
    }

    void batches() {
        QCOMPARE(batchCount(10, 4, false), 3);
        QCOMPARE(batchCount(10, 4, true), 2);
        QCOMPARE(batchCount(3, 4, true), 0);
        QCOMPARE(batchCount(8, 4, false), 2);
    }
};

RANKSCOPE_CORE_TEST(TestSampler)
#include "tst_distributed_sampler.moc"
