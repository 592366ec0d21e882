// SPDX-License-Identifier: Apache-2.0
// Does every rank get its own share of the data: no utterance twice in an epoch, none lost? Pure.
#pragma once

#include "core/trainer/checks/check_result.h"

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

namespace rankscope::trainer {

/// A rank's utterances of an epoch, and what the way in which they are shared allows.
struct EpochShare {
    std::vector<std::int64_t> rows; ///< places in the set, in order, as they are trained on
    std::int64_t utterances = 0;    ///< of the whole set
    std::int64_t mayRepeat = 0;     ///< so many may be at two ranks, to make all shares as large
    std::int64_t mayMiss = 0;       ///< so many need be at none (drop_last, tar files that are left over)
    std::string notShared;          ///< not empty: ranks share nothing by design, and why
};

/// 1 for each utterance that the rank has, 0 for the others: their sum over the ranks is what judgeShares() takes.
std::vector<std::int32_t> presence(const EpochShare& share);

/// "shards". `ranksWith`: how many ranks have each utterance. `whoHas` (may be null) says which, for the message.
CheckResult judgeShares(const EpochShare& share, std::span<const std::int32_t> ranksWith, int worldSize,
                        const std::function<std::vector<int>(std::int64_t row)>& whoHas);

} // namespace rankscope::trainer
