// SPDX-License-Identifier: Apache-2.0
// Each rule by itself: what opens an incident besides a rank that the others wait for.
#include "core/diagnosis/detector_state.h"

#include <algorithm>

namespace rankscope::diagnosis {

using namespace telemetry;

/// The rank that ended first for a reason of its own.
static const RankObservation* culprit(const Observation& o) {
    const RankObservation* best = nullptr;
    auto badness = [](const RankObservation& r) {
        return r.process.state == ProcessView::State::Signalled ? 2 : r.process.exitCode == kCollateralExit ? 0 : 1;
    };
    for (const auto& r : o.ranks) {
        if (!isBadEnd(r.process))
            continue;
        if (!best || badness(r) > badness(*best) ||
            (badness(r) == badness(*best) && r.process.sinceNs < best->process.sinceNs))
            best = &r;
    }
    return best;
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
    for (const Hold& h : findHolds(o, INT64_MAX))
        if (h.holder == dead->rank) {
            in.waiters = h.waiters;
            in.collective = h.collective;
        }
    in.openedNs = dead->process.sinceNs ? dead->process.sinceNs : o.nowNs;
    // a stall that ended in death is one story: the older incident is closed by it
    for (auto it = open.begin(); it != open.end();) {
        auto here = it++;
        if (here->rule == Rule::Hold && here->incident.holders.front() == dead->rank)
            close(here, in.openedNs, CloseReason::RunEnded);
    }
    explain(in, o, window.usualCompute());
    start(Rule::Death, std::move(in), o);
}

void Detector::State::joins(const Observation& o) {
    if (o.nowNs - firstNs < toNs(settings.joinSeconds) || find(Rule::Join, -1))
        return;
    Incident in;
    bool anyRunning = false;
    std::vector<int> joining;
    for (const auto& r : o.ranks) {
        const bool started = r.board && r.board->stage >= RankStage::Joining;
        anyRunning = anyRunning || (r.board && r.board->stage >= RankStage::Running);
        (started ? joining : in.holders).push_back(r.rank);
    }
    for (auto& t : open)
        if (t.rule == Rule::Join) {
            if (!anyRunning)
                update(t, o);
            return;
        }
    if (anyRunning || deathSeen)
        return;
    if (in.holders.empty())
        in.holders.swap(joining);
    in.waiters = joining;
    in.cause = Cause::NeverJoined;
    in.phase = Phase::Rendezvous;
    in.openedNs = firstNs;
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
    for (const auto& r : o.ranks)
        if (r.board->configHash != o.ranks.front().board->configHash ||
            r.board->worldSize != o.ranks.front().board->worldSize)
            in.holders.push_back(r.rank);
    if (in.holders.empty())
        return;
    in.cause = Cause::ConfigurationDiffers;
    in.phase = Phase::Startup;
    in.openedNs = o.nowNs;
    start(Rule::Config, std::move(in), o);
}

void Detector::State::jams(const Observation& o) {
    for (const Jam& jam : findJams(o)) {
        const int key = jam.odd.empty() ? 0 : jam.odd.front();
        Tracked* t = find(Rule::Jam, key);
        if (t && t->incident.collective.sequence == jam.collective.sequence) {
            update(*t, o);
            continue;
        }
        if (o.nowNs - jam.sinceNs < thresholdNs())
            continue;
        Incident in;
        in.cause = jam.mismatch.empty() ? Cause::InsideCollective : Cause::MismatchedCollective;
        for (const auto& r : o.ranks)
            (jam.mismatch.empty() || std::find(jam.odd.begin(), jam.odd.end(), r.rank) != jam.odd.end() ? in.holders
                                                                                                        : in.waiters)
                .push_back(r.rank);
        in.collective = jam.collective;
        in.openedNs = jam.sinceNs;
        in.step = o.ranks.front().board->step;
        in.phase = o.ranks.front().board->phase;
        if (!jam.mismatch.empty())
            in.evidence["mismatch"] = jam.mismatch;
        start(Rule::Jam, std::move(in), o);
    }
}

void Detector::State::stragglers(const Observation& o) {
    const std::int64_t newest = window.newestCompleteStep();
    if (newest == stragglerCheckedStep)
        return; // nothing new to judge by; an open one stays
    stragglerCheckedStep = newest;
    // half of it keeps one open that is there: otherwise it would flap at the border
    const bool isOpen =
        std::any_of(open.begin(), open.end(), [](const Tracked& t) { return t.rule == Rule::Straggler; });
    const double scale = isOpen ? 0.5 : 1.0;
    const auto s = window.straggler(scale * settings.stragglerShare, toNs(scale * settings.stallMinSeconds),
                                    thresholdNs(), isOpen ? 0.6 : kMostSteps);
    if (!s)
        return;
    if (find(Rule::Hold, s->rank))
        return; // the long wait explains the window
    if (Tracked* t = find(Rule::Straggler, s->rank)) {
        t->incident.evidence["held_s"] = static_cast<double>(s->heldNs) * 1e-9;
        update(*t, o);
        return;
    }
    Incident in;
    in.straggler = true;
    in.holders = {s->rank};
    for (int r = 0; r < world; ++r)
        if (r != s->rank)
            in.waiters.push_back(r);
    in.phase = s->phase;
    in.step = newest;
    in.openedNs = o.nowNs - s->windowNs;
    const bool compute = s->phase == Phase::Forward || s->phase == Phase::Loss || s->phase == Phase::Backward ||
                         s->phase == Phase::Optimizer;
    in.cause = s->phase == Phase::DataWait     ? Cause::DataLoading
               : s->phase == Phase::Checkpoint ? Cause::Checkpoint
               : s->lengthShare >= 0.5         ? Cause::LongBatch
               : compute                       ? Cause::SlowCompute
                                               : Cause::Preprocessing;
    in.evidence = {
        {"held_s", static_cast<double>(s->heldNs) * 1e-9},
        {"window_s", static_cast<double>(s->windowNs) * 1e-9},
        {"window_steps", s->steps},
        {"share", static_cast<double>(s->heldNs) / static_cast<double>(std::max<std::int64_t>(1, s->windowNs))},
        {"holder_longest_frames", s->framesMax},
        {"others_longest_frames", s->othersFramesMax},
        {"others_longest_samples", s->othersSamplesMax},
        {"longest_batch_share", s->lengthShare}};
    start(Rule::Straggler, std::move(in), o);
}

void Detector::State::notFinite(const Observation& o) {
    for (const auto& [rank, step] : notFiniteStep) {
        const auto fine = finiteStep.find(rank);
        if (fine != finiteStep.end() && fine->second > step)
            continue;
        if (Tracked* t = find(Rule::NotFinite, rank)) {
            update(*t, o);
            continue;
        }
        const std::string& what = notFiniteWhat[rank];
        Incident in;
        // without a masked frame the mean over them is 0 / 0: the batch is to blame, not the arithmetic
        in.cause = what.empty() ? Cause::EmptyBatch : Cause::NotFinite;
        in.holders = {rank};
        in.step = step;
        in.phase = what == "gradient" ? Phase::Backward : Phase::Loss;
        in.openedNs = o.nowNs;
        if (what.empty()) {
            in.evidence["masked_frames"] = 0;
        } else {
            in.evidence["what"] = what;
            in.evidence["what_zh"] = what == "loss" ? "损失" : "梯度";
        }
        start(Rule::NotFinite, std::move(in), o);
    }
}

} // namespace rankscope::diagnosis
