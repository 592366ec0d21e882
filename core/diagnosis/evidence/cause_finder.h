// SPDX-License-Identifier: Apache-2.0
// Why a rank holds the others up, from what its process and its board say.
#pragma once

#include "core/diagnosis/model/incident.h"
#include "core/diagnosis/model/observation.h"

#include <cstdint>
#include <vector>

namespace rankscope::diagnosis {

struct BatchLengths {
    std::int64_t frames = 0, samples = 0, cost = 0;
};

/// What a batch usually costs, over all ranks and the window's finished steps.
struct UsualCompute {
    std::int64_t computeNs = 0; ///< mean own time of forward, loss and backward; 0: no step finished yet
    std::int64_t framesMax = 0; ///< mean longest item
    /// What a batch whose longest item has `frames` may take at most: attention grows with the square of the length.
    std::int64_t atMostNs(std::int64_t frames) const;
};

/// What an explanation needs besides the holder itself; made once for all holders of a place.
struct Circumstances {
    const Observation& observation;
    UsualCompute usual;
    BatchLengths others;      ///< the largest of the ranks that do not hold
    bool waited = false;      ///< somebody waits
    bool inside = false;      ///< of a stopped rank: it had arrived
    std::int64_t sinceNs = 0; ///< when the hold-up began
};

/// The largest batch of the ranks that are not in `holders` (ascending).
BatchLengths othersLengths(const Observation& observation, const std::vector<int>& holders);

/// A long batch is the cause only as long as its length can account for the time, by what batches cost in `usual`.
Cause causeOf(const RankObservation& holder, const Circumstances& around);

/// The rank itself is slow, or its loader: what it does ends after all.
bool isSlowness(Cause cause);

/// The CPU quota of the rank's control group holds it back, and not most of the others as well.
bool isHeldByQuota(const Observation& observation, int rank);

/// Figures and names that prove it, into `incident.evidence`; its phase and step too.
void describe(Incident& incident, const RankObservation& holder, const Circumstances& around);

/// Figures of a rank's process and device, as far as they were measured.
void describeResources(nlohmann::json& evidence, const ResourceView& resources);

/// Exit status and last lines of a process that ended.
void describeEnd(nlohmann::json& evidence, const ProcessView& process);

/// A check at start that found the ranks' configurations to differ; its text names the keys.
bool isConfigurationCheck(const telemetry::CheckRecord& check);

} // namespace rankscope::diagnosis
