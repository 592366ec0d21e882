// SPDX-License-Identifier: Apache-2.0
#include "core/diagnosis/evidence/cause_finder.h"

#include "core/diagnosis/stalls/stall_scan.h"
#include "core/telemetry/format/note_markers.h"

#include <fmt/format.h>

#include <algorithm>
#include <csignal>
#include <filesystem>
#include <numeric>

namespace rankscope::diagnosis {

using namespace telemetry;

namespace {

constexpr double kMostlyWithoutCpu = 0.5; ///< share of the time in which a thread waited for a processor

double secondsSince(std::int64_t now, std::int64_t then) {
    return then > 0 && now > then ? static_cast<double>(now - then) * 1e-9 : 0.0;
}

bool hasLengths(const BoardSnapshot& b) {
    return b.batchSize >= 0 && b.longestFrames >= 0;
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

Cause causeOfPhase(Phase phase, const BoardSnapshot& b, const HoldContext& c) {
    const BatchLengths mine = lengthsOf(b);
    const bool longer = isLonger(mine, c.others) && lengthExplains(mine, c);
    switch (phase) {
    case Phase::None:
        return Cause::Unknown;
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

/// Returns whether a share of the rank is this large, and less than half as large on most of the others.
bool isOnlyOneAbove(const Observation& o, int rank, double least, double ResourceView::*field) {
    const auto shareOf = [&](const RankObservation& r) { return r.resources ? (*r.resources).*field : -1; };
    if (rank < 0 || static_cast<std::size_t>(rank) >= o.ranks.size())
        return false;
    const double share = shareOf(o.ranks[static_cast<std::size_t>(rank)]);
    if (share < least)
        return false;
    const auto alike = std::count_if(o.ranks.begin(), o.ranks.end(), [&](const RankObservation& r) {
        return r.rank != rank && shareOf(r) > share / 2;
    });
    return 2 * static_cast<std::size_t>(alike) < o.ranks.size();
}

bool isOnlyOneShortOfCpu(const Observation& o, int rank) {
    return isOnlyOneAbove(o, rank, kMostlyWithoutCpu, &ResourceView::cpuWaitShare);
}

/// Finds the cause to which most of the holder's time went, by its phases.
CauseFinding causeOfTime(const RankObservation& r, const HoldContext& c) {
    const BoardSnapshot& b = *r.board;
    PhaseNs spent = c.spentNs;
    const std::int64_t sum = std::accumulate(spent.begin(), spent.end(), std::int64_t{0});
    if (sum <= 0)
        spent[static_cast<std::size_t>(b.phase)] = 1;
    // without CPU time every phase is slow, so the phase does not show the cause
    const bool lacksCpu = isHeldByQuota(c.observation, r.rank) || isOnlyOneShortOfCpu(c.observation, r.rank);
    CauseFinding found;
    std::array<Cause, kPhaseCount> causes{};
    for (std::size_t p = 0; p < kPhaseCount; ++p) {
        causes[p] = causeOfPhase(static_cast<Phase>(p), b, c);
        if (lacksCpu && isSlowness(causes[p]))
            causes[p] = Cause::SlowCompute;
        found.shares[static_cast<std::size_t>(causes[p])] +=
            static_cast<double>(spent[p]) / static_cast<double>(std::max<std::int64_t>(1, sum));
    }
    const auto most = std::max_element(found.shares.begin(), found.shares.end());
    found.cause = static_cast<Cause>(most - found.shares.begin());
    found.phase = b.phase;
    if (causes[static_cast<std::size_t>(b.phase)] != found.cause)
        for (std::size_t p = 0, best = kPhaseCount; p < kPhaseCount; ++p)
            if (causes[p] == found.cause && (best == kPhaseCount || spent[p] > spent[best])) {
                best = p;
                found.phase = static_cast<Phase>(p);
            }
    if (*most < kMostOfAWait || found.cause == Cause::Unknown) {
        found.missing = found.cause == Cause::Unknown && *most >= kMostOfAWait ? kNoPhase : kSeveralPhases;
        found.cause = Cause::Unknown;
        if (isShortOfCpu(r)) {
            found.cause = Cause::SlowCompute;
            found.missing = {};
        }
    } else if (found.cause == Cause::DataLoading && c.lostWorker) {
        found.cause = Cause::LoaderWorkerDied;
    }
    return found;
}

/// Returns whether a rank in this phase trains, and so has batches.
bool isTraining(Phase phase) {
    return phase >= Phase::DataWait && phase <= Phase::Optimizer;
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
    bool known = false, unknown = false;
    for (const auto& r : o.ranks) {
        if (!r.board || std::binary_search(holders.begin(), holders.end(), r.rank))
            continue;
        (hasLengths(*r.board) ? known : unknown) = true;
        const BatchLengths l = lengthsOf(*r.board);
        most.frames = std::max(most.frames, l.frames);
        most.samples = std::max(most.samples, l.samples);
        most.cost = std::max(most.cost, l.cost);
    }
    return unknown && !known ? BatchLengths{-1, -1, 0} : most;
}

CauseFinding findCause(const RankObservation& r, const HoldContext& c) {
    CauseFinding certain;
    certain.phase = r.board ? r.board->phase : Phase::Startup;
    const auto by = [&](Cause cause) {
        certain.cause = cause;
        certain.shares[static_cast<std::size_t>(cause)] = 1;
        return certain;
    };
    if (isStopped(r.process))
        return by(Cause::Stopped);
    if (isDead(r.process))
        return by(isBadEnd(r.process) ? Cause::Dead : c.waited ? Cause::UnevenBatches : Cause::Unknown);
    if (!r.board)
        return by(Cause::NeverJoined);
    if (telemetry::hasLeft(r.board->stage))
        return by(Cause::UnevenBatches);
    if (c.failed)
        return by(Cause::Dead);
    if (c.waited && isInside(r)) // others have left that collective already
        return by(isShortOfCpu(r) ? Cause::SlowCompute : Cause::InsideCollective);
    if (c.endedEarly && !isTraining(r.board->phase))
        return by(Cause::UnevenBatches);
    return causeOfTime(r, c);
}

std::string sharesText(const PhaseNs& spentNs) {
    constexpr std::size_t kMost = 3;
    std::vector<std::size_t> phases(spentNs.size());
    std::iota(phases.begin(), phases.end(), std::size_t{0});
    std::stable_sort(phases.begin(), phases.end(),
                     [&](std::size_t a, std::size_t b) { return spentNs[a] > spentNs[b]; });
    const auto sum = static_cast<double>(std::accumulate(spentNs.begin(), spentNs.end(), std::int64_t{0}));
    std::string text;
    for (std::size_t i = 0; i < kMost && spentNs[phases[i]] > 0; ++i)
        text += fmt::format("{}{} {:.0f} %", i == 0 ? "" : ", ", phaseName(static_cast<Phase>(phases[i])),
                            100 * static_cast<double>(spentNs[phases[i]]) / sum);
    return text;
}

bool isSlowness(Cause cause) {
    return cause == Cause::DataLoading || cause == Cause::Preprocessing || cause == Cause::LongBatch ||
           cause == Cause::SlowCompute;
}

bool isShortOfCpu(const RankObservation& r) {
    return r.resources && r.resources->cpuWaitShare >= kMostlyWithoutCpu;
}

bool isHeldByQuota(const Observation& o, int rank) {
    constexpr double kMuch = 0.25; // of the periods
    return isOnlyOneAbove(o, rank, kMuch, &ResourceView::cpuThrottledShare);
}

void addLoaderEvidence(Evidence& e, const ResourceView& v) {
    if (v.workersCpuWaitShare >= kMostlyWithoutCpu)
        e.workersCpuWaitShare = v.workersCpuWaitShare;
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
    put(e.cpuWaitShare, v.cpuWaitShare);
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
        const bool isSample = b.reading.find('[') < b.reading.find('/'); // of a watched program: "Sounds[7]"
        e.reading = isSample ? b.reading : std::filesystem::path(b.reading).filename().string();
        e.readingPath.reset();
        if (!isSample)
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
    if (c.others.frames >= 0) {
        e.othersLongestFrames = c.others.frames;
        e.othersLongestSamples = c.others.samples;
    }
    if (b.phase == Phase::DataWait || !hasLengths(b)) // in data_wait, the board still has the previous step's batch
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
    if (r.resources && (in.cause == Cause::SlowCompute || in.cause == Cause::Preprocessing || in.evidence.missing))
        addUsageEvidence(in.evidence, *r.resources);
    if (r.resources && in.cause == Cause::DataLoading)
        addLoaderEvidence(in.evidence, *r.resources);
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
