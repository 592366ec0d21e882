// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/logs/log_delegate.h"

#include "widgets/models/log_model.h"
#include "widgets/theme/theme.h"

#include <QPainter>

namespace rankscope::ui {

namespace {

QColor levelColour(telemetry::Severity level, const Palette& palette) {
    switch (level) {
    case telemetry::Severity::Error:
        return palette.dead;
    case telemetry::Severity::Warning:
        return palette.holder;
    case telemetry::Severity::Debug:
        return palette.secondary;
    default:
        return palette.text;
    }
}

} // namespace

void LogDelegate::drawMatches(QPainter* painter, const QRectF& box, const QString& text,
                              const QFontMetricsF& metrics) const {
    if (m_pattern.pattern().isEmpty() || !m_pattern.isValid())
        return;
    QColor mark = Theme::instance().palette().waiting;
    mark.setAlphaF(0.35F);
    auto matches = m_pattern.globalMatch(text.left(2000));
    while (matches.hasNext()) {
        const auto match = matches.next();
        if (match.capturedLength() == 0)
            continue;
        const double from = metrics.horizontalAdvance(text.left(match.capturedStart()));
        const double to = metrics.horizontalAdvance(text.left(match.capturedEnd()));
        const QRectF hit(box.left() + from, box.center().y() - metrics.height() / 2, to - from, metrics.height());
        painter->fillRect(hit & box, mark);
    }
}

void LogDelegate::paint(QPainter* painter, const QStyleOptionViewItem& option, const QModelIndex& index) const {
    const auto& palette = Theme::instance().palette();
    const bool selected = option.state & QStyle::State_Selected;
    const auto group = option.state & QStyle::State_Active ? QPalette::Active : QPalette::Inactive;
    painter->save();
    if (selected)
        painter->fillRect(option.rect, option.palette.brush(group, QPalette::Highlight));
    painter->setFont(option.font);
    const QFontMetricsF metrics(option.font);
    const QString text = index.data().toString();
    const auto level = static_cast<telemetry::Severity>(index.data(LogModel::LevelRole).toInt());
    const QRectF row = option.rect;
    QRectF box = row.adjusted(8, 0, -4, 0);
    QColor ink = palette.secondary;
    if (index.column() == LogModel::RankColumn) {
        const int rank = index.data(LogModel::RankRole).toInt();
        const QColor colour = rank < 0 ? palette.secondary : Theme::instance().rankPen(rank).color();
        painter->fillRect(QRectF(row.left(), row.top() + 2, 3, row.height() - 4), colour);
        ink = palette.text;
    } else if (index.column() != LogModel::TimeColumn) {
        ink = levelColour(level, palette);
    }
    if (index.column() == LogModel::TextColumn)
        drawMatches(painter, box, text, metrics);
    painter->setPen(selected ? option.palette.color(QPalette::HighlightedText) : ink);
    painter->drawText(box, Qt::AlignLeft | Qt::AlignVCenter | Qt::TextSingleLine,
                      metrics.elidedText(text, Qt::ElideRight, box.width()));
    painter->restore();
}

} // namespace rankscope::ui
