// SPDX-License-Identifier: Apache-2.0
#include "core/diagnosis/detector/step_window.h"

#include "core/diagnosis/evidence/cause_finder.h"
#include "core/diagnosis/model/sanitized_observation.h"

#include <algorithm>

namespace rankscope::diagnosis {

using namespace telemetry;

namespace {
constexpr std::size_t kMaxPending = 50'000; // a rank that lies about sequence numbers must not eat the memory
constexpr std::size_t kStepTimes = 256;     // step times that the median is taken over
constexpr std::int64_t kEnoughSteps = 5;    // below this the first steps' warm-up would pass for typical
constexpr std::size_t kCheckpointTimes = 8; // newest checkpoints of a rank, on average
constexpr std::size_t kEnoughCheckpoints = 3;
constexpr std::size_t kVariants = 8; // different calls of one collective that are told apart
} // namespace

StepWindow::StepWindow(int worldSize, int windowSteps)
    : m_world(worldSize), m_window(std::max(2, windowSteps)),
      m_savings(static_cast<std::size_t>(std::max(1, worldSize))),
      m_stoppedUntil(static_cast<std::size_t>(std::max(1, worldSize))) {}

RankStep* StepWindow::at(int rank, std::int64_t step) {
    if (rank < 0 || rank >= m_world || step < 0)
        return nullptr;
    const auto keep = static_cast<std::size_t>(2 * m_window + 8);
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

std::int64_t StepWindow::heldIn(int rank, std::int64_t step) const {
    const RankStep* s = find(rank, step);
    return s ? s->heldNs : 0;
}

void StepWindow::add(int rank, const AnyRecord& record) {
    const std::int64_t step = record.header().step;
    if (const auto* p = record.as<PhaseRecord>()) {
        addPhase(rank, *p);
    } else if (const auto* b = record.as<BatchRecord>()) {
        if (RankStep* s = at(rank, step)) {
            s->framesMax = b->framesMax;
            s->samplesMax = b->samplesMax;
            s->batchSize = b->size;
        }
    } else if (const auto* c = record.as<CollectiveRecord>()) {
        addCollective(rank, *c);
    } else if (const auto* s = record.as<StepRecord>()) {
        finish(rank, step, s->endNs - s->beginNs);
    } else if (const auto* v = record.as<ValidationRecord>()) {
        m_validationNs = std::max(m_validationNs, v->endNs - v->beginNs);
    }
}

void StepWindow::addPhase(int rank, const PhaseRecord& p) {
    const auto phase = static_cast<std::size_t>(p.phase);
    const std::int64_t lasted = std::max<std::int64_t>(0, p.endNs - p.beginNs);
    if (RankStep* s = at(rank, p.header.step); s && phase < kPhases)
        addTo(s->phaseNs[phase], lasted);
    if ((p.phase == Phase::Checkpoint || p.phase == Phase::Validate) && rank >= 0 && rank < m_world)
        m_savings[static_cast<std::size_t>(rank)][p.phase == Phase::Checkpoint ? 0 : 1] = {p.beginNs, p.endNs};
    if (p.phase != Phase::Checkpoint)
        return;
    m_checkpointTimes.push_back(lasted);
    if (m_checkpointTimes.size() > kCheckpointTimes * static_cast<std::size_t>(m_world))
        m_checkpointTimes.pop_front();
}

std::int64_t StepWindow::savedIn(int rank, std::int64_t fromNs, std::int64_t toNs) const {
    std::int64_t sum = 0;
    if (rank >= 0 && rank < m_world)
        for (const Span& span : m_savings[static_cast<std::size_t>(rank)])
            sum += std::max<std::int64_t>(0, std::min(span.endNs, toNs) - std::max(span.beginNs, fromNs));
    return sum;
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
    if (rank < 0 || rank >= m_world)
        return;
    const Key key{c.group, c.sequence};
    Pending& pending = m_pending[key];
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
    auto same = std::find_if(pending.variants.begin(), pending.variants.end(), [&](const Variant& v) {
        return v.op == op && v.dtype == c.dtype && v.tag == tag && (gathers || v.count == c.count);
    });
    if (same == pending.variants.end() && pending.variants.size() < kVariants)
        same = pending.variants.insert(same, {op, c.dtype, c.count, std::string(tag)});
    pending.variant[r] = static_cast<std::uint8_t>(
        std::min<std::ptrdiff_t>(same - pending.variants.begin(), static_cast<std::ptrdiff_t>(kVariants) - 1));
    if (pending.variants.size() > 1)
        remember(key, pending);
    if (pending.count == m_world) {
        join(pending);
        m_pending.erase(key);
    } else if (m_pending.size() > kMaxPending) {
        m_pending.erase(m_pending.begin());
    }
}

void StepWindow::remember(const Key& key, const Pending& odd) {
    if (m_odd && Key(m_odd->group, m_odd->sequence) != key)
        return; // the first is what went wrong: all that follow are shifted
    m_odd = OddCollective{key.first, key.second, {}};
    for (std::size_t r = 0; r < odd.arrived.size(); ++r) {
        if (odd.arrived[r] == 0)
            continue;
        const Variant& v = odd.variants[odd.variant[r]];
        m_odd->calls.push_back(
            {static_cast<int>(r), v.op, v.dtype, v.count, odd.arrived[r], odd.step[r], odd.phase[r], v.tag});
    }
}

/// What [begin, end) adds to what was counted up to `until`, which moves on.
static std::int64_t beyond(std::int64_t begin, std::int64_t end, std::int64_t& until) {
    const std::int64_t added = std::max<std::int64_t>(0, end - std::max(begin, until));
    until = std::max(until, end);
    return added;
}

void StepWindow::join(const Pending& all) {
    const auto latest = std::max_element(all.arrived.begin(), all.arrived.end());
    const auto holder = static_cast<int>(latest - all.arrived.begin());
    // a validation has as many collectives as batches: their waits add up and are no sign of a stall
    if (all.phase[static_cast<std::size_t>(holder)] == Phase::Validate)
        return;
    const std::int64_t earliest = *std::min_element(all.arrived.begin(), all.arrived.end());
    if (RankStep* s = at(holder, all.step[static_cast<std::size_t>(holder)])) {
        // while it was kept waiting itself, or inside by one that was stopped, the others' time is not charged to it
        const std::int64_t free = std::max({earliest, s->waitedUntilNs, s->heldUntilNs, othersStoppedUntil(holder)});
        addTo(s->heldSavingNs, savedIn(holder, free, *latest));
        addTo(s->heldNs, beyond(free, *latest, s->heldUntilNs));
    }
    for (int r = 0; r < m_world; ++r) {
        const auto i = static_cast<std::size_t>(r);
        if (RankStep* s = at(r, all.step[i])) {
            const std::int64_t wait = beyond(all.arrived[i], *latest, s->waitedUntilNs);
            addTo(s->waitedNs, wait);
            addTo(s->waitInNs[static_cast<std::size_t>(all.phase[i])], wait);
            const std::int64_t whole = durationWithin(*latest - all.arrived[i]);
            if (all.variants[all.variant[i]].tag.starts_with("gradient:"))
                s->gradientWaitNs = whole;
            else
                addTo(s->blockedNs, whole);
        }
    }
}

void StepWindow::finish(int rank, std::int64_t step, std::int64_t stepNs) {
    if (RankStep* s = at(rank, step)) {
        if (s->stepNs == 0 && ++m_steps[step].finished == m_world)
            m_newestComplete = std::max(m_newestComplete, step);
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
    // ranks that only wait for the one that writes pass through their own in no time
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

struct Totals {
    std::int64_t heldNs = 0, waitedNs = 0, workNs = 0;
    int heldSteps = 0, longestSteps = 0;
    std::array<std::int64_t, kPhases> ownNs{};
    std::int64_t frames = 0, samples = 0;
};

int holderOf(const StepStats& s) {
    const auto it = std::max_element(s.ranks.begin(), s.ranks.end(),
                                     [](const RankStep& a, const RankStep& b) { return a.heldNs < b.heldNs; });
    return it->heldNs > 0 ? static_cast<int>(it - s.ranks.begin()) : -1;
}

/// The rank whose batch is at least half as long again as any other's, or -1.
int clearlyLongest(const StepStats& s) {
    int longest = 0;
    for (int r = 1; r < static_cast<int>(s.ranks.size()); ++r)
        if (s.ranks[static_cast<std::size_t>(r)].framesMax > s.ranks[static_cast<std::size_t>(longest)].framesMax)
            longest = r;
    const std::int64_t top = s.ranks[static_cast<std::size_t>(longest)].framesMax;
    for (int r = 0; r < static_cast<int>(s.ranks.size()); ++r)
        if (r != longest && 3 * s.ranks[static_cast<std::size_t>(r)].framesMax > 2 * top)
            return -1;
    return longest;
}

/// The phase in which `rank` spends most beyond the mean of the others.
Phase excessPhase(const std::vector<Totals>& totals, int rank) {
    std::int64_t best = 0;
    auto phase = Phase::None;
    for (std::size_t p = 1; p < kPhases; ++p) {
        std::int64_t others = 0;
        for (int r = 0; r < static_cast<int>(totals.size()); ++r)
            if (r != rank)
                others += totals[static_cast<std::size_t>(r)].ownNs[p];
        const std::int64_t excess = totals[static_cast<std::size_t>(rank)].ownNs[p] -
                                    others / std::max<std::int64_t>(1, static_cast<std::int64_t>(totals.size()) - 1);
        if (excess > best) {
            best = excess;
            phase = static_cast<Phase>(p);
        }
    }
    return phase;
}

/// Sums over steps, by rank.
struct StepSums {
    std::vector<Totals> ranks;
    int steps = 0;
    std::int64_t windowNs = 0;

    void add(const StepStats& s, int holder);
    Straggler of(int rank) const;
    std::int64_t othersWorkNs(int rank) const;
};

void StepSums::add(const StepStats& s, int holder) {
    const int longest = clearlyLongest(s);
    ++steps;
    windowNs += s.ranks.front().stepNs;
    for (std::size_t r = 0; r < ranks.size(); ++r) {
        Totals& t = ranks[r];
        t.heldNs += s.ranks[r].heldNs;
        t.waitedNs += s.ranks[r].waitedNs;
        t.workNs += s.ranks[r].workNs();
        t.heldSteps += holder == static_cast<int>(r);
        t.longestSteps += longest == static_cast<int>(r);
        t.frames += s.ranks[r].framesMax;
        t.samples += s.ranks[r].samplesMax;
        for (std::size_t p = 0; p < kPhases; ++p)
            t.ownNs[p] += s.ranks[r].ownNs(p);
    }
}

/// The middle one of the others, the slower of two.
std::int64_t StepSums::othersWorkNs(int rank) const {
    std::vector<std::int64_t> others;
    for (std::size_t r = 0; r < ranks.size(); ++r)
        if (static_cast<int>(r) != rank)
            others.push_back(ranks[r].workNs);
    if (others.empty())
        return 0;
    const auto middle = others.begin() + static_cast<std::ptrdiff_t>(others.size() / 2);
    std::nth_element(others.begin(), middle, others.end());
    return *middle;
}

Straggler StepSums::of(int rank) const {
    const Totals& t = ranks[static_cast<std::size_t>(rank)];
    const std::int64_t others = othersWorkNs(rank);
    const int n = std::max(1, steps);
    Straggler out;
    out.rank = rank;
    out.phase = excessPhase(ranks, rank);
    out.heldNs = std::max<std::int64_t>(0, t.workNs - others);
    out.windowNs = windowNs;
    out.steps = steps;
    out.lastSteps = t.heldSteps;
    out.lateNs = out.heldNs / n;
    out.workRatio = others > 0 ? static_cast<double>(t.workNs) / static_cast<double>(others) : 0;
    out.framesMax = t.frames / n;
    out.lengthShare = static_cast<double>(t.longestSteps) / n;
    for (std::size_t o = 0; o < ranks.size(); ++o)
        if (static_cast<int>(o) != rank) {
            out.othersFramesMax = std::max(out.othersFramesMax, ranks[o].frames / n);
            out.othersSamplesMax = std::max(out.othersSamplesMax, ranks[o].samples / n);
        }
    return out;
}

} // namespace

std::optional<Straggler> StepWindow::straggler(double share, std::int64_t minHeldNs, std::int64_t stallNs,
                                               std::int64_t behindStep, double mostSteps, int windows) const {
    if (m_world < 2)
        return std::nullopt;
    const auto each = [&](auto&& take) { // calls take(step, holder) for those that count
        int steps = 0;
        for (auto it = m_steps.rbegin(); it != m_steps.rend() && steps < windows * m_window && it->first > behindStep;
             ++it) {
            const StepStats& s = it->second;
            const int holder = holderOf(s);
            if (s.finished < m_world || (holder >= 0 && s.ranks[static_cast<std::size_t>(holder)].heldNs >= stallNs))
                continue;
            take(s, holder);
            ++steps;
        }
        return steps;
    };
    // a rank that holds the others in more than half of the steps is left when steps of different holders cancel out
    int candidate = -1, votes = 0, held = 0;
    const int steps = each([&](const StepStats&, int holder) {
        candidate = votes == 0 ? holder : candidate;
        votes += holder == candidate ? 1 : -1;
    });
    each([&](const StepStats&, int holder) { held += holder == candidate; });
    if (steps < windows * m_window || candidate < 0 || held < mostSteps * steps)
        return std::nullopt;
    StepSums sums{std::vector<Totals>(static_cast<std::size_t>(m_world))};
    each([&](const StepStats& s, int holder) { sums.add(s, holder); });
    const Totals& t = sums.ranks[static_cast<std::size_t>(candidate)];
    const std::int64_t net = t.heldNs - t.waitedNs;
    if (net < minHeldNs || static_cast<double>(net) < share * static_cast<double>(sums.windowNs))
        return std::nullopt;
    Straggler out = sums.of(candidate);
    out.heldNs = net;
    return out;
}

Straggler StepWindow::describe(int rank, int steps) const {
    StepSums sums{std::vector<Totals>(static_cast<std::size_t>(m_world))};
    for (auto it = m_steps.rbegin(); it != m_steps.rend() && sums.steps < steps; ++it)
        if (it->second.finished == m_world)
            sums.add(it->second, holderOf(it->second));
    return sums.of(rank);
}

} // namespace rankscope::diagnosis
