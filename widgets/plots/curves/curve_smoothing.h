// SPDX-License-Identifier: GPL-3.0-or-later
// The smoothed curves of a plot. They are made once for each answer of the store and each strength: a frame only
// reduces them to pixels. What a wider view showed of the steps before goes into the curve of a narrower one.
#pragma once

#include "widgets/plots/axes/sample_reduction.h"

#include <optional>
#include <vector>

namespace rankscope::ui {

class CurveSmoothing {
public:
    static constexpr double kUsualHalfLife = 12, kLeastHalfLife = 2, kMostHalfLife = 100'000; ///< steps
    static constexpr int kPositions = 100;                                                    ///< of a slider

    double halfLife() const { return m_halfLife; }
    bool setHalfLife(double steps); ///< true: it is another one
    /// There are new points of the same series.
    void forget() { m_curves.clear(); }
    /// The series are others now.
    void clear();
    const Samples& of(std::size_t rank, const Samples& series);

    /// Each position is stronger than the one before by the same factor; two significant figures.
    static double halfLifeAt(int position);
    static int positionOf(double halfLife);

private:
    Samples made(const Samples& series, const Samples& widest) const;

    double m_halfLife = kUsualHalfLife;
    std::vector<std::optional<Samples>> m_curves;
    std::vector<Samples> m_widest; ///< by rank: the points that reached over the most steps
};

} // namespace rankscope::ui
