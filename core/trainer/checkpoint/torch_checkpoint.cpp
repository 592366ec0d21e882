// SPDX-License-Identifier: Apache-2.0
#include "core/trainer/checkpoint/torch_checkpoint.h"

#include "core/trainer/checkpoint/archive_reader.h"
#include "core/trainer/checkpoint/pickled_state.h"

#include <fmt/format.h>

#include <map>
#include <optional>

namespace rankscope::trainer {
namespace {

constexpr std::uint64_t kMaxPickle = 16u << 20; ///< of a state dict: some 150 bytes a tensor
constexpr std::size_t kMaxRecords = 1u << 20;

class Records {
public:
    explicit Records(std::string where) : m_where(std::move(where)) {}

    Result<void> read(ArchiveReader& zip);
    Result<StateDict> state();

private:
    Result<void> readRecord(ArchiveReader& zip, const ArchiveReader::Member& member);
    Result<torch::Tensor> storage(const TensorSpec& spec);
    tl::unexpected<Error> malformed(const std::string& what) const { return fail(Errc::Malformed, what, m_where); }

    std::string m_where, m_root, m_byteOrder;
    std::optional<std::string> m_pickle;
    std::map<std::string, torch::Tensor> m_data;     ///< bytes of the records data/<key>
    std::map<std::string, torch::Tensor> m_storages; ///< of the keys that were used
    std::uint64_t m_left = 0;                        ///< bytes that may still be read
    std::size_t m_records = 0;
};

Result<void> Records::read(ArchiveReader& zip) {
    m_left = zip.size(); // records are stored, not packed: together they are smaller than the file
    for (;;) {
        const auto member = zip.next();
        if (!member)
            return tl::unexpected(member.error());
        if (!*member)
            break;
        if (++m_records > kMaxRecords)
            return malformed(fmt::format("has more than {} records", kMaxRecords));
        if ((*member)->type == ArchiveReader::Member::Type::Folder)
            continue;
        if (auto ok = readRecord(zip, **member); !ok)
            return ok;
    }
    if (!m_pickle)
        return malformed("is no PyTorch checkpoint: it has no record data.pkl");
    if (!m_byteOrder.empty() && m_byteOrder != "little")
        return fail(Errc::Unsupported, "was written by a big-endian machine", m_where);
    return {};
}

Result<void> Records::readRecord(ArchiveReader& zip, const ArchiveReader::Member& member) {
    const auto slash = member.name.find('/');
    if (slash == std::string::npos || member.type != ArchiveReader::Member::Type::File)
        return malformed(fmt::format("is no PyTorch checkpoint: it has the member {}", member.name));
    const std::string root = member.name.substr(0, slash), name = member.name.substr(slash + 1);
    if (m_records == 1)
        m_root = root;
    if (root != m_root)
        return malformed(fmt::format("record {} is not under {}/", member.name, m_root));
    const bool isData = name.starts_with("data/"), isPickle = name == "data.pkl", isOrder = name == "byteorder";
    if (!isData && !isPickle && !isOrder)
        return {};
    const std::uint64_t limit = isData ? m_left : std::min<std::uint64_t>(m_left, isPickle ? kMaxPickle : 16);
    if (member.size > limit)
        return malformed(fmt::format("record {} says that it has {} bytes; at most {} are possible", member.name,
                                     member.size, limit));
    m_left -= member.size;
    if (isData) {
        auto bytes = torch::empty({static_cast<std::int64_t>(member.size)}, torch::kUInt8);
        if (!m_data.emplace(name.substr(5), bytes).second)
            return malformed(fmt::format("record {} comes twice", member.name));
        return zip.read(bytes.mutable_data_ptr(), member.size);
    }
    std::string text(member.size, '\0');
    if (isPickle && m_pickle)
        return malformed(fmt::format("record {} comes twice", member.name));
    if (auto ok = zip.read(text.data(), member.size); !ok)
        return ok;
    if (isPickle)
        m_pickle = std::move(text);
    else
        m_byteOrder = std::move(text);
    return {};
}

Result<torch::Tensor> Records::storage(const TensorSpec& spec) {
    const StorageSpec& wanted = spec.storage;
    if (const auto known = m_storages.find(wanted.key); known != m_storages.end()) {
        if (known->second.scalar_type() != wanted.type || known->second.numel() != wanted.elements)
            return malformed(fmt::format("tensor {}: another tensor has its storage with another type", spec.name));
        return known->second;
    }
    const auto record = m_data.find(wanted.key);
    if (record == m_data.end())
        return malformed(fmt::format("tensor {}: record data/{} is missing", spec.name, wanted.key));
    torch::Tensor bytes = std::move(record->second);
    m_data.erase(record);
    const auto elementSize = static_cast<std::int64_t>(c10::elementSize(wanted.type));
    if (bytes.numel() % elementSize != 0 || bytes.numel() / elementSize != wanted.elements)
        return malformed(fmt::format("tensor {}: {} {} elements do not fit record data/{} of {} bytes", spec.name,
                                     wanted.elements, c10::toString(wanted.type), wanted.key, bytes.numel()));
    // any byte but 0 and 1 would be an undefined bool
    torch::Tensor typed = wanted.type == torch::kBool ? bytes.ne(0) : bytes.view(wanted.type);
    m_storages.emplace(wanted.key, typed);
    return typed;
}

Result<StateDict> Records::state() {
    const auto specs = readPickledState(*m_pickle);
    if (!specs)
        return malformed(fmt::format("data.pkl: {}", specs.error()));
    StateDict out;
    for (const TensorSpec& spec : *specs) {
        const auto whole = storage(spec);
        if (!whole)
            return tl::unexpected(whole.error());
        out.emplace_back(spec.name, whole->as_strided(spec.shape, spec.strides, spec.offset));
    }
    return out;
}

Result<StateDict> readFrom(Result<ArchiveReader> zip, const std::string& where) {
    if (!zip)
        return tl::unexpected(zip.error());
    Records records(where);
    try {
        if (auto ok = records.read(*zip); !ok)
            return tl::unexpected(ok.error());
        return records.state();
    } catch (const c10::Error& e) { // no memory for the tensors
        return fail(Errc::Malformed, e.what_without_backtrace(), where);
    }
}

} // namespace

Result<StateDict> readTorchCheckpoint(const std::filesystem::path& path) {
    return readFrom(ArchiveReader::openFile(path, ArchiveReader::Kind::Zip), path.string());
}

Result<StateDict> readTorchCheckpoint(std::string_view bytes, const std::string& where) {
    return readFrom(ArchiveReader::openBytes(bytes, where, ArchiveReader::Kind::Zip), where);
}

} // namespace rankscope::trainer
