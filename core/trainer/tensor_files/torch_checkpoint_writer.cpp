// SPDX-License-Identifier: Apache-2.0
#include "core/base/files/atomic_file.h"
#include "core/base/values/result.h"
#include "core/trainer/formats/pickle/pickled_state.h"
#include "core/trainer/tensor_files/scalar_type.h"
#include "core/trainer/tensor_files/torch_checkpoint.h"

#include <c10/util/strides.h>

#include <caffe2/serialize/inline_container.h>
#include <fmt/format.h>

#include <map>
#include <set>
#include <tuple>

namespace rankscope::trainer {
namespace {

/// What the tensors' bytes are, so that tied weights are written once.
using Place = std::tuple<const void*, std::int64_t, torch::ScalarType>;

struct Plan {
    std::vector<TensorSpec> specs;
    std::vector<torch::Tensor> storages; ///< record data/<index>
};

Result<Plan> planOf(const StateDict& state, const std::string& where) {
    Plan plan;
    std::set<std::string> names;
    std::map<Place, std::size_t> written;
    for (const auto& [name, tensor] : state) {
        const auto type = tensor.defined() ? elementType(tensor.scalar_type()) : std::nullopt;
        if (!type)
            return fail(Errc::BadInput, fmt::format("tensor {}: this type cannot be written", name), where);
        if (!names.insert(name).second)
            return fail(Errc::BadInput, fmt::format("tensor {} comes twice", name), where);
        std::size_t index = plan.storages.size();
        if (tensor.is_contiguous() && tensor.numel() > 0)
            index = written.emplace(Place(tensor.const_data_ptr(), tensor.numel(), tensor.scalar_type()), index)
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

namespace detail {

Result<void> streamTorchCheckpoint(const StateDict& state, const std::string& where,
                                   const std::function<void(const void*, std::size_t)>& sink) {
    RS_TRY_ASSIGN(const auto plan, planOf(state, where));
    // a sink that fails says so at its own end: an exception out of this callback would end the process
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
    if (auto ok = detail::streamTorchCheckpoint(state, path.string(), sink); !ok)
        return ok;
    return file.commit();
}

} // namespace rankscope::trainer
