// SPDX-License-Identifier: Apache-2.0
#include "tests/core/trainer/data/synthetic_audio.h"

#include <QFile>

#include <sndfile.h>

#include <cmath>

namespace rankscope::test {

static int formatOf(Coding coding) {
    switch (coding) {
    case Coding::Pcm16:
        return SF_FORMAT_WAV | SF_FORMAT_PCM_16;
    case Coding::Pcm24:
        return SF_FORMAT_WAV | SF_FORMAT_PCM_24;
    case Coding::Float:
        return SF_FORMAT_WAV | SF_FORMAT_FLOAT;
    case Coding::Flac:
        return SF_FORMAT_FLAC | SF_FORMAT_PCM_16;
    case Coding::Ogg:
        return SF_FORMAT_OGG | SF_FORMAT_VORBIS;
    case Coding::Mp3:
        return SF_FORMAT_MPEG | SF_FORMAT_MPEG_LAYER_III;
    case Coding::Opus:
        return SF_FORMAT_OGG | SF_FORMAT_OPUS;
    case Coding::Sphere:
        return SF_FORMAT_NIST | SF_FORMAT_PCM_16;
    }
    return 0;
}

void writeAudio(const std::string& path, const std::vector<float>& samples, int rate, int channels, Coding coding) {
    SF_INFO info{};
    info.samplerate = rate;
    info.channels = channels;
    info.format = formatOf(coding);
    SNDFILE* sound = sf_open(path.c_str(), SFM_WRITE, &info);
    if (!sound)
        qFatal("cannot write %s: %s", path.c_str(), sf_strerror(nullptr));
    const auto count = static_cast<sf_count_t>(samples.size());
    if (sf_write_float(sound, samples.data(), count) != count)
        qFatal("cannot write %s: %s", path.c_str(), sf_strerror(sound));
    sf_close(sound);
}

std::vector<float> tone(double hertz, double seconds, int rate, double amplitude) {
    std::vector<float> samples(static_cast<std::size_t>(seconds * rate));
    for (std::size_t i = 0; i < samples.size(); ++i)
        samples[i] = static_cast<float>(amplitude * std::sin(2 * M_PI * hertz * static_cast<double>(i) / rate));
    return samples;
}

void writeText(const std::string& path, const std::string& text) {
    QFile file(QString::fromStdString(path));
    if (!file.open(QIODevice::WriteOnly) || file.write(text.data(), static_cast<qint64>(text.size())) < 0)
        qFatal("cannot write %s", path.c_str());
}

std::string readBytes(const std::string& path) {
    QFile file(QString::fromStdString(path));
    if (!file.open(QIODevice::ReadOnly))
        qFatal("cannot read %s", path.c_str());
    return file.readAll().toStdString();
}

std::string manifestText(const std::vector<std::pair<std::string, double>>& rows) {
    std::string text;
    for (const auto& [path, seconds] : rows)
        text +=
            "{\"audio_filepath\": \"" + path + "\", \"duration\": " + std::to_string(seconds) + ", \"text\": \"\"}\n";
    return text;
}

double rms(const std::vector<float>& samples) {
    double sum = 0;
    for (const float x : samples)
        sum += static_cast<double>(x) * x;
    return std::sqrt(sum / static_cast<double>(samples.size()));
}

} // namespace rankscope::test
