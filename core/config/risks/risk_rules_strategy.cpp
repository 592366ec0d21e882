// SPDX-License-Identifier: Apache-2.0
#include "core/config/risks/risk_rules_strategy.h"

#include "core/base/values/saturating.h"
#include "core/config/yaml/scalar.h"

#include <algorithm>
#include <cmath>
#include <set>

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

/// Returns the full key of a DDP argument, which is in a strategy that is a section, or under rankscope.ddp.
std::string ddpKey(const RuleValues& v, const std::string& name) {
    const std::string own = "trainer.strategy." + name;
    return v.node(own) ? own : "rankscope.ddp." + name;
}

bool hookIs(const RuleValues& v, std::string& key, const std::string& hook) {
    key = ddpKey(v, "ddp_comm_hook");
    if (v.text("rankscope.ddp.comm_hook") == hook)
        key = "rankscope.ddp.comm_hook";
    else if (!v.text("trainer.strategy.ddp_comm_hook").ends_with(hook) &&
             !v.text("trainer.strategy.ddp_comm_hook.path").ends_with(hook))
        return false;
    return !v.oneRank();
}

constexpr double kTableWorthSaying = 5e6; ///< bytes in each step
constexpr const char* kPositions = "model.encoder.pos_emb_max_len";

/// Returns whether DDP broadcasts buffers when NeMo trains the recipe, which reads no other key for it.
bool nemoBroadcasts(const RuleValues& v) {
    const std::string name = v.text("trainer.strategy");
    const bool section = v.node("trainer.strategy._target_").has_value();
    return !v.oneRank() && !v.isFalse("trainer.strategy.broadcast_buffers") &&
           (section || name == "auto" || name.starts_with("ddp"));
}

/// Returns the rows of the position table that NeMo makes at the start; 0 if its size does not depend on audio.
double positionRows(const RuleValues& v) {
    const std::string attention = v.text("model.encoder.self_attention_model");
    const double length = v.number(kPositions, 0);
    return attention == "rel_pos_local_attn" ? 0 : attention == "abs_pos" ? length : 2 * length - 1;
}

/// Returns the setting without which DDP broadcasts no buffers: a strategy that is a name becomes a section. None if
/// keys of rankscope.ddp would lose their effect by that.
std::optional<RiskRemedy> withoutBroadcast(const RuleValues& v) {
    if (v.node("trainer.strategy._target_"))
        return RiskRemedy{"trainer.strategy.broadcast_buffers", "false"};
    if (std::ranges::any_of(v.rows(), [](const KeyRow& row) {
            return row.key.starts_with("rankscope.ddp.") &&
                   (row.origin == Origin::Yours || row.origin == Origin::Override);
        }))
        return std::nullopt;
    const char* searched =
        v.text("trainer.strategy") == "ddp_find_unused_parameters_true" ? ", find_unused_parameters: true" : "";
    return RiskRemedy{"trainer.strategy", std::string("{_target_: lightning.pytorch.strategies.DDPStrategy, "
                                                      "broadcast_buffers: false") +
                                              searched + "}"};
}

std::optional<RuleHit> broadcastOfConstants(const RuleValues& v) {
    const std::string norm = v.text("model.encoder.conv_norm_type");
    const double bytes = positionRows(v) * v.number("model.encoder.d_model", 0) * 4;
    const bool drifts = norm == "batch_norm" && !v.isTrue("trainer.sync_batchnorm");
    if (!nemoBroadcasts(v) || norm.empty() || drifts || bytes < kTableWorthSaying)
        return std::nullopt;
    return RuleHit{Message("in NeMo, rank 0 broadcasts a position table of {} that never changes in each step, and all "
                           "ranks wait for it before forward",
                           ByteSize{saturatingInt64(bytes)}),
                   withoutBroadcast(v),
                   v.hasKey("trainer.strategy.broadcast_buffers") ? "trainer.strategy.broadcast_buffers"
                                                                  : "trainer.strategy"};
}

std::optional<RuleHit> tablesOfDifferentLength(const RuleValues& v) {
    const auto& facts = v.context().train;
    const double longest = facts && facts->used > 0 ? facts->longest : v.number("model.train_ds.max_duration", 0);
    const double stride = v.number("model.preprocessor.window_stride", 0), rows = v.number(kPositions, 0);
    const double pad = std::max(1.0, v.number("model.preprocessor.pad_to", 0));
    if (!nemoBroadcasts(v) || !v.isFalse(kSync) || positionRows(v) <= 0 || stride <= 0 || longest <= 0)
        return std::nullopt;
    const double frames = std::ceil((std::floor(longest / stride) + 1) / pad) * pad;
    if (frames <= rows)
        return std::nullopt;
    return RuleHit{
        Message("in NeMo, a batch of more than {:.0f} frames makes the position table of its rank longer than "
                "those of the others, and DDP's next broadcast of buffers fails or hangs",
                rows),
        RiskRemedy{kPositions, std::to_string(saturatingInt64(frames))}};
}

} // namespace

std::vector<RuleEntry> strategyRules() {
    return {
        {{"length-sync-blocks",
          {kSync},
          RiskSeverity::Danger,
          "NeMo's encoder determines the longest batch of all ranks before each forward; no YAML mentions it, because "
          "it is the default in the code. A rank that is late, or never arrives, holds up all others there. The result "
          "only sizes the positional table; training is unaffected.",
          "Set it to false, or give it a timeout.",
          "data_loading"},
         [](const RuleValues& v) {
             return firedIf(syncs(v) && !timed(v),
                            "adds a blocking all-reduce before every encoder forward, including validation: all ranks "
                            "wait for the last one to get its batch",
                            RiskRemedy{kSync, "false"});
         }},
        {{"length-sync-timed",
          {kSync},
          RiskSeverity::Info,
          "The length sync runs in a separate group. A rank whose wait reaches the timeout continues with its own "
          "longest batch, which does not affect training, and says so in its log.",
          "",
          "long_batch"},
         [](const RuleValues& v) {
             return firedIf(syncs(v) && timed(v),
                            "adds an all-reduce before every encoder forward, including validation; a rank that waits "
                            "longer than rankscope.length_sync.timeout_s continues with its own longest batch");
         }},
        {{"length-sync-off",
          {kSync},
          RiskSeverity::Info,
          "Each rank makes its position table as long as its own longest batch needs. Ranks no longer synchronize "
          "before forward; they synchronize next in SyncBN's first layer, or in the first bucket of gradients.",
          "",
          "long_batch"},
         [](const RuleValues& v) {
             return firedIf(v.isFalse(kSync),
                            "no length all-reduce: each rank pads its position table to its own longest batch");
         }},
        {{"length-timeout-without-sync",
          {kLengthSyncTimeout},
          RiskSeverity::Caution,
          "The timeout applies to the length sync. Without a length sync, or with only one rank, it has no effect.",
          "Remove the timeout.",
          "#settings"},
         [](const RuleValues& v) -> std::optional<RuleHit> {
             if (!timed(v))
                 return std::nullopt;
             if (v.isFalse(kSync))
                 return RuleHit{"no effect: model.encoder.sync_max_audio_length is false",
                                RiskRemedy{kLengthSyncTimeout, "null"}};
             return v.oneRank()
                        ? std::optional(RuleHit{"no effect with one rank", RiskRemedy{kLengthSyncTimeout, "null"}})
                        : std::nullopt;
         }},
        {{"length-timeout-holds",
          {kLengthSyncTimeout},
          RiskSeverity::Info,
          "A late rank holds up the others for this long in the length sync; after that they continue, and wait for it "
          "in their next collective. With SyncBN that is the encoder's first layer, so little is gained.",
          "",
          "data_loading"},
         [](const RuleValues& v) {
             return firedIf(
                 timed(v) && syncs(v),
                 syncsBatchNorm(v)
                     ? Message("little effect with SyncBN: the encoder's first layer waits for the late rank too")
                     : Message("a late rank holds up the others for this long in the length sync, and after that only "
                               "in their next collective"));
         }},
        {{"encoder-barrier",
          {"rankscope.length_sync.barrier"},
          RiskSeverity::Caution,
          "A barrier shows how late each rank arrives at the encoder, separately from the cost of the length sync. It "
          "is for measuring: each step waits for the slowest data loader.",
          "Switch it off when you have measured.",
          "data_loading"},
         [](const RuleValues& v) {
             return firedIf(v.isTrue("rankscope.length_sync.barrier") && !v.oneRank(),
                            "all ranks synchronize before every encoder forward and wait for the last one to get its "
                            "batch",
                            RiskRemedy{"rankscope.length_sync.barrier", "false"});
         }},
        {{"syncbn-without-batch-norm",
          {"trainer.sync_batchnorm", "model.encoder.conv_norm_type"},
          RiskSeverity::Caution,
          "SyncBN exchanges the statistics of batch norms. Other norms have none, so the setting has no effect and is "
          "misleading.",
          "Set trainer.sync_batchnorm to false.",
          "#settings"},
         [](const RuleValues& v) {
             const std::string norm = v.text("model.encoder.conv_norm_type");
             return firedIf(v.isTrue("trainer.sync_batchnorm") && !norm.empty() && norm != "batch_norm",
                            Message("no effect: conv_norm_type is {}, the encoder has no batch norm", norm),
                            RiskRemedy{"trainer.sync_batchnorm", "false"});
         }},
        {{"syncbn-one-rank",
          {"trainer.sync_batchnorm"},
          RiskSeverity::Info,
          "With one rank there is no other rank to exchange statistics with.",
          "",
          "#settings"},
         [](const RuleValues& v) {
             return firedIf(v.isTrue("trainer.sync_batchnorm") && v.oneRank() && v.normalisesBatches(),
                            "no effect with one rank");
         }},
        {{"syncbn-every-layer",
          {"trainer.sync_batchnorm"},
          RiskSeverity::Caution,
          "Each batch norm gathers mean and variance of all ranks in forward and sums two vectors in backward, and the "
          "training thread waits for both. Ranks with short batches wait for the longest one in every layer. "
          "conv_norm_type: layer_norm needs no exchange, but is a different model.",
          "Use batches of equal length (buckets), or set it to false if the batches are large enough.",
          "slow_compute"},
         [](const RuleValues& v) -> std::optional<RuleHit> {
             if (!syncsBatchNorm(v))
                 return std::nullopt;
             const double layers = v.number("model.encoder.n_layers", 0);
             if (layers <= 0) // missing or misspelt
                 return RuleHit{Message("an all-gather in forward and an all-reduce in backward in each layer: every "
                                        "layer waits for the slowest rank")};
             return RuleHit{
                 Message("{} all-gathers in forward and {} all-reduces in backward per step (one of each per "
                         "layer): every layer waits for the slowest rank",
                         layers, layers)};
         }},
        {{"batch-norm-not-synced",
          {"trainer.sync_batchnorm"},
          RiskSeverity::Info,
          "Each rank normalizes with the mean and variance of its own batch. With small batches these differ a lot "
          "between ranks; the running averages that validation uses are those of rank 0.",
          "",
          "#who-waits-for-whom"},
         [](const RuleValues& v) {
             return firedIf(v.isFalse("trainer.sync_batchnorm") && !v.oneRank() && v.normalisesBatches(),
                            "each rank normalizes with the statistics of its own batch; running averages are rank 0's");
         }},
        {{"accumulate-with-syncbn",
          {"trainer.accumulate_grad_batches"},
          RiskSeverity::Caution,
          "Accumulation saves only gradient exchanges. SyncBN and the length sync run in each batch, so a step waits "
          "for the slowest rank that many times; and the statistics are those of one batch, not of the step.",
          "Use larger batches instead, or no SyncBN.",
          "slow_compute"},
         [](const RuleValues& v) -> std::optional<RuleHit> {
             const double n = v.number("trainer.accumulate_grad_batches", 1);
             if (n <= 1 || !syncsBatchNorm(v))
                 return std::nullopt;
             return RuleHit{Message(
                 "SyncBN and length sync run in each of {} batches: ranks wait for the slowest one {} times a step", n,
                 n)};
         }},
        {{"accumulate-exchanges",
          {"trainer.accumulate_grad_batches"},
          RiskSeverity::Info,
          "Gradients are summed over several batches before they are exchanged, which gives a larger global batch "
          "without more memory.",
          "",
          "#who-waits-for-whom"},
         [](const RuleValues& v) -> std::optional<RuleHit> {
             const double n = v.number("trainer.accumulate_grad_batches", 1);
             if (n <= 1 || syncsBatchNorm(v))
                 return std::nullopt;
             return RuleHit{Message("gradients are exchanged every {} batches; length sync and SyncBN still run in "
                                    "each",
                                    n)};
         }},
        {{"stochastic-depth",
          {"model.encoder.stochastic_depth_drop_prob"},
          RiskSeverity::Info,
          "Each rank draws which layers to drop. NeMo and Rankscope still compute a dropped layer and multiply it by "
          "0, so that every rank enters the same collectives.",
          "",
          "mismatched_collective"},
         [](const RuleValues& v) -> std::optional<RuleHit> {
             if (v.number("model.encoder.stochastic_depth_drop_prob", 0) <= 0)
                 return std::nullopt;
             return RuleHit{"dropped layers are still computed: no time is saved, and collectives still match"};
         }},
        {{"ddp-implicit",
          {"trainer.strategy"},
          RiskSeverity::Info,
          "Lightning uses ddp for several devices when the file says auto.",
          "Write ddp, so that the file shows it.",
          "#who-waits-for-whom"},
         [](const RuleValues& v) {
             return firedIf(!v.oneRank() && v.text("trainer.strategy") == "auto",
                            "several devices use ddp automatically; write ddp, so that the file shows it",
                            RiskRemedy{"trainer.strategy", "ddp"});
         }},
        {{"ddp-gradients",
          {"trainer.strategy"},
          RiskSeverity::Info,
          "Gradients are averaged over all ranks while backward still runs, bucket by bucket. Ranks mostly wait here "
          "for a rank that is late, not for the exchange itself.",
          "",
          "slow_compute"},
         [](const RuleValues& v) {
             const std::string name = v.text("trainer.strategy");
             return firedIf(!v.oneRank() && (name == "ddp" || name == "ddp_find_unused_parameters_false"),
                            "gradients are all-reduced in buckets during backward: each bucket waits for the slowest "
                            "rank");
         }},
        {{"find-unused",
          {"trainer.strategy", "rankscope.ddp.find_unused_parameters", "trainer.strategy.find_unused_parameters"},
          RiskSeverity::Caution,
          "DDP then searches the graph for parameters without a gradient before each backward, and exchanges one "
          "number per parameter tensor. NEST uses all its parameters in every step (except with mask_position: "
          "post_conv), so the search finds nothing.",
          "Use strategy: ddp.",
          "slow_compute"},
         [](const RuleValues& v) -> std::optional<RuleHit> {
             if (v.oneRank() || v.text("model.mask_position") == "post_conv")
                 return std::nullopt;
             const Message reason = "walks the whole graph in each step and adds an all-reduce of one number per "
                                    "parameter tensor";
             if (v.text("trainer.strategy") == "ddp_find_unused_parameters_true")
                 return RuleHit{reason, RiskRemedy{"trainer.strategy", "ddp"}, "trainer.strategy"};
             for (const char* key : {"rankscope.ddp.find_unused_parameters", "trainer.strategy.find_unused_parameters"})
                 if (v.isTrue(key))
                     return RuleHit{reason, RiskRemedy{key, "false"}, key};
             return std::nullopt;
         }},
        {{"unused-not-searched",
          {"model.mask_position"},
          RiskSeverity::Danger,
          "With mask_position: post_conv, NeMo trains nothing below the mask, so the sub-sampling gets no gradient. "
          "DDP waits for it, and the second step fails with \"Expected to have finished reduction\".",
          "Use strategy: ddp_find_unused_parameters_true.",
          "mismatched_collective"},
         [](const RuleValues& v) {
             return firedIf(!v.oneRank() && v.text("model.mask_position") == "post_conv" &&
                                v.text("trainer.strategy") != "ddp_find_unused_parameters_true" &&
                                !v.isTrue("rankscope.ddp.find_unused_parameters") &&
                                !v.isTrue("trainer.strategy.find_unused_parameters"),
                            "the sub-sampling gets no gradient, and DDP waits for one",
                            RiskRemedy{"trainer.strategy", "ddp_find_unused_parameters_true"});
         }},
        {{"strategy-unknown",
          {"trainer.strategy"},
          RiskSeverity::Danger,
          "Rankscope's trainer implements data parallelism as DistributedDataParallel does. Strategies that split the "
          "model itself (fsdp, deepspeed, tensor parallelism) exchange different data at different points.",
          "Use strategy: ddp.",
          "mismatched_collective"},
         [](const RuleValues& v) {
             const std::string name = v.text("trainer.strategy");
             return firedIf(!name.empty() && !v.oneRank() && name != "auto" && !name.starts_with("ddp"),
                            Message("{} is not supported with several ranks: use ddp or auto", name),
                            RiskRemedy{"trainer.strategy", "ddp"});
         }},
        {{"bucket-small",
          {"rankscope.ddp.bucket_cap_mb", "trainer.strategy.bucket_cap_mb"},
          RiskSeverity::Caution,
          "Every bucket is a separate all-reduce, and each costs a round trip, however small it is.",
          "25 MB is torch's default.",
          "slow_compute"},
         [](const RuleValues& v) -> std::optional<RuleHit> {
             const std::string key = ddpKey(v, "bucket_cap_mb");
             if (v.number(key, 25) >= 1 || v.oneRank())
                 return std::nullopt;
             return RuleHit{"very small buckets: many all-reduces, each with its own latency", RiskRemedy{key, "25"},
                            key};
         }},
        {{"bucket-large",
          {"rankscope.ddp.bucket_cap_mb", "trainer.strategy.bucket_cap_mb"},
          RiskSeverity::Caution,
          "A bucket is sent when its last gradient is ready. With a few large buckets, most are sent after backward, "
          "when there is nothing left to compute in the meantime.",
          "25 MB is torch's default.",
          "slow_compute"},
         [](const RuleValues& v) -> std::optional<RuleHit> {
             const std::string key = ddpKey(v, "bucket_cap_mb");
             if (v.number(key, 25) <= 200 || v.oneRank())
                 return std::nullopt;
             return RuleHit{"very large buckets: little of the exchange overlaps with backward", RiskRemedy{key, "25"},
                            key};
         }},
        {{"broadcast-buffers",
          {"rankscope.ddp.broadcast_buffers"},
          RiskSeverity::Info,
          "Without SyncBN the running averages drift apart; DDP copies rank 0's before each forward.",
          "",
          "#who-waits-for-whom"},
         [](const RuleValues& v) {
             return firedIf(v.isTrue("rankscope.ddp.broadcast_buffers") && !v.isTrue("trainer.sync_batchnorm") &&
                                !v.oneRank() && v.normalisesBatches(),
                            "rank 0's running averages are broadcast before each forward");
         }},
        {{"broadcast-of-constants",
          {"trainer.strategy", "trainer.strategy.broadcast_buffers"},
          RiskSeverity::Caution,
          "PyTorch's DDP sends all buffers of rank 0 to the other ranks before the first forward of each step. In NeMo "
          "the position table is one of them: its values follow from its length alone. With SyncBN, or without batch "
          "norm, no buffer differs between ranks, so the broadcast only makes all ranks wait for rank 0. (Rankscope's "
          "trainer leaves it out then.)",
          "Set broadcast_buffers to false in a strategy that is a section.",
          "slow_compute"},
         broadcastOfConstants},
        {{"position-table-outgrown",
          {kPositions},
          RiskSeverity::Danger,
          "NeMo's position table has as many rows as the longest batch had mel frames, and at least pos_emb_max_len. "
          "Without the length sync each rank has its own length. DDP broadcasts the table with the other buffers: once "
          "one rank's is longer, the ranks give different sizes. (Rankscope's trainer does not broadcast the table.)",
          "Make pos_emb_max_len as large as the longest batch, or set broadcast_buffers to false.",
          "mismatched_collective"},
         tablesOfDifferentLength},
        {{"static-graph",
          {"rankscope.ddp.static_graph", "trainer.strategy.static_graph"},
          RiskSeverity::Info,
          "DDP learns in the first step which parameters are used, and relies on that from then on.",
          "",
          "mismatched_collective"},
         [](const RuleValues& v) {
             const std::string key = ddpKey(v, "static_graph");
             return firedIf(
                 v.isTrue(key) && !v.oneRank(),
                 "the first step reduces its gradients after backward, without overlap; the graph must never "
                 "change",
                 std::nullopt, key);
         }},
        {{"comm-hook-noop",
          {"rankscope.ddp.comm_hook", "trainer.strategy.ddp_comm_hook"},
          RiskSeverity::Danger,
          "noop_hook is for measuring the cost of a run without gradient exchange. Each rank then trains a different "
          "model, and only rank 0's is saved.",
          "Remove the hook.",
          "#checks-before-and-at-start"},
         [](const RuleValues& v) -> std::optional<RuleHit> {
             std::string key;
             if (!hookIs(v, key, "noop_hook"))
                 return std::nullopt;
             return RuleHit{"gradients are not averaged: the ranks' weights drift apart; for timing only",
                            RiskRemedy{key, "null"}, key};
         }},
        {{"comm-hook-fp16",
          {"rankscope.ddp.comm_hook", "trainer.strategy.ddp_comm_hook"},
          RiskSeverity::Caution,
          "float16 has enough digits for gradients, but not enough range: large ones become infinite, small ones 0.",
          "bf16_compress_hook keeps the range at the same number of bytes.",
          "not_finite"},
         [](const RuleValues& v) -> std::optional<RuleHit> {
             std::string key;
             if (!hookIs(v, key, "fp16_compress_hook"))
                 return std::nullopt;
             std::optional<RiskRemedy> set;
             if (key.ends_with("comm_hook") && key.starts_with("rankscope."))
                 set = RiskRemedy{key, "bf16_compress_hook"};
             return RuleHit{"half the bytes per all-reduce; gradients above 65504 overflow, small ones vanish", set,
                            key};
         }},
        {{"comm-hook-bf16",
          {"rankscope.ddp.comm_hook", "trainer.strategy.ddp_comm_hook"},
          RiskSeverity::Info,
          "Gradients are rounded to bfloat16 only for the exchange, and are summed in bfloat16.",
          "",
          "not_finite"},
         [](const RuleValues& v) -> std::optional<RuleHit> {
             std::string key;
             if (!hookIs(v, key, "bf16_compress_hook"))
                 return std::nullopt;
             return RuleHit{"half the bytes per all-reduce; gradients keep 8 bits of precision", std::nullopt, key};
         }},
        {{"devices-auto",
          {"trainer.devices"},
          RiskSeverity::Info,
          "The number of ranks, and with it the global batch size and the steps per epoch, depends on the machine.",
          "Write the number, so that a run is the same on other machines.",
          "configuration_differs"},
         [](const RuleValues& v) -> std::optional<RuleHit> {
             const std::string devices = v.text("trainer.devices");
             if (devices != "auto" && devices != "-1")
                 return std::nullopt;
             return RuleHit{"uses all available GPUs: the global batch size depends on the machine (without a GPU: one "
                            "rank)"};
         }},
        {{"gpu-list-on-cpu",
          {"trainer.devices", "trainer.accelerator"},
          RiskSeverity::Danger,
          "A list gives GPUs by number. Ranks on the CPU have no device number, and the launch is refused.",
          "Write the number of ranks.",
          "never_joined"},
         [](const RuleValues& v) -> std::optional<RuleHit> {
             const auto devices = v.node("trainer.devices");
             if (!devices || v.text("trainer.accelerator") != "cpu")
                 return std::nullopt;
             const auto commas = std::count(devices->text.begin(), devices->text.end(), ',');
             const std::size_t named = devices->isList() ? devices->items.size()
                                       : commas > 0      ? static_cast<std::size_t>(commas) + 1
                                                         : 0;
             if (named == 0)
                 return std::nullopt;
             return RuleHit{"lists GPUs, but the accelerator is the CPU: the launch is refused",
                            RiskRemedy{"trainer.devices", std::to_string(named)}, "trainer.devices"};
         }},
        {{"more-devices-than-gpus",
          {"trainer.devices"},
          RiskSeverity::Danger,
          "Each rank needs a separate GPU: two on one wait for each other inside NCCL, so the launch is refused.",
          "Request as many as there are, or ranks on the CPU.",
          "never_joined"},
         [](const RuleValues& v) -> std::optional<RuleHit> {
             const auto& machine = v.context().machine;
             const std::string accelerator = v.text("trainer.accelerator");
             const double wanted = v.number("trainer.devices", 0);
             if (!machine || v.number("trainer.num_nodes", 1) > 1 || accelerator == "cpu" || wanted <= machine->gpus)
                 return std::nullopt;
             if (machine->gpus == 0 && accelerator == "auto")
                 return std::nullopt; // the ranks run on the CPU instead
             return RuleHit{Message("requests {} GPUs, but the machine has {}", wanted, machine->gpus),
                            machine->gpus > 0 ? RiskRemedy{"trainer.devices", std::to_string(machine->gpus)}
                                              : RiskRemedy{"trainer.accelerator", "cpu"}};
         }},
        {{"gpus-idle",
          {"trainer.accelerator", "trainer.devices"},
          RiskSeverity::Caution,
          "A GPU trains this model many times as fast as the CPU cores do.",
          "Set trainer.accelerator to auto.",
          "slow_compute"},
         [](const RuleValues& v) -> std::optional<RuleHit> {
             const auto& machine = v.context().machine;
             if (!machine || machine->gpus == 0 || v.text("trainer.accelerator") != "cpu")
                 return std::nullopt;
             return RuleHit{Message("ranks run on the CPU, while the machine has {} GPUs", machine->gpus),
                            RiskRemedy{"trainer.accelerator", "auto"}, "trainer.accelerator"};
         }},
        {{"more-ranks-than-cores",
          {"trainer.devices"},
          RiskSeverity::Caution,
          "Ranks that share cores take turns: the rank that is not running holds up all others in the next collective, "
          "and it is a different one from step to step.",
          "Request as many ranks as there are cores, or fewer.",
          "slow_compute"},
         [](const RuleValues& v) -> std::optional<RuleHit> {
             const auto& machine = v.context().machine;
             const int ranks = v.ranksHere();
             if (!machine || v.context().device != "cpu" || ranks <= machine->cores)
                 return std::nullopt;
             return RuleHit{Message("{} ranks share {} cores", ranks, machine->cores),
                            RiskRemedy{"trainer.devices", std::to_string(machine->cores)}};
         }},
        {{"several-nodes",
          {"trainer.num_nodes"},
          RiskSeverity::Info,
          "Every collective crosses the network, and takes as long as its slowest link. Start the ranks with torchrun "
          "or srun.",
          "",
          "inside_collective"},
         [](const RuleValues& v) -> std::optional<RuleHit> {
             if (v.number("trainer.num_nodes", 1) <= 1)
                 return std::nullopt;
             return RuleHit{"collectives cross the network between hosts"};
         }},
    };
}

} // namespace rankscope::config
