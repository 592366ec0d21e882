// SPDX-License-Identifier: Apache-2.0
// A series per rank as an inline SVG. Points that stand for many steps are drawn from their least to their greatest
// value, so that no spike is lost.
#pragma once

#include "core/store/tables/metrics.h"

#include <cstdint>
#include <string>
#include <vector>

namespace rankscope::exchange {

struct RankCurve {
    int rank = 0;
    std::vector<store::SeriesPoint> points; ///< by step
};

struct CurveMark {
    std::int64_t step = 0;
    std::string text; ///< a tooltip
};

inline constexpr int kCurvePoints = 450;     ///< asked of the store: at most twice as many come
inline constexpr std::size_t kMostLines = 8; ///< with more ranks their least and greatest values are a band

/// "" when no curve has a point. Values are multiplied by `scale`.
std::string svgCurve(const std::vector<RankCurve>& curves, double scale, const std::vector<CurveMark>& marks);

/// Round values for an axis, three to seven of them, within [least, most].
std::vector<double> axisTicks(double least, double most);

} // namespace rankscope::exchange
