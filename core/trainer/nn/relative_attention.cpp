// SPDX-License-Identifier: Apache-2.0
#include "core/trainer/nn/relative_attention.h"

#include "core/trainer/nn/attention_rows.h"
#include "core/trainer/nn/dropout_kernels.h"

#include <ATen/Parallel.h>

#include <algorithm>
#include <cmath>

namespace rankscope::trainer {
namespace {

constexpr float kHidden = -10000.0f; ///< NeMo's INF_VAL: what a score becomes that must not count

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

/// (q + bias) / sqrt(width), [H, B, T, D/H] contiguous.
torch::Tensor biasedQuery(const torch::Tensor& q, const torch::Tensor& bias, const Shape& s) {
    auto out = torch::empty({s.heads, s.batch, s.time, s.width}, q.options());
    torch::add_out(out, headsFirst(q, s), bias.view({s.heads, 1, 1, s.width}));
    return out.mul_(1.0 / std::sqrt(static_cast<double>(s.width)));
}

/// Distance scores [H*B, T, 2T-1] seen as [H*B, T, T]: row i starts one column later than row i+1 ("rel_shift").
torch::Tensor shifted(const torch::Tensor& distances, const Shape& s) {
    return distances.as_strided({s.rows(), s.time, s.time}, {s.time * s.distances(), s.distances() - 1, 1},
                                s.time - 1 + distances.storage_offset());
}

/// Sets every score outside the visible interval of its row.
void hide(torch::Tensor& scores, const AttentionSpan& span, const Shape& s, float value) {
    auto mask = torch::ones({s.batch, s.time, s.time}, torch::kBool);
    for (std::int64_t b = 0; b < s.batch; ++b)
        for (std::int64_t i = 0; i < s.time; ++i) {
            const auto seen = span.visible(i, span.lengths[static_cast<std::size_t>(b)]);
            mask[b][i].narrow(0, seen.begin, seen.end - seen.begin).fill_(false);
        }
    scores.view({s.heads, s.batch, s.time, s.time}).masked_fill_(mask.to(scores.device()), value);
}

bool takesKernels(const torch::Tensor& x) {
    return x.is_cpu() && x.scalar_type() == torch::kFloat32;
}

std::int64_t rowGrain(const Shape& s) {
    return std::max<std::int64_t>(1, 16384 / s.time);
}

/// softmax(products + shifted distances) over the visible keys, [H*B, T, T]; may take the place of `products`.
torch::Tensor weightsOf(torch::Tensor products, const torch::Tensor& distances, const AttentionSpan& span,
                        const Shape& s) {
    if (!takesKernels(products)) {
        auto scores = products + shifted(distances, s);
        hide(scores, span, s, kHidden);
        auto weights = torch::softmax(scores, -1);
        hide(weights, span, s, 0.0f);
        return weights;
    }
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

/// Gradients by the products [H*B, T, T] and by the distances [H, B*T, 2T-1]; dWeights may be overwritten.
std::pair<torch::Tensor, torch::Tensor> scoreGradients(torch::Tensor dWeights, const torch::Tensor& weights,
                                                       const Shape& s) {
    if (!takesKernels(dWeights)) {
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

/// The dropout of the weights: on the CPU only its seed, elsewhere the factors themselves.
struct WeightDropout {
    DropoutMask mask;
    torch::Tensor factors;

    static WeightDropout draw(double p, const torch::Tensor& weights) {
        WeightDropout d;
        if (takesKernels(weights))
            d.mask = drawDropout(p);
        else if (p > 0)
            d.factors = torch::empty_like(weights).bernoulli_(1 - p).div_(1 - p);
        return d;
    }
    torch::Tensor applied(const torch::Tensor& x) const {
        if (factors.defined())
            return x * factors;
        return mask.all() ? x : scaledBy(mask, x);
    }
};

/// Gradients of the core by its six tensors.
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
        const auto distances = torch::bmm(flat(qv), ph.transpose(1, 2));                            // [H, B*T, 2T-1]
        const auto products = torch::bmm(qu.view({s.rows(), s.time, s.width}), kh.transpose(1, 2)); // [H*B, T, T]
        const auto weights = weightsOf(products, distances, span, s);
        const auto drop = WeightDropout::draw(dropout, weights);
        const auto context = torch::bmm(drop.applied(weights), vh); // [H*B, T, D/H]
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

        const auto dV = torch::bmm(drop.applied(weights).transpose(1, 2), g);
        const auto dWeights = drop.applied(torch::bmm(g, vh.transpose(1, 2))); // [H*B, T, T]
        const auto [dScores, dDistances] = scoreGradients(dWeights, weights, s);
        auto dQu = torch::bmm(dScores, kh);
        const auto dK = torch::bmm(dScores.transpose(1, 2), qu.view({s.rows(), s.time, s.width}));
        auto dQv = torch::bmm(dDistances, ph);                            // [H, B*T, D/H]
        const auto dP = torch::bmm(dDistances.transpose(1, 2), flat(qv)); // [H, 2T-1, D/H]

        const double scale = 1.0 / std::sqrt(static_cast<double>(s.width));
        dQu = dQu.view({s.heads, s.batch * s.time, s.width}).mul_(scale);
        dQv.mul_(scale);
        const auto dBiasU = dQu.sum(1), dBiasV = dQv.sum(1);
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

AttentionSpan::Interval AttentionSpan::visible(std::int64_t query, std::int64_t valid) const {
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

torch::Tensor relativeAttention(const torch::Tensor& q, const torch::Tensor& k, const torch::Tensor& v,
                                const torch::Tensor& p, const torch::Tensor& biasU, const torch::Tensor& biasV,
                                const AttentionSpan& span, double dropout) {
    return RelativeAttentionFunction::apply(q.contiguous(), k.contiguous(), v.contiguous(), p.contiguous(), biasU,
                                            biasV, span, dropout);
}

} // namespace rankscope::trainer
