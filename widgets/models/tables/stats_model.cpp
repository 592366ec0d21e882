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
        return alignment(index.column());
    default:
        return {};
    }
}

std::span<const TableModel::Title> StatsModel::titles() const {
    static constexpr Title kTitles[] = {
        {QT_TR_NOOP("Phase or wait"), QT_TR_NOOP("A phase of the training thread, or the waits in a collective")},
        {QT_TR_NOOP("Rank"), QT_TR_NOOP("The rank that spent the time")},
        {QT_TR_NOOP("Count"), QT_TR_NOOP("Number of them in the range")},
        {QT_TR_NOOP("Sum"), QT_TR_NOOP("Their time inside the range, added up")},
        {QT_TR_NOOP("Mean"), QT_TR_NOOP("Sum divided by count")},
        {QT_TR_NOOP("p50"), QT_TR_NOOP("Half of them took no longer")},
        {QT_TR_NOOP("p95"), QT_TR_NOOP("95 % of them took no longer")},
        {QT_TR_NOOP("Max"), QT_TR_NOOP("The longest one; Enter or a double click on the row shows it")},
        {QT_TR_NOOP("Share"),
         QT_TR_NOOP("Share of the range's time on this rank; for all ranks together, share of their time added up")}};
    return kTitles;
}

QVariant StatsModel::alignment(int column) const {
    return QVariant::fromValue((column == KindColumn ? Qt::AlignLeft : Qt::AlignRight) | Qt::AlignVCenter);
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
