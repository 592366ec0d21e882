// SPDX-License-Identifier: Apache-2.0
#include "core/launch/run/board_list.h"

#include "core/base/files/guarded_folder.h"
#include "core/base/process/process_identity.h"
#include "core/launch/run/run_folder.h"
#include "core/telemetry/board/board.h"
#include "core/telemetry/format/limits.h"

#include <algorithm>
#include <charconv>

namespace rankscope::launch {

static int rankOf(const GuardedFolder& folder) {
    const std::string name = folder.path().filename().string();
    int rank = -1;
    const auto [end, error] = std::from_chars(name.data(), name.data() + name.size(), rank);
    return error == std::errc() && end == name.data() + name.size() ? rank : -1;
}

std::vector<ReportingRank> reportingRanks(const RunPaths& run) {
    std::vector<ReportingRank> ranks;
    const auto folders = rankFolders(run);
    for (const GuardedFolder& folder : folders) {
        const int rank = rankOf(folder);
        const auto board = rank < 0 ? tl::unexpected(Error{}) : telemetry::BoardReader::open(run.board(rank));
        if (!board)
            continue;
        const auto seen = board->snapshot();
        if (seen.rank == rank && rank < seen.worldSize && seen.pid > 0 &&
            seen.worldSize <= telemetry::clampRankCount(folders.size()))
            ranks.push_back({rank, seen.worldSize, seen.pid, seen.startTicks, seen.device});
    }
    std::sort(ranks.begin(), ranks.end(), [](const auto& a, const auto& b) { return a.rank < b.rank; });
    return ranks;
}

int worldSizeOf(const std::vector<ReportingRank>& ranks) {
    return ranks.empty() ? 0 : ranks.front().worldSize;
}

bool anyLives(const std::vector<ReportingRank>& ranks) {
    return std::any_of(ranks.begin(), ranks.end(),
                       [](const ReportingRank& rank) { return isSameProcess(rank.pid, rank.startTicks); });
}

} // namespace rankscope::launch
