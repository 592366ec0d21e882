// SPDX-License-Identifier: Apache-2.0
// The bytes of a board (docs/dev/telemetry.md). Little endian; every field naturally aligned.
//
// A section is a seqlock: its sequence is odd while it is being written. Data words are stored one by one with release
// order, which is a plain store on x86 and keeps them after the odd sequence without a fence.
#pragma once

#include "core/telemetry/board/board_snapshot.h"

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstring>

namespace rankscope::telemetry {

inline constexpr std::uint64_t kBoardMagic = 0x004452414F425352; ///< the bytes "RSBOARD\0"
inline constexpr std::uint32_t kBoardVersion = 1;

template <class T> struct BoardSection {
    std::uint64_t sequence = 0;
    T data{};
};

struct BoardTraining {
    std::int32_t rank = -1, worldSize = 0, pid = 0, epoch = 0;
    std::uint64_t startTicks = 0, configHash = 0;
    std::int64_t updatedNs = 0, step = -1, totalSteps = 0, phaseSinceNs = 0;
    std::uint8_t stage = 0, phase = 0, place = 0, reserved = 0;
    std::int32_t layer = -1;
    std::int32_t batchSize = 0, stepsPerEpoch = 0;
    std::int64_t longestSamples = 0, longestFrames = 0;
    std::array<std::int32_t, 4> inputShape{};
    char device[32] = {};
};

struct BoardLoader {
    std::int64_t sinceNs = 0;
    char path[1008] = {};
};

struct BoardArrival {
    std::uint64_t sequence = 0;
    std::int64_t count = 0, arrivedNs = 0;
    std::uint8_t op = 0, dtype = 0, reserved[6] = {};
    char tag[kTagBytes] = {};
};

struct alignas(256) BoardGroup {
    std::uint64_t owner = 0; ///< group number + 1; 0: free. Claimed by compare-exchange, never released
    std::uint64_t done = 0;  ///< number of completed collectives; it and doneNs only grow
    std::int64_t doneNs = 0;
    BoardSection<BoardArrival> arrived;
    std::uint64_t started = 0; ///< only grows
};

inline constexpr std::uint64_t kLeaveThere = 2; ///< sequence of a request that has been written

struct alignas(2048) BoardPage {
    std::uint64_t magic = kBoardMagic;
    std::uint32_t version = kBoardVersion;
    std::uint32_t bytes = kBoardBytes;
    alignas(64) BoardSection<BoardTraining> training;
    alignas(512) BoardSection<BoardLoader> loader;
    alignas(64) std::uint64_t queue = 0; ///< depth in the low half, capacity in the high half
    std::uint64_t dropped = 0;
    alignas(64) BoardSection<LeaveRequest> leave; ///< written once, by a signal handler
    alignas(2048) std::array<BoardGroup, kBoardGroups> groups{};
};
static_assert(offsetof(BoardPage, training) == 64 && sizeof(BoardSection<BoardTraining>) == 152);
static_assert(offsetof(BoardPage, loader) == 512 && sizeof(BoardSection<BoardLoader>) == 1024);
static_assert(offsetof(BoardPage, queue) == 1536 && offsetof(BoardPage, groups) == 2048);
static_assert(offsetof(BoardPage, leave) == 1600 && sizeof(BoardSection<LeaveRequest>) == 64);
static_assert(offsetof(BoardGroup, arrived) == 24 && offsetof(BoardGroup, started) == 128 && sizeof(BoardGroup) == 256);
static_assert(sizeof(BoardPage) == kBoardBytes && std::is_trivially_copyable_v<BoardPage>);

/// Writes a section. One writer at a time.
template <class T> void publish(BoardSection<T>& section, const T& data) {
    static_assert(sizeof(T) % 8 == 0 && alignof(T) == 8 && std::is_trivially_copyable_v<T>);
    std::atomic_ref sequence(section.sequence);
    const std::uint64_t before = sequence.load(std::memory_order_relaxed);
    sequence.store(before + 1, std::memory_order_relaxed);
    std::array<std::uint64_t, sizeof(T) / 8> words;
    std::memcpy(words.data(), &data, sizeof(T));
    auto* to = reinterpret_cast<std::uint64_t*>(&section.data);
    for (std::size_t i = 0; i < words.size(); ++i)
        std::atomic_ref(to[i]).store(words[i], std::memory_order_release);
    sequence.store(before + 2, std::memory_order_release);
}

/// Returns the contents of a page that a foreign process wrote, made safe: enums in range, text terminated, counts not
/// negative.
BoardSnapshot decodeBoard(const BoardPage& page);

} // namespace rankscope::telemetry
