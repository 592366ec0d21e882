// SPDX-License-Identifier: GPL-3.0-or-later
// Needs no window: the filter of the table of runs knows states by these words.
#include "widgets/runs/run_state.h"

#include <QCoreApplication>

#include <algorithm>

namespace rankscope::ui {

using launch::RunState;

namespace {
struct Words {
    Q_DECLARE_TR_FUNCTIONS(RunState)
};
} // namespace

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
