// SPDX-License-Identifier: Apache-2.0
// Rules about what happens inside a collective or comes out of it: ranks that met in different ones, that do not get
// out, and figures that are not finite.
#include "core/base/text/untrusted_json.h"
#include "core/diagnosis/detector/detector_state.h"

#include <fmt/format.h>

#include <algorithm>

namespace rankscope::diagnosis {

using namespace telemetry;

namespace {

/// "rank 0: all-reduce 512 (gradient:3) for 3.2 s, in backward", a line per rank.
std::string statesOf(const Observation& o, std::uint32_t group) {
    constexpr std::size_t kMost = 32;
    std::string lines;
    for (std::size_t r = 0; r < o.ranks.size() && r < kMost; ++r) {
        const BoardCollective* c = collectiveOf(o.ranks[r], group);
        if (!c)
            continue;
        const BoardSnapshot& b = *o.ranks[r].board;
        std::string where(phaseName(b.phase));
        if (b.place == Place::Layer)
            where += fmt::format(", layer {}", b.layer);
        else if (b.place != Place::None)
            where += fmt::format(", {}", placeName(b.place));
        lines += fmt::format("rank {}: {} {} ({}) since {:.1f} s, done before it {}, in {}{}\n", o.ranks[r].rank,
                             opName(c->op), c->sequence, c->tag,
                             static_cast<double>(std::max<std::int64_t>(0, o.nowNs - c->enteredNs)) * 1e-9, c->left,
                             where, isStopped(o.ranks[r].process) ? ", process stopped" : "");
    }
    return lines;
}

/// It has entered the collective and not handed it to the transport: where the others wait for it.
bool keepsItBack(const RankObservation& r, std::uint32_t group) {
    const BoardCollective* c = collectiveOf(r, group);
    return c && c->handedOver > 0 && c->handedOver <= c->sequence;
}

std::vector<Call> callsOf(const OddCollective& odd) {
    std::vector<Call> calls;
    for (const RecordedCall& c : odd.calls)
        calls.push_back({c.rank, c.op, c.dtype, c.count, c.tag, c.phase, c.arrivedNs, c.step});
    return calls;
}

} // namespace

void Detector::State::mismatches(const Observation& o) {
    if (mismatchTold || world < 2) {
        if (Tracked* t = find(Rule::Mismatch))
            update(*t, o); // a run whose ranks met in different calls computes nonsense, if it goes on at all
        return;
    }
    const bool ending = o.end != RunEnd::Running || std::any_of(o.ranks.begin(), o.ranks.end(), [](const auto& r) {
                            return isAbortedByMismatch(r.process) ||
                                   (r.process.state == ProcessView::State::Exited && r.process.exitCode != 0);
                        });
    if (const auto& odd = window.oddCollective()) {
        if (oddSinceNs == 0)
            oddSinceNs = o.nowNs;
        const bool all = odd->calls.size() == static_cast<std::size_t>(world);
        if (all || o.nowNs - oddSinceNs >= kOthersTellNs || o.end != RunEnd::Running)
            if (const auto m = mismatchOf(odd->group, odd->sequence, callsOf(*odd), settings.lengthSync))
                return openMismatch(*m, o);
    }
    const auto seen = findMismatch(o, settings.lengthSync);
    if (!seen) {
        mismatchSinceNs = 0;
        return;
    }
    if (mismatchSinceNs == 0)
        mismatchSinceNs = o.nowNs;
    if (ending || o.nowNs - mismatchSinceNs >= kConfirmNs)
        openMismatch(*seen, o);
}

void Detector::State::openMismatch(const Mismatch& m, const Observation& o) {
    mismatchTold = true;
    Incident in;
    in.cause = m.cause;
    in.holders = m.odd;
    in.waiters = m.others;
    const Call &other = m.otherCall(), &odd = m.oddCall();
    in.collective = {other.tag, other.op, m.group, m.sequence, true};
    in.openedNs = std::clamp<std::int64_t>(m.sinceNs, 1, std::max<std::int64_t>(1, o.nowNs));
    in.phase = odd.phase;
    in.step = m.cause == Cause::UnevenBatches ? other.step : std::max(odd.step, other.step);
    in.evidence["mismatch"] = m.text;
    in.evidence["threshold_s"] = 0.0;
    if (!m.setting.empty())
        in.evidence["setting"] = m.setting;
    if (auto states = statesOf(o, m.group); !states.empty())
        in.evidence["collectives"] = std::move(states);
    // a wait for the odd one, or being inside for too long, was this
    for (auto it = open.begin(); it != open.end();) {
        auto here = it++;
        if (here->rule == Rule::Hold || here->rule == Rule::Jam)
            close(here, o.nowNs, CloseReason::Recovered);
    }
    start(Rule::Mismatch, std::move(in), o);
}

void Detector::State::jams(const Observation& o) {
    if (mismatchTold || deathSeen)
        return;
    for (const Jam& jam : findJams(o)) {
        Tracked* t = find(Rule::Jam);
        if (t && t->incident.collective.group == jam.collective.group &&
            t->incident.collective.sequence == jam.collective.sequence) {
            if (o.nowNs - t->updatedNs >= kConfirmNs)
                t->incident.evidence["collectives"] = statesOf(o, jam.collective.group);
            update(*t, o);
            continue;
        }
        // A stopped rank is an incident of its own. When it continues, the others need a moment to leave the
        // collective.
        const std::int64_t since = std::max(jam.sinceNs, window.othersStoppedUntil(-1));
        if (o.nowNs - since < threshold)
            continue;
        Incident in;
        in.cause = Cause::InsideCollective;
        for (const auto& r : o.ranks) {
            (keepsItBack(r, jam.collective.group) ? in.holders : in.waiters).push_back(r.rank);
            in.step = std::max(in.step, r.board->step);
        }
        if (in.holders.empty())
            in.holders.swap(in.waiters); // the transport has it of all
        else
            in.evidence["handed_over"] = false;
        in.collective = jam.collective;
        in.openedNs = since;
        const BoardSnapshot& first = *o.ranks[static_cast<std::size_t>(in.holders.front())].board;
        in.phase = first.phase;
        in.evidence["place"] = placeName(first.place);
        in.evidence["layer"] = first.layer;
        in.evidence["collectives"] = statesOf(o, jam.collective.group);
        start(Rule::Jam, std::move(in), o);
    }
}

/// Ranks wait for each other in different groups: they entered the same collectives in another order.
void Detector::State::circle(const HoldsNow& now, const Observation& o) {
    if (now.circle.empty() || mismatchTold || o.nowNs - now.circleSinceNs < threshold)
        return;
    mismatchTold = true;
    Incident in;
    in.cause = Cause::MismatchedCollective;
    in.holders = now.circle;
    std::sort(in.holders.begin(), in.holders.end());
    in.holders.erase(std::unique(in.holders.begin(), in.holders.end()), in.holders.end());
    in.openedNs = now.circleSinceNs;
    std::string text;
    for (const std::uint32_t group : groupsOf(o))
        text += statesOf(o, group);
    const RankObservation& first = o.ranks[static_cast<std::size_t>(in.holders.front())];
    in.phase = first.board ? first.board->phase : Phase::None;
    in.step = first.board ? first.board->step : -1;
    in.evidence["mismatch"] = "ranks entered the collectives of two groups in different orders";
    in.evidence["collectives"] = text;
    start(Rule::Mismatch, std::move(in), o);
}

void Detector::State::notFinite(const Observation& o) {
    if (Tracked* t = find(Rule::NotFinite)) {
        const bool fine = std::all_of(ranks.begin(), ranks.end(), [&](const RankMemory& r) {
            return r.toldStep > r.badStep && r.toldStep > t->incident.step;
        });
        if (!fine) {
            for (const RankMemory& r : ranks)
                if (r.badStep > integerIn(t->incident.evidence, "last_step", -1))
                    t->incident.evidence["last_step"] = r.badStep;
            update(*t, o);
        }
        return;
    }
    if (!bad)
        return;
    const bool all =
        std::all_of(ranks.begin(), ranks.end(), [&](const RankMemory& r) { return r.toldStep >= bad->step; });
    if (all || o.nowNs - bad->sinceNs >= kOthersTellNs)
        openNotFinite(o);
}

/// Gradients are averaged, so one rank's loss that is not finite spoils every rank's gradient in the same step, and all
/// that follows: named are those in which it began.
void Detector::State::openNotFinite(const Observation& o) {
    auto worst = Badness::None;
    for (const auto& [rank, what] : bad->ranks)
        worst = std::max(worst, what);
    Incident in;
    in.cause = worst == Badness::Empty ? Cause::EmptyBatch : Cause::NotFinite;
    for (const auto& [rank, what] : bad->ranks)
        if (what == worst)
            in.holders.push_back(rank);
    in.step = bad->step;
    in.phase = worst == Badness::Gradient ? Phase::Backward : Phase::Loss;
    in.openedNs = bad->sinceNs;
    in.evidence["threshold_s"] = 0.0;
    const int first = in.holders.front();
    const RankMemory& memory = ranks[static_cast<std::size_t>(first)];
    if (const RankStep* s = window.find(first, bad->step)) {
        in.evidence["batch_size"] = s->batchSize;
        in.evidence["holder_longest_frames"] = s->framesMax;
    }
    if (worst == Badness::Empty) {
        in.evidence["masked_frames"] = 0;
    } else {
        const bool batch = worst == Badness::Batch, loss = worst == Badness::Loss;
        in.evidence["what"] = batch ? "batch" : loss ? "loss" : "gradient";
        in.evidence["what_zh"] = batch ? "批次" : loss ? "损失" : "梯度";
        if (memory.tensorStep == bad->step && !memory.tensor.empty())
            in.evidence["first_tensor"] = memory.tensor;
    }
    bad.reset();
    start(Rule::NotFinite, std::move(in), o);
}

} // namespace rankscope::diagnosis
