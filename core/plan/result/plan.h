// SPDX-License-Identifier: Apache-2.0
// Describes what a launch would do before anything is started: `rankscopectl plan` prints it, the window shows it.
// launch::dryRun() makes a plan; planJson() is the output of `plan --json`.
#pragma once

#include "core/config/risks/risk.h"
#include "core/config/risks/risk_context.h"
#include "core/plan/result/planned_collective.h"

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace rankscope::plan {

/// One process on this machine.
struct Process {
    int rank = 0, localRank = 0;
    std::string device;                                           ///< "cpu", "GPU 2"
    std::vector<std::pair<std::string, std::string>> environment; ///< added to the user's environment
};

/// The share of the first epoch that one rank gets.
struct RankShare {
    int rank = 0;
    std::int64_t batches = 0, utterances = 0;
    double speechSeconds = 0; ///< according to the manifest
    /// Audio that is computed: for each batch, the length of its longest utterance times its size.
    double paddedSeconds = 0;
    double longestSeconds = 0; ///< of one utterance
    double waitsSeconds = 0;   ///< seconds of padded audio that ranks with longer batches compute while this one waits
};

struct DataPlan {
    std::string section; ///< "model.train_ds", "model.validation_ds", "model.validation_ds (val_other_val_loss)"
    config::ManifestFacts facts;
    Message problem; ///< why there are no shares: "model.train_ds.manifest_filepath is ???"; empty if there are
    std::int64_t batchesPerRank = 0; ///< in an epoch as the loader makes them, the same on every rank
    std::vector<RankShare> ranks;    ///< for the batches that are used (limit_train_batches), epoch 0
    double paddingShare = 0;         ///< share of what all ranks compute, 0 ... 1
    /// Share of all ranks' time in which a rank waits for one with a longer batch, if a batch takes as long as its
    /// padded audio and ranks synchronize once per step: mean over steps of 1 - mean / longest.
    double imbalance = 0;
    double longestBatchSeconds = 0;    ///< padded audio of the largest batch of any rank: must fit into memory
    std::int64_t longestBatchSize = 0; ///< its utterances
};

struct StepsPlan {
    std::int64_t batchesPerEpoch = 0; ///< per rank; those that are used
    std::int64_t stepsPerEpoch = 0;   ///< optimizer steps
    std::int64_t totalSteps = 0;      ///< of the run; 0: no limit, or the manifest is not known
    std::int64_t validationEveryBatches = 0, validationBatches = 0; ///< of all sets; 0: never
    std::int64_t globalBatch = 0;                                   ///< utterances of all ranks in one optimizer step
};

struct ModelPlan {
    std::int64_t trainable = 0; ///< parameters that the optimizer updates
    std::int64_t frozen = 0;    ///< parameters that do not change: quantizer, mask embedding
    std::int64_t buffers = 0;   ///< numbers in the state dict that are not parameters
    Message problem;            ///< why the trainer cannot build it; empty: it can
};

/// Bytes of one rank, estimated.
struct MemoryPlan {
    std::int64_t weights = 0, gradients = 0, optimizer = 0;
    std::int64_t activations = 0; ///< of the largest batch, at the end of forward
    std::int64_t program = 0;     ///< libraries, position table, communication buffers, prefetched batches
    std::int64_t total = 0;
    std::int64_t available = 0; ///< of a GPU; on the CPU the machine's, divided by the ranks; 0: unknown
};

/// A reason not to launch.
struct Blocker {
    bool refused = true; ///< false: the run would start, and fail
    std::string kind;    ///< "trainer", "data", "memory", "disk"
    std::string key;     ///< dotted; empty: no single key is the cause
    Message text;        ///< without the key
};

/// Disk space of the folder of runs.
struct DiskPlan {
    std::string folder;
    std::int64_t needed = 0;    ///< checkpoints, weights and journals, at least
    std::int64_t available = 0; ///< -1: unknown
};

/// Training speed, estimated or as reached by an earlier run.
struct SpeedPlan {
    double flopsPerStep = 0;                  ///< operations of one rank in an optimizer step, forward and backward
    double flopsPerSecond = 0;                ///< of one rank
    double stepSeconds = 0, epochSeconds = 0; ///< epochSeconds 0: the manifest is not known
    double audioPerSecond = 0;                ///< seconds of speech a second, of all ranks
    bool ofManifest = false;         ///< true: batches are those of the manifest; false: of batch_size and max_duration
    double peakFlops = 0, share = 0; ///< of the GPU, and the assumed share of it; 0: from `run`
    std::int64_t measuredSteps = 0;  ///< number of steps just measured on this machine; 0: not measured
    std::string run;                 ///< an earlier run of this model that reached flopsPerSecond
};

/// One command that starts the plan elsewhere.
struct StartLine {
    std::string program; ///< "rankscopectl", "torchrun", "sbatch"
    std::string command;
};

struct Plan {
    std::string name, device; ///< "cpu", "cuda"
    std::string machine;      ///< "8 x H100 80 GB"; empty: this machine
    int ranks = 0, nodes = 1;
    std::vector<Process> processes;
    DataPlan train;
    std::optional<DataPlan> validation;    ///< the set whose loss is val_loss
    std::vector<DataPlan> otherValidation; ///< the other sets, if validation_ds names several
    StepsPlan steps;
    ModelPlan model;
    MemoryPlan memory;
    std::vector<TrainerCollectives> collectives; ///< of NeMo and of rankscope-trainer, which is what `launch` starts
    std::vector<config::Risk> risks;             ///< including those that need the plan
    std::vector<Message> warnings;               ///< facts that could not be determined
    std::vector<Blocker> obstacles;              ///< the ones that refuse the launch come first
    std::optional<DiskPlan> disk;                ///< of this machine
    std::optional<SpeedPlan> speed;
    std::vector<StartLine> start;
};

} // namespace rankscope::plan
