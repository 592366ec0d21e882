// SPDX-License-Identifier: Apache-2.0
#include "core/base/file.h"
#include "core/trainer/checkpoint/safetensors.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <set>

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

bool writeAll(int fd, const void* data, std::size_t size) {
    const auto* p = static_cast<const char*>(data);
    while (size > 0) {
        const ssize_t n = ::write(fd, p, std::min<std::size_t>(size, 1u << 30));
        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0)
            return false;
        p += n;
        size -= static_cast<std::size_t>(n);
    }
    return true;
}

/// Removes the half-written file unless it was renamed.
struct Temporary {
    std::string name;
    UniqueFd fd;
    ~Temporary() {
        if (!name.empty())
            ::unlink(name.c_str());
    }
};

bool writeTensors(int fd, const std::vector<Named>& tensors) {
    for (const auto& item : tensors) {
        const auto host = item.second.detach().to(torch::kCPU).contiguous();
        if (!writeAll(fd, host.const_data_ptr(), host.nbytes()))
            return false;
    }
    return true;
}

void syncFolder(const std::filesystem::path& path) {
    const auto folder = path.has_parent_path() ? path.parent_path() : std::filesystem::path(".");
    const UniqueFd fd(::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
    if (fd)
        ::fsync(fd.get());
}

} // namespace

Result<void> writeSafetensors(const std::filesystem::path& path, const std::vector<Named>& given,
                              const std::map<std::string, std::string>& metadata) {
    const std::vector<Named> tensors = byAlignment(given);
    const auto header = headerOf(tensors, metadata);
    if (!header)
        return fail(Errc::BadInput, header.error(), path.string());
    Temporary file;
    std::string name = path.string() + ".XXXXXX";
    file.fd = UniqueFd(::mkostemp(name.data(), O_CLOEXEC));
    if (!file.fd)
        return tl::unexpected(systemError("cannot create a file beside it", path.string(), errno));
    file.name = name;
    if (!writeAll(file.fd.get(), header->data(), header->size()) || !writeTensors(file.fd.get(), tensors) ||
        ::fsync(file.fd.get()) != 0)
        return tl::unexpected(systemError("cannot write", path.string(), errno));
    if (::rename(name.c_str(), path.c_str()) != 0)
        return tl::unexpected(systemError("cannot replace", path.string(), errno));
    file.name.clear();
    syncFolder(path);
    return {};
}

} // namespace rankscope::trainer
