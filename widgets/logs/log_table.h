// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "widgets/models/logs/log_model.h"
#include "widgets/models/logs/log_part.h"

#include <QTableView>

#include <algorithm>
#include <optional>

namespace rankscope::ui {

class LogDelegate;

/// Shows the lines of the log. Each column is as wide as the lines in view need.
class LogTable final : public QTableView {
    Q_OBJECT
public:
    explicit LogTable(QWidget* parent = nullptr);

    LogModel* lines() const { return m_lines; }
    int topRow() const { return rowAt(0); }
    int bottomRow() const { return std::max(topRow(), rowAt(viewport()->height() - 1)); }
    std::optional<LogPlace> placeOf(int row) const;
    /// Underlines the pattern's matches.
    void setPattern(const QRegularExpression& pattern);
    void setWrap(bool on);
    void fitRows();
    void fitText();
    void copySelection() const;
    void retranslate();

signals:
    void scrolled(int value); ///< the vertical bar moved; emitted before any row is fitted

private:
    void applyTheme();

    LogModel* m_lines;
    LogDelegate* m_delegate;
    bool m_wrap = false, m_fitting = false;
};

} // namespace rankscope::ui
