// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/diagnosis/model/observation.h"

#include <sys/types.h>

#include <cstdint>

namespace rankscope::launch {

/// Measures the processes that a rank has started, which are mostly the workers of its loaders.
class WorkerScan {
public:
    /// Adds their figures to those of the rank. Reads /proc at most every two seconds, in between it repeats the last
    /// figures.
    void addTo(diagnosis::ResourceView& view, pid_t rank, std::int64_t nowNs);

private:
    pid_t m_rank = 0;
    std::int64_t m_atNs = 0;
    diagnosis::ResourceView m_last; ///< of which only the figures of workers are used
};

} // namespace rankscope::launch
