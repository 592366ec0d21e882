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
struct CheckpointItem {
    std::string name;
    std::int64_t step = -1; ///< last step that it includes; -1: not recorded, or damaged
    std::optional<double> loss;
    std::uint64_t bytes = 0;
    std::int64_t writtenRealtimeNs = 0;
    bool best = false, last = false, model = false;
    std::string problem;
    friend bool operator==(const CheckpointItem&, const CheckpointItem&) = default;
};

class CheckpointModel final : public TableOf<std::vector<CheckpointItem>> {
    Q_OBJECT
public:
    enum CheckpointColumn { StepColumn, LossColumn, MarkColumn, SizeColumn, TimeColumn, FileColumn, ColumnCount };
    enum CheckpointRole { NameRole = Qt::UserRole, UsableRole, SortRole };

    using TableOf::TableOf;

    void setCheckpoints(const launch::RunCheckpoints& checkpoints);
    int rowOf(const QString& name) const;

    QVariant data(const QModelIndex& index, int role) const override;
    QVariant headerData(int section, Qt::Orientation orientation, int role) const override;

private:
    std::span<const Title> titles() const override;
    QVariant alignment(int column) const override;
    QString text(const CheckpointItem& row, int column) const;
    QString marksOf(const CheckpointItem& row) const;
    static QString problemOf(const CheckpointItem& row);
    QVariant sortKey(const CheckpointItem& row, int column) const;

    QString m_metric; ///< metric shown in the loss column
};

} // namespace rankscope::ui
