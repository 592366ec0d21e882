// SPDX-License-Identifier: GPL-3.0-or-later
// Plots of what the ranks took of their machine. It is measured by time, not by step: where it stands on an axis of
// steps is known by the run's clock, and anew with each answer that makes the clock finer.
#pragma once

#include "widgets/models/curves/resource_loader.h"
#include "widgets/plots/plot/rank_plot.h"

#include <QObject>

#include <map>

namespace rankscope::ui {

class PlotController;

class ResourcePlots final : public QObject {
    Q_OBJECT
public:
    explicit ResourcePlots(const PlotController& controller, QObject* parent = nullptr);

    void add(RankPlot* plot, store::Resource resource) { m_plots[plot] = resource; }
    void remove(RankPlot* plot) { m_plots.erase(plot); }
    /// Another run, or none: plots are empty, and what was asked for is not shown.
    void setStore(const std::filesystem::path& store);
    /// For the window that is seen, and as much beside it as the other plots have.
    void ask(int ranks, int pixels);
    void clear(); ///< points of another axis
    void place(); ///< what was read, where it stands by now and in the window's language
    bool isBusy() const { return m_loader.isBusy(); }

signals:
    void failed(const QString& problem);

private:
    void take(const ResourceReplyPtr& reply);
    Samples placed(const std::vector<store::SeriesPoint>& points, store::Resource resource) const;
    static QString nothingText(const ResourceReply::Series& series);

    const PlotController& m_controller;
    ResourceLoader m_loader;
    std::filesystem::path m_store;
    std::map<RankPlot*, store::Resource> m_plots;
    ResourceReplyPtr m_reply;
};

} // namespace rankscope::ui
