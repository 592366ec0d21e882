// SPDX-License-Identifier: Apache-2.0
#include "core/explain/dump/flight_dump.h"

#include "core/base/files/file.h"
#include "core/base/text/terminal_safe.h"
#include "core/base/values/result.h"
#include "core/explain/dump/dump_reader.h"
#include "core/explain/dump/json_values.h"

#include <algorithm>
#include <charconv>

namespace rankscope::explain {
namespace {

constexpr std::string_view kPickleProtocol = "\x80"; ///< PyTorch writes protocol 2, Python's pickle up to 5
constexpr int kHighestDumpRank = 1'000'000;

std::string_view withoutSpace(std::string_view text) {
    const auto from = text.find_first_not_of(" \t\r\n");
    return from == std::string_view::npos ? std::string_view() : text.substr(from);
}

bool isJson(std::string_view bytes) {
    return withoutSpace(bytes).starts_with('{');
}

/// Returns the group that has all ranks, if the dump says which that is.
const DumpedRank::Group* groupOfAllRanks(const DumpedRank& dump) {
    const auto found = std::find_if(dump.groups.begin(), dump.groups.end(), [](const DumpedRank::Group& group) {
        return group.name.empty() && group.description == kDefaultGroup && !group.ranks.empty();
    });
    return found == dump.groups.end() ? nullptr : &*found;
}

Result<DumpedRank> readFlightDump(const std::filesystem::path& path, const std::string& name, std::optional<int> rank,
                                  InputFile& file) {
    RS_TRY_ASSIGN(const std::string bytes, readFile(path, kLargestDump));
    file.bytes = static_cast<std::int64_t>(bytes.size());
    return parseFlightDump(bytes, name, rank);
}

} // namespace

std::optional<int> rankOfDumpName(std::string_view name) {
    name.remove_prefix(name.find_last_of('/') + 1); // npos + 1 == 0
    for (const std::string_view ending : {".json", ".pickle", ".pkl"})
        if (name.ends_with(ending)) {
            name.remove_suffix(ending.size());
            break;
        }
    const auto digits =
        std::find_if_not(name.rbegin(), name.rend(), [](char c) { return c >= '0' && c <= '9'; }).base() - name.begin();
    const auto number = name.substr(static_cast<std::size_t>(digits));
    if (digits > 0 && name[static_cast<std::size_t>(digits) - 1] != '_')
        return std::nullopt; // "dump-2026", "rank3.1"
    int rank = 0;
    const auto end = std::from_chars(number.data(), number.data() + number.size(), rank);
    if (number.empty() || end.ec != std::errc() || rank > kHighestDumpRank)
        return std::nullopt;
    return rank;
}

Result<DumpedRank> parseFlightDump(std::string_view bytes, const std::string& name, std::optional<int> rank) {
    const auto refuse = [&](Message why) {
        return fail(Errc::Malformed,
                    {"is not a dump of PyTorch's Flight Recorder that can be read: {}", std::move(why)},
                    printableLine(name));
    };
    tl::expected<DumpedRank, Message> dump = tl::unexpected(Message("it is neither a pickle nor JSON"));
    if (isJson(bytes)) {
        const auto json = readJsonValues(bytes);
        dump = json ? readDumpValues(json->values) : tl::unexpected(json.error());
    } else if (bytes.starts_with(kPickleProtocol)) {
        const auto values = trainer::pickle::run(bytes);
        dump = values ? readDumpValues(*values) : tl::unexpected(values.error());
    }
    if (!dump)
        return refuse(dump.error());
    dump->rank = rank ? rank : rankOfDumpName(name);
    dump->place.file = printableLine(name);
    return *std::move(dump);
}

Result<void> addFlightDump(const std::filesystem::path& path, const std::string& name, std::optional<int> rank,
                           HangEvidence& evidence) {
    InputFile file;
    file.kind = InputFile::Kind::Dump;
    file.name = printableLine(name);
    auto dump = readFlightDump(path, name, rank, file);
    if (!dump) {
        file.problem = dump.error().what;
        evidence.files.push_back(std::move(file));
        return tl::unexpected(std::move(dump).error());
    }
    if (dump->rank)
        file.ranks = {*dump->rank};
    if (const auto* all = groupOfAllRanks(*dump); all && !evidence.worldSize && !isGlooDump(*dump)) {
        evidence.worldSize = static_cast<int>(all->ranks.size());
        evidence.worldSizePlace = dump->place;
    }
    if (evidence.backend.empty())
        evidence.backend = backendOfDump(*dump);
    evidence.files.push_back(std::move(file));
    evidence.dumps.push_back(*std::move(dump));
    return {};
}

} // namespace rankscope::explain
