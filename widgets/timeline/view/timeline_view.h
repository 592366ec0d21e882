// SPDX-License-Identifier: GPL-3.0-or-later
// The lanes: one per rank, its label fixed at the left, time axis and steps on top. Paints what it has been given and
// reads nothing.
#pragma once

#include "widgets/models/view/run_view.h"
#include "widgets/models/timeline/timeline_data.h"
#include "widgets/timeline/geometry/lane_raster.h"
#include "widgets/timeline/geometry/summary_track.h"
#include "widgets/timeline/geometry/wait_arrows.h"
#include "widgets/timeline/geometry/timeline_geometry.h"

#include <QAbstractScrollArea>
#include <QHash>
#include <QImage>
#include <QStaticText>

#include <optional>

namespace rankscope::ui {

/// What lies under the pointer, or is selected.
struct TimelinePick {
    enum class Kind { Span, Column, Sum, Step } kind = Kind::Span;
    int rank = 0;
    TimelineSpan span;     ///< of a column: the longest in it; of a sum or a step: begin, end and first step
    TimelineColumn column; ///< Kind::Column
    TimelineSum sum;       ///< Kind::Sum
    QString tag;           ///< of a collective

    bool sameSpan(int ofRank, const TimelineSpan& other) const;
};

struct TimelineIncident {
    qint64 id = 0;
    double fromNs = 0, toNs = 0;
    int holder = -1;
    bool open = false;
    QString sentence;
    qint64 step = -1;
};

class TimelineView final : public QAbstractScrollArea {
    Q_OBJECT
public:
    static constexpr int kLabelWidth = 104;
    static constexpr int kAxisHeight = 44;

    explicit TimelineView(QWidget* parent = nullptr);

    void clear();
    void setRanks(const std::vector<RankTile>& ranks, bool live);
    void setIncidents(QList<TimelineIncident> incidents);
    /// A live run: waits that go on. Their times are monotonic, `startNs` is the run's start.
    void setOpenWaits(std::vector<diagnosis::OpenWait> waits, std::int64_t startNs);
    void setLimits(PlotRange limits);
    void setReply(const TimelineReplyPtr& reply);
    void setOverview(const TimelineReplyPtr& reply);
    void setSummary(const TimelineSummaryPtr& summary);
    void setLoading(bool on);
    /// Hits of a search are outlined, the current one more.
    void setHits(std::vector<TimelineHit> hits, int current);
    void setFollow(bool on);

    bool follow() const { return m_follow; }
    bool isAtEnd() const; ///< the run's end, so far, is the window's
    const std::vector<diagnosis::OpenWait>& openWaits() const { return m_openWaits; }
    PlotRange window() const { return m_scale.window; }
    PlotRange limits() const { return m_limits; }
    const TimeScale& scale() const { return m_scale; }
    std::optional<PlotRange> brush() const { return m_brush; }
    const std::optional<TimelinePick>& selected() const { return m_selected; }
    int rankCount() const { return static_cast<int>(m_ranks.size()); }
    /// The reply that what is seen is painted from, newest first; null: nothing fits.
    const TimelineReply* best() const;
    /// What is asked for would be all that is seen, as fine as the screen.
    bool wouldServe(const TimelineRequest& request) const;
    bool isServed() const; ///< all that is seen is there, as fine as the screen
    const SummaryTrack& summaryTrack() const { return m_track; }
    int lanesTop() const; ///< below axis and summary
    int firstVisibleRank() const;
    int lastVisibleRank() const;
    std::vector<WaitArrow> arrows() const; ///< that are drawn
    /// Of the lanes' part: pixel of a time, and of a lane's middle of phases or collectives.
    QPoint pointOf(int rank, double ns, LanePart part) const;
    std::optional<TimelinePick> pickAt(const QPoint& pixel) const;

public slots:
    void showWindow(PlotRange window, bool byUser = true);
    void zoomCentre(double factor);
    void zoomAll();
    void pan(double share); ///< of the window
    void zoomToBrush();
    void setBrush(std::optional<PlotRange> brush);
    void select(std::optional<TimelinePick> pick);
    void reveal(int rank, std::int64_t beginNs, std::int64_t endNs); ///< brings it into view
    void stepIncident(int direction); ///< zooms to the next one (1) or the one before (-1)
    /// Selects a span and brings it into view; it need not have been read yet.
    void showSpan(int rank, const TimelineSpan& span, const QString& tag);

signals:
    void windowChanged();
    void lanesChanged(); ///< others are in view
    void selectionChanged();
    void brushChanged();
    void brushFinished();  ///< the mouse was let go
    void causeRequested(); ///< of the selected wait
    void followChanged(bool on);
    void detailsRequested();
    void incidentActivated(qint64 id);
    void menuRequested(const QPoint& global);

protected:
    void paintEvent(QPaintEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;
    void scrollContentsBy(int dx, int dy) override;
    void mousePressEvent(QMouseEvent* event) override;
    void mouseMoveEvent(QMouseEvent* event) override;
    void mouseReleaseEvent(QMouseEvent* event) override;
    void mouseDoubleClickEvent(QMouseEvent* event) override;
    void wheelEvent(QWheelEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;
    void contextMenuEvent(QContextMenuEvent* event) override;
    void changeEvent(QEvent* event) override;
    bool viewportEvent(QEvent* event) override;

private:
    bool serves(const TimelineReply* reply) const;
    const TimelineLane* laneOf(int rank) const;
    QRect lanesRect() const;
    QRect trackRect() const;
    void showLane(int rank);
    int laneTop(int rank) const;
    void updateScroll();
    void setWindow(PlotRange window);
    void dirty();
    void moveSelection(int along, int across);
    bool letterKey(int key);
    const TimelineIncident* incidentAt(const QPoint& pixel) const;
    QString tipAt(const QPoint& pixel) const;

    // timeline_paint.cpp
    void rasterise();
    void paintIncidents(QPainter& painter) const;
    void paintSteps(QPainter& painter) const;
    void paintTexts(QPainter& painter);
    void paintNow(QPainter& painter) const;
    void paintOpenWait(QPainter& painter, const diagnosis::OpenWait& wait, double nowX) const;
    void paintOpen(QPainter& painter, const QRectF& box, const QColor& colour, const QString& words) const;
    double lastRecordedNs(int rank) const;
    void paintArrows(QPainter& painter) const;
    void paintMarks(QPainter& painter) const;
    void paintBrush(QPainter& painter) const;
    void paintStepNumbers(QPainter& painter) const;
    void paintAxis(QPainter& painter) const;
    void paintLabels(QPainter& painter) const;
    void outline(QPainter& painter, int rank, const TimelineSpan& span, const QColor& colour, double width) const;
    bool drawInside(QPainter& painter, const QString& text, const QRect& box, const QColor& colour);
    /// Both, one above the other where there is room for two lines, else beside each other; or the first alone.
    void drawBoth(QPainter& painter, const QString& name, const QString& more, const QRect& box, const QColor& colour);

    struct Text {
        QStaticText text;
        double width = 0;
    };
    TimeScale m_scale;
    PlotRange m_limits{0, 1e9};
    LaneLayout m_layout;
    SummaryTrack m_track;
    TimelineReplyPtr m_reply, m_overview;
    std::vector<RankTile> m_ranks;
    QList<TimelineIncident> m_incidents;
    std::vector<diagnosis::OpenWait> m_openWaits;
    std::int64_t m_startNs = 0;
    std::vector<TimelineHit> m_hits;
    int m_hit = -1;
    std::optional<TimelinePick> m_selected;
    std::optional<PlotRange> m_brush;
    qint64 m_visited = 0;        ///< the incident that stepIncident() went to
    PlotRange m_visitedWindow{}; ///< while it is in view, the next one is the one after it
    TimelineColours m_colours;
    QImage m_image;
    QHash<QString, Text> m_texts;
    bool m_dirty = true, m_live = false, m_follow = false, m_loading = false;

    enum class Drag { None, Pan, Brush, BrushOrClick };
    Drag m_drag = Drag::None;
    QPoint m_pressed, m_last;
    bool m_moved = false;
};

/// The incident's holder's colour, as a tint of 12 %.
QColor incidentTint(int holder);

} // namespace rankscope::ui
