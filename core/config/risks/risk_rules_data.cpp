// SPDX-License-Identifier: Apache-2.0
#include "core/config/risks/rule_inputs.h"
#include "core/config/yaml/scalar.h"

#include <fmt/format.h>

#include <algorithm>

namespace rankscope::config {
namespace {

constexpr double kWideDurations = 20; ///< longest / shortest
constexpr double kShortestBlock = 0.1;

bool noLimit(const RuleValues& v, const std::string& key) {
    const auto n = v.node(key);
    return !n || typeOf(*n) == Type::Null || v.number(key, 0) <= 0;
}

/// As many readers as leave each rank a core.
std::string workersFor(const RuleValues& v) {
    const auto& machine = v.around().machine;
    const int fair = machine && v.ranks() > 0 ? machine->cores / v.ranks() : 4;
    return std::to_string(std::clamp(fair, 1, 8));
}

/// Lightning's DistributedSampler shuffles whatever the key says: it is there with several ranks or a DDP strategy.
bool ordersItself(const RuleValues& v) {
    const auto strategy = v.node("trainer.strategy");
    const bool single = v.oneRank() && (!strategy || (strategy->isScalar() && strategy->text == "auto"));
    return v.isTrue("model.train_ds.is_tarred") || !v.isTrue("trainer.use_distributed_sampler") || single;
}

/// Shares of one size are made by Lightning's DistributedSampler alone.
bool equalShares(const RuleValues& v) {
    return v.isTrue("trainer.use_distributed_sampler") && !v.isTrue("model.train_ds.is_tarred");
}

} // namespace

std::vector<RuleEntry> dataRules() {
    using S = RiskSeverity;
    return {
        {{"drop-last-uneven",
          {"model.train_ds.drop_last"},
          S::Danger,
          "Without a distributed sampler, and with tar files in NeMo, ranks may have a different number of batches. "
          "The one that is done first leaves the others in a collective that never completes. (Rankscope's own trainer "
          "fills the shares up; NeMo does not.)",
          "Set drop_last to true, and make shards of equal size.",
          "uneven_batches"},
         [](const RuleValues& v) -> std::optional<Fired> {
             if (!v.isFalse("model.train_ds.drop_last") || v.oneRank() || equalShares(v))
                 return std::nullopt;
             return Fired{"the last batch of an epoch may be smaller or missing on some ranks: uneven batches end in a "
                          "stall",
                          RiskRemedy{"model.train_ds.drop_last", "true"}};
         }},
        {{"drop-last-small-batch",
          {"model.train_ds.drop_last"},
          S::Caution,
          "The distributed sampler gives all ranks as many utterances, so that they end together; but the last batch "
          "of an epoch holds what is left, perhaps a single utterance, and weighs as much as a whole one.",
          "Set drop_last to true.",
          "uneven_batches"},
         [](const RuleValues& v) -> std::optional<Fired> {
             if (!v.isFalse("model.train_ds.drop_last") || v.oneRank() || !equalShares(v))
                 return std::nullopt;
             return Fired{"the last batch of an epoch is what is left over: smaller, on all ranks alike",
                          RiskRemedy{"model.train_ds.drop_last", "true"}};
         }},
        {{"no-workers",
          {"model.train_ds.num_workers"},
          S::Danger,
          "With 0 the training thread reads, decodes and mixes itself. A file on a slow disk then holds not only this "
          "rank but all that wait for it in the next collective.",
          "Give each rank workers of its own.",
          "data_loading"},
         [](const RuleValues& v) -> std::optional<Fired> {
             if (v.number("model.train_ds.num_workers", 1) != 0)
                 return std::nullopt;
             return Fired{"batches are read in the training thread: every slow file holds all ranks",
                          RiskRemedy{"model.train_ds.num_workers", workersFor(v)}};
         }},
        {{"no-validation-workers",
          {"model.validation_ds.num_workers"},
          S::Caution,
          "Validation reads in the training thread: a slow file makes every validation as slow.",
          "Give validation workers as well.",
          "data_loading"},
         [](const RuleValues& v) -> std::optional<Fired> {
             if (!v.node("model.validation_ds.num_workers") || v.number("model.validation_ds.num_workers", 1) != 0)
                 return std::nullopt;
             return Fired{"validation batches are read in the training thread",
                          RiskRemedy{"model.validation_ds.num_workers", workersFor(v)}};
         }},
        {{"prefetch-short",
          {"model.train_ds.prefetch_factor"},
          S::Caution,
          "Each worker keeps so many batches ready. With one of one worker, a single slow file is waited for.",
          "Use 2 or more.",
          "data_loading"},
         [](const RuleValues& v) -> std::optional<Fired> {
             const double workers = v.number("model.train_ds.num_workers", 0);
             const double each = v.number("model.train_ds.prefetch_factor", 2);
             if (workers < 1 || workers * each > 1)
                 return std::nullopt;
             return Fired{"one batch is kept ready: a single slow file is waited for",
                          RiskRemedy{"model.train_ds.prefetch_factor", "2"}};
         }},
        {{"workers-beyond-cores",
          {"model.train_ds.num_workers"},
          S::Caution,
          "Workers of all ranks take the cores from the training threads, and each rank is slow in turn.",
          "Use fewer workers.",
          "slow_compute"},
         [](const RuleValues& v) -> std::optional<Fired> {
             const auto& machine = v.around().machine;
             const double workers = v.number("model.train_ds.num_workers", 0), ranks = v.around().ranks;
             const double nodes = std::max(1.0, v.number("trainer.num_nodes", 1)), here = ranks / nodes * workers;
             if (!machine || ranks < 1 || workers <= 1 || here <= 2 * machine->cores)
                 return std::nullopt;
             return Fired{fmt::format("{:g} workers on {} cores", here, machine->cores),
                          RiskRemedy{"model.train_ds.num_workers", workersFor(v)}};
         }},
        {{"no-longest",
          {"model.train_ds.max_duration"},
          S::Danger,
          "Attention takes memory with the square of the length. One recording that nobody cut makes its rank slow for "
          "a step, or ends it for want of memory, and all others with it.",
          "Set a limit, such as 60 s.",
          "long_batch"},
         [](const RuleValues& v) -> std::optional<Fired> {
             if (!v.node("model.train_ds.batch_size") || !noLimit(v, "model.train_ds.max_duration"))
                 return std::nullopt;
             return Fired{"no limit: one long recording holds all ranks for a step",
                          RiskRemedy{"model.train_ds.max_duration", "60.0"}};
         }},
        {{"wide-durations",
          {"model.train_ds.max_duration"},
          S::Info,
          "Ranks whose batch is short wait for the one whose batch is long. How much that is for your manifest, "
          "rankscopectl plan says.",
          "Sort the manifests into buckets, or narrow the limits.",
          "long_batch"},
         [](const RuleValues& v) -> std::optional<Fired> {
             if (noLimit(v, "model.train_ds.max_duration") || v.oneRank())
                 return std::nullopt;
             const double high = v.number("model.train_ds.max_duration", 0);
             if (high < kWideDurations * std::max(v.number("model.train_ds.min_duration", 0), 0.05))
                 return std::nullopt;
             return Fired{fmt::format("lengths up to {:g} s: ranks with short batches wait for the long one", high)};
         }},
        {{"no-shortest",
          {"model.train_ds.min_duration"},
          S::Caution,
          "A clip that is shorter than a masked block has nothing to predict. A batch of such clips has no loss, and "
          "NaN goes through SyncBN to all ranks.",
          "Set a limit, such as 1 s.",
          "empty_batch"},
         [](const RuleValues& v) -> std::optional<Fired> {
             if (!v.node("model.train_ds.batch_size") || v.number("model.train_ds.min_duration", 0) >= kShortestBlock)
                 return std::nullopt;
             return Fired{"clips shorter than one masked block give batches without a masked frame (no loss)",
                          RiskRemedy{"model.train_ds.min_duration", "1.0"}};
         }},
        {{"not-shuffled",
          {"model.train_ds.shuffle"},
          S::Caution,
          "Ranks take the rows of the manifest in turn, every epoch in the same order. A manifest that is sorted by "
          "length, or by speaker, trains in that order.",
          "Set shuffle to true.",
          "long_batch"},
         [](const RuleValues& v) -> std::optional<Fired> {
             if (!v.isFalse("model.train_ds.shuffle") || !ordersItself(v))
                 return std::nullopt;
             return Fired{"the manifest's order: sorted lengths give one rank the long ones",
                          RiskRemedy{"model.train_ds.shuffle", "true"}};
         }},
        {{"no-distributed-sampler",
          {"trainer.use_distributed_sampler"},
          S::Danger,
          "Without Lightning's sampler nothing shares the set out. Every rank trains on all of it, and with a seed, or "
          "without shuffle, in the same order: as many times the work for the same step.",
          "Set trainer.use_distributed_sampler to true.",
          "#checks-before-and-at-start"},
         [](const RuleValues& v) -> std::optional<Fired> {
             if (!v.isFalse("trainer.use_distributed_sampler") || v.oneRank() || v.isTrue("model.train_ds.is_tarred"))
                 return std::nullopt;
             const auto seed = v.node("rankscope.seed");
             const bool own = v.isTrue("model.train_ds.shuffle") && (!seed || typeOf(*seed) == Type::Null);
             return Fired{own ? "every rank reads the whole set, in an order of its own"
                              : "every rank reads the same batches: N times the same step",
                          RiskRemedy{"trainer.use_distributed_sampler", "true"}};
         }},
        {{"tarred-shares",
          {"model.train_ds.is_tarred"},
          S::Info,
          "Tar files are dealt out whole. Where a rank's hold fewer utterances than another's, it sees some of them "
          "again, so that all ranks have as many batches.",
          "",
          "uneven_batches"},
         [](const RuleValues& v) -> std::optional<Fired> {
             if (!v.isTrue("model.train_ds.is_tarred"))
                 return std::nullopt;
             return Fired{"shards of unequal size: a rank with fewer utterances sees some of them twice an epoch"};
         }},
        {{"fewer-shards-than-ranks",
          {"model.train_ds.tarred_audio_filepaths", "model.train_ds.tarred_shard_strategy"},
          S::Danger,
          "With tarred_shard_strategy: scatter each rank has tar files of its own. A rank that gets none has nothing "
          "to train on, and the launch ends.",
          "Make more shards, use fewer ranks, or set tarred_shard_strategy to replicate.",
          "uneven_batches"},
         [](const RuleValues& v) -> std::optional<Fired> {
             const auto& train = v.around().train;
             if (!train || !v.isTrue("model.train_ds.is_tarred") || v.ranks() == 0 || train->shards >= v.ranks() ||
                 v.text("model.train_ds.tarred_shard_strategy") == "replicate")
                 return std::nullopt;
             return Fired{fmt::format("{} tar files for {} ranks: some get none", train->shards, v.ranks()),
                          RiskRemedy{"model.train_ds.tarred_shard_strategy", "replicate"}};
         }},
    };
}

} // namespace rankscope::config
