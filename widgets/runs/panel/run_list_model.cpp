// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/runs/panel/run_list_model.h"

#include "core/base/text/unit_format.h"
#include "core/base/values/clock.h"
#include "widgets/models/text/text_format.h"
#include "widgets/models/text/tool_tip.h"
#include "widgets/models/view/run_lineage.h"
#include "widgets/models/view/run_status.h"
#include "widgets/models/view/watched_run.h"

#include <QDir>
#include <QFileInfo>

#include <cmath>

namespace rankscope::ui {

namespace {

QString count(qint64 n) {
    return QString::fromStdString(formatCount(n));
}

/// Returns the folder that contains the run's folder.
QDir folderOf(const RunRow& row) {
    return QFileInfo(row.dir()).dir();
}

QString lossText(const RunRow& row) {
    return std::isfinite(row.lastLoss) ? RunListModel::tr("loss %1").arg(row.lastLoss, 0, 'g', 4) : QString();
}

QString detail(const RunRow& row, bool brief) {
    if (!row.problem.isEmpty())
        return row.problem;
    QStringList parts;
    const std::int64_t done = row.lastStep + 1;
    if (row.lastStep >= 0)
        parts << (!brief && row.info.totalSteps > 0 && row.info.totalSteps != done
                      ? RunListModel::tr("%1/%2 steps").arg(count(done), count(row.info.totalSteps))
                      : RunListModel::tr("%1 steps").arg(count(done)));
    if (const QString loss = lossText(row); !loss.isEmpty())
        parts << loss;
    if (!brief && row.elsewhere)
        parts << RunListModel::tr("in %1", "another folder than the list's").arg(folderOf(row).dirName());
    return parts.join(QStringLiteral(" · "));
}

QString stateWords(const RunRow& row) {
    return row.problem.isEmpty() ? row.now().words(monotonicNs()) : RunListModel::tr("damaged");
}

QString tooltip(const RunRow& row) {
    QStringList lines{QString::fromStdString(row.info.id.empty() ? row.paths.dir.filename().string() : row.info.id)};
    if (row.name().toStdString() != row.info.name && !row.info.name.empty())
        lines.prepend(QStringLiteral("%1 (%2)").arg(row.name(), QString::fromStdString(row.info.name)));
    if (row.elsewhere)
        lines << RunListModel::tr("In another folder: %1").arg(folderOf(row).path());
    if (const QString changes = row.changesTip(); !changes.isEmpty())
        lines << changes;
    if (!row.marks.note.empty())
        lines << QString::fromStdString(row.marks.note);
    if (row.problem.isEmpty()) {
        lines << (row.info.worldSize > 0 || !row.info.watched()
                      ? RunListModel::tr("%n rank(s), %1", nullptr, row.info.worldSize).arg(stateWords(row))
                      : stateWords(row) + QStringLiteral(" · ") + rankCountText(row.info));
        if (const QString figures = detail(row, false); !figures.isEmpty()) // the list may have no room for all of them
            lines << figures;
        if (!row.info.command.empty())
            lines << commandText(row.info.command);
        if (!row.info.cause.empty())
            lines << messageText(row.info.cause);
    } else {
        lines << row.problem;
    }
    return lines.join(QLatin1Char('\n'));
}

QString searchText(const RunRow& row) {
    QStringList words{row.name(), QString::fromStdString(row.info.name), row.dir(), stateWords(row), row.changesLine()};
    for (const auto& tag : row.tags())
        words << QString::fromStdString(tag);
    words << QString::fromStdString(row.marks.note) << commandText(row.info.command);
    return words.join(QLatin1Char(' '));
}

} // namespace

QVariant RunListModel::data(const QModelIndex& index, int role) const {
    if (!checkIndex(index, CheckIndexOption::IndexIsValid))
        return {};
    const RunRow& row = m_rows[index.row()];
    switch (role) {
    case Qt::DisplayRole:
    case Qt::EditRole:
    case NameRole:
        return row.name();
    case ChangesRole:
        return row.changesLine();
    case BriefChangesRole:
        return row.changesLine(ChangeOrder::ValueFirst);
    case PartRole:
        return row.isPart();
    case PartsRole:
        return row.parts;
    case ChainRole:
        return QString::fromStdString(row.chain);
    case Qt::ToolTipRole:
        return plainToolTip(tooltip(row));
    case DirRole:
        return row.dir();
    case ShortIdRole:
        return shortRunId(QString::fromStdString(row.paths.dir.filename().string()));
    case StateWordRole:
        return stateWords(row);
    case MarkRole:
        return static_cast<int>(row.now().mark());
    case StalledRole:
        return row.now().isStalled();
    case DetailRole:
        return detail(row, false);
    case BriefDetailRole:
        return detail(row, true);
    case LossRole:
        return lossText(row);
    case LiveRole:
        return row.isLive();
    case StartRole:
        return QVariant::fromValue<qint64>(row.info.startRealtimeNs);
    case ProblemRole:
        return row.problem;
    case FavouriteRole:
        return row.marks.favourite;
    case SearchRole:
        return searchText(row);
    default:
        return {};
    }
}

Qt::ItemFlags RunListModel::flags(const QModelIndex& index) const {
    return QAbstractListModel::flags(index) | (index.isValid() ? Qt::ItemIsEditable : Qt::NoItemFlags);
}

bool RunListModel::setData(const QModelIndex& index, const QVariant& value, int role) {
    if (role != Qt::EditRole || !checkIndex(index, CheckIndexOption::IndexIsValid))
        return false;
    if (value.toString().trimmed() != m_rows[index.row()].name())
        emit renamed(m_rows[index.row()].dir(), value.toString().trimmed());
    return true;
}

void RunListModel::retranslate() {
    if (!m_rows.isEmpty())
        tellChanged(0, rowCount() - 1);
}

} // namespace rankscope::ui
