// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/timeline/view/timeline_flags.h"

#include "widgets/theme/theme.h"

#include <QPainter>

#include <algorithm>
#include <utility>

namespace rankscope::ui {

static constexpr double kApart = 2; ///< flags that are nearer to each other look like one

void TimelineFlags::set(std::vector<launch::Annotation> annotations) {
    m_annotations = std::move(annotations);
    std::ranges::stable_sort(m_annotations, {}, &launch::Annotation::timeNs);
}

const launch::Annotation* TimelineFlags::find(qint64 id) const {
    const auto it = std::ranges::find(m_annotations, id, &launch::Annotation::id);
    return it == m_annotations.end() ? nullptr : &*it;
}

const launch::Annotation* TimelineFlags::at(const QPoint& pixel, const TimeScale& scale) const {
    constexpr int kSlack = 2;
    if (pixel.y() < 0 || pixel.y() > kClothHeight + 2 * kSlack)
        return nullptr;
    const launch::Annotation* found = nullptr;
    for (const launch::Annotation& annotation : m_annotations) {
        const double from = scale.x(static_cast<double>(annotation.timeNs)) - kSlack;
        if (pixel.x() >= from && pixel.x() <= from + kCloth + 2 * kSlack)
            found = &annotation; // the last one is drawn over the others
    }
    return found;
}

bool TimelineFlags::isIn(PlotRange window) const {
    return std::ranges::any_of(m_annotations, [&](const launch::Annotation& annotation) {
        return window.contains(static_cast<double>(annotation.timeNs));
    });
}

bool TimelineFlags::covers(double x, const TimeScale& scale) const {
    return std::ranges::any_of(m_annotations, [&](const launch::Annotation& annotation) {
        const double at = scale.x(static_cast<double>(annotation.timeNs));
        return at > x - kCloth && at < x + kCloth;
    });
}

void TimelineFlags::paint(QPainter& painter, const QRect& row, const TimeScale& scale) const {
    const auto& palette = Theme::instance().palette();
    painter.save();
    painter.setRenderHint(QPainter::Antialiasing);
    double before = -kCloth;
    for (const launch::Annotation& annotation : m_annotations) {
        const double x = row.left() + scale.x(static_cast<double>(annotation.timeNs)), top = row.top() + 2;
        const bool isSelected = annotation.id == m_selected;
        if (x < row.left() || x > row.right() || (x - before < kApart && !isSelected))
            continue;
        before = x;
        const QColor ink = isSelected ? palette.accent : palette.text;
        painter.setPen(QPen(ink, 1, Qt::DotLine));
        painter.drawLine(QLineF(x, top, x, row.bottom()));
        painter.setPen(QPen(palette.window, 1)); // sets it off from a number below
        painter.setBrush(ink);
        painter.drawPolygon(
            QPolygonF{QPointF(x, top), QPointF(x + kCloth, top + kClothHeight / 2.0), QPointF(x, top + kClothHeight)});
    }
    painter.restore();
}

} // namespace rankscope::ui
