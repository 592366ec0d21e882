// SPDX-License-Identifier: Apache-2.0
#include "core/config/recipe/recipe_reader.h"

#include "core/base/files/paths.h"
#include "core/config/hydra/brace_expansion.h"
#include "core/config/recipe/reader.h"
#include "core/config/recipe/validation_sets.h"
#include "core/config/schema/key_lookup.h"
#include "core/config/yaml/scalar.h"

#include <fmt/format.h>

#include <algorithm>

namespace rankscope::config {
namespace {

PreprocessorConfig readPreprocessor(const Reader& r) {
    PreprocessorConfig c;
    c.normalize = c.melNorm = "null";
    c.preemph.reset();
    c.windowSize = c.windowStride = 0; // NeMo accepts a window in samples or in seconds
    r.read(Field{"sample_rate", c.sampleRate}, Field{"normalize", c.normalize}, Field{"window_size", c.windowSize},
           Field{"window_stride", c.windowStride}, Field{"n_window_size", c.windowSamples},
           Field{"n_window_stride", c.strideSamples}, Field{"window", c.window}, Field{"features", c.features},
           Field{"n_fft", c.nFft}, Field{"preemph", c.preemph}, Field{"lowfreq", c.lowfreq},
           Field{"highfreq", c.highfreq}, Field{"log", c.log}, Field{"log_zero_guard_type", c.logZeroGuardType});
    c.logZeroGuardValue = r.logGuard("log_zero_guard_value", c.logZeroGuardValue);
    r.read(Field{"frame_splicing", c.frameSplicing}, Field{"dither", c.dither}, Field{"pad_to", c.padTo},
           Field{"pad_value", c.padValue}, Field{"mag_power", c.magPower}, Field{"mel_norm", c.melNorm},
           Field{"exact_pad", c.exactPad});
    return c;
}

SpecAugmentConfig readSpecAugment(const Reader& r) {
    SpecAugmentConfig c;
    r.read(Field{"freq_masks", c.freqMasks}, Field{"time_masks", c.timeMasks}, Field{"freq_width", c.freqWidth},
           Field{"time_width", c.timeWidth});
    return c;
}

MaskingConfig readMasking(const Reader& r) {
    MaskingConfig c;
    r.read(Field{"block_size", c.blockSize}, Field{"mask_prob", c.maskProb}, Field{"feat_in", c.featIn},
           Field{"freeze", c.freeze}, Field{"allow_overlap", c.allowOverlap}, Field{"max_mask_ratio", c.maxMaskRatio},
           Field{"mask_value", c.maskValue});
    return c;
}

QuantizerConfig readQuantizer(const Reader& r) {
    QuantizerConfig c;
    r.read(Field{"feat_in", c.featIn}, Field{"code_dim", c.codeDim}, Field{"num_books", c.numBooks},
           Field{"num_classes", c.numClasses}, Field{"dist_fn", c.distFn}, Field{"freeze", c.freeze},
           Field{"squeeze_single", c.squeezeSingle}, Field{"time_ahead", c.timeAhead},
           Field{"combine_time_steps", c.combineTimeSteps});
    return c;
}

void readAttention(const Reader& r, EncoderConfig& c) {
    r.read(Field{"self_attention_model", c.selfAttentionModel}, Field{"n_heads", c.nHeads});
    // a single context may be written in a list of contexts
    const Node* contexts = r.child("att_context_size");
    const bool nested = contexts && contexts->items.size() == 1 && contexts->items[0].isList();
    const auto context = nested ? Reader::integersOf(contexts->items[0]) : r.integers("att_context_size");
    if (context.size() == 2)
        c.attContextSize = {context[0], context[1]};
    r.read(Field{"att_context_style", c.attContextStyle}, Field{"xscaling", c.xscaling},
           Field{"untie_biases", c.untieBiases}, Field{"pos_emb_max_len", c.posEmbMaxLen});
}

void readConvolution(const Reader& r, EncoderConfig& c) {
    r.read(Field{"conv_kernel_size", c.convKernelSize}, Field{"conv_norm_type", c.convNormType});
    if (r.text("conv_context_size", "") == "causal") {
        c.convContextCausal = true;
        c.convContextSize = {c.convKernelSize - 1, 0};
    } else if (const auto context = r.integers("conv_context_size"); context.size() == 2) {
        c.convContextSize = {context[0], context[1]};
    }
}

EncoderConfig readEncoder(const Reader& r) {
    EncoderConfig c;
    r.read(Field{"feat_in", c.featIn}, Field{"feat_out", c.featOut}, Field{"n_layers", c.nLayers},
           Field{"d_model", c.dModel}, Field{"use_bias", c.useBias}, Field{"subsampling", c.subsampling},
           Field{"subsampling_factor", c.subsamplingFactor},
           Field{"subsampling_conv_channels", c.subsamplingConvChannels},
           Field{"subsampling_conv_chunking_factor", c.subsamplingConvChunkingFactor},
           Field{"causal_downsampling", c.causalDownsampling}, Field{"reduction_factor", c.reductionFactor});
    if (c.reductionFactor > 1) // otherwise NeMo does not build a reduction
        c.reduction = r.text("reduction", "");
    r.read(Field{"reduction_position", c.reductionPosition}, Field{"ff_expansion_factor", c.ffExpansionFactor});
    readAttention(r, c);
    readConvolution(r, c);
    r.read(Field{"dropout", c.dropout}, Field{"dropout_pre_encoder", c.dropoutPreEncoder},
           Field{"dropout_emb", c.dropoutEmb}, Field{"dropout_att", c.dropoutAtt},
           Field{"stochastic_depth_drop_prob", c.stochasticDepthDropProb},
           Field{"stochastic_depth_mode", c.stochasticDepthMode},
           Field{"stochastic_depth_start_layer", c.stochasticDepthStartLayer},
           Field{"sync_max_audio_length", c.syncMaxAudioLength});
    return c;
}

DecoderConfig readDecoder(const Reader& r) {
    DecoderConfig c;
    c.initMode = "null";
    r.read(Field{"feat_in", c.featIn}, Field{"num_classes", c.numClasses}, Field{"num_decoders", c.numDecoders},
           Field{"squeeze_single", c.squeezeSingle}, Field{"use_bias", c.useBias}, Field{"init_mode", c.initMode});
    return c;
}

LossConfig readLoss(const Reader& r) {
    LossConfig c;
    r.read(Field{"combine_time_steps", c.combineTimeSteps}, Field{"num_decoders", c.numDecoders},
           Field{"mask_threshold", c.maskThreshold}, Field{"squeeze_single", c.squeezeSingle});
    return c;
}

OptimConfig::Sched readSched(const Reader& r) {
    OptimConfig::Sched c;
    r.read(Field{"name", c.name}, Field{"d_model", c.dModel}, Field{"warmup_steps", c.warmupSteps},
           Field{"warmup_ratio", c.warmupRatio}, Field{"hold_steps", c.holdSteps}, Field{"hold_ratio", c.holdRatio},
           Field{"constant_steps", c.constantSteps}, Field{"constant_ratio", c.constantRatio},
           Field{"max_steps", c.maxSteps}, Field{"min_lr", c.minLr}, Field{"decay_rate", c.decayRate},
           Field{"power", c.power}, Field{"cycle", c.cycle});
    return c;
}

OptimConfig readOptim(const Reader& r) {
    OptimConfig c;
    r.read(Field{"name", c.name}, Field{"lr", c.lr});
    if (const auto betas = r.reals("betas"); betas.size() == 2)
        c.betas = {betas[0], betas[1]};
    c.eps = r.real("eps", c.eps);
    c.weightDecay = r.real("weight_decay", c.name == "adamw" ? c.weightDecay : 0);
    r.read(Field{"amsgrad", c.amsgrad}, Field{"maximize", c.maximize},
           Field{"decoupled_weight_decay", c.decoupledWeightDecay}, Field{"momentum", c.momentum},
           Field{"dampening", c.dampening}, Field{"nesterov", c.nesterov});
    c.sched = readSched(r.section("sched"));
    return c;
}

ModelConfig readModel(const Reader& root) {
    const Reader r = root.section("model");
    ModelConfig c;
    c.nemo = nemoVersionOf(root.section("rankscope").text("nemo", "")).value_or(kUnsaidNemo);
    r.read(Field{"sample_rate", c.sampleRate}, Field{"squeeze_single", c.squeezeSingle},
           Field{"mask_position", c.maskPosition});
    c.preprocessor = readPreprocessor(r.section("preprocessor"));
    c.specAugment = readSpecAugment(r.section("spec_augment"));
    c.masking = readMasking(r.section("masking"));
    c.quantizer = readQuantizer(r.section("quantizer"));
    c.encoder = readEncoder(r.section("encoder"));
    c.decoder = readDecoder(r.section("decoder"));
    c.loss = readLoss(r.section("loss"));
    c.optim = readOptim(r.section("optim"));
    // some files give them only in the quantizer
    c.numClasses = r.integer("num_classes", c.quantizer.numClasses);
    c.numBooks = r.integer("num_books", c.quantizer.numBooks);
    c.codeDim = r.integer("code_dim", c.quantizer.codeDim);
    return c;
}

BatchAugmentorConfig readAugmentor(const Reader& r) {
    BatchAugmentorConfig c;
    c.present = r.present();
    r.read(Field{"prob", c.prob}, Field{"noise_ratio", c.noiseRatio}, Field{"min_r_speech", c.minRSpeech},
           Field{"max_r_speech", c.maxRSpeech}, Field{"min_r_noise", c.minRNoise}, Field{"max_r_noise", c.maxRNoise},
           Field{"min_mix_rate", c.minMixRate}, Field{"max_mix_rate", c.maxMixRate},
           Field{"min_num_segments", c.minNumSegments}, Field{"max_num_segments", c.maxNumSegments},
           Field{"min_num_speakers", c.minNumSpeakers}, Field{"max_num_speakers", c.maxNumSpeakers});
    return c;
}

/// Expands braces. A list that cannot be expanded is left unchanged: checkDatasets() has reported it.
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
    c.scaledBatchSize = r.integer("bucketing_batch_size", 0); // 0 if it is a list
    c.batchSizes = r.integers("bucketing_batch_size");
    c.weights = r.integers("bucketing_weights");
}

void readTarred(const Reader& r, TarredConfig& c) {
    c.enabled = r.boolean("is_tarred", false);
    if (!c.enabled)
        return;
    c.shards = expanded(r.pathLists("tarred_audio_filepaths"));
    r.read(Field{"tarred_shard_strategy", c.strategy}, Field{"shuffle_n", c.shuffleN});
}

DatasetConfig readDataset(const Reader& r) {
    DatasetConfig c;
    readBucketing(r, c.bucketing);
    readTarred(r, c.tarred);
    c.buckets = r.pathLists("manifest_filepath");
    for (auto& bucket : c.buckets)
        std::transform(bucket.begin(), bucket.end(), bucket.begin(), expandHome); // NeMo expands ~ too
    if (c.tarred.enabled)
        c.buckets = expanded(std::move(c.buckets));
    for (const auto& bucket : c.buckets)
        c.manifests.insert(c.manifests.end(), bucket.begin(), bucket.end());
    if (r.text("channel_selector", "average") != "average")
        c.channel = r.integer("channel_selector", c.channel);
    if (const auto channels = r.integers("channel_selector"); channels.size() == 1)
        c.channel = channels.front();
    c.noiseManifests = r.paths("noise_manifest");
    r.read(Field{"sample_rate", c.sampleRate}, Field{"batch_size", c.batchSize}, Field{"shuffle", c.shuffle},
           Field{"drop_last", c.dropLast}, Field{"pin_memory", c.pinMemory}, Field{"num_workers", c.numWorkers},
           Field{"prefetch_factor", c.prefetchFactor}, Field{"min_duration", c.minDuration},
           Field{"max_duration", c.maxDuration});
    c.augmentor = readAugmentor(r.section("batch_augmentor"));
    return c;
}

/// Returns "auto", "-1", "4", "0,2", or "[2]" for a list with one item.
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
    r.read(Field{"find_unused_parameters", c.findUnusedParameters},
           Field{"gradient_as_bucket_view", c.gradientAsBucketView}, Field{"broadcast_buffers", c.broadcastBuffers},
           Field{"static_graph", c.staticGraph}, Field{"bucket_cap_mb", c.bucketCapMb});
}

/// Returns "fp16_compress_hook" for "torch.distributed.algorithms.ddp_comm_hooks.default_hooks.fp16_compress_hook".
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
    c.ddpInStrategy = strategy.present();
    c.strategySearchesUnused = c.strategy == "ddp_find_unused_parameters_true";
    if (c.strategySearchesUnused)
        c.findUnusedParameters = true;
    if (c.strategy.starts_with("ddp_find_unused_parameters_"))
        c.strategy = "ddp";
}

void readTimeLimit(const Reader& r, TrainerConfig& c) {
    if (const Node* limit = r.child("max_time"))
        c.maxTimeSeconds = secondsOf(*limit).value_or(0); // check() has refused anything that is not a duration
    c.minSteps = r.integer64("min_steps", c.minSteps);
    // Lightning: a minimum of steps alone implies at least one epoch
    c.minEpochs = r.integer64("min_epochs", c.minSteps > 0 ? 1 : 0);
}

/// Reads a share or a number of batches, distinguished as in Lightning; check() has refused 2.5.
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

/// Resolves Lightning's aliases.
std::string precisionOf(const std::string& text) {
    return text == "32-true" ? "32" : text == "16" ? "16-mixed" : text == "bf16" ? "bf16-mixed" : text;
}

TrainerConfig readTrainer(const Reader& root) {
    const Reader r = root.section("trainer");
    TrainerConfig c;
    c.devices = devicesText(r);
    r.read(Field{"num_nodes", c.numNodes}, Field{"max_steps", c.maxSteps});
    readTimeLimit(r, c);
    // Lightning: without any limit there are 1000 epochs
    c.maxEpochs = r.integer64("max_epochs", c.maxSteps == -1 && c.maxTimeSeconds == 0 ? 1000 : -1);
    c.precision = precisionOf(r.text("precision", c.precision));
    r.read(Field{"accelerator", c.accelerator}, Field{"deterministic", c.deterministic},
           Field{"benchmark", c.benchmark}, Field{"accumulate_grad_batches", c.accumulateGradBatches},
           Field{"gradient_clip_val", c.gradientClipVal}, Field{"gradient_clip_algorithm", c.gradientClipAlgorithm},
           Field{"log_every_n_steps", c.logEveryNSteps});
    readValidation(r, c);
    r.read(Field{"sync_batchnorm", c.syncBatchnorm}, Field{"use_distributed_sampler", c.useDistributedSampler});
    root.section("rankscope").read(Field{"seed", c.seed});
    readStrategy(root, c);
    return c;
}

RankscopeConfig readRankscope(const Reader& r) {
    RankscopeConfig c;
    r.section("stall").read(Field{"min_seconds", c.stallMinSeconds}, Field{"factor", c.stallFactor});
    r.section("straggler").read(Field{"share", c.stragglerShare}, Field{"window_steps", c.stragglerWindowSteps});
    r.read(Field{"join_seconds", c.joinSeconds}, Field{"collective_timeout_s", c.collectiveTimeoutSeconds},
           Field{"stop_grace_s", c.stopGraceSeconds}, Field{"threads_per_rank", c.threadsPerRank});
    r.section("retention").read(Field{"steps", c.retentionSteps});
    r.section("length_sync")
        .read(Field{"timeout_s", c.lengthSync.timeoutSeconds}, Field{"barrier", c.lengthSync.barrier});
    r.section("validation").read(Field{"mean_over_ranks", c.meanValLoss});
    if (const Node* faults = r.child("faults"))
        for (const auto& item : faults->items)
            c.faults.push_back(readFault(item));
    c.onIncident = r.texts("on_incident");
    return c;
}

/// Reads the keys below `rankscope` that apply to each dataset.
void readOwnDataKeys(const Reader& own, DatasetConfig& c) {
    own.read(Field{"max_broken_share", c.maxBrokenShare});
    own.section("data").read(Field{"shuffle_within_tars", c.tarred.shuffleWithin},
                             Field{"batches_within_buckets", c.bucketing.batchesWithin},
                             Field{"tar_readers", c.tarred.readers}, Field{"reorder_buckets", c.bucketing.reorder});
}

} // namespace

FaultConfig readFault(const Node& section) {
    const Reader r(section);
    FaultConfig c;
    r.read(Field{"kind", c.kind}, Field{"rank", c.rank}, Field{"step", c.step});
    c.steps = r.integer64("steps", c.kind == "slow_rank" ? kToTheEnd : c.steps);
    r.read(Field{"seconds", c.seconds}, Field{"factor", c.factor}, Field{"phase", c.phase}, Field{"place", c.place},
           Field{"layer", c.layer}, Field{"collective", c.collective}, Field{"signal", c.signal},
           Field{"exit_code", c.exitCode}, Field{"megabytes", c.megabytes}, Field{"set", c.set});
    return c;
}

ModelConfig readModelConfig(const Node& root, const KeySchema& facts) {
    return readModel(Reader(withCodeDefaults(root, schemaFor(root, facts))));
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
