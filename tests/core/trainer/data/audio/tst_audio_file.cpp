// SPDX-License-Identifier: Apache-2.0
#include "core/trainer/data/audio/audio_file.h"
#include "tests/core/trainer/data/synthetic_audio.h"
#include "tests/support/test_runner.h"

#include <QDir>
#include <QDirIterator>
#include <QFile>
#include <QFileInfo>
#include <QRegularExpression>
#include <QTemporaryDir>
#include <QTest>

#include <sys/stat.h>

#include <cmath>
#include <limits>
#include <map>

using namespace rankscope;
using namespace rankscope::trainer;
using namespace rankscope::test;

/// libsndfile does not free Vorbis' info of a file that it failed to open: 6 KB per broken file, which is not our leak.
extern "C" const char* __lsan_default_suppressions(); // NOLINT: the sanitizer's name
extern "C" const char* __lsan_default_suppressions() {
    return "leak:vorbis_info_init\n";
}

class TestAudioFile : public QObject {
    Q_OBJECT

    QTemporaryDir m_dir;
    std::string at(const char* name) const { return m_dir.filePath(name).toStdString(); }

    /// Returns the largest distance to a sine, away from the ends, where the filter has too few samples.
    static double distanceToTone(const std::vector<float>& samples, double hertz, int rate, double amplitude) {
        double worst = 0;
        for (std::size_t i = 1000; i + 1000 < samples.size(); ++i)
            worst = std::max(
                worst, std::abs(samples[i] - amplitude * std::sin(2 * M_PI * hertz * static_cast<double>(i) / rate)));
        return worst;
    }

    void expectError(const std::string& path, const char* says, AudioRequest request = {}) {
        const auto audio = readAudio(path, request);
        QVERIFY(!audio);
        QCOMPARE(audio.error().where, path);
        QVERIFY2(audio.error().what.english().find(says) != std::string::npos, audio.error().what.english().c_str());
    }

private Q_SLOTS:
    void readsFormats_data() {
        QTest::addColumn<int>("coding");
        QTest::addColumn<double>("tolerance");
        QTest::newRow("PCM 16") << int(Coding::Pcm16) << 1e-4;
        QTest::newRow("PCM 24") << int(Coding::Pcm24) << 1e-6;
        QTest::newRow("float") << int(Coding::Float) << 1e-7;
        QTest::newRow("FLAC") << int(Coding::Flac) << 1e-4;
        QTest::newRow("Ogg Vorbis") << int(Coding::Ogg) << 0.05;
    }
    void readsFormats() {
        QFETCH(int, coding);
        QFETCH(double, tolerance);
        writeAudio(at("tone"), tone(440, 1, 16000), 16000, 1, static_cast<Coding>(coding));
        const auto audio = readAudio(at("tone"), {});
        QVERIFY2(audio, audio ? "" : audio.error().message().c_str());
        QCOMPARE(audio->size(), std::size_t{16000});
        QVERIFY(distanceToTone(*audio, 440, 16000, 0.5) < tolerance);
    }

    void readsMp3() { // the codec adds delay: only loudness and length are compared
        writeAudio(at("tone.mp3"), tone(440, 1, 16000), 16000, 1, Coding::Mp3);
        const auto audio = readAudio(at("tone.mp3"), {});
        QVERIFY2(audio, audio ? "" : audio.error().message().c_str());
        QVERIFY(audio->size() >= 15500 && audio->size() < 18500);
        QVERIFY(std::abs(rms(std::vector<float>(audio->begin() + 4000, audio->begin() + 12000)) - 0.5 / std::sqrt(2)) <
                0.02);
    }

    void averagesChannels() {
        std::vector<float> samples;
        for (int i = 0; i < 1000; ++i)
            samples.insert(samples.end(), {0.5f, -0.1f});
        writeAudio(at("stereo.wav"), samples, 16000, 2, Coding::Float);
        const auto audio = readAudio(at("stereo.wav"), {});
        QVERIFY(audio);
        QCOMPARE(audio->size(), std::size_t{1000});
        for (const float x : *audio)
            QVERIFY(std::abs(x - 0.2f) < 1e-6f);
    }

    void takesOneChannel() {
        std::vector<float> samples;
        for (int i = 0; i < 1000; ++i)
            samples.insert(samples.end(), {0.5f, -0.1f});
        writeAudio(at("stereo.wav"), samples, 16000, 2, Coding::Float);
        AudioRequest request;
        for (const auto& [channel, value] : std::vector<std::pair<int, float>>{{0, 0.5f}, {1, -0.1f}}) {
            request.channel = channel;
            const auto audio = readAudio(at("stereo.wav"), request);
            QVERIFY(audio);
            for (const float x : *audio)
                QCOMPARE(x, value);
        }
        request.channel = 2;
        expectError(at("stereo.wav"), "has 2 channels, but channel_selector asks for channel 2", request);
        writeAudio(at("mono.wav"), tone(440, 0.1, 16000), 16000);
        request.channel = 1;
        expectError(at("mono.wav"), "has 1 channel, but channel_selector asks for channel 1", request);
        request.channel = 0;
        QVERIFY(readAudio(at("mono.wav"), request));
    }

    /// The contents of a tar member are decoded like the file.
    void decodesFromMemory() {
        for (const Coding coding : {Coding::Pcm16, Coding::Pcm24, Coding::Float, Coding::Flac, Coding::Ogg, Coding::Mp3,
                                    Coding::Opus, Coding::Sphere}) {
            writeAudio(at("whole"), tone(300, 0.5, 16000), 16000, 1, coding);
            const std::string whole = readBytes(at("whole"));
            AudioRequest request;
            for (const double offset : {0.0, 0.2}) {
                request.offset = offset;
                request.duration = 0.25;
                const auto file = readAudio(at("whole"), request), memory = decodeAudio(whole, "member", request);
                QVERIFY2(file, file ? "" : file.error().message().c_str());
                QVERIFY2(memory, memory ? "" : memory.error().message().c_str());
                QVERIFY(*file == *memory);
            }
            for (std::size_t bytes = 0; bytes < whole.size(); bytes += bytes < 200 ? 3 : 197) {
                const auto audio = decodeAudio(std::string_view(whole).substr(0, bytes), "member", {});
                QVERIFY(audio ? !audio->empty() && audio->size() < 20000 : audio.error().where == "member");
            }
        }
        QVERIFY(!decodeAudio("", "member", {}));
    }

    void readsOpusAndSphere() {
        writeAudio(at("tone.opus"), tone(440, 1, 48000), 48000, 1, Coding::Opus);
        const auto opus = readAudio(at("tone.opus"), {});
        QVERIFY2(opus, opus ? "" : opus.error().message().c_str());
        QVERIFY(std::abs(static_cast<double>(opus->size()) - 16000) < 1600);
        QVERIFY(std::abs(rms(std::vector<float>(opus->begin() + 4000, opus->begin() + 12000)) - 0.5 / std::sqrt(2)) <
                0.02);
        writeAudio(at("tone.sph"), tone(440, 1, 8000), 8000, 1, Coding::Sphere);
        const auto sphere = readAudio(at("tone.sph"), {});
        QVERIFY2(sphere, sphere ? "" : sphere.error().message().c_str());
        QCOMPARE(sphere->size(), std::size_t{16000});
        QVERIFY(distanceToTone(*sphere, 440, 16000, 0.5) < 1e-3);
    }

    void resamples_data() {
        QTest::addColumn<int>("rate");
        for (const int rate : {8000, 11025, 22050, 44100, 48000, 96000})
            QTest::addRow("%d Hz", rate) << rate;
    }
    void resamples() {
        QFETCH(int, rate);
        writeAudio(at("tone.wav"), tone(1000, 1.5, rate), rate, 1, Coding::Float);
        const auto audio = readAudio(at("tone.wav"), {});
        QVERIFY(audio);
        const auto frames = static_cast<std::int64_t>(1.5 * rate);
        QCOMPARE(static_cast<std::int64_t>(audio->size()), (frames * 16000 + rate - 1) / rate);
        const double worst = distanceToTone(*audio, 1000, 16000, 0.5);
        QVERIFY2(worst < 1e-3, qPrintable(QString::number(worst)));
    }

    void removesWhatTheTargetRateCannotHold() {
        writeAudio(at("high.wav"), tone(15000, 1, 48000), 48000, 1, Coding::Float);
        const auto audio = readAudio(at("high.wav"), {});
        QVERIFY(audio);
        QVERIFY(rms(std::vector<float>(audio->begin() + 1000, audio->end() - 1000)) < 1e-4);
    }

    void honoursOffsetAndDuration() {
        std::vector<float> ramp(16000);
        for (std::size_t i = 0; i < ramp.size(); ++i)
            ramp[i] = static_cast<float>(i) / 16000.0f;
        for (const Coding coding : {Coding::Float, Coding::Flac}) {
            writeAudio(at("ramp"), ramp, 16000, 1, coding);
            const auto audio = readAudio(at("ramp"), {16000, 0.25, 0.5});
            QVERIFY(audio);
            QCOMPARE(audio->size(), std::size_t{8000});
            QVERIFY(std::abs(audio->front() - 0.25f) < 1e-4f);
            QVERIFY(std::abs(audio->back() - 0.75f) < 2e-4f);
            QCOMPARE(readAudio(at("ramp"), {16000, 0.75, 0})->size(), std::size_t{4000});  // to the end
            QCOMPARE(readAudio(at("ramp"), {16000, 0.5, 0.6})->size(), std::size_t{8000}); // all that exists
        }
        expectError(at("ramp"), "beyond its end", {16000, 1.0, 0.5});
        expectError(at("ramp"), "beyond its end", {16000, 1e6, 0.5});
        std::string shorter;
        QCOMPARE(readAudio(at("ramp"), {16000, 0, 10}, &shorter)->size(), std::size_t{16000});
        QCOMPARE(shorter, std::string("holds 1.00 s from its offset, the manifest says 10.00 s"));
        shorter.clear();
        QVERIFY(readAudio(at("ramp"), {16000, 0, 2}, &shorter) && shorter.empty()); // half of the duration is enough
    }

    void saysWhatIsWrong() {
        expectError(at("none.wav"), "No such file");
        expectError(m_dir.path().toStdString(), "is not a regular file");
        QCOMPARE(::mkfifo(at("fifo").c_str(), 0600), 0);
        expectError(at("fifo"), "is not a regular file");
        writeText(at("empty.wav"), "");
        expectError(at("empty.wav"), "is empty");
        writeText(at("text.wav"), "this is no audio, although its name says so\n");
        expectError(at("text.wav"), "is not readable audio");
        writeAudio(at("null.wav"), {}, 16000);
        expectError(at("null.wav"), "contains no samples");
        writeAudio(at("nan.wav"), {0, 0.1f, std::numeric_limits<float>::quiet_NaN(), 0}, 16000, 1, Coding::Float);
        expectError(at("nan.wav"), "not a number");
        writeAudio(at("inf.wav"), {0, std::numeric_limits<float>::infinity()}, 16000, 1, Coding::Float);
        expectError(at("inf.wav"), "not a number");
        writeAudio(at("long.wav"), tone(100, 3, 8000), 8000);
        AudioRequest limited;
        limited.limitSeconds = 2;
        expectError(at("long.wav"), "is longer than 2 s", limited);
        limited.duration = 5;
        expectError(at("long.wav"), "the limit is 2 s", limited);
    }

    void doesNotTrustHeaders() {
        writeAudio(at("good.wav"), tone(440, 0.5, 16000), 16000);
        const std::string good = readBytes(at("good.wav"));
        const auto patched = [&](std::size_t offset, const std::string& bytes) {
            std::string text = good;
            text.replace(offset, bytes.size(), bytes);
            writeText(at("patched.wav"), text);
            return at("patched.wav");
        };
        expectError(patched(24, std::string("\xFF\xFF\xFF\x7F", 4)), "sample rate"); // 2147483647 Hz
        expectError(patched(24, std::string("\x01\0\0\0", 4)), "sample rate of 1 Hz");
        expectError(patched(24, std::string("\0\0\0\0", 4)), "");
        expectError(patched(22, std::string("\xFF\x03", 2)), ""); // 1023 channels
        // a data chunk of 2 GiB in a file of 16 KB, which programs write when they write to a pipe
        const auto audio = readAudio(patched(40, std::string("\xF0\xFF\xFF\x7F", 4)), {});
        QVERIFY2(audio, audio ? "" : audio.error().message().c_str());
        QCOMPARE(audio->size(), std::size_t{8000});
    }

    void noticesTruncatedStreams() {
        std::vector<float> noise(64000);
        for (std::size_t i = 0; i < noise.size(); ++i)
            noise[i] = static_cast<float>(std::sin(static_cast<double>(i * i % 10007)));
        writeAudio(at("whole.flac"), noise, 16000, 1, Coding::Flac);
        const std::string whole = readBytes(at("whole.flac"));
        for (const std::size_t percent : {5, 30, 60, 90}) {
            writeText(at("cut.flac"), whole.substr(0, whole.size() * percent / 100));
            const auto audio = readAudio(at("cut.flac"), {});
            QVERIFY2(!audio, qPrintable(QString("%1 % of the file passed for the whole").arg(percent)));
        }
        std::string damaged = whole;
        for (std::size_t i = damaged.size() / 2; i < damaged.size() / 2 + 4000; ++i)
            damaged[i] = static_cast<char>(i * 7);
        writeText(at("damaged.flac"), damaged);
        QVERIFY(!readAudio(at("damaged.flac"), {}));
    }

    /// Every prefix of a file gives audio or an error, and never a crash or a hang.
    void survivesEveryPrefix() {
        for (const Coding coding : {Coding::Pcm16, Coding::Flac, Coding::Ogg, Coding::Mp3}) {
            writeAudio(at("whole"), tone(300, 0.3, 16000), 16000, 1, coding);
            const std::string whole = readBytes(at("whole"));
            for (std::size_t bytes = 0; bytes < whole.size(); bytes += bytes < 200 ? 1 : 97) {
                writeText(at("prefix"), whole.substr(0, bytes));
                const auto audio = readAudio(at("prefix"), {});
                QVERIFY(audio ? !audio->empty() && audio->size() < 10000 : !audio.error().what.empty());
            }
        }
    }

    /// Each file in formats/MANIFEST.tsv, with its rate and length, and the error for each of the traps.
    void realFormats_data() {
        QTest::addColumn<QString>("path");
        QTest::addColumn<int>("rate");
        QTest::addColumn<qint64>("frames");
        QFile table(qEnvironmentVariable("RANKSCOPE_TEST_AUDIO") + "/formats/MANIFEST.tsv");
        if (!table.open(QIODevice::ReadOnly))
            return;
        for (table.readLine(); !table.atEnd();) {
            const auto columns = QString::fromUtf8(table.readLine()).split('\t');
            QTest::newRow(qPrintable(columns[0]))
                << QFileInfo(table).path() + "/" + columns[0] << columns[2].toInt() << columns[4].toLongLong();
        }
    }
    void realFormats() {
        if (!QFile::exists(qEnvironmentVariable("RANKSCOPE_TEST_AUDIO") + "/formats/MANIFEST.tsv"))
            QSKIP("RANKSCOPE_TEST_AUDIO names no folder with formats/MANIFEST.tsv");
        QFETCH(QString, path);
        QFETCH(int, rate);
        QFETCH(qint64, frames);
        static const std::map<QString, const char*> traps{
            {"awful.wav", "claims a sample rate of 1092676 Hz"},
            {"null.wav", "contains no samples"},
            {"bad.wav", "is not readable audio"},
            {"evil.wav", "is not readable audio"},
            {"126.flac", "is cut off after 0.36 s: flac decoder lost sync"},
            {"32.flac", "is cut off after 0.50 s: flac decoder lost sync"},
        };
        const auto audio = readAudio(path.toStdString(), {});
        if (const auto trap = traps.find(QFileInfo(path).fileName()); trap != traps.end()) {
            QVERIFY2(!audio, qPrintable(QString("%1 samples").arg(audio ? audio->size() : 0)));
            QVERIFY2(audio.error().what.english().find(trap->second) != std::string::npos,
                     audio.error().what.english().c_str());
            return;
        }
        QVERIFY2(audio, audio ? "" : audio.error().message().c_str());
        const auto samples = static_cast<qint64>(audio->size()), expected = (frames * 16000 + rate - 1) / rate;
        const bool lossy = path.endsWith(".mp3") || path.endsWith(".opus"); // their lengths are estimates
        QVERIFY2(std::abs(samples - expected) <= (lossy ? 1600 : 0),
                 qPrintable(QString("%1 samples, expected %2").arg(samples).arg(expected)));
        QVERIFY2(rms(*audio) > 1e-3 && rms(*audio) < 0.7, qPrintable(QString::number(rms(*audio))));
        // the same file in another format sounds the same (lame reduces the loudness by 5 %)
        const QString wav = QString(path).replace(QRegularExpression("\\.(flac|mp3)$"), ".wav");
        if (wav == path || !QFile::exists(wav))
            return;
        const auto original = readAudio(wav.toStdString(), {});
        QVERIFY(original);
        QVERIFY2(std::abs(rms(*audio) / rms(*original) - 1) < (lossy ? 0.1 : 1e-6), qPrintable(path));
    }

    void realFiles_data() {
        QTest::addColumn<QString>("path");
        const QString folder = qEnvironmentVariable("RANKSCOPE_TEST_AUDIO");
        if (folder.isEmpty())
            return;
        QDirIterator files(folder, {"*.wav", "*.flac", "*.mp3", "*.opus", "*.ogg", "*.sph"}, QDir::Files,
                           QDirIterator::Subdirectories);
        while (files.hasNext()) {
            const QString path = files.next();
            QTest::newRow(qPrintable(path.mid(folder.size() + 1))) << path;
        }
    }
    void realFiles() {
        if (qEnvironmentVariable("RANKSCOPE_TEST_AUDIO").isEmpty())
            QSKIP("RANKSCOPE_TEST_AUDIO names no folder with audio files");
        QFETCH(QString, path);
        const auto audio = readAudio(path.toStdString(), {});
        if (!audio) {
            qInfo("%s", audio.error().what.english().c_str());
            QVERIFY(audio.error().what.english().size() > 10);
            QCOMPARE(audio.error().where, path.toStdString());
            return;
        }
        QVERIFY(!audio->empty());
        QVERIFY(audio->size() < std::size_t{16000} * 120);
        for (const float x : *audio)
            QVERIFY(std::isfinite(x));
    }
};

RANKSCOPE_CORE_TEST(TestAudioFile)
#include "tst_audio_file.moc"
