// SPDX-License-Identifier: Apache-2.0
#include "core/trainer/ssl/supported.h"

#include <fmt/format.h>

#include <stdexcept>

namespace rankscope::trainer {
namespace {

template <class Value> void require(bool ok, const char* key, const Value& value, const std::string& need) {
    if (!ok)
        throw std::invalid_argument(fmt::format("model.{}: {} is not supported ({})", key, value, need));
}

bool isPowerOfTwo(int n) {
    return n > 0 && (n & (n - 1)) == 0;
}

bool isShare(double p) {
    return p >= 0 && p < 1;
}

void checkSubsampling(const config::EncoderConfig& e) {
    require(e.subsampling == "dw_striding" || e.subsampling == "striding", "encoder.subsampling", e.subsampling,
            "dw_striding or striding");
    require(e.subsamplingFactor >= 2 && isPowerOfTwo(e.subsamplingFactor), "encoder.subsampling_factor",
            e.subsamplingFactor, "a power of 2, at least 2");
    require(e.subsamplingConvChannels == -1 || e.subsamplingConvChannels > 0, "encoder.subsampling_conv_channels",
            e.subsamplingConvChannels, "-1 or positive");
    require(e.subsamplingConvChunkingFactor == 1, "encoder.subsampling_conv_chunking_factor",
            e.subsamplingConvChunkingFactor, "only 1");
}

void checkAttention(const config::EncoderConfig& e) {
    require(e.selfAttentionModel == "rel_pos", "encoder.self_attention_model", e.selfAttentionModel, "only rel_pos");
    require(e.nHeads > 0 && e.dModel % e.nHeads == 0, "encoder.n_heads", e.nHeads,
            fmt::format("must divide d_model {}", e.dModel));
    require(e.attContextStyle == "regular" || e.attContextStyle == "chunked_limited", "encoder.att_context_style",
            e.attContextStyle, "regular or chunked_limited");
    const auto [left, right] = e.attContextSize;
    require(left >= -1 && right >= -1, "encoder.att_context_size", fmt::format("[{}, {}]", left, right),
            "frames, or -1 for all");
    if (e.attContextStyle == "chunked_limited") {
        require(right >= 0, "encoder.att_context_size", fmt::format("[{}, {}]", left, right),
                "chunked_limited needs a limited right context");
        require(left <= 0 || left % (right + 1) == 0, "encoder.att_context_size", fmt::format("[{}, {}]", left, right),
                "chunked_limited needs a left context that is a multiple of the right one plus 1");
    }
    require(e.posEmbMaxLen > 0, "encoder.pos_emb_max_len", e.posEmbMaxLen, "positive");
}

void checkConvolution(const config::EncoderConfig& e) {
    require(e.convKernelSize > 0 && e.convKernelSize % 2 == 1, "encoder.conv_kernel_size", e.convKernelSize, "odd");
    require(e.convNormType == "batch_norm" || e.convNormType == "layer_norm", "encoder.conv_norm_type", e.convNormType,
            "batch_norm or layer_norm");
    if (e.convContextSize) {
        const auto [left, right] = *e.convContextSize;
        require(left >= 0 && right >= 0 && left + right + 1 == e.convKernelSize, "encoder.conv_context_size",
                fmt::format("[{}, {}]", left, right),
                fmt::format("must add up to conv_kernel_size {}", e.convKernelSize));
    }
}

void checkEncoder(const config::EncoderConfig& e) {
    require(e.nLayers > 0, "encoder.n_layers", e.nLayers, "positive");
    require(e.dModel > 0 && e.dModel % 2 == 0, "encoder.d_model", e.dModel, "positive and even");
    require(e.ffExpansionFactor > 0, "encoder.ff_expansion_factor", e.ffExpansionFactor, "positive");
    checkSubsampling(e);
    checkAttention(e);
    checkConvolution(e);
    require(isShare(e.dropout), "encoder.dropout", e.dropout, "from 0 to below 1");
    require(isShare(e.dropoutPreEncoder), "encoder.dropout_pre_encoder", e.dropoutPreEncoder, "from 0 to below 1");
    require(isShare(e.dropoutEmb), "encoder.dropout_emb", e.dropoutEmb, "from 0 to below 1");
    require(isShare(e.dropoutAtt), "encoder.dropout_att", e.dropoutAtt, "from 0 to below 1");
    require(isShare(e.stochasticDepthDropProb), "encoder.stochastic_depth_drop_prob", e.stochasticDepthDropProb,
            "from 0 to below 1");
    require(e.stochasticDepthMode == "linear" || e.stochasticDepthMode == "uniform", "encoder.stochastic_depth_mode",
            e.stochasticDepthMode, "linear or uniform");
    require(e.stochasticDepthStartLayer >= 1 && e.stochasticDepthStartLayer <= e.nLayers,
            "encoder.stochastic_depth_start_layer", e.stochasticDepthStartLayer, "from 1 to n_layers");
}

void checkTargets(const config::ModelConfig& c, bool postConv) {
    const auto& q = c.quantizer;
    require(q.distFn == "l2" || q.distFn == "cosine", "quantizer.dist_fn", q.distFn, "l2 or cosine");
    require(q.numBooks > 0, "quantizer.num_books", q.numBooks, "positive");
    require(q.numClasses > 0, "quantizer.num_classes", q.numClasses, "positive");
    require(q.codeDim > 0, "quantizer.code_dim", q.codeDim, "positive");
    require(!q.timeAhead, "quantizer.time_ahead", q.timeAhead, "the model hands it features first: false");
    require(q.combineTimeSteps > 0, "quantizer.combine_time_steps", q.combineTimeSteps, "positive");
    if (!postConv) {
        const int steps = q.combineTimeSteps, pad = c.preprocessor.padTo;
        require(steps == c.encoder.subsamplingFactor, "quantizer.combine_time_steps", steps,
                fmt::format("must equal encoder.subsampling_factor {}", c.encoder.subsamplingFactor));
        require(steps == 1 || (pad > 0 && pad % steps == 0), "preprocessor.pad_to", pad,
                fmt::format("must be a multiple of quantizer.combine_time_steps {}", steps));
    } else {
        require(q.combineTimeSteps == 1, "quantizer.combine_time_steps", q.combineTimeSteps,
                "1 with mask_position post_conv");
    }
    require(c.loss.combineTimeSteps == q.combineTimeSteps, "loss.combine_time_steps", c.loss.combineTimeSteps,
            fmt::format("must equal quantizer.combine_time_steps {}", q.combineTimeSteps));
    require(c.loss.numDecoders == c.decoder.numDecoders, "loss.num_decoders", c.loss.numDecoders,
            fmt::format("must equal decoder.num_decoders {}", c.decoder.numDecoders));
    require(q.numBooks == c.decoder.numDecoders, "decoder.num_decoders", c.decoder.numDecoders,
            fmt::format("must equal quantizer.num_books {}", q.numBooks));
    require(q.numClasses == c.decoder.numClasses, "decoder.num_classes", c.decoder.numClasses,
            fmt::format("must equal quantizer.num_classes {}", q.numClasses));
    require(q.squeezeSingle == c.decoder.squeezeSingle, "decoder.squeeze_single", c.decoder.squeezeSingle,
            "must equal quantizer.squeeze_single");
    require(q.squeezeSingle == c.loss.squeezeSingle, "loss.squeeze_single", c.loss.squeezeSingle,
            "must equal quantizer.squeeze_single");
}

void checkMasking(const config::MaskingConfig& m) {
    require(m.blockSize > 0, "masking.block_size", m.blockSize, "positive");
    require(m.maskProb >= 0 && m.maskProb <= 1, "masking.mask_prob", m.maskProb, "from 0 to 1");
    require(m.maxMaskRatio > 0 && m.maxMaskRatio <= 1, "masking.max_mask_ratio", m.maxMaskRatio, "above 0, at most 1");
}

} // namespace

config::ModelConfig asBuilt(config::ModelConfig c) {
    if (c.maskPosition == "post_conv") {
        c.quantizer.featIn = c.encoder.dModel;
        c.masking.featIn = c.encoder.dModel;
        c.masking.blockSize /= c.encoder.subsamplingFactor;
        c.loss.combineTimeSteps = 1;
    }
    return c;
}

void checkSupported(const config::ModelConfig& given) {
    require(given.maskPosition == "pre_conv" || given.maskPosition == "post_conv", "mask_position", given.maskPosition,
            "pre_conv or post_conv");
    checkEncoder(given.encoder);
    const config::ModelConfig c = asBuilt(given);
    const bool postConv = c.maskPosition == "post_conv";
    const int mels = c.preprocessor.features * c.preprocessor.frameSplicing;
    require(c.encoder.featIn == mels, "encoder.feat_in", c.encoder.featIn,
            fmt::format("the front end makes {} features", mels));
    const int masked = postConv ? c.encoder.dModel : mels;
    require(c.masking.featIn == masked, "masking.feat_in", c.masking.featIn, fmt::format("must be {}", masked));
    require(c.quantizer.featIn == masked, "quantizer.feat_in", c.quantizer.featIn, fmt::format("must be {}", masked));
    const int encoded = c.encoder.featOut > 0 ? c.encoder.featOut : c.encoder.dModel;
    require(c.decoder.featIn == encoded, "decoder.feat_in", c.decoder.featIn,
            fmt::format("the encoder gives {} features", encoded));
    checkMasking(c.masking);
    checkTargets(c, postConv);
}

std::vector<std::string> withoutEffect(const config::ModelConfig& c) {
    std::vector<std::string> notes;
    if (c.specAugment.freqMasks > 0 || c.specAugment.timeMasks > 0)
        notes.emplace_back(
            "model.spec_augment: this model never calls it, in NeMo neither: masking alone hides frames");
    return notes;
}

} // namespace rankscope::trainer
