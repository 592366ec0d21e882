// SPDX-License-Identifier: Apache-2.0
#include "core/launch/supervise/rank_set.h"

#include "core/base/values/result.h"
#include "core/launch/command/observer_folder.h"
#include "core/launch/process/foreign_process.h"

#include <fmt/format.h>

#include <algorithm>
#include <csignal>
#include <memory>
#include <utility>

namespace rankscope::launch {

static constexpr std::int64_t kSecondsNs = 1'000'000'000;
/// Interval at which boards of new processes are looked for once all ranks have appeared.
static constexpr std::int64_t kLookEveryNs = kSecondsNs;
/// How long ranks that other programs start may take to be started again.
static constexpr std::int64_t kRestartNs = 15 * kSecondsNs;
/// How long a rank may continue after the command, and anything else that it has left.
static constexpr std::int64_t kRankOutlivesNs = 20 * kSecondsNs, kOutlivesNs = 2 * kSecondsNs;
/// How long leftovers have to react to SIGTERM.
static constexpr std::int64_t kReactNs = 5 * kSecondsNs;

RankSet::RankSet(const PreparedLaunch& plan) : m_plan(plan) {}

Result<void> RankSet::start() {
    if (!m_plan.command.empty()) {
        const CommandLine command{m_plan.command, m_plan.environment, m_plan.run.commandLog(), m_plan.forwards};
        RS_TRY_ASSIGN(auto started,
                      GuardedCommand::start(command, fmt::format("{}={}", kRunDirVariable, m_plan.run.dir.string())));
        m_command.emplace(std::move(started));
        return {};
    }
    m_ranks.reserve(m_plan.ranks.size());
    for (const auto& rank : m_plan.ranks) {
        m_ranks.emplace_back(rank.rank, m_plan.run);
        RS_TRY(m_ranks.back().start(rank));
    }
    return {};
}

void RankSet::clear() {
    m_ranks.clear();
    m_command.reset();
}

bool RankSet::isComplete() const {
    return !m_ranks.empty() && m_attempt.size() == m_ranks.size();
}

std::vector<ReportingRank> RankSet::appeared(std::int64_t nowNs) {
    std::vector<ReportingRank> fresh;
    if (!m_plan.info.watched() || (isComplete() && anyLives() && nowNs - m_lookedNs < kLookEveryNs))
        return fresh;
    m_lookedNs = nowNs;
    for (auto& rank : reportingRanks(m_plan.run)) {
        const auto r = static_cast<std::size_t>(rank.rank);
        const bool known = r < m_taken.size() ? m_taken[r].pid == rank.pid && m_taken[r].startTicks == rank.startTicks
                                              : m_misfits.contains(rank.rank);
        if (!known)
            fresh.push_back(std::move(rank));
    }
    return fresh;
}

void RankSet::expect(int worldSize) {
    m_taken.resize(static_cast<std::size_t>(worldSize));
    for (int r = 0; r < worldSize; ++r)
        m_ranks.emplace_back(r, m_plan.run);
}

bool RankSet::isNewAttempt(const std::vector<ReportingRank>& ranks) const {
    return std::any_of(ranks.begin(), ranks.end(),
                       [this](const ReportingRank& rank) { return m_attempt.contains(rank.rank); });
}

void RankSet::beginAttempt() {
    m_attempt.clear();
    for (auto& rank : m_ranks)
        if (rank.ended()) {
            m_earlierEnds[rank.rank()] = endSentence(rank.end()).english();
            rank.forget();
        }
}

/// Returns null for a process that cannot be seen: it has ended already, or is in another PID namespace.
std::unique_ptr<RankProcess> RankSet::processOf(const ReportingRank& rank) const {
    const auto collected = [this](pid_t pid) { return m_command ? m_command->endOf(pid) : std::nullopt; };
    auto found = ForeignProcess::find(rank.pid, rank.startTicks, collected);
    return found ? std::make_unique<ForeignProcess>(std::move(*found)) : nullptr;
}

std::string RankSet::take(const ReportingRank& rank) {
    const auto r = static_cast<std::size_t>(rank.rank);
    if (r >= m_ranks.size()) {
        m_misfits.insert(rank.rank);
        return fmt::format("Process {} reports as rank {} of {}, but the run has {} ranks. It is not watched.",
                           rank.pid, rank.rank, rank.worldSize, m_ranks.size());
    }
    std::string note;
    if (const pid_t before = std::exchange(m_taken[r], rank).pid; before != 0) {
        const auto ended = m_earlierEnds.find(rank.rank);
        note =
            fmt::format("Rank {} was started again as process {}; before, {}.", rank.rank, rank.pid,
                        ended == m_earlierEnds.end() ? fmt::format("process {} was this rank", before) : ended->second);
    }
    m_ranks[r].watch(processOf(rank));
    m_attempt.insert(rank.rank);
    return note;
}

void RankSet::writeTo(RunInfo& info) const {
    info.rankPids.clear();
    info.rankStartTicks.clear();
    for (std::size_t r = 0; r < m_ranks.size(); ++r) {
        const bool started = m_taken.empty();
        info.rankPids.push_back(started ? m_ranks[r].pid() : m_taken[r].pid);
        info.rankStartTicks.push_back(started ? m_ranks[r].startTicks() : m_taken[r].startTicks);
    }
}

bool RankSet::poll(std::int64_t nowNs, const RunMonitors& monitors) {
    if (m_command)
        m_command->poll();
    bool anyEnd = false;
    for (auto& rank : m_ranks) {
        if (m_command && m_command->isGuardLost())
            rank.terminate(SIGKILL);
        anyEnd |= rank.poll(nowNs, monitors.holds(rank.pid()));
    }
    m_allGoneNs = anyLives() ? 0 : m_allGoneNs == 0 ? nowNs : m_allGoneNs;
    return anyEnd;
}

bool RankSet::areOver(std::int64_t nowNs) {
    if (m_command)
        return m_command->allEnded() &&
               std::none_of(m_ranks.begin(), m_ranks.end(), [](const auto& r) { return r.pid() != 0 && !r.ended(); });
    if (!m_plan.info.watched())
        return !anyLives();
    if (!anyAppeared() || anyLives())
        return false;
    const bool allDone =
        isComplete() && std::all_of(m_ranks.begin(), m_ranks.end(), [](const auto& r) { return r.reportedDone(); });
    return allDone || nowNs - m_allGoneNs >= kRestartNs;
}

void RankSet::terminate() {
    if (m_command && !m_command->end()) {
        m_command->signal(SIGTERM);
        m_command->signal(SIGCONT); // a stopped process does not see the signal that is to end it
        return;
    }
    if (m_command)
        m_command->terminateRest();
    for (auto& rank : m_ranks)
        rank.terminate(SIGTERM);
}

void RankSet::kill() {
    for (auto& rank : m_ranks)
        rank.terminate(SIGKILL);
    if (m_command)
        m_command->kill();
}

bool RankSet::waitsInVain() const {
    const auto ended = [](const RankMonitor& r) { return r.ended(); };
    const auto joining = [](const RankMonitor& r) { return r.ended() || !r.running(); };
    return !m_plan.info.watched() && anyLives() && std::any_of(m_ranks.begin(), m_ranks.end(), ended) &&
           std::all_of(m_ranks.begin(), m_ranks.end(), joining);
}

void RankSet::endWaiting() {
    for (auto& rank : m_ranks)
        rank.endWaiting();
}

bool RankSet::interrupt() {
    if (!m_command || m_command->end())
        return false;
    m_command->interrupt();
    return true;
}

void RankSet::endLeftovers(std::int64_t nowNs, bool stopping) {
    if (!m_command || !m_command->end())
        return;
    if (m_commandEndedNs == 0)
        m_commandEndedNs = nowNs;
    const bool trains = std::any_of(m_ranks.begin(), m_ranks.end(),
                                    [](const auto& r) { return r.appeared() && !r.ended() && !r.reportedDone(); });
    const std::int64_t grace = stopping ? 0 : trains ? kRankOutlivesNs : kOutlivesNs;
    if (m_askedNs == 0 && nowNs - m_commandEndedNs >= grace) {
        m_askedNs = nowNs;
        terminate();
    } else if (m_askedNs != 0 && nowNs - m_askedNs >= kReactNs) {
        kill();
    }
}

void RankSet::assumeEnded(std::int64_t nowNs) {
    for (auto& rank : m_ranks) {
        const auto r = static_cast<std::size_t>(rank.rank());
        const auto known = m_command && r < m_taken.size() ? m_command->endOf(m_taken[r].pid) : std::nullopt;
        rank.assumeEnded(known.value_or(ProcessEnd{false, 0, nowNs, false}));
    }
}

void RankSet::resumeStopped(std::int64_t nowNs) {
    for (auto& rank : m_ranks) {
        if (rank.stoppedSinceNs() == 0)
            continue;
        int nth = 0;
        const config::FaultConfig* fault = nullptr;
        for (const auto& f : m_plan.settings.faults)
            if (f.kind == "stopped" && f.rank == rank.rank() && nth++ < rank.timesStopped())
                fault = &f;
        if (fault && static_cast<double>(nowNs - rank.stoppedSinceNs()) >= fault->seconds * 1e9)
            rank.resume();
    }
}

bool RankSet::addVersionsTo(RunInfo& info) const {
    bool added = false;
    for (const auto& rank : m_ranks)
        for (const auto& library : rank.software()) {
            const auto isIt = [&](const auto& known) { return known.first == library.first; };
            if (std::any_of(info.versions.begin(), info.versions.end(), isIt))
                continue;
            info.versions.push_back(library);
            added = true;
        }
    return added;
}

bool RankSet::anyLives() const {
    return std::any_of(m_ranks.begin(), m_ranks.end(), [](const auto& r) { return r.appeared() && !r.ended(); });
}

bool RankSet::anyAppeared() const {
    return std::any_of(m_ranks.begin(), m_ranks.end(), [](const auto& r) { return r.appeared(); });
}

bool RankSet::areRunning() const {
    return anyAppeared() &&
           std::all_of(m_ranks.begin(), m_ranks.end(), [](const auto& r) { return !r.appeared() || r.running(); });
}

std::vector<int> RankSet::descriptors() const {
    std::vector<int> all;
    if (m_command)
        all.push_back(m_command->descriptor());
    for (const auto& rank : m_ranks)
        if (const int fd = rank.endDescriptor(); fd >= 0)
            all.push_back(fd);
    return all;
}

} // namespace rankscope::launch
