// SPDX-License-Identifier: GPL-3.0-or-later
// Lists the checkpoints of a run, the newest first, followed by its models for NeMo.
#pragma once

#include "core/launch/run/checkpoint_list.h"
#include "widgets/models/base/table_model.h"

#include <optional>
#include <string>
#include <vector>

namespace rankscope::ui {

/// A row of the table.
struct CheckpointRow {
    std::string name;
    std::int64_t step = -1; ///< last step that it includes; -1: a model, or damaged
    std::optional<double> loss;
    std::uint64_t bytes = 0;
    std::int64_t writtenRealtimeNs = 0;
    bool best = false, last = false, model = false;
    std::string problem;
    friend bool operator==(const CheckpointRow&, const CheckpointRow&) = default;
};

class CheckpointModel final : public TableOf<std::vector<CheckpointRow>> {
    Q_OBJECT
public:
    enum Column { StepColumn, LossColumn, MarkColumn, SizeColumn, TimeColumn, FileColumn, ColumnCount };
    enum Role { NameRole = Qt::UserRole, UsableRole, SortRole };

    using TableOf::TableOf;

    void setCheckpoints(const launch::RunCheckpoints& checkpoints);
    int rowOf(const QString& name) const;

    QVariant data(const QModelIndex& index, int role) const override;
    QVariant headerData(int section, Qt::Orientation orientation, int role) const override;

private:
    std::span<const Title> titles() const override;
    QVariant alignment(int column) const override;
    QString text(const CheckpointRow& row, int column) const;
    QString marksOf(const CheckpointRow& row) const;
    static QString problemOf(const CheckpointRow& row);
    QVariant sortKey(const CheckpointRow& row, int column) const;

    QString m_metric; ///< metric shown in the loss column
};

} // namespace rankscope::ui
