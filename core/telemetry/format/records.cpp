// SPDX-License-Identifier: Apache-2.0
#include "core/telemetry/format/records.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstring>
#include <limits>

namespace rankscope::telemetry {

// The layout is the format: a change here is a new record version (docs/dev/telemetry.md).
static_assert(sizeof(RecordHeader) == 24 && offsetof(RecordHeader, timeNs) == 8);
static_assert(sizeof(AnchorRecord) == 160 && offsetof(AnchorRecord, host) == 64);
static_assert(sizeof(BatchRecord) == 128 && offsetof(BatchRecord, indexHash) == 96);
static_assert(sizeof(PhaseRecord) == 48 && offsetof(PhaseRecord, beginNs) == 32);
static_assert(sizeof(CollectiveRecord) == 144 && offsetof(CollectiveRecord, tag) == 80);
static_assert(sizeof(StepRecord) == 96 && offsetof(StepRecord, exposedGradientNs) == 88);
static_assert(sizeof(ResourceRecord) == 56 && offsetof(ResourceRecord, gpuUtilisation) == 48);
static_assert(sizeof(NoteRecord) == 232 && offsetof(NoteRecord, text) == 32);
static_assert(sizeof(EndRecord) == 208 && offsetof(EndRecord, weightsHash) == 32);

static_assert(sizeof(ValidationRecord) == 88 && offsetof(ValidationRecord, endNs) == 80);

static_assert(sizeof(CheckRecord) == kSlotBytes && offsetof(CheckRecord, text) == 56);

static_assert(sizeof(ScalarRecord) == 128 && offsetof(ScalarRecord, name) == 32);
static_assert(sizeof(GroupRecord) == 216 && offsetof(GroupRecord, members) == 88);
static_assert(sizeof(SoftwareRecord) == 120 && offsetof(SoftwareRecord, version) == 56);

static constexpr std::array<std::string_view, static_cast<std::size_t>(CheckStatus::Count)> kCheckStatuses{
    "passed", "failed", "skipped"};

static constexpr std::array<std::string_view, static_cast<std::size_t>(Phase::Count)> kPhases{
    "none",    "startup", "rendezvous", "data_wait", "to_device", "preprocess", "augment",
    "forward", "loss",    "backward",   "optimizer", "validate",  "checkpoint", "barrier"};

static constexpr std::array<std::string_view, static_cast<std::size_t>(ForwardSite::Count)> kPlaces{
    "none", "length_sync", "position_table", "subsampling", "layer", "decoder"};

static constexpr std::array<std::string_view, static_cast<std::size_t>(CollectiveOp::Count)> kOps{
    "all-reduce", "all-gather", "broadcast",  "reduce", "reduce-scatter", "gather",
    "scatter",    "barrier",    "all-to-all", "send",   "recv",           "other"};

std::string_view phaseName(Phase phase) {
    const auto i = static_cast<std::size_t>(phase);
    return i < kPhases.size() ? kPhases[i] : "unknown";
}

std::string_view placeName(ForwardSite place) {
    const auto i = static_cast<std::size_t>(place);
    return i < kPlaces.size() ? kPlaces[i] : "unknown";
}

std::string_view checkStatusName(CheckStatus status) {
    const auto i = static_cast<std::size_t>(status);
    return i < kCheckStatuses.size() ? kCheckStatuses[i] : "unknown";
}

std::string_view opName(CollectiveOp op) {
    const auto i = static_cast<std::size_t>(op);
    return i < kOps.size() ? kOps[i] : "unknown";
}

template <Record... R> static std::size_t bytesOf(RecordType type) {
    static_assert(sizeof...(R) + 1 == static_cast<std::size_t>(RecordType::Count)); // add new types to the list
    return ((type == R::kType ? sizeof(R) : 0) + ...);
}

std::size_t recordBytes(RecordType type) {
    return bytesOf<AnchorRecord, BatchRecord, PhaseRecord, CollectiveRecord, StepRecord, ResourceRecord, NoteRecord,
                   EndRecord, ValidationRecord, CheckRecord, ScalarRecord, GroupRecord, SoftwareRecord>(type);
}

/// Returns the number of bytes of `text` that fit into `room` without splitting a UTF-8 sequence.
static std::size_t fitting(std::string_view text, std::size_t room) {
    if (text.size() <= room)
        return text.size();
    std::size_t n = room;
    while (n > 0 && (static_cast<unsigned char>(text[n]) & 0xC0) == 0x80)
        --n;
    return n;
}

void putText(char* field, std::size_t size, std::string_view text) {
    if (size == 0)
        return;
    const std::size_t n = fitting(text.substr(0, std::min(text.find('\0'), text.size())), size - 1);
    std::memcpy(field, text.data(), n);
    std::memset(field + n, 0, size - n);
}

std::string_view getText(const char* field, std::size_t size) {
    return {field, ::strnlen(field, size)};
}

namespace {

/// Saturates: times of foreign records may have any value.
void shift(std::int64_t& time, std::int64_t ns) {
    if (__builtin_add_overflow(time, ns, &time))
        time = ns > 0 ? std::numeric_limits<std::int64_t>::max() : std::numeric_limits<std::int64_t>::min();
}

template <Record R, class... Member> void shiftAs(AnyRecord& record, std::int64_t ns, Member... members) {
    R copy = *record.as<R>();
    shift(copy.header.timeNs, ns);
    (shift(copy.*members, ns), ...);
    record = AnyRecord::of(copy);
}

} // namespace

void rebaseClock(AnyRecord& record, std::int64_t ns) {
    switch (record.type()) { // no default, so that the compiler reports a new record type
    case RecordType::Anchor:
        return shiftAs<AnchorRecord>(record, ns, &AnchorRecord::monotonicNs);
    case RecordType::Batch:
        return shiftAs<BatchRecord>(record, ns);
    case RecordType::Phase:
        return shiftAs<PhaseRecord>(record, ns, &PhaseRecord::beginNs, &PhaseRecord::endNs);
    case RecordType::Collective:
        return shiftAs<CollectiveRecord>(record, ns, &CollectiveRecord::arrivedNs, &CollectiveRecord::startedNs,
                                         &CollectiveRecord::doneNs);
    case RecordType::Step:
        return shiftAs<StepRecord>(record, ns, &StepRecord::beginNs, &StepRecord::endNs);
    case RecordType::Resource:
        return shiftAs<ResourceRecord>(record, ns);
    case RecordType::Note:
        return shiftAs<NoteRecord>(record, ns);
    case RecordType::End:
        return shiftAs<EndRecord>(record, ns);
    case RecordType::Validation:
        return shiftAs<ValidationRecord>(record, ns, &ValidationRecord::beginNs, &ValidationRecord::endNs);
    case RecordType::Check:
        return shiftAs<CheckRecord>(record, ns);
    case RecordType::Scalar:
        return shiftAs<ScalarRecord>(record, ns);
    case RecordType::Group:
        return shiftAs<GroupRecord>(record, ns);
    case RecordType::Software:
        return shiftAs<SoftwareRecord>(record, ns);
    case RecordType::None:
    case RecordType::Count:
        return;
    }
}

} // namespace rankscope::telemetry
