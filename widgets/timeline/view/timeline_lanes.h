// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "widgets/timeline/view/timeline_painter.h"
#include "widgets/timeline/view/timeline_scene.h"

#include <QAbstractScrollArea>

#include <optional>

namespace rankscope::ui {

/// The timeline's lanes: one per rank with its label fixed at the left, time axis and steps on top. Shows the data that
/// it is given, and reads nothing.
class TimelineLanes : public QAbstractScrollArea {
    Q_OBJECT
public:
    explicit TimelineLanes(QWidget* parent = nullptr);

    void clear();
    void setRanks(const std::vector<RankTile>& ranks, bool live);
    void setIncidents(QList<TimelineIncident> incidents);
    void setAnnotations(std::vector<launch::Annotation> annotations); ///< shown as flags on the axis
    void selectAnnotation(qint64 id);                                 ///< 0: none
    /// Sets the waits that no record reports and that lasted until `untilNs`: of a live run now, of an ended run when
    /// its end cut them off. All times are monotonic; `startNs` is the run's start.
    void setOpenWaits(std::vector<diagnosis::OpenWait> waits, std::int64_t startNs, std::int64_t untilNs);
    void setLimits(PlotRange limits);
    void setReply(const TimelineReplyPtr& reply);
    void setOverview(const TimelineReplyPtr& reply);
    void setSummary(const TimelineSummaryPtr& summary);
    void setLoading(bool on);
    /// Outlines the hits of a search, the current one more strongly.
    void setHits(std::vector<TimelineHit> hits, int current);
    void setFollow(bool on);

    bool follow() const { return m_follow; }
    bool isAtEnd() const; ///< whether the window ends at the run's current end
    const TimelineScene& scene() const { return m_scene; }
    PlotRange window() const { return m_scene.scale.window; }
    bool showsAll() const { return m_scene.scale.window == m_scene.limits; } ///< and continues to
    PlotRange limits() const { return m_scene.limits; }
    std::optional<PlotRange> brush() const { return m_scene.brush; }
    const std::optional<TimelinePick>& selected() const { return m_scene.selected; }

public slots:
    void showWindow(PlotRange window, bool byUser = true);
    void zoomCentre(double factor);
    void zoomAll();
    void pan(double share); ///< `share` of the window
    void zoomToBrush();
    void zoomTo(const TimelineSpan& span); ///< includes some of its surroundings
    void setBrush(std::optional<PlotRange> brush);
    void select(std::optional<TimelinePick> pick);
    void reveal(int rank, std::int64_t beginNs, std::int64_t endNs); ///< scrolls it into view
    void stepIncident(int direction); ///< zooms to the next one (1) or the one before (-1)
    void showIncident(qint64 id);     ///< zooms to it
    void showMoment(double ns);       ///< puts it in the middle, with a tenth of the run or less around it
    /// Selects a span and brings it into view; it need not have been read yet.
    void showSpan(int rank, const TimelineSpan& span, const QString& tag);

signals:
    void windowChanged();
    void lanesChanged(); ///< other lanes are in view, or their pixels changed
    void selectionChanged();
    void brushChanged();
    void followChanged(bool on);

protected:
    void paintEvent(QPaintEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;
    void scrollContentsBy(int dx, int dy) override;
    void changeEvent(QEvent* event) override;

private:
    void showLane(int rank);
    void updateScroll();
    void setWindow(PlotRange window);
    void dirty();

    TimelineScene m_scene;
    TimelinePainter m_painter;
    qint64 m_visited = 0;        ///< the incident that stepIncident() went to
    PlotRange m_visitedWindow{}; ///< while it is in view, the next one is the one after it
    bool m_follow = false;
};

} // namespace rankscope::ui
