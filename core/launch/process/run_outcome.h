// SPDX-License-Identifier: Apache-2.0
// Decides how a run ended, from how its ranks ended. Pure.
#pragma once

#include "core/launch/process/child_process.h"
#include "core/launch/run/run_folder.h"
#include "core/store/read/not_finite_tail.h"
#include "core/store/write/run_writer.h"
#include "core/telemetry/format/records.h"

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace rankscope::launch {

/// Exit codes of a trainer that cannot do what it was given, of one that failed, usually because another rank did, and
/// of one in which an allocation failed.
inline constexpr int kRefusedExit = 2, kFailedExit = 3, kOutOfMemoryExit = 4;

/// How one rank ended, as far as the supervisor knows.
struct RankEnd {
    int rank = 0;
    bool foreign = false;              ///< not a rankscope-trainer: its exit codes have no meaning
    std::optional<ProcessEnd> process; ///< none: it is still running
    bool byUs = false;                 ///< the supervisor sent the signal that ended it
    bool waitedInVain = false; ///< It was ended while it waited for the others to join: nothing is lost by that.
    std::optional<telemetry::EndCause> said; ///< how it reported its end, by journal or board
    std::string text;                        ///< of its end record
    std::uint64_t weightsHash = 0;           ///< 0: not reported
    bool victim = false; ///< it left because a collective failed, most likely because of another rank
    bool outOfMemory = false;
    bool diskFull = false;  ///< It ended because it could not write: there was no room, or the quota was used up.
    std::int64_t step = -1; ///< newest step that it began
    std::int64_t done = 0;  ///< steps that it finished
    telemetry::Phase phase = telemetry::Phase::None;
    std::vector<std::string> lastLines;
    store::NotFiniteTail notFinite; ///< its newest steps, if their loss or gradient is not finite
};

/// Returns whether the rank ended by itself, and not as it should have. `stopping`: the user had asked the run to stop.
bool endedBadly(const RankEnd& end, bool stopping);

/// Returns the rank whose bad end explains the others': a signal from outside comes before an exit code, an exit code
/// before that of a rank that only lost its peer, an earlier end before a later one. Of foreign ranks, those that a
/// launcher is likely to have ended come last. None if no rank ended badly.
std::optional<std::size_t> firstFailure(std::span<const RankEnd> ends, bool stopping);

/// Returns "rank 1 ended with SIGKILL at step 412 while in forward"; for a rank that refused what it was given, or that
/// found the disk full, what it reported.
Message endSentence(const RankEnd& end);
/// Returns the same as values, for a rank that has ended badly.
EndReason endReasonOf(const RankEnd& end);
/// Returns the reason of a process that ended by this signal: a request to end, such as SIGTERM, is no crash.
EndKind endKindOfSignal(int number);
/// Returns "SIGKILL"; "signal 64" for signals without a name.
std::string signalName(int number);

/// Returns "stopped by the user after 12 steps", or by `asked` (see determineOutcome()) if that is not empty.
Message stopSentence(std::span<const RankEnd> ends, const Message& asked);

/// The verdict on a run.
struct RunOutcome {
    RunState state = RunState::Finished;
    int exitCode = 0;
    Message cause;    ///< a sentence without a full stop
    EndReason reason; ///< the same as values
};

/// Returns the verdict when all ranks have ended. `stopping`: a stop was requested before the first bad end, by the
/// user or, if `asked` is not empty, by "rank 1 was asked to leave by SIGTERM from …".
RunOutcome determineOutcome(std::span<const RankEnd> ends, bool stopping, const Message& asked = {});

/// Returns what the store keeps of a run's end.
store::RunEnding endingOf(const RunInfo& info);

} // namespace rankscope::launch
