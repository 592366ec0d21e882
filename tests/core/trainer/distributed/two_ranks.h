// SPDX-License-Identifier: Apache-2.0
// Scenes of two ranks, as two threads of this process with Gloo on the loopback interface, and what each rank recorded.
// Free of Qt, whose keywords clash with Torch's headers.
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
    std::string thrown;  ///< the error that ended this rank's scene early
    std::string failure; ///< the first failed collective, in the group's words
    std::uint64_t weightsHash = 0;
    std::vector<float> values;   ///< depends on the scene
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
    bool unusedParameter = false; ///< the net has one parameter that its loss does not depend on
    double bucketCapMb = 0;       ///< 0: the default
    std::string hook;
};
/// Trains a small net whose ranks start from different weights and see different data. values: the losses.
RankResults trainSmallNet(const TrainScene& scene, const std::filesystem::path& dir);
/// Runs the same net in one rank on both ranks' data. Returns the gradient of its first weight after one step.
std::vector<float> jointGradient();
/// values: the gradient of the first weight after one step of two ranks.
RankResults averagedGradient(const std::filesystem::path& dir);

/// Runs every operation once, with a separate tag. values: the result of each operation.
RankResults everyOperation(const std::filesystem::path& dir);
/// Rank 1 leaves while rank 0 waits in an all-reduce tagged "metrics".
RankResults peerLeaves(const std::filesystem::path& dir);
/// SyncBN exchange, maximum length (that of rank r is 100 + r) and gathered numbers.
RankResults exchanges(const std::filesystem::path& dir);

/// Rank 1 stays away until rank 0 has continued without it in three length syncs, the first after its timeout. Then
/// both do one more. values: the result of each sync; records: of the sync's group.
struct LateLengths {
    struct Rank {
        std::vector<std::int64_t> values, timeoutSequences;
        std::int64_t timeouts = 0;
        std::size_t openBefore = 0; ///< when rank 1 arrived
        bool settled = false;       ///< all of them completed eventually
        std::vector<telemetry::CollectiveRecord> records;
        std::string thrown;
    };
    std::vector<Rank> ranks;
};
LateLengths lateLengths(const std::filesystem::path& dir, int timeoutMs);
/// values: the results of three syncs with a timeout and three without.
RankResults punctualLengths(const std::filesystem::path& dir);
/// Rank 1 leaves while rank 0 waits in a length sync with a long timeout.
RankResults peerLeavesLengthSync(const std::filesystem::path& dir);

struct JoinScene {
    std::vector<std::string> errors;    ///< of each rank; empty: joined
    std::vector<std::string> listening; ///< addresses that this process listened on while joined
};
JoinScene joinOverTcp(int worldSize, int comers, int timeoutMs);

} // namespace rankscope::test
