// SPDX-License-Identifier: Apache-2.0
#include "core/trainer/formats/archives/checkpoint_records.h"

#include "core/base/values/result.h"
#include "core/trainer/formats/pickle/pickle.h"

#include <algorithm>
#include <optional>
#include <set>

namespace rankscope::trainer {
namespace {

constexpr std::uint64_t kMaxPickle = 16u << 20; ///< some 150 bytes per tensor, and 200 KiB of hyper_parameters
constexpr std::size_t kMaxRecords = 1u << 20;

class Records {
public:
    Records(std::string where, bool withBytes) : m_where(std::move(where)), m_withBytes(withBytes) {}

    Result<void> read(ArchiveReader& zip);
    Result<CheckpointRecords> state();

private:
    struct Record {
        std::uint64_t size = 0; ///< as declared
        RawBytes bytes;         ///< only if a tensor uses it
    };

    Result<void> readRecord(ArchiveReader& zip, const ArchiveReader::Member& member);
    Result<void> readData(ArchiveReader& zip, const ArchiveReader::Member& member, const std::string& key);
    Result<void> readPickle(ArchiveReader& zip, const ArchiveReader::Member& member);
    Result<void> use(const TensorSpec& spec, CheckpointRecords& out);
    tl::unexpected<Error> malformed(Message what) const { return fail(Errc::Malformed, std::move(what), m_where); }

    std::string m_where, m_root, m_byteOrder;
    bool m_withBytes;
    std::optional<std::vector<TensorSpec>> m_tensors;
    std::set<std::string> m_wanted;                ///< keys that the tensors use; known once the pickle has been read
    std::map<std::string, Record> m_data;          ///< the records data/<key>
    std::map<std::string, StorageSpec> m_storages; ///< of the keys that were used
    std::uint64_t m_left = 0;                      ///< bytes that may still be read
    std::size_t m_records = 0;
};

Result<void> Records::read(ArchiveReader& zip) {
    m_left = zip.size(); // records are stored uncompressed, so together they are smaller than the file
    for (;;) {
        RS_TRY_ASSIGN(const auto member, zip.next());
        if (!member)
            break;
        if (++m_records > kMaxRecords)
            return malformed({"has more than {} records", kMaxRecords});
        if (member->type == ArchiveReader::Member::MemberType::Folder)
            continue;
        RS_TRY(readRecord(zip, *member));
    }
    if (!m_tensors)
        return malformed("is not a PyTorch checkpoint: it has no record data.pkl");
    if (!m_byteOrder.empty() && m_byteOrder != "little")
        return fail(Errc::Unsupported, "was written by a big-endian machine", m_where);
    return {};
}

Result<void> Records::readData(ArchiveReader& zip, const ArchiveReader::Member& member, const std::string& key) {
    const auto [at, isNew] = m_data.try_emplace(key);
    if (!isNew)
        return malformed({"record {} occurs twice", member.name});
    at->second.size = member.size;
    // torch.save writes the pickle first, so the wanted keys are known here
    if (!m_withBytes || (m_tensors && !m_wanted.contains(key)))
        return {};
    auto bytes = RawBytes::ofSize(member.size);
    if (!bytes)
        return malformed({"record {}: not enough memory for {} bytes", member.name, member.size});
    at->second.bytes = std::move(*bytes);
    return zip.read(at->second.bytes.data(), member.size);
}

Result<void> Records::readPickle(ArchiveReader& zip, const ArchiveReader::Member& member) {
    if (m_tensors)
        return malformed({"record {} occurs twice", member.name});
    std::string text(member.size, '\0');
    RS_TRY(zip.read(text.data(), member.size));
    auto tensors = readPickledState(text);
    if (!tensors)
        return malformed({"data.pkl: {}", std::move(tensors.error())});
    for (const TensorSpec& tensor : *tensors)
        m_wanted.insert(tensor.storage.key);
    m_tensors = std::move(*tensors);
    return {};
}

Result<void> Records::readRecord(ArchiveReader& zip, const ArchiveReader::Member& member) {
    const auto slash = member.name.find('/');
    if (slash == std::string::npos || member.type != ArchiveReader::Member::MemberType::File)
        return malformed({"is not a PyTorch checkpoint: it has the member {}", member.name});
    const std::string root = member.name.substr(0, slash), name = member.name.substr(slash + 1);
    if (m_records == 1)
        m_root = root;
    if (root != m_root)
        return malformed({"record {} is not under {}/", member.name, m_root});
    const bool isData = name.starts_with("data/"), isPickle = name == "data.pkl", isOrder = name == "byteorder";
    if (!isData && !isPickle && !isOrder)
        return {};
    const std::uint64_t limit = isData ? m_left : std::min<std::uint64_t>(m_left, isPickle ? kMaxPickle : 16);
    if (member.size > limit)
        return malformed({"record {} claims {} bytes; at most {} are possible", member.name,
                          std::to_string(member.size), std::to_string(limit)});
    m_left -= member.size;
    if (isData)
        return readData(zip, member, name.substr(5));
    if (isPickle)
        return readPickle(zip, member);
    m_byteOrder.assign(member.size, '\0');
    return zip.read(m_byteOrder.data(), member.size);
}

/// Moves the storage's bytes to `out` with the first tensor that uses it.
Result<void> Records::use(const TensorSpec& spec, CheckpointRecords& out) {
    const StorageSpec& wanted = spec.storage;
    if (const auto known = m_storages.find(wanted.key); known != m_storages.end()) {
        if (known->second.type != wanted.type || known->second.elements != wanted.elements)
            return malformed({"tensor {}: another tensor uses its storage with a different type", spec.name});
        return {};
    }
    const auto record = m_data.find(wanted.key);
    if (record == m_data.end())
        return malformed({"tensor {}: record data/{} is missing", spec.name, wanted.key});
    const std::uint64_t bytes = record->second.size, elementSize = elementBytes(wanted.type);
    if (bytes % elementSize != 0 || bytes / elementSize != static_cast<std::uint64_t>(wanted.elements))
        return malformed({"tensor {}: {} elements of {} do not fit record data/{} of {} bytes", spec.name,
                          wanted.elements, pickle::storageClass(wanted.type).name, wanted.key, bytes});
    m_storages.emplace(wanted.key, wanted);
    if (m_withBytes)
        out.storages.emplace(wanted.key, std::move(record->second.bytes));
    return {};
}

Result<CheckpointRecords> Records::state() {
    CheckpointRecords out;
    for (const TensorSpec& spec : *m_tensors)
        RS_TRY(use(spec, out));
    out.tensors = std::move(*m_tensors);
    return out;
}

Result<CheckpointRecords> recordsOf(Result<ArchiveReader> opened, const std::string& where, bool withBytes) {
    RS_TRY_ASSIGN(auto zip, std::move(opened));
    Records records(where, withBytes);
    RS_TRY(records.read(zip));
    return records.state();
}

} // namespace

Result<CheckpointRecords> readCheckpointRecords(Result<ArchiveReader> zip, const std::string& where) {
    return recordsOf(std::move(zip), where, true);
}

Result<std::vector<TensorSpec>> readCheckpointTensors(Result<ArchiveReader> zip, const std::string& where) {
    RS_TRY_ASSIGN(auto records, recordsOf(std::move(zip), where, false));
    return std::move(records.tensors);
}

} // namespace rankscope::trainer
