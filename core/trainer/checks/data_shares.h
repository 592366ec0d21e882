// SPDX-License-Identifier: Apache-2.0
// Checks that every rank gets its own share of the data: no utterance twice in an epoch, none lost. Pure.
#pragma once

#include "core/trainer/checks/check_result.h"

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

namespace rankscope::trainer {

/// A rank's utterances in an epoch, and the repeats and gaps that the sharing scheme allows.
struct EpochShard {
    std::vector<std::int64_t> rows; ///< positions in the set, in training order
    std::int64_t utterances = 0;    ///< of the whole set
    std::int64_t mayRepeat = 0;     ///< how many may be on two ranks, to make all shares equally large
    std::int64_t mayMiss = 0;       ///< how many may be on no rank (drop_last, leftover tar files)
    std::string notShared;          ///< if not empty, why the ranks deliberately do not divide the data
};

/// Returns 1 for each utterance that the rank has, 0 for the others; checkShards() takes the sum over the ranks.
std::vector<std::int32_t> utterancePresence(const EpochShard& share);

/// "shards". `ranksWith`: how many ranks have each utterance. `whoHas` (may be null) says which, for the message.
CheckResult checkShards(const EpochShard& share, std::span<const std::int32_t> ranksWith, int worldSize,
                        const std::function<std::vector<int>(std::int64_t row)>& whoHas);

} // namespace rankscope::trainer
