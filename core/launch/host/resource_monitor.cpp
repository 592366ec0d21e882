// SPDX-License-Identifier: Apache-2.0
#include "core/launch/host/resource_monitor.h"

#include "core/base/console/console.h"
#include "core/base/files/file.h"
#include "core/base/process/process_identity.h"
#include "core/base/process/signals_blocked.h"
#include "core/base/values/clock.h"
#include "core/launch/host/thread_waits.h"
#include "core/launch/host/worker_processes.h"

#include <fmt/format.h>
#include <pthread.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <map>
#include <mutex>
#include <string>
#include <system_error>
#include <thread>

namespace rankscope::launch {

using diagnosis::ResourceView;
using namespace std::chrono_literals;

static constexpr auto kPeriod = 1s;

/// Returns the growth over the time; -1 if one of the two values is unknown or the value went backwards.
static double rate(std::int64_t before, std::int64_t now, double per) {
    return before < 0 || now < before || per <= 0 ? -1 : static_cast<double>(now - before) / per;
}

static void takeGpu(ResourceView& view, const std::vector<GpuFacts>& gpus, pid_t pid) {
    const GpuFacts* mine = gpus.size() == 1 ? &gpus.front() : nullptr;
    for (const GpuFacts& gpu : gpus)
        for (const auto& [process, bytes] : gpu.processes)
            if (process == pid) {
                mine = &gpu;
                view.gpuUsedBytes = std::max(view.gpuUsedBytes, bytes);
            }
    if (!mine)
        return; // in a container the driver may number processes differently
    view.gpuTotalBytes = mine->totalBytes;
    if (mine->smClockMHz >= 0 && mine->smClockMaxMHz > 0)
        view.gpuClockShare = mine->smClockMHz / mine->smClockMaxMHz;
    view.gpuTemperature = mine->celsius;
    view.gpuThrottle = mine->throttle;
}

ResourceView ResourceMeter::measure(const ProcessFacts& process, const GroupFacts& group,
                                    const std::vector<GpuFacts>& gpus, pid_t pid, std::int64_t nowNs) {
    ResourceView view;
    const double seconds = m_atNs == 0 ? 0 : static_cast<double>(nowNs - m_atNs) * 1e-9;
    view.cpuShare = rate(m_process.cpuNs, process.cpuNs, seconds * 1e9);
    view.majorFaultsPerSecond = rate(m_process.majorFaults, process.majorFaults, seconds);
    view.writeBytesPerSecond = rate(m_process.writtenBytes, process.writtenBytes, seconds);
    view.rssBytes = process.rssBytes;
    view.swapBytes = process.swapBytes;
    view.memoryUsedBytes = group.memoryUsedBytes;
    view.memoryLimitBytes = group.memoryLimitBytes;
    if (m_atNs != 0 && m_group.periods >= 0 && group.periods >= m_group.periods) {
        const auto periods = static_cast<double>(group.periods - m_group.periods);
        const double throttled = rate(m_group.throttledPeriods, group.throttledPeriods, 1);
        view.cpuThrottledShare = periods > 0 ? std::min(1.0, throttled / periods) : 0; // no quota, or it was idle
        view.cpuThrottledTimeShare = rate(m_group.throttledNs, group.throttledNs, seconds * 1e9);
    }
    view.cpuQuota = group.cpuQuota;
    view.cpuWaitShare = cpuWaitShare(m_process, process, m_atNs == 0 ? 0 : nowNs - m_atNs);
    takeGpu(view, gpus, pid);
    m_process = process;
    m_group = group;
    m_atNs = nowNs;
    return view;
}

namespace {

struct MeteredProcess {
    ResourceWatch::WatchedProcess process;
    ResourceMeter meter;
    ThreadWaits threads;
    WorkerScan workers;
};

} // namespace

struct ResourceWatch::Shared {
    std::vector<WatchedProcess> targets; ///< guarded by the mutex
    bool gpu = false;                    ///< guarded by the mutex
    mutable std::mutex mutex;
    std::condition_variable changed;
    bool ending = false, done = false;
    Snapshot snapshot;
    MemoryKills memoryKills; ///< used by the measuring thread alone

    void measure(std::vector<MeteredProcess>& ranks, const std::optional<Nvml>& nvml);
    void follow(std::vector<MeteredProcess>& ranks) const;
    void run();
};

static std::string readProc(const std::string& path) {
    return readFile(path, 1u << 18).value_or(std::string());
}

/// Returns where this process sees the control groups; their usual mounts if the system does not say.
static GroupMounts mountsNow() {
    GroupMounts mounts = groupMounts(readProc("/proc/self/mountinfo"));
    return mounts.cpu || mounts.memory || mounts.unified ? mounts : usualGroupMounts();
}

/// Takes over the processes that are to be measured. A rank with another process begins again.
void ResourceWatch::Shared::follow(std::vector<MeteredProcess>& ranks) const {
    ranks.resize(targets.size());
    for (std::size_t r = 0; r < ranks.size(); ++r)
        if (ranks[r].process.pid != targets[r].pid || ranks[r].process.startTicks != targets[r].startTicks)
            ranks[r] = {targets[r], {}, {}, {}};
}

void ResourceWatch::Shared::measure(std::vector<MeteredProcess>& ranks, const std::optional<Nvml>& nvml) {
    const std::string meminfo = readProc("/proc/meminfo");
    const GroupMounts mounts = mountsNow();
    std::map<std::string, GroupFacts> groups; // by membership: most ranks share one
    const auto gpus = nvml ? nvml->devices() : std::vector<GpuFacts>{};
    const long hz = ::sysconf(_SC_CLK_TCK);
    Snapshot fresh;
    fresh.ranks.resize(ranks.size());
    for (std::size_t r = 0; r < ranks.size(); ++r) {
        const pid_t pid = ranks[r].process.pid;
        if (!isSameProcess(pid, ranks[r].process.startTicks))
            continue;
        const std::string proc = fmt::format("/proc/{}/", pid);
        const auto facts = processFacts(readProc(proc + "stat"), readProc(proc + "status"), readProc(proc + "io"), hz,
                                        readProc(proc + "schedstat"));
        std::string membership = readProc(proc + "cgroup");
        const auto [group, isNew] = groups.try_emplace(std::move(membership));
        if (isNew) {
            group->second = groupFacts(group->first, meminfo, mounts);
            memoryKills.watch(group->first, mounts);
        }
        fresh.ranks[r] = ranks[r].meter.measure(facts, group->second, gpus, pid, monotonicNs());
        ranks[r].threads.addTo(*fresh.ranks[r], pid, monotonicNs());
        ranks[r].workers.addTo(*fresh.ranks[r], pid, monotonicNs());
    }
    fresh.memoryKills = std::make_shared<const MemoryKills>(memoryKills);
    fresh.atNs = monotonicNs();
    const std::lock_guard lock(mutex);
    const bool isBreak = snapshot.atNs == 0 || fresh.atNs - snapshot.atNs >= kBreakNs;
    fresh.sinceNs = isBreak ? fresh.atNs : snapshot.sinceNs;
    snapshot = std::move(fresh);
}

void ResourceWatch::Shared::run() {
    std::optional<Nvml> nvml;
    bool looked = false; // for the driver
    std::vector<MeteredProcess> ranks;
    std::unique_lock lock(mutex);
    while (!ending) {
        follow(ranks);
        const bool looks = gpu && !looked;
        looked = gpu;
        lock.unlock();
        if (looks)
            if (auto loaded = Nvml::load())
                nvml.emplace(std::move(*loaded)); // without it those figures remain unknown
        measure(ranks, nvml);
        lock.lock();
        changed.wait_for(lock, kPeriod, [this] { return ending; });
    }
    lock.unlock();
    nvml.reset();
    lock.lock();
    done = true;
    lock.unlock();
    changed.notify_all();
}

ResourceWatch::ResourceWatch(std::vector<WatchedProcess> ranks, bool gpu) : m(std::make_shared<Shared>()) {
    m->targets = std::move(ranks);
    m->gpu = gpu;
    const SignalsBlocked blocked; // they belong to the main thread
    try {
        std::thread([shared = m] {
            ::pthread_setname_np(::pthread_self(), "resources");
            shared->run();
        }).detach();
    } catch (const std::system_error& error) { // the limit of processes: the run continues without these figures
        console::printError("resource usage is not measured: a thread could not be started: {}\n", error.what());
        m->done = true;
    }
}

ResourceWatch::~ResourceWatch() {
    std::unique_lock lock(m->mutex);
    m->ending = true;
    m->changed.notify_all();
    m->changed.wait_for(lock, 1s, [this] { return m->done; });
}

void ResourceWatch::setProcesses(std::vector<WatchedProcess> ranks) {
    const std::lock_guard lock(m->mutex);
    m->targets = std::move(ranks);
}

void ResourceWatch::measureGpus() {
    const std::lock_guard lock(m->mutex);
    m->gpu = true;
}

ResourceWatch::Snapshot ResourceWatch::newest() const {
    const std::lock_guard lock(m->mutex);
    return m->snapshot;
}

} // namespace rankscope::launch
