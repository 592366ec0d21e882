// SPDX-License-Identifier: Apache-2.0
// Where the observer is, which a watched Python program loads by itself, and the environment that makes it do so.
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

/// Returns what a program needs in its environment to be watched: the run's folder, and the observer's folder at the
/// head of PYTHONPATH. Without the latter if RANKSCOPE_OBSERVER is "off". Error Permission: other users could change
/// the observer, which the program would execute.
Result<Environment> observerEnvironment(const std::filesystem::path& run);

/// Returns the script with which NeMo trains NEST with a recipe. Errors: as for observerEnvironment().
Result<std::filesystem::path> nemoScript();

/// Returns whether a program with this environment, in addition to this process's, loads the observer.
bool observes(const Environment& environment);

/// Checks that nobody except root and this user can change the folder, what is in it, or what its path means.
Result<void> checkNobodyElseWrites(const std::filesystem::path& folder);

/// Makes a folder for ranks to report to, with mode 0700. An existing one gets that mode; it must be this user's.
Result<void> makeReportFolder(const std::filesystem::path& folder);

} // namespace rankscope::launch
