// SPDX-License-Identifier: Apache-2.0
#include "core/diagnosis/statistics/step_window.h"

#include "core/diagnosis/evidence/cause_finder.h"
#include "core/diagnosis/model/sanitized_observation.h"
#include "core/diagnosis/stalls/stall_scan.h"

#include <algorithm>
#include <numeric>

namespace rankscope::diagnosis {

using namespace telemetry;

namespace {
constexpr std::size_t kStepTimes = 256;     // number of step times in the median
constexpr std::int64_t kEnoughSteps = 5;    // with fewer, the warm-up of the first steps would count as typical
constexpr std::size_t kCheckpointTimes = 8; // newest checkpoints of a rank, on average
constexpr std::size_t kEnoughCheckpoints = 3;
constexpr std::size_t kNewestPhases = 24; // of a rank
constexpr std::string_view kGradientTag = "gradient:";
} // namespace

StepWindow::StepWindow(int worldSize, int windowSteps)
    : m_world(worldSize), m_window(std::max(2, windowSteps)), m_calls(worldSize),
      m_peers(static_cast<std::size_t>(std::max(1, worldSize))),
      m_newestPhases(static_cast<std::size_t>(std::max(1, worldSize))),
      m_savings(static_cast<std::size_t>(std::max(1, worldSize))),
      m_stoppedUntil(static_cast<std::size_t>(std::max(1, worldSize))) {}

RankStep* StepWindow::at(int rank, std::int64_t step) {
    if (rank < 0 || rank >= m_world || step < 0)
        return nullptr;
    const auto keep = 2 * static_cast<std::size_t>(m_window) + 8;
    auto it = m_steps.find(step);
    if (it == m_steps.end()) {
        if (m_steps.size() >= keep) {
            if (step < m_steps.begin()->first)
                return nullptr; // older than the window
            m_steps.erase(m_steps.begin());
        }
        it = m_steps.emplace(step, StepStats{std::vector<RankStep>(static_cast<std::size_t>(m_world)), 0}).first;
    }
    return &it->second.ranks[static_cast<std::size_t>(rank)];
}

const RankStep* StepWindow::find(int rank, std::int64_t step) const {
    const auto it = m_steps.find(step);
    return it == m_steps.end() || rank < 0 || rank >= m_world ? nullptr
                                                              : &it->second.ranks[static_cast<std::size_t>(rank)];
}

void StepWindow::add(int rank, const AnyRecord& record) {
    const std::int64_t step = record.header().step;
    if (const auto* p = record.as<PhaseRecord>()) {
        addPhase(rank, *p);
    } else if (const auto* b = record.as<BatchRecord>()) {
        if (RankStep* s = at(rank, step)) {
            s->framesMax = std::max<std::int64_t>(b->framesMax, 0);
            s->samplesMax = std::max<std::int64_t>(b->samplesMax, 0);
            s->batchSize = b->size;
        }
    } else if (const auto* c = record.as<CollectiveRecord>()) {
        addCollective(rank, *c);
    } else if (const auto* s = record.as<StepRecord>()) {
        finish(rank, step, s->endNs - s->beginNs);
    } else if (const auto* v = record.as<ValidationRecord>()) {
        m_validationNs = std::max(m_validationNs, v->endNs - v->beginNs);
    } else if (const auto* g = record.as<GroupRecord>()) {
        m_groups.add(*g);
    }
}

void StepWindow::addPhase(int rank, const PhaseRecord& p) {
    const auto phase = static_cast<std::size_t>(p.phase);
    const std::int64_t lasted = std::max<std::int64_t>(0, p.endNs - p.beginNs);
    if (RankStep* s = at(rank, p.header.step); s && phase < kPhases)
        saturatingAdd(s->phaseNs[phase], lasted);
    if (rank >= 0 && rank < m_world && phase < kPhases) {
        auto& newest = m_newestPhases[static_cast<std::size_t>(rank)];
        newest.push_back({p.beginNs, p.endNs, p.phase});
        if (newest.size() > kNewestPhases)
            newest.pop_front();
    }
    if ((p.phase == Phase::Checkpoint || p.phase == Phase::Validate) && rank >= 0 && rank < m_world)
        m_savings[static_cast<std::size_t>(rank)][p.phase == Phase::Checkpoint ? 0 : 1] = {p.beginNs, p.endNs, p.phase};
    if (p.phase != Phase::Checkpoint)
        return;
    m_checkpointTimes.push_back(lasted);
    if (m_checkpointTimes.size() > kCheckpointTimes * static_cast<std::size_t>(m_world))
        m_checkpointTimes.pop_front();
}

std::int64_t StepWindow::savedIn(int rank, std::int64_t fromNs, std::int64_t toNs) const {
    std::int64_t sum = 0;
    if (rank >= 0 && rank < m_world)
        for (const RecordedSpan& span : m_savings[static_cast<std::size_t>(rank)])
            sum += std::max<std::int64_t>(0, std::min(span.endNs, toNs) - std::max(span.beginNs, fromNs));
    return sum;
}

void StepWindow::addPhasesIn(int rank, std::int64_t fromNs, std::int64_t toNs,
                             std::array<std::int64_t, kPhases>& spent) const {
    if (rank < 0 || rank >= m_world)
        return;
    for (const RecordedSpan& span : m_newestPhases[static_cast<std::size_t>(rank)])
        spent[static_cast<std::size_t>(span.phase)] += overlapOf({span.beginNs, span.endNs}, {fromNs, toNs}).lengthNs();
}

bool StepWindow::knowsPhases(int rank) const {
    return rank >= 0 && rank < m_world && !m_newestPhases[static_cast<std::size_t>(rank)].empty();
}

void StepWindow::sawStopped(int rank, std::int64_t ns) {
    if (rank >= 0 && rank < m_world)
        m_stoppedUntil[static_cast<std::size_t>(rank)] = ns;
}

std::int64_t StepWindow::othersStoppedUntil(int rank) const {
    std::int64_t latest = 0;
    for (std::size_t r = 0; r < m_stoppedUntil.size(); ++r)
        if (static_cast<int>(r) != rank)
            latest = std::max(latest, m_stoppedUntil[r]);
    return latest;
}

void StepWindow::addCollective(int rank, const CollectiveRecord& c) {
    const int size = m_groups.sizeOf(c.group, m_world);
    if (rank < 0 || rank >= m_world || !m_groups.contains(c.group, rank) || size < 1 ||
        (isPointToPoint(c.op) && size != 2))
        return;
    if (size < m_world && std::string_view(getText(c.tag, sizeof c.tag)).starts_with(kGradientTag))
        takeGradientGroup(c.group);
    if (const auto entered = m_calls.add(rank, c, size))
        join(*entered);
}

/// Joins the ranks that exchange gradients with each other into one set.
void StepWindow::takeGradientGroup(std::uint32_t group) {
    if (!m_gradientGroups.insert(group).second)
        return;
    if (m_gradientGroups.size() == 1)
        std::iota(m_peers.begin(), m_peers.end(), 0);
    const std::vector<int> ranks = m_groups.membersOf(group, m_world);
    for (const int rank : ranks) {
        const int from = m_peers[static_cast<std::size_t>(rank)], to = m_peers[static_cast<std::size_t>(ranks.front())];
        std::replace(m_peers.begin(), m_peers.end(), std::max(from, to), std::min(from, to));
    }
}

void StepWindow::join(const EnteredCollective& all) {
    std::vector<int> ranks;
    std::vector<std::int64_t> arrived;
    for (int r = 0; r < m_world; ++r)
        if (const std::int64_t ns = all.arrived[static_cast<std::size_t>(r)]; ns != 0) {
            ranks.push_back(r);
            arrived.push_back(ns);
        }
    const ArrivalWaits waits = computeWaits(arrived);
    const int holder = ranks[static_cast<std::size_t>(waits.holder)];
    // a validation has as many collectives as batches: their waits add up without meaning a stall. Who sends need not
    // wait until the message is received
    if (all.phase[static_cast<std::size_t>(holder)] == Phase::Validate ||
        all.callOf(static_cast<std::size_t>(holder)).op == CollectiveOp::Recv)
        return;
    const std::int64_t earliest = *std::min_element(arrived.begin(), arrived.end());
    if (RankStep* s = at(holder, all.step[static_cast<std::size_t>(holder)])) {
        // not charged to the holder: time in which it waited itself, or a stopped rank kept it inside a collective
        const std::int64_t free = std::max({earliest, s->waited.untilNs(), s->heldUntilNs, othersStoppedUntil(holder)});
        saturatingAdd(s->heldSavingNs, savedIn(holder, free, waits.latestNs));
        saturatingAdd(s->heldNs, TimeSpan{free, waits.latestNs}.lengthNs());
        s->heldUntilNs = std::max(s->heldUntilNs, waits.latestNs);
    }
    for (std::size_t member = 0; member < ranks.size(); ++member) {
        const auto i = static_cast<std::size_t>(ranks[member]);
        if (RankStep* s = at(ranks[member], all.step[i])) {
            const std::int64_t wait = s->waited.add({all.arrived[i], waits.latestNs});
            saturatingAdd(s->waitedNs, wait);
            saturatingAdd(s->waitInNs[static_cast<std::size_t>(all.phase[i])], wait);
            const std::int64_t whole = clampDuration(waits.waitNs[member]);
            if (all.callOf(i).tag.starts_with(kGradientTag))
                s->gradientWaitNs = whole;
            else
                saturatingAdd(s->blockedNs, whole);
        }
    }
}

void StepWindow::finish(int rank, std::int64_t step, std::int64_t stepNs) {
    if (RankStep* s = at(rank, step)) {
        StepStats& all = m_steps[step];
        if (s->stepNs == 0 && ++all.finished == m_world) {
            m_newestComplete = std::max(m_newestComplete, step);
            for (RankStep& ended : all.ranks) // all its waits are known: the gaps between them are not needed any more
                ended.waited.closeGaps();
        }
        s->stepNs = std::max<std::int64_t>(1, stepNs);
    }
    ++m_finishedRecords;
    m_stepTimes.push_back(stepNs);
    if (m_stepTimes.size() > kStepTimes)
        m_stepTimes.pop_front();
}

static std::int64_t median(const std::deque<std::int64_t>& times) {
    std::vector<std::int64_t> sorted(times.begin(), times.end());
    const auto middle = sorted.begin() + static_cast<std::ptrdiff_t>(sorted.size() / 2);
    std::nth_element(sorted.begin(), middle, sorted.end());
    return *middle;
}

std::int64_t StepWindow::typicalStepNs() const {
    return m_finishedRecords < kEnoughSteps * m_world ? 0 : median(m_stepTimes);
}

std::int64_t StepWindow::usualCheckpointNs() const {
    // ranks that only wait for the writing rank finish their own checkpoint in no time
    if (m_checkpointTimes.size() < kEnoughCheckpoints * static_cast<std::size_t>(m_world))
        return 0;
    std::vector<std::int64_t> sorted(m_checkpointTimes.begin(), m_checkpointTimes.end());
    const auto writers = static_cast<std::ptrdiff_t>(sorted.size() / (2 * static_cast<std::size_t>(m_world)));
    const auto middle = sorted.end() - 1 - writers;
    std::nth_element(sorted.begin(), middle, sorted.end());
    return *middle;
}

UsualCompute StepWindow::usualCompute() const {
    UsualCompute sum;
    std::int64_t count = 0;
    int steps = 0;
    for (auto it = m_steps.rbegin(); it != m_steps.rend() && steps < m_window; ++it) {
        if (it->second.finished < m_world)
            continue;
        ++steps;
        for (const RankStep& r : it->second.ranks) {
            for (const Phase p : {Phase::Forward, Phase::Loss, Phase::Backward})
                sum.computeNs += r.ownNs(static_cast<std::size_t>(p));
            sum.framesMax += r.framesMax;
            ++count;
        }
    }
    if (count > 0)
        sum = {sum.computeNs / count, sum.framesMax / count};
    return sum;
}

namespace {

void save(ByteEncoder& out, const std::deque<std::int64_t>& times) {
    out.number(times.size());
    for (const std::int64_t t : times)
        out.integer(t);
}

bool load(ByteDecoder& in, std::deque<std::int64_t>& times) {
    times.assign(in.count(), 0);
    for (std::int64_t& t : times)
        t = clampDuration(in.integer());
    return in.ok();
}

void save(ByteEncoder& out, const RankStep& s) {
    for (const std::int64_t v :
         {s.stepNs, s.heldNs, s.waitedNs, s.heldUntilNs, s.waited.untilNs(), s.heldSavingNs, s.framesMax, s.samplesMax})
        out.integer(v);
    out.integer(s.batchSize);
    for (std::size_t p = 0; p < kPhases; ++p) {
        out.integer(s.phaseNs[p]);
        out.integer(s.waitInNs[p]);
    }
    out.integer(s.blockedNs);
    out.integer(s.gradientWaitNs);
    out.number(s.waited.spans().size());
    for (const TimeSpan& span : s.waited.spans()) {
        out.integer(span.beginNs);
        out.integer(span.endNs);
    }
}

void load(ByteDecoder& in, RankStep& s, int version) {
    for (std::int64_t* v : {&s.stepNs, &s.heldNs, &s.waitedNs})
        *v = clampDuration(in.integer());
    s.heldUntilNs = clampTime(in.integer());
    const TimeSpan waited{-kLatestNs, clampTime(in.integer())};
    s.heldSavingNs = clampDuration(in.integer());
    for (std::int64_t* v : {&s.framesMax, &s.samplesMax})
        *v = clampFrames(in.integer());
    s.batchSize = static_cast<int>(in.integer());
    for (std::size_t p = 0; p < kPhases; ++p) {
        s.phaseNs[p] = clampDuration(in.integer());
        s.waitInNs[p] = clampDuration(in.integer());
    }
    if (version >= kVersionOfSlowRanks)
        for (std::int64_t* v : {&s.blockedNs, &s.gradientWaitNs})
            *v = clampDuration(in.integer());
    s.waited = {};
    if (version < kVersionOfCountedTimes && waited.endNs != 0)
        s.waited.add(waited);
    for (std::size_t n = version < kVersionOfCountedTimes ? 0 : in.count(); n > 0 && in.ok(); --n) {
        const std::int64_t beginNs = clampTime(in.integer());
        s.waited.add({beginNs, clampTime(in.integer())});
    }
}

} // namespace

void StepWindow::save(ByteEncoder& out) const {
    saveSteps(out);
    m_calls.savePending(out);
    diagnosis::save(out, m_stepTimes);
    diagnosis::save(out, m_checkpointTimes);
    for (const std::int64_t v : {m_newestComplete, m_finishedRecords, m_validationNs})
        out.integer(v);
    for (const auto& spans : m_savings)
        for (const RecordedSpan& span : spans) {
            out.integer(span.beginNs);
            out.integer(span.endNs);
        }
    for (const std::int64_t ns : m_stoppedUntil)
        out.integer(ns);
    saveGroups(out);
    savePhases(out);
    m_calls.saveAgreed(out);
    m_calls.saveOdd(out);
}

bool StepWindow::load(ByteDecoder& in, int version) {
    if (!loadSteps(in, version) || !m_calls.loadPending(in) || !diagnosis::load(in, m_stepTimes) ||
        !diagnosis::load(in, m_checkpointTimes))
        return false;
    m_newestComplete = stepWithin(in.integer());
    m_finishedRecords = std::clamp<std::int64_t>(in.integer(), 0, kLatestNs);
    m_validationNs = clampDuration(in.integer());
    if (m_stepTimes.empty() && m_finishedRecords > 0)
        return false; // their median will be needed
    for (auto& spans : m_savings)
        for (RecordedSpan& span : spans) {
            span.beginNs = clampTime(in.integer());
            span.endNs = clampTime(in.integer());
        }
    if (version >= kVersionOfSlowRanks)
        for (std::int64_t& ns : m_stoppedUntil)
            ns = clampTime(in.integer());
    if (version >= kVersionOfGroups &&
        (!loadGroups(in) || !loadPhases(in) || !m_calls.loadAgreed(in, version >= kVersionOfCallPatterns)))
        return false;
    return m_calls.loadOdd(in);
}

void StepWindow::saveGroups(ByteEncoder& out) const {
    m_groups.save(out);
    out.number(m_gradientGroups.size());
    for (const std::uint32_t group : m_gradientGroups)
        out.number(group);
}

bool StepWindow::loadGroups(ByteDecoder& in) {
    if (!m_groups.load(in))
        return false;
    m_gradientGroups.clear();
    std::fill(m_peers.begin(), m_peers.end(), 0);
    for (std::size_t n = in.count(); n > 0 && in.ok(); --n) {
        const auto group = static_cast<std::uint32_t>(in.number());
        if (const int size = m_groups.sizeOf(group, m_world); size > 0 && size < m_world)
            takeGradientGroup(group);
    }
    return in.ok();
}

void StepWindow::savePhases(ByteEncoder& out) const {
    for (const auto& newest : m_newestPhases) {
        out.number(newest.size());
        for (const RecordedSpan& span : newest) {
            out.integer(span.beginNs);
            out.integer(span.endNs);
            out.number(static_cast<std::uint64_t>(span.phase));
        }
    }
}

bool StepWindow::loadPhases(ByteDecoder& in) {
    for (auto& newest : m_newestPhases) {
        newest.assign(std::min(in.count(), kNewestPhases), {});
        for (RecordedSpan& span : newest) {
            span.beginNs = clampTime(in.integer());
            span.endNs = clampTime(in.integer());
            span.phase = in.below(Phase::Count);
        }
    }
    return in.ok();
}

void StepWindow::saveSteps(ByteEncoder& out) const {
    out.number(m_steps.size());
    for (const auto& [step, stats] : m_steps) {
        out.integer(step);
        out.integer(stats.finished);
        for (const RankStep& s : stats.ranks)
            diagnosis::save(out, s);
    }
}

bool StepWindow::loadSteps(ByteDecoder& in, int version) {
    m_steps.clear();
    for (std::size_t n = in.count(); n > 0 && in.ok(); --n) {
        const std::int64_t step = stepWithin(in.integer());
        StepStats& stats = m_steps[step];
        stats.finished = static_cast<int>(std::clamp<std::int64_t>(in.integer(), 0, m_world));
        stats.ranks.resize(static_cast<std::size_t>(m_world));
        for (RankStep& s : stats.ranks)
            diagnosis::load(in, s, version);
    }
    return in.ok();
}

} // namespace rankscope::diagnosis
