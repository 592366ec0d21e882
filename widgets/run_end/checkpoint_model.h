// SPDX-License-Identifier: GPL-3.0-or-later
// The checkpoints of a run, the newest first, and its models for NeMo behind them.
#pragma once

#include "core/launch/run/checkpoint_list.h"

#include <QAbstractTableModel>

namespace rankscope::ui {

class CheckpointModel final : public QAbstractTableModel {
    Q_OBJECT
public:
    enum Column { StepColumn, LossColumn, MarkColumn, SizeColumn, TimeColumn, FileColumn, ColumnCount };
    enum Role { NameRole = Qt::UserRole, UsableRole, SortRole };

    using QAbstractTableModel::QAbstractTableModel;

    void setCheckpoints(const launch::RunCheckpoints& checkpoints);
    void retranslate();
    int rowOf(const QString& name) const;

    int rowCount(const QModelIndex& parent = {}) const override;
    int columnCount(const QModelIndex& parent = {}) const override;
    QVariant data(const QModelIndex& index, int role) const override;
    QVariant headerData(int section, Qt::Orientation orientation, int role) const override;

private:
    struct Row {
        std::string name;
        std::int64_t step = -1; ///< the last one that it has; -1: a model, or damaged
        std::optional<double> loss;
        std::uint64_t bytes = 0;
        std::int64_t writtenRealtimeNs = 0;
        bool best = false, last = false, model = false;
        std::string problem;
        friend bool operator==(const Row&, const Row&) = default;
    };
    QString text(const Row& row, int column) const;
    QString marksOf(const Row& row) const;
    static QString problemOf(const Row& row);
    QVariant sortKey(const Row& row, int column) const;

    std::vector<Row> m_rows;
    QString m_metric; ///< whose values the loss column has
};

} // namespace rankscope::ui
