// SPDX-License-Identifier: Apache-2.0
#include "core/trainer/formats/archives/weights_file.h"

#include "core/base/files/file.h"
#include "core/base/values/result.h"
#include "core/trainer/formats/archives/checkpoint_records.h"
#include "core/trainer/formats/archives/nemo_members.h"
#include "core/trainer/formats/tensors/safetensors_header.h"

#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <string_view>

namespace rankscope::trainer {
namespace {

using WeightsShapes = std::vector<WeightsShape>;

constexpr std::size_t kTarMagicAt = 257, kHead = 265;
constexpr std::string_view kModelPrefix = "model.";

Result<WeightsShapes> shapesOf(Result<std::vector<TensorSpec>> read) {
    RS_TRY_ASSIGN(auto tensors, std::move(read));
    WeightsShapes out;
    for (TensorSpec& tensor : tensors)
        out.push_back({std::move(tensor.name), std::move(tensor.shape)});
    return out;
}

Result<WeightsShapes> shapesOfNemo(const std::filesystem::path& path) {
    const std::string where = fmt::format("{}:{}", path.string(), kNemoWeights);
    RS_TRY_ASSIGN(const auto place, findNemoWeights(path));
    if (place)
        return shapesOf(readCheckpointTensors(
            ArchiveReader::openPart(path, place->begin, place->size, where, ArchiveReader::ArchiveKind::Zip), where));
    RS_TRY_ASSIGN(const auto members, readNemoMembers(path));
    return shapesOf(readCheckpointTensors(
        ArchiveReader::openBytes(members.weights.view(), where, ArchiveReader::ArchiveKind::Zip), where));
}

Result<WeightsShapes> shapesOfSafetensors(const std::filesystem::path& path) {
    RS_TRY_ASSIGN(auto file, openSafetensors(path));
    const auto format = file.metadata.find("format");
    const bool trainState = format != file.metadata.end() && format->second == kTrainStateFormat;
    WeightsShapes out;
    for (SafetensorsEntry& entry : file.entries)
        if (!trainState)
            out.push_back({std::move(entry.name), std::move(entry.shape)});
        else if (entry.name.starts_with(kModelPrefix))
            out.push_back({entry.name.substr(kModelPrefix.size()), std::move(entry.shape)});
    return out;
}

} // namespace

Result<WeightsFormat> weightsFormat(const std::filesystem::path& path) {
    RS_TRY_ASSIGN(const auto file, openRegularFile(path));
    char bytes[kHead] = {};
    const ssize_t n = ::pread(file.fd.get(), bytes, sizeof bytes, 0);
    if (n < 0)
        return tl::unexpected(systemError("read", path.string(), errno));
    const std::string_view head(bytes, static_cast<std::size_t>(n));
    if (head.starts_with("PK\x03\x04"))
        return WeightsFormat::TorchCheckpoint;
    if (head.starts_with("\x1f\x8b") || (head.size() == kHead && head.substr(kTarMagicAt).starts_with("ustar")))
        return WeightsFormat::Nemo;
    if (head.size() > 8 && head[8] == '{')
        return WeightsFormat::Safetensors;
    return fail(Errc::BadInput, "contains no weights: it is not a .nemo, .ckpt or .safetensors file", path.string());
}

Result<std::vector<WeightsShape>> readWeightsShapes(const std::filesystem::path& path) {
    RS_TRY_ASSIGN(const auto format, weightsFormat(path));
    switch (format) {
    case WeightsFormat::Nemo:
        return shapesOfNemo(path);
    case WeightsFormat::TorchCheckpoint:
        return shapesOf(
            readCheckpointTensors(ArchiveReader::openFile(path, ArchiveReader::ArchiveKind::Zip), path.string()));
    case WeightsFormat::Safetensors:
        break;
    }
    return shapesOfSafetensors(path);
}

} // namespace rankscope::trainer
