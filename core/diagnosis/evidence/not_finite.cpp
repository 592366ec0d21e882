// SPDX-License-Identifier: Apache-2.0
#include "core/diagnosis/evidence/not_finite.h"

namespace rankscope::diagnosis {

bool staysNotFinite(const Incident& incident) {
    constexpr std::int64_t kSteps = 3; // a single step may have been skipped, or been the last one
    return (incident.cause == Cause::NotFinite || incident.cause == Cause::EmptyBatch) &&
           incident.evidence.lastStep.value_or(-1) >= incident.step + kSteps;
}

std::int64_t notFiniteSince(std::span<const Incident> incidents) {
    for (const Incident& incident : incidents)
        if (incident.closed == CloseReason::Open && staysNotFinite(incident))
            return incident.step;
    return -1;
}

} // namespace rankscope::diagnosis
