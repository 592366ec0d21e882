// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "widgets/models/curves/curve_axis.h"
#include "widgets/models/view/run_view.h"
#include "widgets/plots/axes/plot_range.h"
#include "widgets/review/panes/panes_menu.h"

#include <QPointer>
#include <QWidget>

#include <memory>
#include <optional>
#include <utility>

class QLabel;
class QMenu;
class QStackedWidget;

namespace rankscope::ui {

class AnnotationBar;
class AnnotationController;
class AnnotationPane;
class CheckpointPane;
class RunEndPane;
class FilterBar;
class FilterController;
class OverviewStrip;
class PlotExporter;
class PlotFeed;
class PlotMenu;
class PlotStack;
class PlotsCover;
class RankBoard;
class RangeFigures;
class RangePane;
class RankPlot;
class ReviewToolbar;
class RunEndController;
class RunNotice;
class PlotExtras;
class RunSession;
class WaitsPane;
class WindowLink;

/// Shows a live or recorded run with rank board, linked plots and overview strip. The plots' window is only a view; a
/// brushed interval is a filter, which stays until it is removed.
class ReviewPage final : public QWidget {
    Q_OBJECT
public:
    explicit ReviewPage(QWidget* parent = nullptr);
    ~ReviewPage() override;

    void setSession(RunSession* session); ///< null: the empty state
    /// Returns whether everything that the session has is drawn; for screenshots and tests.
    bool isComplete() const;
    bool follow() const;
    bool showsAll() const; ///< whether the whole run is in view and stays so
    bool logScale() const;
    bool smoothing() const;
    CurveAxis axis() const;
    bool hasAxis(CurveAxis axis) const; ///< an axis of samples needs batch sizes
    /// Writes PNG, PDF, SVG or CSV by suffix; returns an error text, empty on success.
    QString exportTo(const QString& file) const;
    /// Returns the steps in view; none while the axis is in time, or if nothing was measured.
    std::optional<std::pair<qint64, qint64>> seenSteps() const;
    QByteArray saveLayout() const;
    void restoreLayout(const QByteArray& layout);
    /// Adds a plot of a column of table step, of "tag:" and a tag of an import, or of "resource:" and a resource's
    /// name. Returns false if there is no such series, or no room.
    bool addPlot(const QString& series);
    RunEndController* ending() const {
        return m_ending;
    } ///< the run's results: their panes here, and requests to other pages
    AnnotationController* annotations() const { return m_annotations; } ///< what users wrote about steps
    void showCheckpoints(bool on) { m_panes->setShown(ReviewLayout::CheckpointsPane, on); }
    bool checkpointsShown() const { return m_panes->isShown(ReviewLayout::CheckpointsPane); }
    void showAnnotations(bool on) { m_panes->setShown(ReviewLayout::AnnotationsPane, on); }
    bool annotationsShown() const { return m_panes->isShown(ReviewLayout::AnnotationsPane); }

public slots:
    void setFollow(bool on);
    void setLogScale(bool on);
    void setSmoothing(bool on);
    void setAxis(rankscope::ui::CurveAxis axis);
    void nextAxis();         ///< cycles through steps, time and samples
    void soloRank(int rank); ///< -1: all
    void zoomIn();
    void zoomOut();
    void zoomAll();
    void showStep(qint64 step);                        ///< scrolls it into view
    void showSteps(qint64 first, qint64 last);         ///< makes them the plots' window
    void showTime(qint64 fromNs, qint64 toNs);         ///< set by another page; windowChanged() is not emitted
    void showAll();                                    ///< the same for the whole run
    void setFilter(qint64 firstStep, qint64 lastStep); ///< -1: none
    void goBack();                                     ///< to the previous view
    void goForward();
    void annotate(); ///< at the crosshair, or in the middle of the view
    void selectIncident(qint64 id);
    void nextIncident();
    void previousIncident();
    void exportPlots(); ///< asks for a file; PNG, PDF, SVG or CSV by suffix

signals:
    void message(const QString& text);                        ///< what was done
    void failed(const QString& problem);                      ///< what could not be done
    void logRequested(int rank, qint64 timeNs);               ///< timeNs since the run's start; -1: the newest
    void incidentSelected(qint64 id);                         ///< its mark was clicked
    void windowChanged(double fromSeconds, double toSeconds); ///< since the run's start
    void rangeChanged(rankscope::ui::PlotRange range, rankscope::ui::CurveAxis axis);
    void filterChanged(qint64 firstStep, qint64 lastStep); ///< -1, -1: none
    void switchesChanged();                                ///< follow, log scale, smoothing or axis: menus show them

private:
    void build();
    void connectParts();
    void connectToolbar();
    void fillPanesMenu();
    void connectPlot(RankPlot* plot);
    void retranslate();
    void updateView();
    void updateCover();
    void updateChain();
    void updateRangeText();
    void updateAxisButtons();
    void showWindow();
    void clickIncident(qint64 id);
    void stepIncident(int direction);
    void setSmoothingHalfLife(double steps);
    void setWithChain(bool on);
    void annotateAt(std::optional<double> x); ///< none: at the crosshair, or in the middle of the view
    bool hasSteps() const;

    QPointer<RunSession> m_session;
    PlotExtras* m_extras;
    QStackedWidget* m_stack = nullptr;
    QLabel* m_empty = nullptr;
    RunNotice* m_notice = nullptr;
    PlotsCover* m_cover = nullptr;
    RankBoard* m_board = nullptr;
    ReviewToolbar* m_toolbar = nullptr;
    FilterBar* m_filterBar = nullptr;
    AnnotationBar* m_annotationBar = nullptr;
    AnnotationPane* m_annotationPane = nullptr;
    PlotStack* m_plots = nullptr;
    OverviewStrip* m_strip = nullptr;
    WaitsPane* m_waits = nullptr;
    RangePane* m_statistics = nullptr;
    RunEndPane* m_endingPane = nullptr;
    CheckpointPane* m_checkpoints = nullptr;
    RunEndController* m_ending = nullptr;
    PlotFeed* m_feed = nullptr;
    WindowLink* m_link = nullptr;
    std::unique_ptr<RangeFigures> m_figures;
    PanesMenu* m_panes = nullptr;
    PlotExporter* m_exporter = nullptr;
    PlotMenu* m_plotMenu = nullptr;
    FilterController* m_filters = nullptr;
    AnnotationController* m_annotations = nullptr;
    QMenu* m_addMenu = nullptr;
    QAction* m_chainAction = nullptr;
};

} // namespace rankscope::ui
