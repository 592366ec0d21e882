// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/models/view/run_status.h"

#include "core/diagnosis/evidence/not_finite.h"
#include "core/launch/host/host_facts.h"
#include "widgets/models/text/text_format.h"

#include <QCoreApplication>

#include <algorithm>
#include <array>
#include <utility>

namespace rankscope::ui {

using launch::RunState;

namespace {

struct RunStateLabels {
    Q_DECLARE_TR_FUNCTIONS(RunState)
};

struct RunStatusLabels {
    Q_DECLARE_TR_FUNCTIONS(RunStatus)
};

bool isThisBoot(const launch::RunInfo& info) {
    static const std::string boot = launch::bootId();
    return info.bootId.empty() || info.bootId == boot;
}

/// Returns the time in completed seconds, as clocks count.
QString elapsedText(std::int64_t ns) {
    constexpr std::int64_t kSecond = 1'000'000'000;
    return wholeSecondsText(std::max<std::int64_t>(0, ns) / kSecond * kSecond);
}

/// The appearance of each state, in the order of RunState.
struct StateLook {
    diagnosis::RankState mark;
    const char* word;
};
constexpr std::array kStates{
    StateLook{diagnosis::RankState::Starting, QT_TRANSLATE_NOOP("RunState", "starting")},
    StateLook{diagnosis::RankState::Computing, QT_TRANSLATE_NOOP("RunState", "running")},
    StateLook{diagnosis::RankState::Waiting, QT_TRANSLATE_NOOP("RunState", "stopping")},
    StateLook{diagnosis::RankState::Finished, QT_TRANSLATE_NOOP("RunState", "finished")},
    StateLook{diagnosis::RankState::Dead, QT_TRANSLATE_NOOP("RunState", "failed")},
    StateLook{diagnosis::RankState::Stopped, QT_TRANSLATE_NOOP("RunState", "stopped")},
    StateLook{diagnosis::RankState::Unknown, QT_TRANSLATE_NOOP("RunState", "lost")},
    StateLook{diagnosis::RankState::Finished, QT_TRANSLATE_NOOP("RunState", "imported")},
};
static_assert(kStates.size() == static_cast<std::size_t>(RunState::Imported) + 1);

} // namespace

diagnosis::RankState markOf(RunState state) {
    return kStates.at(static_cast<std::size_t>(state)).mark;
}

QString runStateWord(RunState state) {
    return RunStateLabels::tr(kStates.at(static_cast<std::size_t>(state)).word);
}

QString ageText(qint64 realtimeNs, qint64 nowNs, bool live) {
    if (realtimeNs <= 0)
        return {};
    constexpr qint64 kSecond = 1'000'000'000;
    const qint64 seconds = std::max<qint64>(0, nowNs - realtimeNs) / kSecond, minutes = seconds / 60;
    if (minutes < 1)
        return live ? RunStateLabels::tr("now") : RunStateLabels::tr("%1 s ago").arg(seconds);
    if (minutes < 60)
        return RunStateLabels::tr("%1 min ago").arg(minutes);
    if (minutes < 48LL * 60)
        return RunStateLabels::tr("%1 h ago").arg(minutes / 60);
    return RunStateLabels::tr("%1 d ago").arg(minutes / (24LL * 60));
}

QString wholeSecondsText(qint64 ns) {
    constexpr qint64 kSecond = 1'000'000'000;
    const qint64 seconds = ns <= 0 ? 0 : (ns - 1) / kSecond + 1;
    return seconds < 100 ? RunStateLabels::tr("%1 s").arg(seconds) : durationText(seconds * kSecond);
}

RunStatus RunStatus::of(const launch::RunInfo& info, std::span<const diagnosis::Incident> incidents,
                        std::int64_t behindSinceNs) {
    RunStatus now;
    now.state = info.state;
    now.supervisor = info.supervisor;
    if (!now.isLive())
        return now;
    now.behindSinceNs = behindSinceNs;
    now.sameClock = isThisBoot(info);
    auto standstill = diagnosis::currentStall(incidents);
    now.stalled = std::move(standstill.ranks);
    now.sinceNs = standstill.sinceNs;
    now.notFiniteSince = diagnosis::notFiniteSince(incidents);
    return now;
}

diagnosis::RankState RunStatus::mark() const {
    if (!isLive())
        return markOf(state);
    if (supervisor == launch::SupervisorLife::Stopped)
        return diagnosis::RankState::Stopped;
    if (supervisor == launch::SupervisorLife::Unknown || isBehind())
        return diagnosis::RankState::Unknown;
    return isStalled() || notFiniteSince >= 0 ? diagnosis::RankState::Holder : markOf(state);
}

QString RunStatus::words(std::int64_t nowNs) const {
    if (isBehind())
        return sameClock ? RunStatusLabels::tr("%1, nothing recorded for %2")
                               .arg(runStateWord(state), elapsedText(nowNs - behindSinceNs))
                         : RunStatusLabels::tr("%1, nothing new is being recorded").arg(runStateWord(state));
    // while the supervisor is suspended, it is not known whether the stall continues
    if (!isStalled() || supervisor == launch::SupervisorLife::Stopped)
        return notFiniteSince < 0 ? runStateWord(state)
                                  : RunStatusLabels::tr("%1, loss NaN since step %2", "state, step")
                                        .arg(runStateWord(state), countText(notFiniteSince));
    return sameClock ? RunStatusLabels::tr("stalled %1, %2", "how long, which ranks")
                           .arg(elapsedText(nowNs - sinceNs), ranksText(stalled))
                     : RunStatusLabels::tr("stalled, %1", "which ranks").arg(ranksText(stalled));
}

QString RunStatus::whyNoRate(std::int64_t nowNs) const {
    if (!isLive())
        return {};
    if (supervisor == launch::SupervisorLife::Stopped)
        return RunStatusLabels::tr("Not known: the run's supervisor is suspended, so nothing new is being recorded");
    if (isBehind())
        return RunStatusLabels::tr("Not known: nothing new is being recorded");
    if (!isStalled())
        return {};
    return sameClock ? RunStatusLabels::tr("No step has finished for %1; held up by %2")
                           .arg(elapsedText(nowNs - sinceNs), ranksText(stalled))
                     : RunStatusLabels::tr("No steps are finishing; held up by %1").arg(ranksText(stalled));
}

} // namespace rankscope::ui
