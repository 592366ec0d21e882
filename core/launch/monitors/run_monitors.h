// SPDX-License-Identifier: Apache-2.0
// Work that runs alongside a run's rounds and never delays them: measuring the ranks' processes, native stacks of
// incidents, the command that is run for incidents, and whether a GPU's memory will run out.
#pragma once

#include "core/diagnosis/statistics/memory_trend.h"
#include "core/launch/host/resource_monitor.h"
#include "core/launch/monitors/incident_hook.h"
#include "core/launch/monitors/stack_capture.h"
#include "core/launch/run/launch_spec.h"
#include "core/store/write/run_writer.h"

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace rankscope::launch {

/// Starts no thread and no process before watch(). Only the supervisor's thread calls it.
class RunMonitors {
public:
    RunMonitors(const PreparedLaunch& plan, const RunInfo& info);

    /// Call it when all ranks are started, or their number is known; and again when the processes of ranks have
    /// changed.
    void watch(const std::vector<RankMonitor>& ranks);
    /// Measures GPUs from now on if a rank's board says that it computes on one. Call it in every round.
    void lookForGpus(const std::vector<RankMonitor>& ranks);
    /// Takes stacks for incidents that have opened, and queues calls of the incident command.
    void onTransitions(const std::vector<diagnosis::Transition>& transitions, const std::vector<RankMonitor>& ranks);
    /// Takes the newest measurements, starts and ends helpers that are due, and stores what they brought. `store`: null
    /// while it cannot be written; rows are then kept for later. `nowNs`: monotonic.
    void poll(store::RunWriter* store, std::int64_t nowNs);
    /// Makes the last calls of the incident command, for ten seconds at most. Call it at the end of the run, after all
    /// other writing. `pause`: called between two looks at the command; waits for a moment.
    void finish(store::RunWriter* store, const std::function<void()>& pause);

    /// Returns what was last measured of a rank's process; none: nothing, or it has ended.
    std::optional<diagnosis::ResourceView> resources(int rank) const;
    /// Returns whether this process certainly ran all the time between two moments, whatever its main thread did.
    bool ranThrough(std::int64_t fromNs, std::int64_t toNs) const {
        return m_resources && m_resources->newest().ranThrough(fromNs, toNs);
    }
    /// Returns whether the kernel has killed a process for lack of memory in a control group of a rank.
    bool sawMemoryKill() const {
        const auto kills = m_resources ? m_resources->newest().memoryKills : nullptr;
        return kills && kills->hasIncreased();
    }
    /// Returns whether one of our helpers is inspecting this rank now; the rank may then show as traced.
    bool holds(pid_t pid) const { return m_stacks.holds(pid); }

private:
    void refresh(std::int64_t nowNs);
    void watchGpuMemory();
    void updateForecast(int rank, const diagnosis::MemorySample& sample);
    std::string warning(int rank, const diagnosis::MemoryTrend& trend) const;
    void bufferUsage(std::int64_t nowNs);
    void note(telemetry::NoteSeverity severity, std::string text);

    struct PendingNote {
        telemetry::NoteSeverity severity = telemetry::NoteSeverity::Info;
        std::string text;
    };
    std::int64_t m_startNs = 0;
    IncidentHook m_hook;
    StackTaker m_stacks;
    bool m_gpu = false; ///< The ranks compute on GPUs, as far as is known.
    std::optional<ResourceWatch> m_resources;
    ResourceWatch::Snapshot m_newest;
    std::vector<store::FactRow> m_last;             ///< of each rank, while it was alive
    std::map<int, diagnosis::MemoryTrend> m_trends; ///< of each rank's GPU memory
    std::vector<store::FactRow> m_facts;            ///< to be stored
    std::int64_t m_factsNs = 0;                     ///< when the last ones were kept
    std::int64_t m_keptNs = 0;                      ///< when those were observed
    std::vector<PendingNote> m_messages;            ///< to be stored
};

} // namespace rankscope::launch
