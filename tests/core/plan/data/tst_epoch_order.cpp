// SPDX-License-Identifier: Apache-2.0
// If Lightning inserts its DistributedSampler, training is shuffled; otherwise each rank draws its own order.
#include "core/plan/data/data_plan.h"
#include "core/plan/data/epoch_order.h"
#include "tests/support/test_runner.h"

#include <QTest>

#include <algorithm>
#include <numeric>
#include <set>

using namespace rankscope;
using namespace rankscope::plan;

class TestTrainingOrder : public QObject {
    Q_OBJECT

    /// Returns the order in which a rank sees 21 utterances in the first epoch.
    static std::vector<std::int64_t> order(const config::Recipe& recipe, int rank, int worldSize) {
        const auto sampler = batchesOf(trainingData(recipe, worldSize), {0, 21}, rank, worldSize,
                                       recipe.trainer.useDistributedSampler, orderSeed(recipe.trainer, rank));
        if (!sampler)
            qFatal("%s", sampler.error().message().c_str());
        return sampler->order(0).rows;
    }
    static std::vector<std::int64_t> asWritten() {
        std::vector<std::int64_t> rows(21);
        std::iota(rows.begin(), rows.end(), 0);
        return rows;
    }

private Q_SLOTS:
    /// Lightning passes shuffle=True to DistributedSampler for training, whatever the loader's own sampler is.
    void theDistributedSamplerShuffles() {
        config::Recipe recipe;
        recipe.train.shuffle = false;
        QCOMPARE(order(recipe, 0, 1), asWritten());
        for (int rank = 0; rank < 2; ++rank)
            QCOMPARE(order(recipe, rank, 2), shardOrder(21, {rank, 2, true, false, 0}, 0));
        recipe.trainer.strategy = "ddp"; // with ddp, one rank has it too
        QCOMPARE(order(recipe, 0, 1), shardOrder(21, {0, 1, true, false, 0}, 0));
        recipe.trainer.seed = 7;
        QCOMPARE(order(recipe, 1, 2), shardOrder(21, {1, 2, true, false, 7}, 0));
        recipe.trainer.useDistributedSampler = false;
        QCOMPARE(order(recipe, 1, 2), asWritten());
        recipe.trainer.useDistributedSampler = true;
        recipe.train.tarred.enabled = true; // a stream has no sampler
        QVERIFY(!trainingData(recipe, 2).shuffle);
        QVERIFY(!recipe.train.shuffle);
    }

    /// NeMo 2.7.3 with seed_everything(7), shuffle: false and 23 utterances: rank 0 begins with these rows.
    void asNemoReadsThem() {
        config::Recipe recipe;
        recipe.train.shuffle = false;
        recipe.trainer.seed = 7;
        const auto sampler = batchesOf(trainingData(recipe, 2), {0, 23}, 0, 2, true, orderSeed(recipe.trainer, 0));
        QVERIFY(sampler);
        auto rows = sampler->order(0).rows;
        rows.resize(3);
        QCOMPARE(rows, (std::vector<std::int64_t>{10, 1, 11}));
    }

    void withoutItEachRankDrawsItsOwn() {
        config::Recipe recipe;
        recipe.train.shuffle = true;
        recipe.trainer.useDistributedSampler = false;
        std::set<std::vector<std::int64_t>> orders;
        for (int rank = 0; rank < 4; ++rank) {
            auto rows = order(recipe, rank, 4);
            orders.insert(rows);
            QCOMPARE(order(recipe, rank, 4), rows); // a resumed run gets the same order again
            std::sort(rows.begin(), rows.end());
            QCOMPARE(rows, asWritten());
        }
        QCOMPARE(orders.size(), std::size_t{4});
        recipe.trainer.seed = 3; // as with seed_everything: RandomSampler draws the same order on all ranks
        QCOMPARE(order(recipe, 3, 4), order(recipe, 0, 4));
    }
};

RANKSCOPE_CORE_TEST(TestTrainingOrder)
#include "tst_epoch_order.moc"
