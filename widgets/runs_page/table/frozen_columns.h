// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QTableView>

#include <functional>

namespace rankscope::ui {

/// The first columns of a table once more, over its left edge while it is scrolled sideways, so that it stays in sight
/// whose row it is.
class FrozenColumns final : public QTableView {
    Q_OBJECT
public:
    using StaysInSight = std::function<bool(int column)>;
    /// Returns whether a press was used for something else than selecting.
    using Press = std::function<bool(const QModelIndex& index, const QRect& cell, const QMouseEvent& event)>;

    /// Needs a delegate of its own: what edits in one view cannot be shared with another.
    FrozenColumns(QTableView* table, StaysInSight staysInSight, Press press);
    /// After the table's columns, widths or size changed.
    void arrange();
    bool holds(int column) const { return !isHidden() && !isColumnHidden(column); }

protected:
    void mousePressEvent(QMouseEvent* event) override;

private:
    QList<int> leading() const; ///< those that stay in sight, as far as they come first

    QTableView* m_table;
    StaysInSight m_staysInSight;
    Press m_press;
    QWidget* m_edge;
};

} // namespace rankscope::ui
