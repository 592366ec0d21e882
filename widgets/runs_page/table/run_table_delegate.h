// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "widgets/runs_page/filter/run_fields.h"

#include <QCoreApplication>
#include <QStyledItemDelegate>

namespace rankscope::ui {

class RunTableModel;

/// Paints the cells of the table of runs and edits those that can be edited.
class RunTableDelegate final : public QStyledItemDelegate {
    Q_DECLARE_TR_FUNCTIONS(rankscope::ui::RunTableDelegate)
public:
    static constexpr int kStar = 28;    ///< width of the column with the stars, px
    static constexpr int kChevron = 12; ///< width of the mark that opens a chain, px

    RunTableDelegate(const RunTableModel* model, QObject* parent);

    void paint(QPainter* painter, const QStyleOptionViewItem& option, const QModelIndex& index) const override;
    /// Does nothing: createEditor() fills the editor. A live run's row changes all the time, which must not overwrite
    /// what is being typed.
    void setEditorData(QWidget*, const QModelIndex&) const override {}
    QWidget* createEditor(QWidget* parent, const QStyleOptionViewItem& option, const QModelIndex& index) const override;

private:
    int chainIndent(QPainter* painter, const QRect& cell, const QModelIndex& index) const;
    const RunField& fieldOf(const QModelIndex& index) const;

    const RunTableModel* m_model;
};

} // namespace rankscope::ui
