// SPDX-License-Identifier: GPL-3.0-or-later
// The smoothed curves of a plot. They are computed once for each answer of the store and each strength; a frame only
// reduces them to pixels. The curve of a narrow view uses the earlier steps that a wider view has read.
#pragma once

#include "widgets/plots/axes/sample_reduction.h"

#include <optional>
#include <vector>

namespace rankscope::ui {

class CurveSmoothing {
public:
    static constexpr double kUsualHalfLife = 12, kLeastHalfLife = 2, kMostHalfLife = 100'000; ///< steps
    static constexpr int kPositions = 100;                                                    ///< positions of a slider

    double halfLife() const { return m_halfLife; }
    bool setHalfLife(double steps); ///< returns whether it changed
    /// Drops the curves, because there are new points of the same series.
    void forget() { m_curves.clear(); }
    /// Drops everything, because the series have changed.
    void clear();
    const Samples& of(std::size_t rank, const Samples& series);

    /// Returns the half-life at a position, to two significant figures. It grows by the same factor from each position
    /// to the next.
    static double halfLifeAt(int position);
    static int positionOf(double halfLife);

private:
    Samples made(const Samples& series, const Samples& widest) const;

    double m_halfLife = kUsualHalfLife;
    std::vector<std::optional<Samples>> m_curves;
    std::vector<Samples> m_widest; ///< by rank: the points that covered the most steps
};

} // namespace rankscope::ui
