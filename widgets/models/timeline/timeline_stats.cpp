// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/models/timeline/timeline_stats.h"

#include "core/base/values/clock.h"
#include "core/base/values/result.h"
#include "widgets/models/text/text_format.h"
#include "widgets/models/timeline/duration_digest.h"
#include "widgets/models/timeline/step_set.h"

#include <map>
#include <tuple>

namespace rankscope::ui {

using store::Metric;
using telemetry::Phase;

namespace {

struct WaitMetric {
    Metric metric;
    const char* family;
};
constexpr WaitMetric kWaitMetrics[] = {
    {Metric::WaitLengthSync, "sync_max_audio_length"},
    {Metric::WaitGradient, "gradient"},
    {Metric::WaitSyncBatchNorm, "sync_batchnorm"},
    {Metric::WaitBarrier, "barrier"},
    {Metric::WaitMetrics, "metrics"},
    {Metric::WaitOther, ""},
};

class StatsBuilder {
public:
    explicit StatsBuilder(const StatsRequest& request) : m_request(request) {}

    void take(const store::PhaseRow& row) {
        m_single.add(row.step);
        add({false, row.phase, {}}, row.rank, row.beginNs, row.endNs, [&] { return std::pair(spanOf(row), ""); });
    }

    void take(const store::CollectiveRow& row) {
        m_single.add(row.step);
        if (row.waitNs > 0)
            add({true, Phase::None, row.tag.substr(0, row.tag.find(':'))}, row.rank, row.arrivedNs,
                row.arrivedNs + row.waitNs, [&] { return std::pair(spanOf(row, -1), row.tag); });
    }

    /// Adds a step of which only sums are known.
    void take(const store::StepRow& row) {
        const std::int64_t inside = insideOf(row.beginNs, row.endNs), length = row.endNs - row.beginNs;
        if (inside < 0)
            return;
        const double share = length > 0 ? static_cast<double>(inside) / static_cast<double>(length) : 1;
        const auto addSum = [&](const StatsKey& kind, Metric metric) {
            const auto value = row.value(metric);
            if (value && *value > 0) // false for NaN
                addTo(kind, row.rank, static_cast<std::int64_t>(*value * share));
        };
        for (std::size_t p = 0; p < kPhaseCount; ++p)
            if (const auto metric = store::phaseMetric(static_cast<Phase>(p)))
                addSum({false, static_cast<Phase>(p), {}}, *metric);
        for (const WaitMetric& wait : kWaitMetrics)
            addSum({true, Phase::None, wait.family}, wait.metric);
    }

    /// Returns the steps that have single spans.
    const StepSet& single() const { return m_single; }

    std::vector<StatsRow> rows(int ranks) const {
        std::vector<StatsRow> all;
        const double length = static_cast<double>(std::max<std::int64_t>(m_request.toNs - m_request.fromNs, 1));
        std::map<StatsKey, std::int64_t> sums;
        for (const auto& [key, cell] : m_cells) {
            StatsRow row = cell.longest;
            std::tie(row.wait, row.phase, row.family) = key.first;
            row.rank = key.second;
            row.count = cell.digest.count();
            row.sumNs = cell.digest.sumNs();
            row.meanNs = cell.digest.meanNs();
            row.medianNs = cell.digest.quantile(0.5);
            row.p95Ns = cell.digest.quantile(0.95);
            row.maxNs = cell.digest.maxNs();
            const double whole = row.rank == StatsRow::kAllRanks ? length * std::max(ranks, 1) : length;
            row.share = static_cast<double>(row.sumNs) / whole;
            if (row.rank == StatsRow::kAllRanks)
                sums[key.first] = row.sumNs;
            all.push_back(std::move(row));
        }
        const auto order = [&](const StatsRow& row) {
            return std::tuple(row.wait, -sums[{row.wait, row.phase, row.family}], row.phase, row.family, row.rank);
        };
        std::sort(all.begin(), all.end(), [&](const StatsRow& a, const StatsRow& b) { return order(a) < order(b); });
        return all;
    }

private:
    using StatsKey = std::tuple<bool, Phase, std::string>;
    struct StatsCell {
        DurationDigest digest;
        std::int64_t longestNs = -1;
        StatsRow longest; ///< only the fields about the longest span
    };

    std::int64_t insideOf(std::int64_t beginNs, std::int64_t endNs) const {
        return std::min(endNs, m_request.toNs) - std::max(beginNs, m_request.fromNs); // below 0: outside
    }

    /// Adds to the cell of the rank and to that of all ranks.
    std::array<StatsCell*, 2> addTo(const StatsKey& kind, int rank, std::int64_t ns) {
        const std::array<StatsCell*, 2> cells{&m_cells[{kind, rank}], &m_cells[{kind, StatsRow::kAllRanks}]};
        for (StatsCell* cell : cells)
            cell->digest.add(ns);
        return cells;
    }

    template <class SpanOf>
    void add(const StatsKey& kind, int rank, std::int64_t beginNs, std::int64_t endNs, const SpanOf& span) {
        const std::int64_t inside = insideOf(beginNs, std::max(beginNs, endNs));
        if (rank < 0 || inside < 0)
            return;
        for (StatsCell* cell : addTo(kind, rank, inside))
            if (inside > cell->longestNs) {
                cell->longestNs = inside;
                cell->longest.longestRank = rank;
                std::tie(cell->longest.longest, cell->longest.longestTag) = span();
            }
    }

    StatsRequest m_request;
    StepSet m_single;
    std::map<std::pair<StatsKey, int>, StatsCell> m_cells;
};

/// Reports progress and asks whether to continue, once per 1024 rows.
class StatsPace {
public:
    StatsPace(const std::function<bool(double)>& progress, store::StepInterval steps)
        : m_progress(progress), m_steps(steps) {}

    void begin(double from, double to) {
        m_from = from;
        m_to = to;
    }
    Result<void> at(std::int64_t step) {
        if (++m_rows % 1024 != 0 || !m_progress)
            return {};
        const double share = static_cast<double>(std::clamp(step, m_steps.first, m_steps.last) - m_steps.first) /
                             static_cast<double>(std::max<std::int64_t>(m_steps.count(), 1));
        return m_progress(m_from + (m_to - m_from) * share) ? Result<void>{} : fail(Errc::Busy, "was cancelled");
    }

private:
    const std::function<bool(double)>& m_progress;
    store::StepInterval m_steps;
    double m_from = 0, m_to = 1;
    std::int64_t m_rows = 0;
};

/// Adds the sums of the steps in these intervals; returns the largest number of steps of any rank.
Result<std::int64_t> takeSummed(store::RunReader& run, const std::vector<store::StepInterval>& summed,
                                StatsBuilder& builder, StatsPace& pace) {
    RS_TRY_ASSIGN(const auto ranks, run.ranks());
    std::int64_t most = 0;
    for (std::size_t r = 0; r < ranks.size(); ++r) {
        const double each = 0.3 / static_cast<double>(ranks.size());
        pace.begin(0.7 + each * static_cast<double>(r), 0.7 + each * static_cast<double>(r + 1));
        std::int64_t steps = 0;
        for (const auto& part : summed)
            RS_TRY(run.eachStep(ranks[r].rank, part, [&](const store::StepRow& row) {
                builder.take(row);
                ++steps;
                return pace.at(row.step);
            }));
        most = std::max(most, steps);
    }
    return most;
}

} // namespace

Result<TimelineStats> readStats(store::RunReader& run, const StatsRequest& request,
                                const std::function<bool(double)>& progress) {
    TimelineStats stats;
    stats.request = request;
    stats.ranks = std::max(run.meta().worldSize, 1);
    RS_TRY_ASSIGN(const auto steps, run.stepsBetween(request.fromNs, request.toNs));
    RS_TRY_ASSIGN(const auto around, stepsAround(run, request.fromNs, request.toNs));
    StatsBuilder builder(request);
    StatsPace pace(progress, around);
    const auto take = [&](const auto& row) {
        builder.take(row);
        return pace.at(row.step);
    };
    pace.begin(0, 0.35);
    RS_TRY(run.eachPhase(around, take));
    pace.begin(0.35, 0.7);
    RS_TRY(run.eachCollective(around, take));
    if (const auto summed = builder.single().gaps(steps); !summed.empty()) {
        RS_TRY_ASSIGN(stats.summedSteps, takeSummed(run, summed, builder, pace));
    }
    stats.steps = builder.single().count(steps) + stats.summedSteps;
    stats.rows = builder.rows(stats.ranks);
    return stats;
}

TimelineStatsPtr loadStats(const StatsRequest& request, const std::function<bool()>& cancelled,
                           const std::function<void(double)>& progress) {
    constexpr std::int64_t kProgressNs = 50'000'000;
    std::int64_t told = monotonicNs();
    const auto tell = [&](double share) {
        if (const std::int64_t now = monotonicNs(); now - told > kProgressNs) {
            told = now;
            progress(share);
        }
        return !cancelled();
    };
    auto stats = std::make_shared<TimelineStats>();
    const auto read = [&]() -> Result<void> {
        RS_TRY_ASSIGN(auto reader, store::RunReader::open(request.store));
        RS_TRY_ASSIGN(*stats, readStats(reader, request, tell));
        return {};
    };
    if (const auto done = read(); !done) {
        stats->request = request;
        stats->error = toQString(done.error().message());
    }
    return stats;
}

} // namespace rankscope::ui
