// SPDX-License-Identifier: Apache-2.0
#include "core/diagnosis/statistics/slow_rank_test.h"

#include "core/diagnosis/model/sanitized_observation.h"
#include "core/diagnosis/statistics/step_window.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <numeric>

namespace rankscope::diagnosis {

using namespace telemetry;

namespace {

constexpr std::int64_t kWarmUpSteps = 3; // kernels, caches and workers start
constexpr double kGreatLateness = 0.5;   // half as long again, or more
constexpr double kLeastLateness = 0.1;   // lower bound for any settings: ranks of a healthy run differ by some percent
constexpr double kMostOfOneStep = 4.5;   // nats: even one clear step is chance once in a hundred
constexpr double kMostEvidence = 30;     // nats: more would only delay the recovery
constexpr double kSuspicion = 6;         // nats: above this, the rank's lateness does not measure chance
constexpr double kLeastVariance = 0.01;  // of a lateness: no rank is assumed to be steadier than a tenth
constexpr double kSuspectLateness = 0.3;
constexpr double kRecoveredNats = 24, kMostRecoveryOfOneStep = kRecoveredNats / SlowRankTest::kRecoverySteps;
constexpr double kFewSteps = 8, kSomeSteps = 32, kManySteps = 256;
constexpr double kMeansOfFew = 2 * kFewSteps - 1; // variance of a step / that of a mean of the newest few
constexpr double kPriorSquares = 4;               // work is assumed to grow with length until enough is seen
constexpr double kForgetLengths = 0.998;
constexpr int kMostSuspectSteps = 1'000'000;

double logOf(double v) {
    return std::log(std::max(v, 1.0));
}

} // namespace

SlowRankTest::SlowRankTest(int worldSize, double share)
    : m_ranks(static_cast<std::size_t>(std::max(1, worldSize))), m_shifts{kLeastLateness, kGreatLateness},
      m_work(m_ranks.size()), m_length(m_ranks.size()), m_adjusted(m_ranks.size()), m_sorted(m_ranks.size()),
      m_products(kPriorSquares), m_squares(kPriorSquares) {
    if (std::isfinite(share)) // a rank that costs half of the share takes 1 / (1 - share / 2) times as long
        m_shifts[0] = std::clamp(-std::log1p(-std::clamp(share, 0.0, 0.8) / 2), kLeastLateness, kGreatLateness);
}

/// Returns false if the step cannot be used because a rank saved or validated in it.
bool SlowRankTest::weigh(const StepStats& step) {
    bool lengths = true;
    for (std::size_t r = 0; r < m_ranks.size(); ++r) {
        const RankStep& s = step.ranks[r];
        if (s.phaseNs[static_cast<std::size_t>(Phase::Checkpoint)] > 0 ||
            s.phaseNs[static_cast<std::size_t>(Phase::Validate)] > 0)
            return false;
        m_work[r] = logOf(static_cast<double>(std::max(s.workNs(), s.stepNs / 50)));
        const double cost = static_cast<double>(s.framesMax) * std::max(1, s.batchSize);
        lengths = lengths && cost > 0;
        m_length[r] = logOf(cost);
    }
    if (!lengths)
        std::fill(m_length.begin(), m_length.end(), 0.0);
    return true;
}

void SlowRankTest::sortByPeers(const std::vector<int>& peers) {
    if (!m_order.empty() && (peers == m_peers || peers.size() != m_ranks.size()))
        return;
    m_peers = peers;
    m_peers.resize(m_ranks.size());
    m_order.resize(m_ranks.size());
    std::iota(m_order.begin(), m_order.end(), std::size_t{0});
    std::sort(m_order.begin(), m_order.end(), [this](std::size_t a, std::size_t b) {
        return m_peers[a] != m_peers[b] ? m_peers[a] < m_peers[b] : a < b;
    });
}

/// Calls take(ranks) for each set of ranks that are compared with each other.
template <class Take> void SlowRankTest::eachSet(Take&& take) const {
    const std::span<const std::size_t> all(m_order);
    for (std::size_t from = 0, to = 0; from < all.size(); from = to) {
        while (to < all.size() && m_peers[all[to]] == m_peers[all[from]])
            ++to;
        take(all.subspan(from, to - from));
    }
}

/// Learns how work grows with length from the differences between the ranks within the step.
void SlowRankTest::learnLengths() {
    m_products *= kForgetLengths;
    m_squares *= kForgetLengths;
    eachSet([this](std::span<const std::size_t> ranks) {
        const auto meanOf = [&](const std::vector<double>& values) {
            return std::accumulate(ranks.begin(), ranks.end(), 0.0,
                                   [&](double sum, std::size_t r) { return sum + values[r]; }) /
                   static_cast<double>(ranks.size());
        };
        const double work = meanOf(m_work), length = meanOf(m_length);
        for (const std::size_t r : ranks) {
            const double l = std::clamp(m_length[r] - length, -1.0, 1.0);
            m_products += std::clamp(m_work[r] - work, -1.0, 1.0) * l;
            m_squares += l * l;
        }
    });
    const double missing = std::max(0.0, kPriorSquares - m_squares);
    m_products += missing;
    m_squares += missing;
}

void SlowRankTest::add(const StepStats& step, const std::vector<int>& peers) {
    if (m_ranks.size() < 2 || step.ranks.size() != m_ranks.size())
        return;
    sortByPeers(peers);
    m_newestStepNs = step.ranks.front().stepNs;
    if (++m_seen <= kWarmUpSteps || !weigh(step))
        return;
    const double growth = std::clamp(m_products / m_squares, 0.0, 2.0);
    eachSet([&](std::span<const std::size_t> ranks) { compare(ranks, growth); });
    learnLengths();
}

/// Judges each of the ranks by the median of the others, the slower of two: leaving out the rank itself moves all
/// slower ones down by one place.
void SlowRankTest::compare(std::span<const std::size_t> ranks, double growth) {
    if (ranks.size() < 2)
        return;
    for (std::size_t i = 0; i < ranks.size(); ++i)
        m_sorted[i] = m_adjusted[ranks[i]] = m_work[ranks[i]] - growth * m_length[ranks[i]];
    const auto end = m_sorted.begin() + static_cast<std::ptrdiff_t>(ranks.size());
    const auto middle = m_sorted.begin() + static_cast<std::ptrdiff_t>((ranks.size() - 1) / 2);
    std::nth_element(m_sorted.begin(), middle, end);
    const double lower = *middle, upper = *std::min_element(std::next(middle), end);
    for (const std::size_t r : ranks)
        judge(m_ranks[r], std::clamp(m_adjusted[r] - (m_adjusted[r] <= lower ? upper : lower), -1.0, 1.0));
}

/// Adds the log-likelihood ratio of a normal lateness with the shift as its mean to one with mean 0. The contribution
/// of a single step is limited, since hiccups are not normally distributed.
void SlowRankTest::judge(TestedRank& r, double lateness) const {
    const double change = lateness - r.lateness;
    r.lateness = lateness;
    r.stepNoise += (std::min(change * change, 1.0) / 2 - r.stepNoise) / kSomeSteps; // a lasting shift counts once
    r.level += (lateness - r.level) / kFewSteps;
    if (std::max(r.evidence[0].nats, r.evidence[1].nats) < kSuspicion) {
        // on a busy machine lateness lasts some steps and goes away: then a mean of several steps is no better than one
        r.usual += (lateness - r.usual) / kManySteps;
        const double off = r.level - r.usual;
        r.slowNoise += (kMeansOfFew * off * off - r.slowNoise) / kManySteps;
    }
    const double variance = std::max({kLeastVariance, r.stepNoise, r.slowNoise});
    for (std::size_t i = 0; i < m_shifts.size(); ++i) {
        SlownessEvidence& e = r.evidence[i];
        const double nats = m_shifts[i] * (lateness - m_shifts[i] / 2) / variance;
        e.nats = std::clamp(e.nats + std::clamp(nats, -kMostOfOneStep, kMostOfOneStep), 0.0, kMostEvidence);
        e.steps = e.nats > 0 ? std::min(e.steps + 1, kMostSuspectSteps) : 0;
    }
    if (r.size > 0) {
        const double nats = r.size * (r.size / 2 - lateness) / variance;
        r.recovery += std::clamp(nats, -kMostRecoveryOfOneStep, kMostRecoveryOfOneStep);
        r.recovery = std::clamp(r.recovery, 0.0, kRecoveredNats);
    }
}

int SlowRankTest::confirmedSteps(int rank, double nats) const {
    const TestedRank& r = at(rank);
    if (r.evidence[1].nats >= nats)
        return r.evidence[1].steps;
    // a small lateness must also be as large as the shift: half of it is enough to produce evidence
    return r.evidence[0].nats >= nats && r.level >= 0.9 * m_shifts[0] ? r.evidence[0].steps : 0;
}

bool SlowRankTest::isSuspect(int rank) const {
    const TestedRank& r = at(rank);
    return r.lateness >= kSuspectLateness && r.evidence[1].nats >= kMostOfOneStep;
}

void SlowRankTest::startRecoveryTest(int rank) {
    TestedRank& r = m_ranks[static_cast<std::size_t>(rank)];
    r.size = std::max(m_shifts[0], r.level);
    r.recovery = 0;
}

bool SlowRankTest::hasRecovered(int rank) const {
    return isInRecoveryTest(rank) && at(rank).recovery >= kRecoveredNats;
}

void SlowRankTest::endRecoveryTest(int rank) {
    TestedRank& r = m_ranks[static_cast<std::size_t>(rank)];
    r.size = r.recovery = 0;
    r.evidence = {};
}

void SlowRankTest::save(ByteEncoder& out) const {
    out.real(m_products);
    out.real(m_squares);
    out.integer(m_seen);
    out.integer(m_newestStepNs);
    for (const TestedRank& r : m_ranks) {
        for (const double v : {r.lateness, r.level, r.usual, r.stepNoise, r.slowNoise, r.size, r.recovery})
            out.real(v);
        for (const SlownessEvidence& e : r.evidence) {
            out.real(e.nats);
            out.integer(e.steps);
        }
    }
}

bool SlowRankTest::load(ByteDecoder& in) {
    const auto within = [&in](double least, double most) {
        const double v = in.real();
        if (!(v >= least && v <= most)) // NaN fails too
            in.fail();
        return v;
    };
    constexpr double kAny = 1e12;
    m_products = within(-kAny, kAny);
    m_squares = within(kPriorSquares / 2, kAny);
    m_seen = std::clamp<std::int64_t>(in.integer(), 0, kLastStep);
    m_newestStepNs = clampDuration(in.integer());
    for (TestedRank& r : m_ranks) {
        for (double* v : {&r.lateness, &r.level, &r.usual})
            *v = within(-1, 1);
        for (double* v : {&r.stepNoise, &r.slowNoise})
            *v = within(0, kAny);
        r.size = within(0, 1);
        r.recovery = within(0, kRecoveredNats);
        for (SlownessEvidence& e : r.evidence) {
            e.nats = within(0, kMostEvidence);
            e.steps = static_cast<int>(std::clamp<std::int64_t>(in.integer(), 0, kMostSuspectSteps));
        }
        if (!in.ok())
            return false;
    }
    return in.ok();
}

} // namespace rankscope::diagnosis
