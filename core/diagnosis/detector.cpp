// SPDX-License-Identifier: Apache-2.0
#include "core/diagnosis/detector_state.h"

#include <algorithm>

namespace rankscope::diagnosis {

using namespace telemetry;

void Detector::State::takeRecords(const Observation& o) {
    for (const auto& r : o.ranks)
        for (const auto& record : r.records) {
            window.add(r.rank, record);
            const auto* s = record.as<StepRecord>();
            if (!s)
                continue;
            const bool badLoss = (s->flags & 1) || !std::isfinite(s->loss);
            if (badLoss || (s->flags & 2)) {
                notFiniteStep[r.rank] = s->header.step;
                notFiniteWhat[r.rank] = s->maskedFrames == 0 ? "" : badLoss ? "loss" : "gradient";
            } else {
                finiteStep[r.rank] = s->header.step;
            }
        }
}

/// The same hold-up still: the same collective, or a wait of the same step that is long enough to be seen.
bool Detector::State::continues(const Tracked& t, const Hold& h, const Observation& o) const {
    const Incident& in = t.incident;
    const auto& board = o.ranks[static_cast<std::size_t>(h.holder)].board;
    const bool sameStep = !board || board->step <= in.step;
    if (!in.collective.known || !h.collective.known)
        return sameStep;
    const bool same = in.collective.group == h.collective.group && in.collective.sequence == h.collective.sequence;
    return same || (sameStep && o.nowNs - h.sinceNs >= kVisibleWaitNs);
}

/// What was not known when it opened: waiters that came later, the collective, a cause that showed itself.
void Detector::State::refine(Incident& in, const Hold& h, const Observation& o) const {
    const bool same = !h.collective.known || !in.collective.known || in.collective.sequence == h.collective.sequence;
    if (!in.collective.known && h.collective.known)
        in.collective = h.collective;
    if (h.waiters.size() > in.waiters.size())
        in.waiters = h.waiters;
    // a rank that was stopped and goes on is still held up by having been stopped
    if (!same || in.cause == Cause::Stopped)
        return;
    // on its way to the collective the holder passes other phases: the time was lost in the one that lasted
    const auto& board = o.ranks[static_cast<std::size_t>(h.holder)].board;
    const bool elsewhere = board && board->phase != in.phase;
    if (elsewhere && o.nowNs - board->phaseSinceNs < (o.nowNs - in.openedNs) / 2)
        return;
    explain(in, o, window.usualCompute());
    in.remedy = remedyFor(in, settings);
}

void Detector::State::hold(const Hold& h, const Observation& o) {
    if (Tracked* t = find(Rule::Hold, h.holder); t && continues(*t, h, o)) {
        refine(t->incident, h, o);
        update(*t, o);
        return;
    }
    const RankObservation& r = o.ranks[static_cast<std::size_t>(h.holder)];
    if (deathSeen || find(Rule::Death, h.holder))
        return;
    const std::int64_t step = r.board ? r.board->step : -1;
    const std::int64_t before = h.waiters.empty() ? 0 : window.heldIn(h.holder, step);
    if (o.nowNs - h.sinceNs + before < thresholdNs())
        return;
    Tracked* old = find(Rule::Hold, h.holder);
    if (old && step >= 0 && step <= old->incident.step)
        return; // the same step's jitter after its hold-up; it closes with the step
    if (old)    // another hold-up by the same rank
        close(std::find_if(open.begin(), open.end(), [&](const Tracked& t) { return &t == old; }),
              old->clearSinceNs ? old->clearSinceNs : h.sinceNs, CloseReason::Recovered);
    Incident in;
    in.holders = {h.holder};
    in.waiters = h.waiters;
    in.collective = h.collective;
    // a hold made of several waits of one step began with the first of them
    in.openedNs = h.sinceNs - before;
    explain(in, o, window.usualCompute());
    start(Rule::Hold, std::move(in), o);
}

void Detector::State::holds(const Observation& o) {
    const auto found = findHolds(o, thresholdNs());
    for (const Hold& h : found) {
        // a rank that itself waits for another holds nobody up by its own doing
        const bool waitsItself = std::any_of(found.begin(), found.end(), [&](const Hold& other) {
            return other.holder != h.holder &&
                   std::find(other.waiters.begin(), other.waiters.end(), h.holder) != other.waiters.end() &&
                   other.collective.known && h.collective.known && other.collective.group == h.collective.group &&
                   other.collective.sequence < h.collective.sequence;
        });
        if (!waitsItself)
            hold(h, o);
    }
}

bool Detector::State::movedOn(const Tracked& t, const Observation& o) const {
    const auto holder = static_cast<std::size_t>(t.incident.holders.front());
    if (t.rule == Rule::Straggler)
        return true; // its round found nobody any more
    return holder < o.ranks.size() && o.ranks[holder].board && o.ranks[holder].board->step > t.incident.step;
}

void Detector::State::closeQuiet(const Observation& o) {
    for (auto it = open.begin(); it != open.end();) {
        auto here = it++;
        if (here->seen || here->rule == Rule::Death || here->rule == Rule::Config)
            continue;
        if (here->rule == Rule::Straggler && stragglerCheckedStep != window.newestCompleteStep())
            continue;
        if (here->clearSinceNs == 0)
            here->clearSinceNs = o.nowNs;
        if (movedOn(*here, o) || o.nowNs - here->clearSinceNs >= kQuietNs)
            close(here, here->clearSinceNs, CloseReason::Recovered);
    }
}

Detector::Detector(int worldSize, Settings settings) : m(std::make_unique<State>(worldSize, settings)) {}
Detector::Detector(Detector&&) noexcept = default;
Detector& Detector::operator=(Detector&&) noexcept = default;
Detector::~Detector() = default;

std::vector<Transition> Detector::advance(const Observation& o) {
    State& s = *m;
    s.out.clear();
    if (s.firstNs == 0)
        s.firstNs = o.nowNs;
    const std::int64_t checked = s.stragglerCheckedStep;
    for (auto& t : s.open)
        t.seen = false;
    s.takeRecords(o);
    s.deaths(o);
    if (o.end == RunEnd::Running) {
        s.joins(o);
        s.configs(o);
        s.holds(o);
        s.jams(o);
        s.stragglers(o);
        s.notFinite(o);
        if (s.stragglerCheckedStep == checked)
            for (auto& t : s.open)
                t.seen = t.seen || t.rule == Rule::Straggler; // not judged in this round
        s.closeQuiet(o);
    } else {
        const auto reason = o.end == RunEnd::StoppedByUser ? CloseReason::StoppedByUser : CloseReason::RunEnded;
        while (!s.open.empty())
            s.close(s.open.begin(), o.nowNs, reason);
    }
    return std::move(s.out);
}

std::vector<Incident> Detector::open() const {
    std::vector<Incident> result;
    for (const auto& t : m->open)
        result.push_back(t.incident);
    return result;
}

double Detector::typicalStepSeconds() const {
    return static_cast<double>(m->window.typicalStepNs()) * 1e-9;
}
double Detector::thresholdSeconds() const {
    return static_cast<double>(m->thresholdNs()) * 1e-9;
}

} // namespace rankscope::diagnosis
