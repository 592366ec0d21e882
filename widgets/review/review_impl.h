// SPDX-License-Identifier: GPL-3.0-or-later
// The parts of the review page and how they are wired; ReviewPage is the face that other pages see.
#pragma once

#include "widgets/plots/overview_strip.h"
#include "widgets/plots/plot_export.h"
#include "widgets/plots/rank_plot.h"
#include "widgets/review/plot_controller.h"
#include "widgets/review/rank_board.h"
#include "widgets/review/review_layout.h"
#include "widgets/review/review_page.h"
#include "widgets/review/review_toolbar.h"
#include "widgets/waits/waits_pane.h"

#include <QLabel>
#include <QSplitter>
#include <QStackedWidget>

#include <array>

namespace rankscope::ui {

struct ReviewPage::Impl final : QObject {
    explicit Impl(ReviewPage* reviewPage);

    void setSession(RunSession* session);
    void retranslate();
    void setSmoothing(bool on);
    void setLogScale(bool on);
    void setTimeAxis(bool on);
    void setSolo(int rank);
    QString sentence(qint64 id) const;
    void stepIncident(int direction);
    void selectIncident(qint64 id);
    void setPaneShown(int pane, bool shown);
    ReviewLayout layout() const;
    void setLayout(const ReviewLayout& layout);
    bool isComplete() const;
    ExportJob exportJob() const;

    ReviewPage* page;
    QPointer<RunSession> session;
    PlotController controller;
    RankChoice choice;
    qint64 selected = 0;
    bool log = false, smooth = false;
    bool windowDrawn = false; ///< an answer of this session has reached the plots
    std::array<bool, ReviewLayout::PaneCount> shown = ReviewLayout{}.shown;

    QStackedWidget* stack = nullptr;
    QLabel *empty = nullptr, *notice = nullptr, *waiting = nullptr;
    RankBoard* board = nullptr;
    ReviewToolbar* toolbar = nullptr;
    QSplitter* splitter = nullptr;
    std::array<RankPlot*, 3> plots{};
    OverviewStrip* strip = nullptr;
    WaitsPane* whoWaits = nullptr;

private:
    QWidget* makeContent();
    void makePanesMenu();
    void connectToolbar();
    void connectPlot(RankPlot* plot);
    void clickIncident(qint64 id);
    void updateView();
    void updateNotice(const RunView& view);
    void updateValidations();
    void updateWaiting(const RunView& view);
    void updateRanges();
    void updateLines();
    void updateSpans();
    void askWaits();
    void updateBottom();
    void takeWindow(const SeriesReply& reply);
    void takeOverview(const SeriesReply& reply);
    void hover(const RankPlot* over, std::optional<double> x);
    QString rangeText() const;
    bool eventFilter(QObject* watched, QEvent* event) override;
};

} // namespace rankscope::ui
