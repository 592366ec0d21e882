// SPDX-License-Identifier: Apache-2.0
// Decides how a supervised run ended, and what is recorded of it. Pure functions.
#pragma once

#include "core/diagnosis/model/observation.h"
#include "core/launch/supervise/command_outcome.h"

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace rankscope::launch {

/// What the supervisor knows of a run when no rank is left, or when it is no longer asked to watch.
struct RunEndFacts {
    std::vector<RankEnd> ranks;          ///< those that have appeared
    std::optional<CommandEnd> command;   ///< that started them; none: there is no command
    std::filesystem::path removedFolder; ///< the run's folder, if it was removed or renamed; empty: it is still there
    bool released = false;               ///< The user has ended the watching; other programs had started the ranks.
    bool anyLives = false;               ///< A rank still runs.
    bool stopping = false;               ///< A stop was requested before any rank ended badly.
    bool leaving = false;                ///< It was requested by asking a rank to leave.
    Message asked;                       ///< as for determineOutcome()
};

/// Returns the verdict: of a removed folder if no command decides, of a released run, or of the command or the ranks.
RunOutcome outcomeOf(const RunEndFacts& facts);

/// Returns the end as the detector gets it. Incidents that are open in a run that the user stopped count as stopped,
/// those of ranks that were asked to leave end with the run.
diagnosis::RunOutcomeSeen endForDetector(const RunEndFacts& facts, RunState state);

/// Returns the note on the run's end, with the last lines of the log of the rank that is to blame. `cause`: the
/// verdict's.
std::string endNote(const RunEndFacts& facts, const Message& cause);

/// Writes the verdict into `info`. `nowNs` and `nowRealtimeNs`: the supervisor's monotonic and wall clock. If the wall
/// clock was set back, the time of the end follows from the monotonic one, so that no run ends before it began.
void recordOutcome(const RunOutcome& outcome, std::int64_t nowNs, std::int64_t nowRealtimeNs, RunInfo& info);

} // namespace rankscope::launch
