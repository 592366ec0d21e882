// SPDX-License-Identifier: Apache-2.0
#include "core/launch/supervise/progress_reporter.h"

#include "core/diagnosis/evidence/injected_fault.h"

#include <algorithm>

namespace rankscope::launch {

std::optional<double> meanLoss(std::span<const std::optional<double>> losses) {
    double sum = 0;
    std::ptrdiff_t known = 0;
    for (const auto& loss : losses) {
        sum += loss.value_or(0);
        known += loss.has_value();
    }
    return known > 0 ? std::optional(sum / static_cast<double>(known)) : std::nullopt;
}

/// Stalls begin and end as the detector opens and closes incidents. Those that ended before all the newest steps are
/// dropped.
void ProgressReporter::updateStalls(const diagnosis::RunStall& now, std::span<const std::int64_t> stepEnds,
                                    std::int64_t nowNs) {
    const bool going = !m_stalls.empty() && m_stalls.back().endNs == INT64_MAX;
    if (now && going)
        m_stalls.back().beginNs = std::min(m_stalls.back().beginNs, now.sinceNs);
    else if (now)
        m_stalls.push_back({now.sinceNs, INT64_MAX});
    else if (going)
        m_stalls.back().endNs = nowNs;
    if (!stepEnds.empty())
        std::erase_if(m_stalls, [&](const auto& stall) { return stall.endNs < stepEnds.front(); });
}

void ProgressReporter::keepPauses(std::span<const diagnosis::Transition> transitions) {
    for (const auto& [kind, incident] : transitions)
        if (kind == diagnosis::Transition::TransitionKind::Closed && incident.cause == diagnosis::Cause::Paused)
            m_stalls.insert(m_stalls.begin(), {incident.openedNs, incident.closedNs}); // the last one may still be open
}

void ProgressReporter::publishProgress(const RunInfo& info, const std::vector<RankMonitor>& ranks,
                                       const std::vector<diagnosis::Incident>& open, int sampleRate,
                                       const Message& trouble, std::int64_t storedUntilNs, std::int64_t nowNs) {
    if (!m_report)
        return;
    Progress p;
    p.state = info.state;
    p.ranks = info.worldSize;
    p.totalSteps = info.totalSteps;
    p.nowNs = nowNs;
    p.step = ranks.empty() ? -1 : INT64_MAX;
    double samplesPerStep = 0;
    std::vector<std::optional<double>> losses;
    for (const auto& rank : ranks) {
        p.step = std::min(p.step, rank.lastStep());
        losses.push_back(rank.lastLoss());
        samplesPerStep += rank.samplesPerStep();
    }
    p.loss = meanLoss(losses);
    const auto standstill = diagnosis::currentStall(open);
    const auto stepEnds = ranks.empty() ? std::vector<std::int64_t>() : ranks.front().stepEnds();
    updateStalls(standstill, stepEnds, nowNs);
    p.trouble = trouble;
    p.storedUntilNs = storedUntilNs;
    if (p.storedUntilNs == 0) // otherwise the newest steps are not known here
        p.stepsPerSecond = diagnosis::paceOf(stepEnds, m_stalls).stepsPerSecond(nowNs);
    p.audioPerSecond = samplesPerStep / sampleRate * p.stepsPerSecond;
    if (!ranks.empty() && ranks.front().board())
        p.stepsPerEpoch = ranks.front().board()->stepsPerEpoch;
    if (!isLive(info.state)) {
        p.headline = info.cause;
    } else {
        p.standstill = standstill;
        if (!open.empty()) {
            p.headline = diagnosis::sentence(open.back(), nowNs, info.faults);
            p.incident = open.back().id;
        }
    }
    m_report(p);
}

} // namespace rankscope::launch
