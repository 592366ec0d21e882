// SPDX-License-Identifier: Apache-2.0
// Ranks that cost the others a little in every step: by the sequential test of each rank, as soon as that is certain,
// and over the window of steps for those whose batches are the longer ones.
#include "core/base/text/untrusted_json.h"
#include "core/diagnosis/detector/detector_state.h"

#include <algorithm>

namespace rankscope::diagnosis {

using namespace telemetry;

namespace {

/// Logarithms of the odds. That the quota held the rank back at the same time was measured: less is left to be shown.
constexpr double kCertainNats = 24, kCertainByQuotaNats = 12;
/// Times stall.min_seconds: a disturbance that is over in less is not worth an incident.
constexpr double kLongEnough = 2.5;
/// A straggler's step that is late by more than this many times its usual lateness is a hold-up of its own.
constexpr double kTimesUsual = 4;
constexpr std::int64_t kSlowingForNs = 30'000'000'000;

double inSeconds(std::int64_t ns) {
    return static_cast<double>(ns) * 1e-9;
}

Cause causeOfStraggler(const Straggler& s, bool quota, bool lengthsExplain) {
    const bool compute = s.phase == Phase::Forward || s.phase == Phase::Loss || s.phase == Phase::Backward ||
                         s.phase == Phase::Optimizer;
    if (s.phase == Phase::Checkpoint)
        return Cause::Checkpoint;
    if (quota)
        return Cause::SlowCompute;
    return s.phase == Phase::DataWait               ? Cause::DataLoading
           : lengthsExplain && s.lengthShare >= 0.5 ? Cause::LongBatch
           : compute                                ? Cause::SlowCompute
                                                    : Cause::Preprocessing;
}

/// What is certain: of how many steps, and by how much.
void addFigures(nlohmann::json& evidence, const Straggler& s) {
    evidence["held_s"] = inSeconds(s.heldNs);
    evidence["window_s"] = inSeconds(s.windowNs);
    evidence["window_steps"] = s.steps;
    evidence["last_in_steps"] = s.lastSteps;
    evidence["late_step_s"] = inSeconds(s.lateNs);
    evidence["share"] = static_cast<double>(s.heldNs) / static_cast<double>(std::max<std::int64_t>(1, s.windowNs));
    if (s.workRatio > 0)
        evidence["work_ratio"] = s.workRatio;
}

void addLengths(nlohmann::json& evidence, const Straggler& s) {
    evidence["holder_longest_frames"] = s.framesMax;
    evidence["others_longest_frames"] = s.othersFramesMax;
    evidence["others_longest_samples"] = s.othersSamplesMax;
    evidence["longest_batch_share"] = s.lengthShare;
}

} // namespace

bool Detector::State::isSlowing(int rank, std::int64_t nowNs) const {
    if (slow.follows(rank) || !slow.isSuspect(rank))
        return false;
    const std::int64_t aFewSteps = std::clamp(3 * slow.newestStepNs(), threshold, std::max(threshold, kSlowingForNs));
    return nowNs - stragglerCheckedNs <= aFewSteps;
}

bool Detector::State::isAsSlowAsUsual(int rank, std::int64_t lostNs) const {
    return std::any_of(open.begin(), open.end(), [&](const Tracked& t) {
        return t.rule == Rule::Straggler && t.incident.holders.front() == rank &&
               inSeconds(lostNs) <= kTimesUsual * numberIn(t.incident.evidence, "late_step_s");
    });
}

void Detector::State::stragglers(const Observation& o) {
    const std::int64_t newest = window.newestCompleteStep();
    if (newest == stragglerCheckedStep)
        return; // nothing new to judge by; an open one stays
    window.eachFinished(stragglerCheckedStep, [this](const StepStats& s) { slow.add(s); });
    stragglerCheckedStep = newest;
    stragglerCheckedNs = o.nowNs;
    for (int r = 0; r < world; ++r)
        slowRank(r, o);
    overTheWindow(o);
}

/// Named when it is certain, and over when the opposite is.
void Detector::State::slowRank(int rank, const Observation& o) {
    if (slow.follows(rank)) {
        Tracked* t = find(Rule::Straggler, rank);
        if (!t || slow.hasRecovered(rank)) {
            if (t) // the steps that showed it were sound already
                t->clearSinceNs =
                    std::max(t->incident.openedNs, o.nowNs - SlowRanks::kRecoverySteps * slow.newestStepNs());
            slow.release(rank);
            stragglerBehindStep = stragglerCheckedStep;
            return;
        }
        const int steps = o.nowNs - t->updatedNs < kUpdateEveryNs ? 0 : slow.certainSteps(rank, kCertainByQuotaNats);
        if (steps > 0) {
            addFigures(t->incident.evidence, window.describe(rank, steps));
            addResources(t->incident, o);
        }
        update(*t, o);
        return;
    }
    int steps = slow.certainSteps(rank, kCertainByQuotaNats);
    if (steps == 0)
        return;
    const bool quota = isHeldByQuota(o, rank);
    if (!quota && (steps = slow.certainSteps(rank, kCertainNats)) == 0)
        return;
    if (!find(Rule::Hold, rank)) // a hold-up that was reported and is over does not count as lateness
        steps = static_cast<int>(
            std::min<std::int64_t>(steps, stragglerCheckedStep - ranks[static_cast<std::size_t>(rank)].heldStep));
    if (steps <= 0)
        return;
    const Straggler s = window.describe(rank, steps);
    const double least = (quota ? 1 : kLongEnough) * settings.stallMinSeconds;
    if (inSeconds(s.windowNs) >= least || s.steps >= settings.stragglerWindowSteps)
        if (openStraggler(s, false, o))
            slow.follow(rank);
}

/// They are measured once a second, so that what holds the rank back may show only when it is named already.
void Detector::State::addResources(Incident& in, const Observation& o) const {
    const int rank = in.holders.front();
    const auto& resources = o.ranks[static_cast<std::size_t>(rank)].resources;
    if (isSlowness(in.cause) && isHeldByQuota(o, rank))
        in.cause = Cause::SlowCompute;
    if (resources && in.cause == Cause::SlowCompute)
        describeResources(in.evidence, *resources);
    in.remedy = remedyFor(in, settings);
}

/// A hold-up by the rank that is still open was the first of its slow steps, and becomes this incident.
bool Detector::State::openStraggler(const Straggler& s, bool lengthsExplain, const Observation& o) {
    Tracked* known = find(Rule::Straggler, s.rank);
    Tracked* hold = find(Rule::Hold, s.rank);
    if (!known && hold) {
        if (hold->incident.holders.size() > 1 || !isSlowness(hold->incident.cause))
            return false; // the long wait explains the steps
        known = hold;
    }
    Incident in = known ? known->incident : Incident{};
    in.straggler = true;
    in.holders = {s.rank};
    in.waiters.clear();
    for (int r = 0; r < world; ++r)
        if (r != s.rank)
            in.waiters.push_back(r);
    in.collective = {};
    in.phase = s.phase;
    in.step = stragglerCheckedStep;
    in.cause = causeOfStraggler(s, isHeldByQuota(o, s.rank), lengthsExplain);
    if (!known)
        in.openedNs = o.nowNs - s.windowNs;
    addFigures(in.evidence, s);
    addLengths(in.evidence, s);
    addResources(in, o);
    if (!known) {
        start(Rule::Straggler, std::move(in), o);
        return true;
    }
    known->incident = std::move(in);
    known->rule = Rule::Straggler;
    known->updatedNs = 0; // tell at once
    update(*known, o);
    return true;
}

/// One that comes last by its batches' lengths, which the test of the ranks leaves out.
void Detector::State::overTheWindow(const Observation& o) {
    const bool isOpen = std::any_of(open.begin(), open.end(), [&](const Tracked& t) {
        return t.rule == Rule::Straggler && !slow.follows(t.incident.holders.front());
    });
    // half of it keeps one open that is there: otherwise it would flap at the border
    const double scale = isOpen ? 0.5 : 1.0;
    const std::int64_t least = toNs(scale * settings.stallMinSeconds);
    const double share = scale * settings.stragglerShare, most = world == 2 ? kMostStepsOfTwo : kMostSteps;
    auto s = window.straggler(share, least, threshold, stragglerBehindStep, isOpen ? 0.6 : most);
    if (!s && !isOpen && world == 2)
        s = window.straggler(share, 2 * least, threshold, stragglerBehindStep, kMostSteps, 2);
    if (!s || slow.follows(s->rank) || find(Rule::Hold, s->rank)) // the long wait explains the window
        return;
    if (Tracked* t = find(Rule::Straggler, s->rank)) {
        t->incident.evidence["held_s"] = inSeconds(s->heldNs);
        update(*t, o);
        return;
    }
    openStraggler(*s, true, o);
}

} // namespace rankscope::diagnosis
