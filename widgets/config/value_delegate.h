// SPDX-License-Identifier: GPL-3.0-or-later
// Edits a value by its type: a list of choices where they are a closed set, a line otherwise. Draws the mark of a key
// that acts on the ranks.
#pragma once

#include <QStyledItemDelegate>

class QComboBox;

namespace rankscope::ui {

class ValueDelegate final : public QStyledItemDelegate {
    Q_OBJECT
public:
    using QStyledItemDelegate::QStyledItemDelegate;
    QWidget* createEditor(QWidget* parent, const QStyleOptionViewItem& option, const QModelIndex& index) const override;
    void setEditorData(QWidget* editor, const QModelIndex& index) const override;
    void setModelData(QWidget* editor, QAbstractItemModel* model, const QModelIndex& index) const override;
    void paint(QPainter* painter, const QStyleOptionViewItem& option, const QModelIndex& index) const override;
    QSize sizeHint(const QStyleOptionViewItem& option, const QModelIndex& index) const override;
};

/// The values that a combo box offers for a type: its choices, true and false, or none.
QStringList offeredValues(const QString& type, const QStringList& choices);

} // namespace rankscope::ui
