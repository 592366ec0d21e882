// SPDX-License-Identifier: Apache-2.0
// Audio files and manifests that the tests of the data layer generate.
#pragma once

#include <string>
#include <utility>
#include <vector>

namespace rankscope::test {

enum class Coding { Pcm16, Pcm24, Float, Flac, Ogg, Mp3, Opus, Sphere };

/// Writes interleaved samples. Aborts if the file cannot be written, because the test would prove nothing.
void writeAudio(const std::string& path, const std::vector<float>& samples, int rate, int channels = 1,
                Coding coding = Coding::Pcm16);

std::vector<float> tone(double hertz, double seconds, int rate, double amplitude = 0.5);

void writeText(const std::string& path, const std::string& text);
std::string readBytes(const std::string& path);

/// Returns JSON lines for these (path, seconds).
std::string manifestText(const std::vector<std::pair<std::string, double>>& rows);

double rms(const std::vector<float>& samples);

} // namespace rankscope::test
