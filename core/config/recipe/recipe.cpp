// SPDX-License-Identifier: Apache-2.0
#include "core/config/recipe/recipe.h"

#include "core/base/text/unit_format.h"
#include "core/config/effective/effective_yaml.h"
#include "core/config/schema/key_schema.h"
#include "core/config/recipe/recipe_reader.h"
#include "core/config/recipe/validation_sets.h"

#include <fmt/format.h>

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

/// Keys below `rankscope` that act on each dataset.
void readOwnDataKeys(const Reader& own, DatasetConfig& c) {
    const Reader data = own.section("data");
    c.maxBrokenShare = own.real("max_broken_share", c.maxBrokenShare);
    c.tarred.shuffleWithin = data.boolean("shuffle_within_tars", c.tarred.shuffleWithin);
    c.bucketing.batchesWithin = data.boolean("batches_within_buckets", c.bucketing.batchesWithin);
}

Recipe readAll(const Node& root) {
    const Reader r(root);
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

/// A launch sees these before, with the places of the user's own file.
std::optional<Error> blocking(const Loaded& loaded, const std::string& fileName) {
    Effective problems;
    problems.problems = loaded.problems;
    return launchError(problems, fileName);
}

} // namespace

ModelConfig readModelConfig(const Node& root, const Facts& facts) {
    return readModel(Reader(withCodeDefaults(root, factsFor(root, facts))));
}

Result<Recipe> readRecipe(const std::string& yamlText, const std::string& fileName,
                          const std::vector<std::string>& overrides) {
    const Loaded loaded = load(yamlText, overrides, builtinFacts());
    if (auto error = blocking(loaded, fileName))
        return tl::unexpected(*error);
    const Node full = withCodeDefaults(loaded.resolved, *loaded.facts);
    Recipe recipe = readAll(full);
    recipe.configHash = hash64(effectiveYaml(full, *loaded.facts, false));
    return recipe;
}

} // namespace rankscope::config
