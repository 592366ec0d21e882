// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/runs_page/table/run_table_view.h"

#include "widgets/controls/plain_table.h"
#include "widgets/runs/panel/run_delegate.h"
#include "widgets/runs_page/table/frozen_columns.h"
#include "widgets/theme/theme.h"

#include <QCompleter>
#include <QCoreApplication>
#include <QHeaderView>
#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>
#include <QKeyEvent>
#include <QLineEdit>
#include <QMouseEvent>
#include <QPainter>
#include <QScrollBar>
#include <QStyledItemDelegate>
#include <QWheelEvent>

namespace rankscope::ui {

namespace {

constexpr const char* kNewestFirst = "started"; ///< the column that is sorted by unless the user chose another
constexpr int kStar = 28, kPad = 8, kMark = 12, kChevron = 12;

void paintStar(QPainter* painter, const QRect& rect, bool on, bool hover) {
    if (!on && !hover)
        return;
    const Palette& p = Theme::instance().palette();
    painter->setPen(on ? p.caution : p.secondary);
    painter->setFont(bodyFont());
    painter->drawText(rect, Qt::AlignCenter, on ? QStringLiteral("★") : QStringLiteral("☆"));
}

void paintTags(QPainter* painter, QRect rect, const QStringList& tags) {
    const Palette& p = Theme::instance().palette();
    painter->setFont(secondaryFont());
    const QFontMetrics metrics = painter->fontMetrics();
    rect.adjust(kPad, 0, -4, 0);
    for (const QString& tag : tags) {
        const int room = rect.width();
        if (room < 24)
            break;
        const int width = std::min(metrics.horizontalAdvance(tag) + 12, room);
        const QRectF chip(rect.left() + 0.5, rect.center().y() - 8 + 0.5, width - 1, 17);
        painter->setPen(QPen(p.hairline, 1));
        painter->setBrush(p.raised);
        painter->drawRoundedRect(chip, 4, 4);
        painter->setPen(p.text);
        painter->drawText(chip.adjusted(6, 0, -5, 0), static_cast<int>(Qt::AlignVCenter | Qt::AlignLeft),
                          metrics.elidedText(tag, Qt::ElideRight, width - 11));
        rect.setLeft(rect.left() + width + 4);
    }
}

/// Paints the cells of the table of runs and edits those that can be edited.
class RunTableDelegate final : public QStyledItemDelegate {
    Q_DECLARE_TR_FUNCTIONS(rankscope::ui::RunTableDelegate)
public:
    RunTableDelegate(const RunTableModel* model, QObject* parent) : QStyledItemDelegate(parent), m_model(model) {}

    void paint(QPainter* painter, const QStyleOptionViewItem& option, const QModelIndex& index) const override {
        const FieldId id = fieldOf(index).id;
        const Palette& p = Theme::instance().palette();
        painter->save();
        painter->setRenderHint(QPainter::Antialiasing);
        const QRect r = option.rect;
        if (option.state & QStyle::State_Selected)
            painter->fillRect(r, p.selectedRow());
        else if (option.state & QStyle::State_MouseOver)
            painter->fillRect(r, blend(p.panel, p.secondary, 0.06));
        const QString text = index.data(Qt::DisplayRole).toString();
        if (id == FieldId::Favourite) {
            paintStar(painter, r, !text.isEmpty(), option.state & QStyle::State_MouseOver);
        } else if (id == FieldId::Tags) {
            paintTags(painter, r, index.data(RunTableModel::TagsRole).toStringList());
        } else {
            QRect at = r.adjusted(kPad, 0, -kPad, 0);
            if (id == FieldId::State) {
                QRectF mark(0, 0, kMark, kMark);
                mark.moveCenter(QPointF(at.left() + kMark / 2.0, r.center().y() + 0.5));
                drawRunMark(*painter, mark,
                            static_cast<diagnosis::RankState>(index.data(RunTableModel::MarkRole).toInt()));
                at.setLeft(at.left() + kMark + 6);
            } else if (id == FieldId::Name) {
                at.setLeft(at.left() + chainIndent(painter, r, index));
            }
            painter->setFont(bodyFont());
            const auto verdict = static_cast<Verdict>(index.data(RunTableModel::VerdictRole).toInt());
            painter->setPen(verdict != Verdict::None ? changeColour(verdict) : text.isEmpty() ? p.secondary : p.text);
            const int align = index.data(Qt::TextAlignmentRole).toInt();
            const QString whole = text.isEmpty() && id != FieldId::Note ? QStringLiteral("–") : text;
            const QString brief =
                id == FieldId::Changes ? index.data(RunTableModel::BriefChangesRole).toString() : whole;
            painter->drawText(at, align, fittingText(painter->fontMetrics(), whole, brief, at.width()));
        }
        painter->fillRect(r.left(), r.bottom(), r.width(), 1, blend(p.panel, p.hairline, 0.5));
        if (option.state & QStyle::State_HasFocus) {
            painter->setRenderHint(QPainter::Antialiasing, false);
            painter->setPen(QPen(p.accent, 1));
            painter->setBrush(Qt::NoBrush);
            painter->drawRect(r.adjusted(0, 0, -1, -1));
        }
        painter->restore();
    }

    /// Does nothing: createEditor() fills the editor. A live run's row changes all the time, which must not overwrite
    /// what is being typed.
    void setEditorData(QWidget*, const QModelIndex&) const override {}

    QWidget* createEditor(QWidget* parent, const QStyleOptionViewItem&, const QModelIndex& index) const override {
        auto* edit = new QLineEdit(index.data(Qt::EditRole).toString(), parent);
        edit->setFrame(false);
        if (fieldOf(index).id == FieldId::Name)
            edit->setMaxLength(200);
        if (fieldOf(index).id != FieldId::Tags) {
            edit->setPlaceholderText(fieldOf(index).id == FieldId::Name ? tr("Name that it was started with")
                                                                        : tr("Note"));
            return edit;
        }
        edit->setPlaceholderText(tr("Tags, separated by commas"));
        auto* completer = new QCompleter(m_model->allTags(), edit);
        completer->setCaseSensitivity(Qt::CaseInsensitive);
        completer->setWidget(edit);
        // the last tag is the one being typed
        connect(edit, &QLineEdit::textEdited, completer, [completer](const QString& text) {
            const QString typed = text.section(QLatin1Char(','), -1).trimmed();
            completer->setCompletionPrefix(typed);
            if (!typed.isEmpty() && completer->completionCount() > 0)
                completer->complete();
        });
        connect(completer, qOverload<const QString&>(&QCompleter::activated), edit, [edit](const QString& tag) {
            const QString text = edit->text();
            const qsizetype comma = text.lastIndexOf(QLatin1Char(','));
            edit->setText((comma < 0 ? QString() : text.left(comma + 1) + QLatin1Char(' ')) + tag);
        });
        return edit;
    }

private:
    /// Draws the mark that opens a chain; returns the indent of the name.
    int chainIndent(QPainter* painter, const QRect& cell, const QModelIndex& index) const {
        const auto* proxy = qobject_cast<const RunTableProxy*>(index.model());
        if (!proxy || !proxy->isFolding() || index.data(RunTableModel::ChainRole).toString().isEmpty())
            return 0;
        if (index.data(RunTableModel::PartRole).toBool())
            return 2 * kChevron;
        const bool opened = proxy->isOpened(index.data(RunTableModel::ChainRole).toString());
        drawChevron(*painter, QPointF(cell.left() + kPad + kChevron / 2.0 - 1, cell.center().y() + 0.5), opened);
        return kChevron + 4;
    }

    const RunField& fieldOf(const QModelIndex& index) const { return m_model->columns()[index.column()]; }
    const RunTableModel* m_model;
};

} // namespace

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
    m_frozen->setItemDelegate(new RunTableDelegate(model, m_frozen));
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
    m_applying = true;
    applyWidths();
    m_applying = false;
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
        return kStar;
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
    case FieldId::Loss:
        return 64;
    case FieldId::Tags:
    case FieldId::Rate:
    case FieldId::Waited:
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
    return {cell.left() + 2, cell.top(), kChevron + 6, cell.height()};
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
