// SPDX-License-Identifier: Apache-2.0
#include "core/diagnosis/detector/hold_tracker.h"

#include "core/diagnosis/detector/straggler_tracker.h"
#include "core/diagnosis/evidence/remedy.h"
#include "core/diagnosis/model/sanitized_observation.h"
#include "core/diagnosis/stalls/stuck_collective.h"
#include "core/diagnosis/stalls/uneven_epochs.h"

#include <algorithm>
#include <numeric>

namespace rankscope::diagnosis {

using namespace telemetry;

/// Shorter waits are the ordinary jitter of a step.
static constexpr std::int64_t kLongWaitNs = 200'000'000;
/// How long a rank of a program may stand still while no rank waits for it: in a phase, and in none.
static constexpr std::int64_t kAloneNs = 30'000'000'000, kUnseenAloneNs = 300'000'000'000;
/// How long ranks of a program may wait for one that prepares something before the first step.
static constexpr std::int64_t kFirstStepNs = 60'000'000'000;

namespace {

void insertSorted(std::vector<int>& ranks, int rank) {
    const auto at = std::lower_bound(ranks.begin(), ranks.end(), rank);
    if (at == ranks.end() || *at != rank)
        ranks.insert(at, rank);
}

std::vector<int> without(const std::vector<int>& ranks, const std::vector<int>& others) {
    std::vector<int> left;
    std::set_difference(ranks.begin(), ranks.end(), others.begin(), others.end(), std::back_inserter(left));
    return left;
}

/// Returns whether the rank has ended although it had more to do, and not badly: with the run, which explains no wait.
bool isEndedWithTheRun(const RankObservation& r) {
    return isDead(r.process) && !isBadEnd(r.process) && r.board && !hasLeft(r.board->stage);
}

bool sameCollective(const CollectiveRef& a, const CollectiveRef& b) {
    return a.known == b.known && (!a.known || (a.group == b.group && a.sequence == b.sequence));
}

} // namespace

HoldTracker::HoldTracker(DetectorState& state, const StragglerTracker& stragglers, const Observation& observation)
    : m_s(state), m_stragglers(stragglers), m_o(observation), m_byHolder(observation.ranks.size(), nullptr) {
    for (OpenHold& t : m_s.incidents.all())
        if (t.rule == Rule::Hold)
            for (const int h : t.incident.holders)
                if (static_cast<std::size_t>(h) < m_byHolder.size())
                    m_byHolder[static_cast<std::size_t>(h)] = &t; // the newest incident counts
}

const UsualCompute& HoldTracker::usual() {
    if (!m_usual)
        m_usual = m_s.window.usualCompute();
    return *m_usual;
}

HoldContext HoldTracker::context(const std::vector<int>& holders, std::int64_t sinceNs, bool waited) {
    return {m_o, {}, othersLengths(m_o, holders), waited, false, sinceNs};
}

/// Returns the place's context for one of its holders.
HoldContext HoldTracker::of(int rank, const Where& place, std::int64_t sinceNs) {
    HoldContext c = place.context;
    c.usual = usual();
    c.inside = isInside(at(rank));
    c.sinceNs = sinceNs;
    c.failed = !m_s.settings.recipe && m_s.ranks[static_cast<std::size_t>(rank)].failed;
    c.lostWorker = m_s.ranks[static_cast<std::size_t>(rank)].workerDiedNs > 0;
    if (!m_withoutBatches)
        m_withoutBatches = ranksWithoutBatches(m_o);
    c.endedEarly = std::ranges::binary_search(*m_withoutBatches, rank);
    if (const auto& board = at(rank).board) {
        m_s.window.addPhasesIn(rank, sinceNs, std::min(board->phaseSinceNs, m_o.nowNs), c.spentNs);
        const TimeSpan current{std::max(board->phaseSinceNs, sinceNs), m_o.nowNs};
        c.spentNs[static_cast<std::size_t>(board->phase)] += current.lengthNs();
        const std::int64_t known = std::accumulate(c.spentNs.begin(), c.spentNs.end(), std::int64_t{0});
        if (m_s.window.knowsPhases(rank))
            c.spentNs[static_cast<std::size_t>(Phase::None)] += std::max<std::int64_t>(0, m_o.nowNs - sinceNs - known);
    }
    return c;
}

/// Returns false if records of the rank were lost since it last completed a collective of the group: then its numbers
/// may have shifted.
bool HoldTracker::isAbsenceCertain(int rank, const BlockedCollective& site) const {
    const std::int64_t lostNs = m_s.ranks[static_cast<std::size_t>(rank)].lostNs;
    const BoardCollective* newest = collectiveOf(at(rank), site.collective.group);
    return lostNs == 0 || (newest && newest->doneNs > lostNs);
}

/// Returns why the rank holds the others up, or why that is not known.
CauseFinding HoldTracker::find(int rank, const Where& place, const HoldContext& c) const {
    CauseFinding found = findCause(at(rank), c);
    const bool gone = isStopped(at(rank).process) || isDead(at(rank).process) || !at(rank).board;
    if (!place.site || gone || (place.site->isKnown && isAbsenceCertain(rank, *place.site)))
        return found;
    found.cause = Cause::Unknown;
    found.missing = place.site->isKnown ? kLostRecords : kHiddenGroup;
    return found;
}

/// Sets the cause with its evidence.
void HoldTracker::describe(Incident& in, int rank, const HoldContext& c, const CauseFinding& found) const {
    const RankMemory& memory = m_s.ranks[static_cast<std::size_t>(rank)];
    in.cause = found.cause;
    in.evidence.missing.reset();
    in.evidence.phaseShares.reset();
    in.evidence.lostRecords.reset();
    if (!found.missing.empty())
        in.evidence.missing = found.missing;
    addHoldEvidence(in, at(rank), c);
    if (found.missing == kSeveralPhases)
        in.evidence.phaseShares = sharesText(c.spentNs);
    if (found.missing == kLostRecords)
        in.evidence.lostRecords = static_cast<std::int64_t>(std::min<std::uint64_t>(memory.lostRecords, INT64_MAX));
    if (in.phase != found.phase && at(rank).board) { // it has continued, but most of the time was lost before
        in.phase = found.phase;
        in.evidence.holderPhaseSeconds = static_cast<double>(c.spentNs[static_cast<std::size_t>(in.phase)]) * 1e-9;
    }
    if (in.cause == Cause::LoaderWorkerDied) {
        in.evidence.workerEnd = memory.workerEnd;
        if (at(rank).resources && at(rank).resources->workers >= 0)
            in.evidence.workers = at(rank).resources->workers;
    }
    if (in.cause == Cause::UnevenBatches && c.endedEarly)
        addBatches(in, m_o);
    if (in.cause == Cause::Dead && !memory.endText.empty() && !m_s.settings.recipe)
        in.evidence.exception = memory.endText;
    addCheckpoint(in, rank);
}

void HoldTracker::take(const BlockedCollective& site) {
    Where place{&site, site.sinceNs, context(site.holders, site.sinceNs, true)};
    for (const int rank : site.holders)
        hold(rank, place);
}

void HoldTracker::take(const std::vector<IdleRank>& alone) {
    std::vector<int> ranks;
    for (const IdleRank& a : alone)
        ranks.push_back(a.rank);
    Where place{nullptr, 0, context(ranks, 0, false)};
    for (const IdleRank& a : alone) {
        place.sinceNs = place.context.sinceNs = a.sinceNs;
        hold(a.rank, place);
    }
}

/// Returns whether it is still the same hold-up: the same collective, or a noticeable wait in the same step.
bool HoldTracker::continues(const OpenHold& t, int rank, const Where& place) const {
    const Incident& in = t.incident;
    const auto& board = at(rank).board;
    const ProcessView& process = at(rank).process;
    if (in.cause == Cause::Stopped && isStopped(process) && process.sinceNs <= in.detectedNs)
        return true; // the same stop; that it was continued may be seen later than its steps
    const bool sameStep = !board || board->step <= in.step;
    if (!in.collective.known || !place.site)
        return sameStep;
    return sameCollective(in.collective, place.site->collective) ||
           (sameStep && m_o.nowNs - place.sinceNs >= kLongWaitNs);
}

void HoldTracker::hold(int rank, Where& place) {
    OpenHold*& t = m_byHolder[static_cast<std::size_t>(rank)];
    if (t && continues(*t, rank, place)) {
        if (!t->seen && !isEndedWithTheRun(at(rank)))
            refine(*t, rank, place);
        m_s.incidents.update(*t);
        return;
    }
    if (m_s.incidents.deathSeen() || m_s.incidents.mismatchSeen() || isEndedWithTheRun(at(rank)))
        return;
    const std::int64_t step = at(rank).board ? at(rank).board->step : -1;
    const bool told = (t && step <= t->incident.step + 1) || step <= m_s.ranks[static_cast<std::size_t>(rank)].heldStep;
    const std::int64_t lost = lostBy(rank, place, step, told);
    if (lost < leastLate(rank, place))
        return;
    if (t && step >= 0 && step <= t->incident.step)
        return; // jitter later in the same step; the hold-up closes when the step ends
    if (!t && isSlowAsUsual(rank, place, lost))
        return;
    if (t && recurs(*t, rank, place)) {
        again(*t, rank, place, lost);
        return;
    }
    if (t && t->incident.holders.size() == 1) // another hold-up by the same rank
        m_s.incidents.close(std::find_if(m_s.incidents.all().begin(), m_s.incidents.all().end(),
                                         [&](const OpenHold& x) { return &x == t; }),
                            t->clearSinceNs ? t->clearSinceNs : place.sinceNs, CloseReason::Recovered);
    join(rank, place, lost);
}

/// Returns whether the next step is held up for the same reason: that is one incident, however many steps it takes. A
/// rank that is slow in every step may be in a different phase each time, and is not always late enough to be reported.
bool HoldTracker::recurs(const OpenHold& t, int rank, const Where& place) {
    const Incident& in = t.incident;
    const auto& board = at(rank).board;
    if (in.holders.size() != 1 || !board || in.collective.known != (place.site != nullptr))
        return false;
    const Cause cause = find(rank, place, of(rank, place, place.context.sinceNs)).cause;
    if (isSlowness(cause) && isSlowness(in.cause) && m_stragglers.isSlowing(rank))
        return board->step > in.step;
    return board->step == in.step + 1 && board->phase == in.phase && cause == in.cause;
}

/// Returns whether the straggler's incident explains a long step, so that it is not reported separately. A rank that is
/// held back by its CPU quota may have steps of any length.
bool HoldTracker::isSlowAsUsual(int rank, const Where& place, std::int64_t lost) {
    return m_stragglers.isAsSlowAsUsual(rank, isHeldByQuota(m_o, rank) ? 0 : lost) &&
           isSlowness(find(rank, place, of(rank, place, m_o.nowNs - lost)).cause);
}

void HoldTracker::again(OpenHold& t, int rank, const Where& place, std::int64_t lost) {
    Incident& in = t.incident;
    remember(rank);
    if (place.site) {
        in.collective = place.site->collective;
        in.waiters = place.site->everyWaiter();
    }
    addHoldEvidence(in, at(rank), of(rank, place, m_o.nowNs - lost));
    t.longestRead = {};
    in.evidence.holdUps = std::clamp<std::int64_t>(in.evidence.holdUps.value_or(1), 1, INT32_MAX) + 1;
    in.remedy = remedyFor(in, m_s.settings);
    t.updatedNs = 0; // report it immediately
    m_s.incidents.update(t);
}

/// Returns how much time the rank cost the others in this step. Once the typical step is known, earlier waits of the
/// step count too, unless they were reported: ranks that waited while the holder finished its step were already in the
/// next one. Time in a checkpoint or validation is left out; it has its own threshold.
std::int64_t HoldTracker::lostBy(int rank, const Where& place, std::int64_t step, bool told) const {
    const RankStep* sofar = place.site ? m_s.window.find(rank, step) : nullptr;
    const bool adds = sofar && !told && m_s.typicalStepNs > 0;
    const std::int64_t before = adds ? sofar->heldNs - sofar->heldSavingNs : 0;
    std::int64_t since = std::max(place.sinceNs, sofar ? sofar->heldUntilNs : 0); // shared time counts once
    if (place.site && !isStopped(at(rank).process)) {
        since = std::max(since, notBlockedSince(at(rank), *place.site));
        if (isInside(at(rank))) // until then, a stopped rank kept it inside
            since = std::max(since, m_s.window.othersStoppedUntil(rank));
    }
    const std::int64_t saving = m_s.window.savedIn(rank, since, m_o.nowNs);
    return std::max<std::int64_t>(0, m_o.nowNs - since - saving) + before;
}

/// Returns how much time a rank must cost to be reported. A program of the user may do anything between two steps, so
/// a rank for which none waits has more time there, and before the first step so has every rank.
std::int64_t HoldTracker::leastLate(int rank, const Where& place) const {
    const auto& board = at(rank).board;
    const bool stopped = isStopped(at(rank).process);
    const bool saves = board && board->stage == RankStage::Running && !stopped;
    const std::int64_t threshold = saves ? m_s.thresholdIn(board->phase) : m_s.threshold;
    if (m_s.settings.recipe || stopped)
        return threshold;
    if (!m_s.window.anyStepFinished())
        return std::max(threshold, std::min(toNs(m_s.settings.joinSeconds), kFirstStepNs));
    if (place.site)
        return threshold;
    return std::max(threshold, board && board->phase == Phase::None ? kUnseenAloneNs : kAloneNs);
}

void HoldTracker::addCheckpoint(Incident& in, int rank) const {
    const RankMemory& memory = m_s.ranks[static_cast<std::size_t>(rank)];
    if (in.cause != Cause::Checkpoint || !at(rank).resources || at(rank).resources->writeBytesPerSecond < 0)
        return;
    in.evidence.writtenBytes = nanosecondsOf(memory.checkpointBytes);
    in.evidence.writeRateBytes = at(rank).resources->writeBytesPerSecond;
}

/// Adds the ranks that a stopped rank keeps inside a collective at which it had already arrived.
void HoldTracker::addThoseInside(Incident& in) const {
    const auto jams = findStuckCollectives(m_o, m_s.groups());
    const auto jam = std::ranges::find_if(
        jams, [&](const StuckCollective& of) { return std::ranges::binary_search(of.ranks, in.holders.front()); });
    if (jam == jams.end())
        return;
    in.collective = jam->collective;
    std::ranges::copy_if(jam->ranks, std::back_inserter(in.waiters),
                         [this](int rank) { return !isStopped(at(rank).process); });
}

/// Adds facts that were unknown when the incident opened: later waiters, the collective, a cause found since.
void HoldTracker::refine(OpenHold& t, int rank, const Where& place) {
    Incident& in = t.incident;
    const bool same = !place.site || !in.collective.known || sameCollective(in.collective, place.site->collective);
    if (place.site && !in.collective.known)
        in.collective = place.site->collective;
    if (place.site && place.site->waiters.size() + place.site->behind.size() > in.waiters.size())
        in.waiters = without(place.site->everyWaiter(), in.holders);
    // the stop remains the cause after a stopped rank continues
    if (!same || in.cause == Cause::Stopped)
        return;
    const HoldContext c = of(rank, place, in.openedNs);
    const CauseFinding found = find(rank, place, c);
    if (in.holders.size() > 1 && found.cause != in.cause)
        return; // one of several continued; the common cause stays
    // the holder passes through other phases on its way to the collective; the time was lost in the longest one
    const auto& board = at(rank).board;
    const bool elsewhere = board && board->phase != in.phase;
    if (elsewhere && found.cause == in.cause && m_o.nowNs - board->phaseSinceNs < (m_o.nowNs - in.openedNs) / 2)
        return;
    // what was named remains while it covers half of the time
    if (found.missing == kSeveralPhases && in.cause != Cause::Unknown && found.shareOf(in.cause) >= 0.5)
        return;
    describe(in, rank, c, found);
    in.remedy = remedyFor(in, m_s.settings);
}

OpenHold* HoldTracker::sameStory(const CauseFinding& found, const Where& place) {
    for (OpenHold& t : m_s.incidents.all()) {
        const Incident& in = t.incident;
        // a rank stopped inside a collective that all have entered has no site either
        const bool nowhere = !in.collective.known || found.cause == Cause::Stopped;
        const bool there = place.site ? sameCollective(in.collective, place.site->collective) : nowhere;
        if (t.rule == Rule::Hold && t.clearSinceNs == 0 && in.cause == found.cause && in.phase == found.phase && there)
            return &t;
    }
    return nullptr;
}

void HoldTracker::remember(int rank) {
    if (at(rank).board)
        m_s.ranks[static_cast<std::size_t>(rank)].heldStep = at(rank).board->step;
}

void HoldTracker::join(int rank, const Where& place, std::int64_t lost) {
    remember(rank);
    // a hold-up that consists of several waits of one step began with the first of them
    const HoldContext c = of(rank, place, m_o.nowNs - lost);
    const CauseFinding found = find(rank, place, c);
    const Phase phase = at(rank).board ? at(rank).board->phase : Phase::Startup;
    if (OpenHold* t = sameStory(found, place)) {
        insertSorted(t->incident.holders, rank);
        t->incident.openedNs = std::min(t->incident.openedNs, c.sinceNs);
        t->seen = true;
        m_byHolder[static_cast<std::size_t>(rank)] = t;
        if (m_grown.empty() || m_grown.back() != t)
            m_grown.push_back(t);
        return;
    }
    Incident in;
    in.holders = {rank};
    if (place.site) {
        in.waiters = place.site->everyWaiter();
        in.collective = place.site->collective;
    }
    in.openedNs = c.sinceNs;
    describe(in, rank, c, found);
    if (in.cause == Cause::Stopped && !place.site)
        addThoseInside(in);
    if (at(rank).board && at(rank).board->stage == RankStage::Running)
        in.evidence.thresholdSeconds = static_cast<double>(m_s.thresholdIn(phase)) * 1e-9;
    m_byHolder[static_cast<std::size_t>(rank)] = &m_s.incidents.start(Rule::Hold, std::move(in));
}

void HoldTracker::track(const StallScan& holds) {
    for (const BlockedCollective& site : holds.sites)
        take(site);
    take(holds.alone);
    for (OpenHold* t : m_grown) { // incidents that more holders joined
        t->incident.waiters = without(t->incident.waiters, t->incident.holders);
        m_s.incidents.amend(*t);
    }
}

} // namespace rankscope::diagnosis
