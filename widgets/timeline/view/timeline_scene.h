// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "widgets/models/timeline/timeline_data.h"
#include "widgets/models/view/run_view.h"
#include "widgets/timeline/geometry/summary_track.h"
#include "widgets/timeline/geometry/timeline_geometry.h"

#include <QPoint>
#include <QRect>
#include <QSize>

#include <optional>

namespace rankscope::ui {

/// What is under the pointer, or is selected.
struct TimelinePick {
    enum class Kind { Span, Column, Sum, Step } kind = Kind::Span;
    int rank = 0;
    TimelineSpan span;     ///< of a column: the longest in it; of a sum or a step: begin, end and first step
    TimelineColumn column; ///< Kind::Column
    TimelineSum sum;       ///< Kind::Sum
    QString tag;           ///< of a collective
};

struct TimelineIncident {
    qint64 id = 0;
    double fromNs = 0, toNs = 0;
    int holder = -1;
    bool open = false;
    QString sentence;
};

/// What the timeline shows and where it is shown: the data, the part of it in view, and what is at a pixel. Pixels are
/// those of the viewport: the ranks' labels are at its left, the time axis and the summary at its top.
struct TimelineScene {
    static constexpr int kLabelWidth = 104, kAxisHeight = 44;

    QSize size;       ///< of the viewport
    int scrolled = 0; ///< how far the lanes are scrolled up, in pixels
    TimeScale scale;
    PlotRange limits{0, 1e9}; ///< of the whole run, in ns since its start
    LaneLayout layout;
    SummaryTrack track;
    TimelineReplyPtr reply, overview;
    std::int64_t recordedNs = 0; ///< how far the run was recorded when the newer of the two was read
    std::vector<RankTile> ranks;
    QList<TimelineIncident> incidents;
    std::vector<diagnosis::OpenWait> openWaits; ///< their times are monotonic
    std::int64_t startNs = 0;                   ///< of the run, monotonic
    std::vector<TimelineHit> hits;              ///< of a search, ascending by begin
    int hit = -1;                               ///< index of the current one
    std::optional<TimelinePick> selected;
    std::optional<PlotRange> brush;
    bool live = false, loading = false;

    int rankCount() const { return static_cast<int>(ranks.size()); }
    QRect lanesRect() const;
    QRect trackRect() const; ///< of the summary; empty if there is no room for it
    int lanesTop() const;    ///< below axis and summary
    int laneTop(int rank) const { return lanesTop() + rank * layout.height() - scrolled; }
    int firstVisibleRank() const;
    int lastVisibleRank() const;
    /// The middle of a lane's phases or collectives at a time.
    QPoint pointOf(int rank, double ns, LanePart part) const;

    /// Whether a reply holds all that is in view, as fine as the screen, and as far as it was recorded when the newest
    /// reply was read: a request of a live run reaches beyond what there was at that time.
    bool serves(const TimelineReply* candidate) const;
    /// Whether the reply to a request would serve().
    bool wouldServe(const TimelineRequest& request) const;
    bool isServed() const { return serves(reply.get()) || serves(overview.get()); }
    /// The reply that is painted, newest first; null if nothing fits.
    const TimelineReply* best() const;
    const TimelineLane* laneOf(int rank) const;
    std::vector<WaitArrow> arrows() const; ///< that are drawn

    std::optional<TimelinePick> pickAt(const QPoint& pixel) const;
    const TimelineIncident* incidentAt(const QPoint& pixel) const;
    int rankAt(const QPoint& pixel) const; ///< -1: none
    /// The span before (-1) or after (1) the selected one, or that in the lane above (-1) or below (1).
    std::optional<TimelinePick> neighbour(int along, int across) const;
};

} // namespace rankscope::ui
