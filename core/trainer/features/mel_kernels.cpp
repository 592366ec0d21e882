// SPDX-License-Identifier: Apache-2.0
#include "core/trainer/features/mel_kernels.h"

#include <ATen/Parallel.h>

#include <algorithm>
#include <cmath>
#include <vector>

namespace rankscope::trainer {
namespace {

constexpr double kStdFloor = 1e-5; ///< NeMo's CONSTANT, added to the deviation

struct Band {
    std::int64_t begin = 0, end = 0; ///< bins with a weight
};

std::vector<Band> bandsOf(const float* fb, std::int64_t mels, std::int64_t bins) {
    std::vector<Band> bands(static_cast<std::size_t>(mels));
    for (std::int64_t m = 0; m < mels; ++m) {
        const float* row = fb + m * bins;
        std::int64_t begin = 0, end = bins;
        while (begin < end && row[begin] == 0)
            ++begin;
        while (end > begin && row[end - 1] == 0)
            --end;
        bands[static_cast<std::size_t>(m)] = {begin, end};
    }
    return bands;
}

void powerOfFrame(const float* complexBins, float* power, std::int64_t bins, double magPower) {
    for (std::int64_t k = 0; k < bins; ++k)
        power[k] = complexBins[2 * k] * complexBins[2 * k] + complexBins[2 * k + 1] * complexBins[2 * k + 1];
    if (magPower == 2.0)
        return;
    const auto exponent = static_cast<float>(magPower / 2);
    for (std::int64_t k = 0; k < bins; ++k)
        power[k] = std::pow(power[k], exponent);
}

struct FeatureMoments {
    double mean = 0, scale = 1; ///< scale = 1 / (deviation + floor)
};

FeatureMoments momentsOf(double sum, double squares, std::int64_t n) {
    if (n == 0)
        return {};
    const double mean = sum / static_cast<double>(n);
    // one frame has no deviation: NeMo turns that NaN into 0
    const double variance = n > 1 ? std::max(0.0, squares / static_cast<double>(n - 1)) : 0.0;
    return {mean, 1.0 / (std::sqrt(variance) + kStdFloor)};
}

/// Returns the moments of each mel band of one utterance; two passes, because the mean is far from 0.
std::vector<FeatureMoments> perFeature(const float* mel, std::int64_t n, std::int64_t mels) {
    std::vector<double> sum(static_cast<std::size_t>(mels)), squares(static_cast<std::size_t>(mels));
    for (std::int64_t t = 0; t < n; ++t)
        for (std::int64_t m = 0; m < mels; ++m)
            sum[static_cast<std::size_t>(m)] += mel[t * mels + m];
    std::vector<double> mean(sum);
    for (double& m : mean)
        m /= static_cast<double>(std::max<std::int64_t>(n, 1));
    for (std::int64_t t = 0; t < n; ++t)
        for (std::int64_t m = 0; m < mels; ++m) {
            const double d = mel[t * mels + m] - mean[static_cast<std::size_t>(m)];
            squares[static_cast<std::size_t>(m)] += d * d;
        }
    std::vector<FeatureMoments> out(static_cast<std::size_t>(mels));
    for (std::size_t m = 0; m < out.size(); ++m)
        out[m] = momentsOf(sum[m], squares[m], n);
    return out;
}

std::vector<FeatureMoments> allFeatures(const float* mel, std::int64_t n, std::int64_t mels) {
    double sum = 0, squares = 0;
    for (std::int64_t i = 0; i < n * mels; ++i)
        sum += mel[i];
    const double mean = n > 0 ? sum / static_cast<double>(n * mels) : 0.0;
    for (std::int64_t i = 0; i < n * mels; ++i)
        squares += (mel[i] - mean) * (mel[i] - mean);
    return std::vector<FeatureMoments>(static_cast<std::size_t>(mels), momentsOf(sum, squares, n * mels));
}

} // namespace

torch::Tensor melPowerCpu(const torch::Tensor& spectrum, const torch::Tensor& fb, double magPower) {
    const std::int64_t frames = spectrum.size(0) * spectrum.size(1), bins = spectrum.size(2), mels = fb.size(1);
    auto out = torch::empty({spectrum.size(0), spectrum.size(1), mels}, torch::kFloat32);
    const auto* in = reinterpret_cast<const float*>(spectrum.const_data_ptr<c10::complex<float>>());
    const auto weightsTensor = fb.contiguous();
    const auto* weights = weightsTensor.const_data_ptr<float>();
    auto* target = out.mutable_data_ptr<float>();
    const std::vector<Band> bands = bandsOf(weights, mels, bins);
    at::parallel_for(0, frames, 64, [&](std::int64_t begin, std::int64_t end) {
        std::vector<float> power(static_cast<std::size_t>(bins));
        for (std::int64_t t = begin; t < end; ++t) {
            powerOfFrame(in + t * bins * 2, power.data(), bins, magPower);
            for (std::int64_t m = 0; m < mels; ++m) {
                const Band& band = bands[static_cast<std::size_t>(m)];
                float sum = 0;
                for (std::int64_t k = band.begin; k < band.end; ++k)
                    sum += weights[m * bins + k] * power[static_cast<std::size_t>(k)];
                target[t * mels + m] = sum;
            }
        }
    });
    return out;
}

torch::Tensor normalisedCpu(const torch::Tensor& mel, const torch::Tensor& len, MelNormalisation kind,
                            std::int64_t paddedFrames, double padValue) {
    const std::int64_t batch = mel.size(0), frames = mel.size(1), mels = mel.size(2);
    auto out = torch::empty({batch, mels, paddedFrames}, torch::kFloat32);
    const auto lens = len.accessor<std::int64_t, 1>();
    at::parallel_for(0, batch, 1, [&](std::int64_t begin, std::int64_t end) {
        for (std::int64_t b = begin; b < end; ++b) {
            const std::int64_t n = std::clamp<std::int64_t>(lens[b], 0, frames);
            const float* in = mel.const_data_ptr<float>() + b * frames * mels;
            float* target = out.mutable_data_ptr<float>() + b * mels * paddedFrames;
            std::vector<FeatureMoments> moments(static_cast<std::size_t>(mels));
            if (kind == MelNormalisation::PerFeature)
                moments = perFeature(in, n, mels);
            else if (kind == MelNormalisation::AllFeatures)
                moments = allFeatures(in, n, mels);
            for (std::int64_t m = 0; m < mels; ++m) {
                const auto mean = static_cast<float>(moments[static_cast<std::size_t>(m)].mean);
                const auto scale = static_cast<float>(moments[static_cast<std::size_t>(m)].scale);
                float* row = target + m * paddedFrames;
                for (std::int64_t t = 0; t < n; ++t)
                    row[t] = (in[t * mels + m] - mean) * scale;
                std::fill(row + n, row + paddedFrames, static_cast<float>(padValue));
            }
        }
    });
    return out;
}

torch::Tensor normalisedAny(const torch::Tensor& mel, const torch::Tensor& len, MelNormalisation kind,
                            std::int64_t paddedFrames, double padValue) {
    const std::int64_t frames = mel.size(1);
    auto x = mel.transpose(1, 2); // [B, mels, frames]
    const auto n = len.to(mel.device()).view({-1, 1, 1});
    const auto beyond = torch::arange(frames, mel.options().dtype(torch::kInt64)).view({1, 1, -1}) >= n;
    if (kind != MelNormalisation::None) {
        const std::vector<std::int64_t> dims =
            kind == MelNormalisation::PerFeature ? std::vector<std::int64_t>{2} : std::vector<std::int64_t>{1, 2};
        const auto count = n.to(torch::kFloat32) * (kind == MelNormalisation::PerFeature ? 1.0 : double(mel.size(2)));
        const auto mean = x.masked_fill(beyond, 0).sum(dims, true) / count;
        const auto centred = x - mean;
        auto deviation = (centred.masked_fill(beyond, 0).square().sum(dims, true) / (count - 1)).sqrt();
        x = centred / (deviation.nan_to_num(0.0) + kStdFloor);
    }
    x = x.masked_fill(beyond, padValue);
    return torch::constant_pad_nd(x, {0, paddedFrames - frames}, padValue).contiguous();
}

} // namespace rankscope::trainer
