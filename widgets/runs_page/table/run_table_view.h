// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "widgets/runs_page/table/run_table_model.h"

#include <QHash>
#include <QTableView>
#include <QTimer>

namespace rankscope::ui {

class FrozenColumns;

/// The table of runs. It handles its columns and keys, and returns the selected rows as text. A column of texts is as
/// wide as they need, up to a maximum, and the name has the room that is left, unless the user set other widths.
class RunTableView final : public QTableView {
    Q_OBJECT
public:
    RunTableView(RunTableModel* model, RunTableProxy* proxy, QWidget* parent = nullptr);

    QList<RunRow> selectedRuns() const; ///< from top to bottom
    int selectedCount() const;
    QStringList selectedDirs() const;
    void selectDirs(const QStringList& dirs);
    /// Returns the selected rows as text, with a line of headings, in the columns' visual order.
    QString copied() const;
    /// Returns the columns in visual order.
    QList<RunField> visualColumns() const;
    /// Sets columns, keeping selection, sorting and the widths of those that stay.
    void setColumns(const QList<RunField>& columns);
    QByteArray saveColumns() const;
    void restoreColumns(const QByteArray& state); ///< empty: the default columns, newest runs first
    static QList<RunField> defaultColumns();
    void editCell(FieldId id); ///< edits the current run's cell; shows the column if it is hidden
    /// Shows figures as differences to the pinned baseline; their columns become wider, unless the user set a width.
    void setDifferences(bool on);
    FrozenColumns* frozen() const { return m_frozen; }
    /// Returns the area in the name's cell of a chain's newest run where a press opens the chain.
    static QRect chevron(const QRect& cell);
    /// Scrolls to a cell, but not sideways for a column that stays in sight.
    void scrollTo(const QModelIndex& index, ScrollHint hint = EnsureVisible) override;

signals:
    void opened(const QString& dir);
    void starClicked(const QString& dir);
    void starWanted();
    void trashWanted();
    void tagsWanted();
    void pinWanted();
    void differencesWanted();
    void copyWanted();

protected:
    void keyPressEvent(QKeyEvent* event) override;
    void mousePressEvent(QMouseEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;
    void wheelEvent(QWheelEvent* event) override;

private:
    /// Returns whether a column identifies the run: star, state or name.
    bool staysInSight(int column) const;
    /// Handles a press on the star or the mark that opens a chain. Returns false if the press only selects.
    bool press(const QModelIndex& index, const QRect& cell, const QMouseEvent& event);
    bool toggleChain(const QModelIndex& index, bool opened);
    int widthOf(const RunField& field) const; ///< the user's, or the usual one, which is a text column's maximum
    int textWidth(int column) const;          ///< that the texts and the heading of a column need
    void applyWidths();
    void fitColumns();                     ///< to their texts, which have changed
    void fitName();                        ///< to the room that the other columns leave
    std::vector<int> selectedRows() const; ///< from top to bottom

    RunTableModel* m_model;
    RunTableProxy* m_proxy;
    FrozenColumns* m_frozen = nullptr;
    QHash<QString, int> m_widths; ///< by key, as set by the user
    std::string m_sortKey = "started";
    Qt::SortOrder m_order = Qt::DescendingOrder;
    QTimer m_fitTimer;
    bool m_applying = false;
};

} // namespace rankscope::ui
