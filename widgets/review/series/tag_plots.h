// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "widgets/models/run/plot_extras_loader.h"
#include "widgets/models/view/run_view.h"
#include "widgets/plots/plot/rank_plot.h"

#include <QObject>

#include <map>

namespace rankscope::ui {

class SharedAxisController;
struct SeriesRequest;

/// Plots of an imported run's own series, which are identified by a tag and recorded at steps.
class TagPlots final : public QObject {
    Q_OBJECT
public:
    /// Both must outlive this object.
    TagPlots(const SharedAxisController& controller, PlotExtras& loader);

    void add(RankPlot* plot, const QString& tag) { m_plots[plot] = tag.toStdString(); }
    void remove(RankPlot* plot) { m_plots.erase(plot); }
    /// Reads the series in the same window as `window`.
    void ask(const SeriesRequest& window, int ranks, int pixels);

signals:
    void failed(const QString& problem);

private:
    void take(const TagReply& reply);

    const SharedAxisController& m_controller;
    PlotExtras& m_loader;
    std::map<RankPlot*, std::string> m_plots; ///< tag by plot
};

} // namespace rankscope::ui
