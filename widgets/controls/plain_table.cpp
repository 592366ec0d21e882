// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/controls/plain_table.h"

#include <QHeaderView>
#include <QSortFilterProxyModel>
#include <QStringList>
#include <QTableView>

namespace rankscope::ui {

static constexpr int kRowHeight = 24;

void setPlainTableLook(QTableView* table) {
    table->setShowGrid(false);
    table->setTabKeyNavigation(false);
    table->setWordWrap(false);
    table->setFrameShape(QFrame::NoFrame);
    table->setSelectionBehavior(QAbstractItemView::SelectRows);
    table->verticalHeader()->hide();
    table->verticalHeader()->setSectionResizeMode(QHeaderView::Fixed);
    table->verticalHeader()->setMinimumSectionSize(kRowHeight);
    table->verticalHeader()->setDefaultSectionSize(kRowHeight);
    table->horizontalHeader()->setHighlightSections(false);
}

QSortFilterProxyModel* setUpPlainTable(QTableView* table, QAbstractItemModel* model, int sortRole,
                                       std::span<const int> widths) {
    auto* sorted = new QSortFilterProxyModel(table);
    sorted->setSourceModel(model);
    sorted->setSortRole(sortRole);
    table->setModel(sorted);
    table->setSortingEnabled(true);
    setPlainTableLook(table);
    for (int column = 0; column < static_cast<int>(widths.size()); ++column)
        table->horizontalHeader()->resizeSection(column, widths[static_cast<std::size_t>(column)]);
    return sorted;
}

QString tableAsText(const QAbstractItemModel& rows) {
    QString text;
    for (int r = -1; r < rows.rowCount(); ++r) {
        QStringList cells;
        for (int c = 0; c < rows.columnCount(); ++c)
            cells << (r < 0 ? rows.headerData(c, Qt::Horizontal) : rows.index(r, c).data()).toString();
        text += cells.join(u'\t') + u'\n';
    }
    return text;
}

} // namespace rankscope::ui
