// SPDX-License-Identifier: Apache-2.0
#include "core/diagnosis/hold.h"

#include <fmt/format.h>

#include <algorithm>
#include <csignal>
#include <cstring>
#include <filesystem>

namespace rankscope::diagnosis {

using namespace telemetry;

std::string signalName(int signal) {
    const char* name = sigabbrev_np(signal);
    return name ? fmt::format("SIG{}", name) : fmt::format("signal {}", signal);
}

bool isDead(const ProcessView& p) {
    return p.state == ProcessView::State::Exited || p.state == ProcessView::State::Signalled ||
           p.state == ProcessView::State::Gone;
}

bool isBadEnd(const ProcessView& p) {
    return isDead(p) && !(p.state == ProcessView::State::Exited && p.exitCode == 0);
}

static const BoardCollective* ofGroup(const RankObservation& r, std::uint32_t group) {
    if (!r.board)
        return nullptr;
    for (const auto& c : r.board->collectives)
        if (c.used && c.group == group)
            return &c;
    return nullptr;
}

static bool waitsAnywhere(const RankObservation& r) {
    return r.board && std::any_of(r.board->collectives.begin(), r.board->collectives.end(),
                                  [](const auto& c) { return c.open(); });
}

static CollectiveRef refOf(const BoardCollective& c) {
    return {c.tag, c.op, c.group, c.sequence, true};
}

/// What `waiter` waits for that `holder` has not entered; null when nothing.
static const BoardCollective* waitsFor(const RankObservation& waiter, const RankObservation& holder) {
    if (!waiter.board || isDead(waiter.process))
        return nullptr;
    for (const auto& c : waiter.board->collectives) {
        if (!c.open())
            continue;
        const BoardCollective* theirs = ofGroup(holder, c.group);
        if (!theirs || theirs->sequence < c.sequence)
            return &c;
    }
    return nullptr;
}

static std::int64_t lastProgress(const BoardSnapshot& b) {
    // a loader that the training thread waits for keeps no board moving: its phase's begin is the last progress
    return b.phase == Phase::DataWait ? b.phaseSinceNs : std::max(b.updatedNs, b.phaseSinceNs);
}

std::vector<Hold> findHolds(const Observation& o, std::int64_t aloneAfterNs) {
    std::vector<Hold> holds;
    for (const auto& holder : o.ranks) {
        Hold hold;
        hold.holder = holder.rank;
        for (const auto& waiter : o.ranks) {
            if (waiter.rank == holder.rank)
                continue;
            const BoardCollective* c = waitsFor(waiter, holder);
            if (!c)
                continue;
            hold.waiters.push_back(waiter.rank);
            if (hold.sinceNs == 0 || c->enteredNs < hold.sinceNs) {
                hold.sinceNs = c->enteredNs;
                hold.collective = refOf(*c);
            }
        }
        const bool running = holder.board && holder.board->stage == RankStage::Running;
        if (hold.waiters.empty() && running && !waitsAnywhere(holder)) {
            const std::int64_t since = lastProgress(*holder.board);
            if (since > 0 && o.nowNs - since >= aloneAfterNs)
                hold.sinceNs = since;
        }
        if (hold.sinceNs > 0)
            holds.push_back(std::move(hold));
    }
    return holds;
}

static std::string describe(const BoardCollective& c) {
    return fmt::format("{} {} of {} elements", opName(c.op), c.tag, c.count);
}

static bool sameCall(const BoardCollective& a, const BoardCollective& b) {
    // the element count of a gather may differ between ranks; a broadcast's tag may not
    const bool counts = a.count == b.count || a.op == CollectiveOp::AllGather || a.op == CollectiveOp::Gather;
    return a.op == b.op && a.tag == b.tag && a.dtype == b.dtype && counts;
}

std::vector<Jam> findJams(const Observation& o) {
    std::vector<Jam> jams;
    if (o.ranks.size() < 2 || !o.ranks.front().board)
        return jams;
    for (const auto& first : o.ranks.front().board->collectives) {
        if (!first.open())
            continue;
        Jam jam{refOf(first), first.enteredNs, {}, {}};
        bool all = true;
        for (const auto& r : o.ranks) {
            const BoardCollective* c = ofGroup(r, first.group);
            all = all && c && c->open() && c->sequence == first.sequence && !isDead(r.process);
            if (!all)
                break;
            jam.sinceNs = std::max(jam.sinceNs, c->enteredNs);
            if (!sameCall(*c, first)) {
                jam.odd.push_back(r.rank);
                if (jam.mismatch.empty())
                    jam.mismatch = fmt::format("rank {} {}, rank {} {}", o.ranks.front().rank, describe(first), r.rank,
                                               describe(*c));
            }
        }
        if (all)
            jams.push_back(std::move(jam));
    }
    return jams;
}

namespace {

double secondsSince(std::int64_t now, std::int64_t then) {
    return then > 0 && now > then ? static_cast<double>(now - then) * 1e-9 : 0.0;
}

struct Lengths {
    std::int64_t frames = 0, samples = 0, cost = 0;
};

Lengths lengthsOf(const BoardSnapshot& b) {
    return {b.longestFrames, b.longestSamples, b.longestFrames * std::max(1, b.batchSize)};
}

/// Clearly longer: at least half as long again as the longest of the others.
bool isLongBatch(const Incident& in, const Observation& o, nlohmann::json& evidence) {
    Lengths mine, others;
    for (const auto& r : o.ranks) {
        if (!r.board)
            continue;
        const bool holds = std::find(in.holders.begin(), in.holders.end(), r.rank) != in.holders.end();
        Lengths& side = holds ? mine : others;
        const Lengths l = lengthsOf(*r.board);
        side.frames = std::max(side.frames, l.frames);
        side.samples = std::max(side.samples, l.samples);
        side.cost = std::max(side.cost, l.cost);
    }
    evidence["holder_longest_frames"] = mine.frames;
    evidence["others_longest_frames"] = others.frames;
    evidence["holder_longest_samples"] = mine.samples;
    evidence["others_longest_samples"] = others.samples;
    return others.frames > 0 && 2 * mine.frames >= 3 * others.frames && 2 * mine.cost >= 3 * others.cost;
}

/// False when batches of this length, by what the run has measured so far, take far less than what was lost.
bool lengthExplains(const Incident& in, const Observation& o, const UsualCompute& usual, nlohmann::json& evidence) {
    if (usual.computeNs == 0)
        return true;
    const std::int64_t atMost = usual.atMostNs(evidence.value("holder_longest_frames", std::int64_t{0}));
    evidence["usual_compute_s"] = static_cast<double>(usual.computeNs) * 1e-9;
    evidence["length_explains_s"] = static_cast<double>(atMost) * 1e-9;
    return o.nowNs - in.openedNs <= atMost;
}

Cause causeOfPhase(const Incident& in, const Observation& o, const BoardSnapshot& b, const UsualCompute& usual,
                   nlohmann::json& evidence) {
    const bool longer = isLongBatch(in, o, evidence) && lengthExplains(in, o, usual, evidence);
    switch (b.phase) {
    case Phase::DataWait:
        return Cause::DataLoading;
    case Phase::ToDevice:
    case Phase::Preprocess:
    case Phase::Augment:
        return longer ? Cause::LongBatch : Cause::Preprocessing;
    case Phase::Checkpoint:
        return Cause::Checkpoint;
    case Phase::Startup:
    case Phase::Rendezvous:
        return Cause::NeverJoined;
    case Phase::Forward:
    case Phase::Loss:
    case Phase::Backward:
        return longer ? Cause::LongBatch : Cause::SlowCompute;
    default:
        return Cause::SlowCompute;
    }
}

void describeBoard(const BoardSnapshot& b, const Observation& o, nlohmann::json& evidence) {
    evidence["pid"] = b.pid;
    evidence["holder_phase_s"] = secondsSince(o.nowNs, b.phaseSinceNs);
    evidence["batch_size"] = b.batchSize;
    evidence["place"] = placeName(b.place);
    evidence["layer"] = b.layer;
    if (b.phase == Phase::DataWait) {
        evidence["queue_depth"] = b.queueDepth;
        evidence["queue_capacity"] = b.queueCapacity;
        if (!b.reading.empty()) {
            evidence["reading"] = std::filesystem::path(b.reading).filename().string();
            evidence["reading_path"] = b.reading;
            evidence["reading_s"] = secondsSince(o.nowNs, b.readingSinceNs);
        }
    }
}

Cause causeOfProcess(const RankObservation& r, const Incident& in, nlohmann::json& evidence) {
    const ProcessView& p = r.process;
    switch (p.state) {
    case ProcessView::State::Stopped:
        evidence["signal_name"] = signalName(p.signal ? p.signal : SIGSTOP);
        return Cause::Stopped;
    case ProcessView::State::Exited:
        if (p.exitCode == 0)
            return in.waiters.empty() ? Cause::Unknown : Cause::UnevenBatches;
        evidence["exit_code"] = p.exitCode;
        evidence["out_of_memory"] = p.outOfMemory;
        break;
    case ProcessView::State::Signalled:
        evidence["signal_name"] = signalName(p.signal);
        evidence["out_of_memory"] = p.outOfMemory;
        break;
    case ProcessView::State::Gone:
        break; // neither code nor signal is known
    default:
        return Cause::Unknown;
    }
    if (!p.lastLines.empty())
        evidence["last_lines"] = p.lastLines;
    return Cause::Dead;
}

} // namespace

void explain(Incident& in, const Observation& o, const UsualCompute& usual) {
    if (in.holders.empty())
        return;
    const auto at = static_cast<std::size_t>(in.holders.front());
    if (at >= o.ranks.size())
        return;
    const RankObservation& r = o.ranks[at];
    in.cause = causeOfProcess(r, in, in.evidence);
    if (!r.board) {
        if (in.cause == Cause::Unknown)
            in.cause = Cause::NeverJoined;
        in.phase = Phase::Startup;
        return;
    }
    in.phase = r.board->phase;
    // a waiter is a step ahead of a holder that still loads the batch
    in.step = std::max(r.board->step, in.step);
    describeBoard(*r.board, o, in.evidence);
    if (in.cause != Cause::Unknown)
        return;
    in.cause = r.board->stage == RankStage::Finished ? Cause::UnevenBatches
                                                     : causeOfPhase(in, o, *r.board, usual, in.evidence);
}

} // namespace rankscope::diagnosis
