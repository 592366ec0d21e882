// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/plots/curves/curve_smoothing.h"

#include <algorithm>
#include <cmath>

namespace rankscope::ui {

bool CurveSmoothing::setHalfLife(double steps) {
    steps = std::isfinite(steps) ? std::clamp(steps, kLeastHalfLife, kMostHalfLife) : kUsualHalfLife;
    if (steps == m_halfLife)
        return false;
    m_halfLife = steps;
    forget();
    return true;
}

const Samples& CurveSmoothing::of(std::size_t rank, const Samples& series) {
    if (m_curves.size() <= rank)
        m_curves.resize(rank + 1);
    if (m_widest.size() <= rank)
        m_widest.resize(rank + 1);
    auto& curve = m_curves[rank];
    if (curve)
        return *curve;
    Samples& widest = m_widest[rank];
    if (widest.empty() || (!series.empty() && series.front().firstStep <= widest.front().firstStep &&
                           series.back().lastStep >= widest.back().lastStep))
        widest = series;
    curve = made(series, widest);
    return *curve;
}

Samples CurveSmoothing::made(const Samples& series, const Samples& widest) const {
    if (series.empty())
        return {};
    const auto end = std::find_if(widest.begin(), widest.end(),
                                  [&](const Sample& s) { return s.lastStep >= series.front().firstStep; });
    Samples all(widest.begin(), end);
    const auto before = all.size();
    all.insert(all.end(), series.begin(), series.end());
    all = smoothed(all, m_halfLife);
    all.erase(all.begin(), all.begin() + static_cast<std::ptrdiff_t>(before));
    return all;
}

void CurveSmoothing::clear() {
    m_curves.clear();
    m_widest.clear();
}

double CurveSmoothing::halfLifeAt(int position) {
    const double share = static_cast<double>(std::clamp(position, 0, kPositions)) / kPositions;
    const double steps = kLeastHalfLife * std::pow(kMostHalfLife / kLeastHalfLife, share);
    const double unit = std::pow(10.0, std::max(0.0, std::floor(std::log10(steps)) - 1));
    return std::round(steps / unit) * unit;
}

int CurveSmoothing::positionOf(double halfLife) {
    const double share = std::log(std::clamp(halfLife, kLeastHalfLife, kMostHalfLife) / kLeastHalfLife) /
                         std::log(kMostHalfLife / kLeastHalfLife);
    return static_cast<int>(std::lround(share * kPositions));
}

} // namespace rankscope::ui
