// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/trainer/loop/assemble.h"

#include <cstdint>
#include <filesystem>

namespace rankscope::trainer {

/// After the last step: compares the ranks' weights, saves them (rank 0, <run>/checkpoints/last.safetensors), and waits
/// for the others. Gives the hash of parameters and buffers. An Error when the weights cannot be saved; throws what
/// collectives throw.
Result<std::uint64_t> finish(Rank& rank, const std::filesystem::path& runDir, std::int64_t steps);

} // namespace rankscope::trainer
