// SPDX-License-Identifier: Apache-2.0
#include "core/config/recipe/recipe_reader.h"

#include "core/base/files/paths.h"
#include "core/config/hydra/brace_expansion.h"
#include "core/config/recipe/reader.h"
#include "core/config/recipe/validation_sets.h"
#include "core/config/schema/code_defaults.h"
#include "core/config/yaml/duration.h"
#include "core/config/yaml/scalar.h"

#include <fmt/format.h>

#include <algorithm>

namespace rankscope::config {
namespace {

PreprocessorConfig readPreprocessor(const Reader& r) {
    PreprocessorConfig c;
    c.sampleRate = r.integer("sample_rate", c.sampleRate);
    c.normalize = r.text("normalize", "null");
    // NeMo takes a window in samples or in seconds
    c.windowSize = r.real("window_size", 0);
    c.windowStride = r.real("window_stride", 0);
    c.windowSamples = r.integer("n_window_size", 0);
    c.strideSamples = r.integer("n_window_stride", 0);
    c.window = r.text("window", c.window);
    c.features = r.integer("features", c.features);
    c.nFft = r.integer("n_fft", 0);
    c.preemph.reset();
    if (r.child("preemph"))
        c.preemph = r.real("preemph", 0);
    c.lowfreq = r.real("lowfreq", c.lowfreq);
    c.highfreq = r.real("highfreq", 0);
    c.log = r.boolean("log", c.log);
    c.logZeroGuardType = r.text("log_zero_guard_type", c.logZeroGuardType);
    c.logZeroGuardValue = r.logGuard("log_zero_guard_value", c.logZeroGuardValue);
    c.frameSplicing = r.integer("frame_splicing", c.frameSplicing);
    c.dither = r.real("dither", c.dither);
    c.padTo = r.integer("pad_to", c.padTo);
    c.padValue = r.real("pad_value", c.padValue);
    c.magPower = r.real("mag_power", c.magPower);
    c.melNorm = r.text("mel_norm", "null");
    c.exactPad = r.boolean("exact_pad", c.exactPad);
    return c;
}

SpecAugmentConfig readSpecAugment(const Reader& r) {
    SpecAugmentConfig c;
    c.freqMasks = r.integer("freq_masks", c.freqMasks);
    c.timeMasks = r.integer("time_masks", c.timeMasks);
    c.freqWidth = r.integer("freq_width", c.freqWidth);
    c.timeWidth = r.real("time_width", c.timeWidth);
    return c;
}

MaskingConfig readMasking(const Reader& r) {
    MaskingConfig c;
    c.blockSize = r.integer("block_size", c.blockSize);
    c.maskProb = r.real("mask_prob", c.maskProb);
    c.featIn = r.integer("feat_in", c.featIn);
    c.freeze = r.boolean("freeze", c.freeze);
    c.allowOverlap = r.boolean("allow_overlap", c.allowOverlap);
    c.maxMaskRatio = r.real("max_mask_ratio", c.maxMaskRatio);
    if (r.child("mask_value"))
        c.maskValue = r.real("mask_value", 0);
    return c;
}

QuantizerConfig readQuantizer(const Reader& r) {
    QuantizerConfig c;
    c.featIn = r.integer("feat_in", c.featIn);
    c.codeDim = r.integer("code_dim", c.codeDim);
    c.numBooks = r.integer("num_books", c.numBooks);
    c.numClasses = r.integer("num_classes", c.numClasses);
    c.distFn = r.text("dist_fn", c.distFn);
    c.freeze = r.boolean("freeze", c.freeze);
    c.squeezeSingle = r.boolean("squeeze_single", c.squeezeSingle);
    c.timeAhead = r.boolean("time_ahead", c.timeAhead);
    c.combineTimeSteps = r.integer("combine_time_steps", c.combineTimeSteps);
    return c;
}

void readAttention(const Reader& r, EncoderConfig& c) {
    c.selfAttentionModel = r.text("self_attention_model", c.selfAttentionModel);
    c.nHeads = r.integer("n_heads", c.nHeads);
    // one context may stand in a list of contexts
    const Node* contexts = r.child("att_context_size");
    const bool nested = contexts && contexts->items.size() == 1 && contexts->items[0].isList();
    const auto context = nested ? Reader::integersOf(contexts->items[0]) : r.integers("att_context_size");
    if (context.size() == 2)
        c.attContextSize = {context[0], context[1]};
    c.attContextStyle = r.text("att_context_style", c.attContextStyle);
    c.xscaling = r.boolean("xscaling", c.xscaling);
    c.untieBiases = r.boolean("untie_biases", c.untieBiases);
    c.posEmbMaxLen = r.integer("pos_emb_max_len", c.posEmbMaxLen);
}

void readConvolution(const Reader& r, EncoderConfig& c) {
    c.convKernelSize = r.integer("conv_kernel_size", c.convKernelSize);
    c.convNormType = r.text("conv_norm_type", c.convNormType);
    if (r.text("conv_context_size", "") == "causal") {
        c.convContextCausal = true;
        c.convContextSize = {c.convKernelSize - 1, 0};
    } else if (const auto context = r.integers("conv_context_size"); context.size() == 2) {
        c.convContextSize = {context[0], context[1]};
    }
}

EncoderConfig readEncoder(const Reader& r) {
    EncoderConfig c;
    c.featIn = r.integer("feat_in", c.featIn);
    c.featOut = r.integer("feat_out", c.featOut);
    c.nLayers = r.integer("n_layers", c.nLayers);
    c.dModel = r.integer("d_model", c.dModel);
    c.useBias = r.boolean("use_bias", c.useBias);
    c.subsampling = r.text("subsampling", c.subsampling);
    c.subsamplingFactor = r.integer("subsampling_factor", c.subsamplingFactor);
    c.subsamplingConvChannels = r.integer("subsampling_conv_channels", c.subsamplingConvChannels);
    c.subsamplingConvChunkingFactor = r.integer("subsampling_conv_chunking_factor", c.subsamplingConvChunkingFactor);
    c.causalDownsampling = r.boolean("causal_downsampling", c.causalDownsampling);
    c.reductionFactor = r.integer("reduction_factor", c.reductionFactor);
    if (c.reductionFactor > 1) // NeMo builds no reduction otherwise
        c.reduction = r.text("reduction", "");
    if (r.child("reduction_position"))
        c.reductionPosition = r.integer("reduction_position", 0);
    c.ffExpansionFactor = r.integer("ff_expansion_factor", c.ffExpansionFactor);
    readAttention(r, c);
    readConvolution(r, c);
    c.dropout = r.real("dropout", c.dropout);
    c.dropoutPreEncoder = r.real("dropout_pre_encoder", c.dropoutPreEncoder);
    c.dropoutEmb = r.real("dropout_emb", c.dropoutEmb);
    c.dropoutAtt = r.real("dropout_att", c.dropoutAtt);
    c.stochasticDepthDropProb = r.real("stochastic_depth_drop_prob", c.stochasticDepthDropProb);
    c.stochasticDepthMode = r.text("stochastic_depth_mode", c.stochasticDepthMode);
    c.stochasticDepthStartLayer = r.integer("stochastic_depth_start_layer", c.stochasticDepthStartLayer);
    c.syncMaxAudioLength = r.boolean("sync_max_audio_length", c.syncMaxAudioLength);
    return c;
}

DecoderConfig readDecoder(const Reader& r) {
    DecoderConfig c;
    c.featIn = r.integer("feat_in", c.featIn);
    c.numClasses = r.integer("num_classes", c.numClasses);
    c.numDecoders = r.integer("num_decoders", c.numDecoders);
    c.squeezeSingle = r.boolean("squeeze_single", c.squeezeSingle);
    c.useBias = r.boolean("use_bias", c.useBias);
    c.initMode = r.text("init_mode", "null");
    return c;
}

LossConfig readLoss(const Reader& r) {
    LossConfig c;
    c.combineTimeSteps = r.integer("combine_time_steps", c.combineTimeSteps);
    c.numDecoders = r.integer("num_decoders", c.numDecoders);
    c.maskThreshold = r.real("mask_threshold", c.maskThreshold);
    c.squeezeSingle = r.boolean("squeeze_single", c.squeezeSingle);
    return c;
}

OptimConfig::Sched readSched(const Reader& r) {
    OptimConfig::Sched c;
    const auto count = [&](const char* name, std::optional<std::int64_t>& to) {
        if (r.child(name))
            to = r.integer64(name, 0);
    };
    const auto ratio = [&](const char* name, std::optional<double>& to) {
        if (r.child(name))
            to = r.real(name, 0);
    };
    c.name = r.text("name", "");
    c.dModel = r.integer("d_model", 0);
    count("warmup_steps", c.warmupSteps);
    ratio("warmup_ratio", c.warmupRatio);
    count("hold_steps", c.holdSteps);
    ratio("hold_ratio", c.holdRatio);
    count("constant_steps", c.constantSteps);
    ratio("constant_ratio", c.constantRatio);
    count("max_steps", c.maxSteps);
    c.minLr = r.real("min_lr", 0);
    c.decayRate = r.real("decay_rate", c.decayRate);
    c.power = r.real("power", c.power);
    c.cycle = r.boolean("cycle", c.cycle);
    return c;
}

OptimConfig readOptim(const Reader& r) {
    OptimConfig c;
    c.name = r.text("name", c.name);
    c.lr = r.real("lr", c.lr);
    if (const auto betas = r.reals("betas"); betas.size() == 2)
        c.betas = {betas[0], betas[1]};
    c.eps = r.real("eps", c.eps);
    c.weightDecay = r.real("weight_decay", c.name == "adamw" ? c.weightDecay : 0);
    c.amsgrad = r.boolean("amsgrad", c.amsgrad);
    c.maximize = r.boolean("maximize", c.maximize);
    c.decoupledWeightDecay = r.boolean("decoupled_weight_decay", c.decoupledWeightDecay);
    c.momentum = r.real("momentum", c.momentum);
    c.dampening = r.real("dampening", c.dampening);
    c.nesterov = r.boolean("nesterov", c.nesterov);
    c.sched = readSched(r.section("sched"));
    return c;
}

ModelConfig readModel(const Reader& root) {
    const Reader r = root.section("model");
    ModelConfig c;
    c.nemo = nemoVersionOf(root.section("rankscope").text("nemo", "")).value_or(kUnsaidNemo);
    c.sampleRate = r.integer("sample_rate", c.sampleRate);
    c.squeezeSingle = r.boolean("squeeze_single", c.squeezeSingle);
    c.maskPosition = r.text("mask_position", c.maskPosition);
    c.preprocessor = readPreprocessor(r.section("preprocessor"));
    c.specAugment = readSpecAugment(r.section("spec_augment"));
    c.masking = readMasking(r.section("masking"));
    c.quantizer = readQuantizer(r.section("quantizer"));
    c.encoder = readEncoder(r.section("encoder"));
    c.decoder = readDecoder(r.section("decoder"));
    c.loss = readLoss(r.section("loss"));
    c.optim = readOptim(r.section("optim"));
    // a file may name them in the quantizer only
    c.numClasses = r.integer("num_classes", c.quantizer.numClasses);
    c.numBooks = r.integer("num_books", c.quantizer.numBooks);
    c.codeDim = r.integer("code_dim", c.quantizer.codeDim);
    return c;
}

BatchAugmentorConfig readAugmentor(const Reader& r) {
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
PathLists expanded(PathLists lists) {
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

void readBucketing(const Reader& r, BucketingConfig& c) {
    c.strategy = r.text("bucketing_strategy", c.strategy);
    c.scaledBatchSize = r.integer("bucketing_batch_size", 0); // 0 for a list
    c.batchSizes = r.integers("bucketing_batch_size");
    c.weights = r.integers("bucketing_weights");
}

void readTarred(const Reader& r, TarredConfig& c) {
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
std::string devicesText(const Reader& trainer) {
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

void readDdp(const Reader& r, TrainerConfig& c) {
    c.findUnusedParameters = r.boolean("find_unused_parameters", c.findUnusedParameters);
    c.gradientAsBucketView = r.boolean("gradient_as_bucket_view", c.gradientAsBucketView);
    c.broadcastBuffers = r.boolean("broadcast_buffers", c.broadcastBuffers);
    c.staticGraph = r.boolean("static_graph", c.staticGraph);
    if (r.child("bucket_cap_mb"))
        c.bucketCapMb = r.real("bucket_cap_mb", 0);
}

/// "torch.distributed.algorithms.ddp_comm_hooks.default_hooks.fp16_compress_hook" -> "fp16_compress_hook"
std::string lastPart(const std::string& dotted) {
    return dotted.substr(dotted.rfind('.') + 1);
}

void readStrategy(const Reader& root, TrainerConfig& c) {
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

void readTimeLimit(const Reader& r, TrainerConfig& c) {
    if (const Node* limit = r.child("max_time"))
        c.maxTimeSeconds = secondsOf(*limit).value_or(0); // check() has refused what is no duration
    c.minSteps = r.integer64("min_steps", c.minSteps);
    // Lightning: a least number of steps alone means at least one epoch
    c.minEpochs = r.integer64("min_epochs", c.minSteps > 0 ? 1 : 0);
}

/// A share of the batches, or a number of them, as Lightning tells them apart; check() has refused 2.5.
BatchLimit readLimit(const Reader& r, const char* name) {
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

void readValidation(const Reader& r, TrainerConfig& c) {
    const BatchLimit interval = readLimit(r, "val_check_interval");
    c.valEveryBatches = std::max<std::int64_t>(interval.count, 0);
    c.valEveryShare = interval.share;
    c.valEveryNEpochs = r.integer("check_val_every_n_epoch", 0); // null counts batches across epochs
    c.sanityValSteps = r.integer("num_sanity_val_steps", c.sanityValSteps);
    c.limitTrain = readLimit(r, "limit_train_batches");
    c.limitVal = readLimit(r, "limit_val_batches");
}

/// Lightning's aliases.
std::string precisionOf(const std::string& text) {
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
            c.faults.push_back(readFault(item));
    c.onIncident = r.texts("on_incident");
    return c;
}

/// Keys below `rankscope` that act on each dataset.
void readOwnDataKeys(const Reader& own, DatasetConfig& c) {
    const Reader data = own.section("data");
    c.maxBrokenShare = own.real("max_broken_share", c.maxBrokenShare);
    c.tarred.shuffleWithin = data.boolean("shuffle_within_tars", c.tarred.shuffleWithin);
    c.bucketing.batchesWithin = data.boolean("batches_within_buckets", c.bucketing.batchesWithin);
}

} // namespace

FaultConfig readFault(const Node& section) {
    const Reader r(section);
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

ModelConfig readModelConfig(const Node& root, const Facts& facts) {
    return readModel(Reader(withCodeDefaults(root, factsFor(root, facts))));
}

Recipe recipeOf(const Node& tree) {
    const Reader r(tree);
    Recipe recipe;
    recipe.name = r.text("name", recipe.name);
    const Reader model = r.section("model");
    recipe.model = readModel(r);
    recipe.train = readDataset(model.section("train_ds"));
    const Reader validation = model.section("validation_ds");
    if (validation.present() && !validation.paths("manifest_filepath").empty()) {
        recipe.validation = readDataset(validation);
        recipe.validation->setNames = validationSetNames(*model.child("validation_ds"));
        recipe.validationIndex = validation.integer("val_dl_idx", recipe.validationIndex);
    }
    readOwnDataKeys(r.section("rankscope"), recipe.train);
    if (recipe.validation)
        readOwnDataKeys(r.section("rankscope"), *recipe.validation);
    recipe.trainer = readTrainer(r);
    recipe.rankscope = readRankscope(r.section("rankscope"));
    return recipe;
}

} // namespace rankscope::config
