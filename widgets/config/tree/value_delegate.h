// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "widgets/config/tree/value_line.h"

#include <QPersistentModelIndex>
#include <QStyledItemDelegate>

namespace rankscope::ui {

/// Edits a value by its type: a switch, a list where the choices are a closed set, else a line. Draws the mark of a
/// key that affects the ranks or is wrong.
class ValueDelegate final : public QStyledItemDelegate {
    Q_OBJECT
public:
    using QStyledItemDelegate::QStyledItemDelegate;
    QWidget* createEditor(QWidget* parent, const QStyleOptionViewItem& option, const QModelIndex& index) const override;
    void setEditorData(QWidget* editor, const QModelIndex& index) const override;
    void setModelData(QWidget* editor, QAbstractItemModel* model, const QModelIndex& index) const override;
    void paint(QPainter* painter, const QStyleOptionViewItem& option, const QModelIndex& index) const override;
    QSize sizeHint(const QStyleOptionViewItem& option, const QModelIndex& index) const override;
    bool editorEvent(QEvent* event, QAbstractItemModel* model, const QStyleOptionViewItem& option,
                     const QModelIndex& index) override;
    bool eventFilter(QObject* editor, QEvent* event) override;
    /// A line of text gets the room to its right, else a path is edited in a cell of ten letters.
    void updateEditorGeometry(QWidget* editor, const QStyleOptionViewItem& option,
                              const QModelIndex& index) const override;
    /// Shows the whole text where it is cut off in the cell.
    bool helpEvent(QHelpEvent* event, QAbstractItemView* view, const QStyleOptionViewItem& option,
                   const QModelIndex& index) override;

    /// Toggles a switch. Returns false if the row has none.
    static bool flip(const QModelIndex& index);
    static QRect switchRect(const QRect& cell);
    static QRect markRect(const QRect& cell);

signals:
    /// The value is to be browsed for or edited as a list.
    void extraRequested(const QPersistentModelIndex& index, rankscope::ui::ValueKind kind);
    void markClicked(const QModelIndex& index);

private:
    void paintSwitch(QPainter& painter, const QStyleOptionViewItem& option, const QModelIndex& index) const;
    void paintMark(QPainter& painter, const QStyleOptionViewItem& option, const QModelIndex& index) const;
};

} // namespace rankscope::ui
