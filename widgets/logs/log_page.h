// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "widgets/logs/log_thread.h"

#include <QPointer>
#include <QWidget>

class QAction;
class QBoxLayout;
class QLabel;
class QStackedWidget;
class QToolButton;

namespace rankscope::ui {

class LogFilterBar;
class LogGoToBar;
class LogModel;
class LogPosition;
class LogTable;
class RunSession;

/// Shows the logs of all ranks merged or of one, with a filter and a search. Large files are read in parts, never
/// whole.
class LogPage final : public QWidget {
    Q_OBJECT
public:
    explicit LogPage(QWidget* parent = nullptr);

    void setSession(RunSession* session);
    void showRank(int rank);  ///< -1: all
    void showTime(qint64 ns); ///< since the run's start; -1: the newest
    void focusFilter();

protected:
    void showEvent(QShowEvent* event) override;

private:
    QWidget* buildBar();
    void buildMenu(QBoxLayout* row);
    void connectFeed();
    void retranslate();
    void openFiles();
    void fillRanks();
    void applyFilter();
    void showPatternProblem();
    void takeReplaced(const LogLinesPtr& lines, bool older, qsizetype held);
    void takeAppended(const LogLinesPtr& lines, qsizetype held);
    void takePart(const LogPartPtr& part);
    void scrolled(int value);
    void setFollow(bool on);
    void updateFollow();
    void toEnd();
    void goTo(const LogPlace& place);
    void goToTime(qint64 timeMs);
    void step(bool forward);
    void saveLines();
    bool isLive() const;
    void updateSpan();
    void updateCount();
    void updateEmpty();

    QPointer<RunSession> m_session;
    LogThread m_thread;
    LogFilterBar* m_filter;
    LogGoToBar* m_goTo;
    LogTable* m_table;
    LogModel* m_lines; ///< model of the table
    LogPosition* m_position;
    QLabel *m_count, *m_empty, *m_patternHint;
    QStackedWidget* m_stack;
    QToolButton *m_follow, *m_more;
    QAction *m_copyAction, *m_saveAction, *m_goToAction, *m_wrapAction;
    LogSearch m_search;
    QString m_message;    ///< the feed's message, until the next action
    qsizetype m_held = 0; ///< lines that the feed holds, unfiltered
    int m_worldSize = -1; ///< of the open files; -1: none
    std::int64_t m_lastNote = 0;
    bool m_seen = false; ///< the page was visible in this session
    bool m_olderThere = false, m_olderAsked = false, m_settingFollow = false;
    bool m_newerThere = false; ///< the shown part does not reach the end of the logs
    bool m_partShown = false;  ///< the part shown is not the end of the logs that the feed holds
    bool m_toTheEnd = true;    ///< for a run that has ended: show the end until the user moves
    double m_partFrom = 0, m_partTo = 1;
};

} // namespace rankscope::ui
