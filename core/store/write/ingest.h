// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/store/waits/wait_joiner.h"
#include "core/store/write/ingest_batch.h"
#include "core/telemetry/format/records.h"

#include <cstdint>
#include <initializer_list>
#include <string_view>
#include <vector>

namespace rankscope::store {

/// Turns records into rows. It changes only the state that it is given.
class Ingest {
public:
    Ingest(Round& round, std::vector<RankState>& ranks, WaitJoiner& joiner, TagTable& tags, std::int64_t startNs)
        : m_round(round), m_ranks(ranks), m_joiner(joiner), m_tags(tags), m_startNs(startNs), m_newest(ranks.size()) {}
    void take(int rank, const telemetry::AnyRecord& record);
    /// Charges the waits of all collectives that were completed by these records.
    Result<void> charge(WaitCounter& counter);

private:
    void takeValidation(int rank, const telemetry::ValidationRecord& record);
    void takeScalar(int rank, const telemetry::ScalarRecord& record);
    void takeAnchor(int rank, const telemetry::AnchorRecord& record);
    void takeBatch(int rank, const telemetry::BatchRecord& record);
    void takePhase(int rank, const telemetry::PhaseRecord& record);
    void takeCollective(int rank, const telemetry::CollectiveRecord& record);
    void takeStep(int rank, const telemetry::StepRecord& record);
    void join(WaitJoiner::Key key, const std::vector<Arrival>& arrivals);
    void charge(int waiter, int holder, std::int64_t moreNs);
    bool plausible(int rank, std::initializer_list<std::int64_t> times);
    StepDelta* stepOf(int rank, const telemetry::RecordHeader& header);
    StepDelta& stepAt(int rank, std::int64_t step);
    std::size_t familyOf(int tag);

    Round& m_round;
    std::vector<RankState>& m_ranks;
    WaitJoiner& m_joiner;
    TagTable& m_tags;
    std::int64_t m_startNs;
    struct Newest {
        std::int64_t step = -1;
        StepDelta* delta = nullptr; ///< in m_round.steps
    };
    std::vector<Newest> m_newest; ///< by rank; records of one step are consecutive
    struct Family {
        int tag = -1;
        std::size_t index = 0; ///< in m_round.families
    };
    Family m_family; ///< of the previous tag; equal tags are often consecutive
};

} // namespace rankscope::store
