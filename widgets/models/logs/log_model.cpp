// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/models/logs/log_model.h"

#include "widgets/models/text/text_format.h"
#include "widgets/models/text/tool_tip.h"

#include <QDateTime>

#include <algorithm>

namespace rankscope::ui {

/// Returns the level; nothing for "info", which is all that most lines have.
static QString levelText(const LogLine& line) {
    return line.level == telemetry::NoteSeverity::Info ? QString() : severityText(line.level);
}

/// Returns the text with its level, for readers who do not see how the line is marked.
static QString spokenText(const LogLine& line) {
    const QString level = levelText(line);
    return level.isEmpty() ? line.text : QStringLiteral("%1: %2").arg(level, line.text);
}

static QString tipOf(const LogLine& line, bool ofText) {
    const bool isLong = ofText && line.text.size() > 120;
    const QString tip = isLong ? spokenText(line) : levelText(line);
    return tip.isEmpty() ? tip : plainToolTip(tip);
}

void LogModel::replace(const LogLines& lines) {
    beginResetModel();
    m_rows = lines.size() > m_maxRows ? lines.last(m_maxRows) : lines;
    endResetModel();
}

int LogModel::append(const LogLines& lines) {
    const LogLines kept = lines.size() > m_maxRows ? lines.last(m_maxRows) : lines;
    const qsizetype excess = std::min(m_rows.size() + kept.size() - m_maxRows, m_rows.size());
    if (excess > 0) {
        beginRemoveRows({}, 0, static_cast<int>(excess) - 1);
        m_rows.remove(0, excess);
        endRemoveRows();
    }
    if (!kept.isEmpty()) {
        const auto first = static_cast<int>(m_rows.size());
        beginInsertRows({}, first, first + static_cast<int>(kept.size()) - 1);
        m_rows.append(kept);
        endInsertRows();
    }
    return static_cast<int>(std::max<qsizetype>(0, excess));
}

int LogModel::find(const LogLine& line) const {
    const auto it = std::find_if(m_rows.begin(), m_rows.end(), [&](const LogLine& l) {
        return l.offset == line.offset && l.rank == line.rank && l.source == line.source;
    });
    return it == m_rows.end() ? -1 : static_cast<int>(it - m_rows.begin());
}

int LogModel::rowAt(std::int64_t timeMs) const {
    const auto it = std::find_if(m_rows.begin(), m_rows.end(), [&](const LogLine& l) { return l.timeMs >= timeMs; });
    return static_cast<int>(it - m_rows.begin());
}

QVariant LogModel::text(const LogLine& line, int column) const {
    switch (column) {
    case RankColumn:
        return line.rank == kCommandLog ? tr("command")
               : line.rank < 0          ? tr("supervisor")
                                        : tr("rank %1").arg(line.rank);
    case TimeColumn:
        if (!line.ownTime)
            return QString();
        return QDateTime::fromMSecsSinceEpoch(line.timeMs).toString(QStringLiteral("HH:mm:ss.zzz"));
    case TextColumn:
        return line.text;
    default:
        return {};
    }
}

QVariant LogModel::data(const QModelIndex& index, int role) const {
    if (!index.isValid() || index.row() >= m_rows.size())
        return {};
    const LogLine& line = m_rows[index.row()];
    switch (role) {
    case Qt::DisplayRole:
        return text(line, index.column());
    case RankRole:
        return line.rank;
    case LevelRole:
        return static_cast<int>(line.level);
    case TimeRole:
        return QVariant::fromValue<qint64>(line.timeMs);
    case Qt::AccessibleTextRole:
        return index.column() == TextColumn ? QVariant(spokenText(line)) : text(line, index.column());
    case Qt::ToolTipRole:
        return tipOf(line, index.column() == TextColumn);
    default:
        return {};
    }
}

std::span<const TableModel::Title> LogModel::titles() const {
    static constexpr Title kTitles[] = {{QT_TR_NOOP("Rank")}, {QT_TR_NOOP("Time")}, {QT_TR_NOOP("Message")}};
    return kTitles;
}

} // namespace rankscope::ui
