// SPDX-License-Identifier: GPL-3.0-or-later
// Converts between time and step for a whole run, for plots, strip and marks alike. It uses the points that have been
// read; after the newest one it uses the newest step of the store and the boards, which is known before its curves are
// read.
#pragma once

#include "widgets/models/view/run_view.h"
#include "widgets/plots/curves/step_time_table.h"

#include <cstdint>
#include <vector>

namespace rankscope::ui {

class StepTimeMap {
public:
    void clear();
    /// Sets points of one rank over the whole run, in the requested resolution.
    void setWhole(StepTimeTable whole);
    /// Sets points of one rank in the visible part.
    void setPart(StepTimeTable part);
    /// Sets the newest step's place; called with every view.
    void setNow(const RunView& view);

    bool isEmpty() const { return m_whole.empty() && m_part.empty() && m_tail.empty(); }
    /// Returns the step at `ns` since the run's start; step s covers [s - 0.5, s + 0.5]. A step in progress covers the
    /// time from its start, as far as it is known, until now. The result never decreases with time.
    double stepAt(std::int64_t ns) const;
    /// Returns whether stepAt() uses the times of single steps there, not of several merged ones.
    bool isExactAt(std::int64_t ns) const;
    /// Returns the time, since the run's start, of a place in a step.
    std::int64_t timeOf(double step) const;

private:
    struct StepTimePoint {
        double step = 0;
        std::int64_t ns = 0;
    };
    void join();
    const StepTimeTable* clockAt(std::int64_t ns) const;
    const StepTimeTable* clockOf(double step) const;

    StepTimeTable m_whole, m_part;
    std::vector<StepTimePoint>
        m_tail; ///< ascending: end of the newest stored step and, for a live run, the current step
    std::vector<StepTimePoint> m_knots; ///< ascending in both: ends of the points read, and the tail
    bool m_live = false;
};

} // namespace rankscope::ui
