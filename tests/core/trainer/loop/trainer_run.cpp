// SPDX-License-Identifier: Apache-2.0
#include "tests/core/trainer/loop/trainer_run.h"

#include "core/telemetry/journal/journal_reader.h"

#include <QDataStream>
#include <QElapsedTimer>
#include <QFile>
#include <QTcpServer>

#include <algorithm>
#include <cmath>
#include <numbers>

namespace rankscope::test {
namespace {

constexpr int kRate = 16000;
constexpr int kUtterances = 16;
constexpr int kValidationUtterances = 6;

constexpr const char* kConfig = R"(name: trainer_test
model:
  sample_rate: 16000
  num_classes: 32
  num_books: 1
  code_dim: 8
  squeeze_single: false
  mask_position: pre_conv
  train_ds:
    manifest_filepath: %1
    sample_rate: 16000
    batch_size: 2
    shuffle: true
    num_workers: 1
    pin_memory: false
    drop_last: true
%4  preprocessor: {sample_rate: 16000, normalize: per_feature, window_size: 0.025, window_stride: 0.01, window: hann, features: 80, n_fft: 512, log: true, frame_splicing: 1, dither: 0.0, pad_to: 16, pad_value: 0.0}
  masking: {block_size: 24, mask_prob: 0.1, feat_in: 80, freeze: true, allow_overlap: true}
  quantizer: {feat_in: 80, code_dim: 8, num_books: 1, num_classes: 32, dist_fn: l2, freeze: true, squeeze_single: false, combine_time_steps: 8}
  encoder: {feat_in: 80, feat_out: -1, n_layers: 2, d_model: 32, subsampling: dw_striding, subsampling_factor: 8, subsampling_conv_channels: 16, causal_downsampling: false, ff_expansion_factor: 4, self_attention_model: rel_pos, n_heads: 4, att_context_size: [-1, -1], xscaling: true, untie_biases: true, pos_emb_max_len: 5000, conv_kernel_size: 9, conv_norm_type: batch_norm, conv_context_size: null, dropout: 0.1, dropout_pre_encoder: 0.1, dropout_emb: 0.0, dropout_att: 0.1}
  decoder: {feat_in: 32, num_classes: 32, num_decoders: 1, squeeze_single: false, use_bias: true}
  loss: {combine_time_steps: 8, mask_threshold: 0.8, num_decoders: 1, squeeze_single: false}
  optim: {name: adamw, lr: 0.002, betas: [0.9, 0.98], weight_decay: 0.001}
trainer:
  accelerator: cpu
  strategy: ddp
  log_every_n_steps: 2
  sync_batchnorm: true
  %2
%3
)";

/// Writes a 16-bit mono WAV file.
bool writeWav(const QString& path, const std::vector<qint16>& samples) {
    QFile file(path);
    if (!file.open(QIODevice::WriteOnly)) {
        return false;
    }
    QDataStream out(&file);
    out.setByteOrder(QDataStream::LittleEndian);
    const auto bytes = static_cast<quint32>(samples.size() * 2);
    out.writeRawData("RIFF", 4);
    out << quint32(36 + bytes);
    out.writeRawData("WAVEfmt ", 8);
    out << quint32(16) << quint16(1) << quint16(1) << quint32(kRate) << quint32(kRate * 2) << quint16(2) << quint16(16);
    out.writeRawData("data", 4);
    out << bytes;
    for (const qint16 sample : samples) {
        out << sample;
    }
    return out.status() == QDataStream::Ok;
}

std::vector<qint16> tone(double seconds, double hertz) {
    std::vector<qint16> samples(static_cast<std::size_t>(seconds * kRate));
    for (std::size_t i = 0; i < samples.size(); ++i) {
        const double t = static_cast<double>(i) / kRate;
        const double value = 0.3 * std::sin(2 * std::numbers::pi * hertz * t * (1 + 0.1 * t)) +
                             0.05 * std::sin(static_cast<double>(i * i % 7919));
        samples[i] = static_cast<qint16>(value * 30000);
    }
    return samples;
}

quint16 freePort() {
    QTcpServer server;
    server.listen(QHostAddress::LocalHost);
    return server.serverPort();
}

bool write(const QString& path, const QByteArray& text) {
    QFile file(path);
    return file.open(QIODevice::WriteOnly) && file.write(text) == text.size();
}

} // namespace

QString tagOf(const telemetry::CollectiveRecord& record) {
    const auto text = telemetry::getText(record.tag, sizeof record.tag);
    return QString::fromUtf8(text.data(), static_cast<qsizetype>(text.size()));
}

QStringList RankStory::tags() const {
    QStringList tagged;
    for (const auto& record : collectives) {
        tagged << tagOf(record);
    }
    return tagged;
}

const telemetry::CollectiveRecord* RankStory::collective(const QString& tag, std::int64_t step) const {
    const auto at = std::find_if(collectives.begin(), collectives.end(), [&](const auto& record) {
        return record.header.step == step && tagOf(record) == tag;
    });
    return at == collectives.end() ? nullptr : &*at;
}

double RankStory::phaseSeconds(telemetry::Phase phase, std::int64_t step) const {
    double seconds = 0;
    for (const auto& record : phases) {
        if (record.phase == phase && record.header.step == step) {
            seconds += static_cast<double>(record.endNs - record.beginNs) / 1e9;
        }
    }
    return seconds;
}

TrainerRun::TrainerRun(int ranks, const QStringList& trainer, const QString& extra, bool validates)
    : m_validates(validates), m_errors(static_cast<std::size_t>(ranks)) {
    std::filesystem::create_directories(dir());
    writeData();
    writeConfig(trainer, extra);
    if (auto page = telemetry::ControlPage::create(dir() / "control")) {
        m_control = std::move(*page);
    } else {
        m_problem = QString::fromStdString(page.error().message());
    }
    for (int rank = 0; rank < ranks; ++rank) {
        m_processes.push_back(std::make_unique<QProcess>());
    }
}

TrainerRun::~TrainerRun() {
    for (auto& process : m_processes) {
        if (process->state() != QProcess::NotRunning) {
            process->kill();
            process->waitForFinished();
        }
    }
}

void TrainerRun::writeData() {
    QByteArray manifest;
    for (int i = 0; i < kUtterances; ++i) {
        const double seconds = 1.2 + 0.15 * i;
        const QString path = m_dir.filePath(QString("u%1.wav").arg(i));
        if (!writeWav(path, tone(seconds, 220 + 40 * i))) {
            m_problem = "cannot write " + path;
        }
        manifest += QString("{\"audio_filepath\": \"%1\", \"duration\": %2}\n").arg(path).arg(seconds).toUtf8();
    }
    if (!write(m_dir.filePath("train.jsonl"), manifest)) {
        m_problem = "cannot write the manifest";
    }
}

QByteArray TrainerRun::firstLines(const QString& name, int count) const {
    QFile file(m_dir.filePath(name));
    QByteArray lines;
    if (file.open(QIODevice::ReadOnly)) {
        for (int i = 0; i < count; ++i) {
            lines += file.readLine();
        }
    }
    return lines;
}

void TrainerRun::writeConfig(const QStringList& trainer, const QString& extra) {
    const QString validation =
        m_validates
            ? QString("  validation_ds: {manifest_filepath: %1, sample_rate: 16000, batch_size: 1, shuffle: false, "
                      "num_workers: 1}\n")
                  .arg(m_dir.filePath("val.jsonl"))
            : QString();
    const QString text = QString(kConfig).arg(m_dir.filePath("train.jsonl"), trainer.join("\n  "), extra, validation);
    if (!write(m_dir.filePath("config.yaml"), text.toUtf8()) ||
        !write(m_dir.filePath("val.jsonl"), firstLines("train.jsonl", kValidationUtterances))) {
        m_problem = "cannot write the configuration";
    }
}

void TrainerRun::addValidationSet(const QString& fileName, int count) {
    const QByteArrayList lines = firstLines("train.jsonl", kUtterances).split('\n');
    QFile config(m_dir.filePath("config.yaml"));
    QByteArray text = config.open(QIODevice::ReadOnly) ? config.readAll() : QByteArray();
    config.close();
    const QByteArray one = "manifest_filepath: " + m_dir.filePath("val.jsonl").toUtf8(),
                     two = "manifest_filepath: [" + m_dir.filePath("val.jsonl").toUtf8() + ", " +
                           m_dir.filePath(fileName).toUtf8() + "]";
    if (!text.contains(one) || !write(m_dir.filePath("config.yaml"), text.replace(one, two)) ||
        !write(m_dir.filePath(fileName), lines.mid(kUtterances - count, count).join('\n') + '\n')) {
        m_problem = "cannot add a validation set";
    }
}

void TrainerRun::start() {
    const QString port = QString::number(freePort());
    for (std::size_t rank = 0; rank < m_processes.size(); ++rank) {
        QProcessEnvironment environment = QProcessEnvironment::systemEnvironment();
        environment.insert("RANK", QString::number(rank));
        environment.insert("LOCAL_RANK", QString::number(rank));
        environment.insert("WORLD_SIZE", QString::number(m_processes.size()));
        environment.insert("MASTER_ADDR", "127.0.0.1");
        environment.insert("MASTER_PORT", port);
        environment.insert("OMP_NUM_THREADS", "1");
        QProcess& process = *m_processes[rank];
        process.setProcessEnvironment(environment);
        process.start(RANKSCOPE_TRAINER_PROGRAM,
                      {"train", "--config", m_dir.filePath("config.yaml"), "--run", m_dir.filePath("run")});
    }
}

bool TrainerRun::waitForEnd(int seconds) {
    QElapsedTimer timer;
    timer.start();
    for (auto& process : m_processes) {
        const int left = static_cast<int>(std::max<qint64>(1, seconds * 1000 - timer.elapsed()));
        if (process->state() != QProcess::NotRunning && !process->waitForFinished(left)) {
            return false;
        }
    }
    return true;
}

QString TrainerRun::errorText(int rank) {
    QString& text = m_errors.at(static_cast<std::size_t>(rank));
    text += QString::fromUtf8(process(rank).readAllStandardError());
    return text;
}

RankStory TrainerRun::story(int rank) const {
    RankStory story;
    telemetry::JournalReader reader(dir() / "ranks" / std::to_string(rank));
    reader.read(story.all, 1'000'000, true);
    for (const auto& any : story.all) {
        if (const auto* step = any.as<telemetry::StepRecord>()) {
            story.steps.push_back(*step);
        } else if (const auto* batch = any.as<telemetry::BatchRecord>()) {
            story.batches.push_back(*batch);
        } else if (const auto* phase = any.as<telemetry::PhaseRecord>()) {
            story.phases.push_back(*phase);
        } else if (const auto* collective = any.as<telemetry::CollectiveRecord>()) {
            story.collectives.push_back(*collective);
        } else if (const auto* resource = any.as<telemetry::ResourceRecord>()) {
            story.resources.push_back(*resource);
        } else if (const auto* validation = any.as<telemetry::ValidationRecord>()) {
            story.validations.push_back(*validation);
        } else if (const auto* scalar = any.as<telemetry::ScalarRecord>()) {
            story.scalars.push_back(*scalar);
        } else if (const auto* note = any.as<telemetry::NoteRecord>()) {
            const auto text = telemetry::getText(note->text, sizeof note->text);
            story.notes << QString::fromUtf8(text.data(), static_cast<qsizetype>(text.size()));
            if (note->severity >= telemetry::NoteSeverity::Warning) {
                story.warnings << story.notes.last();
            }
        } else if (const auto* anchor = any.as<telemetry::AnchorRecord>()) {
            story.anchor = *anchor;
        } else if (const auto* end = any.as<telemetry::EndRecord>()) {
            story.end = *end;
        }
    }
    std::sort(story.collectives.begin(), story.collectives.end(),
              [](const auto& a, const auto& b) { return a.sequence < b.sequence; });
    return story;
}

} // namespace rankscope::test
