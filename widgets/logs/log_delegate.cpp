// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/logs/log_delegate.h"

#include "widgets/models/logs/log_model.h"
#include "widgets/theme/theme.h"

#include <QPainter>
#include <QTableView>

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

static constexpr int kWrap = Qt::AlignLeft | Qt::AlignTop | Qt::TextWrapAnywhere;

QSize LogDelegate::sizeHint(const QStyleOptionViewItem& option, const QModelIndex& index) const {
    const QFontMetricsF metrics(option.font);
    double height = metrics.height();
    const auto* view = qobject_cast<const QTableView*>(option.widget);
    if (m_wrap && view && index.column() == LogModel::TextColumn) {
        const QRectF room(0, 0, view->columnWidth(index.column()) - 12, 1e6);
        height = metrics.boundingRect(room, kWrap, index.data().toString()).height();
    }
    return {option.rect.width(), static_cast<int>(height) + 4};
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
    const bool wrapped = m_wrap && index.column() == LogModel::TextColumn && row.height() > 1.5 * metrics.height() + 4;
    if (index.column() == LogModel::TextColumn && !wrapped)
        drawMatches(painter, box, text, metrics);
    painter->setPen(selected ? option.palette.color(QPalette::HighlightedText) : ink);
    if (wrapped)
        painter->drawText(box.adjusted(0, 2, 0, 0), kWrap, text);
    else
        painter->drawText(box, Qt::AlignLeft | Qt::AlignVCenter | Qt::TextSingleLine,
                          metrics.elidedText(text, Qt::ElideRight, box.width()));
    painter->restore();
}

} // namespace rankscope::ui
