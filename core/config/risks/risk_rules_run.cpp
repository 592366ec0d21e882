// SPDX-License-Identifier: Apache-2.0
#include "core/config/risks/risk_rules_run.h"

#include "core/base/values/saturating.h"
#include "core/config/recipe/validation_sets.h"
#include "core/config/yaml/scalar.h"

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
                 planned = static_cast<double>(v.context().totalSteps.value_or(0));
    return planned > 0 ? planned : asked;
}
/// Returns the highest learning rate of NoamAnnealing, at the end of the warm-up.
double noamPeak(const RuleValues& v) {
    const double width = v.number("model.optim.sched.d_model", 0), warm = warmup(v);
    return width > 0 && warm > 0 ? v.number("model.optim.lr", 0) / std::sqrt(width * warm) : 0;
}

/// Sets a smaller batch with more accumulation, so that a step still sees the same number of utterances.
void smallerBatch(RuleHit& fired, const RuleValues& v, std::int64_t size) {
    const double times = v.number("model.train_ds.batch_size", 1) / static_cast<double>(size);
    const double accumulated = std::max(1.0, v.number("trainer.accumulate_grad_batches", 1));
    fired.set = RiskRemedy{"model.train_ds.batch_size", std::to_string(size)};
    fired.also.push_back(
        {"trainer.accumulate_grad_batches", std::to_string(saturatingInt64(std::round(accumulated * times)))});
}

constexpr const char* kMonitor = "exp_manager.checkpoint_callback_params.monitor";
constexpr const char* kEverySteps = "exp_manager.checkpoint_callback_params.every_n_train_steps";
constexpr const char* kCollectiveTimeout = "rankscope.collective_timeout_s";
constexpr double kShortTimeout = 60, kOftenSaved = 50, kShortJoin = 10;

bool hasValidation(const RuleValues& v) {
    const auto n = v.node("model.validation_ds.manifest_filepath");
    return (v.isOpen("model.validation_ds.manifest_filepath") || (n && typeOf(*n) != Type::Null)) &&
           v.number("trainer.limit_val_batches", 1) != 0;
}
bool acrossEpochs(const RuleValues& v) {
    return v.isNull("trainer.check_val_every_n_epoch");
}
/// Returns val_check_interval as a number of batches; 0 if it is a share of the epoch.
double interval(const RuleValues& v) {
    const auto n = v.node("trainer.val_check_interval");
    const double value = v.number("trainer.val_check_interval", 0);
    return n && (typeOf(*n) == Type::Int || value > 1) ? value : 0;
}

/// Returns whether the name is a loss of the recipe's validation sets.
bool isValidationLoss(const RuleValues& v, const std::string& name) {
    Node section = Node::map();
    for (const std::string key : {"manifest_filepath", "name", "val_dl_idx"})
        if (auto value = v.node("model.validation_ds." + key))
            section.childOrNew(key) = std::move(*value);
    const auto names = validationLossNames(validationSetNames(section));
    return std::find(names.begin(), names.end(), name) != names.end();
}

} // namespace

std::vector<RuleEntry> runRules() {
    return {
        {{"half-on-cpu",
          {kPrecision},
          RiskSeverity::Caution,
          "float16 needs a GPU. On the CPU, Lightning and Rankscope use bfloat16 instead and say so in the log.",
          "Use bf16-mixed.",
          "#settings"},
         [](const RuleValues& v) {
             return firedIf(isHalf(v) && v.onCpu(), "float16 needs a GPU: on the CPU it becomes bf16-mixed",
                            RiskRemedy{kPrecision, "bf16-mixed"});
         }},
        {{"half-steps-skipped",
          {kPrecision},
          RiskSeverity::Info,
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
          RiskSeverity::Caution,
          "float16 ends at 65504. One batch with large gradients, which clipping would have tamed, can throw the "
          "weights so far that every later step overflows.",
          "Set trainer.gradient_clip_val to 1.0, or use bf16-mixed.",
          "not_finite"},
         [](const RuleValues& v) -> std::optional<RuleHit> {
             if (!isHalf(v) || v.onCpu() || v.number("trainer.gradient_clip_val", 0) > 0)
                 return std::nullopt;
             return RuleHit{"16-mixed without gradient clipping: one bad batch can end in NaN",
                            RiskRemedy{"trainer.gradient_clip_val", "1.0"}};
         }},
        {{"bfloat16-without-units",
          {kPrecision},
          RiskSeverity::Caution,
          "This CPU has neither AVX512-BF16 nor AMX: bfloat16 gives correct results, but is slower than float32.",
          "Use 32.",
          "slow_compute"},
         [](const RuleValues& v) {
             const auto& machine = v.context().machine;
             return firedIf(machine && !machine->bfloat16Units && v.onCpu() && (isBrain(v) || isHalf(v)),
                            "this CPU has no bfloat16 units: slower than 32", RiskRemedy{kPrecision, "32"});
         }},
        {{"bfloat16-old-gpu",
          {kPrecision},
          RiskSeverity::Caution,
          "GPUs before Ampere (compute capability 8.0) compute bfloat16 in software.",
          "Use 16-mixed with gradient clipping, or 32.",
          "slow_compute"},
         [](const RuleValues& v) -> std::optional<RuleHit> {
             const auto& machine = v.context().machine;
             if (!machine || !isBrain(v) || v.onCpu() || machine->gpuComputeCapability == 0 ||
                 machine->gpuComputeCapability >= 80)
                 return std::nullopt;
             return RuleHit{Message("compute capability {}.{} has no bfloat16", machine->gpuComputeCapability / 10,
                                    machine->gpuComputeCapability % 10),
                            RiskRemedy{kPrecision, "16-mixed"}};
         }},
        {{"memory-short",
          {"model.train_ds.batch_size", "model.train_ds.max_duration"},
          RiskSeverity::Danger,
          "Estimated for the largest batch: weights, gradients, optimizer state, and the activations that forward "
          "keeps for backward. A rank that runs out of memory is killed, and the run ends with it.",
          "Use smaller batches and accumulate more of them, or lower max_duration.",
          "dead"},
         [](const RuleValues& v) -> std::optional<RuleHit> {
             const auto& machine = v.context().machine;
             const auto needed = v.context().rankMemoryBytes;
             if (!machine || !needed || v.context().ranks < 1)
                 return std::nullopt;
             const int here = std::max(1, v.ranksHere());
             const bool gpu = v.context().device == "cuda";
             const std::int64_t there = gpu ? machine->gpuMemoryBytes : machine->memoryBytes / here;
             if (there <= 0 || *needed <= there)
                 return std::nullopt;
             const double batch = v.number("model.train_ds.batch_size", 1);
             const std::int64_t fits = v.context().fittingBatch.value_or(saturatingInt64(batch / 2));
             const double need = static_cast<double>(*needed) / kGigabyte,
                          have = static_cast<double>(there) / kGigabyte;
             RuleHit fired;
             fired.reason = v.context().fittingBatch == 0
                                ? Message("a rank needs about {:.1f} GB for its largest batch, but each has {:.1f} GB, "
                                          "which is too little even for a batch of one",
                                          need, have)
                                : Message("a rank needs about {:.1f} GB for its largest batch, but each has {:.1f} GB",
                                          need, have);
             if (fits >= 1 && static_cast<double>(fits) < batch)
                 smallerBatch(fired, v, fits);
             return fired;
         }},
        {{"warmup-beyond-run",
          {"model.optim.sched.warmup_steps"},
          RiskSeverity::Caution,
          "The learning rate rises until the last step and never falls.",
          "Warm up for a tenth of the steps.",
          "not_finite"},
         [](const RuleValues& v) -> std::optional<RuleHit> {
             const double warm = warmup(v), all = steps(v);
             if (warm <= 0 || all <= 0 || warm < all)
                 return std::nullopt;
             return RuleHit{Message("the warm-up ({:g} steps) is at least as long as the run ({:g} steps)", warm, all),
                            RiskRemedy{"model.optim.sched.warmup_steps",
                                       std::to_string(std::max<std::int64_t>(1, saturatingInt64(all / 10)))}};
         }},
        {{"noam-width",
          {"model.optim.sched.d_model"},
          RiskSeverity::Caution,
          "NoamAnnealing divides by the square root of d_model. The recipes say ${model.encoder.d_model}, so that both "
          "stay the same when the size changes.",
          "Point it to the encoder's d_model.",
          "not_finite"},
         [](const RuleValues& v) -> std::optional<RuleHit> {
             const double own = v.number("model.optim.sched.d_model", 0),
                          encoder = v.number("model.encoder.d_model", 0);
             if (!isNoam(v) || own <= 0 || encoder <= 0 || own == encoder)
                 return std::nullopt;
             return RuleHit{Message("is {:g}, the encoder's is {:g}: the learning rate is {:.2g} times what it would "
                                    "be",
                                    own, encoder, std::sqrt(encoder / own)),
                            RiskRemedy{"model.optim.sched.d_model", "${model.encoder.d_model}"}};
         }},
        {{"noam-rate-low",
          {"model.optim.lr"},
          RiskSeverity::Caution,
          "With NoamAnnealing lr is a factor, 5.0 in NeMo's recipe: the rate itself is lr / sqrt(d_model x warmup "
          "steps) at its peak. A value meant for another schedule trains almost nothing.",
          "Use a factor between 0.5 and 10.",
          "#settings"},
         [](const RuleValues& v) -> std::optional<RuleHit> {
             const double peak = noamPeak(v);
             if (!isNoam(v) || peak <= 0 || peak >= 2e-5)
                 return std::nullopt;
             return RuleHit{Message("with NoamAnnealing lr is a factor: the rate is {:.2g} at its peak", peak),
                            RiskRemedy{"model.optim.lr", "5.0"}};
         }},
        {{"rate-high",
          {"model.optim.lr"},
          RiskSeverity::Caution,
          "Rates above 1e-2 make AdamW diverge on this model: loss and gradients become NaN, on all ranks at once.",
          "Lower lr, or use NoamAnnealing, for which it is a factor.",
          "not_finite"},
         [](const RuleValues& v) -> std::optional<RuleHit> {
             const std::string optim = v.text("model.optim.name");
             const double peak = isNoam(v) ? noamPeak(v) : v.number("model.optim.lr", 0);
             if (!optim.starts_with("adam") || peak <= 1e-2)
                 return std::nullopt;
             return RuleHit{Message("the learning rate is {:.2g} at its peak", peak)};
         }},
        {{"validation-beyond-epoch",
          {"trainer.val_check_interval"},
          RiskSeverity::Danger,
          "Lightning and Rankscope reject an interval that is longer than the epoch it is counted in: the run ends at "
          "its start.",
          "Count across epochs: trainer.check_val_every_n_epoch: null.",
          "#checks-before-and-at-start"},
         [](const RuleValues& v) -> std::optional<RuleHit> {
             const auto epoch = v.context().batchesPerEpoch;
             if (!epoch || !hasValidation(v) || acrossEpochs(v) || interval(v) <= static_cast<double>(*epoch))
                 return std::nullopt;
             return RuleHit{Message("the interval is {} batches, but an epoch has only {}", interval(v), *epoch),
                            RiskRemedy{"trainer.check_val_every_n_epoch", "null"}};
         }},
        {{"validation-never",
          {"trainer.val_check_interval"},
          RiskSeverity::Caution,
          "The run ends before its first validation: there is no val_loss to choose checkpoints by.",
          "Validate more often.",
          "checkpoint"},
         [](const RuleValues& v) -> std::optional<RuleHit> {
             const double all = steps(v);
             const double batches = all * std::max(1.0, v.number("trainer.accumulate_grad_batches", 1));
             if (!hasValidation(v) || !acrossEpochs(v) || all <= 0 || interval(v) <= batches)
                 return std::nullopt;
             return RuleHit{Message("the run ends after {:g} batches, before its first validation", batches),
                            RiskRemedy{"trainer.val_check_interval",
                                       std::to_string(std::max<std::int64_t>(1, saturatingInt64(batches / 4)))}};
         }},
        {{"monitor-never-logged",
          {kMonitor},
          RiskSeverity::Caution,
          "The best checkpoints are chosen by a value that this run never logs: Lightning warns and keeps none of "
          "them. The run logs train_loss and, if there is a validation, val_loss.",
          "Monitor a value that is logged, or give a validation set.",
          "checkpoint"},
         [](const RuleValues& v) -> std::optional<RuleHit> {
             if (!v.isTrue("exp_manager.create_checkpoint_callback"))
                 return std::nullopt;
             const std::string monitor = v.text(kMonitor);
             if (monitor.empty() || v.isNull(kMonitor) || monitor == "train_loss" ||
                 (isValidationLoss(v, monitor) && hasValidation(v)))
                 return std::nullopt;
             return RuleHit{monitor == "val_loss" ? Message("val_loss is never logged: there is no validation")
                                                  : Message("{} is never logged", monitor),
                            RiskRemedy{kMonitor, hasValidation(v) ? "val_loss" : "train_loss"}};
         }},
        {{"checkpoints-often",
          {kEverySteps},
          RiskSeverity::Caution,
          "Rank 0 writes the weights and the optimizer state, three times the model's size, while all others wait for "
          "it in the next step.",
          "Write every few hundred steps.",
          "checkpoint"},
         [](const RuleValues& v) -> std::optional<RuleHit> {
             const double every = v.number(kEverySteps, 0);
             if (every <= 0 || every >= kOftenSaved || v.oneRank())
                 return std::nullopt;
             return RuleHit{Message("a checkpoint every {:g} steps: all ranks wait while rank 0 writes it", every),
                            RiskRemedy{kEverySteps, "500"}};
         }},
        {{"timeout-short",
          {kCollectiveTimeout},
          RiskSeverity::Caution,
          "A rank that is late by more than this ends the run, for example one that validates, writes a checkpoint to "
          "a slow disk, or reads a long file. Rankscope reports a stall within seconds even without it.",
          "Leave it at 1800.",
          "inside_collective"},
         [](const RuleValues& v) -> std::optional<RuleHit> {
             if (v.number(kCollectiveTimeout, 1800) >= kShortTimeout || v.oneRank())
                 return std::nullopt;
             return RuleHit{"a checkpoint or validation longer than this ends the run",
                            RiskRemedy{kCollectiveTimeout, "1800"}};
         }},
        {{"stall-after-timeout",
          {"rankscope.stall.min_seconds"},
          RiskSeverity::Danger,
          "A stall is reported once it has lasted longer than this. The collective library gives up before that: the "
          "run ends without an explanation.",
          "Lower rankscope.stall.min_seconds.",
          "#settings"},
         [](const RuleValues& v) -> std::optional<RuleHit> {
             const double stall = v.number("rankscope.stall.min_seconds", 2),
                          timeout = v.number(kCollectiveTimeout, 1800);
             if (stall < timeout || v.oneRank())
                 return std::nullopt;
             return RuleHit{Message("{:g} s is not below rankscope.collective_timeout_s, {:g} s: no stall is reported",
                                    stall, timeout),
                            RiskRemedy{"rankscope.stall.min_seconds", "2.0"}};
         }},
        {{"join-short",
          {"rankscope.join_seconds"},
          RiskSeverity::Caution,
          "Ranks read the manifest and build the model before they first synchronize. On a cold disk, or with a large "
          "manifest, some take longer than others.",
          "Leave it at 60.",
          "never_joined"},
         [](const RuleValues& v) -> std::optional<RuleHit> {
             const double seconds = v.number("rankscope.join_seconds", 60);
             if (seconds >= kShortJoin || v.oneRank())
                 return std::nullopt;
             return RuleHit{Message("a rank that needs more than {:g} s to start counts as failed", seconds),
                            RiskRemedy{"rankscope.join_seconds", "60"}};
         }},
        {{"no-seed",
          {"rankscope.seed"},
          RiskSeverity::Info,
          "A launch then draws a seed and keeps it with the run; repeating or resuming the run uses the same one. A "
          "new launch draws a different one: weights, masks and losses differ from the first step on.",
          "Set a seed if runs are to be compared.",
          "configuration_differs"},
         [](const RuleValues& v) {
             const std::string word = v.text("trainer.deterministic");
             return firedIf(v.isNull("rankscope.seed") && word != "true" && word != "warn",
                            "rankscope.seed is null: a new launch draws different weights and masks");
         }},
        {{"deterministic-without-seed",
          {"trainer.deterministic"},
          RiskSeverity::Caution,
          "Deterministic operations give the same results for the same random numbers. Without a seed, only repeating "
          "the run draws the same ones; a new launch does not.",
          "Set rankscope.seed.",
          "configuration_differs"},
         [](const RuleValues& v) {
             const std::string word = v.text("trainer.deterministic");
             return firedIf((word == "true" || word == "warn") && v.isNull("rankscope.seed"),
                            "rankscope.seed is null: a new launch draws different weights and masks",
                            RiskRemedy{"rankscope.seed", "0"});
         }},
        {{"seed-differs-by-rank",
          {"rankscope.faults"},
          RiskSeverity::Danger,
          "Ranks share the data by splitting one shuffled order, which depends on the seed. With different seeds they "
          "split different orders: some utterances are used twice, others not at all.",
          "Give all ranks the same seed.",
          "configuration_differs"},
         [](const RuleValues& v) -> std::optional<RuleHit> {
             const auto faults = v.node("rankscope.faults");
             if (!faults || !faults->isList())
                 return std::nullopt;
             for (const Node& fault : faults->items)
                 if (const Node* set = fault.isMap() ? fault.child("set") : nullptr;
                     set && set->isScalar() && set->text.find("rankscope.seed=") != std::string::npos)
                     return RuleHit{"one rank gets a different seed from the others",
                                    RiskRemedy{"rankscope.faults", ""}};
             return std::nullopt;
         }},
        {{"faults-on",
          {"rankscope.faults"},
          RiskSeverity::Caution,
          "The list makes ranks late, dead or wrong on purpose, to show how Rankscope reports it.",
          "Remove it for real training.",
          "#faults-to-see-it-for-yourself"},
         [](const RuleValues& v) -> std::optional<RuleHit> {
             const auto faults = v.node("rankscope.faults");
             if (!faults || !faults->isList() || faults->items.empty())
                 return std::nullopt;
             const auto count = faults->items.size();
             return RuleHit{
                 count == 1 ? Message("injects a fault; the stall or error that it causes is expected")
                            : Message("injects {} faults; the stalls or errors that they cause are expected", count),
                 RiskRemedy{"rankscope.faults", ""}};
         }},
    };
}

} // namespace rankscope::config
