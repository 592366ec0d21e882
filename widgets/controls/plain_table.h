// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QString>

#include <span>

class QAbstractItemModel;
class QSortFilterProxyModel;
class QTableView;

namespace rankscope::ui {

/// Applies the look of tables below plots and lanes: no grid, rows of 24 px, whole rows selected.
void setPlainTableLook(QTableView* table);

/// Gives `table` that look and shows `model` in it, sorted by `sortRole`; `widths` in pixels, by column. Returns the
/// sorting proxy, a child of the table.
QSortFilterProxyModel* setUpPlainTable(QTableView* table, QAbstractItemModel* model, int sortRole,
                                       std::span<const int> widths);

/// Returns titles and rows as they are shown, tab-separated, for the clipboard.
QString tableAsText(const QAbstractItemModel& rows);

} // namespace rankscope::ui
