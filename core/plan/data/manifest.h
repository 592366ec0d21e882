// SPDX-License-Identifier: Apache-2.0
// NeMo manifests: one JSON object a line, UTF-8. Used keys: audio_filepath (or audio_filename), duration, offset; all
// others, text among them, are ignored. A relative audio path is taken from the manifest's folder, or from the working
// folder (audio_paths.h). One reader for the trainer, which stops at the first line that is wrong, and for the plan,
// which counts them.
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
    Required, ///< speech: lengths decide about filters and batches
    Optional, ///< noise: a clip without it is read from its offset on
};

struct ManifestRow {
    std::string path;    ///< absolute, or relative to the working folder
    double offset = 0;   ///< seconds into the file
    double duration = 0; ///< seconds; 0: to the end of the file
};

/// Calls `row` for each line that is not empty, with what it holds or what is wrong with it (where: file and line). An
/// error of `row` ends the reading and is returned; so is one that concerns the file: it cannot be read, is no regular
/// file, or has more lines than any corpus. Of one line at a time the first MiB is in memory.
Result<void> readManifestRows(const std::string& file, DurationKey duration,
                              const std::function<Result<void>(Result<ManifestRow>)>& row);

/// What a launch asks before it starts ranks: the manifest can be read, names an utterance, and its first `rows` lines
/// are as they have to be. What comes behind them the trainer reads, in any case. `more` (may be null) is asked with
/// each row, and where it is true reading goes on beyond `rows`.
Result<void> checkManifest(const std::string& file, DurationKey duration, std::int64_t rows,
                           const std::function<bool(const ManifestRow&)>& more = nullptr);

enum class Fit { Used, TooShort, TooLong };
/// min <= seconds <= max; a limit of 0 does not act.
Fit fits(double seconds, double minSeconds, double maxSeconds);

/// Durations of one section's utterances that pass its limits: four bytes an utterance.
struct Durations {
    std::vector<float> seconds;
    std::vector<std::int64_t> bucketBegin; ///< of each bucket in `seconds`, and the end of the last
    config::ManifestFacts facts;
};

/// Reads all manifests of a section, bucket by bucket, in the trainer's order. Lines that are wrong are counted and the
/// first ones named. `cancelled` (may be null) is asked now and then.
Result<Durations> readDurations(const config::DatasetConfig& data, const std::function<bool()>& cancelled);

} // namespace rankscope::plan
