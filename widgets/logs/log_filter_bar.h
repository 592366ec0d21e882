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

    /// A text that is no regular expression is taken as it is; problem() says why then.
    LogFilter filter() const;
    QString problem() const;
    /// False: all lines of the rank are shown, and matches are stepped through.
    bool onlyMatches() const;
    bool hasText() const;
    bool isFiltered() const; ///< by anything
    /// Emits changed() at once if a text was typed a moment ago.
    void applyPending();

    void setRanks(std::size_t count);
    /// -2: all; -1: the supervisor.
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
    QTimer m_typed; ///< runs while a text is typed
};

} // namespace rankscope::ui
