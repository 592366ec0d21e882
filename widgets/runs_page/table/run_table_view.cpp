// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/runs_page/table/run_table_view.h"

#include "widgets/controls/plain_table.h"
#include "widgets/runs_page/table/frozen_columns.h"
#include "widgets/runs_page/table/run_table_delegate.h"
#include "widgets/theme/theme.h"

#include <QHeaderView>
#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>
#include <QKeyEvent>
#include <QMouseEvent>
#include <QScopedValueRollback>
#include <QScrollBar>
#include <QWheelEvent>

#include <algorithm>

namespace rankscope::ui {

static constexpr int kFitMs = 100;
static constexpr int kMeasuredRows = 500;              ///< of the runs, the newest first
static constexpr const char* kNewestFirst = "started"; ///< the column that is sorted by unless the user chose another

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
    header->setMinimumSectionSize(RunTableDelegate::kStar);
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
    m_frozen->setItemDelegate(new RunTableDelegate(model, m_frozen));
    m_fitTimer.setSingleShot(true);
    m_fitTimer.setInterval(kFitMs);
    connect(&m_fitTimer, &QTimer::timeout, this, &RunTableView::fitColumns);
    // not with each change: a live run's texts change all the time
    const auto fitSoon = [this] { m_fitTimer.start(); };
    connect(m_model, &RunTableModel::rowsInserted, this, fitSoon);
    connect(m_model, &RunTableModel::marksSet, this, fitSoon);
    setColumns(defaultColumns());
}

QList<RunField> RunTableView::defaultColumns() {
    QList<RunField> columns;
    for (const char* name : {"favourite", "state", "name", "changes", "tag", "started", "duration", "steps", "loss",
                             "val", "rate", "waited", "incidents"})
        columns << *builtinField(QLatin1String(name));
    return columns;
}

void RunTableView::setDifferences(bool on) {
    m_model->setDifferences(on);
    fitColumns();
}

void RunTableView::fitColumns() {
    const QScopedValueRollback applying(m_applying, true);
    applyWidths();
    m_frozen->arrange();
}

int RunTableView::widthOf(const RunField& field) const {
    constexpr int kChange = 112; // "▼ −2 % better"
    const auto mine = m_widths.constFind(QString::fromStdString(field.key));
    if (mine != m_widths.constEnd())
        return *mine;
    if (m_model->showsDifferences() && RunTableModel::isComparable(field.id))
        return kChange;
    switch (field.id) {
    case FieldId::Favourite:
        return RunTableDelegate::kStar;
    case FieldId::Name:
    case FieldId::Changes:
    case FieldId::Started:
        return 124;
    case FieldId::State:
        return 148; // "stalled 47 s, rank 1"
    case FieldId::Holder:
        return 130;
    case FieldId::Note:
    case FieldId::Cause:
    case FieldId::Id:
        return 240;
    case FieldId::Ranks:
        return 64;
    case FieldId::Tags:
    case FieldId::Rate:
    case FieldId::Incidents:
        return 72;
    case FieldId::Steps:
        return 96;
    case FieldId::Setting:
    case FieldId::AtStep:
        return 110;
    default:
        return 80;
    }
}

/// Returns whether a column has texts of any length. Those of figures and states have widths for all values.
static bool hasTexts(FieldId id) {
    switch (id) {
    case FieldId::Changes:
    case FieldId::Holder:
    case FieldId::Note:
    case FieldId::Cause:
    case FieldId::Id:
    case FieldId::Tags:
    case FieldId::Setting:
        return true;
    default:
        return false;
    }
}

int RunTableView::textWidth(int column) const {
    constexpr int kPads = 16, kTagPads = 16, kLeast = 48;
    const bool tags = m_model->columns()[column].id == FieldId::Tags;
    const QFontMetrics metrics(tags ? secondaryFont() : bodyFont());
    int needed = std::max(kLeast, horizontalHeader()->sectionSizeHint(column));
    for (int row = 0; row < std::min(m_model->rowCount(), kMeasuredRows); ++row) {
        int width = kPads;
        if (tags)
            for (const QString& tag : m_model->index(row, column).data(RunTableModel::TagsRole).toStringList())
                width += metrics.horizontalAdvance(tag) + kTagPads;
        else
            width += metrics.horizontalAdvance(m_model->cell(row, column).text) + 1; // the advance is rounded
        needed = std::max(needed, width);
    }
    return needed;
}

void RunTableView::applyWidths() {
    const auto& columns = m_model->columns();
    for (int i = 0; i < columns.size(); ++i) {
        const bool byUser = m_widths.contains(QString::fromStdString(columns[i].key));
        const int usual = widthOf(columns[i]);
        setColumnWidth(i, hasTexts(columns[i].id) && !byUser ? std::min(usual, textWidth(i)) : usual);
    }
    if (const int star = m_model->columnOf(FieldId::Favourite); star >= 0)
        horizontalHeader()->setSectionResizeMode(star, QHeaderView::Fixed);
    fitName();
}

void RunTableView::fitName() {
    const int name = m_model->columnOf(FieldId::Name);
    if (name < 0 || m_widths.contains(QString::fromStdString(m_model->columns()[name].key)))
        return;
    const int others = horizontalHeader()->length() - columnWidth(name);
    const QScopedValueRollback applying(m_applying, true);
    setColumnWidth(name, std::max(widthOf(m_model->columns()[name]), viewport()->width() - others));
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
    sortByColumn(sorted, m_order); // -1: the model's order, newest first
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

/// Returns the selected rows from the ranges: the selection model's selectedRows() checks every cell, which is slow for
/// thousands of runs.
std::vector<int> RunTableView::selectedRows() const {
    std::vector<int> rows;
    const QItemSelection selection = selectionModel()->selection();
    for (const QItemSelectionRange& range : selection)
        for (int row = range.top(); range.left() == 0 && row <= range.bottom(); ++row)
            rows.push_back(row);
    std::sort(rows.begin(), rows.end());
    return rows;
}

int RunTableView::selectedCount() const {
    return static_cast<int>(selectedRows().size());
}

QList<RunRow> RunTableView::selectedRuns() const {
    QList<RunRow> runs;
    for (const int row : selectedRows())
        runs << m_proxy->row(m_proxy->index(row, 0));
    return runs;
}

QStringList RunTableView::selectedDirs() const {
    QStringList dirs;
    for (const int row : selectedRows())
        dirs << m_proxy->index(row, 0).data(RunTableModel::DirRole).toString();
    return dirs;
}

void RunTableView::selectDirs(const QStringList& dirs) {
    std::vector<int> rows;
    for (const QString& dir : dirs) {
        const int row = m_model->rowOf(dir);
        const QModelIndex index = row < 0 ? QModelIndex() : m_proxy->mapFromSource(m_model->index(row, 0));
        if (index.isValid())
            rows.push_back(index.row());
    }
    std::sort(rows.begin(), rows.end());
    QItemSelection selection; // as few ranges as possible, because its readers iterate over them
    for (std::size_t first = 0, end = 0; first < rows.size(); first = end) {
        for (end = first + 1; end < rows.size() && rows[end] <= rows[end - 1] + 1;)
            ++end;
        selection.append({m_proxy->index(rows[first], 0), m_proxy->index(rows[end - 1], 0)});
    }
    selectionModel()->select(selection, QItemSelectionModel::ClearAndSelect | QItemSelectionModel::Rows);
    if (!rows.empty() && !currentIndex().isValid())
        selectionModel()->setCurrentIndex(m_proxy->index(rows.front(), 0), QItemSelectionModel::NoUpdate);
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
    for (const int row : selectedRows()) {
        QStringList cells;
        const int source = m_proxy->mapToSource(m_proxy->index(row, 0)).row();
        for (const RunField& field : columns)
            cells << m_model->cell(source, static_cast<int>(m_model->columns().indexOf(field))).text;
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
    scrollTo(index);
    setCurrentIndex(index);
    if (m_frozen->holds(index.column()))
        m_frozen->edit(index);
    else
        edit(index);
}

void RunTableView::scrollTo(const QModelIndex& index, ScrollHint hint) {
    QScrollBar* sideways = horizontalScrollBar();
    const int before = sideways->value();
    const bool inSight = m_frozen && m_frozen->holds(index.column());
    const QSignalBlocker still(inSight ? sideways : nullptr);
    QTableView::scrollTo(index, hint);
    if (inSight)
        sideways->setValue(before);
}

bool RunTableView::staysInSight(int column) const {
    const FieldId id = column < m_model->columns().size() ? m_model->columns()[column].id : FieldId::Setting;
    return id == FieldId::Favourite || id == FieldId::State || id == FieldId::Name;
}

void RunTableView::resizeEvent(QResizeEvent* event) {
    QTableView::resizeEvent(event);
    if (event->size().width() != event->oldSize().width())
        fitName();
    m_frozen->arrange();
}

/// Scrolls sideways with Shift, as a plot does.
void RunTableView::wheelEvent(QWheelEvent* event) {
    if (event->modifiers() != Qt::ShiftModifier || event->angleDelta().y() == 0)
        return QTableView::wheelEvent(event);
    QWheelEvent sideways(event->position(), event->globalPosition(), event->pixelDelta().transposed(),
                         event->angleDelta().transposed(), event->buttons(), Qt::NoModifier, event->phase(),
                         event->inverted(), event->source());
    QTableView::wheelEvent(&sideways);
    event->setAccepted(sideways.isAccepted());
}

void RunTableView::keyPressEvent(QKeyEvent* event) {
    if (state() == EditingState)
        return QTableView::keyPressEvent(event); // the editor passes Enter on
    const QModelIndex current = currentIndex();
    const int key = event->key();
    const bool plain = event->modifiers() == Qt::NoModifier;
    const bool plus = key == Qt::Key_Plus;
    if (plain && current.isValid() && (key == Qt::Key_Return || key == Qt::Key_Enter)) {
        emit opened(current.data(RunTableModel::DirRole).toString());
    } else if (plain && key == Qt::Key_Space) {
        emit starWanted();
    } else if (key == Qt::Key_Delete) {
        emit trashWanted();
    } else if (plain && key == Qt::Key_T) {
        emit tagsWanted();
    } else if (plain && key == Qt::Key_B) {
        emit pinWanted();
    } else if (plain && key == Qt::Key_D) {
        emit differencesWanted();
    } else if (key == Qt::Key_F2) {
        const FieldId id = current.isValid() ? m_model->columns()[current.column()].id : FieldId::Name;
        editCell(id == FieldId::Tags || id == FieldId::Note ? id : FieldId::Name);
    } else if (plain && key == Qt::Key_N) {
        editCell(FieldId::Note);
    } else if ((!plus && key != Qt::Key_Minus) || !toggleChain(current, plus)) {
        if (event->matches(QKeySequence::Copy))
            emit copyWanted();
        else
            QTableView::keyPressEvent(event);
    }
}

QRect RunTableView::chevron(const QRect& cell) {
    return {cell.left() + 2, cell.top(), RunTableDelegate::kChevron + 6, cell.height()};
}

bool RunTableView::press(const QModelIndex& index, const QRect& cell, const QMouseEvent& event) {
    if (event.button() != Qt::LeftButton || !index.isValid())
        return false;
    if (index.column() == m_model->columnOf(FieldId::Favourite)) {
        emit starClicked(index.data(RunTableModel::DirRole).toString());
        return true;
    }
    return index.column() == m_model->columnOf(FieldId::Name) && index.data(RunTableModel::PartsRole).toInt() > 1 &&
           chevron(cell).contains(event.position().toPoint()) &&
           toggleChain(index, !m_proxy->isOpened(index.data(RunTableModel::ChainRole).toString()));
}

void RunTableView::mousePressEvent(QMouseEvent* event) {
    const QModelIndex index = indexAt(event->position().toPoint());
    if (!press(index, visualRect(index), *event))
        QTableView::mousePressEvent(event);
}

/// Opens or closes the run's chain; returns false if it is not in one.
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
    m_widths.clear(); // each view has its own
    for (auto it = widths.begin(); it != widths.end(); ++it)
        m_widths[it.key()] = std::clamp(it.value().toInt(), 20, 2000);
    const QString sort = saved.value(QStringLiteral("sort")).toString();
    m_sortKey = sort.isEmpty() ? kNewestFirst : sort.toStdString();
    m_order =
        sort.isEmpty() || saved.value(QStringLiteral("descending")).toBool() ? Qt::DescendingOrder : Qt::AscendingOrder;
    setColumns(columns.size() > 1 ? columns : defaultColumns());
}

} // namespace rankscope::ui
