// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/models/tables/stats_model.h"

#include "widgets/models/text/text_format.h"
#include "widgets/models/text/tool_tip.h"

#include <QStringList>

namespace rankscope::ui {

static std::int64_t statsFigure(const StatsRow& row, int column) {
    switch (column) {
    case StatsModel::RankColumn:
        return row.rank;
    case StatsModel::CountColumn:
        return row.count;
    case StatsModel::SumColumn:
        return row.sumNs;
    case StatsModel::MeanColumn:
        return row.meanNs;
    case StatsModel::MedianColumn:
        return row.medianNs;
    case StatsModel::P95Column:
        return row.p95Ns;
    case StatsModel::MaxColumn:
        return row.maxNs;
    default:
        return 0;
    }
}

QString statsKindText(const StatsRow& row) {
    if (!row.wait)
        return row.phase == telemetry::Phase::None ? StatsModel::tr("no phase") : phaseText(row.phase);
    return StatsModel::tr("wait: %1")
        .arg(row.family.empty() ? StatsModel::tr("other collectives") : toQString(row.family));
}

static QString statsCell(const StatsRow& row, int column) {
    switch (column) {
    case StatsModel::KindColumn:
        return statsKindText(row);
    case StatsModel::RankColumn:
        return row.rank == StatsRow::kAllRanks ? StatsModel::tr("all") : ranksText({row.rank});
    case StatsModel::CountColumn:
        return countText(row.count);
    case StatsModel::ShareColumn:
        return QStringLiteral("%1 %").arg(100 * row.share, 0, 'f', 1);
    default:
        return durationText(statsFigure(row, column));
    }
}

void StatsModel::setRows(std::vector<StatsRow> rows) {
    const int before = rowCount(), after = static_cast<int>(rows.size());
    if (after < before) {
        beginRemoveRows({}, after, before - 1);
        m_rows.resize(rows.size());
        endRemoveRows();
    } else if (after > before) {
        beginInsertRows({}, before, after - 1);
        m_rows.insert(m_rows.end(), rows.begin() + before, rows.end());
        endInsertRows();
    }
    m_rows = std::move(rows);
    if (const int both = std::min(before, after); both > 0)
        emit dataChanged(index(0, 0), index(both - 1, ColumnCount - 1));
}

void StatsModel::retranslate() {
    emit headerDataChanged(Qt::Horizontal, 0, ColumnCount - 1);
    if (rowCount() > 0)
        emit dataChanged(index(0, 0), index(rowCount() - 1, ColumnCount - 1));
}

int StatsModel::rowCount(const QModelIndex& parent) const {
    return parent.isValid() ? 0 : static_cast<int>(m_rows.size());
}

int StatsModel::columnCount(const QModelIndex& parent) const {
    return parent.isValid() ? 0 : ColumnCount;
}

QVariant StatsModel::data(const QModelIndex& index, int role) const {
    if (!index.isValid() || index.row() >= rowCount() || index.column() >= ColumnCount)
        return {};
    const StatsRow& row = at(index.row());
    switch (role) {
    case Qt::DisplayRole:
        return statsCell(row, index.column());
    case Qt::ToolTipRole:
        return plainToolTip(statsCell(row, index.column()));
    case SortRole:
        if (index.column() == KindColumn)
            return statsKindText(row);
        if (index.column() == ShareColumn)
            return row.share;
        return QVariant::fromValue<qint64>(statsFigure(row, index.column()));
    case Qt::TextAlignmentRole:
        return QVariant::fromValue((index.column() == KindColumn ? Qt::AlignLeft : Qt::AlignRight) | Qt::AlignVCenter);
    default:
        return {};
    }
}

QVariant StatsModel::headerData(int section, Qt::Orientation orientation, int role) const {
    if (orientation != Qt::Horizontal)
        return {};
    if (role == Qt::TextAlignmentRole)
        return QVariant::fromValue((section == KindColumn ? Qt::AlignLeft : Qt::AlignRight) | Qt::AlignVCenter);
    if (role != Qt::DisplayRole && role != Qt::ToolTipRole)
        return {};
    const bool tip = role == Qt::ToolTipRole;
    switch (section) {
    case KindColumn:
        return tip ? tr("A phase of the training thread, or the waits in a collective") : tr("Phase or wait");
    case RankColumn:
        return tip ? tr("The rank whose time it is") : tr("Rank");
    case CountColumn:
        return tip ? tr("How many there are in the range") : tr("Count");
    case SumColumn:
        return tip ? tr("Their time inside the range, added up") : tr("Sum");
    case MeanColumn:
        return tip ? tr("Sum divided by count") : tr("Mean");
    case MedianColumn:
        return tip ? tr("Half of them took no longer") : tr("p50");
    case P95Column:
        return tip ? tr("95 % of them took no longer") : tr("p95");
    case MaxColumn:
        return tip ? tr("The longest one; Enter or a double click on the row shows it") : tr("Max");
    case ShareColumn:
        return tip ? tr("Of the range's time on this rank; of all ranks together: of their time added up")
                   : tr("Share");
    default:
        return {};
    }
}

QString StatsModel::csvHeader() {
    return QStringLiteral("kind,name,rank,count,sum_s,mean_s,p50_s,p95_s,max_s,share\r\n");
}

QString StatsModel::csvLine(int index) const {
    const StatsRow& row = at(index);
    const auto seconds = [](std::int64_t ns) { return QString::number(static_cast<double>(ns) * 1e-9, 'f', 9); };
    QString name = row.wait ? toQString(row.family) : phaseText(row.phase);
    if (name.contains(u',') || name.contains(u'"') || name.contains(u'\n') || name.contains(u'\r'))
        name = u'"' + name.replace(u'"', QLatin1String("\"\"")) + u'"';
    const QStringList cells{row.wait ? QStringLiteral("wait") : QStringLiteral("phase"),
                            name,
                            row.rank == StatsRow::kAllRanks ? QStringLiteral("all") : QString::number(row.rank),
                            QString::number(row.count),
                            seconds(row.sumNs),
                            seconds(row.meanNs),
                            seconds(row.medianNs),
                            seconds(row.p95Ns),
                            seconds(row.maxNs),
                            QString::number(row.share, 'f', 6)};
    return cells.join(u',') + QStringLiteral("\r\n");
}

} // namespace rankscope::ui
