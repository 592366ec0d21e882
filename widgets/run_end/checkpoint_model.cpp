// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/run_end/checkpoint_model.h"

#include "core/base/text/unit_format.h"
#include "widgets/models/text/text_format.h"
#include "widgets/models/text/tool_tip.h"

#include <QDateTime>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

namespace rankscope::ui {

void CheckpointModel::setCheckpoints(const launch::RunCheckpoints& checkpoints) {
    const std::string metric = checkpoints.monitor.empty() ? "val_loss" : checkpoints.monitor;
    std::vector<CheckpointItem> rows;
    for (const auto& file : checkpoints.files) {
        CheckpointItem row;
        row.name = file.name;
        row.step = file.steps - 1;
        const auto loss = file.metrics.find(metric);
        if (loss != file.metrics.end() && std::isfinite(loss->second))
            row.loss = loss->second;
        row.bytes = file.bytes;
        row.writtenRealtimeNs = file.writtenRealtimeNs;
        row.best = file.best;
        row.last = file.last;
        row.problem = file.problem;
        rows.push_back(std::move(row));
    }
    for (const auto& model : checkpoints.models) {
        CheckpointItem row;
        row.name = model.name;
        row.step = model.steps - 1;
        row.bytes = model.bytes;
        row.writtenRealtimeNs = model.writtenRealtimeNs;
        row.model = true;
        rows.push_back(std::move(row));
    }
    const QString shown = toQString(metric);
    if (rows == m_rows && shown == m_metric)
        return;
    beginResetModel();
    m_rows = std::move(rows);
    m_metric = shown;
    endResetModel();
}

int CheckpointModel::rowOf(const QString& name) const {
    const auto it =
        std::find_if(m_rows.begin(), m_rows.end(), [&](const CheckpointItem& r) { return toQString(r.name) == name; });
    return it == m_rows.end() ? -1 : static_cast<int>(it - m_rows.begin());
}

QString CheckpointModel::marksOf(const CheckpointItem& row) const {
    if (row.model)
        return tr("for NeMo");
    if (!row.problem.empty())
        return tr("cannot be used");
    QStringList marks;
    if (row.best)
        marks << tr("best");
    if (row.last)
        marks << tr("last");
    return marks.join(tr(", ", "best, last"));
}

/// Returns core's message in the window's language; the error of a damaged header is shown unchanged.
QString CheckpointModel::problemOf(const CheckpointItem& row) {
    static constexpr std::array known{
        QT_TR_NOOP("contains only weights: training cannot resume from it"),
        QT_TR_NOOP("does not say after which step it was made"),
        QT_TR_NOOP("its weights are not finite"),
    };
    for (const char* sentence : known)
        if (row.problem == sentence)
            return tr(sentence);
    return toQString(row.problem);
}

QString CheckpointModel::text(const CheckpointItem& row, int column) const {
    switch (column) {
    case StepColumn:
        return row.step >= 0 ? countText(row.step) : QStringLiteral("–");
    case LossColumn:
        return row.loss ? QString::number(*row.loss, 'f', 4) : QStringLiteral("–");
    case MarkColumn:
        return marksOf(row);
    case SizeColumn:
        return toQString(formatBytes(static_cast<std::int64_t>(row.bytes)));
    case TimeColumn:
        return QDateTime::fromMSecsSinceEpoch(row.writtenRealtimeNs / 1'000'000)
            .toString(QStringLiteral("yyyy-MM-dd HH:mm:ss"));
    case FileColumn:
        return row.problem.empty() ? toQString(row.name)
                                   : tr("%1: %2", "a file and its problem").arg(toQString(row.name), problemOf(row));
    default:
        return {};
    }
}

QVariant CheckpointModel::sortKey(const CheckpointItem& row, int column) const {
    switch (column) {
    case StepColumn:
        return QVariant::fromValue<qint64>(row.step);
    case LossColumn:
        return row.loss.value_or(std::numeric_limits<double>::infinity());
    case SizeColumn:
        return QVariant::fromValue<quint64>(row.bytes);
    case TimeColumn:
        return QVariant::fromValue<qint64>(row.writtenRealtimeNs);
    default:
        return text(row, column);
    }
}

QVariant CheckpointModel::data(const QModelIndex& index, int role) const {
    if (!index.isValid() || index.row() >= rowCount())
        return {};
    const CheckpointItem& row = m_rows[static_cast<std::size_t>(index.row())];
    switch (role) {
    case Qt::DisplayRole:
        return text(row, index.column());
    case Qt::TextAlignmentRole:
        return alignment(index.column());
    case Qt::ToolTipRole:
        if (index.column() == StepColumn && row.model && row.step < 0)
            return tr("After which step these weights were taken is not recorded");
        return plainToolTip(text(row, FileColumn));
    case NameRole:
        return toQString(row.name);
    case UsableRole: // training can be resumed from it
        return !row.model && row.problem.empty();
    case SortRole:
        return sortKey(row, index.column());
    default:
        return {};
    }
}

std::span<const TableModel::Title> CheckpointModel::titles() const {
    static constexpr Title kTitles[] = {{QT_TR_NOOP("After step")}, {nullptr},
                                        {QT_TR_NOOP("Mark")},       {QT_TR_NOOP("Size")},
                                        {QT_TR_NOOP("Written")},    {QT_TR_NOOP("File")}};
    return kTitles;
}

QVariant CheckpointModel::alignment(int column) const {
    const bool figure = column == StepColumn || column == LossColumn || column == SizeColumn;
    return QVariant::fromValue((figure ? Qt::AlignRight : Qt::AlignLeft) | Qt::AlignVCenter);
}

QVariant CheckpointModel::headerData(int section, Qt::Orientation orientation, int role) const {
    if (section == LossColumn && orientation == Qt::Horizontal && role == Qt::DisplayRole)
        return m_metric.isEmpty() ? QStringLiteral("val_loss") : m_metric;
    return TableOf::headerData(section, orientation, role);
}

} // namespace rankscope::ui
