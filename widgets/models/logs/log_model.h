// SPDX-License-Identifier: GPL-3.0-or-later
// The lines that the filter kept, as a table with ranged changes; the newest at the end, bounded.
#pragma once

#include "widgets/models/logs/log_line.h"

#include <QAbstractTableModel>

namespace rankscope::ui {

class LogModel final : public QAbstractTableModel {
    Q_OBJECT
public:
    enum Column { RankColumn, TimeColumn, LevelColumn, TextColumn, ColumnCount };
    enum Role { RankRole = Qt::UserRole, LevelRole, TimeRole };

    explicit LogModel(qsizetype maxRows, QObject* parent = nullptr) : QAbstractTableModel(parent), m_maxRows(maxRows) {}

    void replace(const LogLines& lines);
    /// Drops the oldest rows beyond the bound; returns how many.
    int append(const LogLines& lines);
    const LogLine& line(int row) const { return m_lines[row]; }
    /// The row of a line that was shown before a replace(); -1: not there any more.
    int find(const LogLine& line) const;
    /// The first row at or after a moment.
    int rowAt(std::int64_t timeMs) const;

    /// Whether any line has a level of its own: most logs say nothing but "info".
    bool hasLevels() const { return m_levels; }
    void retranslate(); ///< all texts changed with the language

    int rowCount(const QModelIndex& parent = {}) const override;
    int columnCount(const QModelIndex& parent = {}) const override;
    QVariant data(const QModelIndex& index, int role) const override;
    QVariant headerData(int section, Qt::Orientation orientation, int role) const override;

private:
    QVariant text(const LogLine& line, int column) const;

    qsizetype m_maxRows;
    LogLines m_lines;
    bool m_levels = false;
};

} // namespace rankscope::ui
