// SPDX-License-Identifier: Apache-2.0
#include "core/trainer/nn/pre_encode.h"

#include "core/trainer/nn/subsampling.h"

#include <torch/nn/modules/normalization.h>

namespace rankscope::trainer {
namespace {

using FrameCounts = std::vector<std::int64_t>;

class ByConvolution : public FrameReducer {
public:
    explicit ByConvolution(const config::EncoderConfig& config) : m_conv(config) {}

    ReducedFrames forward(const torch::Tensor& x, const FrameCounts& lengths) override { return m_conv(x, lengths); }
    std::shared_ptr<torch::nn::Module> module() override { return m_conv.ptr(); }

private:
    ConvSubsampling m_conv;
};

/// Concatenates neighboring frames and applies one linear layer; padded frames are read unchanged.
class ByStacking : public FrameReducer {
public:
    explicit ByStacking(const config::EncoderConfig& c)
        : m_factor(c.subsamplingFactor), m_names(std::make_shared<torch::nn::Module>()) {
        m_out = m_names->register_module("proj_out",
                                         torch::nn::Linear(static_cast<std::int64_t>(c.featIn) * m_factor, c.dModel));
        if (c.subsampling == "stacking_norm")
            m_norm =
                m_names->register_module("pre_norm", torch::nn::LayerNorm(torch::nn::LayerNormOptions({c.featIn})));
    }

    ReducedFrames forward(const torch::Tensor& input, const FrameCounts& inputLengths) override {
        const std::int64_t missing = (m_factor - input.size(1) % m_factor) % m_factor;
        auto x = torch::constant_pad_nd(input, {0, 0, 0, missing}, 0);
        if (m_norm)
            x = m_norm(x);
        x = x.reshape({x.size(0), x.size(1) / m_factor, -1}); // [B, T / factor, factor * F]
        FrameCounts lengths = inputLengths;
        for (std::int64_t& n : lengths)
            n = (n + missing) / m_factor;
        return {m_out(x), lengths};
    }
    std::shared_ptr<torch::nn::Module> module() override { return m_names; }

private:
    std::int64_t m_factor;
    std::shared_ptr<torch::nn::Module> m_names; ///< only adds its name as a prefix to the others' names
    torch::nn::Linear m_out{nullptr};
    torch::nn::LayerNorm m_norm{nullptr};
};

class ByNothing : public FrameReducer {
public:
    explicit ByNothing(const config::EncoderConfig& c) : m_out(c.featIn, c.dModel) {}

    ReducedFrames forward(const torch::Tensor& x, const FrameCounts& lengths) override { return {m_out(x), lengths}; }
    std::shared_ptr<torch::nn::Module> module() override { return m_out.ptr(); }

private:
    torch::nn::Linear m_out;
};

class ByPooling : public FrameReducer {
public:
    explicit ByPooling(int factor) : m_factor(factor) {}

    ReducedFrames forward(const torch::Tensor& x, const FrameCounts& inputLengths) override {
        FrameCounts lengths = inputLengths;
        // NeMo recounts the frames for every power of 2 in the factor: too few for factors of 4 and more
        for (std::int64_t power = m_factor; power > 1; power /= 2)
            for (std::int64_t& n : lengths)
                n = n < m_factor ? 0 : n / m_factor;
        return {torch::max_pool1d(x.transpose(1, 2), m_factor).transpose(1, 2).contiguous(), lengths};
    }
    std::shared_ptr<torch::nn::Module> module() override { return m_names; }

private:
    std::int64_t m_factor;
    std::shared_ptr<torch::nn::Module> m_names = std::make_shared<torch::nn::Module>(); ///< holds no weights
};

} // namespace

std::shared_ptr<FrameReducer> makePreEncode(const config::EncoderConfig& c) {
    if (c.subsamplingFactor == 1)
        return std::make_shared<ByNothing>(c);
    if (c.subsampling.starts_with("stacking"))
        return std::make_shared<ByStacking>(c);
    return std::make_shared<ByConvolution>(c);
}

std::shared_ptr<FrameReducer> makeReduction(const config::EncoderConfig& c) {
    if (c.reduction.empty())
        return nullptr;
    if (c.reduction == "pooling")
        return std::make_shared<ByPooling>(c.reductionFactor);
    config::EncoderConfig r;
    r.subsampling = "striding";
    r.subsamplingFactor = c.reductionFactor;
    r.featIn = r.dModel = r.subsamplingConvChannels = c.dModel;
    return std::make_shared<ByConvolution>(r);
}

} // namespace rankscope::trainer
