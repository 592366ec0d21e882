// SPDX-License-Identifier: Apache-2.0
// Audio files (all that libsndfile reads: WAV, FLAC, OGG, Opus, MP3, SPHERE ...) as mono float32 at one rate.
#pragma once

#include "core/base/text/library_versions.h"
#include "core/base/values/error.h"

#include <string>
#include <string_view>
#include <vector>

namespace rankscope::trainer {

struct AudioRequest {
    int sampleRate = 16000;
    double offset = 0;           ///< seconds
    double duration = 0;         ///< seconds; 0: to the end
    double limitSeconds = 3'600; ///< a longer piece is an error: a small file can decode to hours
    int channel = -1;            ///< which one counts, from 0 on; -1: their average
};

/// Samples in [-1, 1], at most a piece of limitSeconds. Channels become one, the rate is converted. Nothing in a
/// header is trusted: memory grows with what was really decoded. The error says what is wrong with the file: missing,
/// no audio, no samples, absurd rate, truncated, not finite. `shorter` (may be null) becomes what is to be told where
/// the file holds less than half of `duration`, which is no error, as in NeMo.
Result<std::vector<float>> readAudio(const std::string& path, const AudioRequest& request,
                                     std::string* shorter = nullptr);

/// The same of a file's content. `name` stands in the error.
Result<std::vector<float>> decodeAudio(std::string_view content, const std::string& name, const AudioRequest& request,
                                       std::string* shorter = nullptr);

/// libsndfile, libsoxr and libarchive, as they are loaded.
std::vector<LinkedLibrary> audioLinked();

} // namespace rankscope::trainer
