// SPDX-License-Identifier: Apache-2.0
// Shares of ranks, padding and waiting, compared with values computed by hand and with the sampler batch by batch.
#include "core/plan/data/data_plan.h"
#include "tests/support/test_runner.h"

#include <QFile>
#include <QTemporaryDir>
#include <QTest>

#include <algorithm>
#include <random>

using namespace rankscope;
using namespace rankscope::plan;

class TestDataPlan : public QObject {
    Q_OBJECT

    QTemporaryDir m_dir;
    int m_files = 0;

    std::string manifest(const std::vector<double>& seconds) {
        QFile file(m_dir.filePath(QString::number(m_files++)));
        if (!file.open(QIODevice::WriteOnly))
            qFatal("cannot write");
        for (const double s : seconds)
            file.write("{\"audio_filepath\": \"x.wav\", \"duration\": " + QByteArray::number(s) + "}\n");
        return file.fileName().toStdString();
    }
    static DataPlan planned(const config::DatasetConfig& data, const DataOptions& options) {
        auto plan = planData("model.train_ds", data, options);
        if (!plan)
            qFatal("%s", plan.error().message().c_str());
        return std::move(*plan);
    }

private Q_SLOTS:
    void byHand() {
        config::DatasetConfig data;
        data.manifests = {manifest({1, 2, 3, 4, 5, 6, 7, 20})};
        data.shuffle = false;
        data.batchSize = 2;
        DataOptions options;
        options.ranks = 2;
        // rank 0: (1 3)(5 7), rank 1: (2 4)(6 20)
        const DataPlan plan = planned(data, options);
        QVERIFY2(plan.problem.empty(), plan.problem.english().c_str());
        QCOMPARE(plan.batchesPerRank, std::int64_t{2});
        QCOMPARE(plan.ranks.size(), std::size_t{2});
        QCOMPARE(plan.ranks[0].paddedSeconds, 2 * 3.0 + 2 * 7.0);
        QCOMPARE(plan.ranks[1].paddedSeconds, 2 * 4.0 + 2 * 20.0);
        QCOMPARE(plan.ranks[0].speechSeconds, 16.0);
        QCOMPARE(plan.ranks[1].longestSeconds, 20.0);
        QCOMPARE(plan.ranks[0].waitsSeconds, (8.0 - 6.0) + (40.0 - 14.0));
        QCOMPARE(plan.ranks[1].waitsSeconds, 0.0);
        QCOMPARE(plan.paddingShare, 1 - 48.0 / 68.0);
        QCOMPARE(plan.imbalance, 28.0 / 96.0);
        QCOMPARE(plan.longestBatchSeconds, 40.0);
        QCOMPARE(plan.longestBatchSize, std::int64_t{2});
        // waiting once in two batches gives the same here, because one rank is behind in both; the limit keeps only the
        // first
        options.batchesPerMeeting = 2;
        QCOMPARE(planned(data, options).imbalance, 28.0 / 96.0);
        options.limit.count = 1;
        QCOMPARE(planned(data, options).ranks[0].batches, std::int64_t{1});
        QCOMPARE(planned(data, options).imbalance, 2.0 / 16.0);
    }

    void lessIsLostWhereRanksMeetLater() {
        config::DatasetConfig data;
        data.manifests = {manifest({1, 9, 9, 1})};
        data.shuffle = false;
        DataOptions options;
        options.ranks = 2; // rank 0: 1, 9; rank 1: 9, 1
        QCOMPARE(planned(data, options).imbalance, 16.0 / 36.0);
        options.batchesPerMeeting = 2;
        QCOMPARE(planned(data, options).imbalance, 0.0);
    }

    /// Compares with the sampler itself, for shuffled sets with remainders, for buckets, and without a sampler.
    void asTheSamplerGives() {
        std::mt19937 random(7);
        std::uniform_real_distribution<double> length(0.5, 20);
        for (int round = 0; round < 40; ++round) {
            config::DatasetConfig data;
            data.batchSize = 1 + round % 5;
            data.dropLast = round % 3 == 0;
            data.minDuration = 1;
            data.maxDuration = 18;
            const int buckets = round % 4 == 1 ? 3 : 1;
            for (int b = 0; b < buckets; ++b) {
                std::vector<double> seconds(static_cast<std::size_t>(60 + round));
                std::generate(seconds.begin(), seconds.end(), [&] { return length(random); });
                data.manifests.push_back(manifest(seconds));
                if (buckets > 1)
                    data.buckets.push_back({data.manifests.back()});
            }
            DataOptions options;
            options.ranks = 1 + round % 4;
            options.sharded = round % 7 != 0;
            options.seed = [round](int) { return static_cast<std::uint64_t>(round); };
            const DataPlan plan = planned(data, options);
            QVERIFY2(plan.problem.empty(), plan.problem.english().c_str());
            const auto durations = readDurations(data, nullptr);
            for (int rank = 0; rank < options.ranks; ++rank) {
                const auto sampler =
                    batchesOf(data, durations->bucketBegin, rank, options.ranks, options.sharded, options.seed(rank));
                QVERIFY(sampler);
                const auto order = sampler->order(0);
                double speech = 0;
                for (const auto row : order.rows)
                    speech += durations->seconds[static_cast<std::size_t>(row)];
                const RankShare& share = plan.ranks[static_cast<std::size_t>(rank)];
                QCOMPARE(share.batches, sampler->batches());
                QCOMPARE(share.utterances, static_cast<std::int64_t>(order.rows.size()));
                QVERIFY(std::abs(share.speechSeconds - speech) < 1e-6 * speech);
                QVERIFY(share.paddedSeconds >= share.speechSeconds);
            }
            QVERIFY(plan.imbalance >= 0 && plan.imbalance < 1);
            if (!options.sharded || options.ranks == 1)
                QCOMPARE(plan.imbalance, 0.0);
        }
    }

    void saysWhyThereAreNoShares() {
        config::DatasetConfig data;
        data.manifests = {manifest({1, 2, 3})};
        data.minDuration = 5;
        QVERIFY2(planned(data, {}).problem.english().find("none of the 3 utterances") == 0,
                 planned(data, {}).problem.english().c_str());
        data.minDuration = 0;
        data.batchSize = 4;
        data.dropLast = true;
        QVERIFY2(planned(data, {}).problem.english().find("drop_last: leaves no batch") == 0,
                 planned(data, {}).problem.english().c_str());
        data.manifests = {"/no/such/file"};
        QVERIFY(planned(data, {}).problem.english().find("/no/such/file") == 0);
        DataOptions stopped;
        stopped.cancelled = [] { return true; };
        data.manifests = {manifest({1, 2, 3})};
        QVERIFY(!planData("model.train_ds", data, stopped));
    }
};

RANKSCOPE_CORE_TEST(TestDataPlan)
#include "tst_data_plan.moc"
