// SPDX-License-Identifier: Apache-2.0
// All that training needs to go on as if it had never stopped, as one safetensors file: tensors `model.<name>`,
// `optimizer.<name>`, `rng.<rank>.cpu`, `rng.<rank>.device` and `buffer.<rank>.<name>`; the rest as JSON under the
// metadata key `state`, and under `checksum` a hash of everything.
#pragma once

#include "core/base/values/error.h"
#include "core/trainer/named_tensors.h"
#include "core/trainer/tensor_files/safetensors.h"

#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

namespace rankscope::trainer {

/// The part that can be read without the tensors.
struct TrainProgress {
    std::int64_t step = 0;  ///< optimizer steps done
    std::int64_t epoch = 0; ///< that the next batch belongs to
    std::int64_t batchInEpoch = 0;
    std::int64_t seed = 0;
    std::uint64_t configHash = 0;
    std::map<std::string, double> metrics;     ///< "val_loss", …; NaN and infinity come back
    std::map<std::string, std::string> extras; ///< what else the trainer keeps (a scaler's or sampler's state)
};

/// LibTorch's random number generators of one rank: what it draws next follows from this.
struct RngState {
    torch::Tensor cpu;    ///< uint8 [n]
    torch::Tensor device; ///< uint8 [n]; undefined: the rank trains on the CPU
};

struct TrainState {
    TrainProgress progress;
    StateDict model, optimizer; ///< order and names come back
    std::vector<RngState> rng;  ///< of each rank
    /// Of each rank, where running statistics are each rank's own; else empty: rank 0's in `model` are everybody's.
    std::vector<StateDict> buffers;
};

/// Written aside, synced, renamed.
Result<void> writeTrainState(const std::filesystem::path& path, const TrainState& state);

/// Everything is checked; a damaged, truncated or foreign file is an error of code Malformed.
Result<TrainState> readTrainState(const std::filesystem::path& path);
Result<TrainState> trainStateOf(const SafeTensors& file, const std::string& where);

/// Only the header is read: that the file has its full length is checked, its tensors are not.
Result<TrainProgress> readTrainProgress(const std::filesystem::path& path);

/// Of the metadata `state` and of all tensors by name.
std::string trainStateChecksum(const std::string& text, StateDict tensors);

bool isTrainState(const std::map<std::string, std::string>& metadata);

/// Of the default generators of the CPU and, when it is a GPU, of `device`.
RngState captureRng(const torch::Device& device);

/// Error: the bytes are no such state, or the state has a GPU's and `device` is none (or the other way round).
Result<void> restoreRng(const RngState& state, const torch::Device& device);

/// 64-bit hash of names, types, shapes and bytes in the given order: equal on two ranks when their states are. Some
/// GB/s; not for security.
std::uint64_t stateHash(const StateDict& state);

} // namespace rankscope::trainer
