// SPDX-License-Identifier: GPL-3.0-or-later
// Who waited for whom: a row per waiter, holder and collective, dearest first.
#pragma once

#include "core/diagnosis/waits/wait_matrix.h"

#include <QAbstractTableModel>

#include <vector>

namespace rankscope::ui {

/// "rank 5 kept the others waiting 412 s, 71 % of it in data_wait"; of no holder: that nobody waited.
QString waitSentence(const diagnosis::WaitMatrix& matrix);
QString waitSentence(const diagnosis::HolderCost& cost);

class WaitModel final : public QAbstractTableModel {
    Q_OBJECT
public:
    enum Column {
        WaiterColumn,
        HolderColumn,
        CollectiveColumn,
        WaitColumn,
        BlockedColumn,
        CountColumn,
        PhaseColumn,
        ColumnCount
    };
    enum Role { SortRole = Qt::UserRole };

    using QAbstractTableModel::QAbstractTableModel;

    /// Rows that stay change in place.
    void setMatrix(const diagnosis::WaitMatrix& matrix);
    void retranslate(); ///< all texts changed with the language

    int rowCount(const QModelIndex& parent = {}) const override;
    int columnCount(const QModelIndex& parent = {}) const override;
    QVariant data(const QModelIndex& index, int role) const override;
    QVariant headerData(int section, Qt::Orientation orientation, int role) const override;

private:
    using Row = std::pair<diagnosis::WaitMatrix::Key, diagnosis::WaitSums>;
    QString text(const Row& row, int column) const;
    QVariant sortKey(const Row& row, int column) const;

    std::vector<Row> m_rows;
};

} // namespace rankscope::ui
