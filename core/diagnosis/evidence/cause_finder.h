// SPDX-License-Identifier: Apache-2.0
// Finds why a rank holds the others up, from its process and its board.
#pragma once

#include "core/diagnosis/model/collective_times.h"
#include "core/diagnosis/model/incident.h"
#include "core/diagnosis/model/observation.h"
#include "core/diagnosis/programs/last_words.h"

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace rankscope::diagnosis {

/// The longest item of batches, or -1 if no rank reports lengths.
struct BatchLengths {
    std::int64_t frames = 0, samples = 0, cost = 0;
};

/// A cause is named only if it covers this share of the wait.
inline constexpr double kMostOfAWait = 0.8;
/// Why the data does not suffice to name a cause, as an incident's evidence `missing` says it.
inline constexpr std::string_view kLostRecords = "lost_records", kHiddenGroup = "hidden_group", kNoPhase = "no_phase",
                                  kSeveralPhases = "several_phases", kWhichSide = "which_side";

/// ns by phase; Phase::None: in no phase that the rank reports.
using PhaseNs = std::array<std::int64_t, kPhaseCount>;

/// The usual cost of a batch, over all ranks and the window's finished steps.
struct UsualCompute {
    std::int64_t computeNs = 0; ///< mean own time of forward, loss and backward; 0: no step finished yet
    std::int64_t framesMax = 0; ///< mean longest item
    /// Returns the longest time that a batch whose longest item has `frames` may take: attention grows with the square
    /// of the length.
    std::int64_t atMostNs(std::int64_t frames) const;
};

/// What an explanation needs in addition to the holder itself; shared by all holders of a place.
struct HoldContext {
    const Observation& observation;
    UsualCompute usual;
    BatchLengths others;      ///< the largest of the ranks that are not holders
    bool waited = false;      ///< another rank waits
    bool inside = false;      ///< for a stopped rank: it had already arrived
    std::int64_t sinceNs = 0; ///< when the hold-up began
    PhaseNs spentNs{};        ///< where the holder's time went since then; all 0: all of it to its current phase
    bool failed = false;      ///< the holder's program has reported a failure, but its process is still running
    bool lostWorker = false;  ///< a loader worker of the holder ended badly while it waited for its batch
    bool endedEarly = false;  ///< the holder has had all batches of its epoch, and other ranks have more
};

/// Why a rank holds others up.
struct CauseFinding {
    Cause cause = Cause::Unknown;
    telemetry::Phase phase = telemetry::Phase::None; ///< to which most of the time of this cause went
    std::array<double, static_cast<std::size_t>(Cause::Count)> shares{}; ///< of the time since the hold-up began
    std::string_view missing = {};                                       ///< why no cause is named; empty: one is

    double shareOf(Cause of) const { return shares[static_cast<std::size_t>(of)]; }
};

/// Returns the largest batch of the ranks that are not in `holders` (ascending), as far as they report lengths.
BatchLengths othersLengths(const Observation& observation, const std::vector<int>& holders);

/// Returns why the holder holds others up: by the state of its process, or because most of its time since the hold-up
/// began went to phases with the same cause. A long batch is the cause only while its length can account for the time,
/// given the cost of batches in `context.usual`.
CauseFinding findCause(const RankObservation& holder, const HoldContext& context);

/// Returns the phases that took most of the time: "data_wait 45 %, forward 30 %".
std::string sharesText(const PhaseNs& spentNs);

/// Returns true for causes that pass by themselves: the rank or its data loader is only slow.
bool isSlowness(Cause cause);

/// Returns true if the CPU quota of its control group slows the rank down, but not most of the other ranks.
bool isHeldByQuota(const Observation& observation, int rank);

/// Returns true if the main thread of the rank, or another one, waited for a processor most of the time.
bool isShortOfCpu(const RankObservation& rank);

/// Sets the incident's phase and step, and adds the figures and names that prove its cause to its evidence.
void addHoldEvidence(Incident& incident, const RankObservation& holder, const HoldContext& context);

/// Adds how long the rank's loader workers waited for a processor, if that was most of the time: they have too few.
void addLoaderEvidence(Evidence& evidence, const ResourceView& resources);

/// Adds the measured figures of a rank's process and device.
void addUsageEvidence(Evidence& evidence, const ResourceView& resources);

/// Adds the exit status and last lines of a process that ended.
void addExitEvidence(Evidence& evidence, const ProcessView& process);

/// Returns true for the check at start that found the ranks' configurations to differ; its text names the keys.
bool isConfigurationCheck(const telemetry::CheckRecord& check);

} // namespace rankscope::diagnosis
