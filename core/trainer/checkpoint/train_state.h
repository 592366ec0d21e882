// SPDX-License-Identifier: Apache-2.0
// Everything that training needs to continue as if it had never stopped, as one safetensors file: tensors
// `model.<name>`, `optimizer.<name>`, `rng.<rank>.cpu`, `rng.<rank>.device` and `buffer.<rank>.<name>`; the rest as
// JSON under the metadata key `state`, and under `checksum` a hash of everything.
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
    std::map<std::string, double> metrics;     ///< "val_loss", …; NaN and infinity are preserved
    std::map<std::string, std::string> extras; ///< further state of the trainer (a scaler's or sampler's)
};

/// The state of one rank's LibTorch random number generators, which determines the numbers it draws next.
struct RngState {
    torch::Tensor cpu;    ///< uint8 [n]
    torch::Tensor device; ///< uint8 [n]; undefined: the rank trains on the CPU
};

struct TrainState {
    TrainProgress progress;
    StateDict model, optimizer; ///< order and names are preserved
    std::vector<RngState> rng;  ///< of each rank
    /// One per rank if each rank has its own running statistics; else empty: rank 0's, in `model`, apply to all.
    std::vector<StateDict> buffers;
};

/// Writes a temporary file, syncs it and renames it.
Result<void> writeTrainState(const std::filesystem::path& path, const TrainState& state);

/// Reads and checks everything; a damaged, truncated or foreign file is an error of code Malformed.
Result<TrainState> readTrainState(const std::filesystem::path& path);
Result<TrainState> trainStateOf(const SafeTensors& file, const std::string& where);

/// Reads only the header; checks that the file has its full length, but not its tensors.
Result<TrainProgress> readTrainProgress(const std::filesystem::path& path);

/// Returns the checksum of the metadata `state` and of all tensors by name.
std::string trainStateChecksum(const std::string& text, StateDict tensors);

bool isTrainState(const std::map<std::string, std::string>& metadata);

/// Returns the state of the default generators of the CPU and, if it is a GPU, of `device`.
RngState captureRng(const torch::Device& device);

/// Restores the state. Error: the bytes are not such a state, or the state includes a GPU's and `device` is not one (or
/// vice versa).
Result<void> restoreRng(const RngState& state, const torch::Device& device);

/// Returns a 64-bit hash of names, types, shapes and bytes in the given order: equal on two ranks if their states are.
/// Hashes a few GB/s; not cryptographic.
std::uint64_t stateHash(const StateDict& state);

} // namespace rankscope::trainer
