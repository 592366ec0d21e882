// SPDX-License-Identifier: Apache-2.0
#include "core/launch/host/worker_processes.h"

#include "core/base/files/file.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <optional>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

namespace rankscope::launch {

namespace fs = std::filesystem;

static constexpr std::int64_t kWorkersEveryNs = 2'000'000'000;
static constexpr std::size_t kMostWorkers = 1024; ///< of a rank; more are not looked at
static constexpr std::size_t kMostThreads = 512;

static std::string procText(const std::string& path) {
    return readFile(path, 1u << 16).value_or(std::string());
}

/// Returns the processes that the threads of a process have started; none if the kernel does not list them.
static std::optional<std::vector<pid_t>> childrenOf(pid_t pid) {
    std::optional<std::vector<pid_t>> children;
    std::error_code ec;
    std::size_t threads = 0;
    for (fs::directory_iterator at(fmt::format("/proc/{}/task", pid), ec), end; !ec && at != end; at.increment(ec)) {
        const auto text = readFile(at->path() / "children", 1u << 16);
        if (text) {
            if (!children)
                children.emplace();
            const auto more = childrenIn(*text);
            children->insert(children->end(), more.begin(), more.end());
        }
        if (++threads == kMostThreads)
            break;
    }
    return children;
}

/// Adds the figures of a process that a rank has started. One that ended badly counts if it ran the same program.
static void addWorker(diagnosis::ResourceView& view, ProcessFactsById& running, pid_t pid, std::string_view rankName) {
    const std::string proc = fmt::format("/proc/{}/", pid), stat = procText(proc + "stat");
    const WorkerFacts worker = workerFacts(stat, procText(proc + "status"));
    if (!worker.isZombie) {
        running[pid] = processFacts(stat, {}, {}, 0, procText(proc + "schedstat"));
        ++view.workers;
        view.workersRssBytes += std::max<std::int64_t>(0, worker.rssBytes);
        return;
    }
    const bool same = worker.name == rankName || worker.name.starts_with("pt_data_worker");
    if (!same || (worker.signal == 0 && worker.exitCode == 0))
        return;
    ++view.workersDied;
    view.workerSignal = worker.signal;
    view.workerExitCode = worker.exitCode;
}

double cpuWaitShareOf(const ProcessFactsById& before, const ProcessFactsById& now, std::int64_t ns) {
    constexpr double kIdle = 0.1; // of the time, running or waiting
    double sum = 0;
    int busy = 0;
    for (const auto& [pid, facts] : now) {
        const auto known = before.find(pid);
        const double share = known == before.end() ? -1 : cpuWaitShare(known->second, facts, ns);
        if (share < 0)
            continue;
        const auto ranNs = static_cast<double>(facts.cpuRunNs - known->second.cpuRunNs);
        if (share + ranNs / static_cast<double>(ns) < kIdle)
            continue;
        sum += std::min(share, 1.0);
        ++busy;
    }
    return busy == 0 ? -1 : sum / busy;
}

void WorkerScan::addTo(diagnosis::ResourceView& view, pid_t rank, std::int64_t nowNs) {
    if (rank != m_rank || m_atNs == 0 || nowNs - m_atNs >= kWorkersEveryNs) {
        const ProcessFactsById before = rank == m_rank ? std::exchange(m_workers, {}) : ProcessFactsById();
        const std::int64_t sinceNs = std::exchange(m_atNs, nowNs);
        m_workers.clear();
        m_rank = rank;
        m_last = {};
        if (auto found = childrenOf(rank)) {
            m_last.workers = m_last.workersRssBytes = m_last.workersDied = 0;
            const std::string name = workerFacts(procText(fmt::format("/proc/{}/stat", rank)), {}).name;
            for (std::size_t i = 0; i < found->size() && i < kMostWorkers; ++i) {
                const pid_t pid = (*found)[i];
                addWorker(m_last, m_workers, pid, name);
                const auto more = childrenOf(pid).value_or(std::vector<pid_t>());
                found->insert(found->end(), more.begin(), more.end());
            }
            m_last.workersCpuWaitShare = cpuWaitShareOf(before, m_workers, nowNs - sinceNs);
        }
    }
    view.workers = m_last.workers;
    view.workersRssBytes = m_last.workersRssBytes;
    view.workersDied = m_last.workersDied;
    view.workerSignal = m_last.workerSignal;
    view.workerExitCode = m_last.workerExitCode;
    view.workersCpuWaitShare = m_last.workersCpuWaitShare;
}

} // namespace rankscope::launch
