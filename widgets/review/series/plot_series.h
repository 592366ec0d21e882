// SPDX-License-Identifier: GPL-3.0-or-later
// What a plot of the review page shows: one of the store's metrics, a series of an imported run, or what the ranks took
// of their machine.
#pragma once

#include "core/store/report/resource_reader.h"
#include "core/store/tables/metrics.h"
#include "widgets/plots/plot/plot_spec.h"

#include <QString>

#include <optional>

namespace rankscope::ui {

struct PlotSeries {
    store::Metric metric = store::Metric::Loss;
    QString tag;                               ///< not empty: of an import, and `metric` says nothing
    std::optional<store::Resource> resource{}; ///< there: `metric` says nothing

    bool isTag() const { return !tag.isEmpty(); }
    bool isMetric() const { return !isTag() && !resource; }
    static PlotSeries of(store::Resource resource) { return {store::Metric::Loss, {}, resource}; }
    /// As layouts name it: the column, "tag:" and the tag, or "resource:" and its name.
    QString key() const;
    static std::optional<PlotSeries> fromKey(const QString& key);
    QString title() const; ///< in the window's language
    PlotSpec spec() const;
    double scale() const { return isMetric() ? store::info(metric).scale : resource ? scaleOf(*resource) : 1; }
    static double scaleOf(store::Resource resource); ///< stored x scale = shown
    friend bool operator==(const PlotSeries&, const PlotSeries&) = default;
};

/// Under which heading a metric stands in a menu: curves, lengths, waits, times.
enum class SeriesGroup { Training, Batches, Waits, Times };
SeriesGroup groupOf(store::Metric metric);
QString groupTitle(SeriesGroup group);
QString resourcesTitle(); ///< above what the ranks took of their machine

} // namespace rankscope::ui
