// SPDX-License-Identifier: Apache-2.0
// Each rule by itself: what opens an incident besides a rank that the others wait for.
#include "core/diagnosis/detector/detector_state.h"
#include "core/diagnosis/evidence/leave_request_text.h"

#include <algorithm>

namespace rankscope::diagnosis {

using namespace telemetry;

/// It ended because of what an open incident says already: its peer held it up until its collective gave up.
bool Detector::State::isVictim(const RankObservation& r) const {
    if (isAbortedByMismatch(r.process) && mismatchTold)
        return true;
    if (r.process.state != ProcessView::State::Exited)
        return false;
    return std::any_of(open.begin(), open.end(), [&](const Tracked& t) {
        const auto& waiters = t.incident.waiters;
        const bool waited = std::find(waiters.begin(), waiters.end(), r.rank) != waiters.end();
        switch (t.rule) {
        case Rule::Mismatch:
            return r.process.exitCode == kCollateralExit;
        case Rule::Jam:
            return r.process.exitCode == kCollateralExit;
        case Rule::Hold:
            return waited && r.process.exitCode == kCollateralExit;
        case Rule::Join:
            return waited; // the rendezvous gave up
        case Rule::Config:
            return r.process.exitCode == kRefusedExit; // the ranks compared their settings, and left
        default:
            return false;
        }
    });
}

/// The rank that ended first for a reason of its own.
const RankObservation* Detector::State::culprit(const Observation& o) const {
    const RankObservation* best = nullptr;
    auto badness = [](const RankObservation& r) {
        return r.process.state == ProcessView::State::Signalled ? 2 : r.process.exitCode == kCollateralExit ? 0 : 1;
    };
    for (const auto& r : o.ranks) {
        if (!isBadEnd(r.process) || isVictim(r))
            continue;
        if (!best || badness(r) > badness(*best) ||
            (badness(r) == badness(*best) && r.process.sinceNs < best->process.sinceNs))
            best = &r;
    }
    return best;
}

/// A rank that left by itself while the others still wait for it at the rendezvous.
static bool leftBeforeJoining(const RankObservation& dead, bool ran, const Observation& o) {
    return !ran && dead.process.state != ProcessView::State::Signalled &&
           std::any_of(o.ranks.begin(), o.ranks.end(), [&](const RankObservation& r) {
               return r.rank != dead.rank && r.board && r.board->stage == RankStage::Joining && !isDead(r.process);
           });
}

void Detector::State::deaths(const Observation& o) {
    if (deathSeen || o.end == RunEnd::StoppedByUser)
        return;
    const RankObservation* dead = culprit(o);
    if (!dead)
        return;
    const bool collateral =
        dead->process.state == ProcessView::State::Exited && dead->process.exitCode == kCollateralExit;
    if (collateral && world > 1 && o.end == RunEnd::Running && o.nowNs - dead->process.sinceNs < kCulpritNs)
        return;
    deathSeen = true;
    Incident in;
    in.holders = {dead->rank};
    for (const Site& site : findHolds(o, INT64_MAX).sites)
        if (std::binary_search(site.holders.begin(), site.holders.end(), dead->rank)) {
            in.waiters = site.waiters;
            in.collective = site.collective;
        }
    in.openedNs = dead->process.sinceNs ? std::min(dead->process.sinceNs, o.nowNs) : o.nowNs;
    // a stall that ended in death is one story: the older incident is closed by it
    for (auto it = open.begin(); it != open.end();) {
        auto here = it++;
        if (here->rule == Rule::Hold && here->incident.holders.front() == dead->rank)
            close(here, in.openedNs, CloseReason::RunEnded);
    }
    const Circumstances around{o, {}, {}, !in.waiters.empty(), false, in.openedNs};
    const bool ran = ranks[static_cast<std::size_t>(dead->rank)].ran;
    in.cause = leftBeforeJoining(*dead, ran, o) ? Cause::NeverJoined : Cause::Dead;
    describe(in, *dead, around);
    if (in.cause == Cause::NeverJoined) {
        in.phase = Phase::Rendezvous;
        for (const auto& r : o.ranks)
            if (r.board && r.board->stage == RankStage::Joining && r.rank != dead->rank)
                in.waiters.push_back(r.rank);
    }
    start(Rule::Death, std::move(in), o);
}

/// Somebody asked a rank to leave, and all leave with it: what they wait for meanwhile is a consequence.
bool Detector::State::leaves(const Observation& o) {
    std::vector<int> asked;
    const RankObservation* first = nullptr;
    for (const auto& r : o.ranks) {
        if (r.process.asked.signal == 0)
            continue;
        asked.push_back(r.rank);
        if (!first || r.process.asked.atNs < first->process.asked.atNs)
            first = &r;
    }
    if (!first)
        return false;
    if (Tracked* t = find(Rule::Leave)) {
        if (t->incident.holders != asked)
            t->updatedNs = 0; // tell at once
        t->incident.holders = std::move(asked);
        update(*t, o);
        return true;
    }
    Incident in;
    in.cause = Cause::AskedToLeave;
    in.holders = std::move(asked);
    in.openedNs = std::clamp<std::int64_t>(first->process.asked.atNs, 1, std::max<std::int64_t>(1, o.nowNs));
    in.evidence = requestEvidence(first->process);
    in.evidence["threshold_s"] = 0.0;
    if (first->board) {
        in.phase = first->board->phase;
        in.step = first->board->step;
        in.evidence["pid"] = first->board->pid;
    }
    start(Rule::Leave, std::move(in), o);
    return true;
}

/// What is known of ranks that do not come: their processes and the ends of their logs.
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
        in.evidence["last_lines"] = lines;
}

void Detector::State::joins(const Observation& o) {
    if (o.nowNs - firstNs < toNs(settings.joinSeconds))
        return;
    Incident in;
    std::vector<int> joining;
    bool stopped = true;
    for (std::size_t r = 0; r < o.ranks.size(); ++r) {
        if (ranks[r].ran)
            return; // one that runs proves that all had met
        const RankObservation& rank = o.ranks[r];
        const bool there = rank.board && rank.board->stage >= RankStage::Joining && !isStopped(rank.process);
        (there ? joining : in.holders).push_back(rank.rank);
        stopped = stopped && (there || isStopped(rank.process));
    }
    if (Tracked* t = find(Rule::Join)) {
        update(*t, o);
        return;
    }
    if (deathSeen)
        return;
    if (in.holders.empty()) {
        in.holders.swap(joining);
        stopped = false;
    }
    in.waiters = joining;
    in.cause = stopped ? Cause::Stopped : Cause::NeverJoined;
    in.phase = Phase::Rendezvous;
    in.openedNs = firstNs;
    in.evidence["threshold_s"] = settings.joinSeconds;
    if (stopped)
        describe(in, o.ranks[static_cast<std::size_t>(in.holders.front())], {o, {}, {}, true, false, firstNs});
    in.phase = Phase::Rendezvous;
    describeAbsent(in, o);
    start(Rule::Join, std::move(in), o);
}

void Detector::State::configs(const Observation& o) {
    if (configChecked || world < 2)
        return;
    for (const auto& r : o.ranks)
        if (!r.board || r.board->stage < RankStage::Joining)
            return;
    configChecked = true;
    Incident in;
    const BoardSnapshot& first = *o.ranks.front().board;
    // what was launched is right, where that is known and some rank has it
    const bool known = std::any_of(o.ranks.begin(), o.ranks.end(), [&](const RankObservation& r) {
        return settings.configHash != 0 && r.board->configHash == settings.configHash;
    });
    const std::uint64_t right = known ? settings.configHash : first.configHash;
    bool sizes = false;
    for (const auto& r : o.ranks) {
        sizes = sizes || r.board->worldSize != first.worldSize;
        if (r.board->configHash != right || r.board->worldSize != first.worldSize)
            in.holders.push_back(r.rank);
    }
    if (in.holders.empty())
        return;
    // of two halves neither is the odd one; rank 0 stands against a majority only when it is alone
    if (!known && 2 * in.holders.size() > o.ranks.size() && in.holders.size() + 1 == o.ranks.size() &&
        o.ranks.size() > 2)
        in.holders = {o.ranks.front().rank};
    in.cause = Cause::ConfigurationDiffers;
    in.phase = Phase::Startup;
    in.openedNs = o.nowNs;
    in.evidence["differs"] = sizes ? "world_size" : "config_hash";
    if (!differingKeys.empty())
        in.evidence["keys"] = differingKeys;
    start(Rule::Config, std::move(in), o);
}

/// All have joined and run, their boards move, and still no step was ever finished.
void Detector::State::neverStarts(const Observation& o) {
    if (runningNs == 0 || window.anyStepFinished() || deathSeen || mismatchTold ||
        o.nowNs - runningNs < toNs(settings.joinSeconds))
        return;
    std::vector<int> busy, waiting;
    for (const auto& r : o.ranks) {
        if (!r.board || r.board->stage != RankStage::Running || r.board->phase == Phase::Validate)
            return; // the check of the validation before the first step takes what it takes
        const bool waits = std::any_of(r.board->collectives.begin(), r.board->collectives.end(),
                                       [](const BoardCollective& c) { return c.open(); });
        (waits ? waiting : busy).push_back(r.rank);
    }
    if (Tracked* t = find(Rule::Start)) {
        update(*t, o);
        return;
    }
    if (busy.empty() || find(Rule::Hold))
        return;
    Incident in;
    in.openedNs = runningNs;
    in.holders = busy;
    const RankObservation& first = o.ranks[static_cast<std::size_t>(busy.front())];
    const Circumstances around{o, {}, othersLengths(o, busy), false, false, runningNs};
    in.cause = causeOf(first, around);
    describe(in, first, around);
    in.evidence["no_step"] = true;
    in.evidence["threshold_s"] = settings.joinSeconds;
    start(Rule::Start, std::move(in), o);
}

} // namespace rankscope::diagnosis
