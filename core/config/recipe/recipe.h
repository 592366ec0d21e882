// SPDX-License-Identifier: Apache-2.0
// The effective configuration as typed values, from which the trainer builds the model, the data and the loop. Names
// and defaults are those of NeMo (EncDecDenoiseMaskedTokenPredModel and the classes that its YAML names) and Lightning.
#pragma once

#include "core/config/schema/nemo_version.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace rankscope::config {

struct PreprocessorConfig { // AudioToMelSpectrogramPreprocessor
    int sampleRate = 16000;
    std::string normalize = "per_feature";
    double windowSize = 0.02, windowStride = 0.01; ///< seconds
    int windowSamples = 0, strideSamples = 0;      ///< n_window_size, n_window_stride; 0: null, the seconds apply
    std::string window = "hann";
    int features = 64;
    int nFft = 0;                         ///< 0: null, the next power of two
    std::optional<double> preemph = 0.97; ///< none: null
    double lowfreq = 0, highfreq = 0;     ///< highfreq 0: null, half the sample rate
    bool log = true;
    std::string logZeroGuardType = "add";
    double logZeroGuardValue = 5.960464477539063e-08;
    int frameSplicing = 1;
    double dither = 1e-5;
    int padTo = 16;
    double padValue = 0, magPower = 2.0;
    std::string melNorm = "slaney";
    bool exactPad = false;

    int windowLength() const { return samplesOf(windowSamples, windowSize); } ///< in samples
    int hopLength() const { return samplesOf(strideSamples, windowStride); }
    int samplesOf(int samples, double seconds) const {
        return samples > 0 ? samples : static_cast<int>(std::min(seconds * sampleRate, 1e9));
    }
    bool operator==(const PreprocessorConfig&) const = default;
};

struct SpecAugmentConfig {
    int freqMasks = 0, timeMasks = 0, freqWidth = 10;
    double timeWidth = 10; ///< an integer number of frames, or a share below 1
};

struct MaskingConfig { // RandomBlockMasking
    int blockSize = 48;
    double maskProb = 0.5;
    int featIn = 80;
    bool freeze = true, allowOverlap = false;
    double maxMaskRatio = 0.8;
    std::optional<double> maskValue{}; ///< none: null, a random vector

    bool operator==(const MaskingConfig&) const = default;
};

struct QuantizerConfig { // RandomProjectionVectorQuantizer
    int featIn = 80, codeDim = 16, numBooks = 1, numClasses = 8192;
    std::string distFn = "cosine"; ///< "l2", "cosine"
    bool freeze = true, squeezeSingle = false, timeAhead = false;
    int combineTimeSteps = 1;

    bool operator==(const QuantizerConfig&) const = default;
};

struct EncoderConfig { // ConformerEncoder
    int featIn = 80, featOut = -1, nLayers = 17, dModel = 512;
    bool useBias = true;
    std::string subsampling = "striding";
    int subsamplingFactor = 4, subsamplingConvChannels = -1, subsamplingConvChunkingFactor = 1;
    bool causalDownsampling = false;
    std::string reduction;                  ///< "pooling", "striding"; empty: null
    std::optional<int> reductionPosition{}; ///< after this layer; -1: at the end
    int reductionFactor = 1;
    int ffExpansionFactor = 4;
    std::string selfAttentionModel = "rel_pos";
    int nHeads = 4;
    std::array<int, 2> attContextSize{-1, -1};
    std::string attContextStyle = "regular";
    bool xscaling = true, untieBiases = true;
    int posEmbMaxLen = 5000;
    int convKernelSize = 31;
    std::string convNormType = "batch_norm";
    std::optional<std::array<int, 2>> convContextSize; ///< none: null (symmetric)
    bool convContextCausal = false;                    ///< conv_context_size: causal
    double dropout = 0.1, dropoutPreEncoder = 0.1, dropoutEmb = 0.1, dropoutAtt = 0.0;
    double stochasticDepthDropProb = 0;
    std::string stochasticDepthMode = "linear";
    int stochasticDepthStartLayer = 1;
    bool syncMaxAudioLength = true; ///< NeMo's code sets true; no YAML mentions it

    /// Returns the number of mel frames for one frame of the encoder's output.
    std::int64_t framesPerOutput() const {
        return std::int64_t{subsamplingFactor} * (reduction.empty() ? 1 : reductionFactor);
    }
    bool operator==(const EncoderConfig&) const = default;
};

struct DecoderConfig { // MultiSoftmaxDecoder
    int featIn = 512, numClasses = 8192, numDecoders = 1;
    bool squeezeSingle = false, useBias = false;
    std::string initMode = "xavier_uniform";

    bool operator==(const DecoderConfig&) const = default;
};

struct LossConfig { // MultiMLMLoss
    int combineTimeSteps = 1, numDecoders = 1;
    double maskThreshold = 0.8;
    bool squeezeSingle = false;

    bool operator==(const LossConfig&) const = default;
};

struct OptimConfig {
    std::string name = "adamw";
    double lr = 1e-3;
    std::array<double, 2> betas{0.9, 0.999};
    double eps = 1e-8, weightDecay = 0.01; ///< of adamw; for adam and sgd weightDecay is 0 unless the file gives it
    bool amsgrad = false, maximize = false, decoupledWeightDecay = false;
    double momentum = 0, dampening = 0; ///< sgd
    bool nesterov = false;
    struct Sched {
        std::string name; ///< empty: constant
        int dModel = 0;
        std::optional<std::int64_t> warmupSteps, holdSteps, constantSteps, maxSteps;
        std::optional<double> warmupRatio, holdRatio, constantRatio;
        double minLr = 0, decayRate = 0.5, power = 1;
        bool cycle = false;
    } sched;
};

struct ModelConfig {
    NemoVersion nemo = kUnsaidNemo; ///< rankscope.nemo: the version the model follows
    int sampleRate = 16000, numClasses = 8192, numBooks = 1, codeDim = 16;
    bool squeezeSingle = false;
    std::string maskPosition = "pre_conv";
    PreprocessorConfig preprocessor;
    SpecAugmentConfig specAugment;
    MaskingConfig masking;
    QuantizerConfig quantizer;
    EncoderConfig encoder;
    DecoderConfig decoder;
    LossConfig loss;
    OptimConfig optim;
};

struct BatchAugmentorConfig { // MultiSpeakerNoiseAugmentation
    bool present = false;
    double prob = 0, noiseRatio = 0;
    double minRSpeech = -5, maxRSpeech = 5, minRNoise = -5, maxRNoise = 20;
    double minMixRate = 0, maxMixRate = 1;
    int minNumSegments = 1, maxNumSegments = 5, minNumSpeakers = 1, maxNumSpeakers = 4;
};

using PathLists = std::vector<std::vector<std::string>>;

struct BucketingConfig {                        ///< applies with two buckets or more
    std::string strategy = "synced_randomized"; ///< "synced_randomized", "fully_randomized", "fixed_order"
    /// bucketing_batch_size as an integer: batch size of the last bucket; the other buckets have larger ones
    int scaledBatchSize = 0;
    std::vector<int> batchSizes; ///< ... as a list: one per bucket; both empty: batch_size
    std::vector<int> weights;    ///< how often an epoch goes through each bucket; empty: once each
    bool batchesWithin = false;  ///< rankscope.data.batches_within_buckets: no batch crosses a border
    bool reorder = false;        ///< rankscope.data.reorder_buckets: a new order each epoch

    bool hasSizes() const { return scaledBatchSize != 0 || !batchSizes.empty(); } ///< bucketing_batch_size is given
};

struct TarredConfig {
    bool enabled = false;             ///< is_tarred
    PathLists shards;                 ///< one list per bucket, braces expanded
    std::string strategy = "scatter"; ///< "scatter", "replicate"
    /// Number of tar files that are shuffled at a time; -1: 4 x batch_size, as in NeMo.
    int shuffleN = -1;
    /// rankscope.data.shuffle_within_tars: also shuffles utterances, the same number at a time.
    bool shuffleWithin = false;
    std::optional<int> readers{}; ///< rankscope.data.tar_readers; none: num_workers, as in NeMo
};

struct DatasetConfig {
    std::vector<std::string> manifests,
        noiseManifests;                ///< as written; relative paths are relative to the working folder
    PathLists buckets;                 ///< `manifests` as a list of lists; fewer than two lists: no buckets
    std::vector<std::string> setNames; ///< validation: one per manifest, each being a set; empty: one set in all
    int sampleRate = 16000, batchSize = 1;
    bool shuffle = true, dropLast = false, pinMemory = false;
    int numWorkers = 0, prefetchFactor = 2;
    double minDuration = 0, maxDuration = 0; ///< seconds; 0: no limit
    int channel = -1;                        ///< channel_selector; -1: the average of all
    double maxBrokenShare = 0.5;             ///< rankscope.max_broken_share
    BucketingConfig bucketing;
    TarredConfig tarred;
    BatchAugmentorConfig augmentor;

    /// The number of loader workers in NeMo that tar files are split over; 0 and 1: one file after another.
    int readers() const { return tarred.readers.value_or(numWorkers); }
};

/// limit_train_batches, limit_val_batches: an integer, or any number above 1, is a number of batches; a real number up
/// to 1.0 is a share of them.
struct BatchLimit {
    std::int64_t count = -1; ///< negative: the share applies
    double share = 1.0;

    /// Returns the limit for `batches`; 0 if a share leaves less than one, which Lightning refuses (plan::limited()).
    std::int64_t of(std::int64_t batches) const {
        return count >= 0 ? std::min(count, batches)
                          : static_cast<std::int64_t>(static_cast<double>(batches) * std::clamp(share, 0.0, 1.0));
    }
};

struct TrainerConfig {            // Lightning's Trainer
    std::string devices = "auto"; ///< "auto", "-1", "4", "0,2": resolved in core/launch/host
    int numNodes = 1;
    std::int64_t maxEpochs = -1, maxSteps = -1;
    double maxTimeSeconds = 0;                ///< max_time; 0: no limit
    std::int64_t minEpochs = 0, minSteps = 0; ///< max_time does not end the run before both are reached
    std::string accelerator = "auto", strategy = "auto";
    std::string precision = "32";        ///< "32", "bf16-mixed", "16-mixed"; Lightning's aliases are already resolved
    std::string deterministic = "false"; ///< "false", "true", "warn"
    std::optional<bool> benchmark;       ///< cuDNN's; none: null
    int accumulateGradBatches = 1;
    double gradientClipVal = 0;
    std::string gradientClipAlgorithm = "norm";
    std::int64_t valEveryBatches = 0; ///< val_check_interval as a number of batches; 0: valEveryShare applies
    double valEveryShare = 1.0;       ///< val_check_interval as a share of the epoch
    int valEveryNEpochs = 1;          ///< check_val_every_n_epoch; 0: null, valEveryBatches is counted across epochs
    int sanityValSteps = 2;           ///< num_sanity_val_steps; -1: all
    BatchLimit limitTrain, limitVal;
    int logEveryNSteps = 50;
    bool syncBatchnorm = false;
    bool useDistributedSampler = true;
    std::optional<std::int64_t> seed;
    bool findUnusedParameters = false, gradientAsBucketView = false, broadcastBuffers = true, staticGraph = false;
    std::optional<double> bucketCapMb; ///< none: null, DistributedDataParallel's 25 with a first bucket of 1
    std::string commHook;              ///< "allreduce_hook", "fp16_compress_hook", …; empty: none
    std::string processGroupBackend;   ///< "gloo", "nccl"; empty: the one that suits the device
    /// DDP's settings above are from trainer.strategy, which NeMo reads too; false: from rankscope.ddp, which it
    /// ignores.
    bool ddpInStrategy = false;
    bool strategySearchesUnused = false; ///< strategy is ddp_find_unused_parameters_true
};

/// `steps` of a slow_rank fault without that key: until the end of the run.
inline constexpr std::int64_t kToTheEnd = INT64_MAX / 4;

struct FaultConfig { ///< rankscope.faults[]: none by default. Which keys a kind takes:
                     ///< core/config/recipe/fault_spec.h
    std::string kind;
    int rank = 0;
    std::int64_t step = 0;        ///< from 0; the first step it acts in
    std::int64_t steps = 1;       ///< how many steps it acts in
    double seconds = 5;           ///< how long it lasts; long_batch: seconds of audio
    double factor = 1.3;          ///< slow_rank: multiple of its own computing time
    std::string phase;            ///< where in the step it acts; empty: the kind's default phase
    std::string place;            ///< slow_compute: where in forward; empty: at its start
    int layer = -1;               ///< slow_compute: this layer of the encoder
    std::string collective;       ///< stuck_collective: a tag, or its part before the colon; empty: the step's first
    std::string signal;           ///< dead: "SIGKILL", "SIGSEGV", …; empty: exit
    int exitCode = 1;             ///< dead without a signal
    std::int64_t megabytes = 256; ///< out_of_memory: how much it may allocate before an allocation fails
    std::string set;              ///< other_settings: "key=value"
};

struct LengthSyncConfig {                 ///< rankscope.length_sync: how sync_max_audio_length is done
    std::optional<double> timeoutSeconds; ///< none: as in NeMo, waits for the last rank without limit
    bool barrier = false;                 ///< all ranks wait for each other before each encoder forward
};

struct RankscopeConfig { ///< top-level key `rankscope:`, which NeMo ignores
    double stallMinSeconds = 2.0, stallFactor = 5.0;
    double stragglerShare = 0.25;
    int stragglerWindowSteps = 50;
    double joinSeconds = 60;
    double collectiveTimeoutSeconds = 1800;
    double stopGraceSeconds = 10;
    std::int64_t retentionSteps = 2000;
    int threadsPerRank = 0; ///< 0: cores / ranks
    LengthSyncConfig lengthSync;
    bool meanValLoss = false; ///< rankscope.validation.mean_over_ranks; false: each rank has its own, as in NeMo
    std::vector<FaultConfig> faults;
    std::vector<std::string> onIncident; ///< a command and its arguments, run when an incident opens or closes
};

struct Recipe {
    std::string name = "run";
    ModelConfig model;
    DatasetConfig train;
    std::optional<DatasetConfig> validation;
    int validationIndex = 0; ///< validation_ds.val_dl_idx: the set whose loss is val_loss (config/validation_sets.h)
    TrainerConfig trainer;
    RankscopeConfig rankscope;
    std::uint64_t configHash = 0; ///< of the effective text
};

} // namespace rankscope::config
