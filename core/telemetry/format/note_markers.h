// SPDX-License-Identifier: Apache-2.0
// Phrases in a rank's notes and checks that programs look for, shared by writer and reader.
#pragma once

#include <string_view>

namespace rankscope::telemetry {

/// Part of the note on a step that is not finite; the rest of the note is the tensor's name.
inline constexpr std::string_view kFirstNotFinite = "first tensor that is not finite: ";

/// Part of a rank's end message if not all of its weights are finite.
inline constexpr std::string_view kWeightsNotFinite = "with weights that are not finite";

/// Beginning of the note on a checkpoint that could not be written: "no checkpoint after 100 steps: …".
inline constexpr std::string_view kNoCheckpoint = "no checkpoint after ";

/// Beginning of the note on an exception that ends a rank's training, while its process may still wait for other ranks.
inline constexpr std::string_view kException = "exception: ";

/// Name of the check that compares the ranks' configurations. Its text lists the differences as "KEY is VALUE on rank
/// 0 and …", one key after the other, separated by "; ".
inline constexpr std::string_view kConfigurationCheck = "configuration";

/// Beginning of the supervisor's note on a period in which it did not run itself.
inline constexpr std::string_view kNotWatched = "The run was not watched ";

/// Beginnings of the supervisor's notes on calls of the command for incidents: the option that named it, in a recipe or
/// on the command line.
inline constexpr std::string_view kAlertOfRecipe = "rankscope.on_incident: ";
inline constexpr std::string_view kAlertOfCommandLine = "--on-incident: ";

} // namespace rankscope::telemetry
