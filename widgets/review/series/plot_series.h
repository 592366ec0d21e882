// SPDX-License-Identifier: GPL-3.0-or-later
// The series of a plot on the review page: one of the store's metrics, a series of an imported run, or a machine
// resource that the ranks used.
#pragma once

#include "core/store/report/resource_reader.h"
#include "core/store/tables/metrics.h"
#include "widgets/plots/plot/plot_spec.h"

#include <QString>

#include <optional>

namespace rankscope::ui {

struct PlotSeries {
    store::Metric metric = store::Metric::Loss;
    QString tag;                               ///< not empty: tag of an import, and `metric` is ignored
    std::optional<store::Resource> resource{}; ///< if set, `metric` is ignored

    bool isTag() const { return !tag.isEmpty(); }
    bool isMetric() const { return !isTag() && !resource; }
    bool isLoss() const { return isMetric() && metric == store::Metric::Loss; }
    static PlotSeries of(store::Resource resource) { return {store::Metric::Loss, {}, resource}; }
    /// Returns its name in layouts: the column, "tag:" and the tag, or "resource:" and the resource's name.
    QString key() const;
    static std::optional<PlotSeries> fromKey(const QString& key);
    QString title() const; ///< in the window's language
    /// Returns the fixed unit in the window's language; empty for durations and if the unit is not known.
    /// `lossIsInNats`: as RunInfo's.
    QString unit(bool lossIsInNats) const;
    PlotSpec spec() const; ///< the loss has no unit in it
    double scale() const { return isMetric() ? store::info(metric).scale : resource ? scaleOf(*resource) : 1; }
    static double scaleOf(store::Resource resource); ///< stored x scale = shown
    friend bool operator==(const PlotSeries&, const PlotSeries&) = default;
};

/// The heading of a metric in menus: curves, lengths, waits, times.
enum class SeriesGroup { Training, Batches, Waits, Times };
SeriesGroup groupOf(store::Metric metric);
QString groupTitle(SeriesGroup group);
QString resourcesTitle(); ///< heading of the resources that the ranks used

} // namespace rankscope::ui
