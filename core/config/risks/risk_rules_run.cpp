// SPDX-License-Identifier: Apache-2.0
#include "core/config/risks/risk_rules_run.h"

#include "core/base/values/saturating.h"
#include "core/config/recipe/validation_sets.h"
#include "core/config/yaml/scalar.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace rankscope::config {
namespace {

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
/// val_check_interval as a number of batches; 0: it is a share of the epoch.
double interval(const RuleValues& v) {
    const auto n = v.node("trainer.val_check_interval");
    const double value = v.number("trainer.val_check_interval", 0);
    return n && (typeOf(*n) == Type::Int || value > 1) ? value : 0;
}

/// Of the recipe's validation sets.
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
    using S = RiskSeverity;
    return {
        {{"validation-beyond-epoch",
          {"trainer.val_check_interval"},
          S::Danger,
          "Lightning, and Rankscope, refuse an interval that is longer than the epoch it is counted in: the run ends "
          "at its start.",
          "Count across epochs: trainer.check_val_every_n_epoch: null.",
          "#checks-before-and-at-start"},
         [](const RuleValues& v) -> std::optional<Fired> {
             const auto epoch = v.around().batchesPerEpoch;
             if (!epoch || !hasValidation(v) || acrossEpochs(v) || interval(v) <= static_cast<double>(*epoch))
                 return std::nullopt;
             return Fired{fmt::format("{} batches are more than the {} of an epoch", interval(v), *epoch),
                          RiskRemedy{"trainer.check_val_every_n_epoch", "null"}};
         }},
        {{"validation-never",
          {"trainer.val_check_interval"},
          S::Caution,
          "The run ends before its first validation: there is no val_loss to choose checkpoints by.",
          "Validate more often.",
          "checkpoint"},
         [](const RuleValues& v) -> std::optional<Fired> {
             const double planned = static_cast<double>(v.around().totalSteps.value_or(0));
             const double steps = planned > 0 ? planned : v.number("trainer.max_steps", -1);
             const double batches = steps * std::max(1.0, v.number("trainer.accumulate_grad_batches", 1));
             if (!hasValidation(v) || !acrossEpochs(v) || steps <= 0 || interval(v) <= batches)
                 return std::nullopt;
             return Fired{fmt::format("the run of {:g} batches ends before its first validation", batches),
                          RiskRemedy{"trainer.val_check_interval",
                                     fmt::format("{}", std::max<std::int64_t>(1, truncated(batches / 4)))}};
         }},
        {{"monitor-never-logged",
          {kMonitor},
          S::Caution,
          "The best checkpoints are chosen by a value that this run never logs: Lightning warns and keeps none of "
          "them. Logged are val_loss, where there is a validation, and train_loss.",
          "Monitor what is logged, or give a validation set.",
          "checkpoint"},
         [](const RuleValues& v) -> std::optional<Fired> {
             if (!v.isTrue("exp_manager.create_checkpoint_callback"))
                 return std::nullopt;
             const std::string monitor = v.text(kMonitor);
             if (monitor.empty() || v.isNull(kMonitor) || monitor == "train_loss" ||
                 (isValidationLoss(v, monitor) && hasValidation(v)))
                 return std::nullopt;
             return Fired{monitor == "val_loss" ? "val_loss is never logged: there is no validation"
                                                : fmt::format("{} is never logged", monitor),
                          RiskRemedy{kMonitor, hasValidation(v) ? "val_loss" : "train_loss"}};
         }},
        {{"checkpoints-often",
          {kEverySteps},
          S::Caution,
          "Rank 0 writes weights and the optimizer's state, three times the model, while all others wait for it in the "
          "next step.",
          "Write every few hundred steps.",
          "checkpoint"},
         [](const RuleValues& v) -> std::optional<Fired> {
             const double every = v.number(kEverySteps, 0);
             if (every <= 0 || every >= kOftenSaved || v.oneRank())
                 return std::nullopt;
             return Fired{fmt::format("a checkpoint every {:g} steps: all ranks wait for rank 0 to write it", every),
                          RiskRemedy{kEverySteps, "500"}};
         }},
        {{"timeout-short",
          {kCollectiveTimeout},
          S::Caution,
          "A rank that is late by more than this ends the run: one that validates, writes a checkpoint to a slow disk, "
          "or reads a long file. Rankscope names a stall after seconds without it.",
          "Leave it at 1800.",
          "inside_collective"},
         [](const RuleValues& v) -> std::optional<Fired> {
             if (v.number(kCollectiveTimeout, 1800) >= kShortTimeout || v.oneRank())
                 return std::nullopt;
             return Fired{"a checkpoint or validation longer than this ends the run",
                          RiskRemedy{kCollectiveTimeout, "1800"}};
         }},
        {{"stall-after-timeout",
          {"rankscope.stall.min_seconds"},
          S::Danger,
          "A stall is told when it is longer than this. The collective library gives up before: the run ends, and "
          "nobody has said why.",
          "Lower rankscope.stall.min_seconds.",
          "#settings"},
         [](const RuleValues& v) -> std::optional<Fired> {
             const double stall = v.number("rankscope.stall.min_seconds", 2),
                          timeout = v.number(kCollectiveTimeout, 1800);
             if (stall < timeout || v.oneRank())
                 return std::nullopt;
             return Fired{fmt::format("{:g} s are not below rankscope.collective_timeout_s, {:g} s: no stall is told",
                                      stall, timeout),
                          RiskRemedy{"rankscope.stall.min_seconds", "2.0"}};
         }},
        {{"join-short",
          {"rankscope.join_seconds"},
          S::Caution,
          "Ranks read the manifest and build the model before they meet. On a cold disk, or with a large manifest, "
          "some take longer than others.",
          "Leave it at 60.",
          "never_joined"},
         [](const RuleValues& v) -> std::optional<Fired> {
             const double seconds = v.number("rankscope.join_seconds", 60);
             if (seconds >= kShortJoin || v.oneRank())
                 return std::nullopt;
             return Fired{fmt::format("a rank that needs more than {:g} s to start is given up", seconds),
                          RiskRemedy{"rankscope.join_seconds", "60"}};
         }},
        {{"no-seed",
          {"rankscope.seed"},
          S::Info,
          "A launch then draws a number and keeps it with the run; repeating or resuming the run uses the same one. A "
          "new launch draws another: other weights, masks and losses from the first step on.",
          "Set a seed where runs are to be compared.",
          "configuration_differs"},
         [](const RuleValues& v) {
             const std::string word = v.text("trainer.deterministic");
             return firedIf(v.isNull("rankscope.seed") && word != "true" && word != "warn",
                            "rankscope.seed is null: a new launch draws other weights and masks");
         }},
        {{"deterministic-without-seed",
          {"trainer.deterministic"},
          S::Caution,
          "Deterministic operations give the same results for the same random numbers. Without a seed only a "
          "repetition of the run draws them again; a new launch does not.",
          "Set rankscope.seed.",
          "configuration_differs"},
         [](const RuleValues& v) {
             const std::string word = v.text("trainer.deterministic");
             return firedIf((word == "true" || word == "warn") && v.isNull("rankscope.seed"),
                            "rankscope.seed is null: a new launch draws other weights and masks",
                            RiskRemedy{"rankscope.seed", "0"});
         }},
        {{"seed-differs-by-rank",
          {"rankscope.faults"},
          S::Danger,
          "Ranks share the data by cutting one shuffled order, which the seed gives. With different seeds they cut "
          "different orders: utterances are trained on twice, or by nobody.",
          "Give all ranks one seed.",
          "configuration_differs"},
         [](const RuleValues& v) -> std::optional<Fired> {
             const auto faults = v.node("rankscope.faults");
             if (!faults || !faults->isList())
                 return std::nullopt;
             for (const Node& fault : faults->items)
                 if (const Node* set = fault.isMap() ? fault.child("set") : nullptr;
                     set && set->isScalar() && set->text.find("rankscope.seed=") != std::string::npos)
                     return Fired{"one rank gets another seed than the others", RiskRemedy{"rankscope.faults", ""}};
             return std::nullopt;
         }},
        {{"faults-on",
          {"rankscope.faults"},
          S::Caution,
          "The list makes ranks late, dead or wrong on purpose, to show how Rankscope reports it.",
          "Remove it for real training.",
          "#faults-to-see-it-for-yourself"},
         [](const RuleValues& v) -> std::optional<Fired> {
             const auto faults = v.node("rankscope.faults");
             if (!faults || !faults->isList() || faults->items.empty())
                 return std::nullopt;
             const auto count = faults->items.size();
             return Fired{count == 1 ? "injects a fault on purpose; the stall or error that it causes is expected"
                                     : fmt::format("injects {} faults on purpose; the stalls or errors that they cause "
                                                   "are expected",
                                                   count),
                          RiskRemedy{"rankscope.faults", ""}};
         }},
    };
}

} // namespace rankscope::config
