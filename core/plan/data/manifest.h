// SPDX-License-Identifier: Apache-2.0
// Reads NeMo manifests: one JSON object per line, UTF-8. Used keys: audio_filepath (or audio_filename), duration,
// offset; all others, including text, are ignored. A relative audio path is relative to the manifest's folder, or to
// the working folder (audio_paths.h). The trainer, which stops at the first invalid line, and the plan, which counts
// them, share this reader.
#pragma once

#include "core/base/values/error.h"
#include "core/config/recipe/recipe.h"
#include "core/config/risks/risk_context.h"
#include "core/plan/data/audio_paths.h"

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace rankscope::plan {

enum class DurationKey {
    Required, ///< speech: lengths are needed for filters and batches
    Optional, ///< noise: a clip without it is read from its offset to the end
};

struct ManifestRow {
    std::string path;    ///< absolute, or relative to the working folder
    double offset = 0;   ///< seconds into the file
    double duration = 0; ///< seconds; 0: to the end of the file
};

/// Calls `row` for each non-empty line, with its contents or with what is wrong with it (including file and line). An
/// error of `row` stops reading and is returned; so is an error of the file: it cannot be read, is not a regular file,
/// or has more lines than any corpus. At most the first MiB of one line is in memory.
Result<void> readManifestRows(const std::string& file, DurationKey duration,
                              const std::function<Result<void>(Result<ManifestRow>)>& row);

/// Checks what a launch requires before it starts ranks: the manifest can be read, names an utterance, and its first
/// `rows` lines are valid. The trainer reads the lines after them in any case. `more` (may be null) is called for each
/// row; while it returns true, reading continues beyond `rows`.
Result<void> checkManifest(const std::string& file, DurationKey duration, std::int64_t rows,
                           const std::function<bool(const ManifestRow&)>& more = nullptr);

enum class DurationFit { Used, TooShort, TooLong };
/// Checks min <= seconds <= max; a limit of 0 does not apply.
DurationFit fits(double seconds, double minSeconds, double maxSeconds);

/// Durations of the utterances of one section that are within its limits: four bytes per utterance.
struct Durations {
    std::vector<float> seconds;
    std::vector<std::int64_t> bucketBegin; ///< start of each bucket in `seconds`, and the end of the last
    config::ManifestFacts facts;
};

/// Reads all manifests of a section, bucket by bucket, in the trainer's order. Invalid lines are counted and the first
/// ones are named. `cancelled` (may be null) is called from time to time.
Result<Durations> readDurations(const config::DatasetConfig& data, const std::function<bool()>& cancelled);

} // namespace rankscope::plan
