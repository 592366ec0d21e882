// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/diagnosis/detector/detector_state.h"
#include "core/diagnosis/model/observation.h"

#include <string_view>

namespace rankscope::diagnosis {

/// Tracks, in one round, ranks that do not start as they should, that end, or that are asked to leave, and pauses of
/// the whole run.
class ProcessTracker {
public:
    ProcessTracker(DetectorState& state, const Observation& observation) : m_s(state), m_o(observation) {}

    /// Finds pauses and excludes them from the active time. The observation has monotonic times.
    void trackPauses();
    void take(const telemetry::CheckRecord& check);
    /// Returns true while a rank is asked to leave: all leave with it, and their waits in that time are a consequence.
    bool trackLeaves();
    void trackConfigs();
    void trackDeaths();
    void trackJoins();
    /// Opens an incident if all ranks have joined and run and their boards change, but no step was ever finished.
    void trackStart();

private:
    void openPause(std::int64_t beginNs, std::int64_t pausedNs, std::string_view what);
    bool isVictim(const RankObservation& rank) const;
    const RankObservation* culprit() const;

    DetectorState& m_s;
    const Observation& m_o;
};

} // namespace rankscope::diagnosis
