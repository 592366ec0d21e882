// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/plan/result/plan.h"

#include <cstdint>
#include <filesystem>
#include <optional>

namespace rankscope::launch {

/// Returns the free bytes of the file system on which `folder` is, or would be created; -1: unknown. Blocks: not for
/// the window's own thread.
std::int64_t freeSpaceFor(std::filesystem::path folder);

/// Returns why the run would fail when the disk is full; nothing if there is enough space or it is unknown.
std::optional<plan::Blocker> diskBlocker(const plan::DiskPlan& disk);

} // namespace rankscope::launch
