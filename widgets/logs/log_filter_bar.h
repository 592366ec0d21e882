// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "widgets/models/logs/log_line.h"

#include <QTimer>
#include <QWidget>

class QComboBox;
class QLineEdit;
class QToolButton;

namespace rankscope::ui {

/// Chooses the lines of the log that are shown, by rank, level and text, and steps from match to match.
class LogFilterBar final : public QWidget {
    Q_OBJECT
public:
    explicit LogFilterBar(QWidget* parent = nullptr);

    /// Returns the filter. A text that is not a regular expression is used as plain text; problem() then says why.
    LogFilter filter() const;
    QString problem() const;
    /// Returns whether only matching lines are shown; if not, all lines of the rank are, and the user steps through
    /// matches.
    bool onlyMatches() const;
    bool hasText() const;
    bool isFiltered() const; ///< whether any filter is set
    /// Emits changed() immediately if a text was typed a moment ago.
    void applyPending();

    /// `command`: the output of a watched command can be chosen, too.
    void setRanks(std::size_t count, bool command = false);
    /// Chooses a rank; -2: all, -1: the supervisor; or kCommandLog.
    void chooseRank(int rank);
    void focusText();
    void setSearching(bool running);
    void retranslate();

signals:
    void changed();
    void stepRequested(bool forward);
    void cancelRequested();

private:
    QToolButton* addButton();

    QComboBox *m_rank, *m_level;
    QLineEdit* m_text;
    QToolButton *m_only, *m_previous, *m_next, *m_cancel;
    QTimer m_typed; ///< active while a text is typed
};

} // namespace rankscope::ui
