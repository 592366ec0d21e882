// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/config/recipe/recipe.h"

#include <cstddef>
#include <vector>

namespace rankscope::trainer {

/// Adam, AdamW and SGD as in a textbook, one weight at a time.
class TextbookOptimizer {
public:
    TextbookOptimizer(config::OptimConfig options, std::vector<double> weights);

    void step(const std::vector<double>& gradients, double lr);
    const std::vector<double>& weights() const { return m_w; }

private:
    void sgd(std::size_t i, double g, double lr);
    void adam(std::size_t i, double g, double lr);

    config::OptimConfig m_c;
    int m_t = 0;
    std::vector<double> m_w, m_m, m_v, m_max;
};

} // namespace rankscope::trainer
