// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/runs_page/compare/change_delegate.h"

#include "widgets/runs_page/compare/compare_model.h"
#include "widgets/theme/theme.h"

#include <QApplication>
#include <QPainter>

namespace rankscope::ui {

static constexpr int kChangePad = 6;

int ChangeDelegate::changeWidth(const QFontMetrics& metrics) {
    const Cell baseline{{}, 100, 100}, value{QStringLiteral("99"), 199, 199}; // "▲ +99 % worse", in the user's language
    return metrics.horizontalAdvance(figureChange(FieldId::Loss, value, baseline).text) + kChangePad;
}

void ChangeDelegate::paint(QPainter* painter, const QStyleOptionViewItem& option, const QModelIndex& index) const {
    if (index.column() == 0)
        return QStyledItemDelegate::paint(painter, option, index);
    QStyleOptionViewItem cell = option;
    initStyleOption(&cell, index);
    cell.text.clear();
    const QStyle* style = cell.widget ? cell.widget->style() : QApplication::style();
    style->drawControl(QStyle::CE_ItemViewItem, &cell, painter, cell.widget);
    painter->save();
    painter->setFont(cell.font);
    const QFontMetrics metrics(cell.font);
    const int beside = changeWidth(metrics);
    const QString change = index.data(CompareModel::ChangeRole).toString(),
                  text = index.data(CompareModel::ValueRole).toString();
    QRect value = cell.rect.adjusted(kChangePad, 0, -kChangePad - beside, 0);
    if (change.isEmpty() && metrics.horizontalAdvance(text) > value.width()) // a state's words
        value.setRight(cell.rect.right() - kChangePad);
    const auto draw = [&](const QRect& at, const QString& drawn, const QColor& colour, Qt::TextElideMode elide) {
        painter->setPen(colour);
        painter->drawText(at, Qt::AlignVCenter | Qt::AlignRight, metrics.elidedText(drawn, elide, at.width()));
    };
    const bool selected = cell.state & QStyle::State_Selected;
    const auto verdict = static_cast<Verdict>(index.data(CompareModel::VerdictRole).toInt());
    const QColor onSelection = cell.palette.color(QPalette::HighlightedText);
    draw(value, text, selected ? onSelection : cell.palette.color(QPalette::Text), Qt::ElideMiddle);
    draw(QRect(value.right() + 1, value.top(), beside, value.height()), change,
         selected ? onSelection : changeColour(verdict), Qt::ElideRight);
    painter->restore();
}

} // namespace rankscope::ui
