// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/diagnosis/detector/detector_state.h"
#include "core/diagnosis/evidence/cause_finder.h"
#include "core/diagnosis/model/observation.h"
#include "core/diagnosis/stalls/stall_scan.h"

namespace rankscope::diagnosis {

class StragglerTracker;

/// Tracks, in one round, ranks that hold others up or make no progress: one incident for all that do so at the same
/// place for the same reason.
class HoldTracker {
public:
    HoldTracker(DetectorState& state, const StragglerTracker& stragglers, const Observation& observation);

    void track(const StallScan& holds);

private:
    /// Where ranks hold others up: `site` is the collective that others wait in; null: no rank waits.
    struct Where {
        const BlockedCollective* site = nullptr;
        std::int64_t sinceNs = 0;
        HoldContext context;
    };
    void take(const BlockedCollective& site);
    void take(const std::vector<IdleRank>& alone);
    void hold(int rank, Where& place);
    bool continues(const OpenHold& t, int rank, const Where& place) const;
    void refine(OpenHold& t, int rank, const Where& place);
    std::int64_t lostBy(int rank, const Where& place, std::int64_t step, bool told) const;
    std::int64_t leastLate(int rank, const Where& place) const;
    bool recurs(const OpenHold& t, int rank, const Where& place);
    bool isSlowAsUsual(int rank, const Where& place, std::int64_t lost);
    void again(OpenHold& t, int rank, const Where& place, std::int64_t lost);
    void join(int rank, const Where& place, std::int64_t lost);
    void remember(int rank);
    OpenHold* sameStory(const CauseFinding& finding, const Where& place);
    HoldContext context(const std::vector<int>& holders, std::int64_t sinceNs, bool waited);
    HoldContext of(int rank, const Where& place, std::int64_t sinceNs);
    bool isAbsenceCertain(int rank, const BlockedCollective& site) const;
    CauseFinding find(int rank, const Where& place, const HoldContext& context) const;
    void describe(Incident& in, int rank, const HoldContext& context, const CauseFinding& finding) const;
    const UsualCompute& usual();
    const RankObservation& at(int rank) const { return m_o.ranks[static_cast<std::size_t>(rank)]; }
    void addCheckpoint(Incident& in, int rank) const;
    void addThoseInside(Incident& in) const;

    DetectorState& m_s;
    const StragglerTracker& m_stragglers;
    const Observation& m_o;
    std::vector<OpenHold*> m_byHolder, m_grown;
    std::optional<UsualCompute> m_usual;
    std::optional<std::vector<int>> m_withoutBatches; ///< ranksWithoutBatches()
};

} // namespace rankscope::diagnosis
