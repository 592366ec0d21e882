// SPDX-License-Identifier: Apache-2.0
#include "core/trainer/checks/data_shares.h"

#include "core/base/text/unit_format.h"
#include "core/trainer/checks/rank_figures.h"

#include <fmt/format.h>

namespace rankscope::trainer {

std::vector<std::int32_t> utterancePresence(const EpochShard& share) {
    std::vector<std::int32_t> has(static_cast<std::size_t>(share.utterances), 0);
    for (const std::int64_t row : share.rows)
        if (row >= 0 && row < share.utterances)
            has[static_cast<std::size_t>(row)] = 1;
    return has;
}

CheckResult checkShards(const EpochShard& share, std::span<const std::int32_t> ranksWith, int worldSize,
                        const std::function<std::vector<int>(std::int64_t row)>& whoHas) {
    constexpr const char* kName = "shards";
    std::int64_t missing = 0, twice = 0, firstMissing = -1, firstTwice = -1;
    for (std::size_t i = 0; i < ranksWith.size(); ++i) {
        const auto row = static_cast<std::int64_t>(i);
        if (ranksWith[i] == 0 && missing++ == 0)
            firstMissing = row;
        if (ranksWith[i] > 1 && twice == 0)
            firstTwice = row;
        twice += std::max(ranksWith[i] - 1, 0);
    }
    if (twice > share.mayRepeat) {
        const std::vector<int> ranks = whoHas ? whoHas(firstTwice) : std::vector<int>{};
        return CheckResult::failed(
            kName, true,
            fmt::format("{} of {} utterances are on more than one rank, the first is row {}{}: RANK and WORLD_SIZE "
                        "must tell the processes apart, and all need the same seed",
                        formatCount(twice), formatCount(share.utterances), firstTwice,
                        ranks.empty() ? "" : fmt::format(" on {}", ranksText(ranks))));
    }
    if (missing > share.mayMiss)
        return CheckResult::failed(kName, true,
                                   fmt::format("{} of {} utterances are on no rank, the first is row {}: RANK and "
                                               "WORLD_SIZE must tell the processes apart",
                                               formatCount(missing), formatCount(share.utterances), firstMissing));
    std::string text =
        fmt::format("{} utterances on {} rank{}", formatCount(share.utterances), worldSize, worldSize == 1 ? "" : "s");
    text += twice == 0 ? ", none twice" : fmt::format(", {} of them twice to make the shares equal", twice);
    text += missing == 0 ? ", none lost" : fmt::format(", {} not used in this epoch", formatCount(missing));
    return CheckResult::passed(kName, std::move(text));
}

} // namespace rankscope::trainer
