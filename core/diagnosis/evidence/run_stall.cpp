// SPDX-License-Identifier: Apache-2.0
#include "core/diagnosis/evidence/run_stall.h"

#include "core/base/text/unit_format.h"

#include <fmt/format.h>

#include <algorithm>

namespace rankscope::diagnosis {

bool holdsUp(const Incident& incident) {
    return !incident.straggler && !incident.holders.empty() && incident.cause != Cause::NotFinite &&
           incident.cause != Cause::EmptyBatch && incident.cause != Cause::AskedToLeave &&
           incident.cause != Cause::ConfigurationDiffers;
}

bool isStall(const Incident& incident) {
    return incident.closed == CloseReason::Open && holdsUp(incident);
}

Standstill standstillOf(std::span<const Incident> incidents) {
    Standstill now;
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

std::string standstillText(const Standstill& standstill, std::int64_t nowNs) {
    constexpr std::int64_t kSecond = 1'000'000'000;
    const std::int64_t seconds = std::max<std::int64_t>(0, nowNs - standstill.sinceNs) / kSecond;
    return fmt::format("stalled {}, rank{} {}",
                       seconds < 60 ? fmt::format("{} s", seconds) : formatDuration(seconds * kSecond),
                       standstill.ranks.size() == 1 ? "" : "s", joinInts(standstill.ranks));
}

std::vector<Interval> heldUp(std::span<const Incident> incidents) {
    std::vector<Interval> all;
    for (const Incident& incident : incidents)
        if (holdsUp(incident))
            all.push_back({incident.openedNs, incident.closed == CloseReason::Open ? INT64_MAX : incident.closedNs});
    return all;
}

} // namespace rankscope::diagnosis
