// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/plots/axes/y_fit.h"

#include <algorithm>
#include <cmath>

namespace rankscope::ui {

namespace {

constexpr std::size_t kFewValues = 10;            ///< of fewer, none is an outlier
constexpr std::size_t kMostValues = 20'000;       ///< looked at; of more, every so many
constexpr double kOuterShare = 0.1, kFence = 1.5; ///< on either side; beyond the middle, by its width
constexpr double kFlatShare = 0.05;               ///< width of a middle whose values are all the same, by their size
constexpr double kNarrowest = 1e-9;               ///< of a range, by the size of its values
constexpr double kWidest = 1e15;
constexpr double kLeastLog = 1e-300;

template <class F> void eachInside(const Samples& samples, PlotRange window, F take) {
    auto it =
        std::lower_bound(samples.begin(), samples.end(), window.lo, [](const Sample& s, double x) { return s.x < x; });
    for (; it != samples.end() && it->x <= window.hi; ++it)
        if (!it->isGap())
            take(*it);
}

/// Largest and smallest value of each sample, as they lie on the scale.
struct Values {
    std::vector<double> low, high;

    void add(const Sample& s, bool log) {
        const auto place = [log](double v) { return log ? std::log(v) : v; };
        if (std::isfinite(place(s.min)))
            low.push_back(place(s.min));
        if (std::isfinite(place(s.max)))
            high.push_back(place(s.max));
    }
};

double quantile(std::vector<double>& values, double share) {
    const auto at = values.begin() + static_cast<std::ptrdiff_t>(share * static_cast<double>(values.size() - 1));
    std::nth_element(values.begin(), at, values.end());
    return *at;
}

} // namespace

Extent typicalExtent(std::span<const Samples* const> curves, PlotRange window, bool log) {
    Values values;
    std::size_t total = 0, seen = 0;
    for (const Samples* curve : curves)
        total += curve->size();
    const std::size_t every = total / kMostValues + 1;
    for (const Samples* curve : curves)
        eachInside(*curve, window, [&](const Sample& s) {
            if (seen++ % every == 0)
                values.add(s, log);
        });
    Extent extent;
    const bool few = values.low.size() < kFewValues || values.high.size() < kFewValues;
    double lowest = -HUGE_VAL, highest = HUGE_VAL;
    if (!few) {
        const double foot = quantile(values.low, kOuterShare), top = quantile(values.high, 1 - kOuterShare);
        double width = top - foot;
        if (width <= 0)
            width = log ? kFlatShare : kFlatShare * std::abs(top);
        if (width > 0) {
            lowest = foot - kFence * width;
            highest = top + kFence * width;
        }
    }
    for (const Samples* curve : curves)
        eachInside(*curve, window, [&](const Sample& s) {
            for (const double v : {s.min, s.mean, s.max})
                if (const double place = log ? std::log(v) : v; place >= lowest && place <= highest)
                    extent.add(v);
        });
    return extent;
}

std::vector<CutPeak> cutPeaks(const Samples& samples, PlotRange window, PlotRange y) {
    std::vector<CutPeak> peaks;
    bool above = false, below = false;
    const auto note = [&](bool isBeyond, bool& wasBeyond, const CutPeak& peak) {
        const bool goesOn = isBeyond && wasBeyond;
        wasBeyond = isBeyond;
        if (!isBeyond)
            return;
        const auto mine =
            goesOn ? std::find_if(peaks.rbegin(), peaks.rend(), [&](const CutPeak& p) { return p.above == peak.above; })
                   : peaks.rend();
        if (mine == peaks.rend())
            peaks.push_back(peak);
        else if (peak.above ? peak.y > mine->y : peak.y < mine->y)
            *mine = peak;
    };
    eachInside(samples, window, [&](const Sample& s) {
        note(s.max > y.hi, above, {s.x, s.max, true});
        note(s.min < y.lo, below, {s.x, s.min, false});
    });
    return peaks;
}

PlotRange zoomedY(PlotRange y, double centre, double factor, bool log) {
    if (log) {
        const PlotRange in = zoomedY({std::log(std::max(y.lo, kLeastLog)), std::log(std::max(y.hi, kLeastLog))},
                                     std::log(std::max(centre, kLeastLog)), factor, false);
        return {std::exp(std::clamp(in.lo, -600.0, 600.0)), std::exp(std::clamp(in.hi, -600.0, 600.0))};
    }
    centre = std::clamp(centre, y.lo, y.hi);
    const PlotRange next{centre - (centre - y.lo) * factor, centre + (y.hi - centre) * factor};
    const double size = std::max(std::abs(next.lo), std::abs(next.hi));
    return next.width() <= kNarrowest * std::max(size, 1e-12) || size > kWidest ? y : next;
}

PlotRange movedY(PlotRange y, double from, double to, bool log) {
    if (!log)
        return {y.lo + from - to, y.hi + from - to};
    const double factor = std::max(from, kLeastLog) / std::max(to, kLeastLog);
    const PlotRange next{y.lo * factor, y.hi * factor};
    return next.lo > kLeastLog && std::isfinite(next.hi) ? next : y;
}

} // namespace rankscope::ui
