// SPDX-License-Identifier: Apache-2.0
#include "core/trainer/ssl/softmax_decoder.h"

#include "core/trainer/argument_error.h"

#include <torch/nn/init.h>

#include <cmath>

namespace rankscope::trainer {
namespace {

struct LayersImpl : torch::nn::Module {};

/// Initializes as for time-depth separable convolutions (Hannun et al. 2019), with NeMo's scale of 2 / sqrt(fan in).
void initialiseTds(torch::Tensor& weight, bool uniform) {
    const torch::NoGradGuard noGradients;
    const double bound = 2.0 / std::sqrt(static_cast<double>(weight.size(1) * weight.size(2)));
    if (uniform)
        weight.uniform_(-bound, bound);
    else
        weight.normal_(0.0, bound);
}

void initialise(torch::Tensor& weight, const std::string& mode) {
    if (mode == "xavier_uniform")
        torch::nn::init::xavier_uniform_(weight);
    else if (mode == "xavier_normal")
        torch::nn::init::xavier_normal_(weight);
    else if (mode == "kaiming_uniform")
        torch::nn::init::kaiming_uniform_(weight, 0, torch::kFanIn, torch::kReLU);
    else if (mode == "kaiming_normal")
        torch::nn::init::kaiming_normal_(weight, 0, torch::kFanIn, torch::kReLU);
    else if (mode == "tds_uniform" || mode == "tds_normal")
        initialiseTds(weight, mode == "tds_uniform");
    else if (mode != "null") // null: torch's default initial weights
        throw ArgumentError(
            "model.decoder.init_mode",
            {"{} is not supported ({})", mode,
             Message(
                 "xavier_uniform, xavier_normal, kaiming_uniform, kaiming_normal, tds_uniform, tds_normal or null")});
}

} // namespace

SoftmaxDecoderImpl::SoftmaxDecoderImpl(const config::DecoderConfig& c) : m_config(c) {
    const auto layers = register_module("decoder_layers", std::make_shared<LayersImpl>());
    const std::int64_t out = static_cast<std::int64_t>(c.numClasses) * c.numDecoders;
    m_layer =
        layers->register_module("0", torch::nn::Conv1d(torch::nn::Conv1dOptions(c.featIn, out, 1).bias(c.useBias)));
    initialise(m_layer->weight, c.initMode);
}

torch::Tensor SoftmaxDecoderImpl::forward(const torch::Tensor& encoded) {
    auto logits = torch::linear(encoded, m_layer->weight.squeeze(-1), m_layer->bias); // [..., classes * books]
    logits = logits.to(torch::kFloat32); // as under autocast on a GPU: bfloat16 keeps only two digits
    const bool squeezed = m_config.numDecoders == 1 && m_config.squeezeSingle;
    if (m_config.numDecoders == 1) {
        auto logProbs = torch::log_softmax(logits, -1);
        return squeezed ? logProbs : logProbs.unsqueeze(-1);
    }
    std::vector<std::int64_t> shape = encoded.sizes().vec();
    shape.back() = m_config.numClasses;
    shape.push_back(m_config.numDecoders);
    return torch::log_softmax(logits.view(shape), -2);
}

} // namespace rankscope::trainer
