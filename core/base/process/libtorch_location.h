// SPDX-License-Identifier: Apache-2.0
// An installed trainer comes without LibTorch: PREFIX/bin/rankscope-trainer is a starter that finds it and execs
// PREFIX/lib/rankscope/rankscope-trainer. In a build folder the trainer links the LibTorch it was built with.
#pragma once

#include "core/base/values/error.h"

#include <filesystem>
#include <string>
#include <vector>

namespace rankscope {

/// Returns the folders in which rankscope-setup installs files, in search order: the user's ($XDG_DATA_HOME/rankscope,
/// else ~/.local/share/rankscope), PREFIX/var/rankscope, /var/lib/rankscope.
std::vector<std::filesystem::path> setupFolders(const std::filesystem::path& prefix);

/// Returns PREFIX of the running program, which is in PREFIX/bin.
std::filesystem::path installPrefix();

/// Returns the trainer that an installed starter execs; empty if `starter` is not a starter.
std::filesystem::path installedTrainer(const std::filesystem::path& starter);

/// Returns the version in a wheel's version.py or an unpacked LibTorch's build-version, such as "2.11.0+cu130"; empty
/// if neither file exists.
std::string libTorchVersion(const std::filesystem::path& libTorch);

/// Returns the LibTorch (a folder with lib/) that an installed trainer loads: $RANKSCOPE_LIBTORCH, else `libtorch` in
/// one of the setup folders. The errors NotFound and Unsupported (not the minor version that the trainer was built
/// with, or a version that is not known) say what to do.
Result<std::filesystem::path> findLibTorch(const std::filesystem::path& starter);

/// Returns findProgram("rankscope-trainer"), or an error if that is a starter whose LibTorch is not found.
Result<std::filesystem::path> findTrainer();

} // namespace rankscope
