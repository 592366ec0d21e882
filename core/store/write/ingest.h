// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/store/waits/wait_joiner.h"
#include "core/store/write/ingest_batch.h"
#include "core/store/write/writer_state.h"
#include "core/telemetry/format/records.h"

#include <cstdint>
#include <initializer_list>
#include <string_view>
#include <vector>

namespace rankscope::store {

/// Turns records into rows. It changes only the state that it is given.
class Ingest {
public:
    Ingest(IngestBatch& round, WriterState& state, std::int64_t startNs)
        : m_round(round), m_ranks(state.ranks), m_groups(state.groups), m_joiner(state.joiner), m_tags(state.tags),
          m_startNs(startNs), m_newest(state.ranks.size()) {}
    void add(int rank, const telemetry::AnyRecord& record);
    /// Charges the waits of all collectives that were completed by these records.
    Result<void> addWaits(WaitCounter& counter);

private:
    void addValidation(int rank, const telemetry::ValidationRecord& record);
    void addScalar(int rank, const telemetry::ScalarRecord& record);
    void addAnchor(int rank, const telemetry::AnchorRecord& record);
    void addBatch(int rank, const telemetry::BatchRecord& record);
    void addPhase(int rank, const telemetry::PhaseRecord& record);
    void addCollective(int rank, const telemetry::CollectiveRecord& record);
    void addStep(int rank, const telemetry::StepRecord& record);
    void join(WaitJoiner::JoinKey key, const std::vector<Arrival>& arrivals);
    void addWait(int waiter, int holder, std::int64_t moreNs);
    bool plausible(int rank, std::initializer_list<std::int64_t> times);
    StepUpdate* stepOf(int rank, const telemetry::RecordHeader& header);
    StepUpdate& stepAt(int rank, std::int64_t step);
    std::size_t familyOf(int tag);

    IngestBatch& m_round;
    std::vector<RankProgress>& m_ranks;
    telemetry::ProcessGroups& m_groups;
    WaitJoiner& m_joiner;
    TagTable& m_tags;
    std::int64_t m_startNs;
    struct Newest {
        std::int64_t step = -1;
        StepUpdate* delta = nullptr; ///< in m_round.steps
    };
    std::vector<Newest> m_newest; ///< by rank; records of one step are consecutive
    struct Family {
        int tag = -1;
        std::size_t index = 0; ///< in m_round.families
    };
    Family m_family; ///< of the previous tag; equal tags are often consecutive
};

} // namespace rankscope::store
