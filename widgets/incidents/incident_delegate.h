// SPDX-License-Identifier: GPL-3.0-or-later
// Rows of the incident table: open ones with a mark and a tint, the holder with its line.
#pragma once

#include <QStyledItemDelegate>

namespace rankscope::ui {

class IncidentDelegate final : public QStyledItemDelegate {
    Q_OBJECT
public:
    using QStyledItemDelegate::QStyledItemDelegate;
    void paint(QPainter* painter, const QStyleOptionViewItem& option, const QModelIndex& index) const override;
    QSize sizeHint(const QStyleOptionViewItem& option, const QModelIndex& index) const override;
};

} // namespace rankscope::ui
