// SPDX-License-Identifier: Apache-2.0
#include "tests/core/trainer/optim/textbook_optimizer.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace rankscope::trainer {

TextbookOptimizer::TextbookOptimizer(config::OptimConfig options, std::vector<double> weights)
    : m_c(std::move(options)), m_w(std::move(weights)), m_m(m_w.size()), m_v(m_w.size()), m_max(m_w.size()) {}

void TextbookOptimizer::step(const std::vector<double>& gradients, double lr) {
    ++m_t;
    for (std::size_t i = 0; i < m_w.size(); ++i)
        m_c.name == "sgd" ? sgd(i, gradients[i], lr) : adam(i, gradients[i], lr);
}

void TextbookOptimizer::sgd(std::size_t i, double g, double lr) {
    g = (m_c.maximize ? -g : g) + m_c.weightDecay * m_w[i];
    if (m_c.momentum != 0) {
        m_m[i] = m_t == 1 ? g : m_c.momentum * m_m[i] + (1 - m_c.dampening) * g;
        g = m_c.nesterov ? g + m_c.momentum * m_m[i] : m_m[i];
    }
    m_w[i] -= lr * g;
}

void TextbookOptimizer::adam(std::size_t i, double g, double lr) {
    const auto [b1, b2] = m_c.betas;
    if (m_c.maximize)
        g = -g;
    if (m_c.name == "adamw" || m_c.decoupledWeightDecay)
        m_w[i] *= 1 - lr * m_c.weightDecay;
    else
        g += m_c.weightDecay * m_w[i];
    m_m[i] = b1 * m_m[i] + (1 - b1) * g;
    m_v[i] = b2 * m_v[i] + (1 - b2) * g * g;
    m_max[i] = std::max(m_max[i], m_v[i]);
    const double mean = m_m[i] / (1 - std::pow(b1, m_t));
    const double square = (m_c.amsgrad ? m_max[i] : m_v[i]) / (1 - std::pow(b2, m_t));
    m_w[i] -= lr * mean / (std::sqrt(square) + m_c.eps);
}

} // namespace rankscope::trainer
