// SPDX-License-Identifier: Apache-2.0
#include "core/launch/figures/open_waits.h"

#include "core/store/waits/wait_joiner.h"
#include "core/telemetry/board/board.h"

#include <algorithm>
#include <map>

namespace rankscope::launch {

std::vector<diagnosis::OpenWait> readOpenWaits(const RunPaths& run, const RunInfo& info,
                                               const telemetry::ProcessGroups& groups, std::int64_t nowNs) {
    if (!isLive(info.state) || !seesProcesses(info))
        return {};
    diagnosis::Observation observation;
    observation.nowNs = nowNs;
    for (int r = 0; r < info.worldSize; ++r) {
        diagnosis::RankObservation rank;
        rank.rank = r;
        if (const auto board = telemetry::BoardReader::open(run.board(r)))
            rank.board = board->snapshot();
        rank.process.state = diagnosis::ProcessView::State::Running;
        observation.ranks.push_back(std::move(rank));
    }
    return diagnosis::openWaits(observation, kShownWaitNs, groups);
}

diagnosis::ActiveClock activeClock(std::span<const diagnosis::Incident> incidents, std::int64_t nowNs) {
    diagnosis::ActiveClock clock(incidents.size() + 1);
    for (const diagnosis::Incident& in : incidents)
        if (in.cause == diagnosis::Cause::Paused)
            clock.add({in.openedNs, in.closed == diagnosis::CloseReason::Open ? nowNs : in.closedNs});
    return clock;
}

static std::int64_t activeBetween(const diagnosis::ActiveClock& clock, std::int64_t fromNs, std::int64_t toNs) {
    return std::max<std::int64_t>(0, toNs - fromNs - clock.pausedIn(fromNs, toNs));
}

void addOpenWaits(std::span<const diagnosis::OpenWait> waits, std::int64_t nowNs, const diagnosis::ActiveClock& clock,
                  std::span<store::RankSummary> ranks) {
    for (const diagnosis::OpenWait& wait : waits) {
        const std::int64_t waitedNs = activeBetween(clock, wait.sinceNs, nowNs);
        for (store::RankSummary& rank : ranks) {
            rank.waitedNs += rank.rank == wait.rank ? waitedNs : 0;
            rank.heldNs += rank.rank == wait.holder ? waitedNs : 0;
        }
    }
}

void addOpenWaits(std::span<const diagnosis::OpenWait> waits, std::int64_t nowNs, const diagnosis::ActiveClock& clock,
                  std::int64_t startNs, std::span<const store::RankSummary> ranks, store::LostTime& lost) {
    if (waits.empty() || ranks.empty() || lost.steps == 0)
        return;
    std::int64_t lastNs = 0;
    for (const store::RankSummary& rank : ranks)
        lastNs = std::max(lastNs, rank.lastNs);
    for (const diagnosis::OpenWait& wait : waits)
        lost.lostNs +=
            static_cast<double>(activeBetween(clock, wait.sinceNs, nowNs)) / static_cast<double>(ranks.size());
    lost.lastedNs += activeBetween(clock, startNs + lastNs, nowNs);
}

/// Returns true if the incident was open when the run ended, in a step that not all ranks have ended.
static bool wasCutOff(const diagnosis::Incident& in, std::int64_t lastStep) {
    using diagnosis::CloseReason;
    return (in.closed == CloseReason::StoppedByUser || in.closed == CloseReason::RunEnded) && in.step > lastStep &&
           !in.straggler && !in.holders.empty();
}

WaitsAtEnd waitsAtEnd(std::span<const diagnosis::Incident> incidents, std::span<const store::RankSummary> ranks) {
    WaitsAtEnd atEnd;
    if (ranks.empty())
        return atEnd;
    const std::int64_t lastStep = std::ranges::min(ranks, {}, &store::RankSummary::lastStep).lastStep;
    std::map<int, diagnosis::OpenWait> waits; // by rank: it may wait in several incidents
    for (const diagnosis::Incident& in : incidents) {
        if (!wasCutOff(in, lastStep))
            continue;
        atEnd.endNs = std::max(atEnd.endNs, in.closedNs);
        for (const int rank : in.waiters)
            waits.try_emplace(
                rank, diagnosis::OpenWait{rank, in.holders.front(), in.collective, in.step, in.openedNs, in.phase});
    }
    for (const auto& [rank, wait] : waits)
        atEnd.waits.push_back(wait);
    atEnd.clock = activeClock(incidents, atEnd.endNs);
    return atEnd;
}

void addWaitsAtEnd(std::span<const diagnosis::Incident> incidents, std::int64_t startNs,
                   std::span<store::RankSummary> ranks, store::LostTime& lost) {
    const WaitsAtEnd atEnd = waitsAtEnd(incidents, ranks);
    addOpenWaits(atEnd.waits, atEnd.endNs, atEnd.clock, startNs, ranks, lost);
    addOpenWaits(atEnd.waits, atEnd.endNs, atEnd.clock, ranks);
}

static diagnosis::WaitSums sumsOf(const diagnosis::OpenWait& wait, const WaitsAtEnd& atEnd) {
    diagnosis::WaitSums sums;
    sums.waitNs = sums.blockedNs = sums.untilEndNs = activeBetween(atEnd.clock, wait.sinceNs, atEnd.endNs);
    sums.collectives = 1;
    const auto phase = wait.holderPhase < telemetry::Phase::Count ? wait.holderPhase : telemetry::Phase::None;
    sums.phaseNs[static_cast<std::size_t>(phase)] = sums.waitNs;
    return sums;
}

void addWaitsAtEnd(const WaitsAtEnd& atEnd, std::int64_t startNs, store::WaitReport& report) {
    if (atEnd.waits.empty())
        return;
    if (report.steps.count() == 0) {
        const auto first = std::ranges::min(atEnd.waits, {}, &diagnosis::OpenWait::sinceNs);
        report.steps = {first.step, first.step};
        report.beginNs = report.endNs = first.sinceNs - startNs;
    }
    for (const diagnosis::OpenWait& wait : atEnd.waits)
        report.matrix.add(wait.rank, wait.holder,
                          wait.collective.known ? store::tagFamily(wait.collective.tag) : std::string_view("unknown"),
                          sumsOf(wait, atEnd));
    if (atEnd.endNs - startNs <= report.endNs)
        return;
    report.pausedNs += atEnd.clock.pausedIn(startNs + report.endNs, atEnd.endNs);
    report.endNs = atEnd.endNs - startNs;
}

} // namespace rankscope::launch
