// SPDX-License-Identifier: Apache-2.0
#include "core/trainer/checkpoint/weights.h"

#include "core/base/regular_file.h"
#include "core/trainer/checkpoint/nemo_file.h"
#include "core/trainer/checkpoint/safetensors.h"
#include "core/trainer/checkpoint/state_hash.h"
#include "core/trainer/checkpoint/torch_checkpoint.h"
#include "core/trainer/checkpoint/train_state.h"

#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <string_view>

namespace rankscope::trainer {
namespace {

constexpr std::size_t kTarMagicAt = 257, kHead = 265;

Result<WeightsFormat> formatOfContent(const std::filesystem::path& path) {
    const auto file = openRegularFile(path);
    if (!file)
        return tl::unexpected(file.error());
    char bytes[kHead] = {};
    const ssize_t n = ::pread(file->fd.get(), bytes, sizeof bytes, 0);
    if (n < 0)
        return tl::unexpected(systemError("read", path.string(), errno));
    const std::string_view head(bytes, static_cast<std::size_t>(n));
    if (head.starts_with("PK\x03\x04"))
        return WeightsFormat::TorchCheckpoint;
    if (head.starts_with("\x1f\x8b") || (head.size() == kHead && head.substr(kTarMagicAt).starts_with("ustar")))
        return WeightsFormat::Nemo;
    if (head.size() > 8 && head[8] == '{')
        return WeightsFormat::Safetensors;
    return fail(Errc::BadInput, "holds no weights: it is neither a .nemo, a .ckpt nor a .safetensors file",
                path.string());
}

Result<StateDict> readTensors(const std::filesystem::path& path) {
    auto file = readSafetensors(path);
    if (!file)
        return tl::unexpected(file.error());
    if (!isTrainState(file->metadata))
        return std::move(file->tensors);
    auto state = trainStateOf(*file, path.string());
    if (!state)
        return tl::unexpected(state.error());
    return std::move(state->model);
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
    const auto format = formatOfContent(path);
    if (!format)
        return tl::unexpected(format.error());
    if (*format == WeightsFormat::Nemo) {
        auto nemo = readNemo(path);
        if (!nemo)
            return tl::unexpected(nemo.error());
        return Weights{std::move(nemo->weights), *format, std::move(nemo->modelConfig)};
    }
    auto tensors = *format == WeightsFormat::TorchCheckpoint ? readTorchCheckpoint(path) : readTensors(path);
    if (!tensors)
        return tl::unexpected(tensors.error());
    return Weights{std::move(*tensors), *format, {}};
}

Result<WeightsFormat> formatOfName(const std::filesystem::path& path) {
    const std::string end = path.extension().string();
    if (end == ".safetensors")
        return WeightsFormat::Safetensors;
    if (end == ".ckpt" || end == ".pt" || end == ".pth")
        return WeightsFormat::TorchCheckpoint;
    if (end == ".nemo")
        return WeightsFormat::Nemo;
    return fail(Errc::BadInput, "its name says no format: it must end in .nemo, .ckpt or .safetensors", path.string());
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
    return fail(Errc::Internal, "no such format", path.string());
}

std::uint64_t weightsHash(const StateDict& tensors) {
    StateDict sorted = tensors;
    std::sort(sorted.begin(), sorted.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
    return stateHash(sorted);
}

} // namespace rankscope::trainer
