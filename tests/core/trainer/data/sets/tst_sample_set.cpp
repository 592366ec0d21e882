// SPDX-License-Identifier: Apache-2.0
// Runs resources/sample/make.sh, and reads its output with the loader.
#include "core/trainer/data/audio/audio_file.h"
#include "core/trainer/data/sets/utterance.h"
#include "tests/core/trainer/data/batches/loader_fixture.h"
#include "tests/support/test_runner.h"

#include <QDir>
#include <QDirIterator>
#include <QFile>
#include <QProcess>
#include <QStandardPaths>
#include <QTest>

using namespace rankscope;
using namespace rankscope::test;

namespace {

struct Outcome {
    int code = -1;
    QString text;
};

Outcome makeSet(const QString& folder, const QString& path = {}) {
    QProcess process;
    process.setProcessChannelMode(QProcess::MergedChannels);
    auto environment = QProcessEnvironment::systemEnvironment();
    if (!path.isEmpty())
        environment.insert("PATH", path);
    process.setProcessEnvironment(environment);
    process.start("/bin/bash", {RANKSCOPE_SAMPLE_SCRIPT, folder});
    process.waitForFinished(-1); // limited by ctest's timeout
    return {process.exitStatus() == QProcess::NormalExit ? process.exitCode() : -1, process.readAll()};
}

QStringList filesIn(const QString& folder) {
    QStringList files;
    for (QDirIterator it(folder, QDir::Files, QDirIterator::Subdirectories); it.hasNext();)
        files << it.next().mid(folder.size());
    files.sort();
    return files;
}

} // namespace

class TestSampleSet : public QObject {
    Q_OBJECT

    QTemporaryDir m_dir;

private Q_SLOTS:
    void initTestCase() {
        if (QStandardPaths::findExecutable("espeak-ng").isEmpty())
            QSKIP("espeak-ng is not installed");
        const Outcome made = makeSet(m_dir.filePath("set"));
        QVERIFY2(made.code == 0, qPrintable(made.text));
    }

    void theLoaderReadsItWhole() {
        config::DatasetConfig config;
        config.manifests = {m_dir.filePath("set/train.json").toStdString()};
        config.noiseManifests = {m_dir.filePath("set/noise.json").toStdString()};
        config.batchSize = 8;
        config.augmentor.present = true;
        config.augmentor.prob = 0.5;
        config.augmentor.noiseRatio = 0.5;
        QStringList broken;
        LoaderHooks hooks;
        hooks.skipped = [&](const std::string& message) { broken << QString::fromStdString(message); };
        const auto loader = LoaderFixture::make(config, 0, 1, hooks);
        QCOMPARE(loader->utterances(), 40);
        std::int64_t shortest = 1 << 30, longest = 0;
        for (const Batch& batch : LoaderFixture::epoch(*loader, 0)) {
            QVERIFY(torch::isfinite(batch.noisy).all().item<bool>());
            QVERIFY(!torch::equal(batch.audio, batch.noisy));
            for (const std::int64_t samples : batch.samples) {
                shortest = std::min(shortest, samples);
                longest = std::max(longest, samples);
            }
        }
        QVERIFY2(broken.isEmpty(), qPrintable(broken.join('\n')));
        QVERIFY(shortest >= 16000 && shortest < 2 * 16000);
        QVERIFY(longest > 8 * 16000 && longest <= 13 * 16000);
    }

    void manifestsTellTheTruth() {
        int rows = 0;
        for (const char* name : {"set/train.json", "set/val.json", "set/noise.json"}) {
            const auto read = readManifests({m_dir.filePath(name).toStdString()}, DurationKey::Required);
            QVERIFY2(read, read ? "" : read.error().message().c_str());
            for (const Utterance& row : *read) {
                const auto audio = readAudio(row.path, {});
                QVERIFY2(audio, audio ? "" : audio.error().message().c_str());
                QVERIFY(std::abs(row.duration - static_cast<double>(audio->size()) / 16000) < 1e-3);
                QVERIFY2(rms(*audio) > 0.01, row.path.c_str()); // not silence
                ++rows;
            }
        }
        QCOMPARE(rows, 40 + 8 + 6);
        QVERIFY(readBytes(m_dir.filePath("set/README.md").toStdString()).find("Synthetic") != std::string::npos);
    }

    void repeatsBitForBit() {
        const Outcome again = makeSet(m_dir.filePath("set"));
        QVERIFY2(again.code == 0 && again.text.contains("up to date"), qPrintable(again.text));
        const QString victim = m_dir.filePath("set/") + "noise/white.wav";
        const std::string before = readBytes(victim.toStdString());
        const QStringList files = filesIn(m_dir.filePath("set"));
        QVERIFY(QFile::remove(victim));
        const Outcome mended = makeSet(m_dir.filePath("set"));
        QVERIFY2(mended.code == 0 && !mended.text.contains("up to date"), qPrintable(mended.text));
        QVERIFY(readBytes(victim.toStdString()) == before);
        QCOMPARE(filesIn(m_dir.filePath("set")), files);
        QCOMPARE(QDir(m_dir.path()).entryList(QDir::AllEntries | QDir::Hidden | QDir::NoDotAndDotDot),
                 QStringList("set"));
    }

    void leavesOtherFoldersAlone() {
        QVERIFY(QDir(m_dir.path()).mkpath("mine"));
        writeText(m_dir.filePath("mine/thesis.txt").toStdString(), "years of work");
        const Outcome refused = makeSet(m_dir.filePath("mine"));
        QCOMPARE(refused.code, 1);
        QVERIFY2(refused.text.contains("other files"), qPrintable(refused.text));
        QCOMPARE(filesIn(m_dir.filePath("mine")), QStringList("/thesis.txt"));
        QVERIFY(QDir(m_dir.filePath("mine")).removeRecursively());
    }

    void saysThatEspeakIsMissing() {
        QTemporaryDir tools;
        for (const char* tool : {"dirname", "sed"})
            QVERIFY(QFile::link(QStandardPaths::findExecutable(tool), tools.filePath(tool)));
        const Outcome refused = makeSet(m_dir.filePath("none"), tools.path());
        QCOMPARE(refused.code, 2);
        QVERIFY2(refused.text.contains("espeak-ng is not installed"), qPrintable(refused.text));
        QVERIFY(!QFile::exists(m_dir.filePath("none")));
    }
};

RANKSCOPE_CORE_TEST(TestSampleSet)
#include "tst_sample_set.moc"
