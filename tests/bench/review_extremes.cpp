// SPDX-License-Identifier: Apache-2.0
// Checks that no extreme is lost: compares each bucket of the store's pyramid, and each point that the plots draw at
// each zoom, with all raw rows, read one by one.
#include "core/store/read/run_reader.h"
#include "core/store/tables/pyramid.h"
#include "tests/bench/review_parts.h"
#include "tests/bench/review_watch.h"

#include <fmt/format.h>

#include <array>
#include <cmath>
#include <limits>

namespace rankscope::bench {

using store::Metric;

namespace {

constexpr std::array kMetrics{Metric::Loss, Metric::FramesMax, Metric::WaitTotal};

/// Every value of three metrics, by rank and step; NaN: not finite.
struct Raw {
    std::array<std::vector<std::vector<double>>, kMetrics.size()> values;

    struct Extremes {
        std::int64_t count = 0, notFinite = 0;
        double min = std::numeric_limits<double>::infinity(), max = -std::numeric_limits<double>::infinity();
    };
    Extremes over(std::size_t metric, int rank, std::int64_t first, std::int64_t last) const {
        Extremes e;
        const auto& series = values[metric][static_cast<std::size_t>(rank)];
        for (std::int64_t s = first; s <= last && s < static_cast<std::int64_t>(series.size()); ++s) {
            const double v = series[static_cast<std::size_t>(s)];
            ++(std::isfinite(v) ? e.count : e.notFinite);
            if (std::isfinite(v)) {
                e.min = std::min(e.min, v);
                e.max = std::max(e.max, v);
            }
        }
        return e;
    }
};

Result<Raw> readRaw(store::RunReader& reader, int ranks) {
    Raw raw;
    for (int rank = 0; rank < ranks; ++rank) {
        for (auto& metric : raw.values)
            metric.emplace_back();
        RS_TRY(reader.eachStep(rank, {0, INT64_MAX}, [&](const store::StepRow& row) -> Result<void> {
            for (std::size_t m = 0; m < kMetrics.size(); ++m) {
                auto& series = raw.values[m].back();
                if (row.step != static_cast<std::int64_t>(series.size()))
                    return fail(Errc::Malformed, fmt::format("rank {} has no step {}", rank, series.size()));
                series.push_back(row.value(kMetrics[m]).value_or(std::numeric_limits<double>::quiet_NaN()));
            }
            return {};
        }));
    }
    return raw;
}

/// Returns the number of buckets that do not match the rows; prints each of them.
std::int64_t wrongBuckets(const store::Database& db, const Raw& raw, int ranks, std::int64_t steps,
                          std::int64_t& checked) {
    auto rows = db.prepare("SELECT bucket, count, not_finite, min, max FROM pyramid WHERE rank=?1 AND metric=?2 AND "
                           "level=?3 ORDER BY bucket");
    if (!rows)
        return fmt::print("{}\n", rows.error().message()), 1;
    std::int64_t wrong = 0;
    for (int level = 1; level <= store::kTopLevel && store::bucketSteps(level) <= steps; ++level)
        for (std::size_t m = 0; m < kMetrics.size(); ++m)
            for (int rank = 0; rank < ranks; ++rank) {
                rows->reset();
                rows->bind(1, rank).bind(2, static_cast<int>(kMetrics[m])).bind(3, level);
                std::int64_t next = 0;
                for (auto row = rows->step(); row && *row; row = rows->step(), ++next, ++checked) {
                    const std::int64_t first = next * store::bucketSteps(level);
                    const auto truth = raw.over(m, rank, first, first + store::bucketSteps(level) - 1);
                    const bool same = rows->integer(0) == next && rows->integer(1) == truth.count &&
                                      rows->integer(2) == truth.notFinite &&
                                      (truth.count == 0 || (rows->real(3) == truth.min && rows->real(4) == truth.max));
                    if (!same && ++wrong <= 5)
                        fmt::print("  level {}, bucket {}, rank {}, {}: not what its rows say\n", level, next, rank,
                                   store::info(kMetrics[m]).column);
                }
                if (next != steps / store::bucketSteps(level)) {
                    ++wrong;
                    fmt::print("  level {}, rank {}: {} buckets\n", level, rank, next);
                }
            }
    return wrong;
}

/// Largest and smallest value drawn in each pixel column.
struct Columns {
    std::vector<double> low, high;

    explicit Columns(int width)
        : low(static_cast<std::size_t>(width) + 3, std::numeric_limits<double>::infinity()),
          high(static_cast<std::size_t>(width) + 3, -std::numeric_limits<double>::infinity()) {}
    void take(const QCPGraph* graph, const QCPAxis& axis) {
        for (int i = 0; i < graph->dataCount(); ++i) {
            const double v = graph->dataMainValue(i);
            const auto at = std::floor(axis.coordToPixel(graph->dataMainKey(i)) - axis.axisRect()->left()) + 1;
            if (!std::isfinite(v) || at < 0 || at >= static_cast<double>(low.size()))
                continue;
            auto& l = low[static_cast<std::size_t>(at)];
            auto& h = high[static_cast<std::size_t>(at)];
            l = std::min(l, v);
            h = std::max(h, v);
        }
    }
    /// Whether both values are drawn within one pixel of where they belong.
    bool draws(double pixel, double min, double max) const {
        const auto at = static_cast<std::ptrdiff_t>(std::floor(pixel)) + 1;
        bool lowSeen = false, highSeen = false;
        for (std::ptrdiff_t i = std::max<std::ptrdiff_t>(at - 1, 0);
             i <= at + 1 && i < static_cast<std::ptrdiff_t>(low.size()); ++i) {
            lowSeen = lowSeen || low[static_cast<std::size_t>(i)] <= min;
            highSeen = highSeen || high[static_cast<std::size_t>(i)] >= max;
        }
        return lowSeen && highSeen;
    }
};

/// Returns, for one window as drawn, the number of points that do not match the rows, steps without a point and
/// extremes that are not drawn.
std::int64_t wrongPoints(const QList<ui::RankPlot*>& plots, const Raw& raw, std::int64_t steps, std::int64_t& checked) {
    std::int64_t wrong = 0;
    for (std::size_t m = 0; m < kMetrics.size(); ++m) {
        const ui::RankPlot& plot = *plots[static_cast<int>(m)];
        const double scale = store::info(kMetrics[m]).scale;
        const QCPRange range = plot.xAxis->range();
        for (std::size_t rank = 0; rank < plot.series().size(); ++rank) {
            const auto& samples = plot.series()[rank];
            Columns columns(plot.axisRect()->width());
            const auto& curves = *plot.curves(static_cast<int>(rank));
            columns.take(curves.line(), *plot.xAxis);
            columns.take(curves.envelope(), *plot.xAxis);
            auto next = samples.empty() ? INT64_MAX : samples.front().firstStep;
            bool good = static_cast<double>(next) <= std::max(0.0, range.lower + 0.5);
            for (const auto& s : samples) {
                const auto truth = raw.over(m, static_cast<int>(rank), s.firstStep, s.lastStep);
                good = good && s.firstStep == next && s.count == truth.count && s.notFinite == truth.notFinite &&
                       (truth.count == 0 || (s.min == truth.min * scale && s.max == truth.max * scale));
                next = s.lastStep + 1;
                ++checked;
                if (range.contains(s.x) && truth.count > 0)
                    good = good && columns.draws(plot.xAxis->coordToPixel(s.x) - plot.axisRect()->left(), s.min, s.max);
            }
            good = good && static_cast<double>(next) >= std::min(static_cast<double>(steps), range.upper);
            if (!good && ++wrong == 1)
                fmt::print("  {} of rank {}: {} samples\n", plot.objectName().toStdString(), rank, samples.size());
        }
    }
    return wrong;
}

} // namespace

int proveExtremes(int& argc, char** argv, const std::filesystem::path& run, const Arguments& a) {
    const int ranks = static_cast<int>(a.at("--ranks"));
    const std::int64_t steps = a.at("--steps");
    auto reader = store::RunReader::open(run / "run.sqlite");
    auto db = store::Database::open(run / "run.sqlite", store::OpenMode::ReadOnly);
    if (!reader || !db)
        return fmt::print(stderr, "{}\n", (reader ? db.error() : reader.error()).message()), 1;
    const auto raw = readRaw(*reader, ranks);
    if (!raw)
        return fmt::print(stderr, "{}\n", raw.error().message()), 1;
    std::int64_t buckets = 0, points = 0, wrong = 0, windows = 0;
    const std::int64_t wrongOnes = wrongBuckets(*db, *raw, ranks, steps, buckets);
    fmt::print("extremes kept: {} of {} buckets of the pyramid are what their rows say\n", buckets - wrongOnes,
               buckets);
    PaintWatch app(argc, argv);
    ReviewWindow w(app, run);
    (void)w.untilComplete();
    for (std::int64_t width = steps; width >= 4; width /= 2)
        for (const double where : {0.0, 0.37, 0.5, 0.81, 1.0}) {
            const auto first = static_cast<std::int64_t>(where * static_cast<double>(steps - width));
            w.page->showSteps(first, first + width - 1);
            (void)w.untilComplete();
            const std::int64_t here = wrongPoints(app.plots(), *raw, steps, points);
            if (here && wrong < 5)
                fmt::print("  steps {} to {}: {} curves are not what their rows say\n", first, first + width - 1, here);
            wrong += here;
            ++windows;
        }
    fmt::print("               {} points in {} windows of every zoom, {} curves wrong\n", points, windows, wrong);
    return wrongOnes + wrong > 0 || points == 0 || (buckets == 0 && steps >= store::kFanOut) ? 1 : 0;
}

} // namespace rankscope::bench
