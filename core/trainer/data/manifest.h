// SPDX-License-Identifier: Apache-2.0
// NeMo manifests: one JSON object a line, UTF-8. Used keys: audio_filepath (or audio_filename), duration, offset; all
// others, text among them, are ignored. A relative audio path is taken from the manifest's folder.
#pragma once

#include "core/base/error.h"
#include "core/trainer/data/utterance.h"

#include <string>
#include <vector>

namespace rankscope::trainer {

enum class DurationKey {
    Required, ///< speech: lengths decide about filters and batches
    Optional, ///< noise: a clip without it is read from its offset on
};

/// Appends the rows of `file` to `rows`. An error names file and line. Empty lines are passed over; a file without any
/// row is an error.
Result<void> readManifest(const std::string& file, DurationKey duration, std::vector<Utterance>& rows);

/// The manifests joined in their order.
Result<std::vector<Utterance>> readManifests(const std::vector<std::string>& files, DurationKey duration);

} // namespace rankscope::trainer
