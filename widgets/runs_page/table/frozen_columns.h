// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QTableView>

#include <functional>

namespace rankscope::ui {

/// Repeats the first columns of a table over its left edge while it is scrolled sideways, so that each row's run stays
/// visible.
class FrozenColumns final : public QTableView {
    Q_OBJECT
public:
    using StaysInSight = std::function<bool(int column)>;
    /// Returns whether a press was used for something else than selecting.
    using Press = std::function<bool(const QModelIndex& index, const QRect& cell, const QMouseEvent& event)>;

    /// Needs its own delegate: an editing delegate cannot be shared between views.
    FrozenColumns(QTableView* table, StaysInSight staysInSight, Press press);
    /// Updates the position; call it after the table's columns, widths or size changed.
    void arrange();
    bool holds(int column) const { return !isHidden() && !isColumnHidden(column); }

protected:
    void mousePressEvent(QMouseEvent* event) override;
    void wheelEvent(QWheelEvent* event) override; ///< scrolls the table

private:
    QList<int> leading() const; ///< the leading columns that stay in sight

    QTableView* m_table;
    StaysInSight m_staysInSight;
    Press m_press;
    QWidget* m_edge;
};

} // namespace rankscope::ui
