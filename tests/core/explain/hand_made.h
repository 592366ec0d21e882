// SPDX-License-Identifier: Apache-2.0
// Facts of hung runs, made by hand for the tests of verdicts and reports.
#pragma once

#include "core/explain/model/hang_evidence.h"

#include <utility>
#include <vector>

namespace rankscope::explain::test {

inline CollectiveCall callOf(CollectiveOp op, std::int64_t sequence, std::int64_t elements, std::string group = {}) {
    CollectiveCall call;
    call.op = op;
    call.sequence = sequence;
    call.group = std::move(group);
    if (elements > 0)
        call.elementsIn = call.elementsOut = elements;
    return call;
}

inline CollectiveTimeout timeoutOf(int rank, CollectiveCall call, int line = 1) {
    CollectiveTimeout timeout;
    timeout.rank = rank;
    timeout.call = std::move(call);
    timeout.timeoutMs = 600'000;
    timeout.waitedMs = 600'034;
    timeout.place = {"train.log", line};
    return timeout;
}

inline InputFile logOf(std::string name, std::vector<int> ranks) {
    InputFile file;
    file.name = std::move(name);
    file.bytes = 100;
    file.ranks = std::move(ranks);
    return file;
}

/// The joined log of these ranks, of which each waits in the same all-reduce of one element.
inline HangEvidence waiting(const std::vector<int>& ranks, std::int64_t sequence = 4187) {
    HangEvidence evidence;
    evidence.files = {logOf("train.log", ranks)};
    for (const int rank : ranks)
        evidence.timeouts.push_back(timeoutOf(rank, callOf(CollectiveOp::AllReduce, sequence, 1), 10 + rank));
    return evidence;
}

/// A dump of a rank on Gloo that has made the calls in turn and still waits in the last one, if `inside`.
inline DumpedRank dumpOf(int rank, const std::vector<CollectiveCall>& calls, bool inside) {
    DumpedRank dump;
    dump.rank = rank;
    dump.place = {"nccl_trace_rank_" + std::to_string(rank), 0};
    for (std::size_t i = 0; i < calls.size(); ++i)
        dump.entries.push_back({DumpedRank::Entry::State::Scheduled, calls[i], 1'000 + static_cast<std::int64_t>(i),
                                !inside || i + 1 < calls.size()});
    return dump;
}

inline void addDump(HangEvidence& evidence, DumpedRank dump) {
    InputFile file = logOf(dump.place.file, {*dump.rank});
    file.kind = InputFile::Kind::Dump;
    evidence.files.push_back(std::move(file));
    evidence.dumps.push_back(std::move(dump));
}

} // namespace rankscope::explain::test
