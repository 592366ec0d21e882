// SPDX-License-Identifier: Apache-2.0
#include "core/trainer/nn/batch_norm.h"

#include "core/trainer/nn/cpu_kernels/batch_norm_kernels.h"

#include <torch/autograd.h>

namespace rankscope::trainer {
namespace {

constexpr double kEps = 1e-5, kMomentum = 0.1;

struct BatchMoments {
    torch::Tensor mean, var; ///< [C] float64, var biased
    double count = 0;        ///< rows
};

/// Returns the moments of all ranks' rows together, or this rank's own if `exchange` is null.
BatchMoments exchanged(const BatchMoments& local, StatsExchange* exchange, const std::string& layer) {
    if (!exchange)
        return local;
    const std::int64_t c = local.mean.numel();
    const auto count = torch::full({1}, local.count, local.mean.options());
    const auto all = exchange->allGather(torch::cat({local.mean, local.var, count}).to(torch::kFloat32), layer)
                         .to(torch::kFloat64)
                         .nan_to_num(); // [W, 2C + 1]; an empty rank has no mean and no weight
    const auto means = all.narrow(1, 0, c), vars = all.narrow(1, c, c), counts = all.narrow(1, 2 * c, 1);
    const auto total = counts.sum();
    const auto mean = (means * counts).sum(0) / total;
    const auto var = ((vars + (means - mean).square()) * counts).sum(0) / total;
    return {mean, var, total.item<double>()};
}

/// x [N, C] -> y [N, C]; updates running statistics.
struct BatchNormFunction : torch::autograd::Function<BatchNormFunction> {
    static torch::Tensor forward(torch::autograd::AutogradContext* ctx, const torch::Tensor& x,
                                 const torch::Tensor& weight, const torch::Tensor& bias, const BatchMoments& moments,
                                 std::shared_ptr<StatsExchange> exchange, const std::string& layer) {
        const auto mean = moments.mean.to(torch::kFloat32);
        // what rounding took from the mean: worth correcting if the deviation is tiny
        const auto rest = (moments.mean - mean).to(torch::kFloat32);
        const auto invStd = torch::rsqrt(moments.var + kEps).to(torch::kFloat32);
        ctx->save_for_backward({x, weight, mean, rest, invStd});
        ctx->saved_data["count"] = moments.count;
        ctx->saved_data["layer"] = layer;
        if (exchange)
            ctx->saved_data["exchange"] = c10::IValue::make_capsule(c10::make_intrusive<Holder>(std::move(exchange)));
        const auto scale = invStd * weight;
        return columnAffine(x, mean, scale, bias - rest * scale);
    }

    static torch::autograd::variable_list backward(torch::autograd::AutogradContext* ctx,
                                                   torch::autograd::variable_list grads) {
        const auto saved = ctx->get_saved_variables();
        const auto &x = saved[0], &weight = saved[1], &mean = saved[2], &rest = saved[3], &invStd = saved[4];
        const auto dy = grads[0].contiguous();
        const std::int64_t c = x.size(1);
        auto sums = columnGradientSums(dy, x, mean); // [2C] float64: of dy, of dy * (x - mean)
        sums.narrow(0, c, c).sub_(rest * sums.narrow(0, 0, c));
        // local, like every rank's weight gradients: the reducer averages them
        const auto dBias = sums.narrow(0, 0, c).to(torch::kFloat32);
        const auto dWeight = (sums.narrow(0, c, c) * invStd).to(torch::kFloat32);
        if (const auto found = ctx->saved_data.find("exchange"); found != ctx->saved_data.end()) {
            const auto holder = c10::static_intrusive_pointer_cast<Holder>(found->second.toCapsule());
            auto shared = sums.to(torch::kFloat32);
            holder->exchange->allReduceSum(shared, ctx->saved_data["layer"].toStringRef());
            sums = shared.to(torch::kFloat64);
        }
        sums.div_(ctx->saved_data["count"].toDouble());
        const auto b = sums.narrow(0, c, c) * invStd.square();
        const auto a = (sums.narrow(0, 0, c) - rest * b).to(torch::kFloat32);
        return {columnGradient(dy, x, mean, a, b.to(torch::kFloat32), invStd * weight), dWeight, dBias, {}, {}, {}};
    }

    struct Holder : torch::CustomClassHolder {
        explicit Holder(std::shared_ptr<StatsExchange> e) : exchange(std::move(e)) {}
        std::shared_ptr<StatsExchange> exchange;
    };
};

} // namespace

BatchNormImpl::BatchNormImpl(int channels)
    : weight(register_parameter("weight", torch::ones({channels}))),
      bias(register_parameter("bias", torch::zeros({channels}))),
      runningMean(register_buffer("running_mean", torch::zeros({channels}))),
      runningVar(register_buffer("running_var", torch::ones({channels}))),
      numBatchesTracked(register_buffer("num_batches_tracked", torch::zeros({}, torch::kInt64))) {}

void BatchNormImpl::setStatsExchange(std::shared_ptr<StatsExchange> exchange, const std::string& layer) {
    m_exchange = std::move(exchange);
    m_layer = layer;
}

torch::Tensor BatchNormImpl::forward(const torch::Tensor& x) {
    // statistics need float32, also under autocast
    const auto flat = x.to(weight.scalar_type()).contiguous().view({-1, weight.numel()}); // [B*T, C]
    if (!is_training())
        return torch::batch_norm(flat, weight, bias, runningMean, runningVar, false, kMomentum, kEps, false)
            .view(x.sizes());
    BatchMoments all;
    {
        torch::NoGradGuard noGrad;
        const auto [mean, var] = columnMoments(flat);
        all = exchanged({mean, var, static_cast<double>(flat.size(0))}, m_exchange.get(), m_layer);
        const double unbiased = all.count > 1 ? all.count / (all.count - 1) : 1.0;
        runningMean.mul_(1 - kMomentum).add_(all.mean.to(torch::kFloat32), kMomentum);
        runningVar.mul_(1 - kMomentum).add_(all.var.to(torch::kFloat32), kMomentum * unbiased);
        numBatchesTracked.add_(1);
    }
    return BatchNormFunction::apply(flat, weight, bias, all, m_exchange, m_layer).view(x.sizes());
}

} // namespace rankscope::trainer
