// SPDX-License-Identifier: Apache-2.0
#include "app/ctl/reports/run_report_facts.h"

#include "app/ctl/reports/text_table.h"
#include "core/base/files/guarded_folder.h"
#include "core/base/text/terminal_safe.h"
#include "core/base/text/unit_format.h"
#include "core/config/effective/read_recipe.h"
#include "core/config/recipe/position_table_memory.h"
#include "core/launch/stacks/stack_json.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

namespace rankscope::ctl {

using nlohmann::json;
using store::StackRow;

static constexpr std::size_t kThreadsAsText = 3;

/// Rows of one incident and rank, which lie together.
static std::vector<std::vector<StackRow>> byRank(const std::vector<StackRow>& rows) {
    std::vector<std::vector<StackRow>> groups;
    for (const StackRow& row : rows) {
        if (groups.empty() || groups.back().front().incident != row.incident || groups.back().front().rank != row.rank)
            groups.emplace_back();
        groups.back().push_back(row);
    }
    return groups;
}

static bool refused(const std::vector<StackRow>& rows) {
    return rows.front().thread == 0;
}

/// The main thread, and as many as it takes to have one whose callers are known.
static std::vector<launch::NativeThread> telling(std::vector<launch::NativeThread> threads) {
    std::size_t count = 1;
    while (count < std::min(threads.size(), kThreadsAsText) && threads[count - 1].frames.size() < 2)
        ++count;
    threads.resize(std::min(threads.size(), count));
    return threads;
}

std::string stacksText(const RunReport& r, std::int64_t incident) {
    std::string out;
    for (const auto& rows : byRank(r.stacks)) {
        const StackRow& first = rows.front();
        if (first.incident != incident)
            continue;
        out += fmt::format("     stack of rank {} ({}), {} into the run\n", first.rank, printableLine(first.role),
                           formatDuration(first.takenNs));
        if (refused(rows)) {
            out += fmt::format("       none: {}\n", printableLine(first.remark));
            continue;
        }
        const auto threads = launch::threadsOf(rows);
        const auto shown = telling(threads);
        out += launch::stacksText(shown, 0, "       ");
        if (threads.size() > shown.size())
            out += fmt::format("       {} more thread{} with --json\n", threads.size() - shown.size(),
                               threads.size() - shown.size() == 1 ? "" : "s");
    }
    return out;
}

json stacksJson(const RunReport& r) {
    json all = json::array();
    for (const auto& rows : byRank(r.stacks)) {
        const StackRow& first = rows.front();
        json threads = json::array();
        if (!refused(rows))
            for (const auto& t : launch::threadsOf(rows))
                threads.push_back(
                    {{"tid", t.tid}, {"name", t.name}, {"doing", t.doing}, {"frames", t.frames}, {"remark", t.remark}});
        all.push_back({{"incident", first.incident},
                       {"rank", first.rank},
                       {"role", first.role},
                       {"taken_s", static_cast<double>(first.takenNs) * 1e-9},
                       {"problem", refused(rows) ? first.remark : ""},
                       {"threads", threads}});
    }
    return all;
}

/// None: the run's recipe cannot be read.
static std::optional<config::PositionMemory> positions(const RunReport& r, bool& synced) {
    const auto text = readRunFile(r.paths.effective());
    const auto recipe = text ? config::readRecipe(*text, r.paths.effective().string())
                             : Result<config::Recipe>(tl::unexpected(text.error()));
    if (!recipe)
        return std::nullopt;
    synced = recipe->model.encoder.syncMaxAudioLength;
    std::vector<std::int64_t> longest;
    for (const auto& rank : r.memory)
        longest.push_back(rank.longestFrames);
    return config::positionMemory(recipe->model, longest);
}

static std::string bytes(std::int64_t n) {
    return n < 0 ? "-" : formatBytes(n);
}

std::string memoryText(const RunReport& r) {
    if (std::none_of(r.memory.begin(), r.memory.end(), [](const auto& m) { return m.mostRssBytes >= 0; }))
        return {};
    const bool gpu = std::any_of(r.memory.begin(), r.memory.end(), [](const auto& m) { return m.mostGpuBytes >= 0; });
    using Align = Table::Align;
    std::vector<std::pair<std::string, Align>> header{
        {"rank", Align::Right}, {"memory", Align::Right}, {"most", Align::Right}};
    if (gpu)
        header.insert(header.end(), {{"GPU", Align::Right}, {"most", Align::Right}, {"of", Align::Right}});
    header.insert(header.end(), {{"longest frames", Align::Right}, {"positions", Align::Right}});
    Table table(header);
    bool synced = false;
    const auto tables = positions(r, synced);
    for (std::size_t i = 0; i < r.memory.size(); ++i) {
        const auto& m = r.memory[i];
        std::vector<std::string> row{std::to_string(m.rank), bytes(m.rssBytes), bytes(m.mostRssBytes)};
        if (gpu)
            row.insert(row.end(), {bytes(m.gpuBytes), bytes(m.mostGpuBytes), bytes(m.gpuTotalBytes)});
        row.push_back(m.longestFrames > 0 ? formatCount(m.longestFrames) : "-");
        row.push_back(tables ? formatBytes(synced ? tables->syncedBytes : tables->aloneBytes[i]) : "-");
        table.add(std::move(row));
    }
    std::string out = table.text();
    const auto& first = r.memory.front();
    if (first.groupLimitBytes > 0)
        out += fmt::format("all ranks and what else runs here: {} of {} in use\n", formatBytes(first.groupUsedBytes),
                           formatBytes(first.groupLimitBytes));
    if (tables && r.memory.size() > 1) {
        std::int64_t alone = 0;
        for (const std::int64_t own : tables->aloneBytes)
            alone += own;
        const auto all = tables->syncedBytes * static_cast<std::int64_t>(r.memory.size());
        out += fmt::format("position tables of all ranks: {} with the length sync, {} without it\n", formatBytes(all),
                           formatBytes(alone));
    }
    return out;
}

static json known(std::int64_t n) {
    return n < 0 ? json(nullptr) : json(n);
}

json memoryJson(const RunReport& r) {
    bool synced = false;
    const auto tables = positions(r, synced);
    json ranks = json::array();
    for (std::size_t i = 0; i < r.memory.size(); ++i) {
        const auto& m = r.memory[i];
        ranks.push_back({{"rank", m.rank},
                         {"rss_bytes", known(m.rssBytes)},
                         {"most_rss_bytes", known(m.mostRssBytes)},
                         {"most_swap_bytes", known(m.mostSwapBytes)},
                         {"gpu_bytes", known(m.gpuBytes)},
                         {"most_gpu_bytes", known(m.mostGpuBytes)},
                         {"gpu_total_bytes", known(m.gpuTotalBytes)},
                         {"group_used_bytes", known(m.groupUsedBytes)},
                         {"group_limit_bytes", known(m.groupLimitBytes)},
                         {"longest_frames", m.longestFrames},
                         {"positions_synced_bytes", tables ? json(tables->syncedBytes) : json(nullptr)},
                         {"positions_alone_bytes", tables ? json(tables->aloneBytes[i]) : json(nullptr)}});
    }
    return ranks;
}

} // namespace rankscope::ctl
