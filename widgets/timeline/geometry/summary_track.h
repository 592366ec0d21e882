// SPDX-License-Identifier: GPL-3.0-or-later
// The track above the lanes: the share of the time that ranks waited, and how long steps took.
#pragma once

#include "core/diagnosis/stalls/stall_scan.h"
#include "widgets/models/timeline/timeline_summary.h"
#include "widgets/timeline/geometry/timeline_colours.h"
#include "widgets/timeline/geometry/timeline_geometry.h"

#include <QPainter>
#include <QString>

#include <optional>

namespace rankscope::ui {

class SummaryTrack {
public:
    static constexpr int kHeight = 64;

    void set(const TimelineSummaryPtr& summary) { m_summary = summary; }
    /// Sets the waits of a run with this many ranks that no record reports; they are drawn where no step has ended.
    /// Their times are monotonic; `startNs` is the run's start. `endNs`: when an ended run cut them off; none: they
    /// are in progress.
    void setOpenWaits(const std::vector<diagnosis::OpenWait>& waits, std::int64_t startNs, int ranks,
                      std::optional<std::int64_t> endNs);
    const TimelineSummary* summary() const { return m_summary.get(); }
    /// Returns whether there is data, at screen resolution, for all of the window within `limits`.
    bool serves(const TimeScale& scale, PlotRange limits) const;
    /// Returns the column at a time; none if there is no step and no open wait.
    std::optional<SummaryColumn> at(double ns) const;
    QString tip(double ns) const;
    /// Paints the track. `track` begins right of the labels, which are painted into the `labels` pixels left of it.
    void paint(QPainter& painter, const QRect& track, int labels, const TimeScale& scale,
               const TimelineColours& colours) const;

private:
    struct Pixel {
        float blocked = -1, data = -1;
        std::int64_t stepNs = 0;
    };
    struct OpenTime {
        double fromNs = 0; ///< since the run's start
        int rank = -1;
        std::int64_t step = -1;
        bool data = false; ///< the rank waits for data; otherwise in a collective
    };
    Pixel pixelAt(const TimeScale& scale, int x) const;
    std::optional<SummaryColumn> openAt(double ns) const;
    /// Returns the shortest and the longest step in view.
    std::pair<std::int64_t, std::int64_t> stepRange(const TimeScale& scale) const;
    void paintShares(QPainter& painter, const QRect& row, const TimeScale& scale, const TimelineColours& colours) const;
    void paintSteps(QPainter& painter, const QRect& row, const TimeScale& scale,
                    std::pair<std::int64_t, std::int64_t> range) const;

    TimelineSummaryPtr m_summary;
    std::vector<OpenTime> m_open;    ///< at most one per rank
    std::optional<double> m_openEnd; ///< since the run's start; none: they are in progress
    int m_ranks = 0;
};

} // namespace rankscope::ui
