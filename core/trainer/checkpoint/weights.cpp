// SPDX-License-Identifier: Apache-2.0
#include "core/trainer/checkpoint/weights.h"

#include "core/base/values/result.h"
#include "core/trainer/checkpoint/train_state.h"
#include "core/trainer/tensor_files/nemo_file.h"
#include "core/trainer/tensor_files/safetensors.h"
#include "core/trainer/tensor_files/torch_checkpoint.h"

#include <algorithm>

namespace rankscope::trainer {
namespace {

Result<StateDict> readTensors(const std::filesystem::path& path) {
    RS_TRY_ASSIGN(auto file, readSafetensors(path));
    if (!isTrainState(file.metadata))
        return std::move(file.tensors);
    RS_TRY_ASSIGN(auto state, trainStateOf(file, path.string()));
    return std::move(state.model);
}

} // namespace

const char* formatName(WeightsFormat format) {
    switch (format) {
    case WeightsFormat::Safetensors:
        return "safetensors";
    case WeightsFormat::TorchCheckpoint:
        return "PyTorch checkpoint";
    case WeightsFormat::Nemo:
        return "NeMo";
    }
    return "";
}

Result<Weights> readWeights(const std::filesystem::path& path) {
    RS_TRY_ASSIGN(const auto format, weightsFormat(path));
    if (format == WeightsFormat::Nemo) {
        RS_TRY_ASSIGN(auto nemo, readNemo(path));
        return Weights{std::move(nemo.weights), format, std::move(nemo.modelConfig)};
    }
    RS_TRY_ASSIGN(auto tensors,
                  format == WeightsFormat::TorchCheckpoint ? readTorchCheckpoint(path) : readTensors(path));
    return Weights{std::move(tensors), format, {}};
}

Result<WeightsFormat> formatOfName(const std::filesystem::path& path) {
    const std::string end = path.extension().string();
    if (end == ".safetensors")
        return WeightsFormat::Safetensors;
    if (end == ".ckpt" || end == ".pt" || end == ".pth")
        return WeightsFormat::TorchCheckpoint;
    if (end == ".nemo")
        return WeightsFormat::Nemo;
    return fail(Errc::BadInput, "its name does not show the format: it must end in .nemo, .ckpt or .safetensors",
                path.string());
}

Result<void> writeWeights(const std::filesystem::path& path, WeightsFormat format, const StateDict& tensors,
                          const std::string& modelConfig) {
    switch (format) {
    case WeightsFormat::Safetensors:
        return writeSafetensors(path, tensors, {{"format", "pt"}});
    case WeightsFormat::TorchCheckpoint:
        return writeTorchCheckpoint(path, tensors);
    case WeightsFormat::Nemo:
        return writeNemo(path, {modelConfig, tensors});
    }
    return fail(Errc::Internal, "unknown format", path.string());
}

std::optional<std::string> firstNotFinite(const StateDict& tensors) {
    const torch::NoGradGuard noGradients;
    const auto isStatistic = [](const std::string& name) {
        return name.ends_with(".running_mean") || name.ends_with(".running_var");
    };
    for (const auto& [name, tensor] : tensors)
        if (tensor.is_floating_point() && !isStatistic(name) && !torch::isfinite(tensor).all().item<bool>())
            return name;
    return std::nullopt;
}

std::uint64_t weightsHash(const StateDict& tensors) {
    StateDict sorted = tensors;
    std::sort(sorted.begin(), sorted.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
    return stateHash(sorted);
}

} // namespace rankscope::trainer
