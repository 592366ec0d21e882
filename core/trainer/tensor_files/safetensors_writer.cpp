// SPDX-License-Identifier: Apache-2.0
#include "core/base/files/atomic_file.h"
#include "core/base/values/result.h"
#include "core/trainer/tensor_files/safetensors.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cstring>

namespace rankscope::trainer {
namespace {

using nlohmann::json;
using Named = std::pair<std::string, torch::Tensor>;

/// Widest elements first, so that every tensor is aligned without gaps.
std::vector<Named> byAlignment(std::vector<Named> tensors) {
    std::stable_sort(tensors.begin(), tensors.end(),
                     [](const Named& a, const Named& b) { return a.second.element_size() > b.second.element_size(); });
    return tensors;
}

/// Header with its size before it, padded with spaces to 8 bytes; or what is wrong with a tensor.
tl::expected<std::string, std::string> headerOf(const std::vector<Named>& tensors,
                                                const std::map<std::string, std::string>& metadata) {
    json header = json::object();
    if (!metadata.empty())
        header["__metadata__"] = metadata;
    std::uint64_t at = 0;
    for (const auto& [name, tensor] : tensors) {
        const char* type = tensor.defined() ? detail::safetensorsName(tensor.scalar_type()) : nullptr;
        if (!type)
            return tl::unexpected(fmt::format("tensor {}: this type cannot be written", name));
        if (name == "__metadata__" || header.contains(name))
            return tl::unexpected(fmt::format("tensor {}: the name is taken", name));
        const std::uint64_t bytes = tensor.nbytes();
        header[name] = {{"dtype", type}, {"shape", tensor.sizes().vec()}, {"data_offsets", {at, at + bytes}}};
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

Result<void> writeSafetensors(const std::filesystem::path& path, const std::vector<Named>& given,
                              const std::map<std::string, std::string>& metadata) {
    const std::vector<Named> tensors = byAlignment(given);
    const auto header = headerOf(tensors, metadata);
    if (!header)
        return fail(Errc::BadInput, header.error(), path.string());
    RS_TRY_ASSIGN(auto file, AtomicFile::create(path));
    file.write(header->data(), header->size());
    for (const auto& item : tensors) {
        const auto host = item.second.detach().to(torch::kCPU).contiguous();
        file.write(host.const_data_ptr(), host.nbytes());
    }
    return file.commit();
}

} // namespace rankscope::trainer
