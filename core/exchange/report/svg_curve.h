// SPDX-License-Identifier: Apache-2.0
// Draws one series per rank as an inline SVG. Points that cover many steps are drawn from their minimum to their
// maximum, so that no spike is lost.
#pragma once

#include "core/base/text/message.h"
#include "core/store/tables/metrics.h"

#include <cstdint>
#include <string>
#include <vector>

namespace rankscope::exchange {

struct RankCurve {
    static constexpr int kAllRanks = -1;
    int rank = 0;                           ///< kAllRanks: the curve of the run as a whole, in the colour of text
    std::vector<store::SeriesPoint> points; ///< by step
};

struct CurveMark {
    std::int64_t step = 0;
    std::string text; ///< a tooltip
};

inline constexpr int kCurvePoints = 450;     ///< requested from the store, which returns at most twice as many
inline constexpr std::size_t kMostLines = 8; ///< with more ranks, a band shows their minimum and maximum

/// Returns the SVG; "" if no curve has a point. Values are multiplied by `scale`.
std::string svgCurve(const std::vector<RankCurve>& curves, double scale, const std::vector<CurveMark>& marks,
                     Language language = Language::English);

/// Returns three to seven round values for an axis, within [least, most].
std::vector<double> axisTicks(double least, double most);

} // namespace rankscope::exchange
