// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/diagnosis/model/observation.h"
#include "core/launch/host/process_usage.h"

#include <sys/types.h>

#include <cstdint>
#include <map>

namespace rankscope::launch {

/// Measures how long the threads of a process wait for a processor. Those of a transport may wait while the main thread
/// sleeps in a collective.
class ThreadWaits {
public:
    /// Raises the view's cpuWaitShare to that of the thread that waited longest since the last call, if it waited
    /// nearly all the time. Reads /proc only while the process gets little processor time; one that gets more does not
    /// lack it.
    void addTo(diagnosis::ResourceView& view, pid_t pid, std::int64_t nowNs);
    /// Takes the figures of all threads, by ID. Returns the longest wait as a share of the time since the last call;
    /// -1: unknown.
    double measure(std::map<pid_t, ProcessFacts> threads, std::int64_t nowNs);

private:
    std::map<pid_t, ProcessFacts> m_threads; ///< empty: not measured
    std::int64_t m_atNs = 0;
};

} // namespace rankscope::launch
