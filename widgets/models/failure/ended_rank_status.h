// SPDX-License-Identifier: GPL-3.0-or-later
// The tile of a rank whose run is over: there is no board to ask, only what the store kept.
#pragma once

#include "core/diagnosis/evidence/rank_status.h"
#include "core/launch/run/run_folder.h"
#include "core/store/read/run_reader.h"

namespace rankscope::ui {

/// Pure. `incidents`: all of the run; a rank that one of them calls dead gets its exit's cause. `culprit`: the rank
/// that the run's cause names; -1: none. The others fell because of it.
diagnosis::RankStatus endedStatus(const store::RankSummary& summary, launch::RunState state,
                                  const std::vector<diagnosis::Incident>& incidents, int culprit = -1);

} // namespace rankscope::ui
