// SPDX-License-Identifier: GPL-3.0-or-later
// What a plot of the review page shows: one of the store's metrics, or a series of an imported run.
#pragma once

#include "core/store/metrics.h"
#include "widgets/plots/plot_spec.h"

#include <QString>

#include <optional>

namespace rankscope::ui {

struct PlotSeries {
    store::Metric metric = store::Metric::Loss;
    QString tag; ///< not empty: of an import, and `metric` says nothing

    bool isTag() const { return !tag.isEmpty(); }
    /// As layouts name it: the column, or "tag:" and the tag.
    QString key() const;
    static std::optional<PlotSeries> fromKey(const QString& key);
    QString title() const; ///< in the window's language
    PlotSpec spec() const;
    double scale() const { return isTag() ? 1 : store::info(metric).scale; }
    friend bool operator==(const PlotSeries&, const PlotSeries&) = default;
};

/// Under which heading a metric stands in a menu: curves, lengths, waits, times.
enum class SeriesGroup { Training, Batches, Waits, Times };
SeriesGroup groupOf(store::Metric metric);
QString groupTitle(SeriesGroup group);

} // namespace rankscope::ui
