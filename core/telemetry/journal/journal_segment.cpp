// SPDX-License-Identifier: Apache-2.0
#include "core/telemetry/journal/journal_segment.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <charconv>
#include <cstring>

namespace rankscope::telemetry {

namespace fs = std::filesystem;

static constexpr std::string_view kPrefix = "journal.";
static constexpr std::size_t kPageBytes = 4096;

fs::path segmentPath(const fs::path& rankDir, std::uint64_t segment) {
    return rankDir / fmt::format("{}{:06}", kPrefix, segment);
}

std::optional<std::uint64_t> segmentNumber(std::string_view name) {
    if (name.substr(0, kPrefix.size()) != kPrefix)
        return {};
    name.remove_prefix(kPrefix.size());
    std::uint64_t number = 0;
    const auto [end, error] = std::from_chars(name.data(), name.data() + name.size(), number);
    if (error != std::errc() || end != name.data() + name.size() || fmt::format("{:06}", number) != name ||
        number > kLastSegment)
        return {};
    return number;
}

std::vector<std::uint64_t> listSegments(const fs::path& rankDir) {
    std::vector<std::uint64_t> numbers;
    const auto folder = GuardedFolder::open(rankDir, GuardedFolder::Rank);
    if (!folder)
        return numbers;
    std::error_code ec;
    for (const std::string& name : folder->names(ec))
        if (const auto number = segmentNumber(name))
            numbers.push_back(*number);
    std::sort(numbers.begin(), numbers.end());
    return numbers;
}

void removeSegment(const fs::path& rankDir, std::uint64_t segment) {
    const fs::path path = segmentPath(rankDir, segment);
    if (const auto folder = GuardedFolder::open(rankDir, GuardedFolder::Rank))
        folder->removeFile(path.filename().string());
}

Result<Mapping> createSegment(const fs::path& rankDir, std::uint64_t segment, std::uint32_t slots,
                              std::int64_t writerNs) {
    const fs::path path = segmentPath(rankDir, segment);
    if (segment > kLastSegment)
        return fail(Errc::BadInput, "no journal has this many segments: another program has put a file in the folder",
                    path.string());
    const std::string name = path.filename().string();
    RS_TRY_ASSIGN(const auto folder, GuardedFolder::open(rankDir, GuardedFolder::Rank));
    RS_TRY_ASSIGN(const auto file, folder.openFile(name, O_RDWR | O_CREAT | O_EXCL));
    const std::size_t bytes = segmentBytes(slots);
    auto abandon = [&](Error e) -> Result<Mapping> {
        folder.removeFile(name); // the next try uses the same number: numbers have no gaps
        return tl::unexpected(std::move(e));
    };
    if (auto reserved = reserve(file.fd.get(), bytes, path); !reserved)
        return abandon(reserved.error());
    auto mapping = Mapping::ofFile(file.fd.get(), bytes, path);
    if (!mapping)
        return abandon(mapping.error());
    for (std::size_t at = 0; at < bytes; at += kPageBytes) // fault in now, not in the training thread
        *reinterpret_cast<volatile std::uint32_t*>(mapping->base() + at) = 0;
    SegmentHeader header;
    header.slots = slots;
    header.pid = static_cast<std::uint32_t>(::getpid());
    header.segment = segment;
    header.writerNs = writerNs;
    std::memcpy(mapping->base(), &header, sizeof header);
    std::atomic_ref(reinterpret_cast<SegmentHeader*>(mapping->base())->magic)
        .store(kJournalMagic, std::memory_order_release);
    return mapping;
}

OpenSegment openSegment(const fs::path& rankDir, std::uint64_t segment) {
    OpenSegment result;
    if (segment > kLastSegment)
        return result;
    auto fd = openForeign(segmentPath(rankDir, segment), 0, GuardedFolder::Rank);
    if (!fd) {
        result.state = fd.error().code == Errc::NotFound ? SegmentState::Missing : SegmentState::Damaged;
        return result;
    }
    result.fd = std::move(*fd);
    std::uint64_t magic = 0;
    // read the magic first, by itself: it is stored last, so what is read after it is complete
    if (readAt(result.fd.get(), &magic, sizeof magic, 0) != sizeof magic || magic == 0) {
        result.state = SegmentState::Preparing;
        return result;
    }
    const auto n = readAt(result.fd.get(), &result.header, sizeof result.header, 0);
    const SegmentHeader& h = result.header;
    const bool sound = n == sizeof h && h.magic == kJournalMagic && h.version == kJournalVersion &&
                       h.slotBytes == kSlotBytes && h.slots > 0 && h.slots <= kMaxSlotsPerSegment &&
                       h.segment == segment;
    result.state = sound ? SegmentState::Ready : SegmentState::Damaged;
    return result;
}

} // namespace rankscope::telemetry
