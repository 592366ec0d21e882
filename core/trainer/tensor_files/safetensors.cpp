// SPDX-License-Identifier: Apache-2.0
#include "core/trainer/tensor_files/safetensors.h"

#include "core/base/values/result.h"
#include "core/trainer/formats/tensors/safetensors_header.h"
#include "core/trainer/tensor_files/scalar_type.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <cstring>
#include <utility>

namespace rankscope::trainer {
namespace {

using nlohmann::json;

/// Sorts by element size, widest first, so that every tensor is aligned without gaps.
StateDict byAlignment(StateDict tensors) {
    std::stable_sort(tensors.begin(), tensors.end(),
                     [](const auto& a, const auto& b) { return a.second.element_size() > b.second.element_size(); });
    return tensors;
}

/// Returns the header, preceded by its size and padded with spaces to 8 bytes, or what is wrong with a tensor.
tl::expected<std::string, Message> headerOf(const StateDict& tensors,
                                            const std::map<std::string, std::string>& metadata) {
    json header = json::object();
    if (!metadata.empty())
        header["__metadata__"] = metadata;
    std::uint64_t at = 0;
    for (const auto& [name, tensor] : tensors) {
        const auto type = tensor.defined() ? elementType(tensor.scalar_type()) : std::nullopt;
        if (!type)
            return tl::unexpected(Message("tensor {}: this type cannot be written", name));
        if (name == "__metadata__" || header.contains(name))
            return tl::unexpected(Message("tensor {}: the name is taken", name));
        const std::uint64_t bytes = tensor.nbytes();
        header[name] = {
            {"dtype", safetensorsName(*type)}, {"shape", tensor.sizes().vec()}, {"data_offsets", {at, at + bytes}}};
        at += bytes;
    }
    std::string text = header.dump(-1, ' ', false, json::error_handler_t::replace);
    text.resize((text.size() + 7) / 8 * 8, ' ');
    const std::uint64_t size = text.size();
    std::string out(sizeof size, '\0');
    std::memcpy(out.data(), &size, sizeof size);
    return out + text;
}

} // namespace

torch::Tensor SafeTensors::find(const std::string& name) const {
    for (const auto& [key, tensor] : tensors)
        if (key == name)
            return tensor;
    return {};
}

StateDict SafeTensors::under(const std::string& prefix) const {
    StateDict out;
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
            return fail(Errc::Malformed, {"tensor {}: its bytes cannot be read", e.name}, path.string());
        if (e.type == ElementType::Bool) // any other byte would be an undefined bool
            tensor = tensor.view(torch::kUInt8).ne(0);
        out.tensors.emplace_back(e.name, tensor);
    }
    return out;
}

Result<void> writeSafetensors(const std::filesystem::path& path, const StateDict& tensors,
                              const std::map<std::string, std::string>& metadata) {
    RS_TRY_ASSIGN(auto file, AtomicFile::create(path));
    return writeSafetensors(std::move(file), tensors, metadata);
}

Result<void> writeSafetensors(AtomicFile file, const StateDict& given,
                              const std::map<std::string, std::string>& metadata) {
    const StateDict tensors = byAlignment(given);
    const auto header = headerOf(tensors, metadata);
    if (!header)
        return fail(Errc::BadInput, header.error(), file.path().string());
    file.write(header->data(), header->size());
    for (const auto& item : tensors) {
        const auto host = item.second.detach().to(torch::kCPU).contiguous();
        file.write(host.const_data_ptr(), host.nbytes());
    }
    return file.commit();
}

} // namespace rankscope::trainer
