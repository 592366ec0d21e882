// SPDX-License-Identifier: Apache-2.0
#include "core/explain/verdict/ended_ranks.h"

#include <algorithm>
#include <csignal>
#include <map>
#include <set>

namespace rankscope::explain {
namespace {

/// The lower, the more an end says about its reason.
int order(const RankEnd& end) {
    switch (end.kind) {
    case RankEnd::Kind::OutOfMemory:
        return 0;
    case RankEnd::Kind::Exception:
        return 1;
    case RankEnd::Kind::Signal:
        return 2;
    case RankEnd::Kind::ExitCode:
        break;
    }
    return 3;
}

bool isRequest(const RankEnd& end) {
    return end.kind == RankEnd::Kind::Signal &&
           (end.code == SIGTERM || end.code == SIGINT || end.code == SIGHUP || end.code == SIGQUIT);
}

/// A rank that hears of another rank's timeout writes its counts, and its watchdog aborts the process. The heartbeat
/// monitor does so, too.
bool isAbortAfter(const RankEnd& end, const HangEvidence& evidence) {
    if (end.kind != RankEnd::Kind::Signal || end.code != SIGABRT)
        return false;
    if (!end.rank)
        return !evidence.timeouts.empty() || !evidence.monitors.empty();
    return std::ranges::any_of(evidence.timeouts,
                               [&](const CollectiveTimeout& t) { return t.countsOnly && t.rank == end.rank; }) ||
           std::ranges::any_of(evidence.monitors, [&](const MonitorReport& m) { return m.rank == end.rank; });
}

bool isStatus(const RankEnd& end) {
    return end.kind == RankEnd::Kind::ExitCode || end.kind == RankEnd::Kind::Signal;
}

} // namespace

std::vector<int> ranksThatWaited(const HangEvidence& evidence) {
    std::set<int> ranks;
    for (const auto& timeout : evidence.timeouts)
        if (timeout.rank && !timeout.countsOnly)
            ranks.insert(*timeout.rank);
    for (const auto& lost : evidence.connections)
        if (lost.rank)
            ranks.insert(*lost.rank);
    for (const auto& end : evidence.ends)
        if (end.rank && end.ofCollective)
            ranks.insert(*end.rank);
    for (const auto& mismatch : evidence.mismatches)
        for (const auto& side : mismatch.sides)
            if (side.rank)
                ranks.insert(*side.rank);
    for (const auto& missing : evidence.missing)
        if (missing.rank && std::ranges::find(missing.missing, *missing.rank) == missing.missing.end())
            ranks.insert(*missing.rank);
    return {ranks.begin(), ranks.end()};
}

std::vector<int> ranksWithStuckWatchdog(const HangEvidence& evidence) {
    std::set<int> ranks;
    for (const auto& report : evidence.monitors)
        if (report.rank && report.kind == MonitorReport::Kind::Stuck)
            ranks.insert(*report.rank);
    for (const auto& timeout : evidence.timeouts)
        if (!timeout.countsOnly)
            ranks.erase(timeout.globalRank ? *timeout.globalRank : timeout.rank.value_or(-1));
    return {ranks.begin(), ranks.end()};
}

std::vector<RankEnd> endsThatCount(const HangEvidence& evidence) {
    const auto waited = ranksThatWaited(evidence);
    const auto hadWaited = [&](const RankEnd& end) {
        return end.rank && std::ranges::binary_search(waited, *end.rank);
    };
    std::map<int, RankEnd> best; // -1: of no rank that is named
    std::vector<RankEnd> requests;
    for (const RankEnd& end : evidence.ends) {
        if (end.ofCollective || (isStatus(end) && hadWaited(end)) || isAbortAfter(end, evidence))
            continue;
        if (isRequest(end)) {
            requests.push_back(end);
            continue;
        }
        const auto [found, isNew] = best.try_emplace(end.rank.value_or(-1), end);
        if (!isNew && order(end) < order(found->second))
            found->second = end;
    }
    std::set<std::optional<int>> ended; // a launcher ends the others once one has ended
    for (const RankEnd& end : evidence.ends)
        ended.insert(end.rank);
    if (!requests.empty() && ended.size() == 1)
        return {requests.front()};
    std::vector<RankEnd> ends;
    for (auto& [rank, end] : best)
        ends.push_back(std::move(end));
    std::ranges::stable_sort(ends, {}, order);
    return ends;
}

} // namespace rankscope::explain
