// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "widgets/models/run/plot_extras_loader.h"
#include "widgets/review/board/rank_choice.h"
#include "widgets/review/series/resource_plots.h"
#include "widgets/review/series/shared_axis_controller.h"
#include "widgets/review/series/tag_plots.h"

#include <utility>

namespace rankscope::ui {

class OverviewStrip;
class PlotStack;
struct AnnotationItem;
struct PlotSeries;

/// Shows a run in the plots and the overview strip: curves, marks, incidents, filter and their common window.
class PlotFeed final : public QObject {
    Q_OBJECT
public:
    /// The parent owns all three.
    PlotFeed(PlotStack* stack, OverviewStrip* strip, PlotExtras* extras, QObject* parent);

    SharedAxisController& controller() { return m_controller; }
    const SharedAxisController& controller() const { return m_controller; }
    const ExtrasView& extras() const { return *m_extras; }

    void setSession(RunSession* session); ///< null: none
    void updateView();                    ///< the session's view has changed
    void setFilter(std::optional<store::StepInterval> steps);
    void setChoice(const RankChoice& choice);
    void select(qint64 incident);
    /// Zooms to the next incident (1) or the one before (-1) and selects it; returns its id, 0 if there is none.
    qint64 stepIncident(int direction);
    QString sentence(qint64 incident) const; ///< empty: there is no such incident
    bool hasAxis(CurveAxis axis) const;
    CurveAxis wantedAxis() const { return m_wantedAxis; }
    CurveAxis nextAxis() const;   ///< the one after that shown, of steps, time and, if the run has them, samples
    void setAxis(CurveAxis axis); ///< shown if the run has it, otherwise steps are
    void setWithChain(bool on);   ///< shows the runs before a resumed one
    void retranslate();
    bool isWindowDrawn() const { return m_windowDrawn; } ///< since the session or the axis changed
    QString rangeText() const;                           ///< the window's range; empty if there is no step
    /// Returns the steps in view; none while the axis is in time, or if nothing was measured.
    std::optional<std::pair<qint64, qint64>> seenSteps() const;
    /// Returns an annotation without text of the filtered steps or, without a filter, of the step at `x`; none: at the
    /// crosshair, or in the middle of the view.
    launch::Annotation newAnnotation(std::optional<double> x) const;
    /// Brings the annotated steps into view; of an alert, only its time is known.
    void showAnnotated(const AnnotationItem& item);
    bool isComplete() const;

signals:
    void windowShown(); ///< the plots have moved to the controller's window
    void axisChanged();
    void chainUpdated();
    void failed(const QString& problem);

private:
    void addPlot(RankPlot* plot, const PlotSeries& series);
    void plotsChanged();
    void applyAxis();
    void updateRanges();
    void applyRanges();
    void takeWindow(const SeriesReply& reply);
    void takeOverview(const SeriesReply& reply);
    /// Continues the strip's curve by the newest steps of the plots, which are read more often than the whole run.
    void continueStrip(const std::vector<Samples>& losses);
    void clearStrip();
    void showPending();
    void dropPending();
    void showNothingText(); ///< sets the text of plots without a value
    void applyFilter();
    void updateLines();
    void updateSpans();
    void updateUnwatched();
    void updateMarks();
    void updateOpenValues();
    void updateTitles();
    void updateValidations();
    void updateChain();
    void requestResources();
    int rankCount() const;

    PlotStack* m_stack;
    OverviewStrip* m_strip;
    QPointer<RunSession> m_session;
    SharedAxisController m_controller;
    ResourcePlots m_resources;
    TagPlots m_tags;
    ExtrasPtr m_extras = std::make_shared<const ExtrasView>();
    RankChoice m_choice;
    std::optional<store::StepInterval> m_filter;
    qint64 m_selected = 0;                              ///< incident
    CurveAxis m_wantedAxis = CurveAxis::Step;           ///< shown if the run has it
    const RunLineage* m_chainShown = nullptr;           ///< only compared, not dereferenced
    bool m_tagsAdded = false, m_resourcesAdded = false; ///< since plotsChanged()
    /// Points that arrived while the window moves; they are shown with its next frame.
    std::vector<std::pair<store::Metric, std::vector<Samples>>> m_held;
    QTimer m_heldTimer;
    Samples m_overview, m_newest; ///< the loss over all ranks: in the whole run, and in the window that went beyond it
    bool m_rangesHeld = false;    ///< the window has moved and is not drawn yet
    bool m_windowDrawn = false;   ///< an answer of this session has reached the plots
};

} // namespace rankscope::ui
