// SPDX-License-Identifier: Apache-2.0
// Computes how closely two figures of the same steps are correlated. Pure.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace rankscope::diagnosis {

/// The correlation of two figures. A coefficient is none with fewer than three pairs, or if one of the two is constant.
struct Correlation {
    std::optional<double> pearson;  ///< over all pairs
    std::optional<double> spearman; ///< over at most `capacity` of them, evenly spaced
    std::int64_t n = 0;             ///< pairs
    std::int64_t ranked = 0;        ///< pairs that spearman was taken over
};

/// Returns the rank correlation of two series of equal length; ties share their mean rank. None as in Correlation.
std::optional<double> spearman(std::span<const double> x, std::span<const double> y);

/// Adds pairs one by one in bounded memory: when `capacity` pairs are kept, every other one is dropped, and from then
/// on only every second (fourth, …) new pair is kept.
class Correlator {
public:
    explicit Correlator(std::size_t capacity = 20'000);
    /// Pairs that are not finite are left out.
    void add(double x, double y);
    Correlation result() const;

private:
    std::size_t m_capacity;
    std::int64_t m_n = 0, m_stride = 1;
    double m_meanX = 0, m_meanY = 0, m_xx = 0, m_yy = 0, m_xy = 0; ///< sums of products of deviations
    std::vector<double> m_x, m_y;
};

} // namespace rankscope::diagnosis
