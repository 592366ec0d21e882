// SPDX-License-Identifier: Apache-2.0
// Reads audio files (every format of libsndfile: WAV, FLAC, OGG, Opus, MP3, SPHERE ...) as mono float32 at one rate.
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
    int channel = -1;            ///< the channel to use, counted from 0; -1: the average of all
};

/// Returns samples in [-1, 1], at most limitSeconds of them, mixed to one channel and resampled. Headers are not
/// trusted: memory grows only with what was really decoded. The error says what is wrong with the file: missing, no
/// audio, no samples, absurd rate, truncated, not finite. `shorter` (may be null) receives a message if the file holds
/// less than half of `duration`, which is not an error, as in NeMo.
Result<std::vector<float>> readAudio(const std::string& path, const AudioRequest& request,
                                     std::string* shorter = nullptr);

/// Does the same for a file's content. `name` appears in the error.
Result<std::vector<float>> decodeAudio(std::string_view content, const std::string& name, const AudioRequest& request,
                                       std::string* shorter = nullptr);

/// Returns the loaded versions of libsndfile, libsoxr and libarchive.
std::vector<LinkedLibrary> audioLinked();

} // namespace rankscope::trainer
