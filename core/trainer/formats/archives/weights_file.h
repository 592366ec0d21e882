// SPDX-License-Identifier: Apache-2.0
// Inspects a file of weights without reading the tensors' bytes: its format, and which tensors are in it.
#pragma once

#include "core/base/values/error.h"

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

namespace rankscope::trainer {

enum class WeightsFormat : std::uint8_t { Safetensors, TorchCheckpoint, Nemo };

/// Key and value among the extras of a checkpoint's state: its weights were found to be finite. Older checkpoints do
/// not have it.
inline constexpr const char *kWeightsKey = "weights", *kFiniteWeights = "finite";
/// Metadata `format` of a safetensors file that Rankscope resumes from; the model's tensors are `model.<name>` there.
inline constexpr const char* kTrainStateFormat = "rankscope-train-state";

/// Returns the format, which the file's content decides, not its name.
Result<WeightsFormat> weightsFormat(const std::filesystem::path& path);

struct WeightsShape {
    std::string name;
    std::vector<std::int64_t> shape;
};

/// Returns the shapes that reading the file would give, from its description: the tensors' bytes are not read (except
/// in a compressed .nemo, to reach the description). From a checkpoint for resuming: the model's. Errors are those of
/// reading it, except damage inside the bytes.
Result<std::vector<WeightsShape>> readWeightsShapes(const std::filesystem::path& path);

} // namespace rankscope::trainer
