// SPDX-License-Identifier: Apache-2.0
#include "core/diagnosis/evidence/run_stall.h"

#include <algorithm>

namespace rankscope::diagnosis {

bool blocksRun(const Incident& incident) {
    return !incident.straggler && !incident.holders.empty() && incident.cause != Cause::NotFinite &&
           incident.cause != Cause::EmptyBatch && incident.cause != Cause::AskedToLeave &&
           incident.cause != Cause::ConfigurationDiffers && incident.cause != Cause::MemoryRunsOut;
}

bool isStall(const Incident& incident) {
    return incident.closed == CloseReason::Open && blocksRun(incident);
}

RunStall currentStall(std::span<const Incident> incidents) {
    RunStall now;
    for (const Incident& incident : incidents) {
        if (!isStall(incident))
            continue;
        now.sinceNs = now.ranks.empty() ? incident.openedNs : std::min(now.sinceNs, incident.openedNs);
        now.ranks.insert(now.ranks.end(), incident.holders.begin(), incident.holders.end());
    }
    std::sort(now.ranks.begin(), now.ranks.end());
    now.ranks.erase(std::unique(now.ranks.begin(), now.ranks.end()), now.ranks.end());
    return now;
}

Message standstillText(const RunStall& standstill, std::int64_t nowNs) {
    constexpr std::int64_t kSecond = 1'000'000'000;
    const std::int64_t seconds = std::max<std::int64_t>(0, nowNs - standstill.sinceNs) / kSecond;
    constexpr std::int64_t kWholeSeconds = 100; // a Duration below this has a decimal
    return seconds < kWholeSeconds ? Message("stalled {} s, {}", seconds, Ranks{standstill.ranks})
                                   : Message("stalled {}, {}", Duration{seconds * kSecond}, Ranks{standstill.ranks});
}

std::vector<TimeInterval> stalledIntervals(std::span<const Incident> incidents) {
    std::vector<TimeInterval> all;
    for (const Incident& incident : incidents)
        if (blocksRun(incident) || incident.cause == Cause::Paused)
            all.push_back({incident.openedNs, incident.closed == CloseReason::Open ? INT64_MAX : incident.closedNs});
    return all;
}

double Pace::stepsPerSecond(std::int64_t nowNs) const {
    return rateNow(steps, lastedNs, nowNs - idleSinceNs);
}

namespace {

struct TimedStep {
    std::int64_t lastedNs = 0;
    bool held = false; ///< an incident overlaps with it
};

std::int64_t usualOf(const std::vector<TimedStep>& steps) {
    std::vector<std::int64_t> lasted;
    for (const TimedStep& step : steps)
        lasted.push_back(step.lastedNs);
    std::sort(lasted.begin(), lasted.end());
    return lasted[(lasted.size() - 1) / 2];
}

} // namespace

Pace paceOf(std::span<const std::int64_t> ends, std::span<const TimeInterval> stalledIntervals) {
    std::vector<TimedStep> steps;
    for (std::size_t i = 1; i < ends.size(); ++i)
        if (ends[i] >= ends[i - 1])
            steps.push_back({ends[i] - ends[i - 1], std::any_of(stalledIntervals.begin(), stalledIntervals.end(),
                                                                [&](const TimeInterval& one) {
                                                                    return one.beginNs < ends[i] &&
                                                                           one.endNs > ends[i - 1];
                                                                })});
    // one incident may span many steps, most of which were normal: then only the long ones are left out
    if (steps.size() > 1 && std::all_of(steps.begin(), steps.end(), [](const TimedStep& step) { return step.held; }))
        for (const std::int64_t usual = usualOf(steps); TimedStep & step : steps)
            step.held = step.lastedNs > 2 * usual;
    Pace pace;
    for (const TimedStep& step : steps) {
        if (step.held)
            continue;
        ++pace.steps;
        pace.lastedNs += step.lastedNs;
    }
    if (!ends.empty())
        pace.idleSinceNs = ends.back();
    for (const TimeInterval& stall : stalledIntervals)
        if (stall.endNs != INT64_MAX)
            pace.idleSinceNs = std::max(pace.idleSinceNs, stall.endNs);
    return pace;
}

double rateNow(std::int64_t steps, std::int64_t windowNs, std::int64_t idleNs) {
    if (steps <= 0 || windowNs <= 0)
        return 0;
    // measurements reach the store within a second
    constexpr std::int64_t kOnItsWayNs = 1'000'000'000;
    const std::int64_t usual = kOnItsWayNs + 3 * (windowNs / steps);
    const std::int64_t all = windowNs + (idleNs > usual ? idleNs : 0);
    return static_cast<double>(steps) * 1e9 / static_cast<double>(all);
}

} // namespace rankscope::diagnosis
