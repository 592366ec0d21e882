// SPDX-License-Identifier: GPL-3.0-or-later
// Lists what each rank did in a part of the run: one row per rank.
#pragma once

#include "core/store/figures/range_figures.h"
#include "widgets/models/base/table_model.h"
#include "widgets/models/waits/wait_grid.h"

#include <memory>
#include <vector>

namespace rankscope::ui {

struct RangeReply {
    WaitsRequest request;
    store::RangeFigures figures;
    QString error;
};
using RangeReplyPtr = std::shared_ptr<const RangeReply>;

/// Reads the figures. Blocks: a long run takes seconds. Ends soon after `cancelled` returns true.
RangeReplyPtr readRange(const WaitsRequest& request, const std::function<bool()>& cancelled);

class RangeModel final : public TableOf<std::vector<store::RankFigures>> {
    Q_OBJECT
public:
    enum RangeColumn {
        RankColumn,
        StepsColumn,
        MeanLossColumn,
        LeastLossColumn,
        MostLossColumn,
        StepTimeColumn,
        RateColumn,
        WaitedColumn,
        ShareColumn,
        HeldColumn,
        LongestColumn,
        PaddingColumn,
        IncidentsColumn,
        ColumnCount
    };
    enum RangeRole { SortRole = Qt::UserRole };

    using TableOf::TableOf;

    void setFigures(const store::RangeFigures& figures);

    QVariant data(const QModelIndex& index, int role) const override;

private:
    std::span<const Title> titles() const override;
    QVariant alignment(int column) const override;
    double figure(const store::RankFigures& row, int column) const; ///< NaN: not known
    QString text(const store::RankFigures& row, int column) const;

    std::int64_t m_lastedNs = 0; ///< of the range
};

} // namespace rankscope::ui
