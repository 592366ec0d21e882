// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/diagnosis/detector/detector_state.h"
#include "core/diagnosis/model/observation.h"

namespace rankscope::diagnosis {

/// Tracks, in one round, whether the host's memory will run out, and which rank's processes take it.
class MemoryTracker {
public:
    MemoryTracker(DetectorState& state, const Observation& observation) : m_s(state), m_o(observation) {}

    void track();

private:
    bool concernsTheRun() const;
    void describe(Incident& incident) const;
    std::vector<int> fastest() const;

    DetectorState& m_s;
    const Observation& m_o;
};

} // namespace rankscope::diagnosis
