// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/models/waits/range_model.h"

#include "core/base/values/result.h"
#include "widgets/models/text/text_format.h"
#include "widgets/models/text/tool_tip.h"

#include <cmath>

namespace rankscope::ui {

using store::RankFigures;

static Result<store::RangeFigures> readFigures(const WaitsRequest& request, const std::function<bool()>& cancelled) {
    RS_TRY_ASSIGN(auto reader, store::RunReader::open(request.store));
    RS_TRY_ASSIGN(const auto steps, requestedSteps(reader, request));
    return store::readRangeFigures(reader, steps, cancelled);
}

RangeReplyPtr readRange(const WaitsRequest& request, const std::function<bool()>& cancelled) {
    auto reply = std::make_shared<RangeReply>();
    reply->request = request;
    if (auto figures = readFigures(request, cancelled))
        reply->figures = std::move(*figures);
    else
        reply->error = toQString(figures.error().message());
    return reply;
}

void RangeModel::setFigures(const store::RangeFigures& figures) {
    m_lastedNs = figures.waits.lastedNs();
    replaceRows(figures.ranks);
}

double RangeModel::figure(const RankFigures& row, int column) const {
    switch (column) {
    case RankColumn:
        return row.rank;
    case StepsColumn:
        return static_cast<double>(row.steps);
    case MeanLossColumn:
        return row.meanLoss;
    case LeastLossColumn:
        return row.leastLoss;
    case MostLossColumn:
        return row.mostLoss;
    case StepTimeColumn:
        return row.stepNs;
    case RateColumn:
        return row.stepsPerSecond();
    case WaitedColumn:
        return static_cast<double>(row.waitedNs);
    case ShareColumn:
        return m_lastedNs > 0 ? static_cast<double>(row.waitedNs) / static_cast<double>(m_lastedNs)
                              : RankFigures::kNone;
    case HeldColumn:
        return static_cast<double>(row.heldNs);
    case LongestColumn:
        return row.longestFrames;
    case PaddingColumn:
        return row.paddingShare;
    case IncidentsColumn:
        return row.incidents;
    default:
        return RankFigures::kNone;
    }
}

QString RangeModel::text(const RankFigures& row, int column) const {
    const double value = figure(row, column);
    if (!std::isfinite(value))
        return QStringLiteral("–");
    const auto whole = static_cast<std::int64_t>(std::llround(std::min(value, 9e18)));
    switch (column) {
    case RankColumn:
        return ranksText({row.rank});
    case MeanLossColumn:
    case LeastLossColumn:
    case MostLossColumn:
        return QString::number(value, 'g', 4);
    case RateColumn:
        return QString::number(value, 'f', value < 10 ? 2 : 1);
    case StepTimeColumn:
    case WaitedColumn:
    case HeldColumn:
        return durationText(whole);
    case ShareColumn:
    case PaddingColumn:
        return QStringLiteral("%1 %").arg(100 * value, 0, 'f', 1);
    default:
        return countText(whole);
    }
}

QVariant RangeModel::data(const QModelIndex& index, int role) const {
    if (!index.isValid() || index.row() >= rowCount() || index.column() >= ColumnCount)
        return {};
    const RankFigures& row = m_rows[static_cast<std::size_t>(index.row())];
    switch (role) {
    case Qt::DisplayRole:
        return text(row, index.column());
    case Qt::ToolTipRole:
        return plainToolTip(text(row, index.column()));
    case SortRole: {
        const double value = figure(row, index.column());
        return std::isnan(value) ? QVariant()
                                 : QVariant(value); // a missing figure is larger than any: NaN has no order
    }
    case Qt::TextAlignmentRole:
        return alignment(index.column());
    default:
        return {};
    }
}

QVariant RangeModel::alignment(int) const {
    return QVariant::fromValue(Qt::AlignRight | Qt::AlignVCenter);
}

std::span<const TableModel::Title> RangeModel::titles() const {
    static constexpr Title kTitles[] = {
        {QT_TR_NOOP("Rank")},
        {QT_TR_NOOP("Steps"), QT_TR_NOOP("Steps of the range that this rank has ended")},
        {QT_TR_NOOP("Mean loss"), QT_TR_NOOP("Mean of the losses that are not NaN")},
        {QT_TR_NOOP("Smallest loss"), QT_TR_NOOP("Smallest loss of a step")},
        {QT_TR_NOOP("Largest loss"), QT_TR_NOOP("Largest loss of a step")},
        {QT_TR_NOOP("Mean step"), QT_TR_NOOP("Mean time of a step, without the time between steps")},
        {QT_TR_NOOP("Steps/s"), QT_TR_NOOP("Steps per second, without the time between steps")},
        {QT_TR_NOOP("Waited"), QT_TR_NOOP("How long its training thread was blocked until the last rank arrived. Waits "
                                          "that have not ended are not counted.")},
        {QT_TR_NOOP("Waited, %"), QT_TR_NOOP("The same as a share of the time that these steps took")},
        {QT_TR_NOOP("Held others"),
         QT_TR_NOOP("How long the other ranks were blocked because of this one, summed over them")},
        {QT_TR_NOOP("Longest sequence"), QT_TR_NOOP("Frames of the longest sequence in a batch")},
        {QT_TR_NOOP("Padding"), QT_TR_NOOP("Share of the computed frames that is padding")},
        {QT_TR_NOOP("Incidents"), QT_TR_NOOP("Incidents of these steps in which this rank held up the others")}};
    return kTitles;
}

} // namespace rankscope::ui
