// SPDX-License-Identifier: GPL-3.0-or-later
// The shared x axis of the plots: the visible window, how it follows a live run, and the data that it needs. There is
// one request at a time; what changed meanwhile is requested when the answer has arrived.
#pragma once

#include "widgets/models/run/run_session.h"
#include "widgets/plots/axes/plot_range.h"
#include "widgets/plots/curves/step_time_map.h"
#include "widgets/plots/plot/plot_spec.h"

#include <QElapsedTimer>
#include <QObject>
#include <QPointer>
#include <QTimer>

namespace rankscope::ui {

class SharedAxisController final : public QObject {
    Q_OBJECT
public:
    explicit SharedAxisController(std::vector<store::Metric> metrics, QObject* parent = nullptr);

    void setSession(RunSession* session);
    /// Sets the metrics that the plots show, and requests them again.
    void setMetrics(std::vector<store::Metric> metrics);
    void setPixelWidth(int pixels);
    /// Shows the runs before a resumed one; only on an axis of steps.
    void setWithChain(bool on);
    bool isWithChain() const { return m_withChain; }
    const RunLineage* chain() const; ///< the chain that is shown; null: none

    PlotRange window() const { return m_window; }
    PlotRange whole() const { return m_whole; }
    bool showsAll() const { return m_all; } ///< whether the window is the whole run and stays so
    double minWidth() const;
    bool follow() const { return m_session && m_session->following().isOn(); }
    CurveAxis axis() const { return m_axis; }
    const SampleAxis* samples() const { return m_samples.get(); } ///< places of steps on an axis of samples
    double surroundings() const;                                  ///< margin around something brought into view, in x
    bool hasSteps() const;
    /// Returns whether the user is panning or zooming.
    bool isMoving() const { return m_sinceMove.isValid() && m_sinceMove.elapsed() < kMovingMs; }
    /// Returns whether the window follows a live run.
    bool isFollowing() const { return follow() && isLive(); }
    /// Returns whether no request is pending or scheduled.
    bool isSettled() const;
    QList<IncidentSpan> spans() const;
    double placeOf(double step) const; ///< on the x axis
    /// Returns the place of the step that a rank works on now; on an axis of time the newest moment.
    double placeOfOpenStep(std::int64_t step) const;
    double stepOf(double x) const;
    store::StepInterval stepsOf(PlotRange range) const; ///< whole steps in a range of the axis, at least one
    std::int64_t stepNear(double x) const;              ///< step at a place on the x axis
    /// the step's middle, since the run's start
    std::int64_t timeOf(double step) const { return m_clock.timeOf(step); }
    /// `ns` since the run's start; on the x axis
    double placeOfTime(std::int64_t ns) const;
    std::int64_t stepAtTime(std::int64_t ns) const; ///< step that the run was at
    PlotRange secondsOfWindow() const;              ///< since the run's start

    void zoom(double centre, double factor);
    void zoomCentre(double factor) { zoom((m_window.lo + m_window.hi) / 2, factor); }
    void pan(double delta);
    void show(PlotRange range);
    void showAll();
    void requestAgain() { dataChanged(); } ///< call it if there is more to request than before
    void setFollow(bool on) {
        if (m_session)
            m_session->following().set(on);
    }
    void setAxis(CurveAxis axis);
    /// Brings a step and some of its surroundings into view.
    void showStep(std::int64_t step);
    /// Makes steps [first, last], or the time that they took, the window.
    void showSteps(std::int64_t first, std::int64_t last);
    void showTime(std::int64_t fromNs, std::int64_t toNs);
    /// Does the same for a time shown on another page. A window that follows the run stays at the end and only takes
    /// the width.
    void showLinkedTime(std::int64_t fromNs, std::int64_t toNs);
    void showLinkedAll();

signals:
    void aboutToMove(); ///< the window is about to move on request
    void windowAsked(const rankscope::ui::SeriesRequest& request);
    void rangesChanged();
    void followChanged(bool on);
    void windowData(const rankscope::ui::SeriesReply& reply);
    void overviewData(const rankscope::ui::SeriesReply& reply);
    void failed(const QString& error);

private:
    enum Tag { WindowTag = 1, OverviewTag = 2 };
    struct Query {
        bool dirty = false, underway = false;
    };

    bool isLive() const;
    void moved(PlotRange window);
    void followingChanged(bool on);
    void updateWhole();
    void setWindow(PlotRange window);
    void dataChanged();
    void scheduleRequest(int ms);
    void ask();
    void requestWindow();
    void requestOverview();
    void take(int tag, const SeriesReply& reply);
    PlotRange spanOf(const diagnosis::Incident& incident) const;
    /// Returns how much of the axis a duration would take if all steps of the run took equally long.
    double widthOfTime(double ns) const;
    double samplesPerStep() const;
    PlotRange wholeOf(std::int64_t firstStep, std::int64_t lastStep, std::int64_t lastNs) const;
    void takeTable(int tag, const SeriesReply& reply);
    void applyTable();
    void showStepRange(PlotRange steps);
    StepTimeTable clockOf(const SeriesReply& reply) const;

    std::vector<store::Metric> m_metrics;
    QPointer<RunSession> m_session;
    PlotRange m_window{-0.5, 0.5}, m_whole{-0.5, 0.5};
    bool m_all = true;      ///< the window is the whole run and stays so
    bool m_wasLive = false; ///< in the newest view
    CurveAxis m_axis = CurveAxis::Step;
    SampleAxisPtr m_samples;
    std::int64_t m_samplesVersion = -1;
    std::optional<PlotRange> m_stepsToShow; ///< pending until the first table of samples arrives
    int m_pixels = 800;
    Query m_windowQuery, m_overviewQuery;
    QTimer m_askTimer;
    static constexpr qint64 kMovingMs = 60;
    QElapsedTimer m_sinceOverview, m_askedAt, m_sinceMove;
    qint64 m_lastAnswerMs = 0;
    std::int64_t m_windowVersion = -1; ///< version of the store that the newest answer reflects
    StepTimeMap m_clock;
    bool m_hasOverview = false;
    bool m_withChain = true;
};

} // namespace rankscope::ui
