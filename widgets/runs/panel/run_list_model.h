// SPDX-License-Identifier: GPL-3.0-or-later
// Lists the runs of a folder, newest first. A new snapshot becomes ranged changes, so selection and scroll position
// stay.
#pragma once

#include "widgets/runs/panel/row_merge.h"

#include <QAbstractListModel>

namespace rankscope::ui {

class RunListModel final : public RunRows<QAbstractListModel> {
    Q_OBJECT
public:
    enum RunListRole {
        DirRole = Qt::UserRole + 1,
        NameRole,         ///< the user's title, else the recipe's name
        ChangesRole,      ///< "num_workers 2": how it differs from others of its name
        BriefChangesRole, ///< "2 · num_workers": the same for narrow places
        PartRole,         ///< bool: a newer run was resumed from it
        PartsRole,        ///< for the newest run of a chain: number of its runs
        ChainRole,        ///< id of that newest run; empty: not in a chain
        ShortIdRole,      ///< "2f1f": its name in the header and plots
        StateWordRole,    ///< translated, as it is now: "stalled 47 s, rank 1"
        MarkRole,         ///< diagnosis::RankState as int
        StalledRole,      ///< bool: its state text counts up with the clock
        DetailRole,       ///< "412/5,000 steps · loss 5.12"
        BriefDetailRole,  ///< "412 steps · loss 5.12": the same for narrow places
        LossRole,         ///< "loss 5.12"; empty: none is known
        LiveRole,
        StartRole, ///< wall clock, ns
        ProblemRole,
        FavouriteRole,
        SearchRole, ///< all text that the search box searches
    };

    using RunRows::RunRows;

    QVariant data(const QModelIndex& index, int role) const override;

    Qt::ItemFlags flags(const QModelIndex& index) const override;
    /// Changes nothing in the model: emits renamed().
    bool setData(const QModelIndex& index, const QVariant& value, int role) override;

    void setRows(const QList<RunRow>& rows) { merge(rows); }
    /// Updates the translated texts after a change of language.
    void retranslate();

signals:
    void renamed(const QString& dir, const QString& title);
};

} // namespace rankscope::ui
