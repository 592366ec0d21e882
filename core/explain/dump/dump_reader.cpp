// SPDX-License-Identifier: Apache-2.0
#include "core/explain/dump/dump_reader.h"

#include "core/base/text/terminal_safe.h"
#include "core/base/values/result.h"
#include "core/explain/dump/dumped_call.h"

#include <algorithm>
#include <charconv>
#include <map>
#include <optional>
#include <utility>

namespace rankscope::explain {
namespace {

using trainer::pickle::Id;
using trainer::pickle::PickleKind;
using trainer::pickle::Value;
using trainer::pickle::Values;

using Entry = DumpedRank::Entry;
using Group = DumpedRank::Group;

constexpr std::size_t kMostEntries = 100'000;
constexpr std::size_t kMostGroups = 10'000;
constexpr std::size_t kMostMembers = 16u << 20; ///< read in all; a pickle can refer to one list many times
constexpr std::size_t kLongestWord = 200;

/// What is wrong with the dump. Thrown here, returned as an error by readDumpValues().
struct DumpFault {
    Message what;
};

/// A group's numbers by its id, which pg_status has instead of its name.
struct PgStatus {
    std::optional<std::int64_t> enqueued, started, completed;
};

/// Reads the dump of one rank. Throws DumpFault.
class DumpReader {
public:
    explicit DumpReader(const Values& values) : m_values(values) {}

    DumpedRank read();

private:
    /// Counts the members that are read.
    const std::vector<Id>& membersOf(const Value& value) {
        m_members += value.items.size() + 1;
        if (m_members > kMostMembers)
            throw DumpFault{"it refers to the same values too often"};
        return value.items;
    }

    const Value& at(Id id) const { return m_values.all[id]; }

    /// Calls `use(key, value)` for each member of a dict whose key is text.
    template <class Use> void forMembers(const Value& dict, Use use) {
        const auto& items = membersOf(dict);
        for (std::size_t i = 0; i + 1 < items.size(); i += 2)
            if (at(items[i]).kind == PickleKind::Text)
                use(at(items[i]).text, at(items[i + 1]));
    }

    Message where() const {
        if (m_entry)
            return {"entry {}", *m_entry};
        return m_section ? Message(std::string(m_section)) : Message("the dump");
    }

    /// `field` is the name in the dump.
    DumpFault otherType(std::string_view field) const { return {{"{}: {} has another type", where(), field}}; }

    const Value& expect(const Value& value, PickleKind kind, std::string_view field) const {
        if (value.kind != kind)
            throw otherType(field);
        return value;
    }

    static bool isList(const Value& value) { return value.kind == PickleKind::List || value.kind == PickleKind::Tuple; }

    std::int64_t whole(const Value& value, std::string_view field) const {
        return expect(value, PickleKind::Integer, field).integer;
    }

    std::int64_t count(const Value& value, std::string_view key) const {
        const auto number = whole(value, key);
        if (number < 0)
            throw DumpFault{{"{}: {} is negative", where(), key}};
        return number;
    }

    static std::string word(std::string_view text) { return printableLine(text.substr(0, kLongestWord)); }
    std::string wordOf(const Value& value, std::string_view field) const {
        return word(expect(value, PickleKind::Text, field).text);
    }

    void readEntries(const Value& list);
    Entry readEntry(const Value& dict);
    bool readCallField(Entry& entry, std::string_view key, const Value& value);
    void readGroupName(Entry& entry, const Value& value);
    void readFrames(Entry& entry, const Value& list);
    std::optional<std::int64_t> elementsOf(const Value& sizes);
    std::string firstDtype(const Value& list);
    void readGroups(const Value& dict);
    Group readGroup(std::string_view key, const Value& dict);
    std::vector<int> ranksOf(const Value& value);
    void readStatus(const Value& dict);
    std::optional<std::int64_t> sequenceOf(const Value& value);
    void joinGroups();
    void findDropped();

    const Values& m_values;
    std::size_t m_members = 0;
    std::optional<std::size_t> m_entry; ///< that is read
    const char* m_section = nullptr;    ///< that is read
    DumpedRank m_out;
    // of the entry that is read, and of all
    std::int64_t m_record = -1, m_groupId = -1;
    std::string m_description;
    bool m_p2p = false;
    std::map<std::string, std::int64_t, std::less<>> m_firstSequence; ///< of each group
    std::optional<std::int64_t> m_firstRecord;
    std::map<std::int64_t, std::pair<std::string, std::string>> m_groupOfId; ///< name, description
    std::map<std::string, PgStatus, std::less<>> m_status;
};

DumpedRank DumpReader::read() {
    const Value& top = at(m_values.top);
    expect(top, PickleKind::Dict, "the dict");
    const Value *entries = nullptr, *groups = nullptr, *status = nullptr;
    forMembers(top, [&](std::string_view key, const Value& value) {
        if (key == "version")
            m_out.version = wordOf(value, key);
        else if (key == "entries")
            entries = &value;
        else if (key == "pg_config")
            groups = &value;
        else if (key == "pg_status")
            status = &value;
    });
    if (m_out.version.empty() || (!entries && !groups && !status))
        throw DumpFault{"it has no version or no entries, pg_config and pg_status"};
    if (entries)
        readEntries(*entries);
    if (groups)
        readGroups(expect(*groups, PickleKind::Dict, "pg_config"));
    if (status)
        readStatus(expect(*status, PickleKind::Dict, "pg_status"));
    joinGroups();
    findDropped();
    return std::move(m_out);
}

void DumpReader::readEntries(const Value& list) {
    if (!isList(list))
        throw otherType("entries");
    const auto& items = membersOf(list);
    const std::size_t from = items.size() > kMostEntries ? items.size() - kMostEntries : 0;
    m_out.dropped = from > 0;
    m_out.entries.reserve(items.size() - from);
    for (std::size_t i = from; i < items.size(); ++i) {
        m_entry = i;
        m_out.entries.push_back(readEntry(at(items[i])));
    }
    m_entry.reset();
}

Entry DumpReader::readEntry(const Value& dict) {
    expect(dict, PickleKind::Dict, "entries");
    Entry entry;
    m_record = m_groupId = -1;
    m_description.clear();
    m_p2p = false;
    std::string backend;
    forMembers(dict, [&](std::string_view key, const Value& value) {
        if (readCallField(entry, key, value))
            return;
        if (key == "record_id")
            m_record = count(value, key);
        else if (key == "pg_id")
            m_groupId = whole(value, key);
        else if (key == "time_created_ns")
            entry.createdNs = count(value, key);
        else if (key == "retired")
            entry.retired = expect(value, PickleKind::Bool, "retired").integer != 0;
        else if (key == "is_p2p")
            m_p2p = expect(value, PickleKind::Bool, "is_p2p").integer != 0;
        else if (key == "state") {
            const std::string state = wordOf(value, key);
            entry.state = state == "completed" ? Entry::State::Completed
                          : state == "started" ? Entry::State::Started
                                               : Entry::State::Scheduled;
        }
    });
    if (entry.call.writtenOp.empty())
        throw otherType("profiling_name");
    if (m_p2p) // not counted with the collectives
        entry.call.sequence.reset();
    if (entry.call.op == CollectiveOp::Barrier) // NCCL's is an all-reduce of one element
        entry.call.elementsIn = entry.call.elementsOut = std::nullopt;
    if (!m_firstRecord && m_record >= 0)
        m_firstRecord = m_record;
    if (entry.call.sequence)
        m_firstSequence.emplace(entry.call.group, *entry.call.sequence);
    if (m_groupId >= 0 && m_groupOfId.size() < kMostGroups)
        m_groupOfId.try_emplace(m_groupId, entry.call.group, m_description);
    return entry;
}

/// Reads a field of the collective. Returns false if the key is another one.
bool DumpReader::readCallField(Entry& entry, std::string_view key, const Value& value) {
    CollectiveCall& call = entry.call;
    if (key == "profiling_name") {
        call.writtenOp = wordOf(value, key);
        call.op = opOfProfilingName(call.writtenOp);
    } else if (key == "collective_seq_id" || key == "seq_id") // seq_id: before 2.4
        call.sequence = count(value, key);
    else if (key == "process_group")
        readGroupName(entry, value);
    else if (key == "input_sizes")
        call.elementsIn = elementsOf(value);
    else if (key == "output_sizes")
        call.elementsOut = elementsOf(value);
    else if (key == "input_dtypes")
        call.dtype = firstDtype(value);
    else if (key == "frames")
        readFrames(entry, value);
    else
        return false;
    return true;
}

/// Reads (name, description). The default group has no name in the evidence.
void DumpReader::readGroupName(Entry& entry, const Value& value) {
    if (value.kind == PickleKind::Text) { // before 2.4
        entry.call.group = word(value.text);
        return;
    }
    const auto& items = membersOf(value);
    if (!isList(value) || items.size() != 2)
        throw otherType("process_group");
    m_description = wordOf(at(items[1]), "process_group");
    if (m_description != kDefaultGroup)
        entry.call.group = wordOf(at(items[0]), "process_group");
}

/// Keeps the innermost frame that is not PyTorch's: "train.py:27 sync_length".
void DumpReader::readFrames(Entry& entry, const Value& list) {
    if (!isList(list))
        throw otherType("frames");
    for (const Id id : membersOf(list)) {
        const Value& frame = expect(at(id), PickleKind::Dict, "frames");
        std::string_view file, function;
        std::int64_t line = 0;
        forMembers(frame, [&](std::string_view key, const Value& value) {
            if (key == "filename")
                file = expect(value, PickleKind::Text, "filename").text;
            else if (key == "name")
                function = expect(value, PickleKind::Text, "name").text;
            else if (key == "line")
                line = whole(value, key);
        });
        const bool torch = file.find("/torch/") != file.npos || file.starts_with("torch/");
        if (torch || !file.ends_with(".py"))
            continue;
        file.remove_prefix(file.find_last_of('/') + 1);
        entry.call.codePlace = word(file) + ':' + std::to_string(line) + ' ' + word(function);
        return;
    }
}

/// Returns the elements of all tensors; none if there are no tensors or the number has more than 63 bits.
std::optional<std::int64_t> DumpReader::elementsOf(const Value& sizes) {
    if (!isList(sizes))
        throw otherType("sizes");
    std::int64_t all = 0;
    bool fits = true;
    for (const Id id : membersOf(sizes)) {
        if (!isList(at(id)))
            throw otherType("sizes");
        std::int64_t elements = 1;
        bool empty = false, tensorFits = true;
        for (const Id size : membersOf(at(id))) {
            const auto number = count(at(size), "sizes");
            empty |= number == 0;
            tensorFits = tensorFits && !__builtin_mul_overflow(elements, number, &elements);
        }
        fits = fits && (empty || (tensorFits && !__builtin_add_overflow(all, elements, &all)));
    }
    return fits && !sizes.items.empty() ? std::optional(all) : std::nullopt;
}

std::string DumpReader::firstDtype(const Value& list) {
    if (!isList(list))
        throw otherType("input_dtypes");
    const auto& items = list.items;
    return items.empty() ? std::string() : dtypeOfDump(wordOf(at(items[0]), "input_dtypes"));
}

void DumpReader::readGroups(const Value& dict) {
    forMembers(dict, [&](std::string_view key, const Value& value) {
        if (m_out.groups.size() >= kMostGroups)
            throw DumpFault{{"more than {} groups", kMostGroups}};
        m_section = "pg_config";
        m_out.groups.push_back(readGroup(key, expect(value, PickleKind::Dict, "group")));
    });
    m_section = nullptr;
}

Group DumpReader::readGroup(std::string_view key, const Value& dict) {
    Group group;
    group.name = word(key);
    forMembers(dict, [&](std::string_view field, const Value& value) {
        if (field == "name")
            group.name = wordOf(value, field);
        else if (field == "desc")
            group.description = wordOf(value, field);
        else if (field == "ranks")
            group.ranks = ranksOf(value);
    });
    // Gloo names no group; all ranks of any group are in the default one.
    if (group.description == kDefaultGroup || (group.name.empty() && group.description.empty())) {
        group.name.clear();
        group.description = kDefaultGroup;
    }
    return group;
}

std::vector<int> DumpReader::ranksOf(const Value& value) {
    std::optional<std::vector<int>> ranks;
    if (value.kind == PickleKind::Text) {
        m_members += value.text.size();
        membersOf(value); // checks the limit
        ranks = ranksOfText(value.text);
    } else if (isList(value)) {
        ranks.emplace();
        for (const Id id : membersOf(value)) {
            const auto rank = count(at(id), "ranks");
            if (rank > 1'000'000)
                throw otherType("ranks");
            ranks->push_back(static_cast<int>(rank));
        }
    }
    if (!ranks)
        throw otherType("ranks");
    return *std::move(ranks);
}

void DumpReader::readStatus(const Value& dict) {
    m_section = "pg_status";
    forMembers(dict, [&](std::string_view id, const Value& value) {
        if (m_status.size() >= kMostGroups)
            throw DumpFault{{"more than {} groups", kMostGroups}};
        PgStatus& status = m_status[word(id)];
        forMembers(expect(value, PickleKind::Dict, "group"), [&](std::string_view key, const Value& number) {
            if (key == "last_enqueued_collective")
                status.enqueued = sequenceOf(number);
            else if (key == "last_started_collective")
                status.started = sequenceOf(number);
            else if (key == "last_completed_collective")
                status.completed = sequenceOf(number);
        });
    });
    m_section = nullptr;
}

/// Reads a number, in JSON as text. -1 is written for none.
std::optional<std::int64_t> DumpReader::sequenceOf(const Value& value) {
    std::int64_t number = value.integer;
    if (value.kind == PickleKind::Text) {
        const auto end = value.text.data() + value.text.size();
        const auto parsed = std::from_chars(value.text.data(), end, number);
        if (parsed.ec != std::errc() || parsed.ptr != end)
            throw otherType("sequence");
    } else
        whole(value, "sequence");
    return number < 0 ? std::nullopt : std::optional(number);
}

/// Gives the groups their numbers. pg_status has only ids of groups, and the entries say which group an id is.
void DumpReader::joinGroups() {
    const bool gloo = isGlooDump(m_out);
    std::map<std::string, std::size_t> places;
    for (std::size_t i = 0; i < m_out.groups.size(); ++i)
        places.emplace(m_out.groups[i].name, i);
    for (const auto& [id, named] : m_groupOfId) {
        const auto& [name, description] = named;
        const auto [place, added] = places.emplace(name, m_out.groups.size());
        if (added)
            m_out.groups.push_back({.name = name, .description = description});
        const auto status = m_status.find(std::to_string(id));
        if (status == m_status.end())
            continue;
        Group& group = m_out.groups[place->second];
        group.lastEnqueued = status->second.enqueued;
        group.lastStarted = status->second.started;
        if (!gloo) // which counts failed ones
            group.lastCompleted = status->second.completed;
    }
}

/// Entries existed that are not in the dump if the first one of all, or of a group, is not the first.
void DumpReader::findDropped() {
    if (m_firstRecord.value_or(0) > 0)
        m_out.dropped = true;
    for (const auto& [group, sequence] : m_firstSequence)
        m_out.dropped |= sequence > 1;
    for (const Group& group : m_out.groups)
        m_out.dropped |= group.lastEnqueued.value_or(0) > 0 && !m_firstSequence.contains(group.name);
    for (const auto& [id, status] : m_status)
        m_out.dropped |= m_out.entries.empty() && status.enqueued.value_or(0) > 0;
}

} // namespace

tl::expected<DumpedRank, Message> readDumpValues(const trainer::pickle::Values& values) {
    try {
        return DumpReader(values).read();
    } catch (DumpFault& fault) {
        return tl::unexpected(std::move(fault.what));
    }
}

std::string backendOfDump(const DumpedRank& dump) {
    if (dump.entries.empty())
        return {};
    const std::string& name = dump.entries.back().call.writtenOp;
    const auto colon = name.find(':');
    return colon == std::string::npos ? std::string() : name.substr(0, colon);
}

} // namespace rankscope::explain
