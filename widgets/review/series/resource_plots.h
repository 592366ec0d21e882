// SPDX-License-Identifier: GPL-3.0-or-later
// Plots of the machine resources that the ranks used. They are measured by time, not by step: the run's clock gives
// their places on an axis of steps, which change with each answer that makes the clock finer.
#pragma once

#include "widgets/models/curves/resource_loader.h"
#include "widgets/plots/plot/rank_plot.h"

#include <QObject>

#include <map>

namespace rankscope::ui {

class SharedAxisController;

class ResourcePlots final : public QObject {
    Q_OBJECT
public:
    explicit ResourcePlots(const SharedAxisController& controller, QObject* parent = nullptr);

    void add(RankPlot* plot, store::Resource resource) { m_plots[plot] = resource; }
    void remove(RankPlot* plot) { m_plots.erase(plot); }
    /// Sets another run, or none: empties the plots and drops pending requests.
    void setStore(const std::filesystem::path& store);
    /// Requests the visible window, and as much on either side as the other plots have.
    void ask(int ranks, int pixels);
    void clear(); ///< removes points of another axis
    void place(); ///< updates places and language of what was read
    bool isBusy() const { return m_loader.isBusy(); }

signals:
    void failed(const QString& problem);

private:
    void take(const ResourceReplyPtr& reply);
    Samples placed(const std::vector<store::SeriesPoint>& points, store::Resource resource) const;
    static QString nothingText(const ResourceReply::ResourceSeries& series);

    const SharedAxisController& m_controller;
    ResourceLoader m_loader;
    std::filesystem::path m_store;
    std::map<RankPlot*, store::Resource> m_plots;
    ResourceReplyPtr m_reply;
};

} // namespace rankscope::ui
