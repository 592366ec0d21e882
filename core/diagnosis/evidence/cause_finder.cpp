// SPDX-License-Identifier: Apache-2.0
#include "core/diagnosis/evidence/cause_finder.h"

#include "core/diagnosis/stalls/stall_scan.h"
#include "core/telemetry/format/note_markers.h"

#include <algorithm>
#include <csignal>
#include <filesystem>

namespace rankscope::diagnosis {

using namespace telemetry;

namespace {

double secondsSince(std::int64_t now, std::int64_t then) {
    return then > 0 && now > then ? static_cast<double>(now - then) * 1e-9 : 0.0;
}

BatchLengths lengthsOf(const BoardSnapshot& b) {
    constexpr std::int64_t kMost = INT64_MAX / (std::int64_t{1} << 32); // a board may contain any value
    return {std::max<std::int64_t>(b.longestFrames, 0), std::max<std::int64_t>(b.longestSamples, 0),
            std::clamp<std::int64_t>(b.longestFrames, 0, kMost) * std::max(1, b.batchSize)};
}

/// Returns whether it is clearly longer than any of the others: at least half as long again.
bool isLonger(const BatchLengths& mine, const BatchLengths& others) {
    return others.frames > 0 && static_cast<double>(mine.frames) >= 1.5 * static_cast<double>(others.frames) &&
           static_cast<double>(mine.cost) >= 1.5 * static_cast<double>(others.cost);
}

/// Returns false if batches of this length, as measured in the run so far, take far less than the lost time.
bool lengthExplains(const BatchLengths& mine, const HoldContext& c) {
    return c.usual.computeNs == 0 || c.observation.nowNs - c.sinceNs <= c.usual.atMostNs(mine.frames);
}

Cause causeOfPhase(const BoardSnapshot& b, const HoldContext& c) {
    const BatchLengths mine = lengthsOf(b);
    const bool longer = isLonger(mine, c.others) && lengthExplains(mine, c);
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

} // namespace

std::int64_t UsualCompute::atMostNs(std::int64_t frames) const {
    constexpr double kMargin = 2; // kernels that are slower at an unusual size, a busy machine
    if (framesMax <= 0)
        return 0;
    const double ratio = std::max(1.0, static_cast<double>(frames) / static_cast<double>(framesMax));
    const double most = kMargin * static_cast<double>(computeNs) * ratio * ratio;
    return most < 9e18 ? static_cast<std::int64_t>(most) : INT64_MAX;
}

BatchLengths othersLengths(const Observation& o, const std::vector<int>& holders) {
    BatchLengths most;
    for (const auto& r : o.ranks) {
        if (!r.board || std::binary_search(holders.begin(), holders.end(), r.rank))
            continue;
        const BatchLengths l = lengthsOf(*r.board);
        most.frames = std::max(most.frames, l.frames);
        most.samples = std::max(most.samples, l.samples);
        most.cost = std::max(most.cost, l.cost);
    }
    return most;
}

Cause findCause(const RankObservation& r, const HoldContext& c) {
    if (isStopped(r.process))
        return Cause::Stopped;
    if (isDead(r.process))
        return isBadEnd(r.process) ? Cause::Dead : c.waited ? Cause::UnevenBatches : Cause::Unknown;
    if (!r.board)
        return Cause::NeverJoined;
    if (telemetry::hasLeft(r.board->stage))
        return Cause::UnevenBatches;
    if (c.waited && isInside(r)) // others have left that collective already
        return Cause::InsideCollective;
    // without CPU time every phase is slow, so the current phase does not show the cause
    const Cause cause = causeOfPhase(*r.board, c);
    return isSlowness(cause) && isHeldByQuota(c.observation, r.rank) ? Cause::SlowCompute : cause;
}

bool isSlowness(Cause cause) {
    return cause == Cause::DataLoading || cause == Cause::Preprocessing || cause == Cause::LongBatch ||
           cause == Cause::SlowCompute;
}

bool isHeldByQuota(const Observation& o, int rank) {
    constexpr double kMuch = 0.25; // of the periods
    const auto shareOf = [](const RankObservation& r) { return r.resources ? r.resources->cpuThrottledShare : -1; };
    if (rank < 0 || static_cast<std::size_t>(rank) >= o.ranks.size())
        return false;
    const double share = shareOf(o.ranks[static_cast<std::size_t>(rank)]);
    if (share < kMuch)
        return false;
    const auto alike = std::count_if(o.ranks.begin(), o.ranks.end(), [&](const RankObservation& r) {
        return r.rank != rank && shareOf(r) > share / 2;
    });
    return 2 * static_cast<std::size_t>(alike) < o.ranks.size();
}

void addUsageEvidence(Evidence& e, const ResourceView& v) {
    const auto put = [](auto& field, auto value) {
        if (value >= 0)
            field = value;
    };
    put(e.cpuShare, v.cpuShare);
    put(e.cpuThrottledShare, v.cpuThrottledShare);
    put(e.cpuThrottledTimeShare, v.cpuThrottledTimeShare);
    put(e.cpuQuota, v.cpuQuota);
    put(e.rssBytes, v.rssBytes);
    if (v.swapBytes > 0)
        e.swapBytes = v.swapBytes;
    if (v.majorFaultsPerSecond > 0)
        e.majorFaultsRate = v.majorFaultsPerSecond;
    put(e.gpuClockShare, v.gpuClockShare);
    put(e.gpuTemperatureCelsius, v.gpuTemperature);
    if (!v.gpuThrottle.empty())
        e.gpuThrottle = v.gpuThrottle;
}

static bool containsAny(std::string_view text, std::initializer_list<std::string_view> words) {
    return std::any_of(words.begin(), words.end(),
                       [&](std::string_view word) { return text.find(word) != std::string_view::npos; });
}

/// Returns whether the process reported a failed allocation before it ended.
static bool mentionsMemory(std::string_view lines) {
    return containsAny(lines, {"out of memory", "bad_alloc", "can't allocate memory", "Cannot allocate memory"});
}

bool mentionsFullDisk(std::string_view text) {
    return containsAny(text, {"No space left on device", "Disk quota exceeded", "the disk or quota is full"});
}

void addExitEvidence(Evidence& e, const ProcessView& p) {
    if (p.state == ProcessView::State::Exited)
        e.exitCode = p.exitCode;
    if (p.state == ProcessView::State::Signalled)
        e.signalName = signalName(p.signal);
    if (p.state != ProcessView::State::Gone)
        e.outOfMemory = p.outOfMemory || mentionsMemory(p.lastLines);
    if (p.state == ProcessView::State::Exited && mentionsFullDisk(p.lastLines))
        e.diskFull = true;
    if (!p.lastLines.empty())
        e.lastLines = p.lastLines;
}

namespace {

void describeBoard(Evidence& e, const BoardSnapshot& b, const Observation& o) {
    e.pid = b.pid;
    e.holderPhaseSeconds = secondsSince(o.nowNs, b.phaseSinceNs);
    e.batchSize.reset();
    if (b.batchSize >= 0)
        e.batchSize = b.batchSize;
    e.place = placeName(b.place);
    e.layer = b.layer;
    if (b.phase != Phase::DataWait)
        return;
    e.queueDepth = b.queueDepth;
    e.queueCapacity = b.queueCapacity;
    if (!b.reading.empty()) {
        e.reading = std::filesystem::path(b.reading).filename().string();
        e.readingPath = b.reading;
        e.readingSeconds = secondsSince(o.nowNs, b.readingSinceNs);
    }
}

void describeLengths(Evidence& e, const BoardSnapshot& b, const HoldContext& c) {
    e.holderLongestFrames.reset();
    e.holderLongestSamples.reset();
    e.usualComputeSeconds.reset();
    e.lengthExplainsSeconds.reset();
    e.othersLongestFrames.reset();
    e.othersLongestSamples.reset();
    if (b.longestFrames < 0 && b.longestSamples < 0)
        return; // no rank of this program knows its lengths
    e.othersLongestFrames = c.others.frames;
    e.othersLongestSamples = c.others.samples;
    if (b.phase == Phase::DataWait) // the board still has the previous step's batch
        return;
    const BatchLengths mine = lengthsOf(b);
    e.holderLongestFrames = mine.frames;
    e.holderLongestSamples = mine.samples;
    if (!isLonger(mine, c.others) || c.usual.computeNs == 0)
        return;
    e.usualComputeSeconds = static_cast<double>(c.usual.computeNs) * 1e-9;
    e.lengthExplainsSeconds = static_cast<double>(c.usual.atMostNs(mine.frames)) * 1e-9;
}

} // namespace

void addHoldEvidence(Incident& in, const RankObservation& r, const HoldContext& c) {
    if (isStopped(r.process)) {
        in.evidence.signalName = signalName(r.process.signal ? r.process.signal : SIGSTOP);
        in.evidence.arrived = c.inside;
    } else if (isBadEnd(r.process)) {
        addExitEvidence(in.evidence, r.process);
    }
    if (r.resources && (in.cause == Cause::SlowCompute || in.cause == Cause::Preprocessing))
        addUsageEvidence(in.evidence, *r.resources);
    if (!r.board) {
        in.phase = Phase::Startup;
        return;
    }
    in.phase = r.board->phase;
    // a waiter is a step ahead of a holder that still loads the batch
    in.step = std::max(r.board->step, in.step);
    describeBoard(in.evidence, *r.board, c.observation);
    if (!isDead(r.process) && r.board->stage == RankStage::Running && !isStopped(r.process))
        describeLengths(in.evidence, *r.board, c);
}

bool isConfigurationCheck(const CheckRecord& check) {
    return check.status == CheckStatus::Failed && getText(check.name, sizeof check.name) == kConfigurationCheck;
}

} // namespace rankscope::diagnosis
