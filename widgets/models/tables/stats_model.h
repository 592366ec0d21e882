// SPDX-License-Identifier: GPL-3.0-or-later
// Statistics of a part of the run as a table: a row per phase or collective, of each rank or of all together.
#pragma once

#include "widgets/models/timeline/timeline_stats.h"

#include <QAbstractTableModel>

namespace rankscope::ui {

class StatsModel final : public QAbstractTableModel {
    Q_OBJECT
public:
    enum Column {
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
    enum Role { SortRole = Qt::UserRole };

    using QAbstractTableModel::QAbstractTableModel;

    void setRows(std::vector<StatsRow> rows); ///< rows that stay change in place
    const StatsRow& at(int row) const { return m_rows[static_cast<std::size_t>(row)]; }
    void retranslate();
    /// Figures in SI units without separators; RFC 4180.
    static QString csvHeader();
    QString csvLine(int row) const;

    int rowCount(const QModelIndex& parent = {}) const override;
    int columnCount(const QModelIndex& parent = {}) const override;
    QVariant data(const QModelIndex& index, int role) const override;
    QVariant headerData(int section, Qt::Orientation orientation, int role) const override;

private:
    std::vector<StatsRow> m_rows;
};

/// "forward", "wait: gradient".
QString statsKindText(const StatsRow& row);

} // namespace rankscope::ui
