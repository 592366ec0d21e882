// SPDX-License-Identifier: Apache-2.0
#include "core/plan/data/epoch_order.h"
#include "tests/core/trainer/data/batches/loader_fixture.h"
#include "tests/support/test_runner.h"

#include <QTest>

#include <mutex>
#include <set>
#include <tuple>

using namespace rankscope;
using namespace rankscope::plan;
using namespace rankscope::trainer;
using namespace rankscope::test;

class TestBatchLoader : public QObject, LoaderFixture {
    Q_OBJECT

    void expectRefused(const config::DatasetConfig& config, const char* says, const std::string& where = {}) {
        const auto loader = BatchLoader::create(config, 0, 1, 0, {});
        QVERIFY(!loader);
        QVERIFY2(loader.error().message().find(says) != std::string::npos, loader.error().message().c_str());
        if (!where.empty())
            QCOMPARE(loader.error().where, where);
    }

    /// Returns a manifest with `bad` missing files and `good` existing ones, alternating.
    std::string mixedManifest(int good, int bad) {
        std::vector<std::pair<std::string, double>> rows;
        for (int i = 0; i < std::max(good, bad); ++i) {
            if (i < bad)
                rows.emplace_back("missing" + std::to_string(i) + ".wav", 1.0);
            if (i < good)
                rows.emplace_back(std::to_string(i) + ".wav", secondsOf(i));
        }
        writeText(at("mixed.json"), manifestText(rows));
        return at("mixed.json");
    }

private Q_SLOTS:
    void batchesAreAsTheSamplerSays() {
        auto plain = config();
        plain.noiseManifests.clear();
        plain.augmentor.present = false;
        const auto loader = make(plain);
        QCOMPARE(loader->utterances(), kFiles);
        QCOMPARE(loader->batchesPerEpoch(), 5);
        const auto order = shardOrder(kFiles, {0, 1, true, false, 5}, 2);
        const auto batches = epoch(*loader, 2);
        QCOMPARE(batches.size(), std::size_t{5});
        std::size_t at = 0;
        for (const Batch& batch : batches) {
            const auto rows = static_cast<std::int64_t>(batch.indices.size());
            QCOMPARE(rows, at + 3 <= kFiles ? 3 : 1);
            QCOMPARE(batch.epoch, 2);
            QCOMPARE(batch.skippedFiles, 0);
            std::int64_t longest = 0;
            for (std::int64_t i = 0; i < rows; ++i) {
                const auto row = batch.indices[static_cast<std::size_t>(i)];
                QCOMPARE(row, order[at++]);
                // half a second is repeated to fill one second, as in NeMo
                const auto samples = static_cast<std::int64_t>(std::max(1.0, secondsOf(static_cast<int>(row))) * 16000);
                QCOMPARE(batch.samples[static_cast<std::size_t>(i)], samples);
                QCOMPARE(batch.audioLen[i].item<std::int64_t>(), samples);
                QCOMPARE(batch.noisyLen[i].item<std::int64_t>(), samples);
                longest = std::max(longest, samples);
                const auto expected = tone(200 + 50 * static_cast<int>(row), secondsOf(static_cast<int>(row)), 16000,
                                           0.1 + 0.05 * static_cast<double>(row));
                const auto audio = batch.audio[i].narrow(0, 0, static_cast<std::int64_t>(expected.size()));
                QVERIFY((audio - torch::tensor(expected)).abs().max().item<float>() < 1e-4f);
                QCOMPARE(batch.audio[i].slice(0, samples).abs().sum().item<float>(), 0.0f);
            }
            QCOMPARE(batch.audio.size(1), longest);
            QVERIFY(torch::equal(batch.audio, batch.noisy)); // no noise is configured
            QVERIFY(batch.longestFile.ends_with(".wav"));
            QVERIFY(batch.loadNs > 0);
        }
        QCOMPARE(at, std::size_t{kFiles});
    }

    void shortAudioIsRepeated() {
        writeText(at("short.json"), manifestText({{"0.wav", secondsOf(0)}}));
        auto one = config();
        one.manifests = {at("short.json")};
        const auto batches = epoch(*make(one), 0);
        QCOMPARE(batches.front().samples.front(), 16000);
        const auto audio = batches.front().audio[0];
        QVERIFY(torch::equal(audio.narrow(0, 0, 8000), audio.narrow(0, 8000, 8000)));
    }

    void noiseIsAddedWhereItShould() {
        auto noisy = config();
        noisy.augmentor.prob = 1;
        noisy.augmentor.noiseRatio = 1;
        noisy.augmentor.minRNoise = noisy.augmentor.maxRNoise = 10;
        noisy.augmentor.minMixRate = noisy.augmentor.maxMixRate = 1;
        for (const Batch& batch : epoch(*make(noisy), 0)) {
            for (std::int64_t i = 0; i < batch.audio.size(0); ++i) {
                const auto samples = batch.samples[static_cast<std::size_t>(i)];
                const auto clean = batch.audio[i].slice(0, 0, samples),
                           added = batch.noisy[i].slice(0, 0, samples) - clean;
                const double db =
                    10 * std::log10(clean.square().sum().item<double>() / added.square().sum().item<double>());
                QVERIFY2(std::abs(db - 10) < 0.05, qPrintable(QString::number(db)));
                QCOMPARE(batch.noisy[i].slice(0, samples).abs().sum().item<float>(), 0.0f);
            }
        }
    }

    /// Validations, which read the first epoch each time, can then be compared.
    void anEpochThatIsReadAgainHasTheSameNoise() {
        auto noisy = config();
        noisy.augmentor.prob = 1;
        const auto loader = make(noisy);
        const auto first = epoch(*loader, 0), again = epoch(*loader, 0), next = epoch(*loader, 1);
        QCOMPARE(again.size(), first.size());
        for (std::size_t i = 0; i < first.size(); ++i) {
            QVERIFY(first[i].indices == again[i].indices);
            QVERIFY(torch::equal(first[i].noisy, again[i].noisy));
            QVERIFY(!torch::equal(first[i].noisy, first[i].audio));
            QVERIFY(first[i].indices != next[i].indices || !torch::equal(first[i].noisy, next[i].noisy));
        }
    }

    void withoutAugmentorTheClipIsAddedAsItIs() {
        auto plain = config();
        plain.augmentor.present = false;
        const auto batch = epoch(*make(plain), 0).front();
        const auto added = (batch.noisy - batch.audio)[0].slice(0, 0, 16000);
        QVERIFY(std::abs(added.square().mean().sqrt().item<double>() - 0.2 / std::sqrt(2)) < 0.01);
    }

    void ranksShareTheSet() {
        std::multiset<std::int64_t> seen;
        std::vector<std::size_t> counts;
        for (int rank = 0; rank < 2; ++rank) {
            const auto batches = epoch(*make(config(2), rank, 2), 3);
            counts.push_back(batches.size());
            for (const Batch& batch : batches)
                seen.insert(batch.indices.begin(), batch.indices.end());
        }
        QCOMPARE(counts, (std::vector<std::size_t>{3, 3})); // 13 utterances, one of them twice: 7 per rank
        QCOMPARE(seen.size(), std::size_t{14});
        QCOMPARE(std::set<std::int64_t>(seen.begin(), seen.end()).size(), std::size_t{13});
    }

    void dropLastDropsTheSmallBatch() {
        auto dropping = config(1);
        dropping.dropLast = true;
        const auto loader = make(dropping);
        QCOMPARE(loader->batchesPerEpoch(), 4);
        for (const Batch& batch : epoch(*loader, 0))
            QCOMPARE(batch.indices.size(), std::size_t{3});
    }

    void takesTheChannelThatWasAsked() {
        std::vector<float> both;
        for (int i = 0; i < 20000; ++i)
            both.insert(both.end(), {0.5f, -0.25f});
        writeAudio(at("both.wav"), both, 16000, 2, Coding::Float);
        writeText(at("both.json"), manifestText({{"both.wav", 1.25}}));
        auto stereo = config();
        stereo.manifests = {at("both.json")};
        for (const auto& [channel, value] : std::vector<std::pair<int, float>>{{-1, 0.125f}, {0, 0.5f}, {1, -0.25f}}) {
            stereo.channel = channel;
            QVERIFY((epoch(*make(stereo), 0).front().audio - value).abs().max().item<float>() < 1e-6f);
        }
    }

    void pinsMemoryForAGpu() {
        if (!at::globalContext().hasCUDA())
            QSKIP("pinned memory is CUDA's: no GPU, or no CUDA in this LibTorch");
        for (const bool pinned : {false, true}) {
            auto set = config(2);
            set.pinMemory = pinned;
            const auto batches = epoch(*make(set), 0);
            for (const Batch& batch : batches)
                for (const auto& tensor : {batch.audio, batch.audioLen, batch.noisy, batch.noisyLen})
                    QCOMPARE(tensor.is_pinned(), pinned);
        }
    }

    void indicesAreRowsBeforeTheFilter() {
        auto filtered = config();
        filtered.minDuration = 3.0; // files 10, 11, 12
        filtered.shuffle = false;
        const auto loader = make(filtered);
        QCOMPARE(loader->utterances(), 3);
        QCOMPARE(epoch(*loader, 0).front().indices, (std::vector<std::int64_t>{10, 11, 12}));
    }

    void brokenFilesAreSkippedAndNamedOnce() {
        for (const int workers : {0, 2}) {
            auto broken = config(workers);
            broken.manifests = {mixedManifest(9, 2)};
            std::mutex mutex;
            std::vector<std::string> named;
            LoaderHooks hooks;
            hooks.skipped = [&](const std::string& message) {
                const std::lock_guard lock(mutex);
                named.push_back(message);
            };
            const auto loader = make(broken, 0, 1, hooks);
            for (const int number : {0, 1}) {
                std::size_t rows = 0;
                int skipped = 0;
                for (const Batch& batch : epoch(*loader, number)) {
                    rows += batch.indices.size();
                    skipped += batch.skippedFiles;
                    QCOMPARE(batch.audio.size(0), static_cast<std::int64_t>(batch.indices.size()));
                }
                QCOMPARE(rows, std::size_t{9});
                QCOMPARE(skipped, 2);
            }
            QCOMPARE(named.size(), std::size_t{2});
            QVERIFY(named[0] != named[1]);
            QVERIFY2(named[0].find("missing") != std::string::npos &&
                         named[0].find("No such file") != std::string::npos,
                     named[0].c_str());
        }
    }

    /// As in NeMo, the utterance is used and repeated to fill a second. It is reported once, and does not count as
    /// skipped.
    void anUtteranceThatIsShorterThanTheManifestSays() {
        writeText(at("long.json"), manifestText({{"0.wav", 5.0}, {"12.wav", 7.5}}));
        for (const int workers : {0, 2}) {
            auto config = this->config(workers);
            config.manifests = {at("long.json")};
            config.shuffle = false;
            std::vector<std::string> told, skipped;
            LoaderHooks hooks;
            hooks.shorter = [&](const std::string& message) { told.push_back(message); };
            hooks.skipped = [&](const std::string& message) { skipped.push_back(message); };
            const auto loader = make(config, 0, 1, hooks);
            for (const int number : {0, 1}) {
                const auto batches = epoch(*loader, number);
                QCOMPARE(batches.size(), std::size_t{1});
                QCOMPARE(batches.front().samples, (std::vector<std::int64_t>{16000, 56000}));
                QCOMPARE(batches.front().skippedFiles, 0);
                const auto once = batches.front().audio[0].narrow(0, 0, 8000);
                QVERIFY(torch::equal(batches.front().audio[0].narrow(0, 8000, 8000), once));
            }
            QCOMPARE(told.size(), std::size_t{2});
            QVERIFY2(told[0].find("0.wav: holds 0.50 s from its offset, the manifest says 5.00 s") != std::string::npos,
                     told[0].c_str());
            QVERIFY(skipped.empty());
        }
    }

    void aBrokenNoiseClipDoesNotStopTraining() {
        writeText(at("badnoise.json"), manifestText({{"nothing.wav", 2.0}}));
        auto broken = config(1);
        broken.noiseManifests = {at("badnoise.json")};
        int named = 0;
        LoaderHooks hooks;
        hooks.skipped = [&](const std::string&) { ++named; };
        const auto loader = make(broken, 0, 1, hooks);
        const auto batches = epoch(*loader, 0);
        QCOMPARE(batches.size(), std::size_t{5});
        QCOMPARE(batches.front().skippedFiles, 0);
        QCOMPARE(named, 1);
    }

    void aWhollyBrokenBatchTakesAnother() {
        for (const int workers : {0, 2}) {
            auto broken = config(workers);
            broken.manifests = {mixedManifest(5, 2)}; // bad good bad good good good good
            broken.shuffle = false;
            broken.batchSize = 1;
            const auto loader = make(broken);
            const auto batches = epoch(*loader, 0);
            std::vector<std::int64_t> rows;
            for (const Batch& batch : batches) {
                QCOMPARE(batch.indices.size(), std::size_t{1});
                rows.push_back(batch.indices.front());
            }
            // no rank misses a batch: the next readable utterance is used instead
            QCOMPARE(rows, (std::vector<std::int64_t>{1, 1, 3, 3, 4, 5, 6}));
            QCOMPARE(batches[0].skippedFiles, 1);
            QCOMPARE(batches[1].skippedFiles, 0);
        }
    }

    void nothingReadableIsAnError() {
        auto broken = config(2);
        broken.manifests = {mixedManifest(0, 4)};
        broken.batchSize = 1;
        broken.maxBrokenShare = 1;
        const auto loader = make(broken);
        loader->beginEpoch(0);
        const auto first = loader->next();
        QVERIFY(!first);
        const std::string message = first.error().message();
        QVERIFY2(message.find("none of a batch's files can be read") != std::string::npos, message.c_str());
        QVERIFY2(message.find("missing1.wav") != std::string::npos, message.c_str());
    }

    /// Returns the number of batches before the error, and the error.
    static std::pair<int, std::string> untilError(BatchLoader& loader) {
        loader.beginEpoch(0);
        for (int good = 0;; ++good) {
            const auto batch = loader.next();
            if (!batch)
                return {good, batch.error().message()};
            if (!*batch)
                return {good, ""};
        }
    }

    void tooManyBrokenFilesAreAnError() {
        auto broken = config();
        broken.manifests = {mixedManifest(5, 6)};
        broken.shuffle = false;
        broken.batchSize = 4; // bad good bad good, twice; bad good bad
        auto [good, message] = untilError(*make(broken));
        QCOMPARE(good, 2);
        QVERIFY2(message.find("more than 50 % of the files (rankscope.max_broken_share) cannot be read, 6 of 11") !=
                     std::string::npos,
                 message.c_str());
        QVERIFY2(message.find("and 3 more") != std::string::npos, message.c_str());

        broken.maxBrokenShare = 0.55; // 6 of 11 are 0.545
        QCOMPARE(untilError(*make(broken)).first, 3);
        QCOMPARE(untilError(*make(broken)).second, std::string());
        broken.maxBrokenShare = 0.2; // 2.2 files
        QCOMPARE(untilError(*make(broken)).first, 1);
        broken.maxBrokenShare = 0;
        std::tie(good, message) = untilError(*make(broken));
        QCOMPARE(good, 0);
        QVERIFY2(message.find("more than 0 %") != std::string::npos && message.find("2 of 11") != std::string::npos,
                 message.c_str());
    }

    void refusesWhatCannotWork() {
        auto bad = config();
        bad.manifests.clear();
        expectRefused(bad, "does not name a manifest", "manifest_filepath");
        bad.manifests = {at("nowhere.json")};
        expectRefused(bad, "No such file", at("nowhere.json"));
        writeText(at("empty.json"), "");
        bad.manifests = {at("empty.json")};
        expectRefused(bad, "the manifest is empty", at("empty.json"));
        bad = config();
        bad.noiseManifests = {at("empty.json")};
        expectRefused(bad, "the manifest is empty", at("empty.json"));
        bad = config();
        bad.minDuration = 3.4;
        bad.maxDuration = 3.45;
        expectRefused(bad, "none of the 13 utterances is left: 12 are shorter than min_duration 3.4 s, 1 longer");
        bad = config();
        bad.dropLast = true;
        bad.batchSize = 14;
        expectRefused(bad, "leaves no batch: a rank's share is 13", "drop_last");
        bad = config();
        bad.batchSize = 0;
        expectRefused(bad, "expected 1 or more", "batch_size");
        bad = config(-1);
        expectRefused(bad, "is -1", "num_workers");
        bad = config(1);
        bad.prefetchFactor = 0;
        expectRefused(bad, "is 0", "prefetch_factor");
        bad = config();
        bad.maxBrokenShare = 1.5;
        expectRefused(bad, "is 1.5", "rankscope.max_broken_share");
        bad = config();
        bad.augmentor.prob = 2;
        expectRefused(bad, "prob");
        QVERIFY(!BatchLoader::create(config(), 2, 2, 0, {}));
        QVERIFY(!make(config())->next()); // beginEpoch() was not called
    }
};

RANKSCOPE_CORE_TEST(TestBatchLoader)
#include "tst_batch_loader.moc"
