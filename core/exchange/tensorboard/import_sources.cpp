// SPDX-License-Identifier: Apache-2.0
#include "core/exchange/tensorboard/import_sources.h"

#include "core/base/values/result.h"
#include "core/telemetry/format/limits.h"

#include <algorithm>
#include <charconv>
#include <optional>
#include <set>

namespace rankscope::exchange {

namespace fs = std::filesystem;

namespace {

constexpr int kDeepest = 8;
constexpr std::size_t kMostEntries = 100'000;

struct FoundFiles {
    struct EventFile {
        fs::path path, folder; ///< absolute
        std::optional<int> rank;
    };
    struct RankLog {
        fs::path path;
        int rank = 0;
        int attempt = 0; ///< n of run_<n>; the newest attempt has no such folder
    };
    std::vector<EventFile> events;
    std::vector<RankLog> logs;
    std::vector<fs::path> hparams;
    std::size_t entries = 0;
    std::vector<Message> remarks;
};

/// Returns the number after `prefix` if nothing else follows.
std::optional<int> numberAfter(std::string_view text, std::string_view prefix) {
    if (!text.starts_with(prefix))
        return std::nullopt;
    text.remove_prefix(prefix.size());
    int value = -1;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    const bool whole = error == std::errc() && end == text.data() + text.size() && !text.empty();
    return whole && value >= 0 && value < telemetry::kMaxRanks ? std::optional(value) : std::nullopt;
}

std::optional<int> rankOfFolder(const std::string& name) {
    for (const char* prefix : {"rank_", "rank-", "rank"})
        if (const auto rank = numberAfter(name, prefix))
            return rank;
    return std::nullopt;
}

/// Returns the rank in a name such as nemo_log_globalrank-3_localrank-1.txt.
std::optional<int> rankOfLog(const std::string& name) {
    static constexpr std::string_view kBegin = "nemo_log_globalrank-", kMiddle = "_localrank-";
    const auto middle = name.find(kMiddle);
    if (!name.starts_with(kBegin) || !name.ends_with(".txt") || middle == std::string::npos)
        return std::nullopt;
    return numberAfter(std::string_view(name).substr(0, middle), kBegin);
}

void takeFile(const fs::path& path, std::optional<int> rank, std::optional<int> attempt, FoundFiles& found) {
    const std::string name = path.filename().string();
    if (name.find("tfevents") != std::string::npos)
        found.events.push_back({path, path.parent_path(), rank});
    else if (name == "hparams.yaml")
        found.hparams.push_back(path);
    else if (const auto of = rankOfLog(name))
        found.logs.push_back({path, *of, attempt.value_or(INT32_MAX)});
}

/// Searches a folder. Links to folders are not followed, because they may form loops.
Result<void> walk(const fs::path& dir, std::optional<int> rank, std::optional<int> attempt, int depth,
                  FoundFiles& found) {
    std::error_code ec;
    std::vector<fs::directory_entry> entries;
    for (fs::directory_iterator it(dir, ec), end; !ec && it != end; it.increment(ec)) {
        if (++found.entries > kMostEntries)
            return fail(Errc::BadInput,
                        {"contains more than {} files: choose the folder of a single run", kMostEntries}, dir.string());
        entries.push_back(*it);
    }
    if (ec)
        return tl::unexpected(systemError("list", dir.string(), ec.value()));
    std::sort(entries.begin(), entries.end());
    for (const auto& entry : entries) {
        const std::string name = entry.path().filename().string();
        std::error_code ignored;
        if (entry.is_regular_file(ignored)) {
            takeFile(entry.path(), rank, attempt, found);
        } else if (entry.is_directory(ignored) && !entry.is_symlink(ignored) && name != "checkpoints") {
            if (depth >= kDeepest) {
                found.remarks.emplace_back(Message("{}: is nested too deeply and was not searched.", entry.path()));
                continue;
            }
            const auto below = rankOfFolder(name);
            const auto run = numberAfter(name, "run_");
            RS_TRY(walk(entry.path(), below ? below : rank, run ? run : attempt, depth + 1, found));
        }
    }
    return {};
}

bool isBelow(const fs::path& path, const fs::path& folder) {
    return std::mismatch(folder.begin(), folder.end(), path.begin(), path.end()).first == folder.end();
}

std::string someOf(const std::set<fs::path>& folders) {
    std::string text;
    int n = 0;
    for (const auto& folder : folders)
        if (++n <= 3)
            text += (n == 1 ? "" : ", ") + folder.string();
    return folders.size() > 3 ? text + ", …" : text;
}

/// Takes the event files, which for each rank are in one folder, and possibly in subfolders of it (add_scalars,
/// add_hparams).
Result<void> takeEvents(const FoundFiles& found, ImportSources& sources) {
    std::map<int, std::set<fs::path>> folders;
    for (const auto& event : found.events)
        folders[event.rank.value_or(0)].insert(event.folder);
    for (const auto& [rank, of] : folders)
        for (const auto& folder : of)
            if (!isBelow(folder, *of.begin()))
                return fail(Errc::BadInput,
                            {"there are event files from several runs (in {}): import them one at a time", someOf(of)});
    for (const auto& event : found.events) {
        const int rank = event.rank.value_or(0);
        const fs::path below = event.folder.lexically_relative(*folders[rank].begin());
        sources.events.push_back({event.path, rank, below == "." ? "" : below.generic_string() + "/"});
    }
    std::ranges::stable_sort(sources.events, [](const auto& a, const auto& b) {
        return std::pair(a.rank, a.path.filename()) < std::pair(b.rank, b.path.filename());
    });
    return {};
}

void takeHparams(const FoundFiles& found, ImportSources& sources) {
    for (const auto& path : found.hparams)
        for (const auto& event : found.events)
            if (sources.hparams.empty() && path.parent_path() == event.folder)
                sources.hparams = path;
    if (sources.hparams.empty() && found.hparams.size() == 1)
        sources.hparams = found.hparams.front();
    if (sources.hparams.empty() && found.hparams.size() > 1)
        sources.remarks.emplace_back(
            Message("{} hparams.yaml files were found, but none next to the event files: none was used.",
                    found.hparams.size()));
}

/// Checks that a single folder name does not create a run of 65,536 ranks.
Result<void> checkRanks(const ImportSources& sources) {
    std::map<int, fs::path> ranks;
    for (const auto& event : sources.events)
        ranks.emplace(event.rank, event.path);
    for (const auto& [rank, logs] : sources.logs)
        ranks.emplace(rank, logs.front());
    const int most = telemetry::clampRankCount(ranks.size());
    if (sources.worldSize() <= most)
        return {};
    return fail(
        Errc::BadInput,
        ranks.size() == 1
            ? Message("is from rank {}, but only one rank has files; a run made from them can have at most {} ranks",
                      ranks.rbegin()->first, most)
            : Message("is from rank {}, but only {} ranks have files; a run made from them can have at most {} ranks",
                      ranks.rbegin()->first, ranks.size(), most),
        ranks.rbegin()->second.string());
}

} // namespace

int ImportSources::worldSize() const {
    int most = events.empty() ? 0 : events.back().rank;
    if (!logs.empty())
        most = std::max(most, logs.rbegin()->first);
    return most + 1;
}

Result<ImportSources> findSources(const std::vector<fs::path>& paths) {
    FoundFiles found;
    for (const auto& given : paths) {
        std::error_code ec;
        const fs::path absolute = fs::absolute(given, ec).lexically_normal();
        const fs::path path = absolute.has_filename() ? absolute : absolute.parent_path();
        const auto kind = fs::status(path, ec).type();
        if (kind == fs::file_type::not_found)
            return fail(Errc::NotFound, "does not exist", given.string());
        if (kind != fs::file_type::directory) {
            found.events.push_back({path, path.parent_path(), rankOfFolder(path.parent_path().filename().string())});
            continue;
        }
        RS_TRY(walk(path, rankOfFolder(path.filename().string()), std::nullopt, 0, found));
    }
    if (found.events.empty() && found.logs.empty())
        return fail(Errc::NotFound,
                    "there is neither a TensorBoard event file (*tfevents*) nor a log of NeMo's "
                    "exp_manager",
                    paths.empty() ? std::string() : paths.front().string());
    ImportSources sources;
    sources.remarks = found.remarks;
    RS_TRY(takeEvents(found, sources));
    takeHparams(found, sources);
    std::ranges::stable_sort(found.logs, [](const auto& a, const auto& b) { return a.attempt < b.attempt; });
    for (const auto& log : found.logs)
        sources.logs[log.rank].push_back(log.path);
    RS_TRY(checkRanks(sources));
    return sources;
}

} // namespace rankscope::exchange
