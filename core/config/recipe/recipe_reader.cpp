// SPDX-License-Identifier: Apache-2.0
#include "core/config/recipe/recipe_reader.h"

#include "core/base/files/paths.h"
#include "core/config/hydra/brace_expansion.h"
#include "core/config/yaml/duration.h"
#include "core/config/recipe/fault_spec.h"
#include "core/config/yaml/scalar.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <string_view>
#include <utility>

namespace rankscope::config {

const Node* Reader::child(const std::string& name) const {
    const Node* node = present() ? m_node->child(name) : nullptr;
    return node && typeOf(*node) != Type::Null && !isMissing(*node) ? node : nullptr;
}

bool Reader::boolean(const std::string& name, bool otherwise) const {
    const Node* node = child(name);
    return node ? asBool(*node).value_or(otherwise) : otherwise;
}

std::int64_t Reader::integer64(const std::string& name, std::int64_t otherwise) const {
    const Node* node = child(name);
    return node ? asInt(*node).value_or(otherwise) : otherwise;
}

static int bounded(std::int64_t value) {
    using Limits = std::numeric_limits<int>;
    return static_cast<int>(std::clamp<std::int64_t>(value, Limits::min(), Limits::max()));
}

int Reader::integer(const std::string& name, int otherwise) const {
    return bounded(integer64(name, otherwise));
}

double Reader::real(const std::string& name, double otherwise) const {
    const Node* node = child(name);
    return node ? asDouble(*node).value_or(otherwise) : otherwise;
}

std::string Reader::text(const std::string& name, const std::string& otherwise) const {
    const Node* node = child(name);
    return node && node->isScalar() ? node->text : otherwise;
}

std::vector<int> Reader::integersOf(const Node& list) {
    std::vector<int> out;
    for (const auto& item : list.items)
        if (const auto value = asInt(item))
            out.push_back(bounded(*value));
    return out;
}

std::vector<int> Reader::integers(const std::string& name) const {
    const Node* node = child(name);
    return node ? integersOf(*node) : std::vector<int>{};
}

std::vector<double> Reader::reals(const std::string& name) const {
    std::vector<double> out;
    if (const Node* node = child(name))
        for (const auto& item : node->items)
            if (const auto value = asDouble(item))
                out.push_back(*value);
    return out;
}

std::vector<std::string> Reader::texts(const std::string& name) const {
    std::vector<std::string> out;
    const Node* node = child(name);
    if (node && node->isScalar())
        out.push_back(node->text);
    if (node)
        for (const auto& item : node->items)
            if (item.isScalar())
                out.push_back(item.text);
    return out;
}

bool Reader::isNull(const std::string& name) const {
    const Node* node = present() ? m_node->child(name) : nullptr;
    return node && typeOf(*node) == Type::Null;
}

static void collectPaths(const Node& node, std::vector<std::string>& out) {
    for (const auto& item : node.items)
        collectPaths(item, out);
    if (!node.isScalar() || isMissing(node))
        return;
    // NeMo takes "a.json,b.json" as two manifests; a comma in braces belongs to them
    std::string path;
    int depth = 0;
    for (std::size_t i = 0; i < node.text.size(); ++i) {
        const std::string_view rest = std::string_view(node.text).substr(i);
        depth += rest.starts_with('{') || rest.starts_with("_OP_");
        depth -= rest.starts_with('}') || rest.starts_with("_CL_");
        if (node.text[i] != ',' || depth > 0)
            path += node.text[i];
        else if (!path.empty())
            out.push_back(std::exchange(path, {}));
    }
    if (!path.empty())
        out.push_back(std::move(path));
}

std::vector<std::string> Reader::paths(const std::string& name) const {
    std::vector<std::string> out;
    if (const Node* node = child(name))
        collectPaths(*node, out);
    return out;
}

PathLists Reader::pathLists(const std::string& name) const {
    PathLists out;
    const Node* node = child(name);
    if (node && node->isList() && !node->items.empty() && node->items.front().isList()) {
        for (const auto& item : node->items)
            collectPaths(item, out.emplace_back());
    } else if (node) {
        collectPaths(*node, out.emplace_back());
    }
    return out;
}

double Reader::logGuard(const std::string& name, double otherwise) const {
    const std::string word = text(name, "");
    if (word == "tiny")
        return static_cast<double>(std::numeric_limits<float>::min());
    if (word == "eps")
        return static_cast<double>(std::numeric_limits<float>::epsilon());
    return real(name, otherwise);
}

static BatchAugmentorConfig readAugmentor(const Reader& r) {
    BatchAugmentorConfig c;
    c.present = r.present();
    c.prob = r.real("prob", c.prob);
    c.noiseRatio = r.real("noise_ratio", c.noiseRatio);
    c.minRSpeech = r.real("min_r_speech", c.minRSpeech);
    c.maxRSpeech = r.real("max_r_speech", c.maxRSpeech);
    c.minRNoise = r.real("min_r_noise", c.minRNoise);
    c.maxRNoise = r.real("max_r_noise", c.maxRNoise);
    c.minMixRate = r.real("min_mix_rate", c.minMixRate);
    c.maxMixRate = r.real("max_mix_rate", c.maxMixRate);
    c.minNumSegments = r.integer("min_num_segments", c.minNumSegments);
    c.maxNumSegments = r.integer("max_num_segments", c.maxNumSegments);
    c.minNumSpeakers = r.integer("min_num_speakers", c.minNumSpeakers);
    c.maxNumSpeakers = r.integer("max_num_speakers", c.maxNumSpeakers);
    return c;
}

/// A list that cannot be expanded stays as it is: checkDatasets() has said so.
static PathLists expanded(PathLists lists) {
    for (auto& list : lists) {
        std::vector<std::string> names;
        for (const std::string& pattern : list) {
            auto some = expandBraces(pattern);
            if (some)
                names.insert(names.end(), some->begin(), some->end());
            else
                names.push_back(pattern);
        }
        list = std::move(names);
    }
    return lists;
}

static void readBucketing(const Reader& r, BucketingConfig& c) {
    c.strategy = r.text("bucketing_strategy", c.strategy);
    c.scaledBatchSize = r.integer("bucketing_batch_size", 0); // 0 for a list
    c.batchSizes = r.integers("bucketing_batch_size");
    c.weights = r.integers("bucketing_weights");
}

static void readTarred(const Reader& r, TarredConfig& c) {
    c.enabled = r.boolean("is_tarred", false);
    if (!c.enabled)
        return;
    c.shards = expanded(r.pathLists("tarred_audio_filepaths"));
    c.strategy = r.text("tarred_shard_strategy", c.strategy);
    c.shuffleN = r.integer("shuffle_n", c.shuffleN);
}

DatasetConfig readDataset(const Reader& r) {
    DatasetConfig c;
    readBucketing(r, c.bucketing);
    readTarred(r, c.tarred);
    c.buckets = r.pathLists("manifest_filepath");
    for (auto& bucket : c.buckets)
        std::transform(bucket.begin(), bucket.end(), bucket.begin(), expandHome); // as NeMo opens them
    if (c.tarred.enabled)
        c.buckets = expanded(std::move(c.buckets));
    for (const auto& bucket : c.buckets)
        c.manifests.insert(c.manifests.end(), bucket.begin(), bucket.end());
    if (r.text("channel_selector", "average") != "average")
        c.channel = r.integer("channel_selector", c.channel);
    if (const auto channels = r.integers("channel_selector"); channels.size() == 1)
        c.channel = channels.front();
    c.noiseManifests = r.paths("noise_manifest");
    c.sampleRate = r.integer("sample_rate", c.sampleRate);
    c.batchSize = r.integer("batch_size", c.batchSize);
    c.shuffle = r.boolean("shuffle", c.shuffle);
    c.dropLast = r.boolean("drop_last", c.dropLast);
    c.pinMemory = r.boolean("pin_memory", c.pinMemory);
    c.numWorkers = r.integer("num_workers", c.numWorkers);
    c.prefetchFactor = r.integer("prefetch_factor", c.prefetchFactor);
    c.minDuration = r.real("min_duration", c.minDuration);
    c.maxDuration = r.real("max_duration", c.maxDuration);
    c.augmentor = readAugmentor(r.section("batch_augmentor"));
    return c;
}

/// "auto", "-1", "4", "0,2", or "[2]" for a list of one.
static std::string devicesText(const Reader& trainer) {
    const Node* node = trainer.child("devices");
    if (!node)
        return "auto";
    if (!node->isList())
        return node->text;
    std::vector<std::string> ids;
    for (const auto& item : node->items)
        ids.push_back(item.text);
    return fmt::format("{}{}", fmt::join(ids, ","), ids.size() == 1 ? "," : "");
}

static void readDdp(const Reader& r, TrainerConfig& c) {
    c.findUnusedParameters = r.boolean("find_unused_parameters", c.findUnusedParameters);
    c.gradientAsBucketView = r.boolean("gradient_as_bucket_view", c.gradientAsBucketView);
    c.broadcastBuffers = r.boolean("broadcast_buffers", c.broadcastBuffers);
    c.staticGraph = r.boolean("static_graph", c.staticGraph);
    if (r.child("bucket_cap_mb"))
        c.bucketCapMb = r.real("bucket_cap_mb", 0);
}

/// "torch.distributed.algorithms.ddp_comm_hooks.default_hooks.fp16_compress_hook" -> "fp16_compress_hook"
static std::string lastPart(const std::string& dotted) {
    return dotted.substr(dotted.rfind('.') + 1);
}

static void readStrategy(const Reader& root, TrainerConfig& c) {
    const Reader strategy = root.section("trainer").section("strategy");
    readDdp(strategy.present() ? strategy : root.section("rankscope").section("ddp"), c);
    if (strategy.present()) {
        c.strategy = "ddp";
        c.commHook = lastPart(strategy.section("ddp_comm_hook").text("path", ""));
        c.processGroupBackend = strategy.text("process_group_backend", "");
    } else {
        c.strategy = root.section("trainer").text("strategy", c.strategy);
        c.commHook = root.section("rankscope").section("ddp").text("comm_hook", "");
    }
    if (c.strategy == "ddp_find_unused_parameters_true")
        c.findUnusedParameters = true;
    if (c.strategy.starts_with("ddp_find_unused_parameters_"))
        c.strategy = "ddp";
}

static void readTimeLimit(const Reader& r, TrainerConfig& c) {
    if (const Node* limit = r.child("max_time"))
        c.maxTimeSeconds = secondsOf(*limit).value_or(0); // check() has refused what is no duration
    c.minSteps = r.integer64("min_steps", c.minSteps);
    // Lightning: a least number of steps alone means at least one epoch
    c.minEpochs = r.integer64("min_epochs", c.minSteps > 0 ? 1 : 0);
}

static void readValidation(const Reader& r, TrainerConfig& c);

/// Lightning's aliases.
static std::string precisionOf(const std::string& text) {
    return text == "32-true" ? "32" : text == "16" ? "16-mixed" : text == "bf16" ? "bf16-mixed" : text;
}

TrainerConfig readTrainer(const Reader& root) {
    const Reader r = root.section("trainer");
    TrainerConfig c;
    c.devices = devicesText(r);
    c.numNodes = r.integer("num_nodes", c.numNodes);
    c.maxSteps = r.integer64("max_steps", c.maxSteps);
    readTimeLimit(r, c);
    // Lightning: no limit given means 1000 epochs
    c.maxEpochs = r.integer64("max_epochs", c.maxSteps == -1 && c.maxTimeSeconds == 0 ? 1000 : -1);
    c.accelerator = r.text("accelerator", c.accelerator);
    c.precision = precisionOf(r.text("precision", c.precision));
    c.deterministic = r.text("deterministic", c.deterministic);
    if (r.child("benchmark"))
        c.benchmark = r.boolean("benchmark", false);
    c.accumulateGradBatches = r.integer("accumulate_grad_batches", c.accumulateGradBatches);
    c.gradientClipVal = r.real("gradient_clip_val", 0);
    c.gradientClipAlgorithm = r.text("gradient_clip_algorithm", c.gradientClipAlgorithm);
    c.logEveryNSteps = r.integer("log_every_n_steps", c.logEveryNSteps);
    readValidation(r, c);
    c.syncBatchnorm = r.boolean("sync_batchnorm", c.syncBatchnorm);
    c.useDistributedSampler = r.boolean("use_distributed_sampler", c.useDistributedSampler);
    if (root.section("rankscope").child("seed"))
        c.seed = root.section("rankscope").integer64("seed", 0);
    readStrategy(root, c);
    return c;
}

/// A share of the batches, or a number of them, as Lightning tells them apart; check() has refused 2.5.
static BatchLimit readLimit(const Reader& r, const char* name) {
    constexpr double kMost = 9e18; // below 2^63
    BatchLimit limit;
    const Node* node = r.child(name);
    const double value = r.real(name, limit.share);
    if (node && typeOf(*node) == Type::Int)
        limit.count = r.integer64(name, -1);
    else if (value > 1)
        limit.count = static_cast<std::int64_t>(std::min(value, kMost));
    else
        limit.share = value;
    return limit;
}

static void readValidation(const Reader& r, TrainerConfig& c) {
    const BatchLimit interval = readLimit(r, "val_check_interval");
    c.valEveryBatches = std::max<std::int64_t>(interval.count, 0);
    c.valEveryShare = interval.share;
    c.valEveryNEpochs = r.integer("check_val_every_n_epoch", 0); // null counts batches across epochs
    c.sanityValSteps = r.integer("num_sanity_val_steps", c.sanityValSteps);
    c.limitTrain = readLimit(r, "limit_train_batches");
    c.limitVal = readLimit(r, "limit_val_batches");
}

std::int64_t BatchLimit::of(std::int64_t batches) const {
    if (count >= 0)
        return std::min(count, batches);
    return static_cast<std::int64_t>(static_cast<double>(batches) * std::clamp(share, 0.0, 1.0));
}

FaultConfig readFault(const Reader& r) {
    FaultConfig c;
    c.kind = r.text("kind", "");
    c.rank = r.integer("rank", c.rank);
    c.step = r.integer64("step", c.step);
    c.steps = r.integer64("steps", c.kind == "slow_rank" ? kToTheEnd : c.steps);
    c.seconds = r.real("seconds", c.seconds);
    c.factor = r.real("factor", c.factor);
    c.phase = r.text("phase", "");
    c.place = r.text("place", "");
    c.layer = r.integer("layer", c.layer);
    c.collective = r.text("collective", "");
    c.signal = r.text("signal", "");
    c.exitCode = r.integer("exit_code", c.exitCode);
    c.megabytes = r.integer64("megabytes", c.megabytes);
    c.set = r.text("set", "");
    return c;
}

RankscopeConfig readRankscope(const Reader& r) {
    RankscopeConfig c;
    c.stallMinSeconds = r.section("stall").real("min_seconds", c.stallMinSeconds);
    c.stallFactor = r.section("stall").real("factor", c.stallFactor);
    c.stragglerShare = r.section("straggler").real("share", c.stragglerShare);
    c.stragglerWindowSteps = r.section("straggler").integer("window_steps", c.stragglerWindowSteps);
    c.joinSeconds = r.real("join_seconds", c.joinSeconds);
    c.collectiveTimeoutSeconds = r.real("collective_timeout_s", c.collectiveTimeoutSeconds);
    c.stopGraceSeconds = r.real("stop_grace_s", c.stopGraceSeconds);
    c.retentionSteps = r.section("retention").integer64("steps", c.retentionSteps);
    c.threadsPerRank = r.integer("threads_per_rank", c.threadsPerRank);
    const Reader lengthSync = r.section("length_sync");
    if (lengthSync.child("timeout_s"))
        c.lengthSync.timeoutSeconds = lengthSync.real("timeout_s", 0);
    c.lengthSync.barrier = lengthSync.boolean("barrier", c.lengthSync.barrier);
    c.meanValLoss = r.section("validation").boolean("mean_over_ranks", c.meanValLoss);
    if (const Node* faults = r.child("faults"))
        for (const auto& item : faults->items)
            c.faults.push_back(readFault(Reader(item)));
    c.onIncident = r.texts("on_incident");
    return c;
}

} // namespace rankscope::config
