// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "widgets/controls/legend/sign_legend.h"
#include "widgets/plots/plot/plot_signs.h"

namespace rankscope::ui {

class PlotStack;
class RankPlot;

/// Returns the signs that are in sight in at least one of the plots.
PlotSigns signsOf(const QList<RankPlot*>& plots);

/// The legend of the signs in the plots above it; the ranks' lines are explained by the board.
class PlotLegend final : public SignLegend {
    Q_OBJECT
public:
    /// `stack` is another widget of the same page.
    explicit PlotLegend(const PlotStack* stack);

private:
    void setSigns(const PlotSigns& signs);
    QList<LegendEntry> entries() const override;

    PlotSigns m_signs{};
};

} // namespace rankscope::ui
