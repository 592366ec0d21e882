// SPDX-License-Identifier: Apache-2.0
#include "core/plan/data/batch_sampler.h"
#include "tests/core/trainer/data/batches/loader_fixture.h"
#include "tests/support/test_runner.h"

#include <QTest>

#include <algorithm>
#include <array>
#include <map>
#include <random>
#include <set>

using namespace rankscope;
using namespace rankscope::plan;
using namespace rankscope::test;

namespace {

using Rows = std::vector<std::int64_t>;

struct Scene {
    Rows sizes; ///< of the buckets, whose rows follow each other
    int worldSize = 1, batchSize = 4;
    bool shuffle = true, dropLast = false;
    config::BucketingConfig bucketing;
    std::uint64_t seed = 3;
    std::optional<int> bucketOrderOfWorkers;

    Result<BatchSampler> sampler(int rank) const {
        std::vector<std::shared_ptr<const BucketOrder>> buckets;
        std::int64_t first = 0;
        for (const std::int64_t size : sizes) {
            buckets.push_back(
                std::make_shared<SampledBucket>(first, size, ShardOptions{rank, worldSize, shuffle, false, seed}));
            first += size;
        }
        return BatchSampler::create(std::move(buckets), bucketing,
                                    {rank, batchSize, dropLast, seed, bucketOrderOfWorkers});
    }
    /// Returns whether batches are cut from one bucket after another, across their boundaries.
    bool chained() const {
        return sizes.size() > 1 && bucketing.scaledBatchSize == 0 && bucketing.batchSizes.empty() &&
               !bucketing.batchesWithin;
    }
    int bucketOf(std::int64_t row) const {
        int bucket = 0;
        for (std::int64_t end = sizes[0]; row >= end; end += sizes[static_cast<std::size_t>(bucket)])
            ++bucket;
        return bucket;
    }
    std::vector<Rows> batches(int rank, int epoch) const {
        const auto made = sampler(rank);
        if (!made)
            qFatal("%s", made.error().message().c_str());
        const BatchOrder order = made->order(epoch);
        if (static_cast<std::int64_t>(order.begin.size()) != made->batches() + 1 ||
            static_cast<std::int64_t>(order.rows.size()) != made->samples())
            qFatal("counts do not agree");
        std::vector<Rows> out;
        for (std::size_t i = 0; i + 1 < order.begin.size(); ++i)
            out.emplace_back(order.rows.begin() + order.begin[i], order.rows.begin() + order.begin[i + 1]);
        return out;
    }
    /// Returns the bucket of a batch; -1 if it mixes buckets.
    int bucketOf(const Rows& batch) const {
        for (const std::int64_t row : batch)
            if (bucketOf(row) != bucketOf(batch.front()))
                return -1;
        return bucketOf(batch.front());
    }
    std::vector<int> bucketOrder(int rank, int epoch) const {
        std::vector<int> order;
        for (const Rows& batch : batches(rank, epoch))
            if (order.empty() || order.back() != bucketOf(batch))
                order.push_back(bucketOf(batch));
        return order;
    }
};

Scene randomScene(std::mt19937& random) {
    const auto draw = [&](int low, int high) { return std::uniform_int_distribution<int>(low, high)(random); };
    Scene scene;
    for (int i = draw(1, 6); i > 0; --i)
        scene.sizes.push_back(draw(1, 60));
    scene.worldSize = draw(1, 5);
    scene.batchSize = draw(1, 9);
    scene.shuffle = draw(0, 3) > 0;
    scene.seed = static_cast<std::uint64_t>(draw(0, 1'000'000));
    scene.bucketing.strategy = std::array{"synced_randomized", "fully_randomized", "fixed_order"}[draw(0, 2)];
    if (draw(0, 2) == 0)
        scene.bucketing.scaledBatchSize = draw(1, 4);
    else if (draw(0, 1) == 0)
        for (std::size_t i = 0; i < scene.sizes.size(); ++i)
            scene.bucketing.batchSizes.push_back(draw(1, 9));
    scene.bucketing.batchesWithin = draw(0, 1) == 0;
    return scene;
}

} // namespace

class TestBatchSampler : public QObject, LoaderFixture {
    Q_OBJECT

    /// Returns files 0 ... 12 in three manifests, ordered by length.
    config::DatasetConfig bucketConfig(int workers = 0) {
        auto bucketed = config(workers);
        bucketed.manifests.clear();
        const std::vector<std::pair<int, int>> ranges{{0, 4}, {4, 9}, {9, 13}};
        for (std::size_t b = 0; b < ranges.size(); ++b) {
            std::vector<std::pair<std::string, double>> rows;
            for (int i = ranges[b].first; i < ranges[b].second; ++i)
                rows.emplace_back(std::to_string(i) + ".wav", secondsOf(i));
            const std::string name = at("bucket" + std::to_string(b) + ".json");
            writeText(name, manifestText(rows));
            bucketed.buckets.push_back({name});
            bucketed.manifests.push_back(name);
        }
        return bucketed;
    }

private Q_SLOTS:
    void withoutBucketsItIsTheSamplersOrder() {
        Scene scene;
        scene.sizes = {23};
        scene.worldSize = 2;
        for (int rank = 0; rank < 2; ++rank) {
            Rows all;
            for (const Rows& batch : scene.batches(rank, 5))
                all.insert(all.end(), batch.begin(), batch.end());
            QCOMPARE(all, shardOrder(23, {rank, 2, true, false, 3}, 5));
        }
    }

    /// Over all ranks each utterance is used once, apart from the few that DistributedSampler repeats. Every rank has
    /// the same number of batches, each of one bucket if buckets have their own sizes, and the same (seed, epoch) gives
    /// the same order.
    void everyUtteranceOnce() {
        std::mt19937 random(11);
        for (int trial = 0; trial < 400; ++trial) {
            const Scene scene = randomScene(random);
            std::map<std::int64_t, int> seen;
            std::set<std::size_t> counts;
            std::vector<std::vector<Rows>> all;
            for (int rank = 0; rank < scene.worldSize; ++rank) {
                all.push_back(scene.batches(rank, trial));
                counts.insert(all.back().size());
                QVERIFY(all.back() == scene.batches(rank, trial));
                for (const Rows& batch : all.back()) {
                    QVERIFY(!batch.empty());
                    QVERIFY(scene.chained() || scene.bucketOf(batch) >= 0);
                    for (const std::int64_t row : batch)
                        ++seen[row];
                }
            }
            QCOMPARE(counts.size(), std::size_t{1});
            std::int64_t first = 0;
            for (const std::int64_t size : scene.sizes) {
                int most = 0;
                std::int64_t total = 0;
                for (std::int64_t row = first; row < first + size; ++row) {
                    QVERIFY(seen[row] >= 1);
                    most = std::max(most, seen[row]);
                    total += seen[row];
                }
                QCOMPARE(total, (size + scene.worldSize - 1) / scene.worldSize * scene.worldSize);
                QVERIFY(most <= 1 + (scene.worldSize + static_cast<int>(size) - 1) / static_cast<int>(size));
                first += size;
            }
            QCOMPARE(seen.size(), static_cast<std::size_t>(first));
            if (scene.bucketing.strategy != "fully_randomized") // ranks synchronize with batches of similar length
                for (std::size_t i = 0; i < all[0].size(); ++i)
                    for (const auto& rank : all) {
                        QCOMPARE(scene.bucketOf(rank[i]), scene.bucketOf(all[0][i]));
                        QCOMPARE(rank[i].size(), all[0][i].size());
                    }
        }
    }

    void strategiesOrderTheBuckets() {
        Scene scene;
        scene.sizes = {40, 40, 40, 40, 40};
        scene.worldSize = 2;
        scene.bucketing.strategy = "fixed_order";
        for (int epoch = 0; epoch < 4; ++epoch)
            QCOMPARE(scene.bucketOrder(epoch % 2, epoch), (std::vector<int>{0, 1, 2, 3, 4}));
        scene.bucketing.strategy = "synced_randomized";
        std::set<std::vector<int>> orders;
        for (int epoch = 0; epoch < 20; ++epoch) {
            QCOMPARE(scene.bucketOrder(0, epoch), scene.bucketOrder(1, epoch));
            orders.insert(scene.bucketOrder(0, epoch));
        }
        QVERIFY(orders.size() > 10); // a different order in nearly every epoch
        scene.bucketing.strategy = "fully_randomized";
        int alike = 0;
        for (int epoch = 0; epoch < 20; ++epoch)
            alike += scene.bucketOrder(0, epoch) == scene.bucketOrder(1, epoch);
        QVERIFY2(alike < 4, qPrintable(QString::number(alike))); // 1 in 120 by chance
    }

    /// The order in which NeMo 2.7.3 and 3.0.0 went through three buckets of tar files, epoch by epoch: without
    /// workers, and with one or more. The orders of five buckets come from numpy's RandomState(0).permutation(), which
    /// NeMo uses.
    void nemosOrderOfBucketsOfTarFiles() {
        const auto orders = [](std::size_t buckets, int workers, int epochs) {
            Scene scene;
            scene.sizes = Rows(buckets, 8); // one batch per rank
            scene.worldSize = 2;
            QStringList out;
            for (int epoch = 0; epoch < epochs; ++epoch) {
                QString ofRanks[2];
                for (int rank = 0; rank < 2; ++rank) {
                    scene.bucketOrderOfWorkers = workers;
                    for (const int bucket : scene.bucketOrder(rank, epoch))
                        ofRanks[rank] += QString::number(bucket) + " ";
                }
                out << (ofRanks[0] == ofRanks[1] ? ofRanks[0].trimmed() : QString("ranks differ"));
            }
            return out.join(" | ");
        };
        QCOMPARE(orders(3, 0, 4), QString("2 1 0 | 2 0 1 | 0 2 1 | 2 0 1"));
        QCOMPARE(orders(3, 1, 3), QString("2 1 0 | 2 1 0 | 2 1 0"));
        QCOMPARE(orders(3, 8, 3), QString("2 1 0 | 2 1 0 | 2 1 0"));
        QCOMPARE(orders(5, 0, 5), QString("2 0 1 3 4 | 0 2 1 4 3 | 1 3 4 0 2 | 3 1 2 4 0 | 4 2 3 1 0"));
    }

    void sizesOfTheBuckets() {
        Scene scene;
        scene.sizes = {20, 20, 20};
        scene.bucketing.strategy = "fixed_order";
        scene.batchSize = 1;
        scene.dropLast = true; // of the DataLoader, whose items are already batches
        const auto sizes = [&] {
            std::map<int, std::set<std::size_t>> out;
            for (const Rows& batch : scene.batches(0, 0))
                out[scene.bucketOf(batch)].insert(batch.size());
            return out;
        };
        scene.bucketing.scaledBatchSize = 3; // 9, 6, 3: NeMo's linear scaling
        QCOMPARE(sizes(), (std::map<int, std::set<std::size_t>>{{0, {9, 2}}, {1, {6, 2}}, {2, {3, 2}}}));
        scene.bucketing.weights = {1, 2, 1}; // 4 passes: 12, 9, 9, 6
        QCOMPARE(sizes(), (std::map<int, std::set<std::size_t>>{{0, {12, 8}}, {1, {9, 2}}, {2, {6, 2}}}));
        scene.bucketing = {"fixed_order", 0, {10, 5, 4}, {}};
        QCOMPARE(sizes(), (std::map<int, std::set<std::size_t>>{{0, {10}}, {1, {5}}, {2, {4}}}));
        scene.bucketing = {"fixed_order", 0, {}, {}, true};
        scene.batchSize = 8; // drop_last: leaves out the remainder of each bucket
        QCOMPARE(sizes(), (std::map<int, std::set<std::size_t>>{{0, {8}}, {1, {8}}, {2, {8}}}));
    }

    void weightsRepeatABucket() {
        Scene scene;
        scene.sizes = {6, 5};
        scene.bucketing.weights = {1, 3};
        std::map<std::int64_t, int> seen;
        for (const Rows& batch : scene.batches(0, 2))
            for (const std::int64_t row : batch)
                ++seen[row];
        for (std::int64_t row = 0; row < 11; ++row)
            QCOMPARE(seen[row], row < 6 ? 1 : 3);
    }

    void refusesWhatDoesNotFit() {
        Scene scene;
        scene.sizes = {10, 10};
        const auto says = [&](const char* key, const char* text) {
            const auto sampler = scene.sampler(0);
            return !sampler && sampler.error().where == key &&
                   sampler.error().what.english().find(text) != std::string::npos;
        };
        scene.bucketing.weights = {1};
        QVERIFY(says("bucketing_weights", "1 items for 2 buckets"));
        scene.bucketing.weights = {1, 0};
        QVERIFY(says("bucketing_weights", "is 0"));
        scene.bucketing = {};
        scene.bucketing.batchSizes = {1, 2, 3};
        QVERIFY(says("bucketing_batch_size", "3 items for 2 buckets"));
        scene.bucketing.batchSizes = {1, -2};
        QVERIFY(says("bucketing_batch_size", "bucket 1 batches of -2"));
        scene.bucketing = {};
        scene.dropLast = true;
        scene.batchSize = 21;
        QVERIFY(says("drop_last", "leaves no batch: a rank's share is 20"));
        scene.bucketing.batchesWithin = true;
        scene.batchSize = 11;
        QVERIFY(says("drop_last", "leaves no batch in bucket 0"));
    }

    /// As with NeMo's DataLoader over its chained stream, 21 utterances make 7 batches of 3, wherever the boundary is.
    void withoutSizesOfTheirOwnBatchesCrossTheBorders() {
        Scene scene;
        scene.sizes = {7, 14};
        scene.batchSize = 3;
        scene.shuffle = false;
        scene.bucketing.strategy = "fixed_order";
        const auto sizes = [&] {
            std::vector<std::size_t> out;
            for (const Rows& batch : scene.batches(0, 0))
                out.push_back(batch.size());
            return out;
        };
        QCOMPARE(sizes(), std::vector<std::size_t>(7, 3));
        QCOMPARE(scene.batches(0, 0)[2], (Rows{6, 7, 8}));
        scene.batchSize = 4; // 21 = 5 x 4 + 1
        QCOMPARE(sizes(), (std::vector<std::size_t>{4, 4, 4, 4, 4, 1}));
        scene.dropLast = true; // only applies at the end of the epoch
        QCOMPARE(sizes(), std::vector<std::size_t>(5, 4));
        QCOMPARE(scene.sampler(0)->dropped(), std::int64_t{1});
        scene.dropLast = false;
        scene.batchSize = 3;
        scene.bucketing.batchesWithin = true;
        QCOMPARE(sizes(), (std::vector<std::size_t>{3, 3, 1, 3, 3, 3, 3, 2}));
    }

    void loaderMakesBatchesOfOneBucket() {
        for (const char* strategy : {"synced_randomized", "fully_randomized"}) {
            auto bucketed = bucketConfig(2);
            bucketed.bucketing.strategy = strategy;
            bucketed.bucketing.batchesWithin = true;
            bucketed.batchSize = 2;
            std::vector<std::vector<int>> buckets(2);
            std::multiset<std::int64_t> seen;
            for (int rank = 0; rank < 2; ++rank) {
                const auto loader = make(bucketed, rank, 2);
                QCOMPARE(loader->utterances(), kFiles);
                QCOMPARE(loader->batchesPerEpoch(), 1 + 2 + 1); // shares of 2, 3 and 2
                for (const Batch& batch : epoch(*loader, 1)) {
                    const auto bucketOf = [](std::int64_t row) { return row < 4 ? 0 : row < 9 ? 1 : 2; };
                    for (const std::int64_t row : batch.indices)
                        QCOMPARE(bucketOf(row), bucketOf(batch.indices.front()));
                    buckets[static_cast<std::size_t>(rank)].push_back(bucketOf(batch.indices.front()));
                    seen.insert(batch.indices.begin(), batch.indices.end());
                }
            }
            QCOMPARE(seen.size(), std::size_t{14});
            QCOMPARE(std::set<std::int64_t>(seen.begin(), seen.end()).size(), std::size_t{kFiles});
            QVERIFY(strategy != std::string("synced_randomized") || buckets[0] == buckets[1]);
        }
    }

    void resumesBetweenBuckets() {
        auto bucketed = bucketConfig(2);
        bucketed.batchSize = 1;
        bucketed.bucketing.scaledBatchSize = 1;
        const auto whole = epoch(*make(bucketed), 2);
        QCOMPARE(whole.size(), std::size_t{2 + 3 + 4}); // batches of 3, of 2 and of 1
        for (std::size_t first = 0; first < whole.size(); ++first) {
            const auto loader = make(bucketed);
            loader->beginEpoch(2, static_cast<std::int64_t>(first));
            for (std::size_t i = first; i < whole.size(); ++i)
                QVERIFY(contentOf(**loader->next()) == contentOf(whole[i]));
            QVERIFY(!*loader->next());
        }
    }
};

RANKSCOPE_CORE_TEST(TestBatchSampler)
#include "tst_batch_sampler.moc"
