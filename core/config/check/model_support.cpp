// SPDX-License-Identifier: Apache-2.0
#include "core/config/check/model_support.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

namespace rankscope::config {
namespace {

/// A plan lists the tensors of each layer: beyond any model's number, that would take all memory there is.
constexpr int kMostLayers = 10'000;

bool isPowerOfTwo(int n) {
    return n > 0 && (n & (n - 1)) == 0;
}

bool isOneOf(const std::string& text, const std::vector<const char*>& words) {
    return std::find(words.begin(), words.end(), text) != words.end();
}

class Requirements {
public:
    std::vector<ModelProblem> problems;

protected:
    template <class Value> void require(bool ok, const char* key, const Value& value, Message need) {
        if (!ok)
            problems.push_back({key, fmt::format("{}", value), std::move(need)});
    }
    void requireOneOf(const char* key, const std::string& value, const std::vector<const char*>& words) {
        if (!isOneOf(value, words))
            problems.push_back({key, value, {"{}", anyOf({words.begin(), words.end()})}});
    }
    void requirePositive(const char* key, int value) { require(value > 0, key, value, "positive"); }
    void requireShare(const char* key, double value) {
        require(value >= 0 && value < 1, key, value, "from 0 to below 1");
    }
};

class FrontEndCheck : public Requirements {
public:
    void preprocessor(const PreprocessorConfig& p) {
        window("preprocessor.window_size", p.windowSize, p.windowSamples);
        window("preprocessor.window_stride", p.windowStride, p.strideSamples);
        require(p.windowLength() > 0, "preprocessor.window_size", p.windowSize, "at least one sample");
        require(p.hopLength() > 0, "preprocessor.window_stride", p.windowStride, "at least one sample");
        require(p.nFft == 0 || p.nFft >= p.windowLength(), "preprocessor.n_fft", p.nFft,
                {"not less than the window's {} samples", p.windowLength()});
        requireOneOf("preprocessor.window", p.window, {"hann", "hamming", "blackman", "bartlett"});
        require(isOneOf(p.normalize, {"per_feature", "all_features"}) || isNoNormalisation(p.normalize),
                "preprocessor.normalize", p.normalize, {"{}", anyOf({"per_feature", "all_features", "null"})});
        require(p.features > 0, "preprocessor.features", p.features, "at least 1");
        const double high = p.highfreq > 0 ? p.highfreq : p.sampleRate / 2.0;
        require(p.lowfreq < high, "preprocessor.lowfreq", p.lowfreq, {"below highfreq, {}", high});
        require(!p.exactPad || p.hopLength() % 2 == 0, "preprocessor.exact_pad", p.exactPad, "true needs an even hop");
        requireOneOf("preprocessor.log_zero_guard_type", p.logZeroGuardType, {"add", "clamp"});
        requireOneOf("preprocessor.mel_norm", p.melNorm, {"slaney", "null"});
        require(p.frameSplicing >= 1, "preprocessor.frame_splicing", p.frameSplicing, "at least 1");
    }

private:
    void window(const char* key, double seconds, int samples) {
        const std::string name = std::string(key).substr(13);
        require(seconds <= 0 || samples <= 0, key, seconds,
                {"NeMo takes either this or n_{}; the other is null", name});
        require(seconds > 0 || samples > 0, key, "null", {"give this or n_{}", name});
    }
};

class ModelCheck : public Requirements {
public:
    explicit ModelCheck(const ModelConfig& given)
        : m_given(given), m_config(asBuilt(given)), m_postConv(given.maskPosition == "post_conv") {}

    void run() {
        requireOneOf("mask_position", m_config.maskPosition, {"pre_conv", "post_conv"});
        const auto frontEnd = frontEndProblems(m_config.preprocessor);
        problems.insert(problems.end(), frontEnd.begin(), frontEnd.end());
        encoder(m_config.encoder);
        widths();
        masking(m_config.masking);
        targets();
        agreement();
        requireOneOf("decoder.init_mode", m_config.decoder.initMode,
                     {"xavier_uniform", "xavier_normal", "kaiming_uniform", "kaiming_normal", "tds_uniform",
                      "tds_normal", "null"});
    }

private:
    void encoder(const EncoderConfig& e) {
        require(e.nLayers > 0 && e.nLayers <= kMostLayers, "encoder.n_layers", e.nLayers,
                {"from 1 to {}", kMostLayers});
        require(e.dModel > 0 && e.dModel % 2 == 0, "encoder.d_model", e.dModel, "positive and even");
        requirePositive("encoder.ff_expansion_factor", e.ffExpansionFactor);
        subsampling(e);
        reduction(e);
        attention(e);
        convolution(e);
        requireShare("encoder.dropout", e.dropout);
        requireShare("encoder.dropout_pre_encoder", e.dropoutPreEncoder);
        requireShare("encoder.dropout_emb", e.dropoutEmb);
        requireShare("encoder.dropout_att", e.dropoutAtt);
        requireShare("encoder.stochastic_depth_drop_prob", e.stochasticDepthDropProb);
        requireOneOf("encoder.stochastic_depth_mode", e.stochasticDepthMode, {"linear", "uniform"});
        require(e.stochasticDepthStartLayer >= 1 && e.stochasticDepthStartLayer <= e.nLayers,
                "encoder.stochastic_depth_start_layer", e.stochasticDepthStartLayer, "from 1 to n_layers");
    }

    void subsampling(const EncoderConfig& e) {
        // in NeMo itself vggnet, striding_conv1d and dw_striding_conv1d fail in the first forward
        requireOneOf("encoder.subsampling", e.subsampling, {"dw_striding", "striding", "stacking", "stacking_norm"});
        const bool stacks = e.subsampling.starts_with("stacking");
        require(e.subsamplingFactor >= 1 && (stacks || isPowerOfTwo(e.subsamplingFactor)), "encoder.subsampling_factor",
                e.subsamplingFactor, "a power of 2");
        require(e.subsamplingFactor != 1 || !m_postConv, "encoder.subsampling_factor", e.subsamplingFactor,
                "at least 2 with mask_position post_conv, as in NeMo");
        require(e.subsamplingConvChannels == -1 || e.subsamplingConvChannels > 0, "encoder.subsampling_conv_channels",
                e.subsamplingConvChannels, "-1 or positive");
        // NeMo fails with -1; a larger factor gives other results if the batch is too small for it
        require(e.subsamplingConvChunkingFactor == 1, "encoder.subsampling_conv_chunking_factor",
                e.subsamplingConvChunkingFactor, "only 1");
        require(!e.causalDownsampling || m_postConv || stacks || e.subsamplingFactor == 1,
                "encoder.causal_downsampling", e.causalDownsampling,
                "false with mask_position pre_conv, as in NeMo: it produces one frame more than there are targets");
    }

    void reduction(const EncoderConfig& e) {
        if (e.reduction.empty())
            return;
        requireOneOf("encoder.reduction", e.reduction, {"pooling", "striding"});
        require(isPowerOfTwo(e.reductionFactor), "encoder.reduction_factor", e.reductionFactor, "a power of 2");
        const int position = e.reductionPosition.value_or(-2);
        require(position >= -1 && position < e.nLayers, "encoder.reduction_position",
                e.reductionPosition ? std::to_string(position) : "null", "the number of a layer, or -1 for the end");
        require(!m_postConv, "encoder.reduction", e.reduction, "null with mask_position post_conv, as in NeMo");
        require(position != -1 || e.reduction != "striding" || e.featOut <= 0 || e.featOut == e.dModel,
                "encoder.reduction_position", position, "-1 with striding needs a feat_out of -1");
    }

    void attention(const EncoderConfig& e) {
        require(e.selfAttentionModel != "rel_pos_local_attn" ||
                    m_given.encoder.attContextStyle != "chunked_limited_with_rc",
                "encoder.att_context_style", m_given.encoder.attContextStyle,
                "regular or chunked_limited with rel_pos_local_attn");
        requireOneOf("encoder.self_attention_model", e.selfAttentionModel,
                     {"rel_pos", "abs_pos", "rel_pos_local_attn"});
        require(e.nHeads > 0 && e.dModel % std::max(e.nHeads, 1) == 0, "encoder.n_heads", e.nHeads,
                {"must divide d_model {}", e.dModel});
        requireOneOf("encoder.att_context_style", e.attContextStyle, {"regular", "chunked_limited"});
        const auto [left, right] = e.attContextSize;
        const std::string context = fmt::format("[{}, {}]", left, right);
        require(left >= -1 && right >= -1, "encoder.att_context_size", context, "frames, or -1 for all");
        if (e.attContextStyle == "chunked_limited") {
            require(right >= 0, "encoder.att_context_size", context, "chunked_limited needs a limited right context");
            require(left <= 0 || left % (std::int64_t{std::max(right, 0)} + 1) == 0, "encoder.att_context_size",
                    context, "chunked_limited needs a left context that is a multiple of the right one plus 1");
        }
        require(e.selfAttentionModel != "rel_pos_local_attn" || (left > 0 && left == right), "encoder.att_context_size",
                context,
                "rel_pos_local_attn needs the same limited context on both sides: otherwise NeMo's positions are "
                "misplaced");
        requirePositive("encoder.pos_emb_max_len", e.posEmbMaxLen);
    }

    void convolution(const EncoderConfig& e) {
        require(e.convKernelSize > 0 && e.convKernelSize % 2 == 1, "encoder.conv_kernel_size", e.convKernelSize, "odd");
        const int groups = normGroups(e.convNormType);
        require(groups > 0 ||
                    isOneOf(e.convNormType, {"batch_norm", "layer_norm", "instance_norm", "fused_batch_norm"}),
                "encoder.conv_norm_type", e.convNormType,
                "batch_norm, layer_norm, instance_norm, fused_batch_norm, or group_norm with a number of groups");
        require(groups == 0 || e.dModel % groups == 0, "encoder.conv_norm_type", e.convNormType,
                {"the groups must divide d_model {}", e.dModel});
        if (e.convContextSize) {
            const auto [left, right] = *e.convContextSize;
            require(left >= 0 && right >= 0 && std::int64_t{left} + right + 1 == e.convKernelSize,
                    "encoder.conv_context_size", fmt::format("[{}, {}]", left, right),
                    {"must add up to conv_kernel_size {}", e.convKernelSize});
        }
    }

    void widths() {
        const ModelConfig& c = m_config;
        const std::int64_t mels = std::int64_t{c.preprocessor.features} * c.preprocessor.frameSplicing;
        require(c.encoder.featIn == mels, "encoder.feat_in", c.encoder.featIn,
                {"the front end makes {} features", mels});
        const std::int64_t masked = m_postConv ? c.encoder.dModel : mels;
        require(c.masking.featIn == masked, "masking.feat_in", c.masking.featIn, {"must be {}", masked});
        require(c.quantizer.featIn == masked, "quantizer.feat_in", c.quantizer.featIn, {"must be {}", masked});
        const int encoded = c.encoder.featOut > 0 ? c.encoder.featOut : c.encoder.dModel;
        require(c.decoder.featIn == encoded, "decoder.feat_in", c.decoder.featIn,
                {"the encoder gives {} features", encoded});
    }

    void masking(const MaskingConfig& m) {
        require(m.blockSize > 0, "masking.block_size", m_given.masking.blockSize,
                m_postConv ? Message("at least subsampling_factor with mask_position post_conv") : Message("positive"));
        require(m.maskProb >= 0 && m.maskProb <= 1, "masking.mask_prob", m.maskProb, "from 0 to 1");
        require(m.maxMaskRatio > 0 && m.maxMaskRatio <= 1, "masking.max_mask_ratio", m.maxMaskRatio,
                "above 0, at most 1");
    }

    void targets() {
        const auto& q = m_config.quantizer;
        requireOneOf("quantizer.dist_fn", q.distFn, {"l2", "cosine"});
        requirePositive("quantizer.num_books", q.numBooks);
        requirePositive("quantizer.num_classes", q.numClasses);
        requirePositive("quantizer.code_dim", q.codeDim);
        require(!q.timeAhead, "quantizer.time_ahead", q.timeAhead, "the model passes it features first: false");
        requirePositive("quantizer.combine_time_steps", q.combineTimeSteps);
        if (m_postConv) {
            require(q.combineTimeSteps == 1, "quantizer.combine_time_steps", q.combineTimeSteps,
                    "1 with mask_position post_conv");
            return;
        }
        const int steps = q.combineTimeSteps, pad = m_config.preprocessor.padTo;
        const std::int64_t needed = m_config.encoder.framesPerOutput();
        require(steps == needed, "quantizer.combine_time_steps", steps,
                m_config.encoder.reduction.empty()
                    ? Message("must equal encoder.subsampling_factor, {}", needed)
                    : Message("must equal encoder.subsampling_factor times reduction_factor, {}", needed));
        require(steps <= 1 || (pad > 0 && pad % steps == 0), "preprocessor.pad_to", pad,
                {"must be a multiple of quantizer.combine_time_steps {}", steps});
    }

    /// Checks that quantizer, decoder and loss agree on the tokens.
    void agreement() {
        const auto& q = m_config.quantizer;
        const auto& d = m_config.decoder;
        const auto& l = m_config.loss;
        require(l.combineTimeSteps == q.combineTimeSteps, "loss.combine_time_steps", l.combineTimeSteps,
                {"must equal quantizer.combine_time_steps {}", q.combineTimeSteps});
        require(l.numDecoders == d.numDecoders, "loss.num_decoders", l.numDecoders,
                {"must equal decoder.num_decoders {}", d.numDecoders});
        require(q.numBooks == d.numDecoders, "decoder.num_decoders", d.numDecoders,
                {"must equal quantizer.num_books {}", q.numBooks});
        require(q.numClasses == d.numClasses, "decoder.num_classes", d.numClasses,
                {"must equal quantizer.num_classes {}", q.numClasses});
        require(q.squeezeSingle == d.squeezeSingle, "decoder.squeeze_single", d.squeezeSingle,
                "must equal quantizer.squeeze_single");
        require(q.squeezeSingle == l.squeezeSingle, "loss.squeeze_single", l.squeezeSingle,
                "must equal quantizer.squeeze_single");
    }

    const ModelConfig& m_given;
    ModelConfig m_config; ///< as NeMo builds it
    bool m_postConv;
};

} // namespace

ModelConfig asBuilt(ModelConfig c) {
    if (c.maskPosition == "post_conv") {
        c.quantizer.featIn = c.encoder.dModel;
        c.masking.featIn = c.encoder.dModel;
        c.masking.blockSize /= std::max(c.encoder.subsamplingFactor, 1);
        c.loss.combineTimeSteps = 1;
    }
    // its contexts are only sampled for streaming: as built, and as trained here, the encoder sees everything
    if (c.nemo == NemoVersion::V3_0_0 && c.encoder.attContextStyle == "chunked_limited_with_rc") {
        c.encoder.attContextStyle = "regular";
        c.encoder.attContextSize = {-1, -1};
    }
    return c;
}

int normGroups(const std::string& type) {
    static constexpr std::string_view kPrefix = "group_norm";
    int groups = 0;
    if (!type.starts_with(kPrefix))
        return 0;
    const char* end = type.data() + type.size();
    const auto [stop, error] = std::from_chars(type.data() + kPrefix.size(), end, groups);
    return error == std::errc() && stop == end && groups > 0 ? groups : 0;
}

bool isNoNormalisation(const std::string& normalize) {
    return normalize.empty() || isOneOf(normalize, {"null", "none", "None", "NA"});
}

std::vector<ModelProblem> frontEndProblems(const PreprocessorConfig& config) {
    FrontEndCheck check;
    check.preprocessor(config);
    return std::move(check.problems);
}

std::vector<ModelProblem> modelProblems(const ModelConfig& config) {
    ModelCheck check(config);
    check.run();
    return std::move(check.problems);
}

Message toText(const ModelProblem& p) {
    return {"model.{}: {} is not supported ({})", p.key, p.value, p.need};
}

} // namespace rankscope::config
