// SPDX-License-Identifier: Apache-2.0
// ranks/<r>/board: one mmap'd page that says what the rank does now. Plain stores, no system call; readable while the
// rank runs, is stopped, spins, or is dead.
#pragma once

#include "core/base/values/error.h"
#include "core/telemetry/board/leave_request.h"
#include "core/telemetry/format/records.h"

#include <array>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>

namespace rankscope::telemetry {

inline constexpr std::size_t kBoardBytes = 4096;
inline constexpr int kBoardGroups = 4; ///< process groups whose newest collective is shown

/// New stages come last: numbers are kept in boards and recordings.
enum class RankStage : std::uint8_t { Starting, Joining, Running, Finished, Failed, Stopped, Count };

/// The stage of a rank that has ended with this cause.
RankStage stageAfter(EndCause cause);
/// The reverse; none while it has not ended.
std::optional<EndCause> endCauseOf(RankStage stage);
/// It is done, whether after its last step or because it was asked to stop.
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
    std::int64_t enteredNs = 0;
    std::string tag;
    std::uint64_t left =
        0; ///< number of collectives of this group that completed on this rank: those with sequence < left are done
    std::int64_t leftNs = 0; ///< when the last one completed, by the completing thread
    std::uint64_t handedOver =
        0; ///< number of those that the calling thread has handed to the transport; 0: not told, or none yet

    bool open() const { return used && left <= sequence; }
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
    Place place = Place::None; ///< inside forward
    std::int32_t layer = -1;
    std::int32_t batchSize = 0;
    std::int64_t longestSamples = 0, longestFrames = 0;
    std::array<std::int32_t, 4> inputShape{}; ///< encoder input [B, D, T, 0]
    std::string device;
    std::array<BoardCollective, kBoardGroups> collectives{};
    // by the loader threads
    std::string reading; ///< file that the batch which the training thread waits for is being read from; empty: none
    std::int64_t readingSinceNs = 0;
    std::int32_t queueDepth = 0, queueCapacity = 0; ///< batches ready, of how many
    std::uint64_t droppedRecords = 0;               ///< journal records that could not be written
    LeaveRequest asked;                             ///< to leave, by a signal
};

/// Written by the training thread only, but for the setters marked (any thread).
class BoardWriter {
public:
    /// Creates the file with mode 0600 and maps it.
    static Result<BoardWriter> create(const std::filesystem::path& path);
    /// A board that no one sees: for a trainer without a run folder.
    static BoardWriter detached();
    BoardWriter(BoardWriter&&) noexcept;
    BoardWriter& operator=(BoardWriter&&) noexcept;
    ~BoardWriter();

    void identify(int rank, int worldSize, std::uint64_t configHash, std::string_view device, std::int64_t totalSteps,
                  std::int64_t stepsPerEpoch = 0);
    void stage(RankStage stage);
    void step(std::int64_t step, int epoch);
    void phase(Phase phase, std::int64_t sinceNs);
    void place(Place place, int layer = -1);
    void batch(int size, std::int64_t longestSamples, std::int64_t longestFrames);
    void inputShape(std::array<std::int32_t, 4> shape);
    /// (the thread that calls the collective: one at a time per group)
    void entered(std::uint32_t group, std::uint64_t sequence, CollectiveOp op, std::uint8_t dtype, std::int64_t count,
                 std::string_view tag, std::int64_t atNs);
    /// (the thread that calls the collective) Those with a sequence below `count` are the transport's.
    void handedOver(std::uint32_t group, std::uint64_t count);
    void left(std::uint32_t group, std::uint64_t doneCount, std::int64_t atNs); ///< (any thread)
    void reading(std::string_view path, std::int64_t sinceNs); ///< (any thread; loaders take turns inside)
    void queue(int depth, int capacity);                       ///< (any thread)
    void dropped(std::uint64_t records);                       ///< (any thread)
    /// (any thread, also in a signal's handler) The first one counts.
    void askedToLeave(const LeaveRequest& request);

private:
    struct Impl;
    explicit BoardWriter(std::unique_ptr<Impl> impl);
    std::unique_ptr<Impl> m;
};

/// Reads another process's board; nothing in it is trusted.
class BoardReader {
public:
    static Result<BoardReader> open(const std::filesystem::path& path);
    BoardReader(BoardReader&&) noexcept;
    BoardReader& operator=(BoardReader&&) noexcept;
    ~BoardReader();

    /// A consistent copy. When the writer was killed inside a write, the copy may be torn; it is then returned as it is
    /// after a bounded number of tries (a dead rank's board still tells most).
    BoardSnapshot snapshot() const;

private:
    struct Impl;
    explicit BoardReader(std::unique_ptr<Impl> impl);
    std::unique_ptr<Impl> m;
};

} // namespace rankscope::telemetry
