// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/plots/plot/resume_marks.h"

#include "widgets/theme/theme.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace rankscope::ui {

namespace {
constexpr double kJointReach = 3;    ///< pixels on either side of a line that count as part of it
constexpr double kJointLabelTop = 2; ///< below the plot's upper edge
constexpr double kJointLabelGap = 4; ///< between a line and its label
constexpr std::size_t kJointLabelRows = 3;
} // namespace

ResumeMarksItem::ResumeMarksItem(QCustomPlot* plot) : QCPAbstractItem(plot) {}

QFont ResumeMarksItem::labelFont() const {
    QFont font = mParentPlot->font();
    font.setPointSizeF(8.5);
    return font;
}

/// Places the labels to the right of their lines, or to the left at the right edge. A label that would cover another
/// one is placed below it; without room there, it is left out.
std::vector<ResumeMarksItem::Placed> ResumeMarksItem::placed() const {
    const QRect rect = mParentPlot->axisRect()->rect();
    const QFontMetricsF metrics(labelFont());
    std::vector<Placed> all;
    std::array<double, kJointLabelRows> taken{};
    taken.fill(rect.left());
    for (const ResumeMark& joint : joints) {
        const double x = mParentPlot->xAxis->coordToPixel(joint.x);
        if (x < rect.left() || x > rect.right() + 1)
            continue;
        Placed one{&joint, x, {}};
        const QSizeF size(metrics.horizontalAdvance(joint.label) + 6, metrics.height() + 2);
        double left = x + kJointLabelGap;
        if (left + size.width() > rect.right())
            left = x - kJointLabelGap - size.width();
        const auto row = std::ranges::find_if(taken, [left](double until) { return left >= until; });
        if (showLabels && row != taken.end()) {
            const auto above = static_cast<double>(row - taken.begin());
            one.label = {QPointF(left, rect.top() + kJointLabelTop + above * size.height()), size};
            *row = one.label.right() + kJointLabelGap;
        }
        all.push_back(one);
    }
    return all;
}

const ResumeMark* ResumeMarksItem::at(const QPointF& pixel) const {
    const QRect rect = mParentPlot->axisRect()->rect();
    if (!rect.contains(pixel.toPoint()))
        return nullptr;
    const ResumeMark* best = nullptr;
    double nearest = kJointReach;
    for (const Placed& one : placed()) {
        if (one.label.contains(pixel))
            return one.joint;
        if (const double away = std::abs(pixel.x() - one.x); away <= nearest) {
            best = one.joint;
            nearest = away;
        }
    }
    return best;
}

QString ResumeMarksItem::runAt(double x) const {
    const auto after = std::ranges::upper_bound(joints, x, {}, &ResumeMark::x);
    return after == joints.end() ? QString() : after->runBefore;
}

void ResumeMarksItem::draw(QCPPainter* painter) {
    const QRect rect = mParentPlot->axisRect()->rect();
    const auto& palette = Theme::instance().palette();
    painter->setFont(labelFont());
    for (const Placed& one : placed()) {
        painter->setAntialiasing(false);
        QPen pen(palette.secondary, 1);
        pen.setDashPattern({4, 3});
        painter->setPen(pen);
        const double x = std::round(one.x);
        painter->drawLine(QLineF(x, rect.top(), x, rect.bottom()));
        if (one.label.isNull())
            continue;
        painter->fillRect(one.label, withAlpha(palette.panel, 0.85F)); // curves pass below it
        painter->setPen(palette.secondary);
        painter->drawText(one.label, static_cast<int>(Qt::AlignCenter), one.joint->label);
    }
}

} // namespace rankscope::ui
