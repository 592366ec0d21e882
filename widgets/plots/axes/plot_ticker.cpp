// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/plots/axes/plot_ticker.h"

#include "widgets/models/text/text_format.h"
#include "widgets/plots/axes/ticks.h"

#include <cmath>

namespace rankscope::ui {

void PlotTicker::generate(const QCPRange& range, const QLocale&, QChar, int, QVector<double>& ticks,
                          QVector<double>* subTicks, QVector<QString>* tickLabels) {
    const double lo = range.lower * m_factor, hi = range.upper * m_factor;
    const Ticks nice = m_kind == TickKind::Log    ? logTicks(lo, hi, m_most)
                       : m_kind == TickKind::Time ? timeTicks(lo, hi, m_most)
                                                  : niceTicks(lo, hi, m_most, m_kind == TickKind::Whole);
    ticks.clear();
    if (subTicks)
        subTicks->clear();
    if (tickLabels)
        tickLabels->clear();
    const auto label = [&](double at) {
        if (m_ownUnits)
            return durationText(std::llround(at / m_factor * 1e9));
        return m_kind == TickKind::Time ? timeLabel(at, hi) : tickLabel(at, nice.step);
    };
    for (const double at : nice.at) {
        ticks.append(at / m_factor);
        if (tickLabels)
            tickLabels->append(label(at));
    }
}

} // namespace rankscope::ui
