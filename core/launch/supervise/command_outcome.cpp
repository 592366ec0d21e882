// SPDX-License-Identifier: Apache-2.0
#include "core/launch/supervise/command_outcome.h"

#include "core/launch/process/training_verdict.h"

#include <algorithm>
#include <utility>

namespace rankscope::launch {

int exitCodeOf(const ProcessEnd& end) {
    return end.signalled ? 128 + end.code : end.code;
}

static Message commandSentence(const CommandEnd& command) {
    const ProcessEnd& end = command.process;
    if (command.guardLost)
        return "the command was ended, because the process that guards it (rankscope-guard) was killed";
    if (!end.known)
        return "the command disappeared; how it ended is unknown";
    if (end.signalled)
        return {"the command ended with {}", signalName(end.code)};
    return {"the command ended with exit code {}", end.code};
}

static Message withLastLine(Message sentence, const CommandEnd& command) {
    if (command.lastLines.empty())
        return sentence;
    return {"{}; its output ends with: {}", std::move(sentence), command.lastLines.back()};
}

/// Returns the possible reasons why no rank was seen.
static Message unseenText(const CommandEnd& command) {
    if (!command.observed)
        return "no rank was seen, because RANKSCOPE_OBSERVER is off";
    return "no rank was seen: it ended before it began to train, or Python did not load the observer (python -I, -S or "
           "-E, a version before 3.9, another PYTHONPATH, or another language)";
}

/// Returns why the command failed by itself. The step is the newest one of its ranks.
static EndReason commandReason(const CommandEnd& command, std::span<const RankEnd> ranks) {
    EndReason reason;
    for (const RankEnd& rank : ranks)
        reason.step = std::max(reason.step, rank.step);
    const ProcessEnd& end = command.process;
    reason.kind = command.guardLost ? EndKind::Killed
                  : !end.known      ? EndKind::Other
                  : end.signalled   ? endKindOfSignal(end.code)
                                    : EndKind::Exited;
    return reason;
}

static RunOutcome commandFailure(const CommandEnd& command, std::span<const RankEnd> ranks) {
    const Message sentence = commandSentence(command);
    RunOutcome outcome{RunState::Failed, exitCodeOf(command.process), sentence, commandReason(command, ranks)};
    if (ranks.empty()) {
        outcome.cause = {"{}; {}", withLastLine(sentence, command), unseenText(command)};
    } else if (const auto bad = command.guardLost ? std::nullopt : firstFailure(ranks, false)) {
        outcome.cause = {"{}; {}", endSentence(ranks[*bad]), sentence};
        outcome.reason = endReasonOf(ranks[*bad]);
    } else if (!command.guardLost) {
        outcome.cause = withLastLine(sentence, command);
    }
    return outcome;
}

/// A program may well end its ranks without a report, or catch the failure of one.
static Message successText(const CommandEnd& command, std::span<const RankEnd> ranks) {
    if (ranks.empty())
        return unseenText(command);
    const auto bad = firstFailure(ranks, false);
    return bad ? Message("the command ended with exit code 0, but {}", endSentence(ranks[*bad])) : Message("finished");
}

RunOutcome commandOutcome(const CommandEnd& command, std::span<const RankEnd> ranks, bool stopping,
                          const Message& asked) {
    const int code = exitCodeOf(command.process);
    const bool succeeded = command.process.known && code == 0;
    const bool allDone = std::all_of(ranks.begin(), ranks.end(),
                                     [](const RankEnd& e) { return e.said == telemetry::EndCause::Finished; });
    std::vector<store::NotFiniteTail> tails;
    for (const auto& end : ranks)
        tails.push_back(end.notFinite);
    const Message useless = notFiniteText(tails);
    if (stopping && !(succeeded && allDone && !ranks.empty())) {
        Message cause = stopSentence(ranks, asked);
        if (!useless.empty())
            return {RunState::Failed, code, {"{}; {}", useless, cause}, notFiniteReason(tails)};
        return {RunState::Stopped, code, succeeded ? cause : Message("{}; {}", cause, commandSentence(command)), {}};
    }
    if (!succeeded)
        return commandFailure(command, ranks);
    if (!useless.empty())
        return {RunState::Failed, code, useless, notFiniteReason(tails)};
    return {RunState::Finished, code, successText(command, ranks), {}};
}

} // namespace rankscope::launch
