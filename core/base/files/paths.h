// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/values/error.h"

#include <filesystem>

namespace rankscope {

/// $RANKSCOPE_RUNS, else $XDG_DATA_HOME/rankscope/runs, else ~/.local/share/rankscope/runs.
Result<std::filesystem::path> defaultRunsDir();

/// $XDG_DATA_HOME/rankscope, else ~/.local/share/rankscope; empty: neither is set.
std::filesystem::path userDataDir();

/// As Python's os.path.expanduser: "~" and "~user" in front become the home folder; unchanged where none is known.
std::string expandHome(const std::string& path);

/// The folder of the running program (from /proc/self/exe).
std::filesystem::path programDir();

/// A program that is installed beside this one: $RANKSCOPE_<NAME> (upper case, '-' as '_'), then this program's folder,
/// then $PATH. NotFound names the places that were searched.
Result<std::filesystem::path> findProgram(const std::string& name);

/// Whether exec would find it: a path, or a name in $PATH.
bool programIsThere(const std::string& name);

} // namespace rankscope
