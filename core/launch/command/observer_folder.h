// SPDX-License-Identifier: Apache-2.0
// Finds the observer, which a watched Python program loads when it starts, and the environment that makes it do so.
#pragma once

#include "core/base/values/error.h"

#include <filesystem>
#include <string>
#include <utility>
#include <vector>

namespace rankscope::launch {

/// The variable that names the folder to which the ranks report.
inline constexpr char kRunDirVariable[] = "RANKSCOPE_RUN_DIR";

using Environment = std::vector<std::pair<std::string, std::string>>;

/// Returns the environment variables that a program needs to be watched: the run's folder, and PYTHONPATH with the
/// observer's folder first. Leaves out PYTHONPATH if RANKSCOPE_OBSERVER is "off". Error Permission: other users could
/// change the observer, which the program would execute.
Result<Environment> observerEnvironment(const std::filesystem::path& run);

/// Returns the script with which NeMo trains NEST with a recipe. Errors: as for observerEnvironment().
Result<std::filesystem::path> nemoScript();

/// Returns whether a program with this environment, in addition to this process's, loads the observer.
bool observes(const Environment& environment);

/// Returns an error if a user other than root and this one can write to the folder, to anything in it, or to a folder
/// or link on its path.
Result<void> checkNobodyElseWrites(const std::filesystem::path& folder);

/// Makes a folder for ranks to report to, with mode 0700. An existing one gets that mode; it must be this user's.
Result<void> makeReportFolder(const std::filesystem::path& folder);

} // namespace rankscope::launch
