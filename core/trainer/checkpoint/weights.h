// SPDX-License-Identifier: Apache-2.0
// Weights of a model, whatever file they are in.
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

/// The file's content decides, not its name. Of a checkpoint for resuming: the model's tensors.
Result<Weights> readWeights(const std::filesystem::path& path);

/// By the name's end: .safetensors, .ckpt (or .pt, .pth), .nemo.
Result<WeightsFormat> formatOfName(const std::filesystem::path& path);

/// `modelConfig`: what nemoModelConfig() made; only a .nemo has room for it.
Result<void> writeWeights(const std::filesystem::path& path, WeightsFormat format, const StateDict& tensors,
                          const std::string& modelConfig);

/// Returns the name of the first tensor with a value that is NaN or infinite; none if all are finite. Running
/// statistics are not looked at: a step that the gradient scaler skipped may have spoiled them, and training does not
/// go by them.
std::optional<std::string> firstNotFinite(const StateDict& tensors);

/// stateHash() of the tensors by name: the same for the same weights in another file or order.
std::uint64_t weightsHash(const StateDict& tensors);

} // namespace rankscope::trainer
