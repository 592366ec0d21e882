// SPDX-License-Identifier: GPL-3.0-or-later
// The timeline's geometry: time to pixel and back, the axis, lanes, who waits for whom. Pure functions.
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
    static constexpr double kShortestNs = 1'000; ///< shortest window

    PlotRange window{0, 1e9};
    double width = 1; ///< px

    double x(double ns) const { return (ns - window.lo) / window.width() * width; }
    double ns(double x) const { return window.lo + x / width * window.width(); }
    double nsPerPixel() const { return window.width() / width; }
};

/// A label of the time axis. If ticks are closer than 100 ms, the whole second (or millisecond) on the left is shown
/// once, as `base`, and ticks show the time after it: "+12.5 ms".
struct AxisTick {
    double ns = 0;
    QString label;
};
struct TimeAxis {
    QString base; ///< empty: labels are complete
    std::vector<AxisTick> ticks;
};
TimeAxis timeAxis(PlotRange window, int most);
/// Returns a time since the run's start, "1:02:03.123456", with as many digits as a distance of `stepNs` needs.
QString momentText(double ns, double stepNs);

/// Heights of a lane, px. Lanes follow each other without gaps.
struct LaneLayout {
    int top = 4, phases = 20, gap = 2, collectives = 16, bottom = 5;

    /// Returns the minimum layout; with few ranks, each gets more room.
    static LaneLayout of(int ranks) {
        return ranks <= 4 ? LaneLayout{6, 30, 3, 27, 8} : ranks <= 16 ? LaneLayout{} : LaneLayout{2, 11, 1, 7, 2};
    }
    static constexpr int kTallest = 400; ///< of a lane
    /// Returns the same layout, grown to use `height` px for all lanes together, up to kTallest each. A single lane
    /// uses half of it.
    static LaneLayout of(int ranks, int height);
    int height() const { return top + phases + gap + collectives + bottom; }
    int collectiveTop() const { return top + phases + gap; }
    /// Returns the top, within the lane, of a row of collectives among `rows`.
    int rowTop(int row, int rows) const { return collectiveTop() + collectives * row / rows; }
    int rowHeight(int row, int rows) const {
        return collectives * (row + 1) / rows - collectives * row / rows - (rows > 1 ? 1 : 0);
    }
    friend bool operator==(const LaneLayout&, const LaneLayout&) = default;
};

/// The part of a lane at a height.
enum class LanePart { None, Phases, Collectives };
struct LaneHit {
    int rank = -1;
    LanePart part = LanePart::None;
};
/// Returns the lane at `y`, which counts from the first lane's top.
LaneHit laneAt(int y, const LaneLayout& layout, int lanes);

/// A step number that the axis shows.
struct StepMark {
    std::int64_t step = 0;
    double x = 0; ///< where the step begins
};

/// Returns marks for the steps in view at multiples of 1, 2 or 5 times a power of ten, at least `apartPx` apart for
/// steps of the usual length; one that would touch the previous mark is left out. If no multiple is in view, the first
/// step is marked.
std::vector<StepMark> stepMarks(std::span<const store::SeriesPoint> steps, const TimeScale& scale, double apartPx);

/// An arrow from the lane of a waiting rank to that of the rank it waits for.
struct WaitArrow {
    int waiter = 0, holder = 0;
    std::int64_t fromNs = 0; ///< on the waiter's lane, while it waits
    std::int64_t toNs = 0;   ///< on the holder's lane, when it arrives
    std::int64_t waitNs = 0;
    std::uint32_t group = 0;
    std::uint64_t sequence = 0;
    int row = 0; ///< row of the waiter's span
};

/// Returns the arrows of waits that end in view and are at least `leastPx` long on the screen; the longest `most` of
/// them. Arrows of one collective that come from the same side are next to each other, the nearest rank's at the
/// arrival, so that each can be followed.
std::vector<WaitArrow> arrowsOf(const TimelineReply& reply, const TimeScale& scale, double leastPx, std::size_t most);

} // namespace rankscope::ui
