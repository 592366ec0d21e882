// SPDX-License-Identifier: Apache-2.0
// Writes a run's checkpoints and its .nemo: when they are due, following NeMo's exp_manager, and what is in them.
#pragma once

#include "core/trainer/checkpoint/checkpoint_folder.h"
#include "core/trainer/loop/setup/rank_runtime.h"

#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <thread>

namespace rankscope::trainer {

/// A finished step. All values except the loss are the same on all ranks.
struct CheckpointContext {
    std::int64_t stepsDone = 0;
    std::int64_t epoch = 0;
    bool endsEpoch = false;
    double loss = 0;                           ///< this rank's, of the step's last batch: NeMo's train_loss
    std::optional<double> valLoss;             ///< of a validation in this step or after it
    std::int64_t trainedNs = 0;                ///< of the whole run, including earlier parts
    std::map<std::string, double> setLosses{}; ///< of that validation, by name, if there are several sets
};

/// The arithmetic of ModelCheckpoint's triggers.
struct CheckpointDue {
    bool best = false, last = false; ///< a named file if it is among the best; last.safetensors

    static CheckpointDue after(const CheckpointContext& step, const config::CheckpointConfig& config, bool validates);
};

/// Rank 0 writes; the others send it the state that only they have. A checkpoint that cannot be written is reported and
/// training continues; at the end of the run it is an error. Weights that are not finite are never written: the newest
/// checkpoint before them remains the last one.
class Checkpointing {
public:
    /// `runDir` empty: nothing is ever written. Error: the folder cannot be used.
    static Result<std::unique_ptr<Checkpointing>> open(RankRuntime& rank, const std::filesystem::path& runDir);
    ~Checkpointing();
    Checkpointing(const Checkpointing&) = delete;
    Checkpointing& operator=(const Checkpointing&) = delete;

    /// Takes over the progress of the checkpoint from which the run was resumed.
    void resumed(const TrainProgress& progress);
    /// All ranks call it after each step. Throws what collectives throw.
    void afterStep(const CheckpointContext& step);
    /// All ranks call it after the last step; writes the last checkpoint and the .nemo.
    Result<void> finish(bool stopped);

private:
    Checkpointing(RankRuntime& rank, std::filesystem::path folder) : m_rank(rank), m_path(std::move(folder)) {}

    struct SaveJob {
        TrainState state;
        bool best = false;
    };

    void save(CheckpointDue due);
    TrainState capture();
    TrainProgress progress() const;
    void write(const SaveJob& job);
    bool hasFiniteWeights(const StateDict& weights, const std::string& what) const;
    Result<std::filesystem::path> put(const SaveJob& job);
    Result<void> writeNemoOf(const StateDict& weights, std::int64_t steps);
    Result<void> lastNemo();
    bool isBest(const std::filesystem::path& file) const;
    void waitForWriter();

    RankRuntime& m_rank;
    std::filesystem::path m_path;             ///< empty: nothing is written
    std::optional<CheckpointFolder> m_folder; ///< rank 0's
    std::string m_nemoConfig;                 ///< rank 0's
    CheckpointContext m_step;                 ///< the newest
    std::optional<double> m_valLoss;
    std::map<std::string, double> m_setLosses; ///< the newest of each validation set
    std::int64_t m_savedAt = -1;               ///< steps done at the last save
    bool m_unmeasuredTold = false;
    std::optional<Error> m_failure; ///< of the newest write; owned by the writer until it is joined
    std::thread m_writer;           ///< async_save
};

} // namespace rankscope::trainer
