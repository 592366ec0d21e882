// SPDX-License-Identifier: Apache-2.0
#include "core/diagnosis/detector/collective_tracker.h"

#include "core/diagnosis/evidence/cause_finder.h"
#include "core/diagnosis/evidence/remedy.h"
#include "core/diagnosis/programs/last_words.h"
#include "core/diagnosis/stalls/uneven_epochs.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <iterator>
#include <map>

namespace rankscope::diagnosis {

using namespace telemetry;

/// Calls on two boards must differ for this long before they count: a single reading is not trusted.
static constexpr std::int64_t kConfirmNs = 200'000'000;

namespace {

/// "rank 0: all-reduce 512 (gradient:3) for 3.2 s, in backward", one line per rank.
std::string statesOf(const Observation& o, std::uint32_t group) {
    constexpr std::size_t kMost = 32;
    std::string lines;
    for (std::size_t r = 0; r < o.ranks.size() && r < kMost; ++r) {
        const BoardCollective* c = collectiveOf(o.ranks[r], group);
        if (!c)
            continue;
        const BoardSnapshot& b = *o.ranks[r].board;
        std::string where(phaseName(b.phase));
        if (b.place == ForwardSite::Layer)
            where += fmt::format(", layer {}", b.layer);
        else if (b.place != ForwardSite::None)
            where += fmt::format(", {}", placeName(b.place));
        lines += fmt::format("rank {}: {} {} ({}) since {:.1f} s, done before it {}, in {}{}\n", o.ranks[r].rank,
                             opName(c->op), c->sequence, c->tag,
                             static_cast<double>(std::max<std::int64_t>(0, o.nowNs - c->arrivedNs)) * 1e-9, c->done,
                             where, isStopped(o.ranks[r].process) ? ", process stopped" : "");
    }
    return lines;
}

/// Returns whether the rank has entered the collective but not handed it to the transport, so that the others wait.
bool keepsItBack(const RankObservation& r, std::uint32_t group) {
    const BoardCollective* c = collectiveOf(r, group);
    return c && c->started > 0 && c->started <= c->sequence;
}

std::vector<int> ranksOf(const std::vector<CollectiveCall>& calls) {
    std::vector<int> ranks;
    for (const CollectiveCall& c : calls)
        ranks.push_back(c.rank);
    return ranks;
}

int countOf(const std::map<std::string, int>& calls, const std::string& tag) {
    const auto at = calls.find(tag);
    return at == calls.end() ? 0 : at->second;
}

/// The odd ranks have called a line once more than the others (`more`), or once less; both have called it `calls`
/// times. Of two equal halves, the one is odd whose number is not the usual one, if that is known.
void setUnevenCalls(CollectiveMismatch& m, Incident& in, bool more, int calls, int usual) {
    m.cause = Cause::UnevenCalls;
    if (m.isEven() && usual == (more ? calls + 1 : calls)) {
        m.swapSides();
        more = !more;
    }
    in.evidence.holderCalls = more ? calls + 1 : calls;
    in.evidence.othersCalls = more ? calls : calls + 1;
}

} // namespace

void CollectiveTracker::trackMismatches() {
    if (m_s.incidents.mismatchSeen() || m_s.world < 2) {
        if (OpenHold* t = m_s.incidents.find(Rule::Mismatch))
            m_s.incidents.update(*t); // stays open: the run's results are meaningless from here on
        return;
    }
    if (anyRankFailed())
        return; // what it calls while it ends is a consequence
    const bool ending =
        m_o.end != RunOutcomeSeen::Running || std::any_of(m_o.ranks.begin(), m_o.ranks.end(), [](const auto& r) {
            return isAbortedByMismatch(r.process) ||
                   (r.process.state == ProcessView::State::Exited && r.process.exitCode != 0);
        });
    if (const auto& odd = m_s.window.calls().odd()) {
        if (m_s.oddSinceNs == 0)
            m_s.oddSinceNs = m_o.nowNs;
        const bool all = static_cast<int>(odd->calls.size()) == m_s.groups().sizeOf(odd->group, m_s.world);
        if (all || m_o.nowNs - m_s.oddSinceNs >= kOthersReportNs || m_o.end != RunOutcomeSeen::Running)
            if (const auto m = mismatchOf(odd->group, odd->sequence, odd->calls, m_s.settings))
                return openMismatch(*m);
    }
    const auto seen =
        findMismatch(m_o, m_s.settings, m_s.groups(), std::bind_front(&CollectiveCalls::pending, &m_s.window.calls()));
    if (!seen) {
        m_s.mismatchSinceNs = 0;
        return;
    }
    if (m_s.mismatchSinceNs == 0)
        m_s.mismatchSinceNs = m_o.nowNs;
    if (ending || m_o.nowNs - m_s.mismatchSinceNs >= kConfirmNs)
        openMismatch(*seen);
}

/// Returns whether the program of a rank failed for a reason other than a broken collective.
bool CollectiveTracker::anyRankFailed() const {
    return !m_s.settings.recipe && std::ranges::any_of(m_s.ranks, [](const RankMemory& r) {
        return r.failed && !mentionsAnotherRank(r.endText);
    });
}

/// Finds a cause that is more exact than that the calls differ: ranks without batches, a buffer that has grown, or a
/// line from which ranks call a different number of times.
void CollectiveTracker::refine(CollectiveMismatch& m, Incident& in) const {
    if (m.cause != Cause::MismatchedCollective)
        return;
    const std::vector<int> ended = ranksWithoutBatches(m_o, m.calls);
    if (!m_s.settings.recipe && !ended.empty() && ended.size() < m.calls.size()) {
        m.cause = Cause::UnevenBatches;
        m.setOdd(ended);
        return;
    }
    const AgreedCalls* agreed = m_s.window.calls().agreed(m.group);
    if (!agreed)
        return;
    const bool followsOrder = findUsual(m, agreed->pattern);
    const CollectiveCall odd = m.oddCall(), other = m.otherCall();
    const bool wasMade = agreed->pattern.contains(odd);
    const auto before = [&](const CollectiveCall& call) {
        return call.step == agreed->step && namesALine(call.tag) ? countOf(agreed->inStep, call.tag) : 0;
    };
    if (odd.op == other.op && odd.tag == other.tag && odd.dtype == other.dtype) {
        if (!wasMade || !agreed->pattern.contains(other))
            findGrown(m, in, *agreed);
    } else if (const int calls = before(odd); calls > 0) {
        setUnevenCalls(m, in, true, calls, countOf(agreed->inLastStep, odd.tag));
    } else if (const int theirs = before(other); theirs > 0) {
        setUnevenCalls(m, in, false, theirs, countOf(agreed->inLastStep, other.tag));
    }
    if (m.cause != Cause::MismatchedCollective)
        return;
    if (m.isSideKnown && !wasMade)
        in.evidence.newCall = describe(odd);
    if (followsOrder)
        in.evidence.usualCall = describe(other);
}

/// Finds which of two equal halves is wrong: the one whose call does not come here in the order of earlier calls, or
/// was never made before. Returns whether the order has the call of the others here.
bool CollectiveTracker::findUsual(CollectiveMismatch& m, const CallPattern& pattern) const {
    auto oddIsUsual = pattern.isUsual(m.sequence, m.oddCall(), m.otherCall());
    const bool followsOrder = oddIsUsual.has_value();
    if (!oddIsUsual && pattern.contains(m.oddCall()) != pattern.contains(m.otherCall()))
        oddIsUsual = pattern.contains(m.oddCall());
    if (!m.isEven() || !oddIsUsual)
        return followsOrder && !*oddIsUsual;
    if (*oddIsUsual)
        m.swapSides();
    m.isSideKnown = true;
    return followsOrder;
}

/// The ranks make the same call with different numbers of elements: those are odd whose number has grown.
void CollectiveTracker::findGrown(CollectiveMismatch& m, Incident& in, const AgreedCalls& agreed) const {
    const auto at = agreed.newestCount.find(m.oddCall().tag);
    if (at == agreed.newestCount.end() || at->first.starts_with("gradient:"))
        return;
    std::vector<int> grown;
    std::int64_t elements = 0;
    for (const CollectiveCall& c : m.calls) {
        if (c.count > at->second) {
            grown.push_back(c.rank);
            elements = c.count;
        } else if (c.count != at->second) {
            return;
        }
    }
    if (grown.empty() || grown.size() == m.calls.size())
        return;
    m.cause = Cause::GrownBuffer;
    m.setOdd(grown);
    in.evidence.holderElements = elements;
    in.evidence.othersElements = at->second;
}

void CollectiveTracker::openMismatch(CollectiveMismatch m) {
    Incident in;
    refine(m, in);
    in.cause = m.cause;
    in.holders = m.odd;
    in.waiters = m.others;
    if (m.cause == Cause::MismatchedCollective && !m.isSideKnown && !m_s.settings.recipe) {
        in.holders = ranksOf(m.calls);
        in.waiters.clear();
        in.evidence.missing = kWhichSide;
    }
    const CollectiveCall &other = m.otherCall(), &odd = m.oddCall();
    const bool oddLine = m.cause == Cause::UnevenCalls && in.evidence.holderCalls > in.evidence.othersCalls;
    const CollectiveCall& shown = oddLine ? odd : other; // the line that is called unequally often
    in.collective = {shown.tag, shown.op, m.group, m.sequence, true};
    in.openedNs = std::clamp<std::int64_t>(m.sinceNs, 1, std::max<std::int64_t>(1, m_o.nowNs));
    in.phase = odd.phase;
    in.step = m.cause == Cause::UnevenBatches ? other.step : std::max(odd.step, other.step);
    in.evidence.mismatch = m.text;
    in.evidence.thresholdSeconds = 0.0;
    if (m.cause == Cause::UnevenBatches)
        addBatches(in, m_o);
    if (!m.setting.empty())
        in.evidence.setting = m.setting;
    if (auto states = statesOf(m_o, m.group); !states.empty())
        in.evidence.collectives = std::move(states);
    // the mismatch explains waits for the odd rank and collectives that no rank leaves
    for (auto it = m_s.incidents.all().begin(); it != m_s.incidents.all().end();) {
        auto here = it++;
        if (here->rule == Rule::Hold || here->rule == Rule::Jam)
            m_s.incidents.close(here, m_o.nowNs, CloseReason::Recovered);
    }
    m_s.incidents.start(Rule::Mismatch, std::move(in));
}

/// Finds which of the ranks in a collective keep it back: those that have not handed it to the transport. Of these, or
/// of all if there are none, the ones without processor time are the cause.
void CollectiveTracker::findHolders(Incident& in, const StuckCollective& jam) const {
    const auto those = [this](const std::vector<int>& ranks, const auto& pick) {
        std::vector<int> picked;
        std::ranges::copy_if(ranks, std::back_inserter(picked),
                             [&](int rank) { return pick(m_o.ranks[static_cast<std::size_t>(rank)]); });
        return picked;
    };
    in.cause = Cause::InsideCollective;
    in.holders = those(jam.ranks, [&](const RankObservation& r) { return keepsItBack(r, jam.collective.group); });
    in.evidence.handedOver.reset();
    if (in.holders.empty())
        in.holders = jam.ranks;
    else
        in.evidence.handedOver = false;
    const std::vector<int> starved = those(in.holders, isShortOfCpu);
    if (!starved.empty() && starved.size() < jam.ranks.size()) {
        in.cause = Cause::SlowCompute;
        in.holders = starved;
        addUsageEvidence(in.evidence, *m_o.ranks[static_cast<std::size_t>(starved.front())].resources);
    }
    in.waiters =
        those(jam.ranks, [&](const RankObservation& r) { return !std::ranges::binary_search(in.holders, r.rank); });
    const BoardSnapshot& first = *m_o.ranks[static_cast<std::size_t>(in.holders.front())].board;
    in.phase = first.phase;
    in.evidence.place = placeName(first.place);
    in.evidence.layer = first.layer;
}

void CollectiveTracker::trackJams() {
    if (m_s.incidents.mismatchSeen() || m_s.incidents.deathSeen())
        return;
    for (const StuckCollective& jam : findStuckCollectives(m_o, m_s.groups())) {
        OpenHold* t = m_s.incidents.find(Rule::Jam);
        if (t && t->incident.collective.group == jam.collective.group &&
            t->incident.collective.sequence == jam.collective.sequence) {
            if (m_o.nowNs - t->updatedNs >= kConfirmNs) {
                t->incident.evidence.collectives = statesOf(m_o, jam.collective.group);
                Incident now = t->incident;
                findHolders(now, jam);
                if (now.cause != t->incident.cause && now.cause == Cause::SlowCompute) { // measured since
                    now.remedy = remedyFor(now, m_s.settings);
                    t->incident = std::move(now);
                }
            }
            m_s.incidents.update(*t);
            continue;
        }
        // A stopped rank is a separate incident. After it continues, the others need a moment to leave the
        // collective.
        const std::int64_t since = std::max(jam.sinceNs, m_s.window.othersStoppedUntil(-1));
        if (m_o.nowNs - since < m_s.threshold)
            continue;
        Incident in;
        findHolders(in, jam);
        for (const int rank : jam.ranks)
            in.step = std::max(in.step, m_o.ranks[static_cast<std::size_t>(rank)].board->step);
        in.collective = jam.collective;
        in.openedNs = since;
        in.evidence.collectives = statesOf(m_o, jam.collective.group);
        m_s.incidents.start(Rule::Jam, std::move(in));
    }
}

void CollectiveTracker::trackCircle(const StallScan& holds) {
    if (holds.circle.empty() || m_s.incidents.mismatchSeen() || m_o.nowNs - holds.circleSinceNs < m_s.threshold)
        return;
    Incident in;
    in.cause = Cause::MismatchedCollective;
    in.holders = holds.circle;
    std::sort(in.holders.begin(), in.holders.end());
    in.holders.erase(std::unique(in.holders.begin(), in.holders.end()), in.holders.end());
    in.openedNs = holds.circleSinceNs;
    std::string text;
    for (const ObservedGroup& group : groupsOf(m_o, m_s.groups()))
        text += statesOf(m_o, group.number);
    const RankObservation& first = m_o.ranks[static_cast<std::size_t>(in.holders.front())];
    in.phase = first.board ? first.board->phase : Phase::None;
    in.step = first.board ? first.board->step : -1;
    in.evidence.mismatch = "ranks entered the collectives of two groups in different orders";
    in.evidence.collectives = text;
    m_s.incidents.start(Rule::Mismatch, std::move(in));
}

} // namespace rankscope::diagnosis
