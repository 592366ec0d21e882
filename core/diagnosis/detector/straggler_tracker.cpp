// SPDX-License-Identifier: Apache-2.0
#include "core/diagnosis/detector/straggler_tracker.h"

#include "core/diagnosis/evidence/cause_finder.h"
#include "core/diagnosis/evidence/remedy.h"

#include <algorithm>
#include <numeric>

namespace rankscope::diagnosis {

using namespace telemetry;

namespace {

/// Logarithms of the odds required. Less is enough if measurements show that the CPU quota held the rank back.
constexpr double kCertainNats = 24, kCertainByQuotaNats = 12;
/// Multiple of stall.min_seconds: a shorter disturbance is not worth an incident.
constexpr double kLongEnough = 2.5;
/// A rank that is late in most steps and early by more in others, such as one whose loader delivers several batches at
/// once, works hardly longer than the others. It must work longer by this part of stragglerShare, and by this much.
constexpr double kLeastOfShare = 0.4, kLeastLonger = 0.08;
/// A straggler's step that is late by more than this many times its usual lateness is a separate hold-up.
constexpr double kTimesUsual = 4;
constexpr std::int64_t kSlowingForNs = 30'000'000'000;

double inSeconds(std::int64_t ns) {
    return static_cast<double>(ns) * 1e-9;
}

/// Returns the cause that explains most of the straggler's lateness; Unknown if none does. Phases in which it is faster
/// than the others make the excess of the slower ones larger than its lateness.
Cause causeOfStraggler(const Straggler& s, bool quota, bool lengthsExplain) {
    const auto excess = [&s](Phase p) { return s.excessNs[static_cast<std::size_t>(p)]; };
    const std::int64_t sum = std::accumulate(s.excessNs.begin(), s.excessNs.end(), std::int64_t{0});
    const std::int64_t loading = excess(Phase::DataWait), saving = excess(Phase::Checkpoint);
    const std::int64_t work = sum - loading - saving;
    const std::int64_t front = excess(Phase::ToDevice) + excess(Phase::Preprocess) + excess(Phase::Augment);
    const std::int64_t late = s.heldNs > 0 ? std::min(s.heldNs, sum) : sum;
    const auto isMost = [late](std::int64_t ns) {
        return ns > 0 && static_cast<double>(ns) >= kMostOfAWait * static_cast<double>(late);
    };
    if (isMost(saving) && saving > std::max(loading, work))
        return Cause::Checkpoint;
    if (quota)
        return Cause::SlowCompute;
    if (isMost(loading) && loading > work)
        return Cause::DataLoading;
    if (!isMost(work) || isMost(excess(Phase::None)))
        return Cause::Unknown;
    return lengthsExplain && s.lengthShare >= 0.5 ? Cause::LongBatch
           : isMost(front)                        ? Cause::Preprocessing
                                                  : Cause::SlowCompute; // several phases: its work takes longer
}

/// Adds how late the straggler is and over how many steps. All figures refer to the same steps.
void addFigures(Evidence& evidence, const Straggler& s) {
    evidence.heldSeconds = inSeconds(s.heldNs);
    evidence.windowSeconds = inSeconds(s.windowNs);
    evidence.windowSteps = s.steps;
    evidence.lastInSteps = s.lastSteps;
    evidence.lateStepSeconds = inSeconds(s.lateNs);
    evidence.share = static_cast<double>(s.heldNs) / static_cast<double>(std::max<std::int64_t>(1, s.windowNs));
    if (s.workRatio > 0)
        evidence.workRatio = s.workRatio;
    if (s.framesMax <= 0 && s.othersFramesMax <= 0)
        return; // lengths are not known
    evidence.holderLongestFrames = s.framesMax;
    evidence.othersLongestFrames = s.othersFramesMax;
    evidence.othersLongestSamples = s.othersSamplesMax;
    evidence.longestBatchShare = s.lengthShare;
}

} // namespace

bool StragglerTracker::isSlowing(int rank) const {
    if (m_s.slow.isInRecoveryTest(rank) || !m_s.slow.isSuspect(rank))
        return false;
    const std::int64_t aFewSteps =
        std::clamp(3 * m_s.slow.newestStepNs(), m_s.threshold, std::max(m_s.threshold, kSlowingForNs));
    return m_o.nowNs - m_s.stragglerCheckedNs <= aFewSteps;
}

bool StragglerTracker::isAsSlowAsUsual(int rank, std::int64_t lostNs) const {
    return std::any_of(m_s.incidents.all().begin(), m_s.incidents.all().end(), [&](const OpenHold& t) {
        return t.rule == Rule::Straggler && t.incident.holders.front() == rank &&
               inSeconds(lostNs) <= kTimesUsual * t.incident.evidence.lateStepSeconds.value_or(0);
    });
}

void StragglerTracker::track() {
    const std::int64_t newest = m_s.window.newestCompleteStep();
    if (newest == m_s.stragglerCheckedStep)
        return; // nothing new to test; an open incident stays
    m_s.window.eachFinished(m_s.stragglerCheckedStep,
                            [this](const StepStats& s) { m_s.slow.add(s, m_s.window.peers()); });
    m_s.stragglerCheckedStep = newest;
    m_s.stragglerCheckedNs = m_o.nowNs;
    for (int r = 0; r < m_s.world; ++r)
        trackRank(r);
    trackWindow();
}

/// Opens an incident when it is certain that the rank is slow, and ends it when the recovery is certain.
void StragglerTracker::trackRank(int rank) {
    if (m_s.slow.isInRecoveryTest(rank)) {
        OpenHold* t = m_s.incidents.find(Rule::Straggler, rank);
        if (!t || m_s.slow.hasRecovered(rank)) {
            if (t) // it had already recovered in the steps that prove it
                t->clearSinceNs =
                    std::max(t->incident.openedNs, m_o.nowNs - SlowRankTest::kRecoverySteps * m_s.slow.newestStepNs());
            m_s.slow.endRecoveryTest(rank);
            m_s.stragglerBehindStep = m_s.stragglerCheckedStep;
            return;
        }
        const int steps = m_o.nowNs - t->updatedNs < OpenIncidents::kUpdateEveryNs
                              ? 0
                              : m_s.slow.confirmedSteps(rank, kCertainByQuotaNats);
        if (steps > 0)
            addNewer(t->incident, stragglerFigures(m_s.window, rank, steps));
        m_s.incidents.update(*t);
        return;
    }
    int steps = m_s.slow.confirmedSteps(rank, kCertainByQuotaNats);
    if (steps == 0)
        return;
    const bool quota = isHeldByQuota(m_o, rank);
    if (!quota && (steps = m_s.slow.confirmedSteps(rank, kCertainNats)) == 0)
        return;
    if (!m_s.incidents.find(Rule::Hold, rank)) // a hold-up that was reported and is over does not count as lateness
        steps = static_cast<int>(std::min<std::int64_t>(steps, m_s.stragglerCheckedStep -
                                                                   m_s.ranks[static_cast<std::size_t>(rank)].heldStep));
    if (steps <= 0)
        return;
    const Straggler s = stragglerFigures(m_s.window, rank, steps);
    const double longer = std::max(kLeastLonger, kLeastOfShare * m_s.settings.stragglerShare);
    if (s.heldNs <= 0 || (s.workRatio > 0 && s.workRatio < 1 + longer))
        return;
    const double least = (quota ? 1 : kLongEnough) * m_s.settings.stallMinSeconds;
    if (inSeconds(s.windowNs) >= least || s.steps >= m_s.settings.stragglerWindowSteps)
        if (open(s, false))
            m_s.slow.startRecoveryTest(rank);
}

/// Updates the figures unless they show a shorter hold: normal steps after the slow ones must not dilute them.
void StragglerTracker::addNewer(Incident& in, const Straggler& s) const {
    if (inSeconds(s.heldNs) < in.evidence.heldSeconds.value_or(0))
        return;
    addFigures(in.evidence, s);
    addResources(in);
}

/// Adds resource usage. It is measured once a second, so the cause may show only after the incident was opened.
void StragglerTracker::addResources(Incident& in) const {
    const int rank = in.holders.front();
    const auto& resources = m_o.ranks[static_cast<std::size_t>(rank)].resources;
    if (isSlowness(in.cause) && isHeldByQuota(m_o, rank))
        in.cause = Cause::SlowCompute;
    if (resources && in.cause == Cause::SlowCompute)
        addUsageEvidence(in.evidence, *resources);
    if (resources && in.cause == Cause::DataLoading)
        addLoaderEvidence(in.evidence, *resources);
    in.remedy = remedyFor(in, m_s.settings);
}

/// Opens the incident. A hold-up by the rank that is still open was its first slow step and becomes this incident.
bool StragglerTracker::open(const Straggler& s, bool lengthsExplain) {
    OpenHold* known = m_s.incidents.find(Rule::Straggler, s.rank);
    OpenHold* hold = m_s.incidents.find(Rule::Hold, s.rank);
    if (!known && hold) {
        if (hold->incident.holders.size() > 1 || !isSlowness(hold->incident.cause))
            return false; // the long wait explains the steps
        known = hold;
    }
    Incident in = known ? known->incident : Incident{};
    in.straggler = true;
    in.holders = {s.rank};
    in.waiters.clear();
    const auto& peers = m_s.window.peers();
    for (int r = 0; r < m_s.world; ++r)
        if (r != s.rank && peers[static_cast<std::size_t>(r)] == peers[static_cast<std::size_t>(s.rank)])
            in.waiters.push_back(r);
    in.collective = {};
    in.phase = s.phase;
    in.step = m_s.stragglerCheckedStep;
    in.cause = causeOfStraggler(s, isHeldByQuota(m_o, s.rank), lengthsExplain);
    in.evidence.missing.reset();
    in.evidence.phaseShares.reset();
    if (in.cause == Cause::Unknown) {
        const bool unseen = static_cast<double>(s.excessNs[0]) >= kMostOfAWait * static_cast<double>(s.heldNs);
        in.evidence.missing = unseen ? kNoPhase : kSeveralPhases;
        in.evidence.phaseShares = sharesText(s.excessNs);
    }
    if (!known)
        in.openedNs = m_o.nowNs - s.windowNs;
    addFigures(in.evidence, s);
    addResources(in);
    if (!known) {
        m_s.incidents.start(Rule::Straggler, std::move(in));
        return true;
    }
    known->incident = std::move(in);
    known->rule = Rule::Straggler;
    known->updatedNs = 0; // report it immediately
    m_s.incidents.update(*known);
    return true;
}

/// Finds a rank that comes last because of its batches' lengths, which the test of the ranks leaves out.
void StragglerTracker::trackWindow() {
    const bool isOpen = std::any_of(m_s.incidents.all().begin(), m_s.incidents.all().end(), [&](const OpenHold& t) {
        return t.rule == Rule::Straggler && !m_s.slow.isInRecoveryTest(t.incident.holders.front());
    });
    // half the threshold keeps an open incident open, so that it does not flap at the border
    const double scale = isOpen ? 0.5 : 1.0;
    const std::int64_t least = toNs(scale * m_s.settings.stallMinSeconds);
    const double share = scale * m_s.settings.stragglerShare, most = m_s.world == 2 ? kMostStepsOfTwo : kMostSteps;
    auto s = findStraggler(m_s.window, share, least, m_s.threshold, m_s.stragglerBehindStep, isOpen ? 0.6 : most);
    if (!s && !isOpen && m_s.world == 2)
        s = findStraggler(m_s.window, share, 2 * least, m_s.threshold, m_s.stragglerBehindStep, kMostSteps, 2);
    if (!s || m_s.slow.isInRecoveryTest(s->rank) ||
        m_s.incidents.find(Rule::Hold, s->rank)) // the long wait explains the window
        return;
    if (OpenHold* t = m_s.incidents.find(Rule::Straggler, s->rank)) {
        addFigures(t->incident.evidence, *s);
        m_s.incidents.update(*t);
        return;
    }
    open(*s, true);
}

} // namespace rankscope::diagnosis
