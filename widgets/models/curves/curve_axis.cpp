// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/models/curves/curve_axis.h"

#include <algorithm>

namespace rankscope::ui {

QString axisName(CurveAxis axis) {
    return axis == CurveAxis::Time          ? QStringLiteral("time")
           : axis == CurveAxis::SampleCount ? QStringLiteral("samples")
                                            : QStringLiteral("step");
}

CurveAxis axisOfName(const QString& name) {
    for (const CurveAxis axis : {CurveAxis::Time, CurveAxis::SampleCount})
        if (name == axisName(axis))
            return axis;
    return CurveAxis::Step;
}

namespace {

/// Counts the samples of one rank up to the end of a step; steps must be asked for in rising order.
class RankCount {
public:
    explicit RankCount(const std::vector<store::SeriesPoint>& points) : m_points(&points) {}

    double until(double step) {
        while (m_at < m_points->size() && static_cast<double>((*m_points)[m_at].lastStep) <= step)
            m_before += samplesOf((*m_points)[m_at++]);
        if (m_at == m_points->size())
            return m_before;
        const auto& point = (*m_points)[m_at];
        const double begin = static_cast<double>(point.firstStep) - 1;
        if (step <= begin)
            return m_before;
        return m_before + samplesOf(point) * (step - begin) / (static_cast<double>(point.lastStep) - begin);
    }

private:
    static double samplesOf(const store::SeriesPoint& point) {
        return point.count > 0 ? std::max(0.0, point.mean) * static_cast<double>(point.count) : 0;
    }

    const std::vector<store::SeriesPoint>* m_points;
    std::size_t m_at = 0;
    double m_before = 0;
};

} // namespace

SampleAxis::SampleAxis(std::span<const std::vector<store::SeriesPoint>> ranks) {
    std::vector<double> steps;
    for (const auto& points : ranks)
        for (const auto& point : points) {
            steps.push_back(static_cast<double>(point.firstStep) - 1);
            steps.push_back(static_cast<double>(point.lastStep));
        }
    std::sort(steps.begin(), steps.end());
    steps.erase(std::unique(steps.begin(), steps.end()), steps.end());
    m_points.reserve(steps.size());
    for (const double step : steps)
        m_points.push_back({step, 0});
    for (const auto& points : ranks) {
        RankCount count(points);
        for (Point& point : m_points)
            point.samples += count.until(point.step);
    }
}

SampleAxis SampleAxis::refined(const SampleAxis& finer, double afterStep, double lastStep) const {
    SampleAxis result;
    const double from = at(afterStep), to = at(lastStep), base = finer.at(afterStep);
    for (const Point& point : m_points)
        if (point.step <= afterStep)
            result.m_points.push_back(point);
    for (const Point& point : finer.m_points)
        if (point.step > afterStep && point.step < lastStep)
            result.m_points.push_back({point.step, std::clamp(from + point.samples - base, from, to)});
    for (const Point& point : m_points)
        if (point.step >= lastStep && point.step > afterStep)
            result.m_points.push_back(point);
    return result;
}

double SampleAxis::between(std::size_t next, double step) const {
    if (next == 0)
        return m_points.front().samples;
    if (next == m_points.size())
        return m_points.back().samples;
    const Point &a = m_points[next - 1], &b = m_points[next];
    return a.samples + (b.samples - a.samples) * (step - a.step) / (b.step - a.step);
}

double SampleAxis::at(double step) const {
    if (isEmpty())
        return 0;
    const auto next = std::lower_bound(m_points.begin(), m_points.end(), step,
                                       [](const Point& point, double wanted) { return point.step < wanted; });
    return between(static_cast<std::size_t>(next - m_points.begin()), step);
}

double SampleAxis::stepAt(double samples) const {
    if (isEmpty())
        return 0;
    const auto next = std::lower_bound(m_points.begin(), m_points.end(), samples,
                                       [](const Point& point, double wanted) { return point.samples < wanted; });
    if (next == m_points.begin())
        return m_points.front().step;
    if (next == m_points.end())
        return m_points.back().step;
    const Point &a = *std::prev(next), &b = *next;
    return a.step + (b.step - a.step) * (samples - a.samples) / (b.samples - a.samples);
}

std::pair<double, double> SampleAxis::around(double first, double last) const {
    if (isEmpty())
        return {-1, -1};
    const auto less = [](const Point& point, double wanted) { return point.step < wanted; };
    auto from = std::lower_bound(m_points.begin(), m_points.end(), first, less);
    from -= from != m_points.begin();
    auto to = std::lower_bound(m_points.begin(), m_points.end(), last, less);
    to -= to == m_points.end();
    return {from->step, to->step};
}

double SampleAxis::Walk::at(double step) {
    const auto& points = m_axis->m_points;
    if (points.empty())
        return 0;
    if (m_next > 0 && points[m_next - 1].step >= step)
        return m_axis->at(step); // not after the previous step, so a search is needed
    while (m_next < points.size() && points[m_next].step < step)
        ++m_next;
    return m_axis->between(m_next, step);
}

} // namespace rankscope::ui
