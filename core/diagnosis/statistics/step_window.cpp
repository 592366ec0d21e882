// SPDX-License-Identifier: Apache-2.0
#include "core/diagnosis/statistics/step_window.h"

#include "core/diagnosis/evidence/cause_finder.h"
#include "core/diagnosis/model/sanitized_observation.h"
#include "core/diagnosis/stalls/stall_scan.h"

#include <algorithm>
#include <numeric>
#include <utility>

namespace rankscope::diagnosis {

using namespace telemetry;

namespace {
constexpr std::size_t kMaxPending = 50'000; // wrong sequence numbers of a rank must not use up the memory
constexpr std::size_t kStepTimes = 256;     // number of step times in the median
constexpr std::int64_t kEnoughSteps = 5;    // with fewer, the warm-up of the first steps would count as typical
constexpr std::size_t kCheckpointTimes = 8; // newest checkpoints of a rank, on average
constexpr std::size_t kEnoughCheckpoints = 3;
constexpr std::size_t kVariants = 8;                         // different calls of one collective that are distinguished
constexpr std::size_t kNewestPhases = 24;                    // of a rank
constexpr std::size_t kAgreedGroups = 64, kAgreedTags = 256; // bound the memory, whatever the records contain
constexpr std::string_view kGradientTag = "gradient:";
} // namespace

StepWindow::StepWindow(int worldSize, int windowSteps)
    : m_world(worldSize), m_window(std::max(2, windowSteps)), m_peers(static_cast<std::size_t>(std::max(1, worldSize))),
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

const AgreedCalls* StepWindow::agreedCalls(std::uint32_t group) const {
    const auto at = m_agreed.find(group);
    return at == m_agreed.end() ? nullptr : &at->second;
}

/// Counts a call that all members of the group have made alike. After a difference all later calls are shifted.
void StepWindow::agree(const CollectiveKey& key, const PendingCollective& all) {
    const auto& [group, sequence] = key;
    if (m_odd || all.variants.size() != 1 || (m_agreed.size() >= kAgreedGroups && !m_agreed.contains(group)))
        return;
    AgreedCalls& agreed = m_agreed[group];
    const std::int64_t step = *std::max_element(all.step.begin(), all.step.end());
    if (step != agreed.step)
        agreed.inLastStep = std::exchange(agreed.inStep, {});
    agreed.step = step;
    const CollectiveVariant& call = all.variants.front();
    if (agreed.inStep.size() < kAgreedTags || agreed.inStep.contains(call.tag))
        ++agreed.inStep[call.tag];
    if (agreed.newestCount.size() < kAgreedTags || agreed.newestCount.contains(call.tag))
        agreed.newestCount[call.tag] = call.count;
    agreed.pattern.add(sequence, {-1, call.op, call.dtype, call.count, call.tag});
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
    const bool sends = isPointToPoint(c.op);
    if (rank < 0 || rank >= m_world || !m_groups.contains(c.group, rank) || size < 1 || (sends && size != 2))
        return;
    const CollectiveKey key{c.group, c.sequence};
    PendingCollective& pending = m_pending[key];
    const auto world = static_cast<std::size_t>(m_world), r = static_cast<std::size_t>(rank);
    if (pending.arrived.empty()) {
        pending.arrived.assign(world, 0);
        pending.phase.assign(world, Phase::None);
        pending.step.assign(world, -1);
        pending.variant.assign(world, 0);
    }
    if (pending.arrived[r] == 0)
        ++pending.count;
    pending.arrived[r] = std::max<std::int64_t>(1, c.arrivedNs);
    pending.phase[r] = c.phase < Phase::Count ? c.phase : Phase::None;
    pending.step[r] = c.header.step;
    const std::string_view tag = getText(c.tag, sizeof c.tag);
    const CollectiveOp op = c.op < CollectiveOp::Count ? c.op : CollectiveOp::Other;
    const bool gathers = op == CollectiveOp::AllGather || op == CollectiveOp::Gather; // may differ in their counts
    auto same = std::find_if(pending.variants.begin(), pending.variants.end(), [&](const CollectiveVariant& v) {
        return v.op == op && v.dtype == c.dtype && v.tag == tag && (gathers || v.count == c.count);
    });
    if (same == pending.variants.end() && pending.variants.size() < kVariants)
        same = pending.variants.insert(same, {op, c.dtype, c.count, std::string(tag)});
    pending.variant[r] = static_cast<std::uint8_t>(
        std::min<std::ptrdiff_t>(same - pending.variants.begin(), static_cast<std::ptrdiff_t>(kVariants) - 1));
    if (pending.variants.size() > 1 && !sends)
        remember(key, pending);
    if (tag.starts_with(kGradientTag) && size < m_world)
        takeGradientGroup(c.group);
    if (pending.count == size) {
        agree(key, pending);
        join(pending);
        m_pending.erase(key);
    } else if (m_pending.size() > kMaxPending) {
        m_pending.erase(m_pending.begin());
    }
}

void StepWindow::remember(const CollectiveKey& key, const PendingCollective& odd) {
    if (m_odd && CollectiveKey(m_odd->group, m_odd->sequence) != key)
        return; // the first one is the error: all later ones are shifted
    m_odd = OddCollective{key.first, key.second, odd.calls()};
}

std::vector<CollectiveCall> StepWindow::PendingCollective::calls() const {
    std::vector<CollectiveCall> reported;
    for (std::size_t r = 0; r < arrived.size(); ++r) {
        if (arrived[r] == 0)
            continue;
        const CollectiveVariant& v = variants[variant[r]];
        reported.push_back({static_cast<int>(r), v.op, v.dtype, v.count, v.tag, phase[r], arrived[r], step[r]});
    }
    return reported;
}

std::vector<CollectiveCall> StepWindow::pendingCalls(std::uint32_t group, std::uint64_t sequence) const {
    const auto at = m_pending.find({group, sequence});
    return at == m_pending.end() ? std::vector<CollectiveCall>{} : at->second.calls();
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

void StepWindow::join(const PendingCollective& all) {
    std::vector<int> ranks;
    std::vector<std::int64_t> arrived;
    for (int r = 0; r < m_world; ++r)
        if (const std::int64_t ns = all.arrived[static_cast<std::size_t>(r)]; ns != 0) {
            ranks.push_back(r);
            arrived.push_back(ns);
        }
    const ArrivalWaits waits = computeWaits(arrived);
    const int holder = ranks[static_cast<std::size_t>(waits.holder)];
    const auto opOf = [&](int r) { return all.variants[all.variant[static_cast<std::size_t>(r)]].op; };
    // a validation has as many collectives as batches: their waits add up without meaning a stall. Who sends need not
    // wait until the message is received
    if (all.phase[static_cast<std::size_t>(holder)] == Phase::Validate || opOf(holder) == CollectiveOp::Recv)
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
            if (all.variants[all.variant[i]].tag.starts_with(kGradientTag))
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

template <class N> void save(ByteEncoder& out, const std::map<std::string, N>& byTag) {
    out.number(byTag.size());
    for (const auto& [tag, number] : byTag) {
        out.text(tag);
        out.integer(number);
    }
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
    savePending(out);
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
    saveCalls(out);
    out.boolean(m_odd.has_value());
    if (!m_odd)
        return;
    out.number(m_odd->group);
    out.number(m_odd->sequence);
    out.number(m_odd->calls.size());
    for (const CollectiveCall& c : m_odd->calls) {
        out.integer(c.rank);
        out.number(static_cast<std::uint64_t>(c.op));
        out.number(c.dtype);
        for (const std::int64_t v : {c.count, c.arrivedNs, c.step})
            out.integer(v);
        out.number(static_cast<std::uint64_t>(c.phase));
        out.text(c.tag);
    }
}

bool StepWindow::load(ByteDecoder& in, int version) {
    if (!loadSteps(in, version) || !loadPending(in) || !diagnosis::load(in, m_stepTimes) ||
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
    if (version >= kVersionOfGroups && (!loadGroups(in) || !loadCalls(in, version)))
        return false;
    m_odd.reset();
    if (!in.boolean())
        return in.ok();
    m_odd.emplace();
    m_odd->group = static_cast<std::uint32_t>(in.number());
    m_odd->sequence = in.number();
    m_odd->calls.resize(in.count());
    for (CollectiveCall& c : m_odd->calls) {
        c.rank = static_cast<int>(in.integer());
        c.op = in.below(CollectiveOp::Count);
        c.dtype = static_cast<std::uint8_t>(in.number());
        c.count = in.integer();
        c.arrivedNs = clampTime(in.integer());
        c.step = stepWithin(in.integer());
        c.phase = in.below(Phase::Count);
        c.tag = in.text();
        if (c.rank < 0 || c.rank >= m_world)
            in.fail();
    }
    return in.ok();
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

void StepWindow::saveCalls(ByteEncoder& out) const {
    for (const auto& newest : m_newestPhases) {
        out.number(newest.size());
        for (const RecordedSpan& span : newest) {
            out.integer(span.beginNs);
            out.integer(span.endNs);
            out.number(static_cast<std::uint64_t>(span.phase));
        }
    }
    out.number(m_agreed.size());
    for (const auto& [group, calls] : m_agreed) {
        out.number(group);
        out.integer(calls.step);
        diagnosis::save(out, calls.inStep);
        diagnosis::save(out, calls.inLastStep);
        diagnosis::save(out, calls.newestCount);
        calls.pattern.save(out);
    }
}

bool StepWindow::loadCalls(ByteDecoder& in, int version) {
    for (auto& newest : m_newestPhases) {
        newest.assign(std::min(in.count(), kNewestPhases), {});
        for (RecordedSpan& span : newest) {
            span.beginNs = clampTime(in.integer());
            span.endNs = clampTime(in.integer());
            span.phase = in.below(Phase::Count);
        }
    }
    m_agreed.clear();
    for (std::size_t n = in.count(); n > 0 && in.ok(); --n) {
        AgreedCalls& calls = m_agreed[static_cast<std::uint32_t>(in.number())];
        calls.step = stepWithin(in.integer());
        for (auto* of : {&calls.inStep, &calls.inLastStep})
            for (std::size_t tags = in.count(); tags > 0 && in.ok(); --tags) {
                const std::string tag = in.text();
                (*of)[tag] = static_cast<int>(std::clamp<std::int64_t>(in.integer(), 0, INT32_MAX - 1));
            }
        for (std::size_t tags = in.count(); tags > 0 && in.ok(); --tags) {
            const std::string tag = in.text();
            calls.newestCount[tag] = in.integer();
        }
        if (version >= kVersionOfCallPatterns && !calls.pattern.load(in))
            return false;
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

void StepWindow::savePending(ByteEncoder& out) const {
    out.number(m_pending.size());
    for (const auto& [key, p] : m_pending) {
        out.number(key.first);
        out.number(key.second);
        out.number(p.variants.size());
        for (const CollectiveVariant& v : p.variants) {
            out.number(static_cast<std::uint64_t>(v.op));
            out.number(v.dtype);
            out.integer(v.count);
            out.text(v.tag);
        }
        for (std::size_t r = 0; r < p.arrived.size(); ++r) {
            out.integer(p.arrived[r]);
            if (p.arrived[r] == 0)
                continue;
            out.number(static_cast<std::uint64_t>(p.phase[r]));
            out.integer(p.step[r]);
            out.number(p.variant[r]);
        }
    }
}

bool StepWindow::loadPending(ByteDecoder& in) {
    m_pending.clear();
    const auto world = static_cast<std::size_t>(m_world);
    for (std::size_t n = in.count(); n > 0 && in.ok(); --n) {
        const auto group = static_cast<std::uint32_t>(in.number());
        PendingCollective& p = m_pending[{group, in.number()}];
        p.variants.resize(std::min<std::size_t>(in.count(), 256));
        for (CollectiveVariant& v : p.variants) {
            v.op = in.below(CollectiveOp::Count);
            v.dtype = static_cast<std::uint8_t>(in.number());
            v.count = in.integer();
            v.tag = in.text();
        }
        p.arrived.assign(world, 0);
        p.phase.assign(world, Phase::None);
        p.step.assign(world, -1);
        p.variant.assign(world, 0);
        for (std::size_t r = 0; r < world && in.ok(); ++r) {
            p.arrived[r] = clampTime(in.integer());
            if (p.arrived[r] == 0)
                continue;
            ++p.count;
            p.phase[r] = in.below(Phase::Count);
            p.step[r] = stepWithin(in.integer());
            p.variant[r] = in.below(std::max<std::uint8_t>(1, static_cast<std::uint8_t>(p.variants.size())));
        }
    }
    return in.ok();
}

} // namespace rankscope::diagnosis
