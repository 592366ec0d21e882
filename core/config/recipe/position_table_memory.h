// SPDX-License-Identifier: Apache-2.0
// Computes how much memory the encoder's position table takes on each rank. The table grows to the longest input that a
// rank has seen; with the length sync, to the longest that any rank has seen. Pure.
#pragma once

#include "core/config/recipe/recipe.h"

#include <cstdint>
#include <vector>

namespace rankscope::config {

/// Returns the size of the table in bytes, float32 at any precision: [2 * frames - 1, d_model], where frames are mel
/// frames before sub-sampling and at least pos_emb_max_len, as in NeMo.
std::int64_t positionTableBytes(const EncoderConfig& encoder, std::int64_t frames);

struct PositionMemory {
    std::vector<std::int64_t> aloneBytes; ///< on each rank, without the length sync
    std::int64_t syncedBytes = 0;         ///< on every rank, with it
};
/// `longestFrames`: the longest mel input of each rank so far, 0 for none; padded here as the preprocessor does.
PositionMemory positionMemory(const ModelConfig& model, const std::vector<std::int64_t>& longestFrames);

} // namespace rankscope::config
