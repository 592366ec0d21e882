// SPDX-License-Identifier: Apache-2.0
#include "core/telemetry/journal/journal_reader.h"

#include "core/telemetry/journal/journal_segment.h"

#include <algorithm>
#include <cstring>
#include <optional>

namespace rankscope::telemetry {

namespace {

constexpr std::size_t kChunkSlots = 256;
constexpr std::size_t kFirstSlots = 8;

std::uint32_t lengthAt(const std::byte* slot) {
    std::uint32_t length = 0;
    std::memcpy(&length, slot, sizeof length);
    return length;
}

bool isGroup(const GroupRecord& record) {
    return record.size > 0 && record.size <= kMaxRanks && record.firstRank >= 0 && record.firstRank < kMaxRanks;
}

/// The result of checking a complete slot, whose contents may be anything.
enum class RecordCheck { Good, Unknown, Malformed };

bool inRange(const AnyRecord& record) {
    if (const auto* phase = record.as<PhaseRecord>())
        return phase->phase < Phase::Count;
    if (const auto* collective = record.as<CollectiveRecord>())
        return collective->op < CollectiveOp::Count && collective->phase < Phase::Count;
    if (const auto* note = record.as<NoteRecord>())
        return note->severity <= NoteSeverity::Error;
    if (const auto* end = record.as<EndRecord>())
        return end->cause <= EndCause::Failed;
    if (const auto* check = record.as<CheckRecord>())
        return check->status < CheckStatus::Count;
    if (const auto* group = record.as<GroupRecord>())
        return isGroup(*group);
    return true;
}

RecordCheck judge(const std::byte* slot, AnyRecord& record) {
    RecordHeader header;
    std::memcpy(&header, slot, sizeof header);
    if (header.length < sizeof header || header.length > kSlotBytes)
        return RecordCheck::Malformed;
    const std::size_t expected = recordBytes(header.type);
    if (expected == 0 || header.version != 1)
        return RecordCheck::Unknown;
    if (header.length != expected)
        return RecordCheck::Malformed;
    std::memcpy(record.bytes.data(), slot, expected);
    return inRange(record) ? RecordCheck::Good : RecordCheck::Malformed;
}

} // namespace

struct JournalReader::Impl {
    std::filesystem::path dir;
    JournalPosition at;
    JournalCounters counters;
    OpenSegment segment;
    std::vector<std::byte> buffer = std::vector<std::byte>(kChunkSlots * kSlotBytes);

    std::optional<std::uint64_t> removedBefore;

    bool ready();
    void moveTo(std::uint64_t number);
    bool skipToNext();
    std::optional<std::uint64_t> laterSegment() const;
    bool skipUnreadable();
    bool writerLeft() const;
    std::size_t completeSlots(std::size_t wanted, bool& cutShort);
    std::optional<std::uint64_t> behindTorn() const;
    bool stepOverGap(bool writerGone);
    void take(std::size_t slots, std::vector<AnyRecord>& out);
};

void JournalReader::Impl::moveTo(std::uint64_t number) {
    at = {number, 0};
    segment = {};
}

/// Moves from a segment that has nothing more to read to the next one. Returns false if there is no later one.
bool JournalReader::Impl::skipToNext() {
    const auto next = laterSegment();
    if (!next)
        return false;
    counters.missingSegments += *next - at.segment - 1;
    moveTo(*next);
    return true;
}

std::optional<std::uint64_t> JournalReader::Impl::laterSegment() const {
    const auto present = listSegments(dir);
    const auto next = std::upper_bound(present.begin(), present.end(), at.segment);
    return next == present.end() ? std::nullopt : std::optional(*next);
}

/// Opens the segment at the position if it is not open, and skips damaged ones. Returns false if there is nothing to
/// read now.
bool JournalReader::Impl::ready() {
    for (;;) {
        if (segment.state == SegmentState::Ready && at.slot < segment.header.slots)
            return true;
        if (segment.state == SegmentState::Ready)
            moveTo(at.segment + 1);
        else if (segment = openSegment(dir, at.segment); segment.state != SegmentState::Ready && !skipUnreadable())
            return false;
    }
}

/// Called at a segment that cannot be read: it is missing, damaged or being prepared. Returns false if it may still
/// become readable.
bool JournalReader::Impl::skipUnreadable() {
    const auto later = laterSegment();
    if (!later)
        return false;
    // A writer completes a segment before it creates the next one, so the state counts only if it was seen afterwards.
    segment = openSegment(dir, at.segment);
    if (segment.state == SegmentState::Ready)
        return true;
    counters.malformed += segment.state == SegmentState::Damaged;
    counters.missingSegments += *later - at.segment - (segment.state == SegmentState::Missing ? 0 : 1);
    moveTo(*later);
    return true;
}

/// Returns true if a later segment was made by another writer, so that the writer of this one is gone.
bool JournalReader::Impl::writerLeft() const {
    if (openSegment(dir, at.segment + 1).state == SegmentState::Missing)
        return false; // the usual case, without listing the folder
    const auto present = listSegments(dir);
    return std::any_of(std::upper_bound(present.begin(), present.end(), at.segment), present.end(),
                       [&](std::uint64_t number) {
                           const OpenSegment later = openSegment(dir, number);
                           return later.state == SegmentState::Ready && !later.header.sameWriter(segment.header);
                       });
}

/// Reads slots at the position into the buffer and returns how many of them, from the first, are complete. Reads the
/// bytes again after the lengths, so that a record completed in between is not partly old.
std::size_t JournalReader::Impl::completeSlots(std::size_t wanted, bool& cutShort) {
    const std::size_t room = std::min({wanted, kChunkSlots, static_cast<std::size_t>(segment.header.slots - at.slot)});
    const std::size_t offset = (at.slot + 1) * kSlotBytes;
    const auto got = readAt(segment.fd.get(), buffer.data(), room * kSlotBytes, offset);
    const std::size_t whole = got < 0 ? 0 : static_cast<std::size_t>(got) / kSlotBytes;
    cutShort = whole < room;
    std::size_t complete = 0;
    while (complete < whole && lengthAt(&buffer[complete * kSlotBytes]) != 0)
        ++complete;
    if (complete < whole)
        cutShort = false;
    const auto again = readAt(segment.fd.get(), buffer.data(), complete * kSlotBytes, offset);
    return std::min(complete, again < 0 ? 0 : static_cast<std::size_t>(again) / kSlotBytes);
}

/// Returns the next slot of this segment to read if the one at the position was reserved and never completed: the next
/// complete one, or the segment's end if its writer continued in the next segment. It is the one at the position if
/// that has been completed since. None: nothing was written after it.
std::optional<std::uint64_t> JournalReader::Impl::behindTorn() const {
    std::vector<std::byte> chunk(kChunkSlots * kSlotBytes);
    for (std::uint64_t slot = at.slot; slot < segment.header.slots;) {
        const auto got = readAt(segment.fd.get(), chunk.data(), chunk.size(), (slot + 1) * kSlotBytes);
        const std::size_t whole = got < 0 ? 0 : static_cast<std::size_t>(got) / kSlotBytes;
        const std::size_t inside = std::min<std::size_t>(whole, segment.header.slots - slot);
        for (std::size_t i = 0; i < inside; ++i)
            if (lengthAt(&chunk[i * kSlotBytes]) != 0)
                return slot + i;
        if (inside == 0)
            break;
        slot += inside;
    }
    const OpenSegment next = openSegment(dir, at.segment + 1);
    std::uint32_t first = 0;
    const bool wentOn = next.state == SegmentState::Ready && next.header.sameWriter(segment.header) &&
                        readAt(next.fd.get(), &first, sizeof first, kSlotBytes) == sizeof first && first != 0;
    return wentOn ? std::optional<std::uint64_t>(segment.header.slots) : std::nullopt;
}

/// Called at a slot that is not complete. Returns true if the position has moved.
bool JournalReader::Impl::stepOverGap(bool writerGone) {
    const bool left = writerLeft();
    if (!writerGone && !left)
        return false;
    if (const auto next = behindTorn()) {
        counters.torn += *next - at.slot;
        at.slot = *next;
        return true;
    }
    // its writer ended here: later records are by another writer
    return left && skipToNext();
}

void JournalReader::Impl::take(std::size_t slots, std::vector<AnyRecord>& out) {
    for (std::size_t i = 0; i < slots; ++i) {
        AnyRecord record;
        switch (judge(&buffer[i * kSlotBytes], record)) {
        case RecordCheck::Good:
            ++counters.records;
            out.push_back(record);
            break;
        case RecordCheck::Unknown:
            ++counters.unknown;
            break;
        case RecordCheck::Malformed:
            ++counters.malformed;
            break;
        }
    }
    at.slot += slots;
}

JournalReader::JournalReader(std::filesystem::path rankDir, JournalPosition from) : m(makeHidden<Impl>()) {
    m->dir = std::move(rankDir);
    m->at = from;
}

std::size_t JournalReader::read(std::vector<AnyRecord>& out, std::size_t limit, bool writerGone) {
    const std::size_t before = out.size();
    std::size_t atOnce = kFirstSlots; // most rounds bring few records: begin small and grow
    while (out.size() - before < limit && m->ready()) {
        bool cutShort = false;
        const std::size_t complete = m->completeSlots(std::min(atOnce, limit - (out.size() - before)), cutShort);
        if (complete > 0) {
            m->take(complete, out);
            atOnce = complete == atOnce ? 4 * atOnce : 1; // after an incomplete slot there is seldom a complete one
        } else if (cutShort) {
            // the file is shorter than its header says: the rest will not come
            if (!m->skipToNext())
                break;
            ++m->counters.malformed;
        } else if (!m->stepOverGap(writerGone)) {
            break;
        }
    }
    return out.size() - before;
}

JournalPosition JournalReader::position() const {
    return m->at;
}

const JournalCounters& JournalReader::counters() const {
    return m->counters;
}

void JournalReader::removeBefore(JournalPosition committed) {
    if (m->removedBefore == committed.segment)
        return; // called after every commit: usually there is nothing new to remove
    const auto present = listSegments(m->dir);
    if (!present.empty() && present.back() >= committed.segment)
        m->removedBefore = committed.segment; // otherwise the newest can be removed once there is a newer one
    for (const std::uint64_t number : present)
        if (number < committed.segment && number != present.back())
            removeSegment(m->dir, number);
}

} // namespace rankscope::telemetry
