// SPDX-License-Identifier: Apache-2.0
// Finds why a rank holds the others up, from its process and its board.
#pragma once

#include "core/diagnosis/model/incident.h"
#include "core/diagnosis/model/observation.h"

#include <cstdint>
#include <string_view>
#include <vector>

namespace rankscope::diagnosis {

struct BatchLengths {
    std::int64_t frames = 0, samples = 0, cost = 0;
};

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
};

/// Returns the largest batch of the ranks that are not in `holders` (ascending).
BatchLengths othersLengths(const Observation& observation, const std::vector<int>& holders);

/// Returns why the holder holds others up. A long batch is the cause only while its length can account for the time,
/// given the cost of batches in `around.usual`.
Cause findCause(const RankObservation& holder, const HoldContext& context);

/// Returns true for causes that pass by themselves: the rank or its data loader is only slow.
bool isSlowness(Cause cause);

/// Returns true if the CPU quota of its control group slows the rank down, but not most of the other ranks.
bool isHeldByQuota(const Observation& observation, int rank);

/// Sets the incident's phase and step, and adds the figures and names that prove its cause to its evidence.
void addHoldEvidence(Incident& incident, const RankObservation& holder, const HoldContext& context);

/// Adds the measured figures of a rank's process and device.
void addUsageEvidence(Evidence& evidence, const ResourceView& resources);

/// Adds the exit status and last lines of a process that ended.
void addExitEvidence(Evidence& evidence, const ProcessView& process);

/// Returns true if the text says that a file could not be written because the disk, or the user's quota of it, is full.
bool mentionsFullDisk(std::string_view text);

/// Returns true for the check at start that found the ranks' configurations to differ; its text names the keys.
bool isConfigurationCheck(const telemetry::CheckRecord& check);

} // namespace rankscope::diagnosis
