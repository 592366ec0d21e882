// SPDX-License-Identifier: Apache-2.0
// Scenes of two ranks as two threads of this process, over Gloo on the loopback, and what each rank recorded. Without
// Qt, whose keywords clash with Torch's headers.
#pragma once

#include "core/base/values/error.h"
#include "core/telemetry/board/board.h"
#include "core/telemetry/format/records.h"

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

namespace rankscope::test {

struct RankResult {
    std::vector<telemetry::CollectiveRecord> collectives; ///< group 0, in order of sequence
    std::vector<telemetry::CollectiveRecord> peerTraffic; ///< send and receive
    telemetry::BoardSnapshot board;
    std::string thrown;  ///< what ended this rank's scene early
    std::string failure; ///< the first failed collective, as the group tells it
    std::uint64_t weightsHash = 0;
    std::vector<float> values;   ///< scene's own
    std::vector<float> gradient; ///< trainSmallNet: of the first weight, averaged, in the last step
    std::vector<std::int64_t> exposedNs;
    std::size_t buckets = 0;

    const telemetry::CollectiveRecord* find(const std::string& tag, std::int64_t step) const;
};
using RankResults = std::vector<RankResult>;

struct TrainScene {
    int steps = 3, accumulate = 1;
    int lateRank = -1, lateStep = -1, lateMs = 0; ///< sleeps before backward
    bool findUnused = false, broadcastBuffers = true;
    bool staticGraph = false;
    bool unusedParameter = false; ///< the net has one that its loss does not depend on
    double bucketCapMb = 0;       ///< 0: the default
    std::string hook;
};
/// A small net whose ranks start from different weights and see different data. values: the losses.
RankResults trainSmallNet(const TrainScene& scene, const std::filesystem::path& dir);
/// The same net by one rank on both ranks' data. values: the gradient of its first weight after one step.
std::vector<float> jointGradient();
/// values: the gradient of the first weight after one step of two ranks.
RankResults averagedGradient(const std::filesystem::path& dir);

/// Every operation once, with a tag of its own. values: what each operation gave.
RankResults everyOperation(const std::filesystem::path& dir);
/// Rank 1 leaves while rank 0 waits in an all-reduce tagged "metrics".
RankResults peerLeaves(const std::filesystem::path& dir);
/// SyncBN exchange, length maximum (rank r has 100 + r) and gathered numbers.
RankResults exchanges(const std::filesystem::path& dir);

/// Rank 1 stays away until rank 0 has gone on from three length syncs by itself, the first after its timeout. Then both
/// make one more. values: what each sync gave; lateRecords: of the sync's own group.
struct LateLengths {
    struct Rank {
        std::vector<std::int64_t> values, timeoutSequences;
        std::int64_t timeouts = 0;
        std::size_t openBefore = 0; ///< when rank 1 came
        bool settled = false;       ///< all of them completed in the end
        std::vector<telemetry::CollectiveRecord> records;
        std::string thrown;
    };
    std::vector<Rank> ranks;
};
LateLengths lateLengths(const std::filesystem::path& dir, int timeoutMs);
/// values: what three syncs with a timeout and three without gave.
RankResults punctualLengths(const std::filesystem::path& dir);
/// Rank 1 leaves while rank 0 waits in a length sync with a long timeout.
RankResults peerLeavesLengthSync(const std::filesystem::path& dir);

struct JoinScene {
    std::vector<std::string> errors;    ///< of each rank; empty: joined
    std::vector<std::string> listening; ///< addresses that this process listened on while joined
};
JoinScene joinOverTcp(int worldSize, int comers, int timeoutMs);

} // namespace rankscope::test
