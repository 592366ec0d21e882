// SPDX-License-Identifier: Apache-2.0
// ranks/<r>/board: one mmap'd page that shows what the rank does now. Writing it takes plain stores and no system call;
// it can be read while the rank runs, is stopped, spins, or is dead.
#pragma once

#include "core/base/values/error.h"
#include "core/base/values/hidden_part.h"
#include "core/telemetry/board/board_snapshot.h"

#include <array>
#include <cstdint>
#include <filesystem>
#include <string_view>

namespace rankscope::telemetry {

/// Writes a board. Only the training thread may call it, except for the setters marked otherwise.
class BoardWriter {
public:
    /// Creates the file with mode 0600 and maps it.
    static Result<BoardWriter> create(const std::filesystem::path& path);
    /// Returns a board that no other process sees, for a trainer without a run folder.
    static BoardWriter detached();

    void identify(int rank, int worldSize, std::uint64_t configHash, std::string_view device, std::int64_t totalSteps,
                  std::int64_t stepsPerEpoch = 0);
    void stage(RankStage stage);
    void step(std::int64_t step, int epoch);
    void phase(Phase phase, std::int64_t sinceNs);
    void place(ForwardSite place, int layer = -1);
    /// -1: not known.
    void batch(int size, std::int64_t longestSamples, std::int64_t longestFrames);
    void inputShape(std::array<std::int32_t, 4> shape);
    /// (any thread; those that enter collectives of one group take turns inside) A lower sequence than the newest is
    /// not shown.
    void arrived(std::uint32_t group, std::uint64_t sequence, CollectiveOp op, std::uint8_t dtype, std::int64_t count,
                 std::string_view tag, std::int64_t atNs);
    /// (any thread) Collectives with a sequence below `count` were handed to the transport.
    void started(std::uint32_t group, std::uint64_t count);
    void done(std::uint32_t group, std::uint64_t doneCount, std::int64_t atNs); ///< (any thread)
    void reading(std::string_view path, std::int64_t sinceNs); ///< (any thread; loaders take turns inside)
    void queue(int depth, int capacity);                       ///< (any thread)
    void dropped(std::uint64_t records);                       ///< (any thread)
    /// (any thread, also in a signal handler) Only the first request is written.
    void askedToLeave(const LeaveRequest& request);

private:
    struct Impl;
    explicit BoardWriter(HiddenPart<Impl> impl) : m(std::move(impl)) {}
    HiddenPart<Impl> m;
};

/// Reads another process's board and trusts nothing in it.
class BoardReader {
public:
    static Result<BoardReader> open(const std::filesystem::path& path);

    /// Returns a consistent copy. If the writer was killed inside a write, the copy may be torn; it is then returned as
    /// it is after a bounded number of tries (most of a dead rank's board is still valid).
    BoardSnapshot snapshot() const;

private:
    struct Impl;
    explicit BoardReader(HiddenPart<Impl> impl) : m(std::move(impl)) {}
    HiddenPart<Impl> m;
};

} // namespace rankscope::telemetry
