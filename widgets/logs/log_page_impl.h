// SPDX-License-Identifier: GPL-3.0-or-later
// The log page's parts and state.
#pragma once

#include "widgets/logs/log_delegate.h"
#include "widgets/logs/log_page.h"
#include "widgets/logs/log_position_bar.h"
#include "widgets/logs/log_thread.h"
#include "widgets/models/logs/log_model.h"

#include <QAction>
#include <QBoxLayout>
#include <QComboBox>
#include <QLabel>
#include <QLineEdit>
#include <QPointer>
#include <QStackedWidget>
#include <QTableView>
#include <QTimer>
#include <QToolButton>

#include <optional>

namespace rankscope::ui {

struct LogPage::Impl final : QObject {
    explicit Impl(LogPage* logPage);

    void setSession(RunSession* next);
    void open();
    void look();
    void retranslate();
    void fillRanks();
    void applyFilter();
    void takeReplaced(const LogLinesPtr& lines, bool older, qsizetype held);
    void takeAppended(const LogLinesPtr& lines, qsizetype held);
    void scrolled(int value);
    void setFollow(bool on);
    void toEnd();
    void takePart(const LogPartPtr& part);
    void takeSearch(const LogSearch& next);
    void ask(const LogPlace& place, bool jump);
    std::optional<LogPlace> placeOf(int row) const;
    void step(bool forward);
    void openGoTo();
    void goTo(const QString& where);
    void goToStep(std::int64_t step);
    void saveLines();
    void setWrap(bool on);
    void fitRows();
    void fitText(); ///< the text column as wide as the lines in view
    void showLevels();
    void updateFollow();
    bool isLive() const;
    void showPatternProblem(const QString& problem);
    void buildMore(QBoxLayout* row);
    void buildGoTo(QBoxLayout* column);
    void buildSearch(QBoxLayout* row);
    void retranslateSearch();
    void updateSpan();
    void copySelection() const;
    void updateCount(qsizetype held);
    void updateEmpty();
    void applyTheme();
    void buildBar(QBoxLayout* column);
    void buildTable();

    LogPage* page;
    QPointer<RunSession> session;
    LogThread thread;
    LogModel* model;
    LogDelegate* delegate = nullptr;
    QComboBox *rank = nullptr, *level = nullptr;
    QLineEdit* filter = nullptr;
    QToolButton *follow = nullptr, *only = nullptr, *previous = nullptr, *nextButton = nullptr, *cancel = nullptr,
                *more = nullptr;
    QAction *saveAction = nullptr, *goToAction = nullptr, *wrapAction = nullptr, *copyAction = nullptr;
    QWidget* goToBar = nullptr;
    QLineEdit* goToEdit = nullptr;
    QLabel* goToHint = nullptr;
    LogPosition* position = nullptr;
    QLabel *count = nullptr, *empty = nullptr, *patternHint = nullptr;
    QTableView* table = nullptr;
    QStackedWidget* stack = nullptr;
    QTimer filterTimer;
    bool looked = false; ///< the page was seen since there is this session
    int worldSize = -1;  ///< of the files that are open; -1: none
    qsizetype total = 0; ///< lines that the feed holds, unfiltered
    std::int64_t lastNote = 0;
    bool olderThere = false, olderAsked = false, settingFollow = false;
    bool newerThere = false; ///< what is shown is a part from elsewhere, and does not reach the end
    bool partShown = false;  ///< not the end of the logs that the feed holds
    bool fitting = false;
    bool toTheEnd = true; ///< of a run that has ended, until the user goes elsewhere
    bool jumping = false; ///< the next part was asked for by name, not by scrolling
    double partFrom = 0, partTo = 1;
    LogSearch search;
    QString told; ///< by the feed, until something else is done
};

} // namespace rankscope::ui
