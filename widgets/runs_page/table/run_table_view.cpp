// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/runs_page/table/run_table_view.h"

#include "widgets/controls/plain_table.h"
#include "widgets/runs_page/table/frozen_columns.h"
#include "widgets/runs_page/table/run_table_delegate.h"

#include <QHeaderView>
#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>
#include <QKeyEvent>
#include <QMouseEvent>
#include <QScrollBar>

namespace rankscope::ui {

static constexpr int kStar = 28;

RunTableView::RunTableView(RunTableModel* model, RunTableProxy* proxy, QWidget* parent)
    : QTableView(parent), m_model(model), m_proxy(proxy) {
    setModel(proxy);
    setItemDelegate(new RunTableDelegate(model, this));
    setPlainTableLook(this);
    setSelectionMode(ExtendedSelection);
    setEditTriggers(NoEditTriggers);
    setMouseTracking(true);
    setCornerButtonEnabled(false);
    setDragEnabled(true);
    setDragDropMode(DragOnly);
    setVerticalScrollMode(ScrollPerPixel);
    setHorizontalScrollMode(ScrollPerPixel);
    QHeaderView* header = horizontalHeader();
    header->setSectionsMovable(true);
    header->setFirstSectionMovable(false);
    header->setMinimumSectionSize(kStar);
    header->setSortIndicatorShown(true);
    header->setContextMenuPolicy(Qt::CustomContextMenu);
    setSortingEnabled(true);
    connect(header, &QHeaderView::sortIndicatorChanged, this, [this](int column, Qt::SortOrder order) {
        if (m_applying || column < 0 || column >= m_model->columns().size())
            return;
        m_sortKey = m_model->columns()[column].key;
        m_order = order;
    });
    connect(header, &QHeaderView::sectionResized, this, [this](int column, int, int width) {
        if (!m_applying && column < m_model->columns().size())
            m_widths[QString::fromStdString(m_model->columns()[column].key)] = width;
    });
    connect(this, &QTableView::doubleClicked, this, [this](const QModelIndex& index) {
        if (index.column() != m_model->columnOf(FieldId::Favourite))
            emit opened(index.data(RunTableModel::DirRole).toString());
    });
    m_frozen = new FrozenColumns(
        this, [this](int column) { return staysInSight(column); },
        [this](const QModelIndex& index, const QRect& cell, const QMouseEvent& event) {
            return press(index, cell, event);
        });
    setColumns(defaultColumns());
}

QList<RunField> RunTableView::defaultColumns() {
    QList<RunField> columns;
    for (const char* name : {"favourite", "state", "name", "changes", "tag", "started", "duration", "steps", "ranks",
                             "loss", "val", "rate", "waited", "holder", "incidents", "note"})
        columns << *builtinField(QLatin1String(name));
    return columns;
}

int RunTableView::widthOf(const RunField& field) const {
    const auto mine = m_widths.constFind(QString::fromStdString(field.key));
    if (mine != m_widths.constEnd())
        return *mine;
    switch (field.id) {
    case FieldId::Favourite:
        return kStar;
    case FieldId::Name:
    case FieldId::Changes:
        return 160;
    case FieldId::State:
        return 150; // "stalled 47 s, rank 1"
    case FieldId::Tags:
    case FieldId::Started:
    case FieldId::Holder:
        return 130;
    case FieldId::Note:
    case FieldId::Cause:
    case FieldId::Id:
        return 240;
    case FieldId::Ranks:
        return 60;
    case FieldId::Steps:
    case FieldId::Setting:
        return 110;
    default:
        return 92;
    }
}

void RunTableView::applyWidths() {
    const auto& columns = m_model->columns();
    for (int i = 0; i < columns.size(); ++i)
        setColumnWidth(i, widthOf(columns[i]));
    if (const int star = m_model->columnOf(FieldId::Favourite); star >= 0)
        horizontalHeader()->setSectionResizeMode(star, QHeaderView::Fixed);
}

void RunTableView::setColumns(const QList<RunField>& columns) {
    QList<RunField> all{*builtinField(QStringLiteral("favourite"))};
    for (const RunField& field : columns)
        if (!all.contains(field))
            all << field;
    const QStringList selected = selectedDirs();
    m_applying = true;
    m_model->setColumns(all);
    for (int i = 0; i < all.size(); ++i)
        horizontalHeader()->moveSection(horizontalHeader()->visualIndex(i), i);
    applyWidths();
    int sorted = -1;
    for (int i = 0; i < all.size(); ++i)
        if (all[i].key == m_sortKey)
            sorted = i;
    sortByColumn(sorted, m_order); // -1: as they come, the newest first
    m_applying = false;
    selectDirs(selected);
    m_frozen->arrange();
}

QList<RunField> RunTableView::visualColumns() const {
    QList<RunField> columns;
    for (int i = 0; i < m_model->columns().size(); ++i)
        columns << m_model->columns()[horizontalHeader()->logicalIndex(i)];
    return columns;
}

QList<RunRow> RunTableView::selectedRuns() const {
    QModelIndexList rows = selectionModel()->selectedRows();
    std::sort(rows.begin(), rows.end(), [](const auto& a, const auto& b) { return a.row() < b.row(); });
    QList<RunRow> runs;
    for (const QModelIndex& index : rows)
        runs << m_proxy->row(index);
    return runs;
}

QStringList RunTableView::selectedDirs() const {
    QStringList dirs;
    for (const QModelIndex& index : selectionModel()->selectedRows())
        dirs << index.data(RunTableModel::DirRole).toString();
    return dirs;
}

void RunTableView::selectDirs(const QStringList& dirs) {
    QItemSelection selection;
    for (const QString& dir : dirs) {
        const int row = m_model->rowOf(dir);
        const QModelIndex index = row < 0 ? QModelIndex() : m_proxy->mapFromSource(m_model->index(row, 0));
        if (index.isValid())
            selection.select(index, index);
    }
    selectionModel()->select(selection, QItemSelectionModel::ClearAndSelect | QItemSelectionModel::Rows);
    if (!selection.isEmpty() && !currentIndex().isValid())
        selectionModel()->setCurrentIndex(selection.indexes().front(), QItemSelectionModel::NoUpdate);
}

QString RunTableView::copied() const {
    const auto line = [](QStringList cells) {
        for (QString& cell : cells)
            cell.replace(QLatin1Char('\t'), QLatin1Char(' ')).replace(QLatin1Char('\n'), QLatin1Char(' '));
        return cells.join(QLatin1Char('\t')) + QLatin1Char('\n');
    };
    const auto columns = visualColumns();
    QStringList head;
    for (const RunField& field : columns)
        head << field.title();
    QString text = line(head);
    for (const RunRow& run : selectedRuns()) {
        QStringList cells;
        for (const RunField& field : columns)
            cells << cellOf(run, field, m_model->now()).text;
        text += line(cells);
    }
    return text;
}

void RunTableView::editCell(FieldId id) {
    if (!currentIndex().isValid())
        return;
    if (m_model->columnOf(id) < 0) {
        const QString dir = currentIndex().data(RunTableModel::DirRole).toString();
        for (const RunField& field : builtinFields())
            if (field.id == id)
                setColumns(visualColumns() << field);
        if (const int row = m_model->rowOf(dir); row >= 0)
            selectionModel()->setCurrentIndex(m_proxy->mapFromSource(m_model->index(row, 0)),
                                              QItemSelectionModel::NoUpdate);
    }
    const QModelIndex index = m_proxy->index(currentIndex().row(), m_model->columnOf(id));
    const int sideways = horizontalScrollBar()->value();
    const bool inSight = m_frozen->holds(index.column());
    scrollTo(index);
    setCurrentIndex(index);
    if (!inSight)
        return edit(index);
    horizontalScrollBar()->setValue(sideways); // its column is seen as it is
    m_frozen->edit(index);
}

bool RunTableView::staysInSight(int column) const {
    const FieldId id = column < m_model->columns().size() ? m_model->columns()[column].id : FieldId::Setting;
    return id == FieldId::Favourite || id == FieldId::State || id == FieldId::Name;
}

void RunTableView::resizeEvent(QResizeEvent* event) {
    QTableView::resizeEvent(event);
    m_frozen->arrange();
}

void RunTableView::keyPressEvent(QKeyEvent* event) {
    if (state() == EditingState)
        return QTableView::keyPressEvent(event); // the editor lets Enter pass on
    const QModelIndex current = currentIndex();
    switch (event->key()) {
    case Qt::Key_Return:
    case Qt::Key_Enter:
        if (current.isValid() && event->modifiers() == Qt::NoModifier) {
            emit opened(current.data(RunTableModel::DirRole).toString());
            return;
        }
        break;
    case Qt::Key_Space:
        if (event->modifiers() == Qt::NoModifier) {
            emit starWanted();
            return;
        }
        break;
    case Qt::Key_Delete:
        emit trashWanted();
        return;
    case Qt::Key_T:
        if (event->modifiers() == Qt::NoModifier) {
            emit tagsWanted();
            return;
        }
        break;
    case Qt::Key_F2: {
        const FieldId id = current.isValid() ? m_model->columns()[current.column()].id : FieldId::Name;
        editCell(id == FieldId::Tags || id == FieldId::Note ? id : FieldId::Name);
        return;
    }
    case Qt::Key_N:
        if (event->modifiers() == Qt::NoModifier) {
            editCell(FieldId::Note);
            return;
        }
        break;
    case Qt::Key_Plus:
    case Qt::Key_Minus:
        if (toggleChain(current, event->key() == Qt::Key_Plus))
            return;
        break;
    default:
        break;
    }
    if (event->matches(QKeySequence::Copy)) {
        emit copyWanted();
        return;
    }
    QTableView::keyPressEvent(event);
}

bool RunTableView::press(const QModelIndex& index, const QRect& cell, const QMouseEvent& event) {
    if (event.button() != Qt::LeftButton || !index.isValid())
        return false;
    if (index.column() == m_model->columnOf(FieldId::Favourite)) {
        emit starClicked(index.data(RunTableModel::DirRole).toString());
        return true;
    }
    return index.column() == m_model->columnOf(FieldId::Name) && index.data(RunTableModel::PartsRole).toInt() > 1 &&
           RunTableDelegate::chevron(cell).contains(event.position().toPoint()) &&
           toggleChain(index, !m_proxy->isOpened(index.data(RunTableModel::ChainRole).toString()));
}

void RunTableView::mousePressEvent(QMouseEvent* event) {
    const QModelIndex index = indexAt(event->position().toPoint());
    if (!press(index, visualRect(index), *event))
        QTableView::mousePressEvent(event);
}

/// False: it is in no chain.
bool RunTableView::toggleChain(const QModelIndex& index, bool opened) {
    const QString chain = index.data(RunTableModel::ChainRole).toString();
    if (chain.isEmpty() || !m_proxy->isFolding())
        return false;
    m_proxy->setOpened(chain, opened);
    return true;
}

QByteArray RunTableView::saveColumns() const {
    QJsonArray columns;
    for (const RunField& field : visualColumns())
        columns.append(QString::fromStdString(field.key));
    QJsonObject widths;
    for (auto it = m_widths.begin(); it != m_widths.end(); ++it)
        widths.insert(it.key(), it.value());
    return QJsonDocument(QJsonObject{{QStringLiteral("columns"), columns},
                                     {QStringLiteral("widths"), widths},
                                     {QStringLiteral("sort"), QString::fromStdString(m_sortKey)},
                                     {QStringLiteral("descending"), m_order == Qt::DescendingOrder}})
        .toJson(QJsonDocument::Compact);
}

void RunTableView::restoreColumns(const QByteArray& state) {
    const QJsonObject saved = QJsonDocument::fromJson(state).object();
    QList<RunField> columns;
    for (const auto& key : saved.value(QStringLiteral("columns")).toArray())
        if (columns.size() < 200 && !key.toString().isEmpty())
            columns << fieldOf(key.toString());
    const QJsonObject widths = saved.value(QStringLiteral("widths")).toObject();
    for (auto it = widths.begin(); it != widths.end(); ++it)
        m_widths[it.key()] = std::clamp(it.value().toInt(), 20, 2000);
    if (const QString sort = saved.value(QStringLiteral("sort")).toString(); !sort.isEmpty()) {
        m_sortKey = sort.toStdString();
        m_order = saved.value(QStringLiteral("descending")).toBool() ? Qt::DescendingOrder : Qt::AscendingOrder;
    }
    setColumns(columns.size() > 1 ? columns : defaultColumns());
}

} // namespace rankscope::ui
