// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/trainer/loop/setup/checkpointing.h"

#include <cstdint>

namespace rankscope::trainer {

/// After the last step: compares the ranks' weights, writes the last checkpoint and the .nemo (rank 0), and waits for
/// the others. Gives the hash of parameters and buffers. An Error when they cannot be saved; throws what collectives
/// throw.
Result<std::uint64_t> finish(Rank& rank, Checkpointing& checkpointing, bool stopped);

} // namespace rankscope::trainer
