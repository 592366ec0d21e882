// SPDX-License-Identifier: Apache-2.0
// A run's checkpoints: named files, of which the best are kept, and last.safetensors. One process writes; any number
// may read meanwhile. If the writer is killed at any moment, every file is complete and the newest one readable.
#pragma once

#include "core/base/values/error.h"
#include "core/trainer/checkpoint/train_state.h"

#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace rankscope::trainer {

struct CheckpointOptions {
    std::filesystem::path folder;
    int keepTop = 1;     ///< how many named files are kept; 0: none, -1: all (Lightning's save_top_k)
    std::string monitor; ///< the metric that decides which are best; empty: the newest
    enum class MonitorMode : std::uint8_t {
        Min,
        Max
    } mode = MonitorMode::Min; ///< whether a smaller or a greater value is better
    bool saveLast = true;      ///< also as last.safetensors
    /// Returns the file's name without extension; none: step-<n>. A name already used for another step gets a number.
    std::function<std::string(const TrainProgress&)> name = {};
};

struct CheckpointEntry {
    std::filesystem::path file;
    std::int64_t step = 0;
    double value = 0; ///< of the monitored metric; NaN: none
};

struct NewestCheckpoint {
    std::optional<TrainState> state; ///< none: no checkpoint can be used
    std::filesystem::path file;
    std::vector<Error> skipped; ///< newer ones that are damaged, or whose weights are not finite
};

/// Returns the error for a checkpoint that training cannot resume from because a weight tensor contains NaN.
Error notFiniteError(const std::filesystem::path& file, const std::string& tensor);

class CheckpointFolder {
public:
    /// Creates the folder, removes leftovers of an interrupted write, and loads the list of existing checkpoints. Files
    /// that cannot be read are kept, but not counted among the best; `problems` names them.
    static Result<CheckpointFolder> open(const CheckpointOptions& options);

    /// Saves the state and returns the file that now holds it. The worst of the others is removed only after the new
    /// file is durable. A metric that is NaN counts as the worst. If the state is not among the best, only
    /// last.safetensors is written; without saveLast, nothing.
    Result<std::filesystem::path> save(const TrainState& state);

    /// Saves only as last.safetensors, whatever the options say: for a run that is about to end.
    Result<std::filesystem::path> saveLast(const TrainState& state);

    /// Returns the named files, the best first.
    const std::vector<CheckpointEntry>& entries() const { return m_entries; }
    const std::vector<Error>& problems() const { return m_problems; }

    /// Reads the newest complete checkpoint whose weights are finite. Error: the folder cannot be read; a missing
    /// folder has no checkpoint.
    static Result<NewestCheckpoint> newest(const std::filesystem::path& folder);

    static constexpr const char* kLast = "last.safetensors";

private:
    explicit CheckpointFolder(CheckpointOptions options) : m_options(std::move(options)) {}

    Result<void> scan();
    Result<double> valueOf(const TrainProgress& progress) const;
    bool isBetter(const CheckpointEntry& a, const CheckpointEntry& b) const;
    /// Makes last.safetensors another name of `file`, or a copy of the state if the file system has no links.
    Result<void> nameLast(const std::filesystem::path& file, const TrainState& state) const;
    Result<void> removeWorst();
    std::filesystem::path placeFor(const TrainProgress& progress) const;

    CheckpointOptions m_options;
    std::vector<CheckpointEntry> m_entries;
    std::vector<Error> m_problems;
};

} // namespace rankscope::trainer
