// SPDX-License-Identifier: Apache-2.0
#include "core/diagnosis/stalls/stall_scan.h"

#include "core/diagnosis/model/sanitized_observation.h"

#include <fmt/format.h>

#include <algorithm>
#include <csignal>
#include <cstring>
#include <functional>
#include <iterator>
#include <limits>
#include <set>

namespace rankscope::diagnosis {

using namespace telemetry;

namespace {
constexpr std::size_t kMostUnrecordedGroups = 16; // bounds the memory, whatever the boards contain
}

std::string signalName(int signal) {
    const char* name = sigabbrev_np(signal);
    return name ? fmt::format("SIG{}", name) : fmt::format("signal {}", signal);
}

bool isDead(const ProcessView& p) {
    return p.state == ProcessView::State::Exited || p.state == ProcessView::State::Signalled ||
           p.state == ProcessView::State::Gone;
}

bool isAbortedByMismatch(const ProcessView& p) {
    constexpr std::string_view kTooLong =
        "op.preamble.length <= op.nbytes"; // from Gloo's exception, which is not caught
    return p.state == ProcessView::State::Signalled && p.signal == SIGABRT &&
           p.lastLines.find(kTooLong) != std::string::npos;
}

bool isBadEnd(const ProcessView& p) {
    return isDead(p) && !(p.state == ProcessView::State::Exited && p.exitCode == 0);
}

bool isStopped(const ProcessView& p) {
    return p.state == ProcessView::State::Stopped;
}

const BoardCollective* collectiveOf(const RankObservation& r, std::uint32_t group) {
    if (!r.board)
        return nullptr;
    for (const auto& c : r.board->collectives)
        if (c.used && c.group == group)
            return &c;
    return nullptr;
}

bool isPointToPoint(CollectiveOp op) {
    return op == CollectiveOp::Send || op == CollectiveOp::Recv;
}

/// Returns the numbers of the groups on the boards, ascending.
static std::set<std::uint32_t> groupNumbers(const Observation& o, const ProcessGroups& groups) {
    std::set<std::uint32_t> numbers;
    std::size_t withoutRecord = 0;
    for (const auto& r : o.ranks) {
        if (!r.board)
            continue;
        for (const auto& c : r.board->collectives) {
            if (!c.used || numbers.contains(c.group))
                continue;
            const bool recorded = groups.isRecorded(c.group);
            if (!recorded && withoutRecord == kMostUnrecordedGroups)
                continue;
            withoutRecord += !recorded;
            numbers.insert(c.group);
        }
    }
    return numbers;
}

std::vector<ObservedGroup> groupsOf(const Observation& o, const ProcessGroups& groups) {
    std::vector<ObservedGroup> observed;
    for (const std::uint32_t number : groupNumbers(o, groups)) {
        ObservedGroup group{number, {}};
        for (const int rank : groups.membersOf(number, static_cast<int>(o.ranks.size())))
            group.members.push_back(&o.ranks[static_cast<std::size_t>(rank)]);
        const bool sends = group.members.size() > 2 && std::ranges::any_of(group.members, [&](const auto* r) {
                               const BoardCollective* c = collectiveOf(*r, number);
                               return c && isPointToPoint(c->op);
                           });
        if (!group.members.empty() && !sends)
            observed.push_back(std::move(group));
    }
    return observed;
}

const BoardCollective* oldestOpen(const BoardSnapshot& board) {
    const BoardCollective* oldest = nullptr;
    for (const BoardCollective& c : board.collectives)
        if (c.open() && (!oldest || c.arrivedNs < oldest->arrivedNs))
            oldest = &c;
    return oldest;
}

CollectiveRef refOf(const BoardCollective& c) {
    return {c.tag, c.op, c.group, c.sequence, true};
}

bool isInside(const RankObservation& r) {
    return r.board && std::ranges::any_of(r.board->collectives, &BoardCollective::open);
}

namespace {

/// Returns the number of collectives of the group that the rank has entered: those with a sequence below it.
std::uint64_t enteredCount(const RankObservation& r, std::uint32_t group) {
    const BoardCollective* c = collectiveOf(r, group);
    return c ? c->sequence + 1 : 0;
}

const BoardCollective* waitsIn(const RankObservation& r, std::uint32_t group) {
    const BoardCollective* c = isDead(r.process) ? nullptr : collectiveOf(r, group);
    return c && c->open() ? c : nullptr;
}

/// Returns whether the board has no room for another group, so that it does not show whether the rank used this one.
bool isHidden(const RankObservation& r, std::uint32_t group) {
    return r.board && !collectiveOf(r, group) && std::ranges::all_of(r.board->collectives, &BoardCollective::used);
}

/// Returns the number of the oldest collective that ranks are inside and some rank has not entered; none if there is
/// none.
std::optional<std::uint64_t> oldestBlocked(const ObservedGroup& group) {
    std::uint64_t least = std::numeric_limits<std::uint64_t>::max(), oldest = least;
    bool hidden = false;
    for (const auto* r : group.members)
        if (isHidden(*r, group.number))
            hidden = true;
        else
            least = std::min(least, enteredCount(*r, group.number));
    for (const auto* r : group.members)
        if (const BoardCollective* c = waitsIn(*r, group.number); c && (hidden || c->done >= least))
            oldest = std::min(oldest, c->done);
    return oldest == std::numeric_limits<std::uint64_t>::max() ? std::nullopt : std::optional(oldest);
}

/// A rank is inside its oldest collective that is not done. A rank that completed an older one proves that all had
/// entered that; so the others are held in the oldest collective that some rank has not entered.
BlockedCollective siteOf(const ObservedGroup& group) {
    BlockedCollective site;
    const auto oldest = oldestBlocked(group);
    if (!oldest)
        return site;
    std::vector<int> hidden;
    for (const auto* r : group.members) {
        const BoardCollective* c = waitsIn(*r, group.number);
        if (isHidden(*r, group.number)) {
            hidden.push_back(r->rank);
        } else if (enteredCount(*r, group.number) <= *oldest) {
            site.holders.push_back(r->rank);
            if (c)
                site.insideSinceNs = std::max(site.insideSinceNs, c->arrivedNs);
        } else if (c && c->done >= *oldest) {
            site.waiters.push_back(r->rank);
            // if it entered several without waiting, only the newest is known
            const bool better = !site.collective.known || c->sequence < site.collective.sequence;
            if (better)
                site.collective = refOf(*c);
            if (site.sinceNs == 0 || c->arrivedNs < site.sinceNs)
                site.sinceNs = std::max<std::int64_t>(1, c->arrivedNs);
        }
    }
    if (site.holders.empty() && !hidden.empty()) {
        site.holders = std::move(hidden);
        site.isKnown = false;
    }
    return site;
}

std::int64_t lastProgress(const BoardSnapshot& b) {
    // reading a file does not count as progress of the waiting thread: the last progress is the start of its phase
    if (b.phase == Phase::DataWait)
        return b.phaseSinceNs;
    std::int64_t last = std::max(b.updatedNs, b.phaseSinceNs);
    for (const auto& c : b.collectives) // completed in a transport thread: the training thread wakes up now
        if (c.used && c.done > 0)
            last = std::max(last, c.doneNs);
    return last;
}

/// Moves the blame to stopped ranks. A rank that cannot leave a collective while a process is stopped waits for that
/// process: it is not a holder, even if others have left and wait for it in the next collective.
void leaveToTheStopped(BlockedCollective& site, const Observation& o) {
    const std::uint32_t group = site.collective.group;
    const auto at = [&](int rank) -> const RankObservation& { return o.ranks[static_cast<std::size_t>(rank)]; };
    const auto isKept = [&](int h) { return !isStopped(at(h).process) && waitsIn(at(h), group); };
    const auto kept = std::stable_partition(site.holders.begin(), site.holders.end(), std::not_fn(isKept));
    site.waiters.insert(site.waiters.end(), kept, site.holders.end());
    site.holders.erase(kept, site.holders.end());
    if (site.holders.empty()) { // the stopped rank itself has come as far as the waiters
        const auto stopped = std::stable_partition(site.waiters.begin(), site.waiters.end(),
                                                   [&](int w) { return !isStopped(at(w).process); });
        site.holders.assign(stopped, site.waiters.end());
        site.waiters.erase(stopped, site.waiters.end());
        for (const int h : site.holders)
            site.sinceNs = std::max(site.sinceNs, at(h).process.sinceNs);
    }
    std::sort(site.waiters.begin(), site.waiters.end());
}

using RankSet = std::vector<bool>; ///< by rank

RankSet setOf(const std::vector<int>& ranks, std::size_t world) {
    RankSet set(world, false);
    for (const int r : ranks)
        set[static_cast<std::size_t>(r)] = true;
    return set;
}

bool hasAny(const RankSet& set, const std::vector<int>& ranks) {
    return std::ranges::any_of(ranks, [&](int r) { return set[static_cast<std::size_t>(r)]; });
}

/// Adds the waiters of all sites that wait for a rank of the set, for those, and so on.
void addThoseBehind(RankSet& set, const std::vector<BlockedCollective>& sites) {
    std::vector<bool> taken(sites.size(), false);
    for (bool more = true; more;) {
        more = false;
        for (std::size_t i = 0; i < sites.size(); ++i) {
            if (taken[i] || !hasAny(set, sites[i].holders))
                continue;
            taken[i] = more = true;
            for (const int w : sites[i].waiters)
                set[static_cast<std::size_t>(w)] = true;
        }
    }
}

/// Finds, for each remaining site, who waits for its ranks in one of `all`.
void findThoseBehind(std::vector<BlockedCollective>& sites, const std::vector<BlockedCollective>& all,
                     std::size_t world) {
    for (BlockedCollective& site : sites) {
        RankSet behind = setOf(site.holders, world);
        addThoseBehind(behind, all);
        for (const auto* direct : {&site.holders, &site.waiters})
            for (const int r : *direct)
                behind[static_cast<std::size_t>(r)] = false;
        for (std::size_t r = 0; r < world; ++r)
            if (behind[r])
                site.behind.push_back(static_cast<int>(r));
    }
}

/// Drops holders that themselves wait in another group: they do not cause the hold-up. Ranks that wait for each other,
/// and for no other rank, make a circle.
void dropWaiters(StallScan& now, std::size_t world, bool hasSubgroups) {
    if (now.sites.size() < 2)
        return;
    RankSet waits(world, false), free(world, false); // free: they do not wait, so a wait for them is explained
    for (const BlockedCollective& site : now.sites)
        for (const int w : site.waiters)
            waits[static_cast<std::size_t>(w)] = true;
    for (const BlockedCollective& site : now.sites)
        for (const int h : site.holders)
            free[static_cast<std::size_t>(h)] = !waits[static_cast<std::size_t>(h)];
    RankSet explained = free;
    addThoseBehind(explained, now.sites);
    std::vector<BlockedCollective> left;
    for (BlockedCollective site : now.sites) {
        for (const int h : site.holders)
            if (!explained[static_cast<std::size_t>(h)]) {
                now.circle.push_back(h);
                now.circleSinceNs = std::max(now.circleSinceNs, site.sinceNs);
            }
        std::erase_if(site.holders, [&](int h) { return waits[static_cast<std::size_t>(h)]; });
        if (!site.holders.empty())
            left.push_back(std::move(site));
    }
    if (hasSubgroups)
        findThoseBehind(left, now.sites, world);
    now.sites = std::move(left);
}

} // namespace

std::vector<int> BlockedCollective::everyWaiter() const {
    std::vector<int> all;
    std::ranges::merge(waiters, behind, std::back_inserter(all));
    return all;
}

std::int64_t notBlockedSince(const RankObservation& holder, const BlockedCollective& site) {
    const BoardCollective* c = collectiveOf(holder, site.collective.group);
    if (!c)
        return 0;
    return c->open() ? site.insideSinceNs : c->doneNs;
}

StallScan scanForStalls(const Observation& o, std::int64_t aloneAfterNs, const ProcessGroups& groups) {
    StallScan now;
    for (const ObservedGroup& group : groupsOf(o, groups)) {
        BlockedCollective site = siteOf(group);
        const bool anyStopped = std::ranges::any_of(group.members, [](const auto* r) { return isStopped(r->process); });
        if (anyStopped && site.isKnown && !site.waiters.empty())
            leaveToTheStopped(site, o);
        if (!site.waiters.empty() && !site.holders.empty())
            now.sites.push_back(std::move(site));
    }
    dropWaiters(now, o.ranks.size(), groups.hasRecords());
    std::vector<bool> holds(o.ranks.size(), false);
    for (const BlockedCollective& site : now.sites)
        for (const int h : site.holders)
            holds[static_cast<std::size_t>(h)] = true;
    for (std::size_t r = 0; r < o.ranks.size(); ++r) {
        const RankObservation& rank = o.ranks[r];
        const bool running = rank.board && rank.board->stage == RankStage::Running;
        std::int64_t since = 0;
        if (isStopped(rank.process))
            since = rank.process.sinceNs;
        else if (!holds[r] && running && !isDead(rank.process) && !isInside(rank))
            since = lastProgress(*rank.board);
        if (!holds[r] && since > 0 && o.nowNs - since >= aloneAfterNs)
            now.alone.push_back({static_cast<int>(r), since});
    }
    return now;
}

/// Returns the wait of a rank in the site, or in another group for a rank that waits there.
static OpenWait waitOf(const RankObservation& waiter, const BlockedCollective& site, bool isBehind,
                       const Observation& o) {
    OpenWait wait;
    wait.rank = waiter.rank;
    wait.holder = site.holders.front();
    wait.collective = site.collective;
    wait.step = waiter.board->step;
    const auto* mine = isBehind ? oldestOpen(*waiter.board) : collectiveOf(waiter, site.collective.group);
    wait.sinceNs = mine ? mine->arrivedNs : site.sinceNs;
    if (isBehind && mine)
        wait.collective = refOf(*mine);
    if (const auto& holder = o.ranks[static_cast<std::size_t>(wait.holder)].board)
        wait.holderPhase = holder->phase;
    return wait;
}

std::vector<OpenWait> openWaits(const Observation& observation, std::int64_t atLeastNs, const ProcessGroups& groups) {
    const SanitizedObservation plausible(observation);
    const Observation& o = plausible.get();
    std::vector<OpenWait> waits;
    for (const BlockedCollective& site : scanForStalls(o, std::numeric_limits<std::int64_t>::max(), groups).sites)
        for (const auto* ranks : {&site.waiters, &site.behind})
            for (const int w : *ranks) {
                const auto& waiter = o.ranks[static_cast<std::size_t>(w)];
                if (!waiter.board || !site.isKnown)
                    continue;
                OpenWait wait = waitOf(waiter, site, ranks == &site.behind, o);
                if (o.nowNs - wait.sinceNs >= atLeastNs)
                    waits.push_back(std::move(wait));
            }
    std::stable_sort(waits.begin(), waits.end(), [](const auto& a, const auto& b) {
        return a.rank != b.rank ? a.rank < b.rank : a.sinceNs < b.sinceNs;
    });
    // for a rank that waits in two groups, keep the wait that began first
    waits.erase(std::unique(waits.begin(), waits.end(), [](const auto& a, const auto& b) { return a.rank == b.rank; }),
                waits.end());
    return waits;
}

} // namespace rankscope::diagnosis
