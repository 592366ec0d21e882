// SPDX-License-Identifier: Apache-2.0
// The contents of a board as plain values, independent of its byte layout (board_layout.h).
#pragma once

#include "core/telemetry/format/records.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace rankscope::telemetry {

inline constexpr std::size_t kBoardBytes = 4096;
inline constexpr int kBoardGroups = 4; ///< process groups whose newest collective is shown

/// Add new stages at the end: boards and recordings store the numbers.
enum class RankStage : std::uint8_t { Starting, Joining, Running, Finished, Failed, Stopped, Count };

/// Returns the stage of a rank that has ended with this cause.
RankStage stageAfter(EndCause cause);
/// Returns the cause of the end for a stage; none if the rank has not ended.
std::optional<EndCause> endCauseOf(RankStage stage);
/// Returns whether the rank is done, after its last step or because it was asked to stop.
constexpr bool hasLeft(RankStage stage) {
    return stage == RankStage::Finished || stage == RankStage::Stopped;
}

/// The newest collective of one group.
struct BoardCollective {
    bool used = false;
    std::uint32_t group = 0;
    std::uint64_t sequence = 0; ///< last entered
    CollectiveOp op = CollectiveOp::Other;
    std::uint8_t dtype = 0;
    std::int64_t count = 0;
    std::int64_t arrivedNs = 0;
    std::string tag;
    /// Number of collectives of this group that completed on this rank: those with sequence < left are done.
    std::uint64_t done = 0;
    std::int64_t doneNs = 0; ///< when the last one completed, by the completing thread
    /// Number of those that the calling thread has handed to the transport; 0: unknown, or none yet.
    std::uint64_t started = 0;

    bool open() const { return used && done <= sequence; }
};

/// A signal that asked a rank to leave, as the kernel delivered it. The struct is also its layout on a board
/// (docs/dev/telemetry.md).
struct LeaveRequest {
    enum class Sender : std::uint8_t { Kernel, Process, Timer, Count };

    std::int64_t atNs = 0;   ///< by the handler
    std::int32_t signal = 0; ///< 0: no request
    std::int32_t pid = 0;    ///< of the sending process; 0: it is in another PID namespace
    std::uint32_t user = 0;  ///< user ID of the sending process
    Sender sender = Sender::Kernel;
    std::uint8_t reserved[3] = {};
    char program[32] = {}; ///< name of the sending process; empty: it was gone, or is not visible

    std::string_view programName() const;
    bool operator==(const LeaveRequest&) const = default;
};

/// A consistent copy of a board.
struct BoardSnapshot {
    std::int32_t rank = -1, worldSize = 0, pid = 0;
    std::uint64_t startTicks = 0; ///< of the process, as in /proc/PID/stat: with pid its identity
    std::uint64_t configHash = 0;
    RankStage stage = RankStage::Starting;
    std::int64_t updatedNs = 0; ///< last write by the training thread
    std::int64_t step = -1;
    std::int32_t epoch = 0;
    std::int64_t totalSteps = 0;    ///< planned; 0: unknown
    std::int64_t stepsPerEpoch = 0; ///< 0: unknown
    Phase phase = Phase::None;
    std::int64_t phaseSinceNs = 0;
    ForwardSite place = ForwardSite::None; ///< inside forward
    std::int32_t layer = -1;
    std::int32_t batchSize = 0;                         ///< -1: not known
    std::int64_t longestSamples = 0, longestFrames = 0; ///< of the batch; -1: not known
    std::array<std::int32_t, 4> inputShape{};           ///< encoder input [B, D, T, 0]
    std::string device;
    std::array<BoardCollective, kBoardGroups> collectives{};
    // by the loader threads
    std::string reading; ///< file being read for the batch that the training thread waits for; empty: none
    std::int64_t readingSinceNs = 0;
    std::int32_t queueDepth = 0, queueCapacity = 0; ///< number of batches ready, and the most there can be
    std::uint64_t droppedRecords = 0;               ///< journal records that could not be written
    LeaveRequest asked;                             ///< to leave, by a signal
};

} // namespace rankscope::telemetry
