// SPDX-License-Identifier: Apache-2.0
// Words of a rank's notes and checks that a program looks for: the writer and the reader take them from here.
#pragma once

#include <string_view>

namespace rankscope::telemetry {

/// In the note on a step that is not finite; the tensor's name follows to the end.
inline constexpr std::string_view kFirstNotFinite = "first tensor that is not finite: ";

/// In what a rank says at its end if its weights are not all finite.
inline constexpr std::string_view kWeightsNotFinite = "with weights that are not finite";

/// How the note on a checkpoint begins that could not be written: "no checkpoint after 100 steps: …".
inline constexpr std::string_view kNoCheckpoint = "no checkpoint after ";

/// Name of the check that compares the ranks' configurations. What differs is told as "KEY is VALUE on rank 0 and …",
/// one key after the other behind "; ".
inline constexpr std::string_view kConfigurationCheck = "configuration";

/// Begin of the supervisor's note on a stretch in which it did not run itself.
inline constexpr std::string_view kNotWatched = "The run was not watched ";

} // namespace rankscope::telemetry
