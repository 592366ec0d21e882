// SPDX-License-Identifier: Apache-2.0
#include "core/config/rules.h"

#include "core/config/scalar.h"

#include <fmt/format.h>

#include <functional>
#include <map>

namespace rankscope::config {
namespace {

class Values {
public:
    Values(const Node& root, const Facts& facts) : m_root(root), m_facts(facts) {}

    std::optional<Node> node(const std::string& key) const {
        auto value = effectiveNode(m_root, key, m_facts);
        return value && !value->unresolved && !isMissing(*value) ? value : std::nullopt;
    }
    bool isTrue(const std::string& key) const {
        const auto n = node(key);
        return n && asBool(*n).value_or(false);
    }
    double number(const std::string& key, double otherwise) const {
        const auto n = node(key);
        return n ? asDouble(*n).value_or(otherwise) : otherwise;
    }
    std::string text(const std::string& key) const {
        const auto n = node(key);
        return n && n->isScalar() ? n->text : "";
    }
    /// The rank count is surely 1.
    bool oneRank() const { return number("trainer.devices", 2) == 1 && number("trainer.num_nodes", 1) == 1; }

private:
    const Node& m_root;
    const Facts& m_facts;
};

using Rule = std::string (*)(const Values&);

std::string lengthSync(const Values& v) {
    if (!v.isTrue("model.encoder.sync_max_audio_length"))
        return "no length all-reduce: each rank pads its position table to its own longest batch";
    if (v.oneRank())
        return "";
    if (v.number("rankscope.length_sync.timeout_s", 0) > 0)
        return "adds one all-reduce before every encoder forward, also in validation; a rank that waits longer than "
               "rankscope.length_sync.timeout_s goes on with its own longest batch";
    return "adds one blocking all-reduce before every encoder forward, also in validation: the rank whose "
           "batch comes last holds all others";
}

std::string lengthTimeout(const Values& v) {
    if (v.number("rankscope.length_sync.timeout_s", 0) <= 0)
        return "";
    if (!v.isTrue("model.encoder.sync_max_audio_length"))
        return "no effect: model.encoder.sync_max_audio_length is false";
    if (v.oneRank())
        return "no effect with one rank";
    return v.text("model.encoder.conv_norm_type") == "batch_norm" && v.isTrue("trainer.sync_batchnorm")
               ? "little effect with SyncBN: the encoder's first layer waits for the late rank too"
               : "a late rank holds the others this long in the length sync, and then only in their next collective";
}

std::string encoderBarrier(const Values& v) {
    return v.isTrue("rankscope.length_sync.barrier") && !v.oneRank()
               ? "all ranks meet before every encoder forward: the rank whose batch comes last holds all others"
               : "";
}

std::string syncBatchnorm(const Values& v) {
    if (!v.isTrue("trainer.sync_batchnorm"))
        return v.oneRank() || v.text("model.encoder.conv_norm_type") != "batch_norm"
                   ? ""
                   : "each rank normalises with the statistics of its own batch; running averages are rank 0's";
    if (const std::string norm = v.text("model.encoder.conv_norm_type"); norm != "batch_norm")
        return fmt::format("no effect: conv_norm_type is {}, the encoder has no batch norm", norm);
    const double layers = v.number("model.encoder.n_layers", 0);
    return v.oneRank() ? "no effect with one rank"
                       : fmt::format("{} gathers in forward and {} reduces in backward per step (one per layer): every "
                                     "layer waits for the slowest rank",
                                     layers, layers);
}

std::string convNorm(const Values& v) {
    if (v.text("model.encoder.conv_norm_type") != "batch_norm" && v.isTrue("trainer.sync_batchnorm"))
        return "trainer.sync_batchnorm has no effect: this norm has no batch statistics";
    return "";
}

std::string strategy(const Values& v) {
    const std::string name = v.text("trainer.strategy");
    if (v.oneRank())
        return "";
    if (name == "auto")
        return "several devices become ddp by themselves; say ddp to see it in the file";
    if (name == "ddp_find_unused_parameters_true")
        return "walks the whole graph each step and adds one all-reduce of a bit per parameter";
    return "gradients are all-reduced in buckets during backward: each bucket waits for the slowest rank";
}

std::string devices(const Values& v) {
    const auto n = v.node("trainer.devices");
    if (n && (n->text == "auto" || n->text == "-1"))
        return "takes every GPU that is there: the global batch size depends on the machine (without a GPU: one rank)";
    return "";
}

std::string dropLast(const Values& v) {
    return v.isTrue("model.train_ds.drop_last") || v.oneRank()
               ? ""
               : "the last batch of an epoch may be smaller or missing on some ranks: uneven batches end in a stall";
}

std::string workers(const Values& v) {
    return v.number("model.train_ds.num_workers", 1) == 0
               ? "batches are read in the training thread: every slow file holds all ranks"
               : "";
}

std::string validationWorkers(const Values& v) {
    return v.number("model.validation_ds.num_workers", 1) == 0 && v.node("model.validation_ds.num_workers")
               ? "validation batches are read in the training thread"
               : "";
}

std::string accumulate(const Values& v) {
    const double n = v.number("trainer.accumulate_grad_batches", 1);
    return n > 1 ? fmt::format("gradients are exchanged every {} batches; length sync and SyncBN still run in each", n)
                 : "";
}

std::string maxDuration(const Values& v) {
    const auto n = v.node("model.train_ds.max_duration");
    if (!n || typeOf(*n) == Type::Null)
        return "no limit: one long recording holds all ranks for a step";
    const double high = v.number("model.train_ds.max_duration", 0), low = v.number("model.train_ds.min_duration", 0);
    return high > 0 && high >= 20 * std::max(low, 0.05)
               ? fmt::format("lengths up to {:g} s: ranks with short batches wait for the long one", high)
               : "";
}

std::string minDuration(const Values& v) {
    return v.number("model.train_ds.min_duration", 0) < 0.1
               ? "clips shorter than one masked block give batches without a masked frame (no loss)"
               : "";
}

std::string shuffleRule(const Values& v) {
    return v.isTrue("model.train_ds.shuffle") ? "" : "the manifest's order: sorted lengths give one rank the long ones";
}

std::string sampler(const Values& v) {
    return v.isTrue("trainer.use_distributed_sampler") || v.oneRank()
               ? ""
               : "every rank reads the same batches: N times the same step";
}

std::string nodes(const Values& v) {
    return v.number("trainer.num_nodes", 1) > 1 ? "collectives cross the network between hosts" : "";
}

std::string stochasticDepth(const Values& v) {
    return v.number("model.encoder.stochastic_depth_drop_prob", 0) > 0
               ? "ranks draw different layers to drop: with SyncBN their collectives no longer match"
               : "";
}

std::string tarred(const Values& v) {
    return v.isTrue("model.train_ds.is_tarred")
               ? "shards of unequal size: a rank with fewer utterances sees some of them twice an epoch"
               : "";
}

std::string findUnused(const Values& v) {
    return v.isTrue("rankscope.ddp.find_unused_parameters") || v.isTrue("trainer.strategy.find_unused_parameters")
               ? "walks the whole graph each step and adds one all-reduce of a bit per parameter"
               : "";
}

std::string bucket(const Values& v) {
    const double mb = v.number("rankscope.ddp.bucket_cap_mb", v.number("trainer.strategy.bucket_cap_mb", 25));
    return mb < 1     ? "very small buckets: many all-reduces, each with its own start-up time"
           : mb > 200 ? "very large buckets: little of the exchange overlaps with backward"
                      : "";
}

std::string broadcastBuffers(const Values& v) {
    return v.isTrue("rankscope.ddp.broadcast_buffers") && !v.isTrue("trainer.sync_batchnorm") && !v.oneRank() &&
                   v.text("model.encoder.conv_norm_type") == "batch_norm"
               ? "rank 0's running averages are broadcast before each forward"
               : "";
}

std::string timeout(const Values& v) {
    return v.number("rankscope.collective_timeout_s", 1800) < 60
               ? "a checkpoint or validation longer than this ends the run"
               : "";
}

std::string faults(const Values& v) {
    const auto n = v.node("rankscope.faults");
    return n && n->isList() && !n->items.empty() ? "deliberate: this run is disturbed on purpose" : "";
}

std::string precision(const Values& v) {
    return v.text("trainer.precision").starts_with("16")
               ? "ranks skip a step together when one overflows; on a CPU it becomes bf16-mixed, as in Lightning"
               : "";
}

std::string commHook(const Values& v) {
    const std::string name = v.text("rankscope.ddp.comm_hook"), path = v.text("trainer.strategy.ddp_comm_hook.path");
    const auto is = [&](const char* hook) { return name == hook || path.ends_with(hook); };
    return v.oneRank()       ? ""
           : is("noop_hook") ? "gradients are not averaged: the ranks' weights drift apart; for timing only"
           : is("fp16_compress_hook")
               ? "half the bytes per all-reduce; gradients above 65504 overflow, small ones vanish"
           : is("bf16_compress_hook") ? "half the bytes per all-reduce; gradients keep 8 bits of precision"
                                      : "";
}

std::string staticGraph(const Values& v) {
    return v.isTrue("rankscope.ddp.static_graph") || v.isTrue("trainer.strategy.static_graph")
               ? "the first step reduces its gradients after backward, without overlap; the graph must never change"
               : "";
}

std::string deterministic(const Values& v) {
    const std::string word = v.text("trainer.deterministic");
    if (word != "true" && word != "warn")
        return "";
    return v.node("rankscope.seed") && typeOf(*v.node("rankscope.seed")) != Type::Null
               ? ""
               : "rankscope.seed is null: every run draws other weights and masks";
}

} // namespace

std::string riskOf(const std::string& key, const Node& root, const Facts& facts) {
    static const std::map<std::string, Rule> rules{
        {"model.encoder.sync_max_audio_length", lengthSync},
        {"model.encoder.conv_norm_type", convNorm},
        {"model.encoder.stochastic_depth_drop_prob", stochasticDepth},
        {"model.train_ds.drop_last", dropLast},
        {"model.train_ds.num_workers", workers},
        {"model.validation_ds.num_workers", validationWorkers},
        {"model.train_ds.max_duration", maxDuration},
        {"model.train_ds.min_duration", minDuration},
        {"model.train_ds.shuffle", shuffleRule},
        {"model.train_ds.is_tarred", tarred},
        {"trainer.strategy", strategy},
        {"trainer.sync_batchnorm", syncBatchnorm},
        {"trainer.devices", devices},
        {"trainer.num_nodes", nodes},
        {"trainer.accumulate_grad_batches", accumulate},
        {"trainer.use_distributed_sampler", sampler},
        {"trainer.precision", precision},
        {"rankscope.ddp.find_unused_parameters", findUnused},
        {"rankscope.ddp.bucket_cap_mb", bucket},
        {"rankscope.ddp.broadcast_buffers", broadcastBuffers},
        {"rankscope.ddp.static_graph", staticGraph},
        {"rankscope.ddp.comm_hook", commHook},
        {"trainer.strategy.static_graph", staticGraph},
        {"trainer.strategy.ddp_comm_hook", commHook},
        {"trainer.deterministic", deterministic},
        {"trainer.strategy.find_unused_parameters", findUnused},
        {"trainer.strategy.bucket_cap_mb", bucket},
        {"rankscope.length_sync.timeout_s", lengthTimeout},
        {"rankscope.length_sync.barrier", encoderBarrier},
        {"rankscope.collective_timeout_s", timeout},
        {"rankscope.faults", faults},
    };
    const auto rule = rules.find(key);
    return rule == rules.end() ? "" : rule->second(Values(root, facts));
}

} // namespace rankscope::config
