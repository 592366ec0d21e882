// SPDX-License-Identifier: Apache-2.0
#include "core/trainer/data/audio/noise_bank.h"
#include "tests/core/trainer/data/synthetic_audio.h"
#include "tests/support/test_runner.h"

#include <QTemporaryDir>
#include <QTest>

#include <cmath>
#include <set>

using namespace rankscope;
using namespace rankscope::trainer;
using namespace rankscope::test;

class TestNoiseBank : public QObject {
    Q_OBJECT

    QTemporaryDir m_dir;
    std::string at(const char* name) const { return m_dir.filePath(name).toStdString(); }

    static void noneBroken(const Error& error) { qFatal("%s", error.message().c_str()); }

private Q_SLOTS:
    void initTestCase() {
        std::vector<float> ramp(16000 * 3);
        for (std::size_t i = 0; i < ramp.size(); ++i)
            ramp[i] = 0.1f + static_cast<float>(i) * 1e-5f;
        writeAudio(at("ramp.wav"), ramp, 16000, 1, Coding::Float);
        writeAudio(at("silent.wav"), std::vector<float>(32000), 16000);
        writeText(at("broken.wav"), "no audio");
    }

    void withoutClipsThereIsSilence() {
        std::vector<float> out(100, 1.0f);
        Rng rng{1};
        QCOMPARE(NoiseBank({}, 16000).draw(100, rng, out.data(), noneBroken), 100);
        QCOMPARE(out, std::vector<float>(100, 0.0f));
    }

    void aLongClipGivesARandomPiece() {
        const NoiseBank bank({{at("ramp.wav"), 0, 3.0, 0}}, 16000);
        std::set<float> starts;
        for (std::uint64_t seed = 0; seed < 20; ++seed) {
            std::vector<float> out(16000, -1.0f);
            Rng rng{seed};
            QCOMPARE(bank.draw(16000, rng, out.data(), noneBroken), 16000);
            starts.insert(out.front());
            for (std::size_t i = 1; i < out.size(); ++i) // one piece, in order
                QVERIFY(std::abs(out[i] - out[i - 1] - 1e-5f) < 1e-6f);
        }
        QVERIFY(starts.size() > 15);
    }

    void theManifestsOffsetBoundsThePiece() {
        const NoiseBank bank({{at("ramp.wav"), 1.0, 1.5, 0}}, 16000);
        for (std::uint64_t seed = 0; seed < 20; ++seed) {
            std::vector<float> out(8000);
            Rng rng{seed};
            bank.draw(8000, rng, out.data(), noneBroken);
            QVERIFY(out.front() >= 0.1f + 0.16f - 1e-5f && out.back() <= 0.1f + 0.40f + 1e-4f);
        }
    }

    void aShortClipIsFollowedByZeros() {
        for (const double duration : {3.0, 0.0}) { // with and without a duration in the manifest
            const NoiseBank bank({{at("ramp.wav"), 0, duration, 0}}, 16000);
            std::vector<float> out(64000, -1.0f);
            Rng rng{1};
            QCOMPARE(bank.draw(64000, rng, out.data(), noneBroken), 48000);
            QVERIFY(out[0] == 0.1f && out[47999] > 0.5f);
            for (std::size_t i = 48000; i < out.size(); ++i)
                QCOMPARE(out[i], 0.0f);
        }
    }

    void aSilentClipGetsFaintNoise() {
        const NoiseBank bank({{at("silent.wav"), 0, 2.0, 0}}, 16000);
        for (std::uint64_t seed = 0; seed < 5; ++seed) {
            std::vector<float> out(8000);
            Rng rng{seed};
            bank.draw(8000, rng, out.data(), noneBroken);
            const double db = 20 * std::log10(rms(out));
            QVERIFY2(db > -90.5 && db < -46, qPrintable(QString::number(db)));
        }
    }

    void aBrokenClipIsToldAndAnotherDrawn() {
        const NoiseBank bank({{at("broken.wav"), 0, 1, 0}, {at("ramp.wav"), 0, 3, 1}}, 16000);
        int broken = 0;
        for (std::uint64_t seed = 0; seed < 20; ++seed) {
            std::vector<float> out(16000);
            Rng rng{seed};
            bank.draw(16000, rng, out.data(), [&](const Error& error) {
                ++broken;
                QCOMPARE(error.where, at("broken.wav"));
            });
            QVERIFY(out.front() > 0);
        }
        QVERIFY(broken > 0);

        std::vector<float> out(100, 1.0f);
        Rng rng{1};
        int tries = 0;
        QCOMPARE(
            NoiseBank({{at("broken.wav"), 0, 1, 0}}, 16000).draw(100, rng, out.data(), [&](const Error&) { ++tries; }),
            100);
        QCOMPARE(tries, 20);
        QCOMPARE(out, std::vector<float>(100, 0.0f));
    }
};

RANKSCOPE_CORE_TEST(TestNoiseBank)
#include "tst_noise_bank.moc"
