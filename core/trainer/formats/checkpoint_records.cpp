// SPDX-License-Identifier: Apache-2.0
#include "core/trainer/formats/checkpoint_records.h"

#include "core/trainer/formats/pickle.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

namespace rankscope::trainer {
namespace {

constexpr std::uint64_t kMaxPickle = 16u << 20; ///< of a state dict: some 150 bytes a tensor
constexpr std::size_t kMaxRecords = 1u << 20;

class Records {
public:
    explicit Records(std::string where) : m_where(std::move(where)) {}

    Result<void> read(ArchiveReader& zip);
    Result<CheckpointRecords> state();

private:
    Result<void> readRecord(ArchiveReader& zip, const ArchiveReader::Member& member);
    Result<void> readData(ArchiveReader& zip, const ArchiveReader::Member& member, const std::string& key);
    Result<void> use(const TensorSpec& spec, CheckpointRecords& out);
    tl::unexpected<Error> malformed(const std::string& what) const { return fail(Errc::Malformed, what, m_where); }

    std::string m_where, m_root, m_byteOrder;
    std::optional<std::string> m_pickle;
    std::map<std::string, RawBytes> m_data;        ///< of the records data/<key>
    std::map<std::string, StorageSpec> m_storages; ///< of the keys that were used
    std::uint64_t m_left = 0;                      ///< bytes that may still be read
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

Result<void> Records::readData(ArchiveReader& zip, const ArchiveReader::Member& member, const std::string& key) {
    auto bytes = RawBytes::ofSize(member.size);
    if (!bytes)
        return malformed(fmt::format("record {}: there is no memory for {} bytes", member.name, member.size));
    const auto [at, isNew] = m_data.emplace(key, std::move(*bytes));
    if (!isNew)
        return malformed(fmt::format("record {} comes twice", member.name));
    return zip.read(at->second.data(), member.size);
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
    if (isData)
        return readData(zip, member, name.substr(5));
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

/// Moves the storage's bytes to `out` with the first tensor of it.
Result<void> Records::use(const TensorSpec& spec, CheckpointRecords& out) {
    const StorageSpec& wanted = spec.storage;
    if (const auto known = m_storages.find(wanted.key); known != m_storages.end()) {
        if (known->second.type != wanted.type || known->second.elements != wanted.elements)
            return malformed(fmt::format("tensor {}: another tensor has its storage with another type", spec.name));
        return {};
    }
    const auto record = m_data.find(wanted.key);
    if (record == m_data.end())
        return malformed(fmt::format("tensor {}: record data/{} is missing", spec.name, wanted.key));
    const std::uint64_t bytes = record->second.size(), elementSize = elementBytes(wanted.type);
    if (bytes % elementSize != 0 || bytes / elementSize != static_cast<std::uint64_t>(wanted.elements))
        return malformed(fmt::format("tensor {}: {} elements of {} do not fit record data/{} of {} bytes", spec.name,
                                     wanted.elements, pickle::storageClass(wanted.type).name, wanted.key, bytes));
    m_storages.emplace(wanted.key, wanted);
    out.storages.insert(m_data.extract(record));
    return {};
}

Result<CheckpointRecords> Records::state() {
    auto specs = readPickledState(*m_pickle);
    if (!specs)
        return malformed(fmt::format("data.pkl: {}", specs.error()));
    CheckpointRecords out;
    for (const TensorSpec& spec : *specs)
        if (auto used = use(spec, out); !used)
            return tl::unexpected(used.error());
    out.tensors = std::move(*specs);
    return out;
}

} // namespace

Result<CheckpointRecords> readCheckpointRecords(Result<ArchiveReader> zip, const std::string& where) {
    if (!zip)
        return tl::unexpected(zip.error());
    Records records(where);
    if (auto ok = records.read(*zip); !ok)
        return tl::unexpected(ok.error());
    return records.state();
}

} // namespace rankscope::trainer
