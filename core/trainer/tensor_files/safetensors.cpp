// SPDX-License-Identifier: Apache-2.0
#include "core/trainer/tensor_files/safetensors.h"

#include "core/base/values/result.h"
#include "core/trainer/formats/tensors/safetensors_header.h"
#include "core/trainer/tensor_files/scalar_type.h"

#include <fmt/format.h>

namespace rankscope::trainer {

namespace detail {
const char* safetensorsName(torch::ScalarType type) {
    const auto known = elementType(type);
    return known ? trainer::safetensorsName(*known) : nullptr;
}
} // namespace detail

torch::Tensor SafeTensors::find(const std::string& name) const {
    for (const auto& [key, tensor] : tensors)
        if (key == name)
            return tensor;
    return {};
}

std::vector<std::pair<std::string, torch::Tensor>> SafeTensors::under(const std::string& prefix) const {
    std::vector<std::pair<std::string, torch::Tensor>> out;
    for (const auto& [key, tensor] : tensors)
        if (key.starts_with(prefix))
            out.emplace_back(key.substr(prefix.size()), tensor);
    return out;
}

Result<std::map<std::string, std::string>> readSafetensorsMetadata(const std::filesystem::path& path) {
    RS_TRY_ASSIGN(auto opened, openSafetensors(path));
    return std::move(opened.metadata);
}

Result<SafeTensors> readSafetensors(const std::filesystem::path& path) {
    RS_TRY_ASSIGN(auto opened, openSafetensors(path));
    SafeTensors out;
    out.metadata = std::move(opened.metadata);
    for (const SafetensorsEntry& e : opened.entries) {
        auto tensor = torch::empty(e.shape, torchType(e.type));
        if (!opened.read(e, tensor.mutable_data_ptr()))
            return fail(Errc::Malformed, fmt::format("tensor {}: its bytes cannot be read", e.name), path.string());
        if (e.type == ElementType::Bool) // any other byte would be an undefined bool
            tensor = tensor.view(torch::kUInt8).ne(0);
        out.tensors.emplace_back(e.name, tensor);
    }
    return out;
}

} // namespace rankscope::trainer
