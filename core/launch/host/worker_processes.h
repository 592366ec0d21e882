// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/diagnosis/model/observation.h"
#include "core/launch/host/process_usage.h"

#include <sys/types.h>

#include <cstdint>
#include <map>

namespace rankscope::launch {

using ProcessFactsById = std::map<pid_t, ProcessFacts>;

/// Returns the share of the `ns` between two moments in which the processes waited for a processor, on average over
/// those that did something; -1: none did.
double cpuWaitShareOf(const ProcessFactsById& before, const ProcessFactsById& now, std::int64_t ns);

/// Measures the processes that a rank has started, which are mostly the workers of its loaders.
class WorkerScan {
public:
    /// Adds their figures to those of the rank. Reads /proc at most every two seconds, in between it repeats the last
    /// figures.
    void addTo(diagnosis::ResourceView& view, pid_t rank, std::int64_t nowNs);

private:
    pid_t m_rank = 0;
    std::int64_t m_atNs = 0;
    ProcessFactsById m_workers;
    diagnosis::ResourceView m_last; ///< of which only the figures of workers are used
};

} // namespace rankscope::launch
