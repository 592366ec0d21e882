// SPDX-License-Identifier: Apache-2.0
#include "core/config/risks/risk_rules_length_sync.h"

#include <fmt/format.h>

namespace rankscope::config {
namespace {

constexpr const char* kSync = "model.encoder.sync_max_audio_length";
constexpr const char* kLengthSyncTimeout = "rankscope.length_sync.timeout_s";

bool syncs(const RuleValues& v) {
    return v.isTrue(kSync) && !v.oneRank();
}
bool timed(const RuleValues& v) {
    return v.number(kLengthSyncTimeout, 0) > 0;
}
bool syncsBatchNorm(const RuleValues& v) {
    return v.isTrue("trainer.sync_batchnorm") && v.normalisesBatches() && !v.oneRank();
}

} // namespace

std::vector<RuleEntry> lengthSyncRules() {
    using S = RiskSeverity;
    return {
        {{"length-sync-blocks",
          {kSync},
          S::Danger,
          "NeMo's encoder asks all ranks for the longest batch before each forward, and no YAML says so: it is the "
          "default in the code. A rank that comes late, or not at all, holds all others there. The result only sizes "
          "the positional table; training is unaffected.",
          "Set it to false, or give it a timeout.",
          "data_loading"},
         [](const RuleValues& v) {
             return firedIf(syncs(v) && !timed(v),
                            "adds one blocking all-reduce before every encoder forward, also in validation: the rank "
                            "whose batch comes last holds all others",
                            RiskRemedy{kSync, "false"});
         }},
        {{"length-sync-timed",
          {kSync},
          S::Info,
          "The length sync runs in a group of its own. A rank that has waited for the timeout goes on with its own "
          "longest batch, which changes no number that is trained on, and says so in its log.",
          "",
          "long_batch"},
         [](const RuleValues& v) {
             return firedIf(syncs(v) && timed(v),
                            "adds one all-reduce before every encoder forward, also in validation; a rank that waits "
                            "longer than rankscope.length_sync.timeout_s goes on with its own longest batch");
         }},
        {{"length-sync-off",
          {kSync},
          S::Info,
          "Each rank makes its position table as long as its own longest batch needs. Ranks no longer meet before "
          "forward; where they meet next is SyncBN's first layer, or the first bucket of gradients.",
          "",
          "long_batch"},
         [](const RuleValues& v) {
             return firedIf(v.isFalse(kSync),
                            "no length all-reduce: each rank pads its position table to its own longest batch");
         }},
        {{"length-timeout-without-sync",
          {kLengthSyncTimeout},
          S::Caution,
          "The timeout belongs to the length sync. Where there is none, or only one rank, nothing waits for it.",
          "Remove the timeout.",
          "#settings"},
         [](const RuleValues& v) -> std::optional<Fired> {
             if (!timed(v))
                 return std::nullopt;
             if (v.isFalse(kSync))
                 return Fired{"no effect: model.encoder.sync_max_audio_length is false",
                              RiskRemedy{kLengthSyncTimeout, "null"}};
             return v.oneRank()
                        ? std::optional(Fired{"no effect with one rank", RiskRemedy{kLengthSyncTimeout, "null"}})
                        : std::nullopt;
         }},
        {{"length-timeout-holds",
          {kLengthSyncTimeout},
          S::Info,
          "A late rank holds the others for this long in the length sync; after that they go on, and wait for it where "
          "they meet next. With SyncBN that is the encoder's first layer, so that little is gained.",
          "",
          "data_loading"},
         [](const RuleValues& v) {
             return firedIf(timed(v) && syncs(v),
                            syncsBatchNorm(v)
                                ? "little effect with SyncBN: the encoder's first layer waits for the late rank too"
                                : "a late rank holds the others this long in the length sync, and then only in their "
                                  "next collective");
         }},
        {{"encoder-barrier",
          {"rankscope.length_sync.barrier"},
          S::Caution,
          "A barrier shows how late each rank comes to the encoder, apart from what the length sync costs. It is for "
          "measuring: each step waits for the slowest data loader.",
          "Switch it off when you have measured.",
          "data_loading"},
         [](const RuleValues& v) {
             return firedIf(v.isTrue("rankscope.length_sync.barrier") && !v.oneRank(),
                            "all ranks meet before every encoder forward: the rank whose batch comes last holds all "
                            "others",
                            RiskRemedy{"rankscope.length_sync.barrier", "false"});
         }},
        {{"syncbn-without-batch-norm",
          {"trainer.sync_batchnorm", "model.encoder.conv_norm_type"},
          S::Caution,
          "SyncBN exchanges the statistics of batch norms. Another norm has none, so the setting does nothing and "
          "hides that.",
          "Set trainer.sync_batchnorm to false.",
          "#settings"},
         [](const RuleValues& v) {
             const std::string norm = v.text("model.encoder.conv_norm_type");
             return firedIf(v.isTrue("trainer.sync_batchnorm") && !norm.empty() && norm != "batch_norm",
                            fmt::format("no effect: conv_norm_type is {}, the encoder has no batch norm", norm),
                            RiskRemedy{"trainer.sync_batchnorm", "false"});
         }},
        {{"syncbn-one-rank",
          {"trainer.sync_batchnorm"},
          S::Info,
          "With one rank there is nobody to exchange statistics with.",
          "",
          "#settings"},
         [](const RuleValues& v) {
             return firedIf(v.isTrue("trainer.sync_batchnorm") && v.oneRank() && v.normalisesBatches(),
                            "no effect with one rank");
         }},
        {{"syncbn-every-layer",
          {"trainer.sync_batchnorm"},
          S::Caution,
          "Each batch norm gathers mean and variance of all ranks in forward and sums two vectors in backward, and the "
          "training thread waits for both. Ranks with short batches wait for the long one in every layer. "
          "conv_norm_type: "
          "layer_norm needs no exchange, but is another model.",
          "Keep batches of equal length (buckets), or set it to false where the batches are large enough.",
          "slow_compute"},
         [](const RuleValues& v) -> std::optional<Fired> {
             if (!syncsBatchNorm(v))
                 return std::nullopt;
             const double layers = v.number("model.encoder.n_layers", 0);
             return Fired{fmt::format("{} gathers in forward and {} reduces in backward per step (one per layer): "
                                      "every layer waits for the slowest rank",
                                      layers, layers)};
         }},
        {{"batch-norm-not-synced",
          {"trainer.sync_batchnorm"},
          S::Info,
          "Each rank normalises with the mean and variance of its own batch. With small batches these differ much "
          "between ranks; the running averages that validation uses are those of rank 0.",
          "",
          "#who-waits-for-whom"},
         [](const RuleValues& v) {
             return firedIf(v.isFalse("trainer.sync_batchnorm") && !v.oneRank() && v.normalisesBatches(),
                            "each rank normalises with the statistics of its own batch; running averages are rank 0's");
         }},
        {{"accumulate-with-syncbn",
          {"trainer.accumulate_grad_batches"},
          S::Caution,
          "Accumulation saves exchanges of gradients only. SyncBN and the length sync run in each of the batches, so "
          "that a step waits for the slowest rank as many times; and the statistics are those of one batch, not of "
          "the step.",
          "Use larger batches instead, or no SyncBN.",
          "slow_compute"},
         [](const RuleValues& v) -> std::optional<Fired> {
             const double n = v.number("trainer.accumulate_grad_batches", 1);
             if (n <= 1 || !syncsBatchNorm(v))
                 return std::nullopt;
             return Fired{fmt::format("SyncBN and length sync run in each of {} batches: the slowest rank is waited "
                                      "for {} times a step",
                                      n, n)};
         }},
        {{"accumulate-exchanges",
          {"trainer.accumulate_grad_batches"},
          S::Info,
          "Gradients are summed over several batches before they are exchanged, which makes the step as large without "
          "more memory.",
          "",
          "#who-waits-for-whom"},
         [](const RuleValues& v) -> std::optional<Fired> {
             const double n = v.number("trainer.accumulate_grad_batches", 1);
             if (n <= 1 || syncsBatchNorm(v))
                 return std::nullopt;
             return Fired{fmt::format("gradients are exchanged every {} batches; length sync and SyncBN still run in "
                                      "each",
                                      n)};
         }},
        {{"stochastic-depth",
          {"model.encoder.stochastic_depth_drop_prob"},
          S::Info,
          "Ranks draw for themselves which layers to drop. NeMo, and Rankscope, compute a dropped layer all the same "
          "and multiply it by 0, so that every rank enters the same collectives.",
          "",
          "mismatched_collective"},
         [](const RuleValues& v) -> std::optional<Fired> {
             if (v.number("model.encoder.stochastic_depth_drop_prob", 0) <= 0)
                 return std::nullopt;
             return Fired{"dropped layers are computed all the same: no time is saved, and collectives still match"};
         }},
    };
}

} // namespace rankscope::config
