// SPDX-License-Identifier: GPL-3.0-or-later
// The first columns of the table of runs once more, over its left edge while it is scrolled sideways: whose row it is
// stays in sight.
#pragma once

#include <QTableView>

namespace rankscope::ui {

class RunTableView;

class FrozenColumns final : public QTableView {
    Q_OBJECT
public:
    explicit FrozenColumns(RunTableView* table);
    /// After the table's columns, widths or size changed.
    void arrange();
    bool holds(int column) const { return !isHidden() && !isColumnHidden(column); }

protected:
    void mousePressEvent(QMouseEvent* event) override;

private:
    QList<int> leading() const; ///< star, state and name, as far as they come first

    RunTableView* m_table;
    QWidget* m_edge;
};

} // namespace rankscope::ui
