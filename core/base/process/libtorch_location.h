// SPDX-License-Identifier: Apache-2.0
// An installed trainer comes without LibTorch: PREFIX/bin/rankscope-trainer is a starter that finds it and becomes
// PREFIX/lib/rankscope/rankscope-trainer. In a build folder the trainer links the LibTorch it was built with.
#pragma once

#include "core/base/values/error.h"

#include <filesystem>
#include <string>
#include <vector>

namespace rankscope {

/// Where rankscope-setup puts what it brings, the first that has it counts: the user's ($XDG_DATA_HOME/rankscope, else
/// ~/.local/share/rankscope), PREFIX/var/rankscope, /var/lib/rankscope.
std::vector<std::filesystem::path> setupFolders(const std::filesystem::path& prefix);

/// PREFIX of the running program, which lies in PREFIX/bin.
std::filesystem::path installPrefix();

/// The trainer itself, of an installed one; empty for one that is no starter.
std::filesystem::path trainerBehind(const std::filesystem::path& starter);

/// "2.11.0+cu130", as a wheel's version.py or an unpacked LibTorch's build-version says; empty: neither is there.
std::string libTorchVersion(const std::filesystem::path& libTorch);

/// The LibTorch (a folder with lib/) that an installed trainer is to load: $RANKSCOPE_LIBTORCH, else `libtorch` in one
/// of the setup folders. NotFound and Unsupported (another minor version than it was built with) say what to do.
Result<std::filesystem::path> findLibTorch(const std::filesystem::path& starter);

/// findProgram("rankscope-trainer"), and, where that is a starter, that its LibTorch is there.
Result<std::filesystem::path> findTrainer();

} // namespace rankscope
