// SPDX-License-Identifier: GPL-3.0-or-later
// The lines that the filter kept, as a table with ranged changes; the newest at the end, bounded.
#pragma once

#include "widgets/models/base/table_model.h"
#include "widgets/models/logs/log_line.h"

namespace rankscope::ui {

class LogModel final : public TableOf<LogLines> {
    Q_OBJECT
public:
    enum Column { RankColumn, TimeColumn, LevelColumn, TextColumn, ColumnCount };
    enum Role { RankRole = Qt::UserRole, LevelRole, TimeRole };

    explicit LogModel(qsizetype maxRows, QObject* parent = nullptr) : TableOf(parent), m_maxRows(maxRows) {}

    void replace(const LogLines& lines);
    /// Drops the oldest rows beyond the bound; returns how many.
    int append(const LogLines& lines);
    const LogLine& line(int row) const { return m_rows[row]; }
    /// The row of a line that was shown before a replace(); -1: not there any more.
    int find(const LogLine& line) const;
    /// The first row at or after a moment.
    int rowAt(std::int64_t timeMs) const;

    /// Whether any line has a level of its own: most logs say nothing but "info".
    bool hasLevels() const { return m_levels; }

    QVariant data(const QModelIndex& index, int role) const override;

private:
    std::span<const Title> titles() const override;
    QVariant text(const LogLine& line, int column) const;

    qsizetype m_maxRows;
    bool m_levels = false;
};

} // namespace rankscope::ui
