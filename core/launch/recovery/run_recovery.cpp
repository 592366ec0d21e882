// SPDX-License-Identifier: Apache-2.0
#include "core/launch/recovery/run_recovery.h"

#include "core/base/process/process_identity.h"
#include "core/base/values/clock.h"
#include "core/base/values/result.h"
#include "core/launch/cleanup/leftover_files.h"
#include "core/launch/command/observer_folder.h"
#include "core/launch/command/process_tree.h"
#include "core/launch/host/host_facts.h"
#include "core/launch/process/run_outcome.h"
#include "core/launch/process/stop_signals.h"
#include "core/launch/process/training_verdict.h"
#include "core/launch/recording/journal_drain.h"
#include "core/launch/recording/run_info_reserve.h"
#include "core/launch/run/board_list.h"
#include "core/launch/run/launch_spec.h"
#include "core/launch/run/run_folder.h"
#include "core/launch/run/run_lock.h"
#include "core/store/open/open_store.h"
#include "core/store/open/store_health.h"
#include "core/store/read/run_reader.h"

#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <optional>
#include <thread>

namespace rankscope::launch {

using namespace std::chrono_literals;

/// A run.json from elsewhere may name any process, even one of the reader's: only processes that belong to the user who
/// owns the file are sent a signal.
static bool isOfTheRunsOwner(const RunPaths& run, pid_t pid) {
    struct stat file {
    }, process{};
    return ::lstat(run.runJson().c_str(), &file) == 0 && S_ISREG(file.st_mode) &&
           ::stat(fmt::format("/proc/{}", pid).c_str(), &process) == 0 && file.st_uid == process.st_uid;
}

static std::vector<int> livingRanks(const RunPaths& run, const RunInfo& info) {
    std::vector<int> living;
    for (std::size_t r = 0; r < info.rankPids.size(); ++r)
        if (isSameProcess(info.rankPids[r], info.rankStartTicks[r]) && isOfTheRunsOwner(run, info.rankPids[r]))
            living.push_back(static_cast<int>(r));
    return living;
}

/// What a command has started ends with its supervisor's guard. If both were killed at once, the kernel ended the
/// command alone, and the rest is found by its environment.
static std::vector<pid_t> leftByCommand(const RunPaths& run, const RunInfo& info) {
    if (info.command.empty())
        return {};
    std::error_code ec;
    const auto dir = std::filesystem::absolute(run.dir, ec).lexically_normal();
    return processesWith(fmt::format("{}={}", kRunDirVariable, dir.string()));
}

/// Ranks die with their supervisor; a rank that has not died yet, or that the kernel holds up, is ended here. A pid
/// counts only with its start time. The ranks that a copy names belong to the original run, which may continue.
static Result<void> endRanks(const RunPaths& run, const RunInfo& info) {
    if (info.copied || info.attached || !seesProcesses(info))
        return {};
    for (const pid_t pid : leftByCommand(run, info))
        ::kill(pid, SIGKILL);
    std::vector<int> living;
    for (int tries = 0; tries < 100; ++tries) {
        living = livingRanks(run, info);
        if (living.empty())
            return {};
        for (const int r : living) {
            const pid_t pid = info.rankPids[static_cast<std::size_t>(r)];
            if (const auto stat = processStat(pid); stat && stat->group == pid)
                ::kill(-pid, SIGKILL);
            ::kill(pid, SIGKILL);
        }
        std::this_thread::sleep_for(50ms);
    }
    return fail(
        Errc::Busy,
        {"rank {} does not end (process {})", living.front(), info.rankPids[static_cast<std::size_t>(living.front())]},
        info.id);
}

static bool needsRecovery(const RunPaths& run, const RunInfo& info) {
    return info.state == RunState::Lost || (!isLive(info.state) && hasJournals(run));
}

/// Ranks that other programs started continue without a supervisor: their journals must stay, and what they will
/// measure is not known yet.
static bool goesOn(const RunPaths& run, const RunInfo& info) {
    return info.attached && !info.copied && seesProcesses(info) && anyLives(reportingRanks(run));
}

/// Another process may be recovering the run now: waits until it has finished. None: there is nothing left to do.
static Result<std::optional<RunLock>> lockFor(const RunPaths& run) {
    constexpr int kTries = 200;
    for (int tries = 0;; ++tries) {
        auto lock = RunLock::take(run.lock());
        if (lock)
            return std::optional<RunLock>(std::move(*lock));
        if (lock.error().code != Errc::Busy)
            return tl::unexpected(lock.error());
        RS_TRY_ASSIGN(auto info, readRunInfo(run));
        if (isLive(info.state) || !needsRecovery(run, info))
            return std::optional<RunLock>();
        if (tries >= kTries && info.state == RunState::Lost)
            return fail(Errc::Busy, "another program has been bringing the run up to date for 10 s; try again later",
                        info.id);
        if (tries >= kTries) // its supervisor has not exited yet: the journals are stored the next time
            return std::optional<RunLock>();
        std::this_thread::sleep_for(50ms);
    }
}

static Result<store::RunWriter> openStore(const RunPaths& run, const RunInfo& info) {
    std::error_code ec;
    if (std::filesystem::exists(run.store(), ec))
        return store::RunWriter::reopen(run.store());
    RS_TRY_ASSIGN(auto made, store::RunWriter::open(run.store(), {info.id, info.worldSize, info.startNs,
                                                                  info.startRealtimeNs, info.totalSteps}));
    RS_TRY(made.note(telemetry::NoteSeverity::Warning,
                     "The run's store was missing and was rebuilt from the ranks' journals; what had been stored "
                     "before is lost.",
                     info.startNs));
    return made;
}

static Result<void> drainAll(Drain& drain) {
    for (bool more = true; more;) {
        more = drain.read({});
        RS_TRY(drain.commit({}));
    }
    return {};
}

/// The contents of the store when everything is in it.
struct Recorded {
    std::vector<store::RankSummary> ranks;
    std::vector<store::NotFiniteTail> tails;
    std::int64_t lastStep = -1, lastNs = 0; ///< lastNs: since the run's start
};

static Result<Recorded> readRecordedEnd(const RunPaths& run) {
    RS_TRY_ASSIGN(auto reader, store::RunReader::open(run.store()));
    Recorded recorded;
    RS_TRY_ASSIGN(recorded.ranks, reader.ranks());
    RS_TRY_ASSIGN(recorded.tails, store::notFiniteTails(reader));
    for (const auto& rank : recorded.ranks) {
        recorded.lastStep = std::max(recorded.lastStep, rank.lastStep);
        recorded.lastNs = std::max(recorded.lastNs, rank.lastNs);
    }
    return recorded;
}

/// Determines the end of a run whose supervisor recorded none: from the ranks' last records, or that they were cut off.
static void endState(RunInfo& info, const Recorded& recorded) {
    const auto said = [&](telemetry::EndCause cause) {
        return info.worldSize > 0 && recorded.ranks.size() == static_cast<std::size_t>(info.worldSize) &&
               std::all_of(recorded.ranks.begin(), recorded.ranks.end(),
                           [&](const auto& r) { return r.ended && r.endCause == cause; });
    };
    const Message until =
        recorded.lastStep < 0 ? Message("no step was recorded") : Message("recorded until step {}", recorded.lastStep);
    const bool sameWeights = std::all_of(recorded.ranks.begin(), recorded.ranks.end(), [&](const auto& r) {
        return r.weightsHash == recorded.ranks.front().weightsHash;
    });
    const auto judge = [&](RunState state, int exitCode, Message cause, EndKind kind) {
        info.state = state;
        info.exitCode = exitCode;
        info.cause = std::move(cause);
        info.reason = {kind, -1, kind == EndKind::None ? -1 : recorded.lastStep};
    };
    if (said(telemetry::EndCause::Finished) && !sameWeights)
        judge(RunState::Failed, kRankFailed, "the ranks hold different weights at the end", EndKind::WeightsDiffer);
    else if (said(telemetry::EndCause::Finished))
        judge(RunState::Finished, kDone, "finished; its supervisor was lost before it could say so", EndKind::None);
    else if (said(telemetry::EndCause::Stopped))
        judge(RunState::Stopped, kStopped, "stopped by the user; its supervisor was lost before it could say so",
              EndKind::None);
    else if (info.copied)
        judge(RunState::Failed, kRankFailed, {"{}; {}", Message(kCopiedCause), until}, EndKind::Copied);
    else if (info.bootId == bootId())
        judge(RunState::Failed, kRankFailed, {"its supervisor was lost (killed); {}", until}, EndKind::SupervisorLost);
    else
        judge(RunState::Failed, kRankFailed,
              {"its supervisor was lost (the machine was restarted, or it ran on another one); {}", until},
              EndKind::MachineRestarted);
    judgeTraining(info, recorded.tails);
    info.endRealtimeNs = info.startRealtimeNs + recorded.lastNs;
}

/// Takes the verdict of a supervisor or a recovery that was killed before it could write it into run.json.
static bool adoptEnd(RunInfo& info, const store::RunEnding& ending) {
    for (const RunState state : {RunState::Finished, RunState::Failed, RunState::Stopped})
        if (ending.state == runStateName(state)) {
            info.state = state;
            info.exitCode = ending.exitCode;
            info.cause = ending.cause;
            info.reason = readReason(ending.kind, ending.rank, ending.step, ending.cause.english(), info.worldSize);
            info.endRealtimeNs = ending.realtimeNs;
            return true;
        }
    return false;
}

/// Completes run.json from the store, or the store from run.json; if neither has an end, judges by the ranks' last
/// records.
static Result<void> completeRunInfo(store::RunWriter& store, RunInfo& info, const Recorded& recorded) {
    const bool lost = info.state == RunState::Lost;
    RS_TRY_ASSIGN(const auto ending, store.ending());
    if (ending && (!lost || adoptEnd(info, *ending)))
        return {};
    if (lost)
        endState(info, recorded);
    else if (info.state == RunState::Imported)
        return {};
    const auto severity =
        info.state == RunState::Failed ? telemetry::NoteSeverity::Error : telemetry::NoteSeverity::Warning;
    return store.end(endingOf(info), severity, fmt::format("The run ended: {}.", info.cause.english()),
                     info.startNs + recorded.lastNs);
}

/// Stores everything that the ranks left, and the run's end. The store is closed afterwards.
static Result<void> completeStore(const RunPaths& run, RunInfo& info) {
    if (info.worldSize == 0) // its supervisor had not seen a rank
        info.worldSize = worldSizeOf(reportingRanks(run));
    if (info.worldSize == 0) {
        endState(info, {});
        return {};
    }
    RS_TRY_ASSIGN(auto store, openStore(run, info));
    RS_TRY_ASSIGN(auto drain, Drain::open(run, std::move(store)));
    RS_TRY(drainAll(drain));
    RS_TRY_ASSIGN(const auto recorded, readRecordedEnd(run));
    RS_TRY(completeRunInfo(drain.store(), info, recorded));
    RS_TRY(drain.store().finish()); // also closes open incidents
    drain.removeJournals();
    return {};
}

static Result<void> complete(const RunPaths& run, RunInfo info) {
    const bool lost = info.state == RunState::Lost;
    if (lost)
        RS_TRY(endRanks(run, info));
    RS_TRY(completeStore(run, info));
    removePartialFiles(run);
    RunInfoReserve::removeLeftOver(run);
    // last of all: a process that waits for this reads the store next, which must not change any more
    return lost ? writeRunInfo(run, info) : Result<void>{};
}

/// Refuses runs that must not be changed: links in another user's run could redirect our writes, and writing to a hard
/// link would change the run that was copied.
static Result<void> checkMayBeWritten(const RunPaths& run, const RunInfo& info) {
    struct stat st {};
    if (::stat(run.dir.c_str(), &st) == 0 && st.st_uid != ::geteuid())
        return fail(Errc::Permission, "is another user's run, which is read-only", run.dir.string());
    if (isCopy(run, info) && ::lstat(run.store().c_str(), &st) == 0 && st.st_nlink > 1)
        return fail(Errc::Permission, "is a hard link to another folder's store and is read-only",
                    run.store().string());
    return {};
}

static bool isThere(const std::filesystem::path& file) {
    std::error_code ec;
    return std::filesystem::symlink_status(file, ec).type() != std::filesystem::file_type::not_found;
}

/// A store that is damaged, newer or another program's is left as it is.
static Result<void> checkStore(const RunPaths& run) {
    if (!isThere(run.store()))
        return {};
    auto whole = store::checkWhole(run.store());
    if (!whole)
        whole.error().what = {"the run was not brought up to date, and its store is unchanged: {}", whole.error().what};
    return whole;
}

Result<void> recover(const RunPaths& run) {
    RS_TRY_ASSIGN(auto info, readRunInfo(run));
    if (!needsRecovery(run, info))
        return {};
    if (goesOn(run, info)) {
        if (info.state != RunState::Lost)
            return {};
        return fail(Errc::Busy, {"its ranks run, but nothing watches them: 'rankscopectl attach {}' does", run.dir},
                    info.id);
    }
    RS_TRY(checkMayBeWritten(run, info));
    const bool copied = info.copied;
    // If the lock file exists, taking the lock does not change the folder; otherwise the store is examined first. What
    // is seen without the lock counts only while no process can have it: another may be in the middle of writing.
    bool looked = false;
    if (!isThere(run.lock())) {
        auto whole = checkStore(run);
        if (!whole && !isThere(run.lock()))
            return whole;
        looked = whole.has_value();
    }
    RS_TRY_ASSIGN(auto lock, lockFor(run));
    if (!lock)
        return {};
    RS_TRY_ASSIGN(info, recordedRunInfo(run)); // another process may have recovered it while we waited for the lock
    if (isLive(info.state))                    // no supervisor has the lock: we hold it
        info.state = RunState::Lost;
    info.copied = copied;
    if (!needsRecovery(run, info))
        return {};
    if (!looked)
        RS_TRY(checkStore(run));
    lock->markRecovery();
    return complete(run, std::move(info));
}

static Result<void> refuseCopy(const RunInfo& info) {
    if (!info.copied)
        return {};
    return fail(Errc::BadInput, {"{}: it is not training, so nothing was stopped", Message(kCopiedCause)}, info.id);
}

Result<void> requestStop(const RunPaths& run, bool now) {
    auto read = readRunInfo(run);
    if (const auto supervisor = read ? std::nullopt : RunLock::supervisor(run.lock())) // run.json is gone or damaged
        return signalStop(supervisor->pid, now)
                   ? Result<void>{}
                   : tl::unexpected(systemError("stop the supervisor", run.dir.string(), errno));
    RS_TRY_ASSIGN(const auto info, std::move(read));
    RS_TRY(refuseCopy(info));
    if (!isLive(info.state))
        return recover(run);
    if (!seesProcesses(info))
        return fail(Errc::Unsupported, {"{}; stop it there", whereItRuns(info)}, info.id);
    if (!isOfTheRunsOwner(run, info.supervisorPid))
        return fail(Errc::BadInput,
                    {"names process {}, which belongs to a different user than the file; no signal was sent",
                     info.supervisorPid},
                    run.runJson().string());
    const bool stopped = info.supervisor == SupervisorLife::Stopped;
    if (stopped && !now)
        return fail(Errc::Busy, {"{}, and 'stop --now' ends the run", supervisorNotice(info)}, info.id);
    if (!signalStop(info.supervisorPid, now) || (stopped && ::kill(info.supervisorPid, SIGCONT) != 0))
        return tl::unexpected(systemError("stop the supervisor", info.id, errno));
    return {};
}

} // namespace rankscope::launch
