// SPDX-License-Identifier: Apache-2.0
#include "core/trainer/features/mel_filterbank.h"

#include <algorithm>
#include <cmath>
#include <vector>

namespace rankscope::trainer {
namespace {

constexpr double kHzPerMel = 200.0 / 3.0;
constexpr double kLogStartHz = 1000.0;
constexpr double kLogStartMel = kLogStartHz / kHzPerMel;
const double kLogStep = std::log(6.4) / 27.0;

double toMel(double hz) {
    return hz >= kLogStartHz ? kLogStartMel + std::log(hz / kLogStartHz) / kLogStep : hz / kHzPerMel;
}

double toHz(double mel) {
    return mel >= kLogStartMel ? kLogStartHz * std::exp(kLogStep * (mel - kLogStartMel)) : mel * kHzPerMel;
}

std::vector<double> edges(const MelFilterbankOptions& o) {
    const double low = toMel(o.lowfreq), high = toMel(o.highfreq);
    const int n = o.mels + 2;
    std::vector<double> hz(static_cast<std::size_t>(n));
    for (int i = 0; i < n; ++i)
        hz[static_cast<std::size_t>(i)] = toHz(low + (high - low) * i / (n - 1));
    return hz;
}

} // namespace

torch::Tensor melFilterbank(const MelFilterbankOptions& o) {
    const std::vector<double> hz = edges(o);
    const int bins = o.nFft / 2 + 1;
    auto fb = torch::zeros({1, o.mels, bins}, torch::kFloat32);
    auto weights = fb.accessor<float, 3>();
    for (int m = 0; m < o.mels; ++m) {
        const auto at = static_cast<std::size_t>(m);
        const double left = hz[at], centre = hz[at + 1], right = hz[at + 2];
        const double norm = o.slaneyNorm ? 2.0 / (right - left) : 1.0;
        for (int k = 0; k < bins; ++k) {
            const double f = static_cast<double>(k) * o.sampleRate / o.nFft;
            const double rising = (f - left) / (centre - left), falling = (right - f) / (right - centre);
            // rounded to float before the norm, as librosa stores it
            const auto triangle = static_cast<float>(std::max(0.0, std::min(rising, falling)));
            weights[0][m][k] = static_cast<float>(triangle * norm);
        }
    }
    return fb;
}

} // namespace rankscope::trainer
