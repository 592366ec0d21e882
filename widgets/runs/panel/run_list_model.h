// SPDX-License-Identifier: GPL-3.0-or-later
// The runs of a folder, newest first. A new snapshot becomes ranged changes, so selection and scroll position stay.
#pragma once

#include "widgets/runs/panel/row_merge.h"

#include <QAbstractListModel>

namespace rankscope::ui {

class RunListModel final : public RunRows<QAbstractListModel> {
    Q_OBJECT
public:
    enum Role {
        DirRole = Qt::UserRole + 1,
        NameRole,         ///< the user's title, else the recipe's name
        ChangesRole,      ///< "num_workers 2": what tells it from others of its name
        BriefChangesRole, ///< "2 · num_workers": the same where there is little room
        PartRole,         ///< bool: a newer run was resumed from it
        PartsRole,        ///< of the newest run of a chain: how many runs that are
        ChainRole,        ///< id of that newest run; empty: it is in no chain
        ShortIdRole,      ///< "2f1f": as the header and plots call it
        StateWordRole,    ///< translated, as it is now: "stalled 47 s, rank 1"
        MarkRole,         ///< diagnosis::RankState as int
        StalledRole,      ///< bool: its words count up with the clock
        DetailRole,       ///< "412/5,000 steps · loss 5.12"
        LiveRole,
        StartRole, ///< wall clock, ns
        ProblemRole,
        FavouriteRole,
        SearchRole, ///< everything that the search box looks in
    };

    using RunRows::RunRows;

    QVariant data(const QModelIndex& index, int role) const override;

    Qt::ItemFlags flags(const QModelIndex& index) const override;
    /// Changes nothing here: tells renamed().
    bool setData(const QModelIndex& index, const QVariant& value, int role) override;

    void setRows(const QList<RunRow>& rows) { merge(rows); }
    /// Words changed with the language.
    void retranslate();

signals:
    void renamed(const QString& dir, const QString& title);
};

} // namespace rankscope::ui
