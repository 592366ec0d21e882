// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/plots/axes/plot_ticker.h"

#include "widgets/models/text/text_format.h"
#include "widgets/plots/axes/ticks.h"

#include <cmath>

namespace rankscope::ui {

void PlotTicker::generate(const QCPRange& range, const QLocale& locale, QChar formatChar, int precision,
                          QVector<double>& ticks, QVector<double>* subTicks, QVector<QString>* tickLabels) {
    Q_UNUSED(locale);
    Q_UNUSED(formatChar);
    Q_UNUSED(precision);
    const double lo = range.lower * m_factor, hi = range.upper * m_factor;
    Ticks nice;
    switch (m_kind) {
    case Kind::Value:
        nice = niceTicks(lo, hi, m_most);
        break;
    case Kind::Whole:
        nice = niceTicks(lo, hi, m_most, true);
        break;
    case Kind::Log:
        nice = logTicks(lo, hi, m_most);
        break;
    case Kind::Time:
        nice = timeTicks(lo, hi, m_most);
        break;
    }
    ticks.clear();
    if (subTicks)
        subTicks->clear();
    if (tickLabels)
        tickLabels->clear();
    const auto label = [&](double at) {
        if (m_ownUnits)
            return durationText(std::llround(at / m_factor * 1e9));
        return m_kind == Kind::Time ? timeLabel(at, hi) : tickLabel(at, nice.step);
    };
    for (const double at : nice.at) {
        ticks.append(at / m_factor);
        if (tickLabels)
            tickLabels->append(label(at));
    }
}

} // namespace rankscope::ui
