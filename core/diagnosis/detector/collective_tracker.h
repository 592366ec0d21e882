// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/diagnosis/detector/detector_state.h"
#include "core/diagnosis/model/observation.h"
#include "core/diagnosis/stalls/stall_scan.h"
#include "core/diagnosis/stalls/stuck_collective.h"

namespace rankscope::diagnosis {

/// Tracks, in one round, ranks that made different calls or entered collectives in different orders, and collectives
/// that no rank leaves.
class CollectiveTracker {
public:
    CollectiveTracker(DetectorState& state, const Observation& observation) : m_s(state), m_o(observation) {}

    void trackMismatches();
    void trackJams();
    /// Opens an incident for ranks that wait for each other in different groups: they entered the same collectives in
    /// different orders.
    void trackCircle(const StallScan& holds);

private:
    bool anyRankFailed() const;
    void refine(CollectiveMismatch& mismatch, Incident& incident) const;
    bool findUsual(CollectiveMismatch& mismatch, const CallPattern& pattern) const;
    void findGrown(CollectiveMismatch& mismatch, Incident& incident, const AgreedCalls& agreed) const;
    void findHolders(Incident& incident, const StuckCollective& jam) const;
    void openMismatch(CollectiveMismatch mismatch);

    DetectorState& m_s;
    const Observation& m_o;
};

} // namespace rankscope::diagnosis
