// SPDX-License-Identifier: GPL-3.0-or-later
// Between time and step for a whole run: the one place that knows it, for plots, strip and marks. Where points are
// read it goes by them; behind the newest one by what the store and the boards say of the newest step, which is known
// before its curves are.
#pragma once

#include "widgets/models/view/run_view.h"
#include "widgets/plots/curves/step_clock.h"

#include <cstdint>
#include <vector>

namespace rankscope::ui {

class RunClock {
public:
    void clear();
    /// Points of one rank over the whole run, as coarse as they were asked for.
    void setWhole(StepClock whole);
    /// Points of one rank in the part that is seen.
    void setPart(StepClock part);
    /// Where the newest step stands; called with every view.
    void setNow(const RunView& view);

    bool isEmpty() const { return m_whole.empty() && m_part.empty() && m_tail.empty(); }
    /// Step s covers [s - 0.5, s + 0.5]; `ns` since the run's start. A step that goes on covers the time from its
    /// begin, as far as it is known, until now. Never falls with time.
    double stepAt(std::int64_t ns) const;
    /// stepAt() goes by the times of single steps there, not by those of several together.
    bool isExactAt(std::int64_t ns) const;
    /// The time of a place in a step, since the run's start.
    std::int64_t timeOf(double step) const;

private:
    struct Knot {
        double step = 0;
        std::int64_t ns = 0;
    };
    void join();
    const StepClock* clockAt(std::int64_t ns) const;
    const StepClock* clockOf(double step) const;

    StepClock m_whole, m_part;
    std::vector<Knot> m_tail;  ///< ascending: the newest stored step's end, and of a live run what it does now
    std::vector<Knot> m_knots; ///< ascending in both: ends of what was read, and the tail
    bool m_live = false;
};

} // namespace rankscope::ui
