// SPDX-License-Identifier: Apache-2.0
#include "core/plan/cost/model_shapes.h"

#include "core/config/check/model_support.h"

#include <fmt/format.h>

#include <algorithm>

namespace rankscope::plan {

std::int64_t TensorShape::count() const {
    std::int64_t count = 1;
    for (const std::int64_t size : shape)
        count *= size;
    return count;
}

std::string TensorShape::typeName() const {
    return elementBytes < 8 ? "float32" : buffer ? "int64" : "float64";
}

namespace {

using TensorSizes = std::vector<std::int64_t>;

// position of a part in forward; tensors of one operation differ in the last digit
constexpr std::int64_t kLayerStride = 1000, kFirstLayer = 10 * kLayerStride, kReductionAt = 900;

class ShapeBuilder {
public:
    explicit ShapeBuilder(const config::ModelConfig& model) : m_model(model), m_encoder(model.encoder) {}

    std::vector<TensorShape> take() && {
        frontEnd();
        encoder();
        const auto& q = m_model.quantizer;
        add("quantizer.codebooks", {q.numBooks, q.numClasses, q.codeDim}, 1).elementBytes = 8;
        m_shapes.back().trainable = !q.freeze;
        add("quantizer.proj.weight",
            {std::int64_t{q.numBooks} * q.codeDim, std::int64_t{q.featIn} * q.combineTimeSteps}, 2)
            .trainable = !q.freeze;
        mask("mask_processor.", postConv());
        const auto& d = m_model.decoder;
        const std::int64_t classes = std::int64_t{d.numClasses} * d.numDecoders;
        operation("decoder.decoder_layers.0.", {classes, d.featIn, 1}, d.useBias, layerAt(m_encoder.nLayers) + 500);
        if (postConv()) { // the same tensors under the wrapper's name
            subsampling("pre_encoder.pre_encode.", m_encoder, kLayerStride, true);
            mask("pre_encoder.masking.", true);
        }
        return std::move(m_shapes);
    }

private:
    bool postConv() const { return m_model.maskPosition == "post_conv"; }
    static std::int64_t layerAt(std::int64_t layer) { return kFirstLayer + layer * kLayerStride; }

    TensorShape& add(std::string name, TensorSizes shape, std::int64_t usedAt) {
        m_shapes.push_back({std::move(name), std::move(shape)});
        m_shapes.back().usedAt = usedAt;
        return m_shapes.back();
    }
    void buffer(const std::string& name, TensorSizes shape, int bytes = 4) {
        TensorShape& tensor = add(name, std::move(shape), 0);
        tensor.buffer = true;
        tensor.trainable = false;
        tensor.elementBytes = bytes;
    }
    /// Adds weight and bias of a matrix product. The bias gets its gradient first, because the weight's gradient still
    /// has to be transposed.
    void operation(const std::string& at, TensorSizes weight, bool bias, std::int64_t usedAt) {
        const std::int64_t out = weight.front();
        add(at + "weight", std::move(weight), 10 * usedAt);
        if (bias)
            add(at + "bias", {out}, 10 * usedAt + 1);
    }
    /// Adds weight and bias of a convolution or norm, whose gradients are ready at the same time.
    void together(const std::string& at, TensorSizes weight, bool bias, std::int64_t usedAt) {
        const std::int64_t out = weight.front();
        add(at + "weight", std::move(weight), 10 * usedAt + 1);
        if (bias)
            add(at + "bias", {out}, 10 * usedAt);
    }

    void mask(const std::string& at, bool again) {
        const auto& m = m_model.masking;
        TensorShape& embedding = add(at + "mask_embedding", {m.featIn}, 3);
        embedding.trainable = !m.freeze && !m.maskValue;
        embedding.again = again;
    }

    void frontEnd() {
        const auto& p = m_model.preprocessor;
        int fft = p.nFft;
        if (fft == 0)
            for (fft = 1; fft < p.windowLength();)
                fft *= 2;
        buffer("preprocessor.featurizer.window", {p.windowLength()});
        buffer("preprocessor.featurizer.fb", {1, p.features, fft / 2 + 1});
    }

    /// Adds the sub-sampling: striding and dw_striding, stacking, or a linear layer.
    void subsampling(const std::string& at, const config::EncoderConfig& c, std::int64_t usedAt, bool again) {
        const std::size_t first = m_shapes.size();
        if (c.subsamplingFactor == 1) {
            operation(at, {c.dModel, c.featIn}, true, usedAt);
        } else if (c.subsampling.starts_with("stacking")) {
            operation(at + "proj_out.", {c.dModel, std::int64_t{c.featIn} * c.subsamplingFactor}, true, usedAt + 1);
            if (c.subsampling == "stacking_norm")
                together(at + "pre_norm.", {c.featIn}, true, usedAt);
        } else {
            convolutions(at, c, usedAt);
        }
        for (std::size_t i = first; i < m_shapes.size(); ++i)
            m_shapes[i].again = again;
    }

    void convolutions(const std::string& at, const config::EncoderConfig& c, std::int64_t usedAt) {
        const std::int64_t channels = c.subsamplingConvChannels > 0 ? c.subsamplingConvChannels : c.dModel;
        const bool depthwise = c.subsampling == "dw_striding";
        const std::int64_t around = c.causalDownsampling ? 3 : 2; // padding at both ends
        std::int64_t features = c.featIn;
        for (int factor = c.subsamplingFactor; factor > 1; factor /= 2)
            features = features + around < 3 ? 0 : (features + around - 3) / 2 + 1;
        operation(at + "out.", {c.dModel, channels * features}, true, usedAt + 50);
        int index = 0;
        std::int64_t stage = 0;
        for (int factor = c.subsamplingFactor; factor > 1; factor /= 2, ++stage) {
            const bool first = stage == 0;
            together(fmt::format("{}conv.{}.", at, index++), {channels, first || depthwise ? 1 : channels, 3, 3}, true,
                     usedAt + 2 * stage);
            if (depthwise && !first)
                together(fmt::format("{}conv.{}.", at, index++), {channels, channels, 1, 1}, true,
                         usedAt + 2 * stage + 1);
            ++index; // the activation
        }
    }

    void encoder() {
        subsampling(postConv() ? "encoder.pre_encode.pre_encode." : "encoder.pre_encode.", m_encoder, kLayerStride,
                    false);
        if (postConv())
            mask("encoder.pre_encode.masking.", false);
        if (m_encoder.reduction == "striding") {
            config::EncoderConfig r;
            r.subsampling = "striding";
            r.subsamplingFactor = m_encoder.reductionFactor;
            r.featIn = r.dModel = r.subsamplingConvChannels = m_encoder.dModel;
            const std::int64_t after = m_encoder.reductionPosition.value_or(-1);
            subsampling("encoder.reduction_subsampling.reduction_enc.", r,
                        layerAt(after < 0 ? m_encoder.nLayers : after) + kReductionAt, false);
        }
        for (int i = 0; i < m_encoder.nLayers; ++i)
            layer(i);
        if (m_encoder.featOut > 0 && m_encoder.featOut != m_encoder.dModel)
            operation("encoder.out_proj.", {m_encoder.featOut, m_encoder.dModel}, true, layerAt(m_encoder.nLayers));
    }

    void feedForward(const std::string& at, std::int64_t usedAt) {
        const std::int64_t d = m_encoder.dModel, hidden = d * m_encoder.ffExpansionFactor;
        operation(at + "linear1.", {hidden, d}, m_encoder.useBias, usedAt);
        operation(at + "linear2.", {d, hidden}, m_encoder.useBias, usedAt + 1);
    }

    void layer(int i) {
        const std::string at = fmt::format("encoder.layers.{}.", i);
        const std::int64_t d = m_encoder.dModel, used = layerAt(i);
        together(at + "norm_feed_forward1.", {d}, true, used);
        feedForward(at + "feed_forward1.", used + 1);
        together(at + "norm_conv.", {d}, true, used + 30);
        convolution(at + "conv.", used + 31);
        together(at + "norm_self_att.", {d}, true, used + 10);
        attention(at + "self_attn.", i, used + 11);
        together(at + "norm_feed_forward2.", {d}, true, used + 50);
        feedForward(at + "feed_forward2.", used + 51);
        together(at + "norm_out.", {d}, true, used + 60);
    }

    void convolution(const std::string& at, std::int64_t usedAt) {
        const std::int64_t d = m_encoder.dModel;
        const bool bias = m_encoder.useBias;
        operation(at + "pointwise_conv1.", {2 * d, d, 1}, bias, usedAt);
        together(at + "depthwise_conv.", {d, 1, m_encoder.convKernelSize}, bias, usedAt + 1);
        const std::string& norm = m_encoder.convNormType;
        if (norm != "instance_norm")
            together(at + "batch_norm.", {d}, true, usedAt + 2);
        if (norm == "batch_norm") {
            buffer(at + "batch_norm.running_mean", {d});
            buffer(at + "batch_norm.running_var", {d});
            buffer(at + "batch_norm.num_batches_tracked", {}, 8);
        }
        operation(at + "pointwise_conv2.", {d, d, 1}, bias, usedAt + 3);
    }

    void attention(const std::string& at, int layer, std::int64_t usedAt) {
        const std::int64_t d = m_encoder.dModel;
        const bool plain = m_encoder.selfAttentionModel == "abs_pos";
        const bool tied = !m_encoder.untieBiases && m_encoder.selfAttentionModel == "rel_pos";
        if (!plain)
            for (const char* name : {"pos_bias_u", "pos_bias_v"})
                add(at + name, {m_encoder.nHeads, d / m_encoder.nHeads}, 10 * (usedAt + 5) + (name[9] == 'u' ? 1 : 0))
                    .again = tied && layer > 0;
        const char* const inputs[] = {"linear_q.", "linear_k.", "linear_v."};
        for (int i = 0; i < 3; ++i)
            operation(at + inputs[i], {d, d}, m_encoder.useBias, usedAt + 3 - i);
        operation(at + "linear_out.", {d, d}, m_encoder.useBias, usedAt + 6);
        if (!plain)
            operation(at + "linear_pos.", {d, d}, false, usedAt);
    }

    const config::ModelConfig& m_model;
    const config::EncoderConfig& m_encoder;
    std::vector<TensorShape> m_shapes;
};

} // namespace

std::vector<TensorShape> modelShapes(const config::ModelConfig& model) {
    const config::ModelConfig built = config::asBuilt(model);
    return ShapeBuilder(built).take();
}

std::vector<std::size_t> trainableTensors(const std::vector<TensorShape>& shapes) {
    std::vector<std::size_t> places;
    for (std::size_t i = 0; i < shapes.size(); ++i)
        if (shapes[i].trainable && !shapes[i].again)
            places.push_back(i);
    return places;
}

std::vector<std::size_t> gradientOrder(const std::vector<TensorShape>& shapes) {
    auto places = trainableTensors(shapes);
    // a tensor that all layers share is ready when the first layer is done
    std::ranges::stable_sort(places, [&](std::size_t a, std::size_t b) { return shapes[a].usedAt > shapes[b].usedAt; });
    return places;
}

} // namespace rankscope::plan
