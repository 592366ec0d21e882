// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/models/waits/wait_model.h"

#include "widgets/models/text/text_format.h"
#include "widgets/models/text/tool_tip.h"

#include <QCoreApplication>

#include <algorithm>

namespace rankscope::ui {

using diagnosis::WaitSums;
using telemetry::Phase;

namespace {

struct WaitLabels {
    Q_DECLARE_TR_FUNCTIONS(WaitLabels)
};

int percent(std::int64_t part, std::int64_t whole) {
    return whole > 0 ? qRound(100.0 * static_cast<double>(part) / static_cast<double>(whole)) : 0;
}

QString wordOf(Phase phase) {
    return phase == Phase::None ? WaitLabels::tr("no phase") : phaseText(phase);
}

/// Returns the three phases that most of the waiting fell in.
QString phasesText(const WaitSums& sums) {
    std::vector<Phase> phases;
    for (std::size_t p = 0; p < diagnosis::kPhaseCount; ++p)
        if (percent(sums.phaseNs[p], sums.waitNs) > 0)
            phases.push_back(static_cast<Phase>(p));
    const auto ns = [&](Phase phase) { return sums.phaseNs[static_cast<std::size_t>(phase)]; };
    std::stable_sort(phases.begin(), phases.end(), [&](Phase a, Phase b) { return ns(a) > ns(b); });
    QStringList parts;
    for (std::size_t i = 0; i < std::min<std::size_t>(phases.size(), 3); ++i)
        parts << WaitLabels::tr("%1 %2 %").arg(wordOf(phases[i])).arg(percent(ns(phases[i]), sums.waitNs));
    const QString text = parts.join(QStringLiteral(", "));
    return sums.estimatedNs > 0 ? WaitLabels::tr("%1 (estimated)").arg(text) : text;
}

} // namespace

QString waitSentence(const diagnosis::WaitMatrix& matrix) {
    const auto ranking = matrix.ranking();
    if (ranking.empty())
        return WaitLabels::tr("No waits between ranks were recorded in these steps.");
    return waitSentence(ranking.front());
}

QString waitSentence(const diagnosis::HolderCost& worst) {
    const Phase phase = worst.sums.mostly();
    const int share = percent(worst.sums.phaseNs[static_cast<std::size_t>(phase)], worst.sums.waitNs);
    return WaitLabels::tr(
               "Rank %1 kept the others waiting for %2 (%6 of it blocking), %3 % of it while in %4, mostly at %5.")
        .arg(QString::number(worst.rank), durationText(worst.sums.waitNs), QString::number(share), wordOf(phase),
             toQString(worst.family), durationText(worst.sums.blockedNs));
}

void WaitModel::setMatrix(const diagnosis::WaitMatrix& matrix) {
    std::vector<PairRow> next(matrix.cells().begin(), matrix.cells().end());
    std::stable_sort(next.begin(), next.end(),
                     [](const PairRow& a, const PairRow& b) { return a.second.waitNs > b.second.waitNs; });
    replaceRows(std::move(next));
}

QString WaitModel::text(const PairRow& row, int column) const {
    const auto& [key, sums] = row;
    switch (column) {
    case WaiterColumn:
        return ranksText({std::get<0>(key)});
    case HolderColumn:
        return ranksText({std::get<1>(key)});
    case CollectiveColumn:
        return toQString(std::get<2>(key));
    case WaitColumn:
        return durationText(sums.waitNs);
    case BlockedColumn:
        return durationText(sums.blockedNs);
    case CountColumn:
        return countText(sums.collectives);
    case PhaseColumn:
        return phasesText(sums);
    default:
        return {};
    }
}

QVariant WaitModel::sortKey(const PairRow& row, int column) const {
    const auto& [key, sums] = row;
    switch (column) {
    case WaiterColumn:
        return std::get<0>(key);
    case HolderColumn:
        return std::get<1>(key);
    case WaitColumn:
        return QVariant::fromValue<qint64>(sums.waitNs);
    case BlockedColumn:
        return QVariant::fromValue<qint64>(sums.blockedNs);
    case CountColumn:
        return QVariant::fromValue<qint64>(sums.collectives);
    default:
        return text(row, column);
    }
}

QVariant WaitModel::data(const QModelIndex& index, int role) const {
    if (!index.isValid() || index.row() >= rowCount() || index.column() >= ColumnCount)
        return {};
    const PairRow& row = m_rows[static_cast<std::size_t>(index.row())];
    switch (role) {
    case Qt::DisplayRole:
        return text(row, index.column());
    case Qt::ToolTipRole:
        return plainToolTip(text(row, index.column()));
    case SortRole:
        return sortKey(row, index.column());
    case Qt::TextAlignmentRole:
        return alignment(index.column());
    default:
        return {};
    }
}

std::span<const TableModel::Title> WaitModel::titles() const {
    static constexpr Title kTitles[] = {
        {QT_TR_NOOP("Waiter"), QT_TR_NOOP("The rank that waited")},
        {QT_TR_NOOP("Holder"), QT_TR_NOOP("The rank that arrived last")},
        {QT_TR_NOOP("Collective"), QT_TR_NOOP("Collective that they waited in")},
        {QT_TR_NOOP("Waited"), QT_TR_NOOP("Latest arrival minus own, summed")},
        {QT_TR_NOOP("Blocked"), QT_TR_NOOP("Of that, how long the waiter's training thread was blocked")},
        {QT_TR_NOOP("Times"), QT_TR_NOOP("Collectives in which it waited")},
        {QT_TR_NOOP("Holder was in"), QT_TR_NOOP("What the holder was doing while the waiter waited")}};
    return kTitles;
}

QVariant WaitModel::alignment(int column) const {
    const bool isText = column == CollectiveColumn || column == PhaseColumn;
    return QVariant::fromValue((isText ? Qt::AlignLeft : Qt::AlignRight) | Qt::AlignVCenter);
}

} // namespace rankscope::ui
