// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/plots/curves/unwatched_bands.h"

#include "widgets/theme/theme.h"

#include <algorithm>

namespace rankscope::ui {

static constexpr float kAlpha = 0.14F;

QColor UnwatchedBands::colour() {
    return withAlpha(Theme::instance().palette().secondary, kAlpha);
}

QRectF UnwatchedBands::band(const PlotRange& range) const {
    if (range.width() <= 0) // its place is not known yet
        return {};
    const QRectF inside(mParentPlot->axisRect()->rect());
    const double lo = mParentPlot->xAxis->coordToPixel(range.lo), hi = mParentPlot->xAxis->coordToPixel(range.hi);
    return QRectF(lo, inside.top(), std::max(1.0, hi - lo), inside.height()) & inside;
}

bool UnwatchedBands::isInSight() const {
    return std::ranges::any_of(ranges, [this](const PlotRange& range) { return !band(range).isEmpty(); });
}

void UnwatchedBands::draw(QCPPainter* painter) {
    painter->setFont(mParentPlot->font());
    painter->setPen(Theme::instance().palette().secondary);
    const double needed = QFontMetricsF(mParentPlot->font()).horizontalAdvance(label) + 8;
    for (const PlotRange& range : ranges) {
        const QRectF place = band(range);
        if (place.isEmpty())
            continue;
        painter->fillRect(place.toAlignedRect(), colour()); // whole pixels are filled much faster than fractions
        if (place.width() >= needed)
            painter->drawText(place.adjusted(4, 2, -4, 0), static_cast<int>(Qt::AlignTop | Qt::AlignHCenter), label);
    }
}

} // namespace rankscope::ui
