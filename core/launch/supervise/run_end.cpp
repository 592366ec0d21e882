// SPDX-License-Identifier: Apache-2.0
#include "core/launch/supervise/run_end.h"

#include "core/launch/run/launch_spec.h"

#include <fmt/format.h>

#include <algorithm>

namespace rankscope::launch {

using diagnosis::RunOutcomeSeen;

RunOutcome outcomeOf(const RunEndFacts& facts) {
    if (!facts.removedFolder.empty() && !facts.command)
        return {RunState::Failed,
                kRankFailed,
                {"the run's folder {} was removed or renamed while it trained", facts.removedFolder},
                {EndKind::FolderRemoved}};
    if (facts.released)
        return {RunState::Stopped,
                kStopped,
                facts.anyLives ? Message("no longer watched; its ranks continue") : Message("no longer watched"),
                {}};
    return facts.command ? commandOutcome(*facts.command, facts.ranks, facts.stopping, facts.asked)
                         : determineOutcome(facts.ranks, facts.stopping, facts.asked);
}

RunOutcomeSeen endForDetector(const RunEndFacts& facts, RunState state) {
    if (facts.leaving || facts.released || state == RunState::Finished)
        return RunOutcomeSeen::Finished;
    return state == RunState::Stopped ? RunOutcomeSeen::StoppedByUser : RunOutcomeSeen::Failed;
}

std::string endNote(const RunEndFacts& facts, const Message& cause) {
    std::string note = fmt::format("The run ended: {}.", cause.english());
    const auto bad = facts.stopping ? std::nullopt : firstFailure(facts.ranks, false);
    if (bad && !facts.ranks[*bad].lastLines.empty())
        note += fmt::format(" Last lines of rank {}'s log:\n{}", facts.ranks[*bad].rank,
                            fmt::join(facts.ranks[*bad].lastLines, "\n"));
    return note;
}

void recordOutcome(const RunOutcome& outcome, std::int64_t nowNs, std::int64_t nowRealtimeNs, RunInfo& info) {
    info.state = outcome.state;
    info.exitCode = outcome.exitCode;
    info.cause = outcome.cause;
    info.reason = outcome.reason;
    info.endRealtimeNs = std::max(nowRealtimeNs, info.startRealtimeNs + nowNs - info.startNs);
}

} // namespace rankscope::launch
