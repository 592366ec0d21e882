// SPDX-License-Identifier: Apache-2.0
// What the detector remembers of the newest steps: which rank held up which for how long, and in which phase it was.
#pragma once

#include "core/base/values/byte_codec.h"
#include "core/diagnosis/model/wait_times.h"
#include "core/diagnosis/statistics/collective_calls.h"
#include "core/telemetry/format/process_groups.h"
#include "core/telemetry/format/records.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <deque>
#include <map>
#include <set>
#include <vector>

namespace rankscope::diagnosis {

struct UsualCompute;

/// The first version of the detector whose step windows contain the input of the slow-rank test.
inline constexpr int kVersionOfSlowRanks = 4;
/// The first version whose step windows contain which times were counted, and not only the end of the last one.
inline constexpr int kVersionOfCountedTimes = 7;
/// The first version whose step windows contain the members of process groups, the newest phases, and how often ranks
/// made which calls.
inline constexpr int kVersionOfGroups = 8;
/// The first version whose step windows contain the order of calls.
inline constexpr int kVersionOfCallPatterns = 9;

inline constexpr std::size_t kPhases = static_cast<std::size_t>(telemetry::Phase::Count);

/// One rank in one step.
struct RankStep {
    std::int64_t stepNs = 0; ///< 0: not finished yet
    /// Longest wait of another rank while this one did not wait itself, summed over the collectives that this one
    /// entered last.
    std::int64_t heldNs = 0;
    std::int64_t waitedNs = 0; ///< own waits
    /// The times already counted in both: waits for gradients overlap, and each moment counts once.
    std::int64_t heldUntilNs = 0;
    CountedTime waited;
    std::int64_t heldSavingNs = 0; ///< part of heldNs that it spent in a checkpoint or a validation
    /// Waits during which its thread was blocked. Of the waits for gradients only the last one blocks: backward
    /// continues during the others.
    std::int64_t blockedNs = 0, gradientWaitNs = 0;
    std::array<std::int64_t, kPhases> phaseNs{};  ///< as measured, including waits
    std::array<std::int64_t, kPhases> waitInNs{}; ///< waits by the phase in which they fell
    std::int64_t framesMax = 0, samplesMax = 0;   ///< of its batches; 0: not known
    int batchSize = -1;                           ///< negative: not known

    /// Returns its own time in a phase: how long the phase would have taken without waits.
    std::int64_t ownNs(std::size_t phase) const { return phaseNs[phase] - std::min(waitInNs[phase], phaseNs[phase]); }
    /// Returns the same for the whole step; 0 if it is not finished.
    std::int64_t workNs() const { return std::max<std::int64_t>(0, stepNs - blockedNs - gradientWaitNs); }
};

struct StepStats {
    std::vector<RankStep> ranks;
    int finished = 0;
};

class StepWindow {
public:
    StepWindow(int worldSize, int windowSteps);

    void add(int rank, const telemetry::AnyRecord& record);
    std::int64_t typicalStepNs() const; ///< median step time; 0 until enough steps were seen
    const RankStep* find(int rank, std::int64_t step) const;
    /// Returns how much of [fromNs, toNs) the rank spent in its newest checkpoint and its newest validation, if they
    /// have ended.
    std::int64_t savedIn(int rank, std::int64_t fromNs, std::int64_t toNs) const;
    /// Adds, by phase, how much of [fromNs, toNs) the rank spent in its newest phases that have ended.
    void addPhasesIn(int rank, std::int64_t fromNs, std::int64_t toNs, std::array<std::int64_t, kPhases>& spent) const;
    bool knowsPhases(int rank) const; ///< some have ended
    UsualCompute usualCompute() const;
    std::int64_t newestCompleteStep() const { return m_newestComplete; }
    bool anyStepFinished() const { return m_finishedRecords > 0; }
    /// The usual time of a checkpoint by a rank that writes one, and the longest validation; 0: too few were seen.
    std::int64_t usualCheckpointNs() const;
    std::int64_t usualValidationNs() const { return m_validationNs; }
    /// Calls take(StepStats) for the steps after `step` that all ranks have finished, in order.
    template <class Take> void eachFinished(std::int64_t step, Take&& take) const {
        for (auto it = m_steps.upper_bound(step); it != m_steps.end(); ++it)
            if (it->second.finished == m_world)
                take(it->second);
    }
    /// Returns all steps that are still in the window, by number, finished or not.
    const std::map<std::int64_t, StepStats>& steps() const { return m_steps; }
    int worldSize() const { return m_world; }
    int windowSteps() const { return m_window; }
    const telemetry::ProcessGroups& groups() const { return m_groups; }
    /// Returns, by rank, the number of the set of ranks that it does the same work as: those with which it exchanges
    /// gradients, directly or through others. All ranks are one set until groups of some ranks exchange gradients.
    const std::vector<int>& peers() const { return m_peers; }
    const CollectiveCalls& calls() const { return m_calls; }
    /// Call it when the rank's process is seen stopped at that time: the others were not late by themselves until then.
    void sawStopped(int rank, std::int64_t ns);
    /// Returns when a rank other than this one was last seen stopped; 0: never.
    std::int64_t othersStoppedUntil(int rank) const;

    void save(ByteEncoder& out) const;
    /// Returns false, and leaves the window unusable, if the bytes are not a window of this size. `version`: the
    /// detector's.
    bool load(ByteDecoder& in, int version);

private:
    struct RecordedSpan {
        std::int64_t beginNs = 0, endNs = 0;
        telemetry::Phase phase = telemetry::Phase::None;
    };
    RankStep* at(int rank, std::int64_t step);
    void addPhase(int rank, const telemetry::PhaseRecord& record);
    void addCollective(int rank, const telemetry::CollectiveRecord& record);
    void takeGradientGroup(std::uint32_t group);
    void join(const EnteredCollective& all);
    void finish(int rank, std::int64_t step, std::int64_t stepNs);
    void saveSteps(ByteEncoder& out) const;
    bool loadSteps(ByteDecoder& in, int version);
    void saveGroups(ByteEncoder& out) const;
    bool loadGroups(ByteDecoder& in);
    void savePhases(ByteEncoder& out) const;
    bool loadPhases(ByteDecoder& in);

    int m_world, m_window;
    std::map<std::int64_t, StepStats> m_steps;
    CollectiveCalls m_calls;
    telemetry::ProcessGroups m_groups;
    std::set<std::uint32_t> m_gradientGroups;             ///< of some ranks, in which gradients were exchanged
    std::vector<int> m_peers;                             ///< by rank
    std::vector<std::deque<RecordedSpan>> m_newestPhases; ///< per rank, in order
    std::deque<std::int64_t> m_stepTimes, m_checkpointTimes;
    std::vector<std::array<RecordedSpan, 2>> m_savings; ///< per rank: its newest checkpoint, its newest validation
    std::vector<std::int64_t> m_stoppedUntil;           ///< per rank
    std::int64_t m_newestComplete = -1, m_finishedRecords = 0, m_validationNs = 0;
};

} // namespace rankscope::diagnosis
