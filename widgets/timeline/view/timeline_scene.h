// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "widgets/models/timeline/timeline_data.h"
#include "widgets/models/view/run_view.h"
#include "widgets/timeline/geometry/summary_track.h"
#include "widgets/timeline/geometry/timeline_geometry.h"
#include "widgets/timeline/view/timeline_flags.h"

#include <QPoint>
#include <QRect>
#include <QSize>

#include <optional>

namespace rankscope::ui {

/// The thing under the pointer, or the selected one.
struct TimelinePick {
    enum class PickKind { Span, Column, Sum, Step } kind = PickKind::Span;
    int rank = 0;
    TimelineSpan span;     ///< of a column: the longest in it; of a sum or a step: begin, end and first step
    TimelineColumn column; ///< Kind::Column
    TimelineSum sum;       ///< Kind::Sum
    QString tag;           ///< collective's tag
};

struct TimelineIncident {
    qint64 id = 0;
    double fromNs = 0, toNs = 0;
    bool open = false;
    bool pause = false; ///< It is a pause of the whole run, which no rank caused.
    QString sentence;
};

/// The content of the timeline and its geometry: the data, the part of it in view, and what is at a pixel. Pixels are
/// those of the viewport: the ranks' labels are at its left, the time axis and the summary at its top.
struct TimelineScene {
    static constexpr int kLabelWidth = 104, kAxisHeight = 44, kStepRow = 22; ///< kStepRow: top of the step numbers

    QSize size;       ///< of the viewport
    int scrolled = 0; ///< how far the lanes are scrolled up, in pixels
    TimeScale scale;
    PlotRange limits{0, 1e9}; ///< of the whole run, in ns since its start
    LaneLayout layout;
    SummaryTrack track;
    TimelineReplyPtr reply, overview;
    std::int64_t recordedNs = 0; ///< end of the recording when the newer of the two replies was read
    std::vector<RankTile> ranks;
    QList<TimelineIncident> incidents;
    TimelineFlags flags;
    std::vector<diagnosis::OpenWait> openWaits; ///< their times are monotonic
    std::int64_t startNs = 0;                   ///< of the run, monotonic
    std::int64_t openUntilNs = 0;               ///< up to when they lasted, monotonic
    std::vector<TimelineHit> hits;              ///< of a search, ascending by begin
    int hit = -1;                               ///< index of the current one
    std::optional<TimelinePick> selected;
    std::optional<PlotRange> brush;
    bool live = false, loading = false;

    int rankCount() const { return static_cast<int>(ranks.size()); }
    QRect lanesRect() const;
    QRect trackRect() const; ///< of the summary; empty if there is no room for it
    QRect stepRow() const;   ///< of the step numbers, over the lanes
    int lanesTop() const;    ///< below axis and summary
    int laneTop(int rank) const { return lanesTop() + rank * layout.height() - scrolled; }
    int firstVisibleRank() const;
    int lastVisibleRank() const;
    /// Returns the middle of a lane's phases or collectives at a time.
    QPoint pointOf(int rank, double ns, LanePart part) const;

    /// Returns whether a reply has everything in view, at screen resolution, and as far as it was recorded when the
    /// newest reply was read: a request for a live run reaches beyond what existed at that time.
    bool serves(const TimelineReply* candidate) const;
    /// Returns whether the reply to a request would satisfy serves().
    bool wouldServe(const TimelineRequest& request) const;
    bool isServed() const { return serves(reply.get()) || serves(overview.get()); }
    /// Returns the reply to paint, preferring the newest; null if none fits.
    const TimelineReply* best() const;
    const TimelineLane* laneOf(int rank) const;
    std::vector<WaitArrow> arrows() const; ///< the arrows to draw

    std::optional<TimelinePick> pickAt(const QPoint& pixel) const;
    const TimelineIncident* incidentAt(const QPoint& pixel) const;
    const launch::Annotation* annotationAt(const QPoint& pixel) const; ///< by its flag
    int rankAt(const QPoint& pixel) const;                             ///< -1: none
    /// Returns the span before (-1) or after (1) the selected one, or that in the lane above (-1) or below (1).
    std::optional<TimelinePick> neighbour(int along, int across) const;
};

} // namespace rankscope::ui
