// SPDX-License-Identifier: Apache-2.0
#include "core/diagnosis/detector/process_tracker.h"

#include "core/base/text/terminal_safe.h"
#include "core/diagnosis/evidence/cause_finder.h"
#include "core/diagnosis/evidence/leave_sender.h"
#include "core/diagnosis/evidence/remedy.h"
#include "core/diagnosis/stalls/pause_scan.h"
#include "core/diagnosis/stalls/stall_scan.h"

#include <algorithm>
#include <csignal>

namespace rankscope::diagnosis {

using namespace telemetry;

/// A rank that ends because its peer died may be seen first, so its exit is reported only after this time, if no other
/// rank turns out to be the culprit.
static constexpr std::int64_t kCulpritNs = 300'000'000;
/// Exit code of our trainer if a collective failed: a consequence of another rank's end, seldom a cause.
static constexpr int kCollateralExit = 3;
/// Exit code of our trainer if it rejected its recipe, a file or the machine.
static constexpr int kRefusedExit = 2;

/// Returns the keys in a text: "a.b, c" for "a.b is 1 on rank 0 and 2 on rank 1; c is …".
static std::string keysIn(std::string_view text) {
    std::string keys;
    for (std::size_t at = 0; at < text.size();) {
        const std::string_view one = text.substr(at, text.find("; ", at) - at);
        at += one.size() + 2;
        const std::string_view key = one.substr(0, one.find(" is "));
        if (key.size() < one.size() && !key.empty() && key.find(' ') == std::string_view::npos)
            keys.append(keys.empty() ? "" : ", ").append(key);
    }
    return keys;
}

void ProcessTracker::take(const CheckRecord& c) {
    if (!isConfigurationCheck(c))
        return;
    m_s.differingKeys = keysIn(getText(c.text, sizeof c.text));
    if (OpenHold* t = m_s.incidents.find(Rule::Config); t && !m_s.differingKeys.empty()) {
        t->incident.evidence.keys = m_s.differingKeys;
        t->incident.remedy = remedyFor(t->incident, m_s.settings);
        m_s.incidents.report(*t);
    }
}

void ProcessTracker::openPause(std::int64_t beginNs, std::int64_t pausedNs, std::string_view what) {
    Incident in;
    in.cause = Cause::Paused;
    in.openedNs = beginNs;
    in.evidence.paused = what;
    in.evidence.pausedSeconds = static_cast<double>(pausedNs) * 1e-9;
    std::string pids;
    for (const RankObservation& r : m_o.ranks) {
        in.step = std::max(in.step, r.board ? r.board->step : -1);
        if (r.board && r.board->pid > 0)
            pids += (pids.empty() ? "" : " ") + std::to_string(r.board->pid);
    }
    if (what == kRanksPaused) {
        in.evidence.signalName = signalName(m_o.ranks.front().process.signal);
        in.evidence.pids = pids;
    }
    m_s.incidents.start(Rule::Pause, std::move(in));
}

void ProcessTracker::trackPauses() {
    const std::int64_t least = toNs(m_s.settings.stallMinSeconds);
    const auto close = [&](OpenHold& pause, std::int64_t atNs) {
        auto& all = m_s.incidents.all();
        m_s.incidents.close(std::find_if(all.begin(), all.end(), [&](const OpenHold& t) { return &t == &pause; }), atNs,
                            CloseReason::Recovered);
    };
    if (m_o.unwatched.suspendedNs >= least) { // the monotonic clock did not run
        openPause(m_o.nowNs, m_o.unwatched.suspendedNs, kMachinePaused);
        close(m_s.incidents.all().back(), m_o.nowNs);
    }
    const bool stopped = areAllStopped(m_o);
    if (const auto pause = findPause(m_o)) {
        m_s.clock.add(*pause);
        if (m_s.pausedSinceNs == 0)
            m_s.pausedSinceNs = pause->beginNs;
        m_s.pausedUntilNs = pause->endNs;
    }
    if (m_s.pausedSinceNs == 0)
        return;
    const std::int64_t pausedNs = m_s.pausedUntilNs - m_s.pausedSinceNs;
    OpenHold* open = m_s.incidents.find(Rule::Pause);
    if (!open && pausedNs >= least) {
        openPause(m_s.pausedSinceNs, pausedNs, m_o.unwatched.beginNs != 0 ? kRunPaused : kRanksPaused);
        open = m_s.incidents.find(Rule::Pause);
    } else if (open) {
        open->incident.evidence.pausedSeconds = static_cast<double>(pausedNs) * 1e-9;
        if (m_o.unwatched.beginNs != 0)
            open->incident.evidence.paused = kRunPaused;
        m_s.incidents.update(*open);
    }
    if (stopped && m_o.end == RunOutcomeSeen::Running)
        return;
    if (open) {
        open->incident.remedy = {}; // the ranks have continued
        close(*open, m_s.pausedUntilNs);
    }
    m_s.pausedSinceNs = m_s.pausedUntilNs = 0;
}

void ProcessTracker::take(int rank, const EndRecord& end) {
    RankMemory& memory = m_s.ranks[static_cast<std::size_t>(rank)];
    memory.failed = memory.failed || end.cause == EndCause::Failed;
    memory.endText = printableLine(getText(end.text, sizeof end.text));
    if (end.droppedRecords > memory.lostRecords) {
        memory.lostRecords = end.droppedRecords;
        memory.lostNs = m_o.nowNs;
    }
}

const RankMemory& ProcessTracker::memoryOf(const RankObservation& r) const {
    return m_s.ranks[static_cast<std::size_t>(r.rank)];
}

std::string ProcessTracker::lastWords(const RankObservation& r) const {
    return memoryOf(r).endText + "\n" + r.process.lastLines;
}

/// Returns whether the rank ended because of another one: our trainer says so by its exit code, any other program by
/// what it said last. A launcher ends the remaining ranks by SIGTERM.
bool ProcessTracker::isConsequence(const RankObservation& r) const {
    if (m_s.settings.recipe)
        return r.process.state == ProcessView::State::Exited && r.process.exitCode == kCollateralExit;
    return (r.process.state == ProcessView::State::Signalled && r.process.signal == SIGTERM) ||
           mentionsAnotherRank(lastWords(r));
}

/// Returns whether an open incident explains the rank's end: its peer held it up until its collective timed out.
bool ProcessTracker::isVictim(const RankObservation& r) const {
    if (isAbortedByMismatch(r.process) && m_s.incidents.mismatchSeen())
        return true;
    const bool terminated = !m_s.settings.recipe && r.process.state == ProcessView::State::Signalled &&
                            r.process.signal == SIGTERM; // by its launcher
    if (r.process.state != ProcessView::State::Exited && !terminated)
        return false;
    return std::any_of(m_s.incidents.all().begin(), m_s.incidents.all().end(), [&](const OpenHold& t) {
        const auto& waiters = t.incident.waiters;
        const bool waited = std::find(waiters.begin(), waiters.end(), r.rank) != waiters.end();
        switch (t.rule) {
        case Rule::Mismatch:
        case Rule::Jam:
            return isConsequence(r);
        case Rule::Hold:
            return waited && isConsequence(r);
        case Rule::Join:
            return waited; // the rendezvous timed out
        case Rule::Config:
            // the ranks compared their settings and left
            return m_s.settings.recipe ? r.process.exitCode == kRefusedExit : isConsequence(r);
        default:
            return false;
        }
    });
}

/// Returns whether the rank's program has reported a failure that no other rank caused, but its process is still
/// running, for example in a barrier that the other ranks never enter.
bool ProcessTracker::isFailing(const RankObservation& r) const {
    return !m_s.settings.recipe && memoryOf(r).failed && !isDead(r.process) && !isConsequence(r);
}

/// Returns whether the reason of an abort, which often is another rank's call, may still come into the command's log.
bool ProcessTracker::mayBeExplained(const RankObservation& r) const {
    return !m_s.settings.recipe && r.process.state == ProcessView::State::Signalled && r.process.signal == SIGABRT &&
           r.process.lastLines.empty() && m_o.end == RunOutcomeSeen::Running &&
           m_o.nowNs - r.process.sinceNs < kCulpritNs;
}

/// Returns the rank that failed first and was not a victim of another; no rank if there is none.
ProcessTracker::FailedRank ProcessTracker::culprit() const {
    FailedRank best;
    const bool anyEnded = std::ranges::any_of(m_o.ranks, [](const auto& r) { return isBadEnd(r.process); });
    for (const auto& r : m_o.ranks) {
        const RankMemory& memory = memoryOf(r);
        const bool failing = isFailing(r) && (anyEnded || m_o.nowNs - memory.failedNs >= kOthersReportNs);
        const bool done = r.process.state == ProcessView::State::Gone && r.board && telemetry::hasLeft(r.board->stage);
        if (!failing && (!isBadEnd(r.process) || done || isVictim(r) || mayBeExplained(r)))
            continue;
        const bool saidFirst = !m_s.settings.recipe && memory.failed && memory.failedNs > 0;
        const FailedRank one{&r,
                             !saidFirst               ? r.process.sinceNs
                             : failing                ? memory.failedNs
                             : r.process.sinceNs == 0 ? memory.failedNs
                                                      : std::min(memory.failedNs, r.process.sinceNs),
                             isConsequence(r)                                   ? 0
                             : r.process.state == ProcessView::State::Signalled ? 2
                                                                                : 1};
        if (!best.rank || one.badness > best.badness || (one.badness == best.badness && one.sinceNs < best.sinceNs))
            best = one;
    }
    return best;
}

/// Returns whether the rank left by itself while others still wait for it at the rendezvous.
static bool leftBeforeJoining(const RankObservation& dead, bool ran, const Observation& o) {
    return !ran && dead.process.state != ProcessView::State::Signalled &&
           std::any_of(o.ranks.begin(), o.ranks.end(), [&](const RankObservation& r) {
               return r.rank != dead.rank && r.board && r.board->stage == RankStage::Joining && !isDead(r.process);
           });
}

/// Returns the ranks that ended well.
std::vector<int> ProcessTracker::finishedEarly() const {
    std::vector<int> ranks;
    for (const auto& r : m_o.ranks)
        if (!isBadEnd(r.process) && (isDead(r.process) || (r.board && telemetry::hasLeft(r.board->stage))))
            ranks.push_back(r.rank);
    return ranks;
}

void ProcessTracker::trackDeaths() {
    if (OpenHold* t = m_s.settings.recipe ? nullptr : m_s.incidents.find(Rule::Death)) { // a failed rank may end later
        const RankObservation& r = m_o.ranks[static_cast<std::size_t>(t->incident.holders.front())];
        if (isBadEnd(r.process) && !t->incident.evidence.exitCode && !t->incident.evidence.signalName &&
            r.process.state != ProcessView::State::Gone) {
            addExitEvidence(t->incident.evidence, r.process);
            m_s.incidents.report(*t);
        }
    }
    if (m_s.incidents.deathSeen() || m_o.end == RunOutcomeSeen::StoppedByUser)
        return;
    const FailedRank dead = culprit();
    if (!dead.rank)
        return;
    const bool collateral = dead.badness == 0;
    if (collateral && m_s.world > 1 && m_o.end == RunOutcomeSeen::Running && m_o.nowNs - dead.sinceNs < kCulpritNs)
        return;
    if (collateral && !m_s.settings.recipe)
        if (auto finished = finishedEarly(); !finished.empty())
            return openUneven(std::move(finished), dead);
    openDeath(dead);
}

/// Ranks that had no batch left ended, and the others' collectives broke.
void ProcessTracker::openUneven(std::vector<int> finished, const FailedRank& victim) {
    Incident in;
    in.cause = Cause::UnevenBatches;
    in.holders = std::move(finished);
    for (const auto& r : m_o.ranks)
        if (isBadEnd(r.process))
            in.waiters.push_back(r.rank);
    in.openedNs = victim.sinceNs ? std::min(victim.sinceNs, m_o.nowNs) : m_o.nowNs;
    if (const auto& board = victim.rank->board) {
        in.step = board->step;
        in.phase = board->phase;
    }
    in.evidence.thresholdSeconds = 0.0;
    addException(in, *victim.rank);
    m_s.incidents.start(Rule::Death, std::move(in));
}

/// Adds the exception that ended the rank, if it said so. Our trainer has its own words for that.
void ProcessTracker::addException(Incident& in, const RankObservation& r) const {
    if (m_s.settings.recipe)
        return;
    const RankMemory& memory = memoryOf(r);
    std::string exception = memory.failed ? memory.endText : std::string();
    if (exception.empty())
        exception = printableLine(pythonException(r.process.lastLines));
    if (exception.empty())
        return;
    if (mentionsMemory(exception))
        in.evidence.outOfMemory = true;
    in.evidence.exception = std::move(exception);
}

void ProcessTracker::openDeath(const FailedRank& failed) {
    const RankObservation* dead = failed.rank;
    Incident in;
    in.holders = {dead->rank};
    for (const BlockedCollective& site : scanForStalls(m_o, INT64_MAX, m_s.groups()).sites)
        if (std::binary_search(site.holders.begin(), site.holders.end(), dead->rank)) {
            in.waiters = site.everyWaiter();
            in.collective = site.collective;
        }
    in.openedNs = failed.sinceNs ? std::min(failed.sinceNs, m_o.nowNs) : m_o.nowNs;
    // a stall that ended in a death is one incident: close the older one
    for (auto it = m_s.incidents.all().begin(); it != m_s.incidents.all().end();) {
        auto here = it++;
        if (here->rule == Rule::Hold && here->incident.holders.front() == dead->rank)
            m_s.incidents.close(here, in.openedNs, CloseReason::RunEnded);
    }
    const HoldContext context{m_o, {}, {}, !in.waiters.empty(), false, in.openedNs};
    in.cause = leftBeforeJoining(*dead, memoryOf(*dead).ran, m_o) ? Cause::NeverJoined
               : mentionsLoaderWorker(lastWords(*dead))           ? Cause::LoaderWorkerDied
                                                                  : Cause::Dead;
    addHoldEvidence(in, *dead, context);
    addException(in, *dead);
    if (in.cause == Cause::NeverJoined) {
        in.phase = Phase::Rendezvous;
        for (const auto& r : m_o.ranks)
            if (r.board && r.board->stage == RankStage::Joining && r.rank != dead->rank)
                in.waiters.push_back(r.rank);
    }
    m_s.incidents.start(Rule::Death, std::move(in));
}

bool ProcessTracker::trackLeaves() {
    std::vector<int> asked;
    const RankObservation* first = nullptr;
    for (const auto& r : m_o.ranks) {
        if (r.process.asked.signal == 0)
            continue;
        asked.push_back(r.rank);
        if (!first || r.process.asked.atNs < first->process.asked.atNs)
            first = &r;
    }
    if (!first)
        return false;
    if (OpenHold* t = m_s.incidents.find(Rule::Leave)) {
        if (t->incident.holders != asked)
            t->updatedNs = 0; // report it immediately
        t->incident.holders = std::move(asked);
        m_s.incidents.update(*t);
        return true;
    }
    Incident in;
    in.cause = Cause::AskedToLeave;
    in.holders = std::move(asked);
    in.openedNs = std::clamp<std::int64_t>(first->process.asked.atNs, 1, std::max<std::int64_t>(1, m_o.nowNs));
    in.evidence = leaveEvidence(first->process);
    in.evidence.thresholdSeconds = 0.0;
    if (first->board) {
        in.phase = first->board->phase;
        in.step = first->board->step;
        in.evidence.pid = first->board->pid;
    }
    m_s.incidents.start(Rule::Leave, std::move(in));
    return true;
}

/// Adds evidence about the ranks that do not join: the state of their processes and the last lines of their logs.
static void describeAbsent(Incident& in, const Observation& o) {
    constexpr std::size_t kMost = 8;
    std::string lines;
    for (std::size_t i = 0; i < std::min(in.holders.size(), kMost); ++i) {
        const RankObservation& r = o.ranks[static_cast<std::size_t>(in.holders[i])];
        if (r.process.lastLines.empty())
            continue;
        if (in.holders.size() > 1)
            lines += "rank " + std::to_string(r.rank) + ":\n";
        lines += r.process.lastLines + "\n";
    }
    if (!lines.empty())
        in.evidence.lastLines = lines;
}

void ProcessTracker::trackJoins() {
    if (m_o.nowNs - m_s.firstNs < toNs(m_s.settings.joinSeconds))
        return;
    Incident in;
    std::vector<int> joining;
    bool stopped = true;
    for (std::size_t r = 0; r < m_o.ranks.size(); ++r) {
        if (m_s.ranks[r].ran)
            return; // a rank that runs proves that all had joined
        const RankObservation& rank = m_o.ranks[r];
        const bool there = rank.board && rank.board->stage >= RankStage::Joining && !isStopped(rank.process);
        (there ? joining : in.holders).push_back(rank.rank);
        stopped = stopped && (there || isStopped(rank.process));
    }
    if (OpenHold* t = m_s.incidents.find(Rule::Join)) {
        m_s.incidents.update(*t);
        return;
    }
    if (m_s.incidents.deathSeen())
        return;
    if (in.holders.empty()) {
        in.holders.swap(joining);
        stopped = false;
    }
    in.waiters = joining;
    in.cause = stopped ? Cause::Stopped : Cause::NeverJoined;
    in.phase = Phase::Rendezvous;
    in.openedNs = m_s.firstNs;
    in.evidence.thresholdSeconds = m_s.settings.joinSeconds;
    if (stopped)
        addHoldEvidence(in, m_o.ranks[static_cast<std::size_t>(in.holders.front())],
                        {m_o, {}, {}, true, false, m_s.firstNs});
    in.phase = Phase::Rendezvous;
    describeAbsent(in, m_o);
    m_s.incidents.start(Rule::Join, std::move(in));
}

void ProcessTracker::trackConfigs() {
    if (m_s.configChecked || m_s.world < 2)
        return;
    for (const auto& r : m_o.ranks)
        if (!r.board || r.board->stage < RankStage::Joining)
            return;
    m_s.configChecked = true;
    Incident in;
    const BoardSnapshot& first = *m_o.ranks.front().board;
    // the launched configuration is the right one, if it is known and some rank has it
    const bool known = std::any_of(m_o.ranks.begin(), m_o.ranks.end(), [&](const RankObservation& r) {
        return m_s.settings.configHash != 0 && r.board->configHash == m_s.settings.configHash;
    });
    const std::uint64_t right = known ? m_s.settings.configHash : first.configHash;
    bool sizes = false;
    for (const auto& r : m_o.ranks) {
        sizes = sizes || r.board->worldSize != first.worldSize;
        if (r.board->configHash != right || r.board->worldSize != first.worldSize)
            in.holders.push_back(r.rank);
    }
    if (in.holders.empty())
        return;
    // of two equal halves, neither is the odd one; rank 0 is the odd one only if all others differ from it
    if (!known && 2 * in.holders.size() > m_o.ranks.size() && in.holders.size() + 1 == m_o.ranks.size() &&
        m_o.ranks.size() > 2)
        in.holders = {m_o.ranks.front().rank};
    in.cause = Cause::ConfigurationDiffers;
    in.phase = Phase::Startup;
    in.openedNs = m_o.nowNs;
    in.evidence.differs = sizes ? "world_size" : "config_hash";
    if (!m_s.differingKeys.empty())
        in.evidence.keys = m_s.differingKeys;
    m_s.incidents.start(Rule::Config, std::move(in));
}

void ProcessTracker::trackStart() {
    if (m_s.runningNs == 0 || m_s.window.anyStepFinished() || m_s.incidents.deathSeen() ||
        m_s.incidents.mismatchSeen() || m_o.nowNs - m_s.runningNs < toNs(m_s.settings.joinSeconds))
        return;
    std::vector<int> busy;
    for (const auto& r : m_o.ranks) {
        if (!r.board || r.board->stage != RankStage::Running || r.board->phase == Phase::Validate)
            return; // the validation check before the first step may take any time
        if (!isInside(r))
            busy.push_back(r.rank);
    }
    if (OpenHold* t = m_s.incidents.find(Rule::Start)) {
        m_s.incidents.update(*t);
        return;
    }
    if (busy.empty() || m_s.incidents.find(Rule::Hold))
        return;
    Incident in;
    in.openedNs = m_s.runningNs;
    in.holders = busy;
    const RankObservation& first = m_o.ranks[static_cast<std::size_t>(busy.front())];
    const HoldContext context{m_o, {}, othersLengths(m_o, busy), false, false, m_s.runningNs};
    const CauseFinding found = findCause(first, context);
    in.cause = found.cause;
    if (!found.missing.empty())
        in.evidence.missing = found.missing;
    addHoldEvidence(in, first, context);
    in.evidence.noStep = true;
    in.evidence.thresholdSeconds = m_s.settings.joinSeconds;
    m_s.incidents.start(Rule::Start, std::move(in));
}

} // namespace rankscope::diagnosis
