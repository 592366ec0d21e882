// SPDX-License-Identifier: Apache-2.0
#include "core/store/figures/range_figures.h"

#include "core/store/read/step_columns.h"

#include <algorithm>
#include <cmath>

namespace rankscope::store {

namespace {

/// Sums of a few thousand steps at once, so that reading a long range can be cancelled.
constexpr std::string_view kSums =
    "SELECT count(*), max(step), count(loss), total(loss), min(loss), max(loss), count(step_ns), total(step_ns), "
    "max(frames_max), total(CASE WHEN padding_share<1 THEN frames_mean*batch_size END), "
    "total(CASE WHEN padding_share<1 THEN frames_mean*batch_size/(1-padding_share) END) "
    "FROM (SELECT * FROM step WHERE rank=?1 AND step>=?2 AND step<=?3 AND complete ORDER BY step LIMIT 16384)";

/// What is summed up of one rank before the means are known.
struct Sums {
    std::int64_t losses = 0, times = 0;
    double loss = 0, stepNs = 0, frames = 0, paddedFrames = 0;
};

void add(const Statement& row, RankFigures& figures, Sums& sums) {
    figures.steps += row.integer(0);
    sums.losses += row.integer(2);
    sums.loss += row.real(3);
    figures.leastLoss = std::fmin(figures.leastLoss, row.number(4)); // fmin and fmax ignore NaN
    figures.mostLoss = std::fmax(figures.mostLoss, row.number(5));
    sums.times += row.integer(6);
    sums.stepNs += row.real(7);
    figures.longestFrames = std::fmax(figures.longestFrames, row.number(8));
    sums.frames += row.real(9);
    sums.paddedFrames += row.real(10);
}

Result<RankFigures> figuresOf(OpenStore& store, int rank, StepInterval steps, const std::function<bool()>& cancelled) {
    RankFigures figures;
    figures.rank = rank;
    Sums sums;
    RS_TRY_ASSIGN(auto* rows, store.statement(kSums));
    for (std::int64_t next = steps.first; next <= steps.last;) {
        RS_TRY(checkCancelled(cancelled));
        std::int64_t last = -1;
        RS_TRY(forEach(rows->bind(1, rank).bind(2, next).bind(3, steps.last), [&](const Statement& row) {
            if (row.integer(0) == 0)
                return;
            last = row.integer(1);
            add(row, figures, sums);
        }));
        if (last < next) // there are no more; a damaged index may return other steps
            break;
        next = last + 1;
    }
    if (sums.losses > 0)
        figures.meanLoss = sums.loss / static_cast<double>(sums.losses);
    if (sums.times > 0)
        figures.stepNs = sums.stepNs / static_cast<double>(sums.times);
    if (sums.paddedFrames > 0)
        figures.paddingShare = 1 - sums.frames / sums.paddedFrames;
    return figures;
}

void addWaits(RangeFigures& figures) {
    const auto isRank = [&](int rank) { return rank >= 0 && rank < static_cast<int>(figures.ranks.size()); };
    for (const auto& [key, sums] : figures.waits.matrix.cells()) {
        const auto [waiter, holder] = std::pair(std::get<0>(key), std::get<1>(key));
        if (!isRank(waiter) || !isRank(holder))
            continue;
        figures.ranks[static_cast<std::size_t>(waiter)].waitedNs += sums.blockedNs;
        figures.ranks[static_cast<std::size_t>(holder)].heldNs += sums.blockedNs;
    }
}

Result<void> addIncidents(RunReader& reader, RangeFigures& figures) {
    RS_TRY_ASSIGN(const auto incidents, reader.incidents());
    for (const auto& incident : incidents) {
        if (incident.step < figures.waits.steps.first || incident.step > figures.waits.steps.last)
            continue;
        ++figures.incidents;
        for (auto& rank : figures.ranks)
            if (std::find(incident.holders.begin(), incident.holders.end(), rank.rank) != incident.holders.end())
                ++rank.incidents;
    }
    return {};
}

} // namespace

Result<RangeFigures> readRangeFigures(RunReader& reader, StepInterval steps, const std::function<bool()>& cancelled) {
    RangeFigures figures;
    RS_TRY_ASSIGN(figures.waits, reader.explainWaits(steps, cancelled));
    if (figures.waits.steps.count() == 0)
        return figures;
    for (int rank = 0; rank < figures.waits.worldSize; ++rank) {
        RS_TRY_ASSIGN(auto one, figuresOf(reader.source(), rank, figures.waits.steps, cancelled));
        figures.ranks.push_back(one);
    }
    addWaits(figures);
    RS_TRY(addIncidents(reader, figures));
    return figures;
}

} // namespace rankscope::store
