// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QStyledItemDelegate>

namespace rankscope::ui {

/// Paints a cell of the comparison's figures in two parts, so that values and changes are aligned within a column: the
/// value at the right of its part, and next to it the change to the baseline, with an arrow, a word and a colour.
class ChangeDelegate final : public QStyledItemDelegate {
    Q_OBJECT
public:
    using QStyledItemDelegate::QStyledItemDelegate;
    void paint(QPainter* painter, const QStyleOptionViewItem& option, const QModelIndex& index) const override;
    /// Returns the width of the part that changes are painted in.
    static int changeWidth(const QFontMetrics& metrics);
};

} // namespace rankscope::ui
