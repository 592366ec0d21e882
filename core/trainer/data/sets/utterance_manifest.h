// SPDX-License-Identifier: Apache-2.0
// The manifests' utterances, as core/plan/data/manifest.h reads them: the first line that is wrong is an error.
#pragma once

#include "core/base/values/error.h"
#include "core/plan/data/manifest.h"
#include "core/trainer/data/sets/utterance.h"

#include <string>
#include <vector>

namespace rankscope::trainer {

using plan::DurationKey;

/// Appends the rows of `file` to `rows`. An error names file and line. Empty lines are passed over; a file without any
/// row is an error.
Result<void> readManifest(const std::string& file, DurationKey duration, std::vector<Utterance>& rows);

/// The manifests joined in their order.
Result<std::vector<Utterance>> readManifests(const std::vector<std::string>& files, DurationKey duration);

} // namespace rankscope::trainer
