// SPDX-License-Identifier: Apache-2.0
#include "core/trainer/formats/tensors/safetensors_header.h"

#include "core/base/files/file.h"
#include "core/base/text/untrusted_json.h"
#include "core/base/values/result.h"

#include <nlohmann/json.hpp>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <limits>
#include <optional>
#include <string_view>
#include <tuple>

namespace rankscope::trainer {
namespace {

using nlohmann::json;

constexpr std::uint64_t kMaxHeader = 100u << 20; ///< as in the reference implementation
constexpr std::size_t kMaxDimensions = 16;

struct TypeName {
    const char* name;
    ElementType type;
};
constexpr TypeName kTypes[] = {{"F64", ElementType::F64},   {"F32", ElementType::F32}, {"F16", ElementType::F16},
                               {"BF16", ElementType::BF16}, {"I64", ElementType::I64}, {"I32", ElementType::I32},
                               {"I16", ElementType::I16},   {"I8", ElementType::I8},   {"U8", ElementType::U8},
                               {"BOOL", ElementType::Bool}};

tl::unexpected<Error> malformed(Message what, const std::filesystem::path& path) {
    return fail(Errc::Malformed, std::move(what), path.string());
}

/// Returns the bytes of a tensor, or none if they do not fit in 63 bits.
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

/// Creates the entries while the header is read. It builds no tree of values and reads nothing twice, so time and
/// memory grow only with the header's size, whatever its content.
class HeaderReader final : public json::json_sax_t {
public:
    /// Returns what is wrong with a tensor; empty if the header is sound or is not a JSON object.
    const Message& problem() const { return m_problem; }
    bool metadataTwice() const { return m_metadataTwice; }
    std::vector<SafetensorsEntry> takeEntries() { return std::move(m_entries); }
    std::map<std::string, std::string> takeMetadata() { return std::move(m_metadata); }

    bool null() override { return scalar(std::string("null")); }
    bool boolean(bool value) override { return scalar(std::string(value ? "true" : "false")); }
    bool number_integer(number_integer_t value) override { return scalar(std::to_string(value)); }
    bool number_unsigned(number_unsigned_t value) override {
        if (m_depth == 3 && m_field == HeaderField::Shape)
            return addSize(value);
        if (m_depth == 3 && m_field == HeaderField::Offsets)
            return addOffset(value);
        return scalar(std::to_string(value));
    }
    bool number_float(number_float_t, const string_t& text) override { return scalar(text); }
    bool string(string_t& text) override {
        if (m_depth == 2 && m_inMetadata) {
            m_metadata[m_key] = std::move(text);
            return true;
        }
        return m_depth == 2 && m_field == HeaderField::Type ? setType(text) : scalar(dumpJson(json(text)));
    }
    bool binary(binary_t&) override { return false; }
    bool start_object(std::size_t) override {
        if (m_depth == 1 && !m_inMetadata)
            m_isTensor = true;
        else if (m_depth > 1 && !scalar("an object"))
            return false;
        return ++m_depth <= kDeepestJson;
    }
    bool key(string_t& name) override {
        if (m_depth == 1)
            beginItem(name);
        else if (m_depth == 2 && m_inMetadata)
            m_key = std::move(name);
        else if (m_depth == 2)
            m_field = fieldOf(name);
        return true;
    }
    bool end_object() override {
        --m_depth;
        const bool tensorEnds = m_depth == 1 && m_isTensor;
        return tensorEnds ? endTensor() : true;
    }
    bool start_array(std::size_t) override {
        if (m_depth == 2 && m_field == HeaderField::Shape) { // if a field occurs twice, the last one counts
            m_entry.shape.clear();
            m_hasShape = true;
        } else if (m_depth == 2 && m_field == HeaderField::Offsets) {
            m_offsets.clear();
            m_hasOffsets = true;
        } else if (!scalar("a list")) {
            return false;
        }
        return ++m_depth <= kDeepestJson;
    }
    bool end_array() override {
        --m_depth;
        return true;
    }
    bool parse_error(std::size_t, const std::string&, const nlohmann::detail::exception&) override { return false; }

private:
    enum class HeaderField { Other, Type, Shape, Offsets };

    static HeaderField fieldOf(std::string_view name) {
        return name == "dtype"          ? HeaderField::Type
               : name == "shape"        ? HeaderField::Shape
               : name == "data_offsets" ? HeaderField::Offsets
                                        : HeaderField::Other;
    }

    void beginItem(std::string& name) {
        m_field = HeaderField::Other;
        m_isTensor = m_hasType = m_hasShape = m_hasOffsets = false;
        const bool metadata = name == "__metadata__";
        m_metadataTwice |= metadata && m_sawMetadata;
        m_sawMetadata |= metadata;
        m_inMetadata = metadata;
        m_offsets.clear();
        m_entry = {};
        m_entry.name = std::move(name);
    }

    bool wrong(Message what) {
        m_problem = Message("tensor {}: {}", m_entry.name, std::move(what));
        return false;
    }

    /// Accepts a value only where it is ignored. False: it is in a field that is used, or outside an object.
    bool scalar(const Message& shown) {
        if (m_depth == 0)
            return false;
        if (m_inMetadata)
            return true;
        if (m_depth == 1)
            return wrong(kMissing);
        if (m_field == HeaderField::Type)
            return wrong({"dtype {} is not supported", shown});
        if (m_field == HeaderField::Offsets)
            return wrong({"data_offsets {} is not a range", m_depth == 2 ? Message(shown) : Message("a list")});
        if (m_field == HeaderField::Shape)
            return wrong(m_depth == 2 ? badShape() : Message("shape contains the size {}", shown));
        return true;
    }

    bool setType(const std::string& text) {
        const auto* known =
            std::find_if(std::begin(kTypes), std::end(kTypes), [&](const TypeName& t) { return text == t.name; });
        if (known == std::end(kTypes))
            return scalar(dumpJson(json(text)));
        m_entry.type = known->type;
        m_hasType = true;
        return true;
    }

    bool addSize(std::uint64_t size) {
        if (m_entry.shape.size() == kMaxDimensions)
            return wrong(badShape());
        if (size > static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max()))
            return scalar(std::to_string(size));
        m_entry.shape.push_back(static_cast<std::int64_t>(size));
        return true;
    }

    bool addOffset(std::uint64_t offset) {
        if (m_offsets.size() == 2)
            return scalar("a list");
        m_offsets.push_back(offset);
        return true;
    }

    bool endTensor() {
        m_isTensor = false;
        if (!m_hasType || !m_hasShape || !m_hasOffsets)
            return wrong(kMissing);
        if (m_offsets.size() != 2 || m_offsets[0] > m_offsets[1])
            return wrong({"data_offsets {} is not a range", Message("a list")});
        m_entry.begin = m_offsets[0];
        m_entry.end = m_offsets[1];
        const auto bytes = byteCount(m_entry.shape, elementBytes(m_entry.type));
        if (!bytes || *bytes != m_entry.end - m_entry.begin)
            return wrong("shape and data_offsets disagree");
        m_entries.push_back(std::move(m_entry));
        return true;
    }

    static constexpr char kMissing[] = "dtype, shape or data_offsets is missing";
    static Message badShape() { return {"shape is not a list of at most {} sizes", kMaxDimensions}; }

    std::vector<SafetensorsEntry> m_entries;
    std::map<std::string, std::string> m_metadata;
    Message m_problem;
    int m_depth = 0; ///< objects and lists around the next value: 1 for a tensor, 2 for one of its fields, 3 for an
                     ///< item of a field
    bool m_inMetadata = false, m_sawMetadata = false, m_metadataTwice = false;
    std::string m_key; ///< of metadata
    // the tensor that is being read
    bool m_isTensor = false, m_hasType = false, m_hasShape = false, m_hasOffsets = false;
    HeaderField m_field = HeaderField::Other;
    SafetensorsEntry m_entry;
    std::vector<std::uint64_t> m_offsets;
};

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

bool namesDiffer(const std::vector<SafetensorsEntry>& entries) {
    std::vector<std::string_view> names;
    names.reserve(entries.size());
    for (const SafetensorsEntry& e : entries)
        names.push_back(e.name);
    std::sort(names.begin(), names.end());
    return std::adjacent_find(names.begin(), names.end()) == names.end();
}

/// Sorts the entries by their bytes, which must cover the file without a gap or an overlap. Returns what is wrong, or
/// empty.
Message coverage(std::vector<SafetensorsEntry>& entries, std::uint64_t dataBytes) {
    std::sort(entries.begin(), entries.end(), [](const SafetensorsEntry& a, const SafetensorsEntry& b) {
        return std::tie(a.begin, a.end) < std::tie(b.begin, b.end);
    });
    std::uint64_t at = 0;
    for (const SafetensorsEntry& e : entries) {
        if (e.begin != at)
            return {"tensor {}: its bytes begin at {}, not at {}", e.name, std::to_string(e.begin), std::to_string(at)};
        at = e.end;
    }
    return at == dataBytes ? Message()
                           : Message("the header describes {} bytes of tensors, but the file has {}",
                                     std::to_string(at), dataBytes);
}

/// Returns what is wrong with the header, or empty.
Message readHeader(const std::string& text, std::uint64_t dataBytes, SafetensorsFile& out) {
    HeaderReader reader;
    // the parser would take a NUL as the end
    const bool sound = text.find('\0') == std::string::npos && json::sax_parse(text, &reader);
    if (!reader.problem().empty())
        return reader.problem();
    out.entries = reader.takeEntries();
    if (!sound || reader.metadataTwice() || !namesDiffer(out.entries))
        return "is not a safetensors file: its header is not a JSON object with distinct names";
    out.metadata = reader.takeMetadata();
    return coverage(out.entries, dataBytes);
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
    RS_TRY_ASSIGN(auto file, openRegularFile(path));
    out.fd = std::move(file.fd);
    const std::uint64_t fileBytes = file.bytes;
    std::uint64_t headerBytes = 0;
    if (fileBytes < sizeof headerBytes || !readAt(out.fd.get(), &headerBytes, sizeof headerBytes, 0))
        return malformed("is not a safetensors file: it is shorter than its header size", path);
    if (headerBytes > kMaxHeader || headerBytes > fileBytes - sizeof headerBytes)
        return malformed({"is not a safetensors file: a header of {} bytes does not fit in {} bytes",
                          std::to_string(headerBytes), fileBytes},
                         path);
    std::string text(headerBytes, '\0');
    if (!readAt(out.fd.get(), text.data(), headerBytes, sizeof headerBytes))
        return malformed("is cut off in its header", path);
    out.dataStart = sizeof headerBytes + headerBytes;
    if (Message wrong = readHeader(text, fileBytes - out.dataStart, out); !wrong.empty())
        return malformed(std::move(wrong), path);
    return out;
}

} // namespace rankscope::trainer
