// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/models/text/run_state_text.h"

#include "widgets/models/text/text_format.h"

#include <QCoreApplication>

#include <algorithm>

namespace rankscope::ui {

using launch::RunState;

namespace {
struct RunStateWords {
    Q_DECLARE_TR_FUNCTIONS(RunState)
};
} // namespace

diagnosis::RankState markOf(RunState state) {
    switch (state) {
    case RunState::Starting:
        return diagnosis::RankState::Starting;
    case RunState::Running:
        return diagnosis::RankState::Computing;
    case RunState::Stopping:
        return diagnosis::RankState::Waiting;
    case RunState::Finished:
    case RunState::Imported:
        return diagnosis::RankState::Finished;
    case RunState::Failed:
        return diagnosis::RankState::Dead;
    case RunState::Stopped:
        return diagnosis::RankState::Stopped;
    case RunState::Lost:
        break;
    }
    return diagnosis::RankState::Unknown;
}

QString runStateWord(RunState state) {
    switch (state) {
    case RunState::Starting:
        return RunStateWords::tr("starting");
    case RunState::Running:
        return RunStateWords::tr("running");
    case RunState::Stopping:
        return RunStateWords::tr("stopping");
    case RunState::Finished:
        return RunStateWords::tr("finished");
    case RunState::Failed:
        return RunStateWords::tr("failed");
    case RunState::Stopped:
        return RunStateWords::tr("stopped");
    case RunState::Imported:
        return RunStateWords::tr("imported");
    case RunState::Lost:
        break;
    }
    return RunStateWords::tr("lost");
}

QString ageText(qint64 realtimeNs, qint64 nowNs, bool live) {
    if (realtimeNs <= 0)
        return {};
    constexpr qint64 kSecond = 1'000'000'000;
    const qint64 seconds = std::max<qint64>(0, nowNs - realtimeNs) / kSecond, minutes = seconds / 60;
    if (minutes < 1)
        return live ? RunStateWords::tr("now") : RunStateWords::tr("%1 s").arg(seconds);
    if (minutes < 60)
        return RunStateWords::tr("%1 min").arg(minutes);
    if (minutes < 48LL * 60)
        return RunStateWords::tr("%1 h").arg(minutes / 60);
    return RunStateWords::tr("%1 d").arg(minutes / (24LL * 60));
}

QString wholeSecondsText(qint64 ns) {
    constexpr qint64 kSecond = 1'000'000'000;
    const qint64 seconds = ns <= 0 ? 0 : (ns - 1) / kSecond + 1;
    return seconds < 100 ? RunStateWords::tr("%1 s").arg(seconds) : durationText(seconds * kSecond);
}

} // namespace rankscope::ui
