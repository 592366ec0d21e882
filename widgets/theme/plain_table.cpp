// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/theme/plain_table.h"

#include <QHeaderView>
#include <QSortFilterProxyModel>
#include <QTableView>

namespace rankscope::ui {

static constexpr int kRowHeight = 24;

QSortFilterProxyModel* setUpPlainTable(QTableView* table, QAbstractItemModel* model, int sortRole,
                                       std::span<const int> widths) {
    auto* sorted = new QSortFilterProxyModel(table);
    sorted->setSourceModel(model);
    sorted->setSortRole(sortRole);
    table->setModel(sorted);
    table->setShowGrid(false);
    table->setTabKeyNavigation(false);
    table->setSortingEnabled(true);
    table->setWordWrap(false);
    table->setFrameShape(QFrame::NoFrame);
    table->setSelectionBehavior(QAbstractItemView::SelectRows);
    table->verticalHeader()->hide();
    table->verticalHeader()->setSectionResizeMode(QHeaderView::Fixed);
    table->verticalHeader()->setMinimumSectionSize(kRowHeight);
    table->verticalHeader()->setDefaultSectionSize(kRowHeight);
    auto* header = table->horizontalHeader();
    header->setHighlightSections(false);
    for (int column = 0; column < static_cast<int>(widths.size()); ++column)
        header->resizeSection(column, widths[static_cast<std::size_t>(column)]);
    return sorted;
}

} // namespace rankscope::ui
