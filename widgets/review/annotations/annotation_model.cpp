// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/review/annotations/annotation_model.h"

#include "widgets/models/text/text_format.h"
#include "widgets/models/text/tool_tip.h"

#include <QDateTime>

#include <algorithm>

namespace rankscope::ui {

bool AnnotationModel::setExtras(const ExtrasView& extras) {
    std::vector<AnnotationItem> rows;
    for (const auto& a : extras.annotations)
        rows.push_back(
            {a.id, a.firstStep, std::max(a.firstStep, a.lastStep), a.timeNs, toQString(a.text), a.madeRealtimeNs});
    for (const auto& alert : extras.alerts)
        rows.push_back({0, alert.step, alert.step, alert.timeNs, toQString(alert.text), 0});
    if (rows == m_rows)
        return false;
    beginResetModel();
    m_rows = std::move(rows);
    endResetModel();
    return true;
}

int AnnotationModel::rowOf(qint64 annotation) const {
    const auto it = std::ranges::find(m_rows, annotation, &AnnotationItem::id);
    return annotation == 0 || it == m_rows.end() ? -1 : static_cast<int>(it - m_rows.begin());
}

int AnnotationModel::rowOf(const AnnotationItem& item) const {
    if (item.id != 0)
        return rowOf(item.id);
    const auto it = std::ranges::find(m_rows, item);
    return it == m_rows.end() ? -1 : static_cast<int>(it - m_rows.begin());
}

QString AnnotationModel::text(const AnnotationItem& row, int column) const {
    switch (column) {
    case StepColumn:
        return row.firstStep < 0               ? QStringLiteral("–")
               : row.lastStep == row.firstStep ? countText(row.firstStep)
                                               : countText(row.firstStep) + u'–' + countText(row.lastStep);
    case TimeColumn:
        return row.timeNs > 0 ? durationText(row.timeNs) : QStringLiteral("–");
    case TextColumn:
        return row.text.simplified();
    case WrittenColumn:
        return row.id == 0 ? tr("by the command for incidents")
                           : QDateTime::fromMSecsSinceEpoch(row.madeRealtimeNs / 1'000'000)
                                 .toString(QStringLiteral("yyyy-MM-dd HH:mm:ss"));
    default:
        return {};
    }
}

QVariant AnnotationModel::sortKey(const AnnotationItem& row, int column) {
    switch (column) {
    case StepColumn:
        return QVariant::fromValue<qint64>(row.firstStep);
    case TimeColumn:
        return QVariant::fromValue<qint64>(row.timeNs);
    case WrittenColumn:
        return QVariant::fromValue<qint64>(row.madeRealtimeNs);
    default:
        return row.text;
    }
}

QVariant AnnotationModel::data(const QModelIndex& index, int role) const {
    if (!index.isValid() || index.row() >= rowCount())
        return {};
    const AnnotationItem& row = item(index.row());
    switch (role) {
    case Qt::DisplayRole:
        return text(row, index.column());
    case Qt::TextAlignmentRole:
        return alignment(index.column());
    case Qt::ToolTipRole:
        return plainToolTip(row.text);
    case SortRole:
        return sortKey(row, index.column());
    default:
        return {};
    }
}

std::span<const TableModel::Title> AnnotationModel::titles() const {
    static constexpr Title kTitles[] = {
        {QT_TR_NOOP("Step")},
        {QT_TR_NOOP("Time"), QT_TR_NOOP("Since the run's start")},
        {QT_TR_NOOP("Annotation")},
        {QT_TR_NOOP("Written")},
    };
    return kTitles;
}

QVariant AnnotationModel::alignment(int column) const {
    const bool figure = column == StepColumn || column == TimeColumn;
    return QVariant::fromValue((figure ? Qt::AlignRight : Qt::AlignLeft) | Qt::AlignVCenter);
}

} // namespace rankscope::ui
