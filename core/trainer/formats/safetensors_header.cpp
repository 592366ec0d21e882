// SPDX-License-Identifier: Apache-2.0
#include "core/trainer/formats/safetensors_header.h"

#include "core/base/json_read.h"
#include "core/base/regular_file.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <limits>
#include <optional>
#include <set>
#include <tuple>

namespace rankscope::trainer {
namespace {

using nlohmann::json;

constexpr std::uint64_t kMaxHeader = 100u << 20; ///< as the reference implementation
constexpr std::size_t kMaxDimensions = 16;

struct TypeName {
    const char* name;
    ElementType type;
};
constexpr TypeName kTypes[] = {{"F64", ElementType::F64},   {"F32", ElementType::F32}, {"F16", ElementType::F16},
                               {"BF16", ElementType::BF16}, {"I64", ElementType::I64}, {"I32", ElementType::I32},
                               {"I16", ElementType::I16},   {"I8", ElementType::I8},   {"U8", ElementType::U8},
                               {"BOOL", ElementType::Bool}};

tl::unexpected<Error> malformed(const std::string& what, const std::filesystem::path& path) {
    return fail(Errc::Malformed, what, path.string());
}

std::optional<std::uint64_t> asSize(const json& value) {
    if (!value.is_number_unsigned())
        return std::nullopt;
    return value.get<std::uint64_t>();
}

/// Bytes of a tensor, or nothing when they do not fit in 63 bits.
std::optional<std::uint64_t> byteCount(const std::vector<std::int64_t>& shape, std::uint64_t elementSize) {
    std::uint64_t bytes = elementSize;
    constexpr std::uint64_t limit = std::numeric_limits<std::int64_t>::max();
    for (const std::int64_t n : shape) {
        if (n != 0 && bytes > limit / static_cast<std::uint64_t>(n))
            return std::nullopt;
        bytes *= static_cast<std::uint64_t>(n);
    }
    return bytes;
}

/// An error text, or the entry.
tl::expected<SafetensorsEntry, std::string> entryOf(const std::string& name, const json& item) {
    if (!item.is_object() || !item.contains("dtype") || !item.contains("shape") || !item.contains("data_offsets"))
        return tl::unexpected(fmt::format("tensor {}: dtype, shape or data_offsets is missing", name));
    const json &dtype = item["dtype"], &shape = item["shape"], &offsets = item["data_offsets"];
    const auto* known = std::find_if(std::begin(kTypes), std::end(kTypes), [&](const TypeName& t) {
        return dtype.is_string() && dtype.get_ref<const std::string&>() == t.name;
    });
    if (known == std::end(kTypes))
        return tl::unexpected(fmt::format("tensor {}: dtype {} is not supported", name, shownJson(dtype)));
    if (!shape.is_array() || shape.size() > kMaxDimensions)
        return tl::unexpected(fmt::format("tensor {}: shape is not a list of at most {} sizes", name, kMaxDimensions));
    SafetensorsEntry entry{name, known->type, {}, 0, 0};
    for (const json& n : shape) {
        const auto size = asSize(n);
        if (!size || *size > static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max()))
            return tl::unexpected(fmt::format("tensor {}: shape has the size {}", name, shownJson(n)));
        entry.shape.push_back(static_cast<std::int64_t>(*size));
    }
    const auto begin = offsets.is_array() && offsets.size() == 2 ? asSize(offsets[0]) : std::nullopt;
    const auto end = begin ? asSize(offsets[1]) : std::nullopt;
    if (!begin || !end || *begin > *end)
        return tl::unexpected(fmt::format("tensor {}: data_offsets {} is no range", name, shownJson(offsets)));
    entry.begin = *begin;
    entry.end = *end;
    const auto bytes = byteCount(entry.shape, elementBytes(known->type));
    if (!bytes || *bytes != *end - *begin)
        return tl::unexpected(fmt::format("tensor {}: shape and data_offsets disagree", name));
    return entry;
}

bool readAt(int fd, void* target, std::uint64_t size, std::uint64_t offset) {
    auto* p = static_cast<char*>(target);
    while (size > 0) {
        const ssize_t n = ::pread(fd, p, std::min<std::uint64_t>(size, 1u << 30), static_cast<off_t>(offset));
        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0)
            return false;
        p += n;
        offset += static_cast<std::uint64_t>(n);
        size -= static_cast<std::uint64_t>(n);
    }
    return true;
}

/// Entries sorted by their bytes, which must cover the file without a gap or an overlap.
tl::expected<std::vector<SafetensorsEntry>, std::string> entriesOf(const json& header, std::uint64_t dataBytes) {
    std::vector<SafetensorsEntry> entries;
    for (const auto& [name, item] : header.items()) {
        if (name == "__metadata__")
            continue;
        auto entry = entryOf(name, item);
        if (!entry)
            return tl::unexpected(entry.error());
        entries.push_back(std::move(*entry));
    }
    std::sort(entries.begin(), entries.end(), [](const SafetensorsEntry& a, const SafetensorsEntry& b) {
        return std::tie(a.begin, a.end) < std::tie(b.begin, b.end);
    });
    std::uint64_t at = 0;
    for (const SafetensorsEntry& e : entries) {
        if (e.begin != at)
            return tl::unexpected(fmt::format("tensor {}: its bytes begin at {}, not at {}", e.name, e.begin, at));
        at = e.end;
    }
    if (at != dataBytes)
        return tl::unexpected(fmt::format("the header describes {} bytes of tensors, the file has {}", at, dataBytes));
    return entries;
}

/// JSON object without duplicate keys at its top, or nothing.
std::optional<json> parseHeader(const std::string& text) {
    if (text.find('\0') != std::string::npos) // the parser would take it for the end
        return std::nullopt;
    std::set<std::string> names;
    bool duplicate = false;
    const auto watch = [&](int depth, json::parse_event_t event, json& value) {
        if (depth == 1 && event == json::parse_event_t::key)
            duplicate |= !names.insert(value.get<std::string>()).second;
        return true;
    };
    json header = json::parse(text, watch, false);
    if (duplicate || !header.is_object())
        return std::nullopt;
    return header;
}

std::map<std::string, std::string> metadataOf(const json& header) {
    std::map<std::string, std::string> out;
    if (header.contains("__metadata__") && header.at("__metadata__").is_object())
        for (const auto& [key, value] : header.at("__metadata__").items())
            if (value.is_string())
                out[key] = value.get<std::string>();
    return out;
}

} // namespace

const char* safetensorsName(ElementType type) {
    for (const TypeName& t : kTypes)
        if (t.type == type)
            return t.name;
    return "";
}

bool SafetensorsFile::read(const SafetensorsEntry& entry, void* target) const {
    return readAt(fd.get(), target, entry.end - entry.begin, dataStart + entry.begin);
}

Result<SafetensorsFile> openSafetensors(const std::filesystem::path& path) {
    SafetensorsFile out;
    auto file = openRegularFile(path);
    if (!file)
        return tl::unexpected(file.error());
    out.fd = std::move(file->fd);
    const std::uint64_t fileBytes = file->bytes;
    std::uint64_t headerBytes = 0;
    if (fileBytes < sizeof headerBytes || !readAt(out.fd.get(), &headerBytes, sizeof headerBytes, 0))
        return malformed("is no safetensors file: it is shorter than its header size", path);
    if (headerBytes > kMaxHeader || headerBytes > fileBytes - sizeof headerBytes)
        return malformed(fmt::format("is no safetensors file: a header of {} bytes does not fit in {} bytes",
                                     headerBytes, fileBytes),
                         path);
    std::string text(headerBytes, '\0');
    if (!readAt(out.fd.get(), text.data(), headerBytes, sizeof headerBytes))
        return malformed("is cut off in its header", path);
    const auto header = parseHeader(text);
    if (!header)
        return malformed("is no safetensors file: its header is no JSON object with distinct names", path);
    out.dataStart = sizeof headerBytes + headerBytes;
    auto entries = entriesOf(*header, fileBytes - out.dataStart);
    if (!entries)
        return malformed(entries.error(), path);
    out.entries = std::move(*entries);
    out.metadata = metadataOf(*header);
    return out;
}

} // namespace rankscope::trainer
