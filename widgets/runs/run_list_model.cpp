// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/runs/run_list_model.h"

#include "core/base/text.h"
#include "widgets/runs/run_state.h"

#include <QSet>

#include <cmath>

namespace rankscope::ui {

namespace {

QString count(qint64 n) {
    return QString::fromStdString(formatCount(n));
}

QString detail(const RunRow& row) {
    if (!row.problem.isEmpty())
        return row.problem;
    QStringList parts;
    if (row.lastStep >= 0)
        parts << (row.info.totalSteps > 0
                      ? RunListModel::tr("step %1/%2").arg(count(row.lastStep + 1), count(row.info.totalSteps))
                      : RunListModel::tr("step %1").arg(count(row.lastStep + 1)));
    if (std::isfinite(row.lastLoss))
        parts << RunListModel::tr("loss %1").arg(row.lastLoss, 0, 'g', 4);
    return parts.join(QStringLiteral(" · "));
}

QString tooltip(const RunRow& row) {
    QStringList lines{QString::fromStdString(row.info.id.empty() ? row.paths.dir.filename().string() : row.info.id)};
    if (row.problem.isEmpty()) {
        lines << RunListModel::tr("%n rank(s), %1", nullptr, row.info.worldSize).arg(runStateWord(row.info.state));
        if (!row.info.cause.empty())
            lines << QString::fromStdString(row.info.cause);
    } else {
        lines << row.problem;
    }
    return lines.join(QLatin1Char('\n'));
}

QString searchText(const RunRow& row) {
    QStringList words{QString::fromStdString(row.info.name), row.dir(), runStateWord(row.info.state)};
    for (const auto& tag : row.info.tags)
        words << QString::fromStdString(tag);
    return words.join(QLatin1Char(' '));
}

} // namespace

int RunListModel::rowCount(const QModelIndex& parent) const {
    return parent.isValid() ? 0 : static_cast<int>(m_rows.size());
}

QVariant RunListModel::data(const QModelIndex& index, int role) const {
    if (!checkIndex(index, CheckIndexOption::IndexIsValid))
        return {};
    const RunRow& row = m_rows[index.row()];
    switch (role) {
    case Qt::DisplayRole:
    case NameRole:
        return QString::fromStdString(row.info.name.empty() ? row.paths.dir.filename().string() : row.info.name);
    case Qt::ToolTipRole:
        return tooltip(row);
    case DirRole:
        return row.dir();
    case StateRole:
        return static_cast<int>(row.info.state);
    case StateWordRole:
        return row.problem.isEmpty() ? runStateWord(row.info.state) : tr("damaged");
    case DetailRole:
        return detail(row);
    case LiveRole:
        return row.problem.isEmpty() && launch::isLive(row.info.state);
    case StartRole:
        return QVariant::fromValue<qint64>(row.info.startRealtimeNs);
    case ProblemRole:
        return row.problem;
    case SearchRole:
        return searchText(row);
    default:
        return {};
    }
}

int RunListModel::rowOf(const QString& dir) const {
    for (int i = 0; i < m_rows.size(); ++i)
        if (m_rows[i].dir() == dir)
            return i;
    return -1;
}

void RunListModel::setRows(const QList<RunRow>& rows) {
    QSet<QString> wanted;
    for (const RunRow& row : rows)
        wanted.insert(row.dir());
    for (int last = static_cast<int>(m_rows.size()) - 1; last >= 0; --last) {
        if (wanted.contains(m_rows[last].dir()))
            continue;
        int first = last;
        while (first > 0 && !wanted.contains(m_rows[first - 1].dir()))
            --first;
        beginRemoveRows({}, first, last);
        m_rows.remove(first, last - first + 1);
        endRemoveRows();
        last = first;
    }
    for (int i = 0; i < rows.size(); ++i) {
        if (i < m_rows.size() && m_rows[i].dir() == rows[i].dir()) {
            if (!sameShown(m_rows[i], rows[i])) {
                m_rows[i] = rows[i];
                emit dataChanged(index(i), index(i));
            }
            continue;
        }
        if (const int old = rowOf(rows[i].dir()); old > i) {
            beginMoveRows({}, old, old, {}, i);
            m_rows.move(old, i);
            m_rows[i] = rows[i];
            endMoveRows();
            emit dataChanged(index(i), index(i));
            continue;
        }
        int last = i; // new ones usually come together
        while (last + 1 < rows.size() && rowOf(rows[last + 1].dir()) < 0)
            ++last;
        beginInsertRows({}, i, last);
        for (int k = i; k <= last; ++k)
            m_rows.insert(k, rows[k]);
        endInsertRows();
        i = last;
    }
}

void RunListModel::retranslate() {
    if (!m_rows.isEmpty())
        emit dataChanged(index(0), index(static_cast<int>(m_rows.size()) - 1));
}

} // namespace rankscope::ui
