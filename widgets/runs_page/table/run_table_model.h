// SPDX-License-Identifier: GPL-3.0-or-later
// The runs of a folder with the columns that the user chose, and the proxy that sorts and filters them.
#pragma once

#include "widgets/runs/panel/row_merge.h"
#include "widgets/runs_page/filter/run_fields.h"
#include "widgets/runs_page/filter/run_query.h"

#include <QAbstractTableModel>
#include <QSet>
#include <QSortFilterProxyModel>

#include <optional>
#include <vector>

namespace rankscope::ui {

class RunTableModel final : public RunRows<QAbstractTableModel> {
    Q_OBJECT
public:
    enum Role {
        DirRole = Qt::UserRole + 1,
        TagsRole,         ///< QStringList, the recipe's first
        PartRole,         ///< bool: a newer run was resumed from it
        PartsRole,        ///< of the newest run of a chain: how many runs that are
        ChainRole,        ///< id of that newest run; empty: it is in no chain
        MarkRole,         ///< diagnosis::RankState as int
        BriefChangesRole, ///< what was changed, where there is little room: "2 · num_workers"
    };

    explicit RunTableModel(QObject* parent = nullptr);

    int columnCount(const QModelIndex& parent = {}) const override;
    QVariant data(const QModelIndex& index, int role) const override;
    QVariant headerData(int section, Qt::Orientation orientation, int role) const override;
    Qt::ItemFlags flags(const QModelIndex& index) const override;
    /// Changes nothing here: tells titleEdited(), noteEdited() or tagsEdited().
    bool setData(const QModelIndex& index, const QVariant& value, int role) override;
    QMimeData* mimeData(const QModelIndexList& indexes) const override;

    void setRows(const QList<RunRow>& rows);
    void setColumns(const QList<RunField>& columns);
    const QList<RunField>& columns() const { return m_columns; }
    int columnOf(FieldId id) const; ///< -1: not shown
    /// At once, before the lister has read it again.
    void setMarks(const QHash<QString, launch::RunMarks>& marks); ///< by folder
    /// How long live runs have lasted, and how long they have stalled.
    void tick();
    void retranslate();

    const Cell& cell(int row, int column) const;
    const QString& search(int row) const;
    qint64 now() const { return m_nowNs; }
    /// Keys of all runs' settings, sorted.
    const QStringList& settings() const;
    const QSet<QString>& settingSet() const;
    QStringList allTags() const;

signals:
    void titleEdited(const QString& dir, const QString& title);
    void noteEdited(const QString& dir, const QString& note);
    void tagsEdited(const QString& dir, const QStringList& tags);

private:
    struct Cached {
        std::vector<std::optional<Cell>> cells; ///< by column
        std::optional<QString> search;
    };
    void removeBeside(int first, int last) override;
    void moveBeside(int from, int to) override;
    void insertBeside(int first, int last) override;
    void tellChanged(int first, int last) override;
    void forget(int first, int last);
    void tickCell(int row, int column);
    void collectSettings() const;

    QList<RunField> m_columns;
    mutable std::vector<Cached> m_cache; ///< by row
    mutable QStringList m_settings;
    mutable QSet<QString> m_settingSet;
    mutable bool m_settingsOld = true;
    qint64 m_nowNs = 0;
};

/// Favourites stand on top, what is missing at the end, in either direction.
class RunTableProxy final : public QSortFilterProxyModel {
    Q_OBJECT
public:
    explicit RunTableProxy(RunTableModel* model, QObject* parent = nullptr);
    void setQuery(const RunQuery& query);
    void setArchivedShown(bool shown);
    /// The runs that the newest of a chain was resumed from stand below it, when it is opened. While a filter is in
    /// force, each run stands by itself.
    void setOpened(const QString& chain, bool opened);
    bool isOpened(const QString& chain) const { return m_opened.contains(chain); }
    int foldedRows() const; ///< runs that are hidden in the row of the newest of their chain
    bool isFolding() const { return m_query.isEmpty(); }
    const RunRow& row(const QModelIndex& index) const; ///< of a valid index

protected:
    bool filterAcceptsRow(int row, const QModelIndex& parent) const override;
    bool lessThan(const QModelIndex& left, const QModelIndex& right) const override;

private:
    bool before(const QModelIndex& a, const QModelIndex& b) const;
    int headRow(int row) const;
    RunTableModel* m_model;
    RunQuery m_query;
    QSet<QString> m_opened;
    bool m_archived = false;
};

} // namespace rankscope::ui
