// SPDX-License-Identifier: GPL-3.0-or-later
// The model of a folder's runs with the columns that the user chose, and the proxy that sorts and filters them.
#pragma once

#include "widgets/runs/panel/row_merge.h"
#include "widgets/runs_page/filter/figure_change.h"
#include "widgets/runs_page/filter/run_query.h"
#include "widgets/runs_page/table/step_values.h"

#include <QAbstractTableModel>
#include <QHash>
#include <QSet>
#include <QSortFilterProxyModel>

#include <optional>
#include <vector>

namespace rankscope::ui {

class RunTableModel final : public RunRows<QAbstractTableModel> {
    Q_OBJECT
public:
    enum RunTableRole {
        DirRole = Qt::UserRole + 1,
        TagsRole,         ///< QStringList, the recipe's first
        PartRole,         ///< bool: a newer run was resumed from it
        PartsRole,        ///< for the newest run of a chain: number of its runs
        ChainRole,        ///< id of that newest run; empty: not in a chain
        MarkRole,         ///< diagnosis::RankState as int
        VerdictRole,      ///< Verdict as int, of a difference to the baseline
        BriefChangesRole, ///< the changes, for narrow places: "2 · num_workers"
    };

    explicit RunTableModel(QObject* parent = nullptr);

    int columnCount(const QModelIndex& parent = {}) const override;
    QVariant data(const QModelIndex& index, int role) const override;
    QVariant headerData(int section, Qt::Orientation orientation, int role) const override;
    Qt::ItemFlags flags(const QModelIndex& index) const override;
    /// Changes nothing in the model: emits titleEdited(), noteEdited() or tagsEdited().
    bool setData(const QModelIndex& index, const QVariant& value, int role) override;
    QMimeData* mimeData(const QModelIndexList& indexes) const override;

    void setRows(const QList<RunRow>& rows);
    void setColumns(const QList<RunField>& columns);
    const QList<RunField>& columns() const { return m_columns; }
    int columnOf(FieldId id) const; ///< -1: not shown
    /// Sets marks immediately, before the lister has read them again.
    void setMarks(const QHash<QString, launch::RunMarks>& marks); ///< by folder
    /// Shows figures as differences to the pinned baseline, if there is one.
    void setDifferences(bool on);
    bool showsDifferences() const { return m_differences; }
    static bool isComparable(FieldId id); ///< whether a figure is shown as a difference
    int baselineRow() const;              ///< of the newest run that is pinned as the baseline; -1: none
    bool isReadingSteps() const { return m_steps.isBusy(); } ///< for columns of values at a step
    /// Updates how long live runs have lasted and have stalled.
    void tick();
    void retranslate();

    const Cell& cell(int row, int column) const;
    const QString& search(int row) const;
    qint64 now() const { return m_nowNs; }
    /// Returns the keys of all runs' settings, sorted.
    const QStringList& settings() const;
    const QSet<QString>& settingSet() const;
    QStringList allTags() const;

signals:
    void marksSet(); ///< by setMarks()
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
    bool isRightAligned(int column) const;
    FigureChange differenceOf(int row, int column) const;
    void updateDifferences();
    void takeStepValues();
    QString missingText(int row, int column) const;

    QList<RunField> m_columns;
    StepValues m_steps;
    mutable std::vector<Cached> m_cache;     ///< by row
    mutable QHash<int, bool> m_rightAligned; ///< by column, of settings
    mutable QStringList m_settings;
    mutable QSet<QString> m_settingSet;
    mutable bool m_settingsOld = true;
    qint64 m_nowNs = 0;
    QString m_baselineDir;
    quint64 m_baselineRevision = 0;
    bool m_differences = false;
};

/// Sorts and filters runs. Favourites are on top and missing values at the end, in either direction.
class RunTableProxy final : public QSortFilterProxyModel {
    Q_OBJECT
public:
    explicit RunTableProxy(RunTableModel* model, QObject* parent = nullptr);
    void setQuery(const RunQuery& query);
    void setArchivedShown(bool shown);
    /// Opens or closes a chain. When it is open, the runs that its newest run was resumed from are listed below it.
    /// While a filter is in force, each run is listed separately.
    void setOpened(const QString& chain, bool opened);
    bool isOpened(const QString& chain) const { return m_opened.contains(chain); }
    int foldedRows() const; ///< runs hidden in the row of their chain's newest run
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
