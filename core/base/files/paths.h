// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/values/error.h"

#include <filesystem>

namespace rankscope {

/// Returns $RANKSCOPE_RUNS, else $XDG_DATA_HOME/rankscope/runs, else ~/.local/share/rankscope/runs.
Result<std::filesystem::path> defaultRunsDir();

/// Returns $XDG_DATA_HOME/rankscope, else ~/.local/share/rankscope; empty if neither is known.
std::filesystem::path userDataDir();

/// Returns $XDG_CACHE_HOME/rankscope, else ~/.cache/rankscope; empty if neither is known.
std::filesystem::path userCacheDir();

/// Replaces a leading "~" or "~user" with the home folder, as Python's os.path.expanduser does; returns the path
/// unchanged if no home folder is known.
std::string expandHome(const std::string& path);

/// Returns the folder of the running program (from /proc/self/exe).
std::filesystem::path programDir();

/// Finds a program that is installed next to this one: $RANKSCOPE_<NAME> (upper case, '-' as '_'), then this program's
/// folder, then $PATH. NotFound names the places that were searched.
Result<std::filesystem::path> findProgram(const std::string& name);

/// Returns whether exec would find the program; `name` is a path, or a name to look for in $PATH.
bool programExists(const std::string& name);

} // namespace rankscope
