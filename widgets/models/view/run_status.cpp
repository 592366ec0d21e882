// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/models/view/run_status.h"

#include "core/launch/host/host_facts.h"
#include "widgets/models/text/text_format.h"

#include <QCoreApplication>

#include <algorithm>
#include <utility>

namespace rankscope::ui {

namespace {

struct RunNowWords {
    Q_DECLARE_TR_FUNCTIONS(RunNow)
};

bool isThisBoot(const launch::RunInfo& info) {
    static const std::string boot = launch::bootId();
    return info.bootId.empty() || info.bootId == boot;
}

/// In seconds that are over, as clocks count.
QString elapsedText(std::int64_t ns) {
    constexpr std::int64_t kSecond = 1'000'000'000;
    return wholeSecondsText(std::max<std::int64_t>(0, ns) / kSecond * kSecond);
}

} // namespace

RunNow RunNow::of(const launch::RunInfo& info, std::span<const diagnosis::Incident> incidents,
                  std::int64_t behindSinceNs) {
    RunNow now;
    now.state = info.state;
    now.supervisor = info.supervisor;
    if (!now.isLive())
        return now;
    now.behindSinceNs = behindSinceNs;
    now.sameClock = isThisBoot(info);
    auto standstill = diagnosis::standstillOf(incidents);
    now.stalled = std::move(standstill.ranks);
    now.sinceNs = standstill.sinceNs;
    return now;
}

diagnosis::RankState RunNow::mark() const {
    if (!isLive())
        return markOf(state);
    if (supervisor == launch::SupervisorLife::Stopped)
        return diagnosis::RankState::Stopped;
    if (supervisor == launch::SupervisorLife::Unknown || isBehind())
        return diagnosis::RankState::Unknown;
    return isStalled() ? diagnosis::RankState::Holder : markOf(state);
}

QString RunNow::words(std::int64_t nowNs) const {
    if (isBehind())
        return sameClock ? RunNowWords::tr("%1, nothing stored for %2")
                               .arg(runStateWord(state), elapsedText(nowNs - behindSinceNs))
                         : RunNowWords::tr("%1, nothing new is stored").arg(runStateWord(state));
    // of a supervisor that does nothing it is not known whether the stall goes on
    if (!isStalled() || supervisor == launch::SupervisorLife::Stopped)
        return runStateWord(state);
    return sameClock ? RunNowWords::tr("stalled %1, %2", "how long, which ranks")
                           .arg(elapsedText(nowNs - sinceNs), ranksText(stalled))
                     : RunNowWords::tr("stalled, %1", "which ranks").arg(ranksText(stalled));
}

QString RunNow::whyNoRate(std::int64_t nowNs) const {
    if (!isLive())
        return {};
    if (supervisor == launch::SupervisorLife::Stopped)
        return RunNowWords::tr("Not known: the run's supervisor is stopped, so that nothing new is stored");
    if (isBehind())
        return RunNowWords::tr("Not known: nothing new is stored");
    if (!isStalled())
        return {};
    return sameClock ? RunNowWords::tr("No step has ended for %1; held up by %2")
                           .arg(elapsedText(nowNs - sinceNs), ranksText(stalled))
                     : RunNowWords::tr("No step ends; held up by %1").arg(ranksText(stalled));
}

} // namespace rankscope::ui
