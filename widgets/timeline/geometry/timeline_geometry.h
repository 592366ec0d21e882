// SPDX-License-Identifier: GPL-3.0-or-later
// Where things lie on the timeline: time to pixel and back, the axis, lanes, who waits for whom.
// Arithmetic only.
#pragma once

#include "widgets/models/timeline/timeline_data.h"
#include "widgets/plots/axes/plot_range.h"

#include <QString>

#include <cstdint>
#include <span>
#include <vector>

namespace rankscope::ui {

/// A window of time, in ns since the run's start, on `width` pixels.
struct TimeScale {
    static constexpr double kShortestNs = 1'000; ///< what can be zoomed in to

    PlotRange window{0, 1e9};
    double width = 1; ///< px

    double x(double ns) const { return (ns - window.lo) / window.width() * width; }
    double ns(double x) const { return window.lo + x / width * window.width(); }
    double nsPerPixel() const { return window.width() / width; }
};

/// Labels of the time axis. Where ticks are closer than 100 ms the whole second (or millisecond) on the left is told
/// once, as `base`, and ticks tell what is beyond it: "+12.5 ms".
struct AxisTick {
    double ns = 0;
    QString label;
};
struct TimeAxis {
    QString base; ///< empty: labels are whole
    std::vector<AxisTick> ticks;
};
TimeAxis timeAxis(PlotRange window, int most);
/// "1:02:03.123456": since the run's start, with the digits that a distance of `stepNs` needs.
QString momentText(double ns, double stepNs);

/// Heights of a lane, px. Lanes lie under each other without gaps.
struct LaneLayout {
    int top = 4, phases = 20, gap = 2, collectives = 16, bottom = 5;

    /// The least: few ranks get more room each.
    static LaneLayout of(int ranks) {
        return ranks <= 4 ? LaneLayout{6, 30, 3, 27, 8} : ranks <= 16 ? LaneLayout{} : LaneLayout{2, 11, 1, 7, 2};
    }
    /// The same, grown to use `height` px for all lanes together, up to tallest() each.
    static LaneLayout of(int ranks, int height);
    static constexpr int tallest(int ranks) { return ranks <= 2 ? 180 : ranks <= 4 ? 130 : 80; }
    int height() const { return top + phases + gap + collectives + bottom; }
    int collectiveTop() const { return top + phases + gap; }
    /// Of a row of collectives among `rows`: begin and height within the lane.
    int rowTop(int row, int rows) const { return collectiveTop() + collectives * row / rows; }
    int rowHeight(int row, int rows) const {
        return collectives * (row + 1) / rows - collectives * row / rows - (rows > 1 ? 1 : 0);
    }
    friend bool operator==(const LaneLayout&, const LaneLayout&) = default;
};

/// What lies at a height within a lane.
enum class LanePart { None, Phases, Collectives };
struct LaneHit {
    int rank = -1;
    LanePart part = LanePart::None;
};
/// `y` from the first lane's top.
LaneHit laneAt(int y, const LaneLayout& layout, int lanes);

/// A step number that the axis shows.
struct StepMark {
    std::int64_t step = 0;
    double x = 0; ///< where it begins
};

/// Of the steps in view, multiples of 1, 2 or 5 times a power of ten, at least `apartPx` apart where steps take as long
/// as most of them do; one that would touch the mark before it is left out. When no multiple is in view: the first step
/// there.
std::vector<StepMark> stepMarks(std::span<const store::SeriesPoint> steps, const TimeScale& scale, double apartPx);

/// From the lane of a rank that waits to that of the rank it waits for.
struct WaitArrow {
    int waiter = 0, holder = 0;
    std::int64_t fromNs = 0; ///< on the waiter's lane: it waits
    std::int64_t toNs = 0;   ///< on the holder's lane: it arrives at last
    std::int64_t waitNs = 0;
    std::uint32_t group = 0;
    std::uint64_t sequence = 0;
    int row = 0; ///< of the waiter's span
};

/// Arrows of one collective that come from the same side lie beside each other, the nearest rank's at the arrival, so
/// that each can be followed.
/// Of waits that end in view and are at least `leastPx` long on the screen; the longest `most` of them.
std::vector<WaitArrow> arrowsOf(const TimelineReply& reply, const TimeScale& scale, double leastPx, std::size_t most);

} // namespace rankscope::ui
