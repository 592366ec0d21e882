// SPDX-License-Identifier: Apache-2.0
#include "core/diagnosis/waits/correlation.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace rankscope::diagnosis {

static constexpr std::size_t kFewest = 3; // two points are always on a line

Correlator::Correlator(std::size_t capacity) : m_capacity(std::max<std::size_t>(capacity, kFewest)) {}

void Correlator::add(double x, double y) {
    if (!std::isfinite(x) || !std::isfinite(y))
        return;
    if (m_n % m_stride == 0) {
        if (m_x.size() == m_capacity) {
            std::size_t kept = 0;
            for (std::size_t i = 0; i < m_capacity; i += 2, ++kept) {
                m_x[kept] = m_x[i];
                m_y[kept] = m_y[i];
            }
            m_x.resize(kept);
            m_y.resize(kept);
            m_stride *= 2;
        }
        if (m_n % m_stride == 0) {
            m_x.push_back(x);
            m_y.push_back(y);
        }
    }
    ++m_n;
    const double dx = x - m_meanX, dy = y - m_meanY; // Welford
    m_meanX += dx / static_cast<double>(m_n);
    m_meanY += dy / static_cast<double>(m_n);
    m_xx += dx * (x - m_meanX);
    m_yy += dy * (y - m_meanY);
    m_xy += dx * (y - m_meanY);
}

static std::optional<double> pearsonOf(double xx, double yy, double xy) {
    if (!(xx > 0) || !(yy > 0))
        return std::nullopt;
    const double r = xy / std::sqrt(xx) / std::sqrt(yy);
    return std::isfinite(r) ? std::optional(std::clamp(r, -1.0, 1.0)) : std::nullopt;
}

static std::vector<double> ranksOf(std::span<const double> values) {
    std::vector<std::size_t> order(values.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return values[a] < values[b]; });
    std::vector<double> ranks(values.size());
    for (std::size_t from = 0, to = 0; from < order.size(); from = to) {
        while (to < order.size() && values[order[to]] == values[order[from]])
            ++to;
        for (std::size_t i = from; i < to; ++i)
            ranks[order[i]] = (static_cast<double>(from) + static_cast<double>(to) + 1) / 2;
    }
    return ranks;
}

std::optional<double> spearman(std::span<const double> x, std::span<const double> y) {
    if (x.size() != y.size() || x.size() < kFewest)
        return std::nullopt;
    const std::vector<double> rx = ranksOf(x), ry = ranksOf(y);
    const double mean = (static_cast<double>(x.size()) + 1) / 2;
    double xx = 0, yy = 0, xy = 0;
    for (std::size_t i = 0; i < rx.size(); ++i) {
        xx += (rx[i] - mean) * (rx[i] - mean);
        yy += (ry[i] - mean) * (ry[i] - mean);
        xy += (rx[i] - mean) * (ry[i] - mean);
    }
    return pearsonOf(xx, yy, xy);
}

Correlation Correlator::result() const {
    Correlation c{std::nullopt, std::nullopt, m_n, static_cast<std::int64_t>(m_x.size())};
    if (m_n >= static_cast<std::int64_t>(kFewest))
        c.pearson = pearsonOf(m_xx, m_yy, m_xy);
    c.spearman = spearman(m_x, m_y);
    return c;
}

} // namespace rankscope::diagnosis
