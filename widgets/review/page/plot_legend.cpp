// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/review/page/plot_legend.h"

#include "widgets/plots/plot/rank_plot.h"
#include "widgets/review/page/plot_stack.h"

namespace rankscope::ui {

PlotSigns signsOf(const QList<RankPlot*>& plots) {
    PlotSigns all{};
    for (const RankPlot* plot : plots) {
        const PlotSigns signs = plot->signs();
        for (std::size_t i = 0; i < all.size(); ++i)
            all[i] |= signs[i];
    }
    return all;
}

PlotLegend::PlotLegend(const PlotStack* stack) {
    setObjectName(QStringLiteral("plotLegend"));
    const auto refresh = [this, stack] { setSigns(signsOf(stack->plots())); };
    connect(stack, &PlotStack::changed, this, refresh);
    connect(stack, &PlotStack::added, this,
            [this, refresh](const RankPlot* plot) { connect(plot, &QCustomPlot::afterReplot, this, refresh); });
}

void PlotLegend::setSigns(const PlotSigns& signs) {
    if (signs == m_signs)
        return;
    m_signs = signs;
    entriesChanged();
}

QList<SignLegend::LegendEntry> PlotLegend::entries() const {
    QList<LegendEntry> entries;
    for (std::size_t i = 0; i < m_signs.size(); ++i)
        if (m_signs[i]) {
            const auto sign = static_cast<PlotSign>(i);
            entries.append(LegendEntry{plotSignText(sign), [sign](QPainter& painter, const QRect& square) {
                                           drawPlotSign(painter, QRectF(square), sign);
                                       }});
        }
    return entries;
}

} // namespace rankscope::ui
