// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/runs_page/curves/group_curve.h"

#include <algorithm>
#include <optional>

namespace rankscope::ui {

namespace {

std::vector<double> placesOf(std::span<const Samples* const> runs) {
    std::vector<double> places;
    for (const Samples* run : runs)
        for (const Sample& sample : *run)
            places.push_back(sample.x);
    std::sort(places.begin(), places.end());
    places.erase(std::unique(places.begin(), places.end()), places.end());
    if (places.size() <= kMostGroupPoints)
        return places;
    std::vector<double> some;
    for (std::size_t i = 0; i < kMostGroupPoints; ++i)
        some.push_back(places[i * (places.size() - 1) / (kMostGroupPoints - 1)]);
    return some;
}

/// A run, read from left to right.
class RunAlong {
public:
    explicit RunAlong(const Samples& samples) : m_samples(samples) {}

    /// `x` does not decrease from call to call.
    std::optional<Sample> at(double x) {
        while (m_at + 1 < m_samples.size() && m_samples[m_at + 1].x <= x)
            ++m_at;
        if (m_samples.empty() || x < m_samples.front().x || x > m_samples.back().x)
            return std::nullopt;
        const Sample& left = m_samples[m_at];
        if (left.x == x || m_at + 1 == m_samples.size())
            return left;
        const Sample& right = m_samples[m_at + 1];
        if (left.isGap() || right.isGap())
            return std::nullopt;
        Sample between = left;
        between.mean += (right.mean - left.mean) * (x - left.x) / (right.x - left.x);
        between.notFinite = 0;
        return between;
    }

private:
    const Samples& m_samples;
    std::size_t m_at = 0;
};

void add(Sample& all, const Sample& one) {
    all.firstStep = all.count + all.notFinite == 0 ? one.firstStep : std::min(all.firstStep, one.firstStep);
    all.lastStep = std::max(all.lastStep, one.lastStep);
    if (one.isGap()) {
        all.notFinite += one.notFinite > 0;
        return;
    }
    all.min = all.count == 0 ? one.mean : std::min(all.min, one.mean);
    all.max = all.count == 0 ? one.mean : std::max(all.max, one.mean);
    ++all.count;
    all.mean += (one.mean - all.mean) / static_cast<double>(all.count);
}

} // namespace

Samples meanOverRuns(std::span<const Samples* const> runs) {
    std::vector<RunAlong> along;
    for (const Samples* run : runs)
        along.emplace_back(*run);
    Samples curve;
    for (const double x : placesOf(runs)) {
        Sample all;
        all.x = x;
        for (RunAlong& run : along)
            if (const auto one = run.at(x))
                add(all, *one);
        curve.push_back(all);
    }
    return curve;
}

} // namespace rankscope::ui
