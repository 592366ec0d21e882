// SPDX-License-Identifier: Apache-2.0
#include "core/trainer/features/mel_features.h"

#include "core/config/check/model_support.h"
#include "core/trainer/argument_error.h"
#include "core/trainer/autocast.h"
#include "core/trainer/features/mel_kernels.h"

#include <algorithm>
#include <cmath>
#include <vector>

namespace rankscope::trainer {
namespace {

torch::Tensor windowOf(const std::string& name, int length) {
    if (name == "hann")
        return torch::hann_window(length, false, torch::kFloat32);
    if (name == "hamming")
        return torch::hamming_window(length, false, torch::kFloat32);
    if (name == "blackman")
        return torch::blackman_window(length, false, torch::kFloat32);
    return torch::bartlett_window(length, false, torch::kFloat32);
}

int fftSize(const config::PreprocessorConfig& c, int window) {
    return c.nFft > 0 ? c.nFft : 1 << static_cast<int>(std::ceil(std::log2(window)));
}

MelNormalisation normalisationOf(const std::string& name) {
    if (name == "per_feature")
        return MelNormalisation::PerFeature;
    return name == "all_features" ? MelNormalisation::AllFeatures : MelNormalisation::None;
}

const config::PreprocessorConfig& checked(const config::PreprocessorConfig& c) {
    if (const auto problems = config::frontEndProblems(c); !problems.empty()) {
        const auto& [key, value, need] = problems.front();
        throw ArgumentError("model." + key, {"{} is not supported ({})", value, need});
    }
    return c;
}

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

FilterbankFeaturesImpl::FilterbankFeaturesImpl(const config::PreprocessorConfig& config)
    : m_config(checked(config)), m_window(config.windowLength()), m_hop(config.hopLength()),
      m_nFft(fftSize(config, m_window)) {
    m_windowBuffer = register_buffer("window", windowOf(config.window, m_window));
    MelFilterbankOptions options{config.sampleRate, m_nFft, config.features};
    options.lowfreq = config.lowfreq;
    options.highfreq = config.highfreq > 0 ? config.highfreq : config.sampleRate / 2.0;
    options.slaneyNorm = config.melNorm == "slaney";
    m_fb = register_buffer("fb", melFilterbank(options));
}

torch::Tensor FilterbankFeaturesImpl::emphasised(const torch::Tensor& audio, const torch::Tensor& audioLen) const {
    torch::Tensor x = audio.to(torch::kFloat32);
    if (is_training() && m_config.dither > 0)
        x = x + torch::randn_like(x).mul_(m_config.dither);
    if (!m_config.preemph) // NeMo does not mask the padding then either
        return x;
    auto y = torch::empty_like(x);
    y.narrow(1, 0, 1).copy_(x.narrow(1, 0, 1));
    const std::int64_t n = x.size(1) - 1;
    auto rest = y.narrow(1, 1, n);
    // the product is rounded before it is subtracted, as in NeMo: a fused multiply-add moves quiet bands by 1e-5
    torch::mul_out(rest, x.narrow(1, 0, n), torch::scalar_tensor(*m_config.preemph, torch::kFloat64));
    torch::sub_out(rest, x.narrow(1, 1, n), rest);
    if (y.is_cpu()) {
        for (std::int64_t b = 0; b < y.size(0); ++b) {
            const std::int64_t len = std::clamp<std::int64_t>(audioLen[b].item<std::int64_t>(), 0, y.size(1));
            y[b].narrow(0, len, y.size(1) - len).zero_();
        }
        return y;
    }
    const auto time = torch::arange(y.size(1), audioLen.options());
    return y.masked_fill_(time.unsqueeze(0) >= audioLen.unsqueeze(1), 0);
}

torch::Tensor FilterbankFeaturesImpl::melPower(const torch::Tensor& spectrum) const {
    if (spectrum.is_cpu())
        return melPowerCpu(spectrum.contiguous(), m_fb, m_config.magPower);
    auto power = torch::view_as_real(spectrum).square().sum(-1); // [B, frames, bins]
    if (m_config.magPower != 2.0)
        power.pow_(m_config.magPower / 2);
    return torch::matmul(power, m_fb[0].t());
}

torch::Tensor FilterbankFeaturesImpl::logged(torch::Tensor mel) const {
    if (!m_config.log)
        return mel;
    if (m_config.logZeroGuardType == "add")
        return mel.add_(m_config.logZeroGuardValue).log_();
    return mel.clamp_min_(m_config.logZeroGuardValue).log_();
}

std::pair<torch::Tensor, torch::Tensor> FilterbankFeaturesImpl::forward(const torch::Tensor& audio,
                                                                        const torch::Tensor& audioLen) {
    torch::NoGradGuard noGrad;
    const AutocastScope full(audio.device().type(), torch::kFloat32); // as in NeMo: powers exceed the range of half
    TORCH_CHECK(audio.dim() == 2 && audio.size(1) > 0, "audio must be [B, T] with T > 0, got ", audio.sizes());
    torch::Tensor x = audio, samples = audioLen.to(torch::kInt64);
    const std::int64_t edge = m_config.exactPad ? (m_nFft - m_hop) / 2 : 0;
    if (edge > 0)
        x = torch::constant_pad_nd(x, {edge, edge}, 0);
    x = emphasised(x, samples);
    auto spectrum = torch::stft(x, m_nFft, m_hop, m_window, m_windowBuffer, !m_config.exactPad, "constant", false, true,
                                true); // [B, bins, frames], a view of [B, frames, bins]
    auto mel = logged(melPower(spectrum.transpose(1, 2)));
    if (m_config.frameSplicing > 1)
        mel = mel.repeat({1, 1, m_config.frameSplicing}); // NeMo's splice_frames stacks the same frame

    const std::int64_t around = m_config.exactPad ? 2 * edge : std::int64_t{m_nFft} / 2 * 2;
    auto len = torch::floor_divide(samples + (around - m_nFft), m_hop);
    len = torch::where(samples == 0, torch::zeros_like(len), len);
    const std::int64_t frames = mel.size(1), padTo = m_config.padTo;
    const std::int64_t padded = padTo > 0 ? (frames + padTo - 1) / padTo * padTo : frames;
    const auto kind = normalisationOf(m_config.normalize);
    auto features = mel.is_cpu() ? normalisedCpu(mel, len, kind, padded, m_config.padValue)
                                 : normalisedAny(mel, len, kind, padded, m_config.padValue);
    return {features, len};
}

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
