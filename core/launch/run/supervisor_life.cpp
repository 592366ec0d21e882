// SPDX-License-Identifier: Apache-2.0
#include "core/launch/run/supervisor_life.h"

#include "core/base/process/process_identity.h"
#include "core/launch/host/host_facts.h"
#include "core/launch/run/run_lock.h"

#include <fmt/format.h>

#include <cerrno>
#include <csignal>
#include <optional>

namespace rankscope::launch {

static bool isThisBoot(const RunInfo& info) {
    static const std::string boot = bootId();
    return !info.bootId.empty() && info.bootId == boot;
}

/// The host's name is none of it: it may be changed, and containers of one pod share it.
static bool isKnownToSeeProcesses(const RunInfo& info) {
    static const std::string namespaces = processNamespaces();
    return isThisBoot(info) && !info.namespaces.empty() && info.namespaces == namespaces;
}

bool seesProcesses(const RunInfo& info) {
    if (!info.namespaces.empty())
        return isKnownToSeeProcesses(info);
    // an older run: it is likely, and process number and start time have to match
    return isThisBoot(info) && info.host == hostName();
}

/// None: there is no such process.
static std::optional<SupervisorLife> lifeOfProcess(const RunInfo& info) {
    const auto stat = processStat(info.supervisorPid);
    if (!stat || stat->startTicks != info.supervisorStartTicks || stat->state == 'Z' || stat->state == 'X')
        return std::nullopt;
    return stat->state == 'T' ? SupervisorLife::Stopped : SupervisorLife::Alive;
}

/// /proc does not show other users' processes everywhere (hidepid); that there is one is still told.
static bool isHidden(pid_t pid) {
    return pid > 0 && !processStat(pid) && ::kill(pid, 0) != 0 && errno == EPERM;
}

SupervisorLife supervisorLife(const RunPaths& run, const RunInfo& info) {
    const bool seen = seesProcesses(info);
    if (seen)
        if (const auto life = lifeOfProcess(info))
            return *life;
    const bool hidden = seen && isHidden(info.supervisorPid);
    if (isKnownToSeeProcesses(info) && !hidden)
        return SupervisorLife::Gone; // the lock may be held by a program that brings the run up to date
    switch (RunLock::holder(run.lock())) {
    case RunLock::Holder::Supervisor:
        return SupervisorLife::Alive;
    case RunLock::Holder::Nobody:
    case RunLock::Holder::Recovery:
        return SupervisorLife::Gone;
    case RunLock::Holder::Unknown:
        break;
    }
    return seen && !hidden ? SupervisorLife::Gone : SupervisorLife::Unknown;
}

std::string supervisorRemark(const RunInfo& info) {
    if (!isLive(info.state))
        return {};
    if (info.supervisor == SupervisorLife::Stopped)
        return fmt::format("its supervisor is stopped; 'kill -CONT {}' lets it go on", info.supervisorPid);
    if (info.supervisor == SupervisorLife::Unknown)
        return "whether its supervisor lives cannot be known from here";
    return {};
}

std::string whereItRuns(const RunInfo& info) {
    if (isThisBoot(info))
        return fmt::format("runs in another container or process namespace of this machine (process {} there)",
                           info.supervisorPid);
    return info.host == hostName() ? fmt::format("runs on another machine that is called {}, too", info.host)
                                   : fmt::format("runs on host {}", info.host);
}

} // namespace rankscope::launch
