// SPDX-License-Identifier: Apache-2.0
// What the encoder's table of positions takes on each rank: it grows to the longest input that a rank has met, with the
// length sync to the longest that any rank has met. Pure.
#pragma once

#include "core/config/recipe/recipe.h"

#include <cstdint>
#include <vector>

namespace rankscope::config {

/// Bytes of the table, float32 whatever the precision: [2 * frames - 1, d_model], frames being mel frames before
/// sub-sampling and at least pos_emb_max_len, as in NeMo.
std::int64_t positionTableBytes(const EncoderConfig& encoder, std::int64_t frames);

struct PositionMemory {
    std::vector<std::int64_t> aloneBytes; ///< of each rank, without the length sync
    std::int64_t syncedBytes = 0;         ///< of every rank, with it
};
/// `longestFrames`: the longest mel input of each rank so far, 0 for none; padded here as the preprocessor does.
PositionMemory positionMemory(const ModelConfig& model, const std::vector<std::int64_t>& longestFrames);

} // namespace rankscope::config
