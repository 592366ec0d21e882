// SPDX-License-Identifier: Apache-2.0
#include "core/observer/gradient_exposure.h"

#include "core/base/values/clock.h"

#include <algorithm>

namespace rankscope::observer {

void GradientExposure::keep(CollectiveHandle bucket, std::int64_t exposedNs) {
    const CollectiveHandle before = m_last.exchange(bucket, std::memory_order_acq_rel);
    if (OpenCollective* open = m_telemetry.openCollectives().waitingFor(OpenCollectives::Exposure, before))
        open->log->exposed(before, exposedNs);
}

std::int64_t GradientExposure::finish() {
    OpenCollectives& all = m_telemetry.openCollectives();
    const CollectiveHandle last = m_last.load(std::memory_order_acquire);
    OpenCollective* open = all.waitingFor(OpenCollectives::Exposure, last);
    if (!open)
        return 0;
    std::int64_t until = monotonicNs();
    if (!all.waitingFor(OpenCollectives::End, last)) // it ended before backward did
        until = std::min(until, open->record.doneNs);
    const std::int64_t exposed = m_telemetry.claimBlocked(open->record.arrivedNs, until);
    keep(0, exposed);
    return exposed;
}

} // namespace rankscope::observer
