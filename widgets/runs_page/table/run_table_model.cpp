// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/runs_page/table/run_table_model.h"

#include "core/base/values/clock.h"
#include "widgets/models/text/tool_tip.h"

#include <QMimeData>
#include <QUrl>

#include <algorithm>

namespace rankscope::ui {

RunTableModel::RunTableModel(QObject* parent) : RunRows(parent), m_nowNs(realtimeNs()) {
    connect(&m_steps, &StepValues::changed, this, &RunTableModel::takeStepValues);
}

/// Shows values at steps that have been read, and asks for those that are still missing.
void RunTableModel::takeStepValues() {
    for (int column = 0; column < columnCount(); ++column)
        if (m_columns[column].id == FieldId::AtStep && rowCount() > 0) {
            for (Cached& cached : m_cache)
                if (static_cast<std::size_t>(column) < cached.cells.size())
                    cached.cells[static_cast<std::size_t>(column)].reset();
            emit dataChanged(index(0, column), index(rowCount() - 1, column));
        }
    m_steps.update(m_rows, m_columns);
}

int RunTableModel::columnCount(const QModelIndex& parent) const {
    return parent.isValid() ? 0 : static_cast<int>(m_columns.size());
}

const Cell& RunTableModel::cell(int row, int column) const {
    Cached& cached = m_cache[static_cast<std::size_t>(row)];
    cached.cells.resize(static_cast<std::size_t>(m_columns.size()));
    auto& cell = cached.cells[static_cast<std::size_t>(column)];
    if (!cell && m_columns[column].id == FieldId::AtStep) {
        const StepValue* value = m_steps.find(m_rows[row].dir(), m_columns[column]);
        cell = value ? figureCell(FieldId::AtStep, value->value) : Cell();
    }
    if (!cell)
        cell = cellOf(m_rows[row], m_columns[column], m_nowNs);
    return *cell;
}

const QString& RunTableModel::search(int row) const {
    auto& search = m_cache[static_cast<std::size_t>(row)].search;
    if (!search)
        search = searchTextOf(m_rows[row]);
    return *search;
}

static QString tooltipOf(const RunRow& row, const RunField& field, const Cell& cell) {
    if (!cell.isMissing())
        return field.id == FieldId::Changes ? row.changesTip() : withParts(cell.text, row, field.id);
    if (field.isSetting())
        return row.settingsProblem;
    return field.id == FieldId::Favourite || field.id == FieldId::Tags || field.id == FieldId::Note ? row.marksProblem
                                                                                                    : row.storeProblem;
}

bool RunTableModel::isComparable(FieldId id) {
    return betterWhenMore(id) != 0 || id == FieldId::Duration;
}

int RunTableModel::baselineRow() const {
    const auto at = std::find_if(m_rows.begin(), m_rows.end(), [](const RunRow& row) { return row.isPinned(); });
    return at == m_rows.end() ? -1 : static_cast<int>(at - m_rows.begin());
}

/// Returns the difference to the baseline that is shown instead of the figure; empty: the figure itself is shown.
FigureChange RunTableModel::differenceOf(int row, int column) const {
    const FieldId id = m_columns[column].id;
    const int baseline = m_differences && isComparable(id) && !m_baselineDir.isEmpty() ? rowOf(m_baselineDir) : -1;
    return baseline < 0 || baseline == row ? FigureChange()
                                           : figureChange(id, cell(row, column), cell(baseline, column));
}

void RunTableModel::setDifferences(bool on) {
    m_differences = on;
    updateDifferences();
}

/// Shows the differences to another baseline, or to one with new figures.
void RunTableModel::updateDifferences() {
    const int row = m_differences ? baselineRow() : -1;
    const QString dir = row < 0 ? QString() : m_rows[row].dir();
    const quint64 revision = row < 0 ? 0 : m_rows[row].revision;
    if (dir == m_baselineDir && revision == m_baselineRevision)
        return;
    m_baselineDir = dir;
    m_baselineRevision = revision;
    if (rowCount() > 0)
        emit dataChanged(index(0, 0), index(rowCount() - 1, columnCount() - 1), {Qt::DisplayRole, VerdictRole});
}

/// Returns whether a column has figures only: all cells of a column are aligned alike.
bool RunTableModel::isRightAligned(int column) const {
    const RunField& field = m_columns[column];
    if (!field.isSetting())
        return field.isNumber() && field.kind() != FieldKind::Moment && field.id != FieldId::Holder;
    const auto known = m_rightAligned.constFind(column);
    if (known != m_rightAligned.constEnd())
        return *known;
    bool figures = false;
    for (const RunRow& row : m_rows) {
        const std::string* value = row.settings ? row.settings->find(field.key) : nullptr;
        if (!value || *value == "null")
            continue;
        figures = numberOf(*value).has_value();
        if (!figures)
            break;
    }
    m_rightAligned.insert(column, figures);
    return figures;
}

/// Returns why there is no value at a step; empty: there is one, or the column is of another kind.
QString RunTableModel::missingText(int row, int column) const {
    if (m_columns[column].id != FieldId::AtStep)
        return {};
    const StepValue* value = m_steps.find(m_rows[row].dir(), m_columns[column]);
    return value ? value->missing : m_rows[row].figures ? tr("Being read") : tr("This run has no store.");
}

QVariant RunTableModel::data(const QModelIndex& index, int role) const {
    if (!checkIndex(index, CheckIndexOption::IndexIsValid))
        return {};
    const RunRow& row = m_rows[index.row()];
    const RunField& field = m_columns[index.column()];
    switch (role) {
    case Qt::DisplayRole: {
        const QString difference = differenceOf(index.row(), index.column()).text;
        const QString& text = cell(index.row(), index.column()).text;
        if (!difference.isEmpty())
            return difference;
        return field.id == FieldId::Note ? QVariant(text.section(QLatin1Char('\n'), 0, 0)) : QVariant(text);
    }
    case Qt::EditRole: {
        if (field.id != FieldId::Tags)
            return cell(index.row(), index.column()).text;
        QStringList tags;
        for (const auto& tag : row.marks.tags)
            tags << QString::fromStdString(tag);
        return tags.join(QStringLiteral(", "));
    }
    case Qt::ToolTipRole: {
        const QString missing = missingText(index.row(), index.column());
        const QString tip = missing.isEmpty() ? tooltipOf(row, field, cell(index.row(), index.column())) : missing;
        return plainToolTip(differenceOf(index.row(), index.column()).text.isEmpty()
                                ? tip
                                : tr("%1\nbaseline: %2")
                                      .arg(tip, withParts(cell(rowOf(m_baselineDir), index.column()).text,
                                                          m_rows[rowOf(m_baselineDir)], field.id)));
    }
    case VerdictRole:
        return static_cast<int>(differenceOf(index.row(), index.column()).verdict);
    case Qt::TextAlignmentRole:
        return QVariant(Qt::AlignVCenter | (isRightAligned(index.column()) ? Qt::AlignRight : Qt::AlignLeft));
    case DirRole:
        return row.dir();
    case PartRole:
        return row.isPart();
    case PartsRole:
        return row.parts;
    case ChainRole:
        return QString::fromStdString(row.chain);
    case MarkRole:
        return static_cast<int>(row.now().mark());
    case BriefChangesRole:
        return row.changesLine(ChangeOrder::ValueFirst);
    case TagsRole: {
        QStringList tags;
        for (const auto& tag : row.tags())
            tags << QString::fromStdString(tag);
        return tags;
    }
    default:
        return {};
    }
}

QVariant RunTableModel::headerData(int section, Qt::Orientation orientation, int role) const {
    if (orientation != Qt::Horizontal || section < 0 || section >= m_columns.size())
        return {};
    const RunField& field = m_columns[section];
    switch (role) {
    case Qt::DisplayRole:
        // for a setting only the last part of the key; the tool tip has the whole key
        return field.id == FieldId::Favourite ? QString()
               : field.isSetting()            ? field.title().section(QLatin1Char('.'), -1)
                                              : field.title();
    case Qt::ToolTipRole:
        return plainToolTip(field.isSetting()
                                ? field.title()
                                : QStringLiteral("%1\n%2").arg(field.hint(), QString::fromStdString(field.key)));
    case Qt::TextAlignmentRole:
        return QVariant(Qt::AlignVCenter | (isRightAligned(section) ? Qt::AlignRight : Qt::AlignLeft));
    default:
        return {};
    }
}

Qt::ItemFlags RunTableModel::flags(const QModelIndex& index) const {
    if (!index.isValid())
        return QAbstractTableModel::flags(index);
    const Qt::ItemFlags flags = QAbstractTableModel::flags(index) | Qt::ItemIsDragEnabled;
    const FieldId id = m_columns[index.column()].id;
    return id == FieldId::Note || id == FieldId::Tags || id == FieldId::Name ? flags | Qt::ItemIsEditable : flags;
}

bool RunTableModel::setData(const QModelIndex& index, const QVariant& value, int role) {
    if (role != Qt::EditRole || !(flags(index) & Qt::ItemIsEditable))
        return false;
    const QString dir = m_rows[index.row()].dir();
    if (value.toString() == data(index, Qt::EditRole).toString())
        return true;
    if (m_columns[index.column()].id == FieldId::Name) {
        emit titleEdited(dir, value.toString().trimmed());
        return true;
    }
    if (m_columns[index.column()].id == FieldId::Note) {
        emit noteEdited(dir, value.toString().trimmed());
        return true;
    }
    QStringList tags;
    for (const QString& tag : value.toString().split(QLatin1Char(','), Qt::SkipEmptyParts))
        if (!tag.trimmed().isEmpty())
            tags << tag.trimmed();
    emit tagsEdited(dir, tags);
    return true;
}

QMimeData* RunTableModel::mimeData(const QModelIndexList& indexes) const {
    QList<QUrl> urls;
    for (const QModelIndex& index : indexes)
        if (const QUrl url = QUrl::fromLocalFile(m_rows[index.row()].dir()); !urls.contains(url))
            urls << url;
    auto* data = new QMimeData;
    data->setUrls(urls);
    return data;
}

void RunTableModel::removeBeside(int first, int last) {
    m_cache.erase(m_cache.begin() + first, m_cache.begin() + last + 1);
}

void RunTableModel::moveBeside(int from, int to) {
    std::rotate(m_cache.begin() + to, m_cache.begin() + from, m_cache.begin() + from + 1);
}

void RunTableModel::insertBeside(int first, int last) {
    m_cache.insert(m_cache.begin() + first, static_cast<std::size_t>(last - first) + 1, Cached());
}

void RunTableModel::tellChanged(int first, int last) {
    forget(first, last);
    emit dataChanged(index(first, 0), index(last, columnCount() - 1));
}

void RunTableModel::setRows(const QList<RunRow>& rows) {
    m_settingsOld = true;
    m_rightAligned.clear();
    m_nowNs = realtimeNs();
    merge(rows);
    updateDifferences();
    m_steps.update(m_rows, m_columns);
}

void RunTableModel::forget(int first, int last) {
    std::fill(m_cache.begin() + first, m_cache.begin() + last + 1, Cached());
}

void RunTableModel::setColumns(const QList<RunField>& columns) {
    if (columns == m_columns)
        return;
    beginResetModel();
    std::vector<std::size_t> from; // a column's previous index; past the end: it is new
    for (const RunField& field : columns)
        from.push_back(
            static_cast<std::size_t>(m_columns.contains(field) ? m_columns.indexOf(field) : m_columns.size()));
    for (Cached& cached : m_cache) {
        std::vector<std::optional<Cell>> cells(from.size());
        for (std::size_t i = 0; i < from.size(); ++i)
            if (from[i] < cached.cells.size())
                cells[i] = std::move(cached.cells[from[i]]);
        cached.cells = std::move(cells);
    }
    m_columns = columns;
    m_rightAligned.clear();
    endResetModel();
    m_steps.update(m_rows, m_columns);
}

int RunTableModel::columnOf(FieldId id) const {
    for (int i = 0; i < m_columns.size(); ++i)
        if (m_columns[i].id == id)
            return i;
    return -1;
}

void RunTableModel::setMarks(const QHash<QString, launch::RunMarks>& marks) {
    int first = rowCount(), last = -1;
    for (auto it = marks.begin(); it != marks.end(); ++it) {
        const int row = rowOf(it.key());
        if (row < 0)
            continue;
        m_rows[row].marks = *it;
        m_rows[row].revision = 0; // so that the lister's next row is taken
        forget(row, row);
        first = std::min(first, row);
        last = std::max(last, row);
    }
    if (last >= 0) // one range: the proxy needs as long for each range as for all rows
        emit dataChanged(index(first, 0), index(last, columnCount() - 1));
    updateDifferences();
    emit marksSet();
}

void RunTableModel::tick() {
    m_nowNs = realtimeNs();
    for (int row = 0; row < m_rows.size(); ++row) {
        if (!m_rows[row].isLive())
            continue;
        for (const FieldId id : {FieldId::Duration, FieldId::State})
            if (const int column = columnOf(id); column >= 0)
                tickCell(row, column);
    }
}

void RunTableModel::tickCell(int row, int column) {
    auto& cells = m_cache[static_cast<std::size_t>(row)].cells;
    if (static_cast<std::size_t>(column) >= cells.size() || !cells[static_cast<std::size_t>(column)])
        return; // not requested yet
    auto& cell = cells[static_cast<std::size_t>(column)];
    Cell now = cellOf(m_rows[row], m_columns[column], m_nowNs);
    if (now.text == cell->text)
        return;
    cell = std::move(now);
    emit dataChanged(index(row, column), index(row, column), {Qt::DisplayRole});
}

void RunTableModel::retranslate() {
    if (m_rows.isEmpty() || m_columns.isEmpty())
        return;
    tellChanged(0, rowCount() - 1);
    emit headerDataChanged(Qt::Horizontal, 0, static_cast<int>(m_columns.size()) - 1);
}

void RunTableModel::collectSettings() const {
    if (!m_settingsOld)
        return;
    m_settingsOld = false;
    QSet<const std::string*> keys; // a key has the same address in all runs
    const auto sameKeys = [](const RecipeValues& a, const RecipeValues& b) {
        return std::ranges::equal(a.entries, b.entries, {}, &RecipeValues::RecipeEntry::key,
                                  &RecipeValues::RecipeEntry::key);
    };
    const RecipeValues* before = nullptr; // most runs have the keys of the run before
    for (const RunRow& row : m_rows) {
        if (!row.settings || (before && sameKeys(*before, *row.settings)))
            continue;
        before = row.settings.get();
        for (const auto& entry : before->entries)
            keys.insert(entry.key);
    }
    m_settings.clear();
    for (const std::string* key : keys)
        m_settings << QString::fromStdString(*key);
    m_settings.removeDuplicates();
    m_settings.sort();
    m_settingSet = QSet<QString>(m_settings.begin(), m_settings.end());
}

const QStringList& RunTableModel::settings() const {
    collectSettings();
    return m_settings;
}

const QSet<QString>& RunTableModel::settingSet() const {
    collectSettings();
    return m_settingSet;
}

QStringList RunTableModel::allTags() const {
    QSet<QString> tags;
    for (const RunRow& row : m_rows)
        for (const auto& tag : row.tags())
            tags.insert(QString::fromStdString(tag));
    QStringList sorted(tags.begin(), tags.end());
    sorted.sort(Qt::CaseInsensitive);
    return sorted;
}

RunTableProxy::RunTableProxy(RunTableModel* model, QObject* parent) : QSortFilterProxyModel(parent), m_model(model) {
    setSourceModel(model);
}

void RunTableProxy::setQuery(const RunQuery& query) {
    m_query = query;
    invalidateFilter();
}

void RunTableProxy::setArchivedShown(bool shown) {
    m_archived = shown;
    invalidateFilter();
}

const RunRow& RunTableProxy::row(const QModelIndex& index) const {
    return m_model->rows()[mapToSource(index).row()];
}

void RunTableProxy::setOpened(const QString& chain, bool opened) {
    if (opened == m_opened.contains(chain))
        return;
    if (opened)
        m_opened.insert(chain);
    else
        m_opened.remove(chain);
    invalidate();
}

bool RunTableProxy::filterAcceptsRow(int row, const QModelIndex&) const {
    const RunRow& run = m_model->rows()[row];
    if (isFolding() && run.isPart() && !m_opened.contains(QString::fromStdString(run.chain)))
        return false;
    if (run.marks.archived && !m_archived)
        return false;
    return m_query.isEmpty() || m_query.takes(run, m_model->search(row), m_model->now());
}

int RunTableProxy::foldedRows() const {
    const auto& rows = m_model->rows();
    return static_cast<int>(std::count_if(rows.begin(), rows.end(), [this](const RunRow& run) {
        return isFolding() && run.isPart() && !m_opened.contains(QString::fromStdString(run.chain)) &&
               (m_archived || !run.marks.archived);
    }));
}

/// Returns the row by which a run is sorted.
int RunTableProxy::headRow(int row) const {
    return isFolding() ? m_model->chainRow(row) : row;
}

bool RunTableProxy::before(const QModelIndex& a, const QModelIndex& b) const {
    const int headA = headRow(a.row()), headB = headRow(b.row());
    if (headA == headB)
        return a.row() < b.row(); // a chain stays together, the newest first
    const bool starA = m_model->rows()[headA].marks.favourite, starB = m_model->rows()[headB].marks.favourite;
    if (starA != starB)
        return starA;
    const bool descending = sortOrder() == Qt::DescendingOrder;
    const Cell &cellA = m_model->cell(headA, a.column()), &cellB = m_model->cell(headB, b.column());
    if (sortsBefore(cellA, cellB, descending))
        return true;
    // equal runs need an order, too, or else a chain would be mixed with its equals
    return !sortsBefore(cellB, cellA, descending) && headA < headB;
}

bool RunTableProxy::lessThan(const QModelIndex& left, const QModelIndex& right) const {
    // in descending order Qt asks with left and right swapped
    return sortOrder() == Qt::DescendingOrder ? before(right, left) : before(left, right);
}

} // namespace rankscope::ui
