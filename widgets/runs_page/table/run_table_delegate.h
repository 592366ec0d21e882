// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "widgets/runs_page/table/run_table_model.h"

#include <QStyledItemDelegate>

namespace rankscope::ui {

/// Paints the cells of the table of runs and edits those that can be edited.
class RunTableDelegate final : public QStyledItemDelegate {
    Q_OBJECT
public:
    RunTableDelegate(const RunTableModel* model, QObject* parent) : QStyledItemDelegate(parent), m_model(model) {}
    void paint(QPainter* painter, const QStyleOptionViewItem& option, const QModelIndex& index) const override;
    QWidget* createEditor(QWidget* parent, const QStyleOptionViewItem& option, const QModelIndex& index) const override;
    /// In the name's cell of the newest run of a chain: a press there opens it.
    static QRect chevron(const QRect& cell);

private:
    int chainIndent(QPainter* painter, const QRect& cell, const QModelIndex& index) const;
    const RunField& fieldOf(const QModelIndex& index) const { return m_model->columns()[index.column()]; }
    const RunTableModel* m_model;
};

} // namespace rankscope::ui
