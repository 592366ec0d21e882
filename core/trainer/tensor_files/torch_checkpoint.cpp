// SPDX-License-Identifier: Apache-2.0
#include "core/trainer/tensor_files/torch_checkpoint.h"

#include "core/base/values/result.h"
#include "core/trainer/formats/archives/checkpoint_records.h"
#include "core/trainer/tensor_files/scalar_type.h"

#include <cstdlib>
#include <map>

namespace rankscope::trainer {
namespace {

/// Takes the bytes over.
torch::Tensor storageOf(const StorageSpec& spec, RawBytes& bytes) {
    const auto size = static_cast<std::int64_t>(bytes.size());
    const torch::Tensor raw = torch::from_blob(
        bytes.release(), {size}, [](void* data) { std::free(data); }, torch::kUInt8);
    // any byte but 0 and 1 would be an undefined bool
    return spec.type == ElementType::Bool ? raw.ne(0) : raw.view(torchType(spec.type));
}

Result<StateDict> readFrom(Result<ArchiveReader> zip, const std::string& where) {
    RS_TRY_ASSIGN(auto records, readCheckpointRecords(std::move(zip), where));
    std::map<std::string, torch::Tensor> storages;
    StateDict out;
    try {
        for (const TensorSpec& spec : records.tensors) {
            const std::string& key = spec.storage.key;
            if (!storages.contains(key))
                storages.emplace(key, storageOf(spec.storage, records.storages.at(key)));
            out.emplace_back(spec.name, storages.at(key).as_strided(spec.shape, spec.strides, spec.offset));
        }
    } catch (const c10::Error& e) { // no memory for the tensors
        return fail(Errc::Malformed, e.what_without_backtrace(), where);
    }
    return out;
}

} // namespace

Result<StateDict> readTorchCheckpoint(const std::filesystem::path& path) {
    return readFrom(ArchiveReader::openFile(path, ArchiveReader::Kind::Zip), path.string());
}

Result<StateDict> readTorchCheckpoint(std::string_view bytes, const std::string& where) {
    return readFrom(ArchiveReader::openBytes(bytes, where, ArchiveReader::Kind::Zip), where);
}

} // namespace rankscope::trainer
