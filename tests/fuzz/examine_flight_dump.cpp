// SPDX-License-Identifier: Apache-2.0
// A dump of PyTorch's Flight Recorder: a pickle or JSON.
#include "core/base/text/terminal_safe.h"
#include "core/explain/dump/flight_dump.h"
#include "tests/fuzz/target.h"

namespace rankscope::fuzz {

using namespace explain;

namespace {

void isSafe(const std::string& text) {
    require(printableLine(text) == text, "text that a terminal would obey");
    require(text.size() < 2000, "text that is too long");
}

void isFine(const DumpedRank::Entry& entry) {
    const CollectiveCall& call = entry.call;
    for (const auto* text : {&call.group, &call.writtenOp, &call.dtype, &call.codePlace})
        isSafe(*text);
    require(!call.writtenOp.empty(), "a collective without a name");
    for (const auto& number : {call.sequence, call.elementsIn, call.elementsOut})
        require(number.value_or(0) >= 0, "a negative number");
    require(entry.createdNs >= 0, "a time before 1970");
}

} // namespace

static void examine(const std::string& bytes) {
    const auto dump = parseFlightDump(bytes, "trace_3");
    if (!dump)
        return require(!dump.error().what.empty() && !dump.error().where.empty(),
                       "refused without a reason or a place");
    ++taken;
    require(dump->rank == 3, "another rank");
    isSafe(dump->version);
    for (const auto& entry : dump->entries)
        isFine(entry);
    for (const auto& group : dump->groups) {
        isSafe(group.name);
        isSafe(group.description);
        for (const int rank : group.ranks)
            require(rank >= 0, "a negative rank");
        for (const auto& number : {group.lastEnqueued, group.lastStarted, group.lastCompleted})
            require(number.value_or(0) >= 0, "a negative number");
    }
}

RANKSCOPE_FUZZ_TARGET(flight_dump)

} // namespace rankscope::fuzz
