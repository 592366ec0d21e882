// SPDX-License-Identifier: GPL-3.0-or-later
// The parts of the review page and how they are wired; ReviewPage is the face that other pages see.
#pragma once

#include "widgets/run_end/checkpoint_pane.h"
#include "widgets/run_end/run_end_pane.h"
#include "widgets/run_end/run_end_controller.h"
#include "widgets/models/run/plot_extras_loader.h"
#include "widgets/plots/overview/overview_strip.h"
#include "widgets/plots/export/plot_export.h"
#include "widgets/plots/plot/rank_plot.h"
#include "widgets/review/bars/annotation_bar.h"
#include "widgets/review/bars/filter_bar.h"
#include "widgets/review/series/shared_axis_controller.h"
#include "widgets/review/series/plot_series.h"
#include "widgets/review/board/rank_board.h"
#include "widgets/review/series/resource_plots.h"
#include "widgets/review/page/review_layout.h"
#include "widgets/review/page/review_page.h"
#include "widgets/review/bars/review_toolbar.h"
#include "widgets/review/bars/view_history.h"
#include "widgets/waits/waits_pane.h"

#include <QElapsedTimer>
#include <QLabel>
#include <QMenu>
#include <QScrollArea>
#include <QSplitter>
#include <QStackedWidget>

#include <array>

namespace rankscope::ui {

struct PlotPane {
    PlotSeries series;
    RankPlot* plot = nullptr;
    bool log = false, pinned = false;
};

struct ReviewPage::Impl final : QObject {
    explicit Impl(ReviewPage* reviewPage);

    void setSession(RunSession* session);
    void retranslate();
    void setSmoothing(bool on);
    void setSmoothingHalfLife(double steps);
    void setAxis(CurveAxis axis);
    bool hasAxis(CurveAxis axis) const;
    QString sentence(qint64 id) const;
    void stepIncident(int direction);
    void selectIncident(qint64 id);
    void setPaneShown(int pane, bool shown);
    void setWithChain(bool on); ///< what came before a resumed run
    ReviewLayout layout() const;
    void setLayout(const ReviewLayout& layout);
    bool isComplete() const;
    ExportJob exportJob(const QList<RankPlot*>& only = {}) const;
    void exportDialog(const QList<RankPlot*>& only);

    // review_plots.cpp
    void setLogScale(bool on);
    bool addPlot(const PlotSeries& series);
    void removePlot(RankPlot* plot);
    void setPlotLog(RankPlot* plot, bool on);
    void setIgnoreOutliers(bool on);
    void outliersChanged(); ///< of one plot
    QList<RankPlot*> plots() const;
    void fillAddMenu(QMenu* menu);

    // review_arrange.cpp
    void movePlot(RankPlot* plot, int by);
    void movePlotTo(const RankPlot* plot, qsizetype to);
    void setPinned(RankPlot* plot, bool on);
    QList<bool> pinnedPlots() const;

    // review_filters.cpp
    void setFilter(std::optional<store::StepInterval> steps);
    void setSolo(int rank);
    void changeChoice(const std::function<void(RankChoice&)>& change);
    void goBack(bool forward);
    void showLinked(qint64 fromNs, qint64 toNs);
    void noteView(ViewHistory::Kind kind);

    // review_marks.cpp
    void annotate(std::optional<double> x);
    void undoAnnotation();

    ReviewPage* page;
    QPointer<RunSession> session;
    PlotController controller;
    RunExtras extras;
    ResourcePlots resources;
    ExtrasPtr extra = std::make_shared<const ExtrasView>();
    RankChoice choice;
    ViewHistory history;
    std::optional<store::StepInterval> filter;
    qint64 selected = 0;
    bool log = false, smooth = false;
    double smoothHalfLife = CurveSmoothing::kUsualHalfLife;
    CurveAxis wantedAxis = CurveAxis::Step; ///< shown where the run has it
    /// Points that came while the view moves: they wait for the next frame of it, which shows both.
    std::vector<std::pair<store::Metric, std::vector<Samples>>> held;
    QTimer heldTimer;
    bool rangesHeld = false;  ///< the window has moved and is not drawn yet
    bool windowDrawn = false; ///< an answer of this session has reached the plots
    std::array<bool, ReviewLayout::PaneCount> shown = ReviewLayout{}.shown;
    std::vector<PlotPane> panes;

    QStackedWidget* stack = nullptr;
    QLabel *empty = nullptr, *notice = nullptr, *waiting = nullptr;
    RankBoard* board = nullptr;
    ReviewToolbar* toolbar = nullptr;
    FilterBar* filters = nullptr;
    AnnotationBar* annotations = nullptr;
    QSplitter* splitter = nullptr;
    QScrollArea* plotsArea = nullptr; ///< around the splitter
    OverviewStrip* strip = nullptr;
    WaitsPane* whoWaits = nullptr;
    EndingPane* endingPane = nullptr;
    CheckpointPane* checkpoints = nullptr;
    RunEnding* ending = nullptr;
    QMenu* addMenu = nullptr;
    QAction* chainAction = nullptr;
    QWidget* insertion = nullptr; ///< where a dragged plot would go

private:
    /// One change of the annotations, and how to take it back.
    struct AnnotationChange {
        std::optional<launch::Annotation> before, after;
    };

    QWidget* makeContent();
    void makePanesMenu();
    void connectToolbar();
    void connectBoard();
    void connectExtras();
    void connectPlot(RankPlot* plot);
    void clickIncident(qint64 id);
    void updateView();
    void applyAxis();
    void updateNotice(const RunView& view);
    void updateValidations();
    void updateChain();
    void updateWaiting(const RunView& view);
    void updateRanges();
    void applyRanges();
    void updateLines();
    void updateSpans();
    void updateOpenValues();
    void askWaits();
    std::filesystem::path storeAt(std::int64_t lastStep) const;
    void updateEnds();
    // review_data.cpp
    void takeWindow(const SeriesReply& reply);
    void showHeld();
    void dropHeld();
    void showNothingText(); ///< for plots without a value
    void takeOverview(const SeriesReply& reply);
    void hover(std::optional<double> x);
    QString rangeText() const;
    bool eventFilter(QObject* watched, QEvent* event) override;

    // review_plots.cpp
    PlotPane* paneOf(const RankPlot* plot);
    RankPlot* makePane(const PlotSeries& series, bool logScale);
    void askResources();
    void seriesChanged();
    // review_arrange.cpp
    void dragPlot(const RankPlot* plot, QPoint globalPos, RankPlot::TitleDrag phase);
    qsizetype gapAt(QPoint globalPos) const;
    void markGap(qsizetype gap);

    // review_plots.cpp
    void askTags(const SeriesRequest& window);
    void takeTags(const TagReply& reply);
    void plotMenu(RankPlot* plot, QPoint at, std::optional<double> x, qint64 annotation);

    // review_filters.cpp
    ViewState viewState() const;
    void applyFilter();
    void updateChips();
    void tellWindow();

    // review_marks.cpp
    void updateMarks();
    void editAnnotation(qint64 id);
    void keepAnnotation(launch::Annotation annotation);
    void removeAnnotation(qint64 id);
    void applyAnnotation(const AnnotationChange& change);
    void loadExtras();

    std::vector<AnnotationChange> m_annotationUndo;
    QElapsedTimer m_clock, m_sinceExtras;
    bool m_restoring = false; ///< a view of before is being shown: it is no new one
    bool m_linked = false;    ///< another page's window is being shown: it is not told its own
    PlotRange m_told{0, -1};  ///< seconds, as last told to other pages
    bool m_wasLive = false;
    const RunChain* m_chainShown = nullptr; ///< compared alone
};

} // namespace rankscope::ui
