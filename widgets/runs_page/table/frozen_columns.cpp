// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/runs_page/table/frozen_columns.h"

#include "widgets/controls/plain_table.h"

#include <QCoreApplication>
#include <QHeaderView>
#include <QMouseEvent>
#include <QScrollBar>
#include <QWheelEvent>

namespace rankscope::ui {

FrozenColumns::FrozenColumns(QTableView* table, StaysInSight staysInSight, Press press)
    : QTableView(table), m_table(table), m_staysInSight(std::move(staysInSight)), m_press(std::move(press)),
      m_edge(new QWidget(this)) {
    setObjectName(QStringLiteral("frozen"));
    setModel(table->model());
    QItemSelectionModel* own = selectionModel();
    setSelectionModel(table->selectionModel());
    delete own;
    setPlainTableLook(this);
    setSelectionMode(ExtendedSelection);
    setEditTriggers(NoEditTriggers);
    setMouseTracking(true);
    setFocusPolicy(Qt::NoFocus); // keys are handled by the table
    setDragEnabled(true);
    setDragDropMode(DragOnly);
    setVerticalScrollMode(ScrollPerPixel);
    setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    setVerticalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    setContextMenuPolicy(Qt::CustomContextMenu);
    QHeaderView* header = horizontalHeader();
    header->setSectionResizeMode(QHeaderView::Fixed);
    header->setMinimumSectionSize(table->horizontalHeader()->minimumSectionSize());
    header->setSectionsClickable(true);
    header->setSortIndicatorShown(true);
    m_edge->setAutoFillBackground(true);
    m_edge->setBackgroundRole(QPalette::Mid);
    hide();

    QHeaderView* whole = table->horizontalHeader();
    connect(header, &QHeaderView::sectionClicked, table, [table, whole](int column) {
        const bool again = whole->sortIndicatorSection() == column && whole->sortIndicatorOrder() == Qt::AscendingOrder;
        table->sortByColumn(column, again ? Qt::DescendingOrder : Qt::AscendingOrder);
    });
    connect(whole, &QHeaderView::sortIndicatorChanged, header, &QHeaderView::setSortIndicator);
    for (auto moved : {&QHeaderView::sectionMoved, &QHeaderView::sectionResized})
        connect(whole, moved, this, &FrozenColumns::arrange);
    connect(table->verticalScrollBar(), &QScrollBar::valueChanged, verticalScrollBar(), &QScrollBar::setValue);
    connect(verticalScrollBar(), &QScrollBar::valueChanged, table->verticalScrollBar(), &QScrollBar::setValue);
    connect(table->horizontalScrollBar(), &QScrollBar::valueChanged, this, &FrozenColumns::arrange);
    connect(this, &QTableView::doubleClicked, table, &QTableView::doubleClicked);
    connect(this, &QWidget::customContextMenuRequested, table, [this](const QPoint& at) {
        const QPoint inTable = mapTo(m_table, viewport()->mapTo(this, at));
        emit m_table->customContextMenuRequested(m_table->viewport()->mapFrom(m_table, inTable));
    });
    header->setContextMenuPolicy(Qt::CustomContextMenu);
    connect(header, &QWidget::customContextMenuRequested, whole, &QWidget::customContextMenuRequested);
}

QList<int> FrozenColumns::leading() const {
    QList<int> columns;
    const QHeaderView* header = m_table->horizontalHeader();
    for (int visual = 0; visual < header->count(); ++visual) {
        const int column = header->logicalIndex(visual);
        if (!m_staysInSight(column))
            break;
        columns << column;
    }
    return columns;
}

void FrozenColumns::arrange() {
    const QList<int> columns = leading();
    int width = 0;
    for (const int column : columns)
        width += m_table->columnWidth(column);
    const bool wanted = m_table->horizontalScrollBar()->value() > 0 && !columns.isEmpty() &&
                        width < m_table->viewport()->width() * 2 / 3; // otherwise there would be nothing left to scroll
    if (wanted) {
        QHeaderView* header = horizontalHeader();
        for (int column = 0; column < header->count(); ++column)
            setColumnHidden(column, !columns.contains(column));
        for (qsizetype i = 0; i < columns.size(); ++i) {
            header->moveSection(header->visualIndex(columns[i]), static_cast<int>(i));
            setColumnWidth(columns[i], m_table->columnWidth(columns[i]));
        }
        const QHeaderView* whole = m_table->horizontalHeader();
        header->setFixedHeight(whole->height());
        header->setSortIndicator(whole->sortIndicatorSection(), whole->sortIndicatorOrder());
        setGeometry(whole->x(), whole->y(), width + 1, whole->height() + m_table->viewport()->height());
        m_edge->setGeometry(width, 0, 1, height());
        m_edge->raise();
    }
    setVisible(wanted);
    if (wanted) {
        raise();
        verticalScrollBar()->setValue(m_table->verticalScrollBar()->value());
    }
}

void FrozenColumns::wheelEvent(QWheelEvent* event) {
    QCoreApplication::sendEvent(m_table->viewport(), event);
}

void FrozenColumns::mousePressEvent(QMouseEvent* event) {
    const QModelIndex index = indexAt(event->position().toPoint());
    m_table->setFocus(Qt::MouseFocusReason);
    if (!m_press(index, visualRect(index), *event))
        QTableView::mousePressEvent(event);
}

} // namespace rankscope::ui
