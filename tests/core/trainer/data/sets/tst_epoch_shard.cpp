// SPDX-License-Identifier: Apache-2.0
// The rule by which the check judges the ranks' shares holds for every correct way of sharing, and fails for wrong
// ones.
#include "core/base/files/file.h"
#include "core/plan/data/data_plan.h"
#include "tests/core/trainer/data/batches/loader_fixture.h"
#include "tests/core/trainer/data/tar_builder.h"
#include "tests/support/test_runner.h"

#include <QTest>

#include <set>

using namespace rankscope;
using namespace rankscope::test;
using telemetry::CheckStatus;

class TestEpochShare : public QObject, LoaderFixture {
    Q_OBJECT

    static CheckResult judged(const std::vector<EpochShard>& shares) {
        std::vector<std::int32_t> sum(static_cast<std::size_t>(shares.front().utterances), 0);
        for (const EpochShard& share : shares) {
            const auto has = utterancePresence(share);
            for (std::size_t i = 0; i < sum.size(); ++i)
                sum[i] += has[i];
        }
        return checkShards(shares.front(), sum, static_cast<int>(shares.size()), nullptr);
    }
    static CheckResult judged(const config::DatasetConfig& config, int worldSize, int epoch) {
        std::vector<EpochShard> shares;
        for (int rank = 0; rank < worldSize; ++rank)
            shares.push_back(make(config, rank, worldSize)->share(epoch));
        return judged(shares);
    }

    config::DatasetConfig tarred(int shards) {
        config::DatasetConfig set = config();
        set.tarred.enabled = true;
        set.tarred.shards = {{}};
        for (int s = 0; s < shards; ++s) {
            std::vector<Member> members;
            for (int i = s; i < kFiles; i += shards)
                members.push_back({std::to_string(i) + ".wav", *readFile(at(std::to_string(i) + ".wav"))});
            set.tarred.shards[0].push_back(at(std::to_string(shards) + "_" + std::to_string(s) + ".tar"));
            writeTar(set.tarred.shards[0].back(), members);
        }
        return set;
    }
    config::DatasetConfig bucketed() {
        auto set = config();
        std::vector<std::pair<std::string, double>> shortRows, longRows;
        for (int i = 0; i < kFiles; ++i)
            (i < 7 ? shortRows : longRows).emplace_back(std::to_string(i) + ".wav", secondsOf(i));
        writeText(at("short.json"), manifestText(shortRows));
        writeText(at("long.json"), manifestText(longRows));
        set.buckets = {{at("short.json")}, {at("long.json")}};
        set.manifests = {at("short.json"), at("long.json")};
        return set;
    }

private Q_SLOTS:
    /// `rankscopectl plan` reports what the loader delivers: batches, utterances and their lengths.
    void aPlanSaysTheSame() {
        auto dropping = config(), limited = config();
        const auto buckets = bucketed();
        dropping.dropLast = true;
        limited.minDuration = 0.8;
        limited.maxDuration = 3.0;
        for (const auto& set : {config(), dropping, limited, buckets})
            for (const int worldSize : {1, 2, 3}) {
                plan::DataOptions options;
                options.ranks = worldSize;
                options.seed = [](int) { return std::uint64_t{7}; };
                const auto planned = plan::planData("model.train_ds", set, options);
                QVERIFY(planned && planned->problem.empty());
                for (int rank = 0; rank < worldSize; ++rank) {
                    const auto loader = BatchLoader::create(set, rank, worldSize, 7, {});
                    QVERIFY(loader);
                    const plan::RankShare& share = planned->ranks[static_cast<std::size_t>(rank)];
                    QCOMPARE(share.batches, (*loader)->batchesPerEpoch());
                    (*loader)->beginEpoch(0);
                    std::int64_t utterances = 0, batches = 0;
                    double padded = 0;
                    for (auto batch = (*loader)->next(); batch && *batch; batch = (*loader)->next()) {
                        ++batches;
                        utterances += static_cast<std::int64_t>((*batch)->samples.size());
                        padded += static_cast<double>((*batch)->audio.numel()) / set.sampleRate;
                    }
                    QCOMPARE(batches, share.batches);
                    QCOMPARE(utterances, share.utterances);
                    QVERIFY2(std::abs(padded - share.paddedSeconds) < 0.01 * padded,
                             qPrintable(QString("%1 %2").arg(padded).arg(share.paddedSeconds)));
                }
            }
    }

    void everyWayOfSharing() {
        auto dropping = config();
        dropping.dropLast = true;
        const auto buckets = bucketed();
        auto unshuffled = config();
        unshuffled.shuffle = false;
        auto read = tarred(4);
        read.tarred.readers = 3;
        read.dropLast = true;
        for (const auto& set : {config(), dropping, buckets, unshuffled, tarred(4), read})
            for (const int worldSize : {1, 2, 3, 4})
                for (const int epoch : {0, 1, 5}) {
                    const auto result = judged(set, worldSize, epoch);
                    QVERIFY2(result.status == CheckStatus::Passed, result.text.c_str());
                }
    }

    void whatIsNotShared() {
        auto replicated = tarred(4);
        replicated.tarred.strategy = "replicate";
        QVERIFY(make(replicated, 1, 2)->share(0).notShared.find("replicate") != std::string::npos);
        QVERIFY(make(config(), 1, 2)->share(0).notShared.empty());
    }

    void wrongRanksAreFound() {
        for (const auto& set : {config(), tarred(4)}) {
            const auto twice =
                judged({make(set, 0, 2)->share(0), make(set, 0, 2)->share(0)}); // two processes claim to be rank 0
            QVERIFY2(twice.status == CheckStatus::Failed && twice.stops, twice.text.c_str());
            QVERIFY(twice.text.find("more than one rank") != std::string::npos);
            const auto lost = judged({make(set, 0, 4)->share(0), make(set, 1, 4)->share(0)}); // WORLD_SIZE is wrong
            QVERIFY2(lost.status == CheckStatus::Failed, lost.text.c_str());
            QVERIFY(lost.text.find("on no rank") != std::string::npos);
        }
        // a different seed gives a different permutation
        const auto seeds = judged({make(config(), 0, 2, {}, 5)->share(0), make(config(), 1, 2, {}, 6)->share(0)});
        QVERIFY2(seeds.status == CheckStatus::Failed, seeds.text.c_str());
    }

    void contentIsWhatTheRowsSay() {
        const auto hash = make(config())->contentHash();
        QCOMPARE(make(config(), 1, 2)->contentHash(), hash);
        auto fewer = config();
        fewer.maxDuration = 3;
        QVERIFY(make(fewer)->contentHash() != hash);
    }
};

RANKSCOPE_CORE_TEST(TestEpochShare)
#include "tst_epoch_shard.moc"
