// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/diagnosis/detector/detector_state.h"
#include "core/diagnosis/model/observation.h"
#include "core/diagnosis/statistics/straggler.h"

namespace rankscope::diagnosis {

/// Tracks, in one round, ranks that cost the others a little time in every step. The sequential test finds a slow rank
/// as soon as the evidence is certain; sums over the window of steps find ranks that get longer batches.
class StragglerTracker {
public:
    StragglerTracker(DetectorState& state, const Observation& observation) : m_s(state), m_o(observation) {}

    void track();
    /// Returns whether the rank may become a straggler: its hold-up does not end just because it holds no rank for 1 s.
    bool isSlowing(int rank) const;
    /// Returns whether the rank is a straggler and takes about as long as it usually does.
    bool isAsSlowAsUsual(int rank, std::int64_t lostNs) const;

private:
    void trackRank(int rank);
    void trackWindow();
    /// Returns false if an open incident explains more. `lengthsExplain`: the lengths of the batches may be the cause.
    bool open(const Straggler& straggler, bool lengthsExplain);
    void addNewer(Incident& incident, const Straggler& figures) const;
    void addResources(Incident& incident) const;

    DetectorState& m_s;
    const Observation& m_o;
};

} // namespace rankscope::diagnosis
