// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/plots/axes/sample_reduction.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>

namespace rankscope::ui {

void setPositions(Samples& points, CurveAxis axis, const SampleAxis* samples) {
    static const SampleAxis kNone;
    SampleAxis::Walk walk(samples ? *samples : kNone);
    for (Sample& s : points) {
        const double step = (static_cast<double>(s.firstStep) + static_cast<double>(s.lastStep)) / 2;
        s.x = axis == CurveAxis::Time          ? static_cast<double>(s.timeNs) * 1e-9
              : axis == CurveAxis::SampleCount ? walk.at(step)
                                               : step;
    }
}

Samples samplesFrom(std::span<const store::SeriesPoint> points, CurveAxis axis, double scale,
                    const SampleAxis* samplesSeen) {
    Samples samples;
    samples.reserve(points.size());
    for (const auto& p : points) {
        Sample s;
        s.timeNs = p.beginNs + (p.endNs - p.beginNs) / 2;
        s.min = p.min * scale;
        s.mean = p.mean * scale;
        s.max = p.max * scale;
        s.count = p.count;
        s.notFinite = p.notFinite;
        s.firstStep = p.firstStep;
        s.lastStep = p.lastStep;
        if (!std::isfinite(s.mean))
            s.count = 0;
        samples.push_back(s);
    }
    setPositions(samples, axis, samplesSeen);
    return samples;
}

static void merge(Sample& into, const Sample& s) {
    const auto a = static_cast<double>(into.count);
    const auto b = static_cast<double>(s.count);
    if (s.count > 0) {
        into.min = into.count ? std::min(into.min, s.min) : s.min;
        into.max = into.count ? std::max(into.max, s.max) : s.max;
        into.mean = (into.mean * a + s.mean * b) / (a + b);
    }
    into.count += s.count;
    into.notFinite += s.notFinite;
    into.x = (into.x + s.x) / 2;
    into.timeNs = into.timeNs + (s.timeNs - into.timeNs) / 2;
    into.lastStep = std::max(into.lastStep, s.lastStep);
}

/// Returns the samples in a range, and the neighbour on either side to which a line leads.
static std::span<const Sample> withNeighbours(const Samples& samples, double lo, double hi) {
    auto from = std::ranges::lower_bound(samples, lo, {}, &Sample::x);
    auto to = std::ranges::upper_bound(from, samples.end(), hi, {}, &Sample::x);
    from -= from != samples.begin();
    to += to != samples.end();
    return {from, to};
}

Samples reduceToPixels(const Samples& samples, PlotRange window, int pixels) {
    if (pixels < 1 || window.width() <= 0)
        return samples;
    const double perPixel = window.width() / pixels;
    const auto seen = withNeighbours(samples, window.lo - perPixel, window.hi + perPixel);
    Samples merged;
    merged.reserve(std::min(seen.size(), static_cast<std::size_t>(pixels) + 4));
    std::int64_t column = 0;
    for (const Sample& s : seen) {
        const auto mine = static_cast<std::int64_t>(std::floor((s.x - window.lo) / perPixel));
        if (!merged.empty() && mine == column)
            merge(merged.back(), s);
        else
            merged.push_back(s);
        column = mine;
    }
    return merged;
}

Samples smoothed(const Samples& samples, double halfLifeSteps) {
    Samples out = samples;
    const double decayPerStep = std::exp2(-1.0 / std::max(halfLifeSteps, 1e-3));
    double sum = 0, weight = 0, keep = 1;
    std::int64_t steps = 0, last = -1;
    for (auto& s : out) {
        if (s.isGap())
            continue;
        const std::int64_t before = std::exchange(last, s.lastStep);
        const std::int64_t mine = before < 0 ? s.count : std::max(s.count, s.lastStep - before);
        if (mine != std::exchange(steps, mine)) // mostly the same number as before
            keep = std::pow(decayPerStep, static_cast<double>(mine));
        sum = sum * keep + s.mean * (1 - keep);
        weight = weight * keep + (1 - keep);
        s.mean = s.min = s.max = sum / weight;
    }
    return out;
}

void Extent::add(double value) {
    if (!std::isfinite(value))
        return;
    lo = any ? std::min(lo, value) : value;
    hi = any ? std::max(hi, value) : value;
    any = true;
}

void Extent::add(const Extent& other) {
    if (!other.any)
        return;
    add(other.lo);
    add(other.hi);
}

Extent extentOf(const Samples& samples, PlotRange window, bool positiveOnly) {
    Extent extent;
    for (const Sample& s : withNeighbours(samples, window.lo, window.hi))
        for (const double v : {s.min, s.mean, s.max})
            if (!s.isGap() && (!positiveOnly || v > 0))
                extent.add(v);
    return extent;
}

Samples bandAcross(std::span<const Samples* const> ranks) {
    // steps, not x: the same step ends at slightly different times on different ranks
    std::map<std::int64_t, std::pair<Sample, int>> byStep;
    for (const auto* samples : ranks)
        for (const auto& s : *samples) {
            auto [it, isNew] = byStep.try_emplace(s.firstStep, s, 1);
            if (isNew)
                continue;
            auto& [band, n] = it->second;
            const double x = band.x + (s.x - band.x) / ++n;
            merge(band, s);
            band.x = x;
        }
    Samples band;
    band.reserve(byStep.size());
    for (auto& [step, entry] : byStep)
        band.push_back(entry.first);
    std::stable_sort(band.begin(), band.end(), [](const Sample& a, const Sample& b) { return a.x < b.x; });
    return band;
}

Samples continued(Samples samples, const Samples& newer) {
    if (samples.empty() || newer.empty() || newer.front().firstStep > samples.back().lastStep + 1)
        return samples;
    const Sample end = samples.back();
    for (const Sample& s : newer)
        if (s.lastStep > end.lastStep && s.x > end.x)
            samples.push_back(s);
    return samples;
}

const Sample* lastUntil(const Samples& samples, double x) {
    const auto after = std::ranges::upper_bound(samples, x, {}, &Sample::x);
    return after == samples.begin() ? nullptr : &*std::prev(after);
}

const Sample* nearest(const Samples& samples, double x) {
    if (samples.empty())
        return nullptr;
    const auto it = std::ranges::lower_bound(samples, x, {}, &Sample::x);
    if (it == samples.begin())
        return &*it;
    if (it == samples.end() || x - std::prev(it)->x <= it->x - x)
        return &*std::prev(it);
    return &*it;
}

} // namespace rankscope::ui
