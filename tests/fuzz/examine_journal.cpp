// SPDX-License-Identifier: Apache-2.0
// A rank's journal. The first byte says how the rest is cut into segments, and whether their headers are repaired so
// that the records after them are reached.
#include "core/telemetry/format/records.h"
#include "core/telemetry/journal/journal_reader.h"
#include "core/telemetry/journal/journal_segment.h"
#include "tests/fuzz/target.h"

#include <vector>

namespace rankscope::fuzz {

using namespace telemetry;

namespace {

constexpr int kMostSegments = 4;

std::string mended(std::string segment, std::uint64_t number) {
    segment.resize(std::max(segment.size(), sizeof(SegmentHeader)));
    SegmentHeader header;
    std::memcpy(&header, segment.data(), sizeof header);
    header.magic = kJournalMagic;
    header.version = kJournalVersion;
    header.slotBytes = kSlotBytes;
    header.segment = number;
    if (header.slots == 0 || header.slots > 64)
        header.slots = static_cast<std::uint32_t>(segment.size() / kSlotBytes);
    std::memcpy(segment.data(), &header, sizeof header);
    return segment;
}

void isSound(const AnyRecord& record) {
    const RecordHeader& header = record.header();
    require(header.version == 1 && header.length == recordBytes(header.type), "a record that is none of its type");
    AnyRecord moved = record;
    rebaseClock(moved, INT64_MAX);
    rebaseClock(moved, INT64_MIN);
    require(moved.type() == record.type(), "moved in time, it is another record");
    if (const auto* note = record.as<NoteRecord>())
        require(note->severity <= NoteSeverity::Error &&
                    getText(note->text, sizeof note->text).size() <= sizeof note->text,
                "a note that is none");
    if (const auto* c = record.as<CollectiveRecord>())
        require(!opName(c->op).empty() && !phaseName(c->phase).empty(), "a collective without a name");
}

std::vector<AnyRecord> readAll(const std::filesystem::path& folder, std::size_t limit, bool writerGone) {
    JournalReader reader(folder);
    std::vector<AnyRecord> records;
    for (int rounds = 0; reader.read(records, limit, writerGone) > 0; ++rounds)
        require(rounds < 100'000, "reading has no end");
    const auto& c = reader.counters();
    require(c.records == records.size(), "records are counted wrongly");
    return records;
}

} // namespace

static void examine(const std::string& bytes) {
    Bytes in(bytes);
    const std::uint8_t how = in.byte();
    const int segments = 1 + (how & 3);
    const bool mend = (how & 4) == 0, writerGone = (how & 8) != 0, gap = (how & 16) != 0;
    const std::size_t each =
        (in.rest().size() / static_cast<std::size_t>(segments) + kSlotBytes) / kSlotBytes * kSlotBytes;
    for (int i = 0; i < kMostSegments + 1; ++i) {
        const auto number = static_cast<std::uint64_t>(i);
        const auto name = segmentPath({}, number).string();
        std::string part(in.take(each));
        if (part.empty() || (gap && i == 1)) {
            std::error_code ec;
            std::filesystem::remove(scratch() / name, ec);
            continue;
        }
        put(name.c_str(), mend ? mended(std::move(part), number) : part);
    }
    const auto records = readAll(scratch(), 1000, writerGone);
    for (const auto& record : records)
        isSound(record);
    taken += records.empty() ? 0 : 1;
    const auto again = readAll(scratch(), 3, writerGone);
    require(again.size() == records.size(),
            fmt::format("{} records at once, {} in small parts", records.size(), again.size()));
}

RANKSCOPE_FUZZ_TARGET(journal)

} // namespace rankscope::fuzz
