// SPDX-License-Identifier: GPL-3.0-or-later
// Lists waits: one row per waiter, holder and collective, the longest total wait first.
#pragma once

#include "core/diagnosis/waits/wait_matrix.h"
#include "widgets/models/base/table_model.h"

#include <vector>

namespace rankscope::ui {

/// Returns "rank 5 kept the others waiting 412 s, 71 % of it in data_wait"; without a holder: that there were no waits.
QString waitSentence(const diagnosis::WaitMatrix& matrix);
QString waitSentence(const diagnosis::HolderCost& cost);

class WaitModel final : public TableOf<std::vector<std::pair<diagnosis::WaitMatrix::PairKey, diagnosis::WaitSums>>> {
    Q_OBJECT
public:
    enum WaitTableColumn {
        WaiterColumn,
        HolderColumn,
        CollectiveColumn,
        WaitColumn,
        BlockedColumn,
        CountColumn,
        PhaseColumn,
        ColumnCount
    };
    enum WaitRole { SortRole = Qt::UserRole };

    using TableOf::TableOf;

    /// Sets the matrix; rows that stay change in place.
    void setMatrix(const diagnosis::WaitMatrix& matrix);

    QVariant data(const QModelIndex& index, int role) const override;

private:
    std::span<const Title> titles() const override;
    QVariant alignment(int column) const override;
    using PairRow = std::pair<diagnosis::WaitMatrix::PairKey, diagnosis::WaitSums>;
    QString text(const PairRow& row, int column) const;
    QVariant sortKey(const PairRow& row, int column) const;
};

} // namespace rankscope::ui
