// SPDX-License-Identifier: Apache-2.0
#include "core/trainer/nn/relative_attention.h"

#include "core/trainer/nn/cpu_kernels/attention_kernels.h"
#include "core/trainer/nn/cpu_kernels/dropout_kernels.h"

#include <ATen/Parallel.h>
#include <torch/autograd.h>

#include <algorithm>
#include <cmath>

namespace rankscope::trainer {
namespace {

struct Shape {
    std::int64_t batch = 0, time = 0, heads = 0, width = 0; ///< width of one head

    std::int64_t rows() const { return heads * batch; }
    std::int64_t distances() const { return 2 * time - 1; }
    std::int64_t model() const { return heads * width; }
};

/// [B, T, D] -> [H, B, T, D/H], a view.
torch::Tensor headsFirst(const torch::Tensor& x, const Shape& s) {
    return x.view({s.batch, s.time, s.heads, s.width}).permute({2, 0, 1, 3});
}

/// [H, B, T, D/H] -> [B, T, D], contiguous.
torch::Tensor headsLast(const torch::Tensor& x, const Shape& s) {
    return x.view({s.heads, s.batch, s.time, s.width}).permute({1, 2, 0, 3}).reshape({s.batch, s.time, s.model()});
}

/// (q + bias) / sqrt(width) in the dtype of q, [H, B, T, D/H] contiguous.
torch::Tensor biasedQuery(const torch::Tensor& q, const torch::Tensor& bias, const Shape& s) {
    auto out = torch::empty({s.heads, s.batch, s.time, s.width}, bias.options());
    torch::add_out(out, headsFirst(q, s), bias.view({s.heads, 1, 1, s.width}));
    return out.mul_(1.0 / std::sqrt(static_cast<double>(s.width))).to(q.scalar_type());
}

/// Views distance scores [H*B, T, 2T-1] as [H*B, T, T]: row i starts one column later than row i+1 ("rel_shift").
torch::Tensor shifted(const torch::Tensor& distances, const Shape& s) {
    return distances.as_strided({s.rows(), s.time, s.time}, {s.time * s.distances(), s.distances() - 1, 1},
                                s.time - 1 + distances.storage_offset());
}

/// Sets every score outside the visible interval of its row.
void hide(torch::Tensor& scores, const AttentionSpan& span, const Shape& s, float value) {
    scores.view({s.heads, s.batch, s.time, s.time}).masked_fill_(span.hiddenKeys(s.batch, s.time, scores), value);
}

/// Returns the dropout factors, 0 or 1 / (1 - p), [H*B, T, T]; drawn in NeMo's layout (see TorchDropout).
torch::Tensor keptWeights(const AttentionSpan& span, const Shape& s, double dropout,
                          const torch::TensorOptions& options) {
    const auto drawnOn = drawsAsTorch() ? options.device(torch::kCPU) : options;
    const auto draw = [&](std::int64_t rows, std::int64_t columns) { // [B, H, rows, columns]
        return torch::empty({s.batch, s.heads, rows, columns}, drawnOn).bernoulli_(1 - dropout).div_(1 - dropout);
    };
    auto keep = torch::Tensor();
    if (span.window == 0) {
        keep = draw(s.time, s.time);
    } else { // row i has the keys i - window ... i + window
        const std::int64_t chunk = 2 * span.window, beside = std::max<std::int64_t>(0, s.time - 1 - span.window);
        keep = draw((s.time + chunk - 1) / chunk * chunk, chunk + 1).narrow(2, 0, s.time);
        keep = torch::constant_pad_nd(keep, {beside, beside}, 0).contiguous();
        const std::int64_t row = keep.size(3);
        keep = keep.as_strided({s.batch, s.heads, s.time, s.time}, {s.heads * s.time * row, s.time * row, row - 1, 1},
                               span.window + beside);
    }
    return keep.transpose(0, 1).reshape({s.rows(), s.time, s.time}).to(options.device());
}

std::int64_t rowGrain(const Shape& s) {
    return std::max<std::int64_t>(1, 16384 / s.time);
}

/// softmax(queries x keys + shifted distances) over the visible keys, [H*B, T, T] float32.
torch::Tensor weightsOf(const torch::Tensor& queries, const torch::Tensor& keysFirst, const torch::Tensor& distances,
                        const AttentionSpan& span, const Shape& s) {
    if (!isFloatOnCpu(queries)) {
        auto scores = torch::baddbmm(shifted(distances, s), queries, keysFirst.transpose(1, 2)).to(torch::kFloat32);
        hide(scores, span, s, kHiddenScore);
        auto weights = torch::softmax(scores, -1);
        hide(weights, span, s, 0.0f);
        return weights;
    }
    auto products = torch::bmm(queries, keysFirst.transpose(1, 2)); // [H*B, T, T]
    std::vector<rows::Keys> keys(static_cast<std::size_t>(s.batch * s.time));
    for (std::int64_t b = 0; b < s.batch; ++b)
        for (std::int64_t i = 0; i < s.time; ++i) {
            const auto seen = span.visible(i, span.lengths[static_cast<std::size_t>(b)]);
            keys[static_cast<std::size_t>(b * s.time + i)] = {seen.begin, seen.end};
        }
    auto* scores = products.mutable_data_ptr<float>();
    const auto* wide = distances.const_data_ptr<float>();
    at::parallel_for(0, s.rows() * s.time, rowGrain(s), [&](std::int64_t begin, std::int64_t end) {
        rows::softmaxRows(scores, wide, keys.data(), s.batch * s.time, s.time, begin, end);
    });
    return products;
}

/// Returns the gradients with respect to the products [H*B, T, T] and to the distances [H, B*T, 2T-1]; dWeights may be
/// overwritten.
std::pair<torch::Tensor, torch::Tensor> scoreGradients(const torch::Tensor& dWeights, const torch::Tensor& weights,
                                                       const Shape& s) {
    if (!isFloatOnCpu(dWeights)) {
        const auto dScores = at::_softmax_backward_data(dWeights, weights, -1, weights.scalar_type());
        auto dDistances = torch::zeros({s.heads, s.batch * s.time, s.distances()}, weights.options());
        shifted(dDistances, s).copy_(dScores);
        return {dScores, dDistances};
    }
    auto dDistances = torch::empty({s.heads, s.batch * s.time, s.distances()}, weights.options());
    auto *narrow = dWeights.mutable_data_ptr<float>(), *wide = dDistances.mutable_data_ptr<float>();
    const auto* w = weights.const_data_ptr<float>();
    at::parallel_for(0, s.rows() * s.time, rowGrain(s), [&](std::int64_t begin, std::int64_t end) {
        rows::softmaxGradientRows(narrow, w, wide, s.time, begin, end);
    });
    return {dWeights, dDistances};
}

/// The dropout of the weights: only its seed on the CPU, the factors themselves elsewhere.
struct WeightDropout {
    DropoutMask mask;
    torch::Tensor factors;

    static WeightDropout draw(double p, const torch::Tensor& weights, const AttentionSpan& span, const Shape& s) {
        WeightDropout d;
        if (isFloatOnCpu(weights) && !drawsAsTorch())
            d.mask = drawDropout(p);
        else if (p > 0)
            d.factors = keptWeights(span, s, p, weights.options());
        return d;
    }
    torch::Tensor applied(const torch::Tensor& x) const {
        if (factors.defined())
            return x * factors;
        return mask.all() ? x : scaledBy(mask, x);
    }
};

/// The core with its gradients with respect to its six tensors.
struct RelativeAttentionFunction : torch::autograd::Function<RelativeAttentionFunction> {
    static torch::Tensor forward(torch::autograd::AutogradContext* ctx, const torch::Tensor& q, const torch::Tensor& k,
                                 const torch::Tensor& v, const torch::Tensor& p, const torch::Tensor& biasU,
                                 const torch::Tensor& biasV, const AttentionSpan& span, double dropout) {
        const Shape s{q.size(0), q.size(1), biasU.size(0), biasU.size(1)};
        const auto qu = biasedQuery(q, biasU, s), qv = biasedQuery(q, biasV, s);
        const auto kh = headsFirst(k, s).reshape({s.rows(), s.time, s.width});
        const auto vh = headsFirst(v, s).reshape({s.rows(), s.time, s.width});
        const auto ph = p.view({s.distances(), s.heads, s.width}).transpose(0, 1).contiguous(); // [H, 2T-1, D/H]
        const auto flat = [&](const torch::Tensor& x) { return x.view({s.heads, s.batch * s.time, s.width}); };
        const auto distances = torch::bmm(flat(qv), ph.transpose(1, 2)); // [H, B*T, 2T-1]
        const auto weights = weightsOf(qu.view({s.rows(), s.time, s.width}), kh, distances, span, s);
        const auto drop = WeightDropout::draw(dropout, weights, span, s);
        const auto context = torch::bmm(drop.applied(weights).to(vh.scalar_type()), vh); // [H*B, T, D/H]
        ctx->save_for_backward({qu, qv, kh, vh, ph, weights, drop.factors});
        drop.mask.store(ctx->saved_data);
        return headsLast(context, s);
    }

    static torch::autograd::variable_list backward(torch::autograd::AutogradContext* ctx,
                                                   torch::autograd::variable_list grads) {
        const auto saved = ctx->get_saved_variables();
        const auto &qu = saved[0], &qv = saved[1], &kh = saved[2], &vh = saved[3], &ph = saved[4], &weights = saved[5];
        const WeightDropout drop{DropoutMask::load(ctx->saved_data), saved[6]};
        const Shape s{qu.size(1), qu.size(2), qu.size(0), qu.size(3)};
        const auto flat = [&](const torch::Tensor& x) { return x.view({s.heads, s.batch * s.time, s.width}); };
        const auto g = headsFirst(grads[0].contiguous(), s).reshape({s.rows(), s.time, s.width});

        const auto type = vh.scalar_type();
        const auto dV = torch::bmm(drop.applied(weights).to(type).transpose(1, 2), g);
        const auto dWeights = drop.applied(torch::bmm(g, vh.transpose(1, 2)).to(torch::kFloat32)); // [H*B, T, T]
        const auto [wideScores, wideDistances] = scoreGradients(dWeights, weights, s);
        const auto dScores = wideScores.to(type), dDistances = wideDistances.to(type);
        auto dQu = torch::bmm(dScores, kh);
        const auto dK = torch::bmm(dScores.transpose(1, 2), qu.view({s.rows(), s.time, s.width}));
        auto dQv = torch::bmm(dDistances, ph);                            // [H, B*T, D/H]
        const auto dP = torch::bmm(dDistances.transpose(1, 2), flat(qv)); // [H, 2T-1, D/H]

        const double scale = 1.0 / std::sqrt(static_cast<double>(s.width));
        dQu = dQu.view({s.heads, s.batch * s.time, s.width}).mul_(scale);
        dQv.mul_(scale);
        const auto dBiasU = dQu.sum(1, false, torch::kFloat32), dBiasV = dQv.sum(1, false, torch::kFloat32);
        return {headsLast(dQu.add_(dQv), s),
                headsLast(dK, s),
                headsLast(dV, s),
                dP.transpose(0, 1).reshape({s.distances(), s.model()}),
                dBiasU,
                dBiasV,
                {},
                {}};
    }
};

} // namespace

AttentionSpan::KeyInterval AttentionSpan::visible(std::int64_t query, std::int64_t valid) const {
    if (query >= valid)
        return {0, 0};
    std::int64_t begin = 0, end = valid;
    if (chunk > 0) {
        const std::int64_t own = query / chunk;
        if (context[0] >= 0)
            begin = std::max<std::int64_t>(0, (own - context[0] / chunk) * chunk);
        end = std::min(valid, (own + 1) * chunk);
    } else {
        if (context[0] >= 0)
            begin = std::max<std::int64_t>(0, query - context[0]);
        if (context[1] >= 0)
            end = std::min(valid, query + context[1] + 1);
    }
    return {begin, end};
}

torch::Tensor AttentionSpan::hiddenKeys(std::int64_t batch, std::int64_t time, const torch::Tensor& like) const {
    if (hidden.defined())
        return hidden;
    auto keys = torch::ones({batch, time, time}, torch::kBool);
    bool* row = keys.mutable_data_ptr<bool>();
    for (std::int64_t b = 0; b < batch; ++b)
        for (std::int64_t i = 0; i < time; ++i, row += time) {
            const auto seen = visible(i, lengths[static_cast<std::size_t>(b)]);
            std::fill(row + seen.begin, row + std::max(seen.begin, seen.end), false);
        }
    hidden = keys.to(like.device());
    return hidden;
}

torch::Tensor relativeAttention(const torch::Tensor& q, const torch::Tensor& k, const torch::Tensor& v,
                                const torch::Tensor& p, const torch::Tensor& biasU, const torch::Tensor& biasV,
                                const AttentionSpan& span, double dropout) {
    return RelativeAttentionFunction::apply(q.contiguous(), k.contiguous(), v.contiguous(), p.contiguous(), biasU,
                                            biasV, span, dropout);
}

} // namespace rankscope::trainer
