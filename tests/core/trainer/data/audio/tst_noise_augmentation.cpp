// SPDX-License-Identifier: Apache-2.0
#include "core/trainer/data/audio/noise_bank.h"
#include "tests/support/test_runner.h"

#include <QFile>
#include <QTest>

#include <nlohmann/json.hpp>

#include <cmath>
#include <numeric>
#include <random>
#include <set>
#include <vector>

using namespace rankscope;
using namespace rankscope::trainer;

namespace {

constexpr std::int64_t kStride = 4000;

/// A batch in memory: row i is a tone with its own loudness, and its noise clip is a square wave.
struct Mix {
    std::vector<std::int64_t> length;
    std::vector<float> audio, noise;
    std::vector<std::int64_t> noiseLength;

    explicit Mix(std::vector<std::int64_t> lengths, std::int64_t clip = 3000)
        : length(std::move(lengths)), audio(length.size() * kStride), noise(audio.size()),
          noiseLength(length.size(), clip) {
        for (std::size_t i = 0; i < length.size(); ++i) {
            for (std::int64_t t = 0; t < length[i]; ++t) // never 0, so that samples of a segment differ from silence
                audio[i * kStride + static_cast<std::size_t>(t)] = static_cast<float>(
                    (0.1 + 0.1 * static_cast<double>(i)) * (1.5 + std::sin(0.05 * static_cast<double>(t))));
            for (std::int64_t t = 0; t < std::min(clip, length[i]); ++t)
                noise[i * kStride + static_cast<std::size_t>(t)] = (t / 7) % 2 ? 0.3f : -0.2f;
            noiseLength[i] = std::min(clip, length[i]);
        }
    }
    MixView view() {
        return {audio.data(), length.data(), noise.data(), noiseLength.data(), static_cast<std::int64_t>(length.size()),
                kStride};
    }
    std::vector<float> row(std::size_t i) const {
        const auto begin = noise.begin() + static_cast<std::ptrdiff_t>(i) * kStride;
        return {begin, begin + kStride};
    }
    std::int64_t nonZero(std::size_t i) const {
        const auto samples = row(i);
        return kStride - std::count(samples.begin(), samples.end(), 0.0f);
    }
    int runs(std::size_t i) const { // number of runs of samples that are not 0
        int count = 0;
        float last = 0;
        for (const float x : row(i)) {
            count += x != 0 && last == 0;
            last = x;
        }
        return count;
    }
    /// Returns the signal-to-noise ratio over the utterance, measured independently.
    double ratioDb(std::size_t i) const {
        double signal = 0, added = 0;
        for (std::size_t t = i * kStride; t < i * kStride + static_cast<std::size_t>(length[i]); ++t) {
            signal += static_cast<double>(audio[t]) * audio[t];
            added += static_cast<double>(noise[t]) * noise[t];
        }
        return 10 * std::log10(signal / added);
    }
};

config::BatchAugmentorConfig nemoConfig(const nlohmann::json& c) {
    config::BatchAugmentorConfig config;
    config.present = true;
    config.prob = c["prob"], config.noiseRatio = c["noise_ratio"];
    config.minRSpeech = c["min_r_speech"], config.maxRSpeech = c["max_r_speech"];
    config.minRNoise = c["min_r_noise"], config.maxRNoise = c["max_r_noise"];
    config.minMixRate = c["min_mix_rate"], config.maxMixRate = c["max_mix_rate"];
    config.minNumSegments = c["min_num_segments"], config.maxNumSegments = c["max_num_segments"];
    config.minNumSpeakers = c["min_num_speakers"], config.maxNumSpeakers = c["max_num_speakers"];
    return config;
}

config::BatchAugmentorConfig fixedConfig(double noiseRatio, double db, double mixRate) {
    config::BatchAugmentorConfig config;
    config.present = true;
    config.prob = 1;
    config.noiseRatio = noiseRatio;
    config.minRNoise = config.maxRNoise = config.minRSpeech = config.maxRSpeech = db;
    config.minMixRate = config.maxMixRate = mixRate;
    config.minNumSegments = config.maxNumSegments = 1;
    config.minNumSpeakers = config.maxNumSpeakers = 1;
    return config;
}

} // namespace

class TestAugment : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void ratioIsWhatWasAsked_data() {
        QTest::addColumn<double>("noiseRatio");
        QTest::addColumn<double>("db");
        for (const double noiseRatio : {0.0, 1.0})
            for (const double db : {-5.0, 0.0, 7.5, 20.0})
                QTest::addRow("%s at %g dB", noiseRatio > 0 ? "noise" : "speech", db) << noiseRatio << db;
    }
    void ratioIsWhatWasAsked() {
        QFETCH(double, noiseRatio);
        QFETCH(double, db);
        Mix mix({4000, 3100, 2500});
        Rng rng{1};
        augment(mix.view(), fixedConfig(noiseRatio, db, 0.6), rng);
        for (std::size_t i = 0; i < 3; ++i) {
            QVERIFY2(std::abs(mix.ratioDb(i) - db) < 0.01, qPrintable(QString::number(mix.ratioDb(i))));
            QCOMPARE(mix.noiseLength[i], mix.length[i]);
        }
    }

    void ratioStaysInItsRange() {
        auto config = fixedConfig(0.5, 0, 0.5);
        config.minRNoise = 10, config.maxRNoise = 20;
        config.minRSpeech = -8, config.maxRSpeech = -3;
        int noise = 0, speech = 0;
        for (std::uint64_t seed = 0; seed < 200; ++seed) {
            Mix mix({4000, 3000});
            Rng rng{seed};
            augment(mix.view(), config, rng);
            for (std::size_t i = 0; i < 2; ++i) {
                const double db = mix.ratioDb(i);
                noise += db > 9.99 && db < 20.01;
                speech += db > -8.01 && db < -2.99;
            }
        }
        QCOMPARE(noise + speech, 400);
        QVERIFY2(noise > 140 && noise < 260, qPrintable(QString::number(noise))); // noise_ratio 0.5: 200 +- 6 sigma
    }

    void mixesTheShareThatWasAsked() {
        for (const double noiseRatio : {0.0, 1.0}) {
            Mix mix({4000, 2000});
            Rng rng{3};
            augment(mix.view(), fixedConfig(noiseRatio, 0, 0.25), rng);
            QCOMPARE(mix.nonZero(0), 1000);
            QCOMPARE(mix.nonZero(1), 500);
            QCOMPARE(mix.runs(0), 1);
        }
    }

    void segmentsDoNotOverlapAndStayInside() {
        auto config = fixedConfig(0, 0, 0.5);
        config.minNumSegments = config.maxNumSegments = 5;
        config.maxNumSpeakers = 3;
        int mostRuns = 0;
        for (std::uint64_t seed = 0; seed < 100; ++seed) {
            Mix mix({4000, 1500, 300, 800});
            Rng rng{seed};
            augment(mix.view(), config, rng);
            for (std::size_t i = 0; i < 4; ++i) {
                QCOMPARE(mix.nonZero(i), mix.length[i] / 2);
                QVERIFY(mix.runs(i) <= 5);
                mostRuns = std::max(mostRuns, mix.runs(i));
                const auto row = mix.row(i);
                for (std::int64_t t = mix.length[i]; t < kStride; ++t)
                    QCOMPARE(row[static_cast<std::size_t>(t)], 0.0f);
            }
        }
        QCOMPARE(mostRuns, 5);
    }

    void speechComesFromOtherUtterances() {
        // row 1 is silent: row 0 can only get silence, and row 1 gets row 0
        Mix mix({1000, 1000});
        std::fill(mix.audio.begin() + kStride, mix.audio.end(), 0.0f);
        Rng rng{1};
        augment(mix.view(), fixedConfig(0, 0, 0.5), rng);
        QCOMPARE(mix.nonZero(0), 0);
        QCOMPARE(mix.nonZero(1), 0); // row 1 has no energy, so nothing is added at 0 dB below that
        for (const float x : mix.noise)
            QVERIFY(std::isfinite(x));
    }

    void aSingleUtteranceGetsNoise() {
        Mix mix({4000});
        Rng rng{1};
        augment(mix.view(), fixedConfig(0, 3, 1), rng); // speech is requested, but there is no other utterance
        QVERIFY(std::abs(mix.ratioDb(0) - 3) < 0.01);
        // the clip of 3000 samples is repeated
        const auto row = mix.row(0);
        QVERIFY(std::abs(row[3000] - row[0]) < 1e-6f && row[0] != 0);
    }

    void probabilityDecides() {
        auto config = fixedConfig(1, 0, 1);
        config.prob = 0;
        Mix mix({4000, 2000});
        const auto before = mix.noise;
        Rng rng{1};
        augment(mix.view(), config, rng);
        QCOMPARE(mix.noise, before);
        QCOMPARE(mix.noiseLength[0], 3000);
        config.prob = 0.3;
        int mixed = 0;
        for (std::uint64_t seed = 0; seed < 500; ++seed) {
            Mix again({4000});
            Rng other{seed};
            augment(again.view(), config, other);
            mixed += again.noiseLength[0] == 4000;
        }
        QVERIFY2(mixed > 90 && mixed < 210, qPrintable(QString::number(mixed))); // 150 +- 6 sigma
    }

    void anEmptyClipAddsNothing() {
        Mix mix({1000}, 0);
        Rng rng{1};
        augment(mix.view(), fixedConfig(1, 0, 1), rng);
        QCOMPARE(mix.nonZero(0), 0);
    }

    /// For any parameters, energies are in their range, the requested share gets noise, the segments can be counted,
    /// and each utterance is followed by zeros.
    void holdsForAnyParameters() {
        std::mt19937 random(17);
        const auto real = [&](double low, double high) {
            return std::uniform_real_distribution<double>(low, high)(random);
        };
        const auto whole = [&](int low, int high) { return std::uniform_int_distribution<int>(low, high)(random); };
        int mixed = 0, segmented = 0;
        for (int trial = 0; trial < 400; ++trial) {
            config::BatchAugmentorConfig config;
            config.present = true;
            config.prob = real(0.2, 1);
            config.noiseRatio = real(0, 1);
            config.minRSpeech = real(-10, 5), config.maxRSpeech = config.minRSpeech + real(0, 10);
            config.minRNoise = real(-10, 10), config.maxRNoise = config.minRNoise + real(0, 20);
            config.minMixRate = real(0, 1), config.maxMixRate = real(config.minMixRate, 1);
            config.minNumSegments = whole(1, 4), config.maxNumSegments = config.minNumSegments + whole(0, 4);
            config.minNumSpeakers = whole(1, 3), config.maxNumSpeakers = config.minNumSpeakers + whole(0, 3);
            QVERIFY(checkAugmentor(config));
            std::vector<std::int64_t> lengths;
            for (int i = whole(1, 5); i > 0; --i)
                lengths.push_back(whole(1, static_cast<int>(kStride)));
            Mix mix(lengths, whole(1, static_cast<int>(kStride)));
            const Mix before = mix;
            std::fill(mix.noiseLength.begin(), mix.noiseLength.end(), 0);
            for (std::size_t i = 0; i < lengths.size(); ++i)
                mix.noiseLength[i] = before.noiseLength[i];
            Rng rng{static_cast<std::uint64_t>(trial)};
            augment(mix.view(), config, rng);
            for (std::size_t i = 0; i < lengths.size(); ++i) {
                if (mix.row(i) == before.row(i))
                    continue; // not drawn
                ++mixed;
                QCOMPARE(mix.noiseLength[i], mix.length[i]);
                const auto row = mix.row(i);
                QVERIFY(std::all_of(row.begin() + mix.length[i], row.end(), [](float x) { return x == 0; }));
                const auto length = static_cast<double>(mix.length[i]);
                QVERIFY(mix.nonZero(i) >=
                        std::max<std::int64_t>(1, static_cast<std::int64_t>(length * config.minMixRate)));
                QVERIFY(mix.nonZero(i) <=
                        std::max<std::int64_t>(1, static_cast<std::int64_t>(length * config.maxMixRate)));
                QVERIFY(mix.runs(i) <= config.maxNumSegments);
                segmented = std::max(segmented, mix.runs(i));
                const double db = mix.ratioDb(i);
                const bool noise = db >= config.minRNoise - 0.01 && db <= config.maxRNoise + 0.01;
                const bool speech = db >= config.minRSpeech - 0.01 && db <= config.maxRSpeech + 0.01;
                QVERIFY2(noise || (speech && lengths.size() > 1), qPrintable(QString::number(db)));
            }
        }
        QVERIFY(mixed > 400);
        QVERIFY(segmented >= 7);
    }

    /// Takes the requested number of different speakers, each in a separate segment, and never the row's own voice.
    void takesSeveralSpeakers() {
        auto config = fixedConfig(0, 0, 0.8);
        config.minNumSegments = config.maxNumSegments = 4;
        for (const int speakers : {1, 2, 3}) {
            config.minNumSpeakers = config.maxNumSpeakers = speakers;
            std::size_t most = 0;
            for (std::uint64_t seed = 0; seed < 50; ++seed) {
                Mix mix({4000, 4000, 4000, 4000});
                for (std::size_t i = 0; i < mix.audio.size(); ++i) // a constant identifies the speaker
                    mix.audio[i] = 0.1f * static_cast<float>(1 + i / kStride);
                Rng rng{seed};
                augment(mix.view(), config, rng);
                for (std::size_t i = 0; i < 4; ++i) {
                    std::set<float> voices;
                    for (const float x : mix.row(i))
                        if (x != 0)
                            voices.insert(x);
                    QVERIFY(voices.size() <= static_cast<std::size_t>(speakers));
                    most = std::max(most, voices.size());
                }
            }
            QCOMPARE(most, static_cast<std::size_t>(speakers));
        }
    }

    void repeatsWithItsSeed() {
        auto config = fixedConfig(0.5, 0, 0.5);
        config.maxNumSegments = 5;
        const auto run = [&](std::uint64_t seed) {
            Mix mix({4000, 3000, 2000});
            Rng rng{7, seed};
            augment(mix.view(), config, rng);
            return mix.noise;
        };
        QCOMPARE(run(1), run(1));
        QVERIFY(run(1) != run(2));
    }

    /// The samples equal those of NeMo for the same batch and the same random numbers (tests/data/augment/make.py).
    void mixesAsNemoDoes() {
        QFile file(RANKSCOPE_AUGMENT_DATA "/nemo.json");
        QVERIFY(file.open(QIODevice::ReadOnly));
        const auto data = nlohmann::json::parse(file.readAll().toStdString());
        const auto lengths = data["lengths"].get<std::vector<std::int64_t>>(),
                   clips = data["clips"].get<std::vector<std::int64_t>>();
        QVERIFY(data["cases"].size() >= 20);
        double worst = 0;
        for (const auto& item : data["cases"]) {
            Mix mix(lengths);
            for (std::size_t i = 0; i < lengths.size(); ++i)
                for (std::int64_t t = 0; t < kStride; ++t) {
                    const auto row = static_cast<std::int64_t>(i);
                    const std::size_t at = i * kStride + static_cast<std::size_t>(t);
                    mix.audio[at] =
                        t < lengths[i] ? static_cast<float>((t * 37 + row * 101) % 201 - 100) / 128.0f : 0.0f;
                    mix.noise[at] = t < clips[i] ? static_cast<float>((t * 53 + row * 17) % 151 - 75) / 128.0f : 0.0f;
                }
            mix.noiseLength = clips;
            Rng rng{item["number"].get<std::uint64_t>(), item["seed"].get<std::uint64_t>()};
            augment(mix.view(), nemoConfig(item["config"]), rng);
            QCOMPARE(mix.noiseLength, item["noise_len"].get<std::vector<std::int64_t>>());
            for (std::size_t i = 0; i < lengths.size(); ++i) {
                const auto expected = item["noise"][i].get<std::vector<double>>();
                const auto got = mix.row(i);
                for (std::size_t t = 0; t < expected.size(); ++t)
                    worst = std::max(worst, std::abs(expected[t] - static_cast<double>(got[t])));
                QVERIFY(worst < 2e-5);
            }
        }
        qInfo("%zu batches, largest difference %.2g", data["cases"].size(), worst);
    }

    void checksItsValues() {
        QVERIFY(checkAugmentor(config::BatchAugmentorConfig{}));
        const auto refused = [](auto change, const char* names) {
            config::BatchAugmentorConfig config;
            change(config);
            const auto checked = checkAugmentor(config);
            return !checked && checked.error().what.english().find(names) != std::string::npos;
        };
        QVERIFY(refused([](auto& c) { c.prob = 1.5; }, "prob"));
        QVERIFY(refused([](auto& c) { c.noiseRatio = -0.1; }, "noise_ratio"));
        QVERIFY(refused([](auto& c) { c.noiseRatio = std::nan(""); }, "noise_ratio"));
        QVERIFY(refused([](auto& c) { c.minRSpeech = 6; }, "min_r_speech"));
        QVERIFY(refused([](auto& c) { c.maxRNoise = -6; }, "max_r_noise"));
        QVERIFY(refused([](auto& c) { c.maxMixRate = 1.1; }, "max_mix_rate"));
        QVERIFY(refused([](auto& c) { c.minNumSegments = 0; }, "min_num_segments"));
        QVERIFY(refused([](auto& c) { c.minNumSpeakers = 9; }, "min_num_speakers"));
    }

    void randomNumbersAreEven() {
        Rng rng{5};
        std::vector<int> counts(10);
        double sum = 0, squares = 0;
        for (int i = 0; i < 100000; ++i) {
            ++counts[static_cast<std::size_t>(rng.integer(0, 9))];
            const double x = rng.normal();
            sum += x;
            squares += x * x;
        }
        for (const int count : counts)
            QVERIFY(count > 9400 && count < 10600);
        QVERIFY(std::abs(sum / 1e5) < 0.02);
        QVERIFY(std::abs(squares / 1e5 - 1) < 0.03);
        QCOMPARE(rng.integer(4, 4), 4);
    }
};

RANKSCOPE_CORE_TEST(TestAugment)
#include "tst_noise_augmentation.moc"
