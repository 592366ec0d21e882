// SPDX-License-Identifier: GPL-3.0-or-later
// The shared x axis of the plots: which window is seen, how it follows a live run, and which data it needs. One request
// at a time is under way; what changed meanwhile is asked for when the answer is there.
#pragma once

#include "widgets/models/run/run_session.h"
#include "widgets/plots/axes/plot_range.h"
#include "widgets/plots/curves/run_step_clock.h"
#include "widgets/plots/plot/plot_spec.h"

#include <QElapsedTimer>
#include <QObject>
#include <QPointer>
#include <QTimer>

namespace rankscope::ui {

class PlotController final : public QObject {
    Q_OBJECT
public:
    explicit PlotController(std::vector<store::Metric> metrics, QObject* parent = nullptr);

    void setSession(RunSession* session);
    /// What the plots show; asked for again.
    void setMetrics(std::vector<store::Metric> metrics);
    void setPixelWidth(int pixels);
    /// Of a resumed run, what came before it; over steps alone.
    void setWithChain(bool on);
    bool isWithChain() const { return m_withChain; }
    const RunChain* chain() const; ///< that is shown; null: none

    PlotRange window() const { return m_window; }
    PlotRange whole() const { return m_whole; }
    bool showsAll() const { return m_all; } ///< the window is the whole run, and stays it
    double minWidth() const;
    bool follow() const { return m_session && m_session->following().isOn(); }
    CurveAxis axis() const { return m_axis; }
    const SampleAxis* samples() const { return m_samples.get(); } ///< where steps stand on an axis of samples
    double surroundings() const;                                  ///< of something that is to be seen, in x
    bool hasSteps() const;
    /// The user is panning or zooming just now.
    bool isMoving() const { return m_sinceMove.isValid() && m_sinceMove.elapsed() < kMovingMs; }
    /// The window goes along with a live run.
    bool isFollowing() const { return follow() && isLive(); }
    /// Nothing is asked for or waits to be asked.
    bool isSettled() const;
    QList<IncidentSpan> spans() const;
    double placeOf(double step) const; ///< on the x axis
    /// Of the step that a rank works on now: on an axis of time the newest moment.
    double placeOfOpenStep(std::int64_t step) const;
    double stepOf(double x) const;
    store::StepInterval stepsOf(PlotRange range) const; ///< whole steps of a range of the axis, at least one
    std::int64_t stepNear(double x) const;              ///< of a place on the x axis
    std::int64_t timeOf(double step) const { return m_clock.timeOf(step); } ///< its middle, since the run's start
    double placeOfTime(std::int64_t ns) const;                              ///< since the run's start, on the x axis
    std::int64_t stepAtTime(std::int64_t ns) const;                         ///< that the run was at
    PlotRange secondsOfWindow() const;                                      ///< since the run's start

    void zoom(double centre, double factor);
    void zoomCentre(double factor) { zoom((m_window.lo + m_window.hi) / 2, factor); }
    void pan(double delta);
    void show(PlotRange range);
    void showAll();
    void askAgain() { dataChanged(); } ///< there is more to ask for than before
    void setFollow(bool on) {
        if (m_session)
            m_session->following().set(on);
    }
    void setAxis(CurveAxis axis);
    /// Brings a step into view, with some of its surroundings.
    void showStep(std::int64_t step);
    /// Steps [first, last], or the time that they took, as the window.
    void showSteps(std::int64_t first, std::int64_t last);
    void showTime(std::int64_t fromNs, std::int64_t toNs);
    /// The same, because another page shows it: a window that follows stays at the end and takes the width.
    void showLinkedTime(std::int64_t fromNs, std::int64_t toNs);
    void showLinkedAll();

signals:
    void aboutToMove(); ///< the window, because somebody wants it
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
    void askIn(int ms);
    void ask();
    void askWindow();
    void askOverview();
    void take(int tag, const SeriesReply& reply);
    PlotRange spanOf(const diagnosis::Incident& incident) const;
    double samplesPerStep() const;
    PlotRange wholeOf(std::int64_t firstStep, std::int64_t lastStep, std::int64_t lastNs) const;
    void takeTable(int tag, const SeriesReply& reply);
    void applyTable();
    void showStepRange(PlotRange steps);
    StepClock clockOf(const SeriesReply& reply) const;

    std::vector<store::Metric> m_metrics;
    QPointer<RunSession> m_session;
    PlotRange m_window{-0.5, 0.5}, m_whole{-0.5, 0.5};
    bool m_all = true;      ///< the window is the whole run, and stays it
    bool m_wasLive = false; ///< as of the newest view
    CurveAxis m_axis = CurveAxis::Step;
    SampleAxisPtr m_samples;
    std::int64_t m_samplesVersion = -1;
    std::optional<PlotRange> m_stepsToShow; ///< waits for the first table of samples
    int m_pixels = 800;
    Query m_windowQuery, m_overviewQuery;
    QTimer m_askTimer;
    static constexpr qint64 kMovingMs = 60;
    QElapsedTimer m_sinceOverview, m_askedAt, m_sinceMove;
    qint64 m_lastAnswerMs = 0;
    std::int64_t m_windowVersion = -1; ///< of the store, that the newest answer stands for
    RunClock m_clock;
    bool m_hasOverview = false;
    bool m_withChain = true;
};

/// Whole steps as [first - 0.5, last + 0.5]. An open one reaches to the newest step of all ranks.
PlotRange stepsOfIncident(const diagnosis::Incident& incident, const RunView& view, const RunClock& clock);

/// ns since the run's start. An open one reaches to now, or as far as the store is known to go.
PlotRange timeOfIncident(const diagnosis::Incident& incident, const RunView& view);

} // namespace rankscope::ui
