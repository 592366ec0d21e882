// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/runs/run_state.h"

#include "widgets/theme/theme.h"

#include <QCoreApplication>

namespace rankscope::ui {

using launch::RunState;

namespace {
struct Words {
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

QColor runStateColor(RunState state) {
    return Theme::instance().stateColor(markOf(state));
}

QString runStateWord(RunState state) {
    switch (state) {
    case RunState::Starting:
        return Words::tr("starting");
    case RunState::Running:
        return Words::tr("running");
    case RunState::Stopping:
        return Words::tr("stopping");
    case RunState::Finished:
        return Words::tr("finished");
    case RunState::Failed:
        return Words::tr("failed");
    case RunState::Stopped:
        return Words::tr("stopped");
    case RunState::Imported:
        return Words::tr("imported");
    case RunState::Lost:
        break;
    }
    return Words::tr("lost");
}

void drawRunMark(QPainter& painter, const QRectF& square, RunState state) {
    Theme::drawStateMark(painter, square, markOf(state), runStateColor(state));
}

QString ageText(qint64 realtimeNs, qint64 nowNs) {
    if (realtimeNs <= 0)
        return {};
    const qint64 minutes = std::max<qint64>(0, nowNs - realtimeNs) / 60'000'000'000;
    if (minutes < 1)
        return Words::tr("now");
    if (minutes < 60)
        return Words::tr("%1 min").arg(minutes);
    if (minutes < 48 * 60)
        return Words::tr("%1 h").arg(minutes / 60);
    return Words::tr("%1 d").arg(minutes / (24 * 60));
}

} // namespace rankscope::ui
