// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "widgets/config/tree/value_line.h"

#include <QPersistentModelIndex>
#include <QStyledItemDelegate>

namespace rankscope::ui {

/// Edits a value by its type: a switch, a list if the choices are a closed set, otherwise a line. Draws the mark of a
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
    /// Gives a line of text the room to its right; otherwise a path would be edited in a cell ten letters wide.
    void updateEditorGeometry(QWidget* editor, const QStyleOptionViewItem& option,
                              const QModelIndex& index) const override;
    /// Shows the whole text if the cell cuts it off.
    bool helpEvent(QHelpEvent* event, QAbstractItemView* view, const QStyleOptionViewItem& option,
                   const QModelIndex& index) override;

    /// Toggles a switch. Returns false if the row has none.
    static bool flip(const QModelIndex& index);
    static QRect switchRect(const QRect& cell);
    static QRect markRect(const QRect& cell);

signals:
    /// The user wants to browse for the value or edit it as a list.
    void extraRequested(const QPersistentModelIndex& index, rankscope::ui::ValueKind kind);
    void markClicked(const QModelIndex& index);

private:
    void paintSwitch(QPainter& painter, const QStyleOptionViewItem& option, const QModelIndex& index) const;
    void paintMark(QPainter& painter, const QStyleOptionViewItem& option, const QModelIndex& index) const;
};

} // namespace rankscope::ui
