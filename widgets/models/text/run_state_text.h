// SPDX-License-Identifier: GPL-3.0-or-later
// A run's state as a word and as the rank mark that it is drawn with; how long ago something was.
#pragma once

#include "core/diagnosis/evidence/rank_status.h"
#include "core/launch/run/run_folder.h"

#include <QString>

namespace rankscope::ui {

/// The rank mark that a run's state is drawn with.
diagnosis::RankState markOf(launch::RunState state);
QString runStateWord(launch::RunState state);

/// "20 s", "4 min", "3 h", "2 d": how long ago a moment of the wall clock was. A live run that began less than a minute
/// ago began "now".
QString ageText(qint64 realtimeNs, qint64 nowNs, bool live);

/// Rounded up to whole seconds: "1 s", "47 s", "7 min 21 s".
QString wholeSecondsText(qint64 ns);

} // namespace rankscope::ui
