// SPDX-License-Identifier: GPL-3.0-or-later
// Shows statistics of a part of the run as a table: a row per phase or collective, for each rank or for all together.
#pragma once

#include "widgets/models/base/table_model.h"
#include "widgets/models/timeline/timeline_stats.h"

namespace rankscope::ui {

class StatsModel final : public TableOf<std::vector<StatsRow>> {
    Q_OBJECT
public:
    enum StatsColumn {
        KindColumn,
        RankColumn,
        CountColumn,
        SumColumn,
        MeanColumn,
        MedianColumn,
        P95Column,
        MaxColumn,
        ShareColumn,
        ColumnCount
    };
    enum StatsRole { SortRole = Qt::UserRole };

    using TableOf::TableOf;

    void setRows(std::vector<StatsRow> rows) { replaceRows(std::move(rows)); }
    const StatsRow& at(int row) const { return m_rows[static_cast<std::size_t>(row)]; }
    /// The CSV (RFC 4180) has numbers in SI units without separators.
    static QString csvHeader();
    QString csvLine(int row) const;

    QVariant data(const QModelIndex& index, int role) const override;

private:
    std::span<const Title> titles() const override;
    QVariant alignment(int column) const override;
};

/// Returns "forward" or "wait: gradient".
QString statsKindText(const StatsRow& row);

} // namespace rankscope::ui
