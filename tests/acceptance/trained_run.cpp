// SPDX-License-Identifier: Apache-2.0
#include "tests/acceptance/trained_run.h"

#include <QDir>
#include <QFile>
#include <QTest>
#include <QTextStream>

#include <cmath>
#include <random>

namespace rankscope::test {

static QString program(const char* name) {
    return QStringLiteral(RANKSCOPE_BIN_DIR "/") + name;
}

Outcome ctl(const QStringList& args, int timeoutMs) {
    QProcess process;
    process.setWorkingDirectory(RANKSCOPE_SOURCE_DIR);
    process.start(program("rankscopectl"), args);
    Outcome outcome;
    if (process.waitForFinished(timeoutMs) && process.exitStatus() == QProcess::NormalExit)
        outcome.exitCode = process.exitCode();
    else
        process.kill(), process.waitForFinished(5000);
    outcome.out = process.readAllStandardOutput();
    outcome.err = process.readAllStandardError();
    return outcome;
}

static void writeManifestLine(QTextStream& out, const QString& path, double seconds) {
    QJsonObject line{{"audio_filepath", path}, {"duration", seconds}, {"text", ""}};
    out << QJsonDocument(line).toJson(QJsonDocument::Compact) << '\n';
}

/// Returns a manifest of the files that MANIFEST.tsv lists; at most `limitSeconds` each.
static QString manifestOfTable(const QTemporaryDir& dir, const QString& folder, const QString& name,
                               double limitSeconds) {
    QFile table(folder + "/MANIFEST.tsv");
    QFile manifest(dir.filePath(name));
    if (!table.open(QIODevice::ReadOnly) || !manifest.open(QIODevice::WriteOnly))
        return {};
    QTextStream out(&manifest);
    table.readLine();
    while (!table.atEnd()) {
        const auto columns = QString::fromUtf8(table.readLine()).split('\t');
        if (columns.size() > 5 && columns[5].toDouble() <= limitSeconds)
            writeManifestLine(out, folder + "/" + columns[0], columns[5].toDouble());
    }
    return manifest.fileName();
}

Speech speech(const QTemporaryDir& dir) {
    const QString real = qEnvironmentVariable("RANKSCOPE_TEST_AUDIO");
    if (!real.isEmpty() && QFile::exists(real + "/speech/MANIFEST.tsv"))
        return {manifestOfTable(dir, real + "/speech", "train.json", 20),
                manifestOfTable(dir, real + "/noise", "noise.json", 1e9), true};
    const QString sample = QStringLiteral(RANKSCOPE_SOURCE_DIR "/resources/sample/data/");
    return {sample + "train.json", sample + "noise.json", false};
}

static void putWav(const QString& path, double seconds, unsigned seed) {
    const int rate = 16000, n = static_cast<int>(seconds * rate);
    std::mt19937 random(seed);
    std::normal_distribution<double> noise(0, 0.02);
    QByteArray pcm;
    pcm.reserve(2 * n);
    for (int i = 0; i < n; ++i) {
        const double t = static_cast<double>(i) / rate;
        const double pitch = 120 + 40 * std::sin(2 * M_PI * (0.7 + 0.1 * (seed % 7)) * t);
        double v = noise(random);
        for (int h = 1; h <= 5; ++h)
            v += 0.15 / h * std::sin(2 * M_PI * pitch * h * t);
        const auto s = static_cast<qint16>(std::clamp(v, -1.0, 1.0) * 32000);
        pcm.append(static_cast<char>(s & 0xff)).append(static_cast<char>((s >> 8) & 0xff));
    }
    QFile file(path);
    QVERIFY(file.open(QIODevice::WriteOnly));
    QDataStream out(&file);
    out.setByteOrder(QDataStream::LittleEndian);
    file.write("RIFF");
    out << static_cast<quint32>(36 + pcm.size());
    file.write("WAVEfmt ");
    out << quint32(16) << quint16(1) << quint16(1) << quint32(rate) << quint32(2 * rate) << quint16(2) << quint16(16);
    file.write("data");
    out << static_cast<quint32>(pcm.size());
    file.write(pcm);
}

QString toneManifest(const QTemporaryDir& dir, int count, const std::vector<double>& seconds) {
    QFile manifest(dir.filePath("tones.json"));
    if (!manifest.open(QIODevice::WriteOnly))
        return {};
    QTextStream out(&manifest);
    for (int i = 0; i < count; ++i) {
        const double length = seconds[static_cast<std::size_t>(i) % seconds.size()];
        const QString path = dir.filePath(QString("tone%1.wav").arg(i));
        putWav(path, length, static_cast<unsigned>(i));
        writeManifestLine(out, path, length);
    }
    return manifest.fileName();
}

TestRun::TestRun() = default;

QStringList TestRun::launchArgs(const RunOptions& o) const {
    QStringList args{"launch",  RANKSCOPE_SOURCE_DIR "/configs/quickstart.yaml",
                     "--runs",  runsDir(),
                     "--ranks", QString::number(o.ranks)};
    args << QString("model.train_ds.manifest_filepath=%1").arg(o.manifest);
    args << QString("model.train_ds.noise_manifest=%1").arg(o.noiseManifest.isEmpty() ? "null" : o.noiseManifest);
    if (o.noiseManifest.isEmpty())
        args << "model.train_ds.batch_augmentor.prob=0.0";
    args << QString("model.train_ds.batch_size=%1").arg(o.batchSize)
         << QString("model.train_ds.num_workers=%1").arg(o.workers);
    args << QString("trainer.max_steps=%1").arg(o.steps);
    // with less masking, a short utterance may have no masked frame by chance, which is a separate incident
    args << "model.masking.mask_prob=0.08";
    args << QString("rankscope.faults=%1").arg(o.faults)
         << QString("rankscope.stall.min_seconds=%1").arg(o.stallMinSeconds);
    return args << o.more;
}

Outcome TestRun::launch(const RunOptions& o, int timeoutMs) {
    return ctl(launchArgs(o), timeoutMs);
}

bool TestRun::start(const RunOptions& o) {
    m_process = std::make_unique<QProcess>();
    m_process->setWorkingDirectory(RANKSCOPE_SOURCE_DIR);
    m_process->setProcessChannelMode(QProcess::MergedChannels);
    m_process->setStandardOutputFile(m_dir.filePath("launch.log"));
    m_process->start(program("rankscopectl"), launchArgs(o));
    return m_process->waitForStarted();
}

int TestRun::waitForEnd(int timeoutMs) {
    if (m_process->state() != QProcess::NotRunning && !m_process->waitForFinished(timeoutMs))
        return -1;
    return m_process->exitStatus() == QProcess::NormalExit ? m_process->exitCode() : -2;
}

launch::RunPaths TestRun::paths() const {
    const auto runs = launch::listRuns(runsDir().toStdString());
    if (!runs || runs->size() != 1)
        return {};
    return runs->front().paths;
}

launch::RunInfo TestRun::info() const {
    auto info = launch::readRunInfo(paths());
    return info ? *info : launch::RunInfo{};
}

store::RunReader TestRun::reader() const {
    auto reader = store::RunReader::open(paths().store());
    if (!reader)
        throw std::runtime_error(reader.error().message());
    return std::move(*reader);
}

QJsonArray TestRun::incidents() const {
    const auto o = ctl({"diagnose", QString::fromStdString(paths().dir.string()), "--json"}, 60'000);
    return QJsonDocument::fromJson(o.out).object()["incidents"].toArray();
}

std::int64_t TestRun::lastStep(int rank) const {
    if (paths().dir.empty() || !std::filesystem::exists(paths().store()))
        return -1;
    auto opened = store::RunReader::open(paths().store());
    if (!opened)
        return -1;
    const auto ranks = opened->ranks();
    for (const auto& r : ranks ? *ranks : std::vector<store::RankSummary>{})
        if (r.rank == rank)
            return r.lastStep;
    return -1;
}

std::vector<store::SeriesPoint> TestRun::series(store::Metric metric, int rank) const {
    auto r = reader();
    const auto points = r.series(metric, rank, 0, 1'000'000, 2'000'000);
    if (!points)
        throw std::runtime_error(points.error().message());
    return *points;
}

} // namespace rankscope::test
