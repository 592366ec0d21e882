// SPDX-License-Identifier: Apache-2.0
#include "core/launch/monitors/run_monitors.h"

#include "core/base/text/unit_format.h"
#include "core/base/values/clock.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

namespace rankscope::launch {

using diagnosis::MemorySample;
using diagnosis::MemoryTrend;

static constexpr std::int64_t kSecondNs = 1'000'000'000;
/// Interval at first; in a longer run, a thousandth of its time.
static constexpr std::int64_t kFactsEveryNs = 10 * kSecondNs;
static constexpr std::size_t kMostKept = 10'000; ///< rows kept while the disk is full
static constexpr std::int64_t kLastCallsNs = 10 * kSecondNs;

RunMonitors::RunMonitors(const PreparedLaunch& plan, const RunInfo& info)
    : m_startNs(info.startNs), m_hook(plan.settings.onIncident, info, plan.run, info.startNs),
      m_gpu(plan.device == "cuda") {}

static bool computesOnGpu(const RankMonitor& rank) {
    return rank.board() && rank.board()->device.starts_with("cuda");
}

void RunMonitors::watch(const std::vector<RankMonitor>& ranks) {
    std::vector<ResourceWatch::WatchedProcess> targets;
    for (const auto& rank : ranks)
        targets.push_back({rank.pid(), rank.startTicks()});
    if (m_resources)
        m_resources->setProcesses(std::move(targets));
    else
        m_resources.emplace(std::move(targets), m_gpu);
}

/// A watched program names its device when its ranks have long appeared: at its first backward.
void RunMonitors::lookForGpus(const std::vector<RankMonitor>& ranks) {
    if (m_gpu || !m_resources || std::none_of(ranks.begin(), ranks.end(), computesOnGpu))
        return;
    m_gpu = true;
    m_resources->measureGpus();
}

void RunMonitors::onTransitions(const std::vector<diagnosis::Transition>& transitions,
                                const std::vector<RankMonitor>& ranks) {
    m_stacks.take(transitions, ranks);
    m_hook.enqueue(transitions);
}

std::optional<diagnosis::ResourceView> RunMonitors::resources(int rank) const {
    const auto r = static_cast<std::size_t>(rank);
    return r < m_newest.ranks.size() ? m_newest.ranks[r] : std::nullopt;
}

void RunMonitors::note(telemetry::NoteSeverity severity, std::string text) {
    if (m_messages.size() < kMostKept)
        m_messages.push_back({severity, std::move(text)});
}

void RunMonitors::poll(store::RunWriter* store, std::int64_t nowNs) {
    refresh(nowNs);
    m_stacks.round(nowNs);
    for (auto& [severity, text] : m_hook.round(nowNs))
        note(severity, std::move(text));
    if (!store)
        return;
    if (!m_stacks.rows().empty() && store->stacks(m_stacks.rows()))
        m_stacks.stored();
    if (!m_facts.empty() && store->facts(m_facts))
        m_facts.clear();
    while (!m_messages.empty() && store->note(m_messages.front().severity, m_messages.front().text, nowNs))
        m_messages.erase(m_messages.begin());
}

void RunMonitors::refresh(std::int64_t nowNs) {
    if (!m_resources)
        return;
    auto newest = m_resources->newest();
    if (newest.atNs == m_newest.atNs)
        return;
    m_newest = std::move(newest);
    m_last.resize(m_newest.ranks.size());
    for (std::size_t r = 0; r < m_last.size(); ++r)
        if (m_newest.ranks[r])
            m_last[r] = {static_cast<int>(r), m_newest.atNs, *m_newest.ranks[r]};
    watchGpuMemory();
    if (nowNs - m_factsNs >= std::max(kFactsEveryNs, (nowNs - m_startNs) / 1000))
        bufferUsage(nowNs);
}

void RunMonitors::bufferUsage(std::int64_t nowNs) {
    m_factsNs = nowNs;
    m_keptNs = m_newest.atNs;
    for (std::size_t r = 0; r < m_newest.ranks.size(); ++r)
        if (m_newest.ranks[r] && m_facts.size() < kMostKept)
            m_facts.push_back({static_cast<int>(r), m_newest.atNs, *m_newest.ranks[r]});
}

void RunMonitors::watchGpuMemory() {
    for (std::size_t r = 0; r < m_newest.ranks.size(); ++r) {
        const auto& view = m_newest.ranks[r];
        if (view && view->gpuUsedBytes >= 0 && view->gpuTotalBytes > 0)
            updateForecast(static_cast<int>(r), {m_newest.atNs, view->gpuUsedBytes, view->gpuTotalBytes});
    }
}

void RunMonitors::updateForecast(int rank, const MemorySample& sample) {
    MemoryTrend& trend = m_trends[rank];
    switch (trend.add(sample)) {
    case MemoryTrend::TrendChange::Warn:
        return note(telemetry::NoteSeverity::Warning, warning(rank, trend));
    case MemoryTrend::TrendChange::Over:
        return note(telemetry::NoteSeverity::Info,
                    fmt::format("The GPU memory of rank {} is no longer about to run out.", rank));
    case MemoryTrend::TrendChange::None:
        return;
    }
}

std::string RunMonitors::warning(int rank, const MemoryTrend& trend) const {
    const auto& f = *trend.forecast();
    const MemorySample& newest = trend.samples().back();
    return fmt::format("The GPU memory of rank {} will run out in about {} at this rate: {} of {} are in use, {} more "
                       "each minute.",
                       rank, formatDuration(static_cast<std::int64_t>(f.secondsLeft * 1e9)),
                       formatBytes(newest.usedBytes), formatBytes(newest.limitBytes),
                       formatBytes(static_cast<std::int64_t>(f.bytesPerSecond * 60)));
}

void RunMonitors::finish(store::RunWriter* store, const std::function<void()>& pause) {
    m_resources.reset();
    // a short run also keeps its last figures: the first ones are of processes that have barely started
    std::copy_if(m_last.begin(), m_last.end(), std::back_inserter(m_facts),
                 [this](const store::FactRow& row) { return row.timeNs > m_keptNs; });
    const std::int64_t until = monotonicNs() + kLastCallsNs;
    poll(store, monotonicNs());
    while (!m_hook.idle() && monotonicNs() < until) {
        pause();
        poll(store, monotonicNs());
    }
    if (m_hook.idle())
        return;
    auto [severity, text] = m_hook.cutOff();
    note(severity, std::move(text));
    poll(store, monotonicNs());
}

} // namespace rankscope::launch
