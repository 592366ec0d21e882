// SPDX-License-Identifier: GPL-3.0-or-later
// Holds the lines the filter kept as a table with ranged changes; newest at the end, bounded.
#pragma once

#include "widgets/models/base/table_model.h"
#include "widgets/models/logs/log_line.h"

namespace rankscope::ui {

class LogModel final : public TableOf<LogLines> {
    Q_OBJECT
public:
    enum LogColumn { RankColumn, TimeColumn, TextColumn, ColumnCount };
    enum LogRole { RankRole = Qt::UserRole, LevelRole, TimeRole };

    explicit LogModel(qsizetype maxRows, QObject* parent = nullptr) : TableOf(parent), m_maxRows(maxRows) {}

    void replace(const LogLines& lines);
    /// Appends lines and drops the oldest rows beyond the bound; returns how many were dropped.
    int append(const LogLines& lines);
    const LogLine& line(int row) const { return m_rows[row]; }
    /// Returns the row of a line that was shown before a replace(); -1: it is no longer there.
    int find(const LogLine& line) const;
    /// Returns the first row at or after a moment.
    int rowAt(std::int64_t timeMs) const;

    QVariant data(const QModelIndex& index, int role) const override;

private:
    std::span<const Title> titles() const override;
    QVariant text(const LogLine& line, int column) const;

    qsizetype m_maxRows;
};

} // namespace rankscope::ui
