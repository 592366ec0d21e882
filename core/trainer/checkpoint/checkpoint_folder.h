// SPDX-License-Identifier: Apache-2.0
// A run's checkpoints: named files, of which the best are kept, and last.safetensors. One process writes; any number
// may read meanwhile. Who is killed at any moment leaves every file whole and the newest one readable.
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
    int keepTop = 1;     ///< how many named files stay; 0: none, -1: all (Lightning's save_top_k)
    std::string monitor; ///< the metric that says which are best; empty: the newest are
    enum class Mode : std::uint8_t { Min, Max } mode = Mode::Min; ///< the better metric is the smaller, or the greater
    bool saveLast = true;                                         ///< also as last.safetensors
    /// The file's name without its ending; none: step-<n>. A name that another step's file has gets a number.
    std::function<std::string(const TrainProgress&)> name = {};
};

struct CheckpointEntry {
    std::filesystem::path file;
    std::int64_t step = 0;
    double value = 0; ///< of the monitored metric; NaN: it has none
};

struct NewestCheckpoint {
    std::optional<TrainState> state; ///< none: there is none that can be used
    std::filesystem::path file;
    std::vector<Error> skipped; ///< newer ones that are damaged, or whose weights are not finite
};

/// The error of a checkpoint that no training can resume from because a tensor of its weights has NaN in it.
Error notFiniteError(const std::filesystem::path& file, const std::string& tensor);

class CheckpointFolder {
public:
    /// Makes the folder, removes what an interrupted write left behind, and takes up what is there. Files that cannot
    /// be read stay and are not counted among the best; `problems` names them.
    static Result<CheckpointFolder> open(const CheckpointOptions& options);

    /// The file that now holds the state. The worst of the others goes only when it is durable. A metric that is NaN
    /// counts as the worst. When the state is not among the best, only last.safetensors is written; with neither,
    /// nothing.
    Result<std::filesystem::path> save(const TrainState& state);

    /// Only as last.safetensors, whatever the options say: for a run that is about to end.
    Result<std::filesystem::path> saveLast(const TrainState& state);

    /// Named files, the best first.
    const std::vector<CheckpointEntry>& entries() const { return m_entries; }
    const std::vector<Error>& problems() const { return m_problems; }

    /// Reads the newest that is whole and whose weights are finite. Error: the folder cannot be read; a folder that is
    /// not there has none.
    static Result<NewestCheckpoint> newest(const std::filesystem::path& folder);

    static constexpr const char* kLast = "last.safetensors";

private:
    explicit CheckpointFolder(CheckpointOptions options) : m_options(std::move(options)) {}

    Result<void> scan();
    Result<double> valueOf(const TrainProgress& progress) const;
    bool isBetter(const CheckpointEntry& a, const CheckpointEntry& b) const;
    /// last.safetensors becomes another name of `file`, or a copy of the state where the file system has no links.
    Result<void> nameLast(const std::filesystem::path& file, const TrainState& state) const;
    Result<void> removeWorst();
    std::filesystem::path placeFor(const TrainProgress& progress) const;

    CheckpointOptions m_options;
    std::vector<CheckpointEntry> m_entries;
    std::vector<Error> m_problems;
};

} // namespace rankscope::trainer
