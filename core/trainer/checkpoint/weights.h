// SPDX-License-Identifier: Apache-2.0
// Reads and writes a model's weights in any supported file format.
#pragma once

#include "core/base/values/error.h"
#include "core/trainer/formats/archives/weights_file.h"
#include "core/trainer/named_tensors.h"

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>

namespace rankscope::trainer {

const char* formatName(WeightsFormat format); ///< "safetensors", "PyTorch checkpoint", "NeMo"

struct Weights {
    StateDict tensors;
    WeightsFormat format = WeightsFormat::Safetensors;
    std::string modelConfig; ///< YAML, of a .nemo; else empty
};

/// Reads weights; the file's content decides its format, not its name. From a checkpoint for resuming: the model's
/// tensors.
Result<Weights> readWeights(const std::filesystem::path& path);

/// Returns the format by the file's extension: .safetensors, .ckpt (or .pt, .pth), .nemo.
Result<WeightsFormat> formatOfName(const std::filesystem::path& path);

/// Writes weights. `modelConfig`: the result of nemoModelConfig(); only a .nemo stores it.
Result<void> writeWeights(const std::filesystem::path& path, WeightsFormat format, const StateDict& tensors,
                          const std::string& modelConfig);

/// Returns the name of the first tensor with a value that is NaN or infinite; none if all are finite. Running
/// statistics are not checked: a step that the gradient scaler skipped may have spoiled them, and training does not use
/// them.
std::optional<std::string> firstNotFinite(const StateDict& tensors);

/// Returns stateHash() of the tensors by name: the same for the same weights in another file or order.
std::uint64_t weightsHash(const StateDict& tensors);

} // namespace rankscope::trainer
