// SPDX-License-Identifier: Apache-2.0
#include "core/trainer/tensor_files/torch_checkpoint.h"

#include "core/base/files/atomic_file.h"
#include "core/base/values/result.h"
#include "core/trainer/formats/archives/checkpoint_records.h"
#include "core/trainer/formats/pickle/pickled_state.h"
#include "core/trainer/tensor_files/scalar_type.h"

#include <c10/util/strides.h>

#include <caffe2/serialize/inline_container.h>

#include <cstdlib>
#include <map>
#include <set>
#include <tuple>

namespace rankscope::trainer {
namespace {

/// Takes ownership of the bytes.
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
        return fail(Errc::Malformed, std::string(e.what_without_backtrace()), where);
    }
    return out;
}

/// Identifies a tensor's bytes, so that tied weights are written once.
using StorageKey = std::tuple<const void*, std::int64_t, torch::ScalarType>;

struct FilePlan {
    std::vector<TensorSpec> specs;
    std::vector<torch::Tensor> storages; ///< record data/<index>
};

Result<FilePlan> planOf(const StateDict& state, const std::string& where) {
    FilePlan plan;
    std::set<std::string> names;
    std::map<StorageKey, std::size_t> written;
    for (const auto& [name, tensor] : state) {
        const auto type = tensor.defined() ? elementType(tensor.scalar_type()) : std::nullopt;
        if (!type)
            return fail(Errc::BadInput, {"tensor {}: this type cannot be written", name}, where);
        if (!names.insert(name).second)
            return fail(Errc::BadInput, {"tensor {} occurs twice", name}, where);
        std::size_t index = plan.storages.size();
        if (tensor.is_contiguous() && tensor.numel() > 0)
            index = written.emplace(StorageKey(tensor.const_data_ptr(), tensor.numel(), tensor.scalar_type()), index)
                        .first->second;
        if (index == plan.storages.size())
            plan.storages.push_back(tensor);
        const auto strides = c10::contiguous_strides(tensor.sizes());
        plan.specs.push_back({name,
                              {std::to_string(index), *type, tensor.numel()},
                              0,
                              tensor.sizes().vec(),
                              {strides.begin(), strides.end()}});
    }
    return plan;
}

} // namespace

Result<StateDict> readTorchCheckpoint(const std::filesystem::path& path) {
    return readFrom(ArchiveReader::openFile(path, ArchiveReader::ArchiveKind::Zip), path.string());
}

Result<StateDict> readTorchCheckpoint(std::string_view bytes, const std::string& where) {
    return readFrom(ArchiveReader::openBytes(bytes, where, ArchiveReader::ArchiveKind::Zip), where);
}

namespace detail {

Result<void> streamTorchCheckpoint(const StateDict& state, const std::string& where,
                                   const std::function<void(const void*, std::size_t)>& sink) {
    RS_TRY_ASSIGN(const auto plan, planOf(state, where));
    // a failed sink reports its error itself: an exception out of this callback would end the process
    caffe2::serialize::PyTorchStreamWriter zip([&](const void* data, std::size_t size) {
        sink(data, size);
        return size;
    });
    const std::string description = writePickledState(plan.specs);
    zip.writeRecord("data.pkl", description.data(), description.size());
    zip.writeRecord("byteorder", "little", 6);
    for (std::size_t i = 0; i < plan.storages.size(); ++i) {
        const auto host = plan.storages[i].detach().to(torch::kCPU).contiguous();
        const void* bytes = host.nbytes() > 0 ? host.const_data_ptr() : "";
        zip.writeRecord("data/" + std::to_string(i), bytes, host.nbytes());
    }
    zip.writeEndOfFile();
    return {};
}

} // namespace detail

Result<void> writeTorchCheckpoint(const std::filesystem::path& path, const StateDict& state) {
    RS_TRY_ASSIGN(auto file, AtomicFile::create(path));
    const auto sink = [&](const void* data, std::size_t size) { file.write(data, size); };
    RS_TRY(detail::streamTorchCheckpoint(state, path.string(), sink));
    return file.commit();
}

} // namespace rankscope::trainer
