// SPDX-License-Identifier: Apache-2.0
#include "core/telemetry/journal/clock_rebase.h"

#include <limits>

namespace rankscope::telemetry {

namespace {

/// Times are foreign: they may be anything.
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

void shiftTimes(AnyRecord& record, std::int64_t ns) {
    switch (record.type()) { // no default: a new type of record must be thought of here
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
    case RecordType::None:
    case RecordType::Count:
        return;
    }
}

} // namespace rankscope::telemetry
