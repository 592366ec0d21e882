// SPDX-License-Identifier: Apache-2.0
#include "core/store/read/step_columns.h"

#include "core/store/tables/pyramid.h"
#include "core/store/waits/wait_joiner.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <map>
#include <set>
#include <tuple>

namespace rankscope::store {

using diagnosis::kPhaseCount;
using telemetry::Phase;

namespace {

constexpr std::int64_t kRowsAtOnce = 16'384, kFewestSteps = 64; ///< of a chunk
constexpr std::size_t kRankedPairs = 2'000'000;                 ///< kept for the correlations of all ranks together
constexpr double kNone = std::numeric_limits<double>::quiet_NaN();

/// One step of one rank.
struct Columns {
    bool there = false;
    std::int64_t beginNs = 0, endNs = 0;
    double framesMax = kNone, paddedFrames = kNone, waitNs = kNone, gradientWaitNs = 0, exposedNs = kNone;
    std::array<double, kPhaseCount> ownNs{}; ///< by phase, without the time blocked in collectives

    /// Returns the part of the gradient waits that can have blocked: all blocked time minus the other waits.
    double blockedGradientNs() const {
        const double others = waitNs - gradientWaitNs;
        return std::isfinite(exposedNs) ? std::clamp(exposedNs - others, 0.0, gradientWaitNs) : gradientWaitNs;
    }
};

std::string columnsQuery() {
    std::string sql = "SELECT step, begin_ns, end_ns, frames_max, frames_mean*batch_size, padding_share, wait_ns, "
                      "wait_gradient_ns, wait_length_sync_ns, exposed_wait_ns";
    for (std::size_t phase = 0; phase < kPhaseCount; ++phase)
        if (const auto metric = phaseMetric(static_cast<Phase>(phase)))
            sql += fmt::format(", {}", info(*metric).column);
    return sql + " FROM step WHERE rank=?1 AND step>=?2 AND step<?3";
}

double orZero(double value) {
    return std::isfinite(value) ? value : 0;
}

Columns columnsOf(const Statement& row) {
    Columns c;
    c.there = true;
    c.beginNs = timeOf(row, 1);
    c.endNs = timeOf(row, 2);
    c.framesMax = row.number(3);
    c.paddedFrames = row.number(4) / (1 - row.number(5)); // padding_share = 1 - frames / padded frames
    c.waitNs = row.number(6);
    c.gradientWaitNs = orZero(row.number(7));
    c.exposedNs = row.number(9);
    const double lengthSyncNs = orZero(row.number(8)), restNs = std::max(orZero(c.exposedNs) - lengthSyncNs, 0.0);
    int column = 10;
    for (std::size_t p = 0; p < kPhaseCount; ++p) {
        const auto phase = static_cast<Phase>(p);
        const double blocked = phase == Phase::Forward ? lengthSyncNs : phase == Phase::Backward ? restNs : 0;
        if (phaseMetric(phase))
            c.ownNs[p] = std::max(orZero(row.number(column++)) - blocked, 0.0);
    }
    return c;
}

const Columns kMissing;

/// Rows of steps [first, first + count) of all ranks.
struct StepChunk {
    std::int64_t first = 0, count = 0;
    std::vector<std::vector<Columns>> ranks; ///< by rank, step - first; empty: it has none of these steps

    const Columns& at(std::size_t rank, std::int64_t step) const {
        return ranks[rank].empty() ? kMissing : ranks[rank][static_cast<std::size_t>(step - first)];
    }
    bool empty() const {
        return std::all_of(ranks.begin(), ranks.end(), [](const auto& columns) { return columns.empty(); });
    }
};

Result<StepChunk> readChunk(OpenStore& store, std::int64_t first, std::int64_t count, int worldSize) {
    RS_TRY_ASSIGN(auto* rows, store.statement(columnsQuery()));
    StepChunk chunk{first, count, {}};
    for (int rank = 0; rank < worldSize; ++rank) {
        auto& columns = chunk.ranks.emplace_back();
        rows->bind(1, rank).bind(2, first).bind(3, first + count);
        RS_TRY(forEach(*rows, [&](const Statement& row) {
            const std::int64_t step = row.integer(0); // a damaged index may return other steps
            if (step < first || step >= first + count)
                return;
            columns.resize(static_cast<std::size_t>(count));
            columns[static_cast<std::size_t>(step - first)] = columnsOf(row);
        }));
    }
    return chunk;
}

/// Returns the first step at or after `from` that a rank has or whose bucket has stored waits; above kMaxStep: none.
Result<std::int64_t> nextStep(OpenStore& store, std::int64_t from, int worldSize) {
    RS_TRY_ASSIGN(auto* steps,
                  store.statement("SELECT step FROM step WHERE rank=?1 AND step>=?2 ORDER BY step LIMIT 1"));
    RS_TRY_ASSIGN(auto* pairs,
                  store.statement("SELECT bucket FROM wait_pair WHERE level=1 AND bucket>=?1 ORDER BY bucket LIMIT 1"));
    std::int64_t next = kMaxStep + 1;
    for (int rank = 0; rank < worldSize; ++rank)
        RS_TRY(forEach(steps->bind(1, rank).bind(2, from), [&](const Statement& row) {
            next = std::min(next, std::max(row.integer(0), from)); // a damaged index may return other steps
        }));
    RS_TRY(forEach(pairs->bind(1, from / kFanOut), [&](const Statement& row) {
        next = std::min(next, std::max(std::clamp<std::int64_t>(row.integer(0), 0, kMaxStep) * kFanOut, from));
    }));
    return next;
}

class LengthStatistics {
public:
    explicit LengthStatistics(int worldSize) {
        const std::size_t each = kRankedPairs / static_cast<std::size_t>(std::max(2 * worldSize, 1));
        const diagnosis::Correlator empty(std::clamp<std::size_t>(each, 100, 20'000));
        for (int r = 0; r < worldSize && worldSize > 1; ++r)
            m_ranks.emplace_back(empty, empty);
    }
    void take(const StepChunk& chunk, std::int64_t step) {
        Columns sums{true, 0, 0, 0, 0, 0};
        for (std::size_t r = 0; r < m_ranks.size(); ++r) {
            const Columns& c = chunk.at(r, step);
            sums.framesMax += c.framesMax; // NaN: one of them has none
            sums.paddedFrames += c.paddedFrames;
            sums.waitNs += c.waitNs;
        }
        const double others = static_cast<double>(m_ranks.size()) - 1;
        for (std::size_t r = 0; r < m_ranks.size(); ++r) {
            const Columns& c = chunk.at(r, step);
            const double late = (sums.waitNs - c.waitNs) / others - c.waitNs;
            m_ranks[r].first.add(c.framesMax - (sums.framesMax - c.framesMax) / others, late);
            m_ranks[r].second.add(c.paddedFrames - (sums.paddedFrames - c.paddedFrames) / others, late);
        }
    }
    std::vector<LengthCorrelation> result() const {
        std::vector<LengthCorrelation> all;
        for (std::size_t r = 0; r < m_ranks.size(); ++r)
            all.push_back({static_cast<int>(r), m_ranks[r].first.result(), m_ranks[r].second.result()});
        return all;
    }

private:
    std::vector<std::pair<diagnosis::Correlator, diagnosis::Correlator>> m_ranks; ///< frames max, padded frames
};

using PairKey16 = std::tuple<int, int, std::string>; ///< waiter, holder, family

/// Waits of a bucket of 16 steps whose single collectives were removed.
struct Thinned {
    std::map<PairKey16, PairSum> pairs;
    std::set<std::int64_t> singleSteps;
};

Result<void> addPairs(Statement& rows, int worldSize, std::int64_t sign, Thinned& thinned) {
    return forEach(rows, [&](const Statement& row) {
        const std::int64_t waiter = row.integer(0), holder = row.integer(1);
        if (waiter < 0 || waiter >= worldSize || holder < 0 || holder >= worldSize)
            return;
        PairSum& sum =
            thinned.pairs[{static_cast<int>(waiter), static_cast<int>(holder), std::string(tagFamily(row.text(2)))}];
        sum.waitNs = std::clamp(sum.waitNs + sign * timeOf(row, 3), -kMostNs, kMostNs);
        sum.collectives += sign * stepIn(row, 4);
    });
}

Result<Thinned> readThinned(OpenStore& store, std::int64_t bucket, int worldSize) {
    RS_TRY_ASSIGN(auto* sums, store.statement("SELECT waiter, holder, tag, wait_ns, collectives FROM wait_pair WHERE "
                                              "level=1 AND bucket=?1"));
    RS_TRY_ASSIGN(auto* single, // of the steps whose collectives are kept
                  store.statement("SELECT waiter, holder, tag, wait_ns, collectives FROM wait_pair WHERE level=0 AND "
                                  "bucket>=?1 AND bucket<?2"));
    RS_TRY_ASSIGN(auto* steps, store.statement("SELECT DISTINCT step FROM collective WHERE step>=?1 AND step<?2"));
    const std::int64_t first = bucket * kFanOut;
    sums->bind(1, bucket);
    single->bind(1, first).bind(2, first + kFanOut);
    steps->bind(1, first).bind(2, first + kFanOut);
    Thinned thinned;
    RS_TRY(addPairs(*sums, worldSize, 1, thinned));
    RS_TRY(addPairs(*single, worldSize, -1, thinned));
    RS_TRY(forEach(*steps, [&](const Statement& row) { thinned.singleSteps.insert(row.integer(0)); }));
    return thinned;
}

/// Returns by phase how much longer the holder took than the waiter, over the bucket's thinned steps.
std::array<double, kPhaseCount> excess(const StepChunk& chunk, std::int64_t bucket, const Thinned& thinned, int waiter,
                                       int holder) {
    std::array<double, kPhaseCount> weights{};
    for (std::int64_t step = bucket * kFanOut; step < (bucket + 1) * kFanOut; ++step) {
        if (thinned.singleSteps.contains(step))
            continue;
        const Columns& mine = chunk.at(static_cast<std::size_t>(waiter), step);
        const Columns& theirs = chunk.at(static_cast<std::size_t>(holder), step);
        for (std::size_t p = 0; p < kPhaseCount && mine.there && theirs.there; ++p)
            weights[p] += std::max(theirs.ownNs[p] - mine.ownNs[p], 0.0);
    }
    return weights;
}

/// Returns the share of a rank's gradient waits that blocked it, over the bucket's thinned steps.
double blockedGradientShare(const StepChunk& chunk, std::int64_t bucket, const Thinned& thinned, int waiter) {
    double waited = 0, blocked = 0;
    for (std::int64_t step = bucket * kFanOut; step < (bucket + 1) * kFanOut; ++step) {
        const Columns& c = chunk.at(static_cast<std::size_t>(waiter), step);
        if (!c.there || thinned.singleSteps.contains(step) || !std::isfinite(c.waitNs))
            continue;
        waited += c.gradientWaitNs;
        blocked += c.blockedGradientNs();
    }
    return waited > 0 ? std::clamp(blocked / waited, 0.0, 1.0) : 1;
}

void estimate(const StepChunk& chunk, std::int64_t bucket, const Thinned& thinned, diagnosis::WaitMatrix& matrix) {
    std::pair<int, int> pair{-1, -1}; // entries of the same pair of ranks are consecutive
    std::array<double, kPhaseCount> weights{};
    for (const auto& [key, sum] : thinned.pairs) {
        const auto& [waiter, holder, family] = key;
        if (sum.waitNs <= 0 && sum.collectives <= 0)
            continue;
        if (pair != std::pair(waiter, holder)) {
            pair = std::pair(waiter, holder);
            weights = excess(chunk, bucket, thinned, waiter, holder);
        }
        const double share =
            family == diagnosis::kGradientFamily ? blockedGradientShare(chunk, bucket, thinned, waiter) : 1;
        diagnosis::WaitSums sums;
        sums.waitNs = sums.estimatedNs = sum.waitNs;
        sums.blockedNs = static_cast<std::int64_t>(share * static_cast<double>(sum.waitNs));
        sums.collectives = std::max<std::int64_t>(sum.collectives, 0);
        sums.phaseNs = diagnosis::shareOut(sum.waitNs, weights);
        matrix.add(waiter, holder, family, sums);
    }
}

void spread(const StepChunk& chunk, std::int64_t step, WaitReport& report) {
    for (std::size_t rank = 0; rank < chunk.ranks.size(); ++rank) {
        const Columns& c = chunk.at(rank, step);
        if (!c.there)
            continue;
        report.beginNs = report.endNs == 0 ? c.beginNs : std::min(report.beginNs, c.beginNs);
        report.endNs = std::max(report.endNs, c.endNs);
    }
}

Result<void> addThinned(OpenStore& store, const StepChunk& chunk, std::int64_t thinned, WaitReport& report,
                        const std::function<bool()>& cancelled) {
    const std::int64_t end = (chunk.first + chunk.count) / kFanOut;
    for (std::int64_t bucket = chunk.first / kFanOut; bucket < end && bucket * kFanOut < thinned; ++bucket) {
        RS_TRY(checkCancelled(cancelled));
        RS_TRY_ASSIGN(auto rest, readThinned(store, bucket, report.worldSize));
        estimate(chunk, bucket, rest, report.matrix);
    }
    return {};
}

} // namespace

Result<void> checkCancelled(const std::function<bool()>& cancelled) {
    return cancelled && cancelled() ? fail(Errc::Busy, "was cancelled") : Result<void>{};
}

Result<std::int64_t> firstDetailedStep(OpenStore& store) {
    std::int64_t to = 0;
    RS_TRY(store.eachReadable("meta", "SELECT value FROM meta WHERE key='thinned_to'", [&](const Statement& row) {
        to = std::clamp<std::int64_t>(row.integer(0), 0, kMaxStep);
    }));
    return to;
}

Result<void> readStepColumns(OpenStore& store, WaitReport& report, const std::function<bool()>& cancelled) {
    RS_TRY_ASSIGN(auto thinned, firstDetailedStep(store));
    LengthStatistics lengths(report.worldSize);
    const std::int64_t size = std::max(kRowsAtOnce / std::max(report.worldSize, 1) / kFanOut * kFanOut, kFewestSteps);
    for (std::int64_t first = report.steps.first / kFanOut * kFanOut; first <= report.steps.last;) {
        RS_TRY(checkCancelled(cancelled));
        const std::int64_t needed = (report.steps.last / kFanOut + 1) * kFanOut - first;
        RS_TRY_ASSIGN(auto chunk, readChunk(store, first, std::min(size, needed), report.worldSize));
        const std::int64_t end = first + chunk.count;
        if (chunk.empty()) { // imported steps may be far apart
            RS_TRY_ASSIGN(const auto next, nextStep(store, first, report.worldSize));
            if (next >= end) {
                first = next / kFanOut * kFanOut;
                continue;
            }
        }
        const std::int64_t last = chunk.empty() ? -1 : std::min(end - 1, report.steps.last);
        for (std::int64_t step = std::max(first, report.steps.first); step <= last; ++step) {
            lengths.take(chunk, step);
            spread(chunk, step, report);
        }
        RS_TRY(addThinned(store, chunk, thinned, report, cancelled));
        first = end;
    }
    report.lengths = lengths.result();
    return {};
}

} // namespace rankscope::store
