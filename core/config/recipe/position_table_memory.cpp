// SPDX-License-Identifier: Apache-2.0
#include "core/config/recipe/position_table_memory.h"

#include <algorithm>

namespace rankscope::config {

static constexpr std::int64_t kMostFrames = std::int64_t{1} << 36; ///< figures from a store are not trusted

std::int64_t positionTableBytes(const EncoderConfig& encoder, std::int64_t frames) {
    const std::int64_t length =
        std::max<std::int64_t>({1, encoder.posEmbMaxLen, std::clamp<std::int64_t>(frames, 0, kMostFrames)});
    return (2 * length - 1) * std::clamp(encoder.dModel, 0, 1 << 20) * static_cast<std::int64_t>(sizeof(float));
}

PositionMemory positionMemory(const ModelConfig& model, const std::vector<std::int64_t>& longestFrames) {
    PositionMemory memory;
    std::int64_t longest = 0;
    for (const std::int64_t frames : longestFrames) {
        const std::int64_t known = std::clamp<std::int64_t>(frames, 0, kMostFrames);
        const std::int64_t padTo = std::max(model.preprocessor.padTo, 1);
        const std::int64_t padded = (known + padTo - 1) / padTo * padTo;
        memory.aloneBytes.push_back(positionTableBytes(model.encoder, padded));
        longest = std::max(longest, padded);
    }
    memory.syncedBytes = positionTableBytes(model.encoder, longest);
    return memory;
}

} // namespace rankscope::config
