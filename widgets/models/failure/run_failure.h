// SPDX-License-Identifier: GPL-3.0-or-later
// Why a run failed, as facts: which rank began it, who fell because of it, where, and which incident tells of it.
#pragma once

#include "widgets/models/view/run_view.h"

#include <QString>

#include <optional>
#include <vector>

namespace rankscope::ui {

enum class FailureKind {
    Killed,           ///< a rank by SIGKILL, by whom is not known
    OutOfMemory,      ///< a rank
    Crashed,          ///< a rank by another signal
    Refused,          ///< a rank cannot train with the recipe, a file or this machine
    Exited,           ///< a rank
    SupervisorLost,   ///< killed
    MachineRestarted, ///< or the run is another machine's
    Copied,           ///< The folder is a copy that was made before the run ended.
    FolderRemoved,    ///< while it trained
    DiskFull,
    WeightsDiffer, ///< at the end
    NotFinite,     ///< the loss or the weights, to the end
    Other,
};

struct RunFailure {
    FailureKind kind = FailureKind::Other;
    int culprit = -1;         ///< rank; -1: none
    std::vector<int> victims; ///< ranks that ended because of it
    QString signal;           ///< "SIGKILL"
    std::int64_t step = -1;   ///< in which it happened; -1: before the first, or not known
    QString phase;
    bool beforeFirstStep = false;
    std::int64_t incident = 0; ///< 0: none tells of it

    friend bool operator==(const RunFailure&, const RunFailure&) = default;
};

/// None: the run did not fail, or goes on.
std::optional<RunFailure> failureOf(const RunView& view);

/// The rank that run.json's cause names first; -1: none.
int culpritOf(std::string_view cause);

/// The incident that ended the run, if one did: the one of the rank that the cause names, else the first death. Of a
/// run whose loss was NaN to its end, the one in which that began.
const diagnosis::Incident* fatalIncident(const std::vector<diagnosis::Incident>& incidents, launch::RunState state,
                                         std::string_view cause);

/// The tile of a rank whose run is over: there is no board to ask, only what the store kept. Pure. `incidents`: all of
/// the run; a rank that one of them calls dead gets its exit's cause. `culprit`: the rank
/// that the run's cause names; -1: none. The others fell because of it.
diagnosis::RankStatus endedStatus(const store::RankSummary& summary, launch::RunState state,
                                  const std::vector<diagnosis::Incident>& incidents, int culprit = -1);

} // namespace rankscope::ui
