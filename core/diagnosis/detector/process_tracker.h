// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/diagnosis/detector/detector_state.h"
#include "core/diagnosis/model/observation.h"

#include <string>
#include <string_view>
#include <vector>

namespace rankscope::diagnosis {

/// Tracks, in one round, ranks that do not start as they should, that end, or that are asked to leave, and pauses of
/// the whole run.
class ProcessTracker {
public:
    ProcessTracker(DetectorState& state, const Observation& observation) : m_s(state), m_o(observation) {}

    /// Finds pauses and excludes them from the active time. The observation has monotonic times.
    void trackPauses();
    void take(const telemetry::CheckRecord& check);
    void take(int rank, const telemetry::EndRecord& end);
    /// Returns true while a rank is asked to leave: all leave with it, and their waits in that time are a consequence.
    bool trackLeaves();
    void trackConfigs();
    void trackDeaths();
    void trackJoins();
    /// Opens an incident if all ranks have joined and run and their boards change, but no step was ever finished.
    void trackStart();

private:
    void openPause(std::int64_t beginNs, std::int64_t pausedNs, std::string_view what);
    /// A rank that ended badly, or that failed and has not ended yet.
    struct FailedRank {
        const RankObservation* rank = nullptr;
        std::int64_t sinceNs = 0;
        int badness = 0; ///< 0: a consequence of another rank's end; 2: a signal ended it
    };
    const RankMemory& memoryOf(const RankObservation& rank) const;
    std::string lastWords(const RankObservation& rank) const;
    bool isConsequence(const RankObservation& rank) const;
    bool isVictim(const RankObservation& rank) const;
    bool isFailing(const RankObservation& rank) const;
    bool mayBeExplained(const RankObservation& r) const;
    FailedRank culprit() const;
    std::vector<int> finishedEarly() const;
    void openDeath(const FailedRank& dead);
    void openUneven(std::vector<int> finished, const FailedRank& victim);
    void addException(Incident& incident, const RankObservation& rank) const;

    DetectorState& m_s;
    const Observation& m_o;
};

} // namespace rankscope::diagnosis
