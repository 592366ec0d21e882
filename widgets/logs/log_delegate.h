// SPDX-License-Identifier: GPL-3.0-or-later
// Rows of the log: the rank with its colour, level by word and colour, what the filter matched underlined.
#pragma once

#include <QRegularExpression>
#include <QStyledItemDelegate>

namespace rankscope::ui {

class LogDelegate final : public QStyledItemDelegate {
    Q_OBJECT
public:
    using QStyledItemDelegate::QStyledItemDelegate;
    void setPattern(const QRegularExpression& pattern) { m_pattern = pattern; }
    void setWrap(bool wrap) { m_wrap = wrap; }
    QSize sizeHint(const QStyleOptionViewItem& option, const QModelIndex& index) const override;
    void paint(QPainter* painter, const QStyleOptionViewItem& option, const QModelIndex& index) const override;

private:
    void drawMatches(QPainter* painter, const QRectF& box, const QString& text, const QFontMetricsF& metrics) const;

    QRegularExpression m_pattern;
    bool m_wrap = false;
};

} // namespace rankscope::ui
