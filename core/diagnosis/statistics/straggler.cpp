// SPDX-License-Identifier: Apache-2.0
#include "core/diagnosis/statistics/straggler.h"

#include <algorithm>
#include <array>
#include <numeric>
#include <vector>

namespace rankscope::diagnosis {

using namespace telemetry;

namespace {

struct RankTotals {
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

/// Returns the rank whose batch is at least half as long again as any other's, or -1.
int clearlyLongest(const StepStats& s) {
    int longest = 0;
    for (int r = 1; r < static_cast<int>(s.ranks.size()); ++r)
        if (s.ranks[static_cast<std::size_t>(r)].framesMax > s.ranks[static_cast<std::size_t>(longest)].framesMax)
            longest = r;
    const std::int64_t top = s.ranks[static_cast<std::size_t>(longest)].framesMax;
    if (top <= 0)
        return -1; // the lengths are not known
    for (int r = 0; r < static_cast<int>(s.ranks.size()); ++r)
        if (r != longest && 3 * s.ranks[static_cast<std::size_t>(r)].framesMax > 2 * top)
            return -1;
    return longest;
}

/// Returns the ranks that do the same work as this one, without itself.
std::vector<std::size_t> othersOf(int rank, const std::vector<int>& peers) {
    std::vector<std::size_t> others;
    for (std::size_t r = 0; r < peers.size(); ++r)
        if (r != static_cast<std::size_t>(rank) && peers[r] == peers[static_cast<std::size_t>(rank)])
            others.push_back(r);
    return others;
}

/// Returns, by phase, by how much `rank` exceeds the mean of the others; 0 where it does not.
std::array<std::int64_t, kPhases> excessOf(const std::vector<RankTotals>& totals, int rank,
                                           const std::vector<std::size_t>& others) {
    std::array<std::int64_t, kPhases> all{};
    for (std::size_t p = 1; p < kPhases; ++p) {
        std::int64_t sum = 0;
        for (const std::size_t r : others)
            sum += totals[r].ownNs[p];
        const std::int64_t excess = totals[static_cast<std::size_t>(rank)].ownNs[p] -
                                    sum / std::max<std::int64_t>(1, static_cast<std::int64_t>(others.size()));
        all[p] = std::max<std::int64_t>(0, excess);
    }
    return all;
}

/// Sums over steps, by rank.
struct RankStepSums {
    std::vector<RankTotals> ranks;
    int steps = 0;
    std::int64_t windowNs = 0;

    void add(const StepStats& s, int holder);
    Straggler of(int rank, const std::vector<int>& peers) const;
    std::int64_t workNs(const std::vector<std::size_t>& of) const;
};

void RankStepSums::add(const StepStats& s, int holder) {
    const int longest = clearlyLongest(s);
    ++steps;
    windowNs += s.ranks.front().stepNs;
    for (std::size_t r = 0; r < ranks.size(); ++r) {
        RankTotals& t = ranks[r];
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

/// Returns the median of these ranks, the slower of two middle values.
std::int64_t RankStepSums::workNs(const std::vector<std::size_t>& of) const {
    std::vector<std::int64_t> works;
    for (const std::size_t r : of)
        works.push_back(ranks[r].workNs);
    if (works.empty())
        return 0;
    const auto middle = works.begin() + static_cast<std::ptrdiff_t>(works.size() / 2);
    std::nth_element(works.begin(), middle, works.end());
    return *middle;
}

Straggler RankStepSums::of(int rank, const std::vector<int>& peers) const {
    const RankTotals& t = ranks[static_cast<std::size_t>(rank)];
    const std::vector<std::size_t> peersOf = othersOf(rank, peers);
    const std::int64_t others = workNs(peersOf);
    const int n = std::max(1, steps);
    Straggler out;
    out.rank = rank;
    out.excessNs = excessOf(ranks, rank, peersOf);
    const auto most = std::max_element(out.excessNs.begin() + 1, out.excessNs.end());
    out.phase = *most > 0 ? static_cast<Phase>(most - out.excessNs.begin()) : Phase::None;
    out.heldNs = std::max<std::int64_t>(0, t.workNs - others);
    out.excessNs[0] = std::max<std::int64_t>(
        0, out.heldNs - std::accumulate(out.excessNs.begin(), out.excessNs.end(), std::int64_t{0}));
    out.windowNs = windowNs;
    out.steps = steps;
    out.lastSteps = t.heldSteps;
    out.lateNs = out.heldNs / n;
    out.workRatio = others > 0 ? static_cast<double>(t.workNs) / static_cast<double>(others) : 0;
    out.framesMax = t.frames / n;
    out.lengthShare = static_cast<double>(t.longestSteps) / n;
    for (const std::size_t o : peersOf) {
        out.othersFramesMax = std::max(out.othersFramesMax, ranks[o].frames / n);
        out.othersSamplesMax = std::max(out.othersSamplesMax, ranks[o].samples / n);
    }
    return out;
}

} // namespace

std::optional<Straggler> findStraggler(const StepWindow& window, double share, std::int64_t minHeldNs,
                                       std::int64_t stallNs, std::int64_t behindStep, double mostSteps, int windows) {
    const int world = window.worldSize(), wanted = windows * window.windowSteps();
    if (world < 2)
        return std::nullopt;
    const auto each = [&](auto&& take) { // calls take(step, holder) for the steps that count
        int steps = 0;
        for (auto it = window.steps().rbegin(); it != window.steps().rend() && steps < wanted && it->first > behindStep;
             ++it) {
            const StepStats& s = it->second;
            const int holder = holderOf(s);
            if (s.finished < world || (holder >= 0 && s.ranks[static_cast<std::size_t>(holder)].heldNs >= stallNs))
                continue;
            take(s, holder);
            ++steps;
        }
        return steps;
    };
    // majority vote: steps of different holders cancel out, so a rank that holds in more than half of the steps remains
    int candidate = -1, votes = 0, held = 0;
    const int steps = each([&](const StepStats&, int holder) {
        candidate = votes == 0 ? holder : candidate;
        votes += holder == candidate ? 1 : -1;
    });
    each([&](const StepStats&, int holder) { held += holder == candidate; });
    if (steps < wanted || candidate < 0 || held < mostSteps * steps)
        return std::nullopt;
    RankStepSums sums{std::vector<RankTotals>(static_cast<std::size_t>(world))};
    each([&](const StepStats& s, int holder) { sums.add(s, holder); });
    const RankTotals& t = sums.ranks[static_cast<std::size_t>(candidate)];
    const std::int64_t net = t.heldNs - t.waitedNs;
    if (net < minHeldNs || static_cast<double>(net) < share * static_cast<double>(sums.windowNs))
        return std::nullopt;
    Straggler out = sums.of(candidate, window.peers());
    out.heldNs = net;
    return out;
}

Straggler stragglerFigures(const StepWindow& window, int rank, int steps) {
    const int world = window.worldSize();
    RankStepSums sums{std::vector<RankTotals>(static_cast<std::size_t>(world))};
    for (auto it = window.steps().rbegin(); it != window.steps().rend() && sums.steps < steps; ++it)
        if (it->second.finished == world)
            sums.add(it->second, holderOf(it->second));
    return sums.of(rank, window.peers());
}

} // namespace rankscope::diagnosis
