// SPDX-License-Identifier: Apache-2.0
// The files of a journal (docs/dev/telemetry.md): journal.NNNNNN = one header slot, then `slots` record slots.
#pragma once

#include "core/telemetry/format/limits.h"
#include "core/telemetry/format/mapped_page.h"
#include "core/telemetry/format/records.h"

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string_view>
#include <vector>

namespace rankscope::telemetry {

inline constexpr std::uint64_t kJournalMagic = 0x004C4E52554A5352; ///< the bytes "RSJURNL\0"
inline constexpr std::uint32_t kJournalVersion = 1;
inline constexpr std::uint32_t kMaxSlotsPerSegment = 1u << 20;

struct SegmentHeader {
    std::uint64_t magic = 0; ///< stored last: 0 means "being prepared"
    std::uint32_t version = kJournalVersion;
    std::uint32_t slotBytes = kSlotBytes;
    std::uint32_t slots = 0; ///< record slots, this header not counted
    std::uint32_t pid = 0;   ///< of the writing rank
    std::uint64_t segment = 0;
    std::int64_t writerNs = 0; ///< when the writer was created: with pid its identity
    std::uint8_t reserved[216] = {};

    bool sameWriter(const SegmentHeader& other) const { return pid == other.pid && writerNs == other.writerNs; }
};
static_assert(sizeof(SegmentHeader) == kSlotBytes);

std::filesystem::path segmentPath(const std::filesystem::path& rankDir, std::uint64_t segment);
/// Returns the number in a segment's name; none if segmentPath() makes no such name, or it is beyond kLastSegment.
std::optional<std::uint64_t> segmentNumber(std::string_view name);
/// Returns the numbers of the segments in a folder, ascending; none if the folder is unreadable or missing.
std::vector<std::uint64_t> listSegments(const std::filesystem::path& rankDir);
void removeSegment(const std::filesystem::path& rankDir, std::uint64_t segment);

constexpr std::size_t segmentBytes(std::uint32_t slots) {
    return (std::size_t{slots} + 1) * kSlotBytes;
}

/// Creates, reserves, maps and touches a segment, so that a later store causes no page fault or disk allocation.
Result<Mapping> createSegment(const std::filesystem::path& rankDir, std::uint64_t segment, std::uint32_t slots,
                              std::int64_t writerNs);

/// The result of opening a foreign segment and checking its header.
enum class SegmentState { Missing, Preparing, Ready, Damaged };
struct OpenSegment {
    SegmentState state = SegmentState::Missing;
    UniqueFd fd;
    SegmentHeader header;
};
OpenSegment openSegment(const std::filesystem::path& rankDir, std::uint64_t segment);

} // namespace rankscope::telemetry
