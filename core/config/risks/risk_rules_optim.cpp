// SPDX-License-Identifier: Apache-2.0
#include "core/config/risks/risk_rules_optim.h"

#include "core/base/values/saturating.h"
#include "core/config/yaml/scalar.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace rankscope::config {
namespace {

constexpr const char* kPrecision = "trainer.precision";
constexpr double kGigabyte = 1e9;

bool isHalf(const RuleValues& v) {
    return v.text(kPrecision).starts_with("16");
}
bool isBrain(const RuleValues& v) {
    return v.text(kPrecision).starts_with("bf16");
}
bool isNoam(const RuleValues& v) {
    return v.text("model.optim.sched.name") == "NoamAnnealing";
}
double warmup(const RuleValues& v) {
    return v.number("model.optim.sched.warmup_steps", 0);
}
double steps(const RuleValues& v) {
    const double asked = v.number("trainer.max_steps", -1),
                 planned = static_cast<double>(v.around().totalSteps.value_or(0));
    return planned > 0 ? planned : asked;
}
/// Where NoamAnnealing is highest: at the end of the warm-up.
double noamPeak(const RuleValues& v) {
    const double width = v.number("model.optim.sched.d_model", 0), warm = warmup(v);
    return width > 0 && warm > 0 ? v.number("model.optim.lr", 0) / std::sqrt(width * warm) : 0;
}

/// The same utterances a step in more and smaller batches.
void smallerBatch(Fired& fired, const RuleValues& v, std::int64_t size) {
    const double times = v.number("model.train_ds.batch_size", 1) / static_cast<double>(size);
    const double accumulated = std::max(1.0, v.number("trainer.accumulate_grad_batches", 1));
    fired.set = RiskRemedy{"model.train_ds.batch_size", std::to_string(size)};
    fired.also.push_back(
        {"trainer.accumulate_grad_batches", std::to_string(truncated(std::round(accumulated * times)))});
}

} // namespace

std::vector<RuleEntry> optimRules() {
    using S = RiskSeverity;
    return {
        {{"half-on-cpu",
          {kPrecision},
          S::Caution,
          "float16 needs a GPU. On the CPU Lightning, and Rankscope, take bfloat16 instead and say so in the log.",
          "Say bf16-mixed.",
          "#settings"},
         [](const RuleValues& v) {
             return firedIf(isHalf(v) && v.onCpu(), "float16 needs a GPU: on the CPU it becomes bf16-mixed",
                            RiskRemedy{kPrecision, "bf16-mixed"});
         }},
        {{"half-steps-skipped",
          {kPrecision},
          S::Info,
          "Gradients are scaled so that small ones survive float16. When one overflows on any rank, all ranks skip the "
          "step and the scale is halved.",
          "",
          "not_finite"},
         [](const RuleValues& v) {
             return firedIf(isHalf(v) && !v.onCpu(),
                            "ranks skip a step together when one overflows; on a CPU it becomes bf16-mixed, as in "
                            "Lightning");
         }},
        {{"half-without-clipping",
          {"trainer.gradient_clip_val", kPrecision},
          S::Caution,
          "float16 ends at 65504. One batch with large gradients, which clipping would have tamed, can throw the "
          "weights so far that every later step overflows.",
          "Set trainer.gradient_clip_val to 1.0, or use bf16-mixed.",
          "not_finite"},
         [](const RuleValues& v) -> std::optional<Fired> {
             if (!isHalf(v) || v.onCpu() || v.number("trainer.gradient_clip_val", 0) > 0)
                 return std::nullopt;
             return Fired{"16-mixed without gradient clipping: one bad batch can end in NaN",
                          RiskRemedy{"trainer.gradient_clip_val", "1.0"}};
         }},
        {{"bfloat16-without-units",
          {kPrecision},
          S::Caution,
          "This CPU has neither AVX512-BF16 nor AMX: bfloat16 is right there, but slower than float32.",
          "Use 32.",
          "slow_compute"},
         [](const RuleValues& v) {
             const auto& machine = v.around().machine;
             return firedIf(machine && !machine->bfloat16Units && v.onCpu() && (isBrain(v) || isHalf(v)),
                            "this CPU has no units for bfloat16: slower than 32", RiskRemedy{kPrecision, "32"});
         }},
        {{"bfloat16-old-gpu",
          {kPrecision},
          S::Caution,
          "GPUs before Ampere (compute capability 8.0) compute bfloat16 in software.",
          "Use 16-mixed with gradient clipping, or 32.",
          "slow_compute"},
         [](const RuleValues& v) -> std::optional<Fired> {
             const auto& machine = v.around().machine;
             if (!machine || !isBrain(v) || v.onCpu() || machine->gpuComputeCapability == 0 ||
                 machine->gpuComputeCapability >= 80)
                 return std::nullopt;
             return Fired{fmt::format("compute capability {}.{} has no bfloat16", machine->gpuComputeCapability / 10,
                                      machine->gpuComputeCapability % 10),
                          RiskRemedy{kPrecision, "16-mixed"}};
         }},
        {{"memory-short",
          {"model.train_ds.batch_size", "model.train_ds.max_duration"},
          S::Danger,
          "Estimated for the largest batch: weights, gradients, the optimizer's state, and what forward keeps for "
          "backward. A rank that runs out of memory is killed, and the run ends with it.",
          "Take a smaller batch and accumulate more of them, or shorten max_duration.",
          "dead"},
         [](const RuleValues& v) -> std::optional<Fired> {
             const auto& machine = v.around().machine;
             const auto needed = v.around().rankMemoryBytes;
             if (!machine || !needed || v.around().ranks < 1)
                 return std::nullopt;
             const int here = std::max(1, v.ranksHere());
             const bool gpu = v.around().device == "cuda";
             const std::int64_t there = gpu ? machine->gpuMemoryBytes : machine->memoryBytes / here;
             if (there <= 0 || *needed <= there)
                 return std::nullopt;
             const double batch = v.number("model.train_ds.batch_size", 1);
             const std::int64_t fits = v.around().fittingBatch.value_or(truncated(batch / 2));
             const double need = static_cast<double>(*needed) / kGigabyte,
                          have = static_cast<double>(there) / kGigabyte;
             Fired fired;
             fired.reason = v.around().fittingBatch == 0
                                ? fmt::format("a rank needs about {:.1f} GB for its largest batch; there are {:.1f} GB "
                                              "for each, too little even for a batch of one",
                                              need, have)
                                : fmt::format("a rank needs about {:.1f} GB for its largest batch; there are {:.1f} GB "
                                              "for each",
                                              need, have);
             if (fits >= 1 && static_cast<double>(fits) < batch)
                 smallerBatch(fired, v, fits);
             return fired;
         }},
        {{"warmup-beyond-run",
          {"model.optim.sched.warmup_steps"},
          S::Caution,
          "The learning rate rises to the last step and is never brought down again.",
          "Warm up for a tenth of the steps.",
          "not_finite"},
         [](const RuleValues& v) -> std::optional<Fired> {
             const double warm = warmup(v), all = steps(v);
             if (warm <= 0 || all <= 0 || warm < all)
                 return std::nullopt;
             return Fired{fmt::format("the warm-up of {:g} steps is as long as the run of {:g}", warm, all),
                          RiskRemedy{"model.optim.sched.warmup_steps",
                                     fmt::format("{}", std::max<std::int64_t>(1, truncated(all / 10)))}};
         }},
        {{"noam-width",
          {"model.optim.sched.d_model"},
          S::Caution,
          "NoamAnnealing divides by the square root of d_model. The recipes say ${model.encoder.d_model}, so that both "
          "stay the same when the size changes.",
          "Point it to the encoder's d_model.",
          "not_finite"},
         [](const RuleValues& v) -> std::optional<Fired> {
             const double own = v.number("model.optim.sched.d_model", 0),
                          encoder = v.number("model.encoder.d_model", 0);
             if (!isNoam(v) || own <= 0 || encoder <= 0 || own == encoder)
                 return std::nullopt;
             return Fired{fmt::format("is {:g}, the encoder's is {:g}: the learning rate is {:.2g} times what it would "
                                      "be",
                                      own, encoder, std::sqrt(encoder / own)),
                          RiskRemedy{"model.optim.sched.d_model", "${model.encoder.d_model}"}};
         }},
        {{"noam-rate-low",
          {"model.optim.lr"},
          S::Caution,
          "With NoamAnnealing lr is a factor, 5.0 in NeMo's recipe: the rate itself is lr / sqrt(d_model x warmup "
          "steps) at its peak. A value meant for another schedule trains almost nothing.",
          "Use a factor between 0.5 and 10.",
          "#settings"},
         [](const RuleValues& v) -> std::optional<Fired> {
             const double peak = noamPeak(v);
             if (!isNoam(v) || peak <= 0 || peak >= 2e-5)
                 return std::nullopt;
             return Fired{fmt::format("with NoamAnnealing lr is a factor: the rate is {:.2g} at its peak", peak),
                          RiskRemedy{"model.optim.lr", "5.0"}};
         }},
        {{"rate-high",
          {"model.optim.lr"},
          S::Caution,
          "Rates above 1e-2 make AdamW diverge on this model: loss and gradients become NaN, on all ranks at once.",
          "Lower lr, or use NoamAnnealing, where it is a factor.",
          "not_finite"},
         [](const RuleValues& v) -> std::optional<Fired> {
             const std::string optim = v.text("model.optim.name");
             const double peak = isNoam(v) ? noamPeak(v) : v.number("model.optim.lr", 0);
             if (!optim.starts_with("adam") || peak <= 1e-2)
                 return std::nullopt;
             return Fired{fmt::format("the learning rate is {:.2g} at its peak", peak)};
         }},
    };
}

} // namespace rankscope::config
