// SPDX-License-Identifier: Apache-2.0
#include "core/trainer/ssl/nest_model.h"

#include "core/config/check/model_support.h"
#include "core/trainer/argument_error.h"
#include "core/trainer/nn/cpu_kernels/dropout_kernels.h"

#include <map>
#include <set>

namespace rankscope::trainer {
namespace {

/// Returns the encoder frames that count: [B, T / combine] bool, true if more than mask_threshold of the frame is
/// masked. mask [B, T] bool.
torch::Tensor countedFrames(const torch::Tensor& mask, const config::LossConfig& config) {
    const std::int64_t frames = mask.size(1) / config.combineTimeSteps;
    const auto share = mask.to(torch::kFloat32).reshape({mask.size(0), frames, config.combineTimeSteps}).mean(-1);
    return share > config.maskThreshold;
}

/// NeMo MultiMLMLoss: mean negative log-likelihood of the tokens over the counted frames and the books; NaN if no frame
/// counts. logProbs [B, T', classes(, books)] or, for the counted frames only, [N, classes(, books)]; tokens [B, T'(,
/// books)].
torch::Tensor maskedTokenLoss(const torch::Tensor& logProbs, const torch::Tensor& tokens, const torch::Tensor& counted,
                              const config::LossConfig& config) {
    const std::int64_t books = config.numDecoders;
    const auto index = counted.to(logProbs.device()).flatten().nonzero().squeeze(1); // [N]
    const auto targets = tokens.reshape({-1, books}).index_select(0, index);         // [N, books]
    const bool squeezed = config.squeezeSingle && books == 1;
    const bool allFrames = logProbs.dim() == (squeezed ? 3 : 4);
    auto rows = allFrames ? logProbs.reshape({-1, logProbs.size(2), books}).index_select(0, index)
                          : logProbs.reshape({-1, logProbs.size(1), books}); // [N, classes, books]
    if (books == 1)
        return torch::nll_loss(rows.squeeze(-1), targets.squeeze(-1));
    if (rows.is_cuda() && at::globalContext().deterministicAlgorithms()) // on a GPU nll_loss2d sums in any order
        return torch::nll_loss(rows.transpose(1, 2).flatten(0, 1), targets.flatten());
    return torch::nll_loss2d(rows.unsqueeze(-1), targets.unsqueeze(-1));
}

using telemetry::ForwardSite;
using telemetry::Phase;

std::vector<std::int64_t> toVector(const torch::Tensor& lengths) {
    const auto host = lengths.to(torch::kCPU, torch::kInt64).contiguous();
    const auto* p = host.const_data_ptr<std::int64_t>();
    return {p, p + host.numel()};
}

config::ModelConfig checked(const config::ModelConfig& config) {
    checkSupported(config);
    return config::asBuilt(config);
}

/// Collects own parameters, own buffers, then children: the order of Python's state_dict.
void collect(const torch::nn::Module& module, const std::string& prefix, bool buffers, NamedTensors& out) {
    for (const auto& item : module.named_parameters(false))
        out.emplace_back(prefix + item.key(), item.value());
    if (buffers)
        for (const auto& item : module.named_buffers(false))
            out.emplace_back(prefix + item.key(), item.value());
    for (const auto& item : module.named_children())
        collect(*item.value(), prefix + item.key() + ".", buffers, out);
}

} // namespace

NestModelImpl::NestModelImpl(const config::ModelConfig& config) : m_config(checked(config)) {
    const bool postConv = m_config.maskPosition == "post_conv";
    m_preprocessor = register_module("preprocessor", MelPreprocessor(m_config.preprocessor));
    m_quantizer = Quantizer(m_config.quantizer);
    m_masking = BlockMasking(m_config.masking, m_config.nemo);
    m_subsampling = makePreEncode(m_config.encoder);
    std::shared_ptr<torch::nn::Module> preEncode = m_subsampling->module();
    if (postConv) {
        preEncode = std::make_shared<torch::nn::Module>(); // NeMo's ConvFeatureMaksingWrapper
        preEncode->register_module("pre_encode", m_subsampling->module());
        preEncode->register_module("masking", m_masking);
    }
    m_encoder = register_module("encoder", ConformerEncoder(m_config.encoder, m_subsampling, preEncode));
    register_module("quantizer", m_quantizer);
    register_module("mask_processor", m_masking);
    m_decoder = register_module("decoder", SoftmaxDecoder(m_config.decoder));
    if (postConv)
        register_module("pre_encoder", preEncode);
}

std::pair<torch::Tensor, torch::Tensor> NestModelImpl::preprocess(const torch::Tensor& audio,
                                                                  const torch::Tensor& audioLen) {
    return m_preprocessor(audio, audioLen);
}

torch::Tensor NestModelImpl::targets(const torch::Tensor& mel, const std::vector<std::int64_t>& lengths) {
    torch::NoGradGuard noGrad;
    if (m_config.maskPosition == "post_conv")
        return m_quantizer(m_subsampling->forward(mel.transpose(1, 2), lengths).first);
    return m_quantizer(mel.transpose(1, 2));
}

torch::Tensor NestModelImpl::decode(const torch::Tensor& encoded, const NestOutput& output, bool countedOnly) {
    if (!countedOnly)
        return m_decoder(encoded);
    const auto index = output.counted.to(encoded.device()).flatten().nonzero().squeeze(1);
    return m_decoder(encoded.reshape({-1, encoded.size(2)}).index_select(0, index)); // [N, classes, books]
}

NestOutput NestModelImpl::forward(const NestInput& input, bool applyMask, ForwardHooks& hooks) {
    hooks.phase(Phase::Preprocess);
    const auto [clean, cleanLen] = preprocess(input.audio, input.audioLen);
    const auto [noisy, noisyLen] = preprocess(input.noisy, input.noisyLen);

    hooks.phase(Phase::Augment);
    NestOutput out;
    const std::vector<std::int64_t> lengths = toVector(noisyLen);
    out.tokens = targets(clean, toVector(cleanLen));
    hooks.targetsReady();
    torch::Tensor mask, features = noisy;
    ConformerEncoderImpl::AfterSubsampling afterSubsampling;
    const auto masked = [&](const torch::Tensor& x, const std::vector<std::int64_t>& frames, int timeDim) {
        // the reference masks were drawn on the CPU
        const auto drawnOn = drawsAsTorch() ? torch::Device(torch::kCPU) : x.device();
        const auto drawn = m_masking->draw(frames, x.size(timeDim), drawnOn);
        mask = drawn.to(torch::kCPU);
        return m_masking->apply(x, drawn, timeDim);
    };
    if (m_config.maskPosition == "pre_conv") {
        mask = torch::zeros({noisy.size(0), noisy.size(2)}, torch::kBool);
        if (applyMask)
            features = masked(noisy, lengths, 2);
    } else {
        afterSubsampling = [&](const torch::Tensor& x, const std::vector<std::int64_t>& encodedLengths) {
            mask = torch::zeros({x.size(0), x.size(1)}, torch::kBool);
            return applyMask ? masked(x, encodedLengths, 1).detach() : x; // NeMo trains nothing below the mask
        };
    }

    hooks.phase(Phase::Forward);
    const auto [encoded, encodedLen] = m_encoder->forward(features, lengths, hooks, afterSubsampling);
    out.encodedLen = torch::tensor(encodedLen, torch::kInt64);
    out.masks = mask.to(torch::kFloat32).unsqueeze(1).expand({-1, m_config.masking.featIn, -1});
    out.counted = countedFrames(mask, m_config.loss);
    hooks.place(ForwardSite::Decoder);
    out.logProbs = decode(encoded, out, applyMask && m_decodeMaskedOnly);
    announceBackward(out.logProbs, hooks, ForwardSite::Decoder);
    hooks.place(ForwardSite::None);
    return out;
}

torch::Tensor NestModelImpl::loss(const NestOutput& output, std::int64_t* maskedFrames) {
    if (maskedFrames)
        *maskedFrames = output.counted.sum().item<std::int64_t>();
    return maskedTokenLoss(output.logProbs, output.tokens, output.counted, m_config.loss);
}

void NestModelImpl::setStatsExchange(const std::shared_ptr<StatsExchange>& exchange) {
    m_encoder->setStatsExchange(exchange);
}

NamedTensors NestModelImpl::trainable() const {
    NamedTensors all, out;
    collect(*this, "", false, all);
    std::set<const c10::TensorImpl*> seen;
    for (const auto& [name, tensor] : all)
        if (tensor.requires_grad() && seen.insert(tensor.unsafeGetTensorImpl()).second)
            out.emplace_back(name, tensor);
    return out;
}

StateDict NestModelImpl::stateDict() const {
    NamedTensors out;
    collect(*this, "", true, out);
    return out;
}

void NestModelImpl::loadStateDict(const StateDict& state) {
    torch::NoGradGuard noGrad;
    std::map<std::string, torch::Tensor> given(state.begin(), state.end());
    const NamedTensors own = stateDict();
    // all checks come before the first copy, so that a rejected state changes nothing
    for (const auto& [name, tensor] : own) {
        const auto found = given.find(name);
        if (found == given.end())
            throw ArgumentError("state", {"tensor {} is missing", name});
        if (found->second.sizes() != tensor.sizes())
            throw ArgumentError("state", {"tensor {} has shape [{}], but the model needs [{}]", name,
                                          c10::Join(", ", found->second.sizes()), c10::Join(", ", tensor.sizes())});
        found->second = found->second.to(tensor.options());
    }
    if (given.size() != own.size()) {
        for (const auto& [name, tensor] : own)
            given.erase(name);
        throw ArgumentError("state", {"tensor {} is not part of this model", given.begin()->first});
    }
    for (const auto& [name, tensor] : own)
        torch::Tensor(tensor).copy_(given.at(name));
}

void checkSupported(const config::ModelConfig& config) {
    const auto problems = config::modelProblems(config);
    if (!problems.empty()) {
        const auto& [key, value, need] = problems.front();
        throw ArgumentError("model." + key, {"{} is not supported ({})", value, need});
    }
}

std::vector<std::string> withoutEffect(const config::ModelConfig& c) {
    std::vector<std::string> notes;
    if (c.specAugment.freqMasks > 0 || c.specAugment.timeMasks > 0)
        notes.emplace_back("model.spec_augment: this model never calls it, as in NeMo: only masking hides frames");
    return notes;
}

} // namespace rankscope::trainer
