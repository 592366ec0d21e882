// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/models/run/live_rank_reader.h"

#include "core/base/process/process_identity.h"
#include "core/diagnosis/evidence/rank_status.h"
#include "core/launch/figures/open_waits.h"
#include "core/launch/run/run_folder.h"
#include "widgets/models/text/text_format.h"

#include <algorithm>
#include <csignal>

namespace rankscope::ui {

namespace {

diagnosis::RunOutcomeSeen runEnd(launch::RunState state) {
    switch (state) {
    case launch::RunState::Finished:
    case launch::RunState::Imported:
        return diagnosis::RunOutcomeSeen::Finished;
    case launch::RunState::Failed:
    case launch::RunState::Lost:
        return diagnosis::RunOutcomeSeen::Failed;
    case launch::RunState::Stopped:
        return diagnosis::RunOutcomeSeen::StoppedByUser;
    default:
        return diagnosis::RunOutcomeSeen::Running;
    }
}

std::vector<diagnosis::Incident> openIncidents(const RunView& view) {
    std::vector<diagnosis::Incident> open;
    if (view.lag) // they may have closed since: the boards show what the ranks do
        return open;
    std::copy_if(view.incidents.begin(), view.incidents.end(), std::back_inserter(open),
                 [](const auto& in) { return in.closed == diagnosis::CloseReason::Open; });
    return open;
}

} // namespace

diagnosis::ProcessView LiveRankReader::processOf(const launch::RunInfo& info, int rank, RankSource& source,
                                                 const std::optional<telemetry::BoardSnapshot>& board,
                                                 std::int64_t nowNs) {
    const auto index = static_cast<std::size_t>(rank);
    int pid = index < info.rankPids.size() ? info.rankPids[index] : 0;
    std::uint64_t ticks = index < info.rankStartTicks.size() ? info.rankStartTicks[index] : 0;
    if (pid <= 0 && board) {
        pid = board->pid;
        ticks = board->startTicks;
    }
    diagnosis::ProcessView now;
    if (pid > 0 && !launch::seesProcesses(info)) {
        // its pids mean nothing here, so the board's age decides. Ranks do not outlive their supervisor
        now.state =
            launch::isLive(info.state) ? diagnosis::ProcessView::State::Running : diagnosis::ProcessView::State::Gone;
    } else if (pid > 0) {
        const auto stat = processStat(pid);
        const bool wasStopped = source.process.state == diagnosis::ProcessView::State::Stopped;
        if (!stat || stat->startTicks != ticks || stat->state == 'Z' || stat->state == 'X')
            now.state = diagnosis::ProcessView::State::Gone;
        else
            now.state = stat->state == 'T' || (stat->state == 't' && (source.traced || wasStopped))
                            ? diagnosis::ProcessView::State::Stopped
                            : diagnosis::ProcessView::State::Running;
        // taking stacks stops a rank only for a moment: if it is still traced at the next look, it is a debugger
        source.traced = stat && stat->state == 't';
        if (now.state == diagnosis::ProcessView::State::Stopped)
            now.signal = stat->state == 't' ? SIGTRAP : SIGSTOP;
    }
    auto& known = source.process;
    now.sinceNs = now.state == known.state && known.sinceNs ? known.sinceNs : nowNs;
    known = now;
    return now;
}

void LiveRankReader::read(RunView& view, std::int64_t nowNs) {
    m_sources.resize(static_cast<std::size_t>(view.shownRanks()));
    diagnosis::Observation observation;
    observation.nowNs = nowNs;
    observation.end = runEnd(view.info.state);
    for (int r = 0; r < view.shownRanks(); ++r) {
        RankSource& source = m_sources[static_cast<std::size_t>(r)];
        if (!source.board)
            if (auto board = telemetry::BoardReader::open(m_run.board(r)))
                source.board.emplace(std::move(*board));
        diagnosis::RankObservation rank;
        rank.rank = r;
        if (source.board)
            rank.board = source.board->snapshot();
        if (r == 0 && rank.board)
            view.stepsPerEpoch = rank.board->stepsPerEpoch;
        rank.process = processOf(view.info, r, source, rank.board, nowNs);
        observation.ranks.push_back(std::move(rank));
    }
    auto statuses = diagnosis::rankStatuses(observation, openIncidents(view), view.groups);
    view.ranks.clear();
    for (std::size_t r = 0; r < m_sources.size() && r < statuses.size(); ++r) {
        RankTile tile{static_cast<int>(r), std::move(statuses[r])};
        if (const auto& board = observation.ranks[r].board) {
            tile.step = board->step;
            tile.phase = board->phase;
            tile.phaseSinceNs = board->phaseSinceNs;
        }
        view.ranks.push_back(std::move(tile));
    }
    view.openWaits = diagnosis::openWaits(observation, launch::kShownWaitNs, view.groups);
}

} // namespace rankscope::ui
