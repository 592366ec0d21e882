// SPDX-License-Identifier: Apache-2.0
#include "core/exchange/import/run_import.h"

#include "core/base/files/atomic_file.h"
#include "core/base/files/guarded_folder.h"
#include "core/base/values/result.h"
#include "core/config/effective/effective.h"
#include "core/telemetry/format/limits.h"

#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>

namespace rankscope::exchange {

namespace fs = std::filesystem;

std::string recipeOfHparams(std::string text) {
    for (std::size_t line = 0; line < text.size();) {
        if (text.compare(line, 4, "cfg:") == 0)
            return text.replace(line, 3, "model");
        const auto end = text.find('\n', line);
        if (end == std::string::npos)
            break;
        line = end + 1;
    }
    return text;
}

namespace {

constexpr std::size_t kMostConfigBytes = 16u << 20;

struct Beginning {
    std::int64_t realtimeNs = 0;
    std::string writer;
};

std::int64_t modifiedNs(const fs::path& path) {
    std::error_code ec;
    const auto when = fs::last_write_time(path, ec);
    const auto wall = ec ? std::chrono::nanoseconds(0) : std::chrono::file_clock::to_sys(when).time_since_epoch();
    return std::chrono::duration_cast<std::chrono::nanoseconds>(wall).count();
}

/// Returns when the first event file was created. Returns an error if there are event files but none is readable; a
/// folder with only logs is dated by their modification time.
Result<Beginning> beginningOf(const ImportSources& sources) {
    std::optional<Beginning> first;
    std::optional<Error> why;
    for (const auto& source : sources.events) {
        const auto head = readHead(source.path);
        if (!head && !why)
            why = head.error();
        if (head && (!first || head->realtimeNs < first->realtimeNs))
            first = Beginning{head->realtimeNs, head->writer};
    }
    if (!first && why)
        return tl::unexpected(*why);
    if (!first)
        first = Beginning{modifiedNs(sources.logs.begin()->second.front()), {}};
    return *first;
}

struct ImportedRecipe {
    std::string text, name;
    fs::path path;
};

Result<ImportedRecipe> recipeOf(const ImportOptions& options, const ImportSources& sources) {
    ImportedRecipe recipe;
    recipe.path = options.config.empty() ? sources.hparams : options.config;
    if (recipe.path.empty()) {
        recipe.text = "# what was trained is not known: there was no hparams.yaml next to the event files\n{}\n";
    } else {
        RS_TRY_ASSIGN(auto text, readFile(recipe.path, kMostConfigBytes));
        recipe.text = options.config.empty() ? recipeOfHparams(std::move(text)) : std::move(text);
        const auto known = config::evaluate(recipe.text, recipe.path.string());
        const auto* named = known.find("name"); // if the recipe has no name, known.name is that of the file
        recipe.name = named && named->yours ? known.name : "";
    }
    return recipe;
}

std::string nameOf(const ImportOptions& options, const ImportedRecipe& recipe) {
    if (!options.name.empty())
        return options.name;
    if (!recipe.name.empty())
        return recipe.name;
    std::error_code ec;
    const fs::path path = fs::absolute(options.paths.front(), ec).lexically_normal();
    const fs::path folder = fs::is_directory(path, ec) ? path : path.parent_path();
    const std::string name = (folder.has_filename() ? folder : folder.parent_path()).filename().string();
    return name.empty() || name == "/" ? "imported" : name;
}

/// Concatenates the logs of a rank unchanged.
Result<void> copyLogs(const std::vector<fs::path>& logs, const fs::path& to) {
    RS_TRY(makePrivateDirs(to.parent_path()));
    RS_TRY_ASSIGN(auto out, AtomicFile::createInRun(to));
    std::string block(256u << 10, '\0');
    for (const auto& log : logs) {
        RS_TRY_ASSIGN(auto file, openRegularFile(log));
        for (ssize_t n = 1; n != 0 && !out.failed();) {
            n = ::read(file.fd.get(), block.data(), block.size());
            if (n < 0 && errno != EINTR)
                return tl::unexpected(systemError("read", log.string(), errno));
            out.write(block.data(), static_cast<std::size_t>(std::max<ssize_t>(n, 0)));
        }
    }
    return out.commit();
}

Result<void> fillStore(const launch::RunPaths& run, const ImportSources& sources, Imported& out) {
    auto& info = out.info;
    RS_TRY_ASSIGN(auto store,
                  store::RunWriter::open(run.store(), {info.id, info.worldSize, 0, info.startRealtimeNs, 0}));
    EventImport import(store, info.startRealtimeNs);
    for (const auto& source : sources.events)
        RS_TRY(import.read(source));
    RS_TRY(import.flush());
    out.series = import.series();
    out.points = import.points();
    out.remarks.insert(out.remarks.end(), import.remarks().begin(), import.remarks().end());
    info.endRealtimeNs =
        std::min(info.startRealtimeNs + std::max<std::int64_t>(import.lastNs(), 1), telemetry::kLatestRealtimeNs);
    RS_TRY(store.note(telemetry::NoteSeverity::Info, "Imported " + info.cause.english() + ".", 0));
    for (const auto& remark : out.remarks)
        RS_TRY(store.note(telemetry::NoteSeverity::Warning, remark.english(), 0));
    return store.finishImport();
}

Result<void> fillFolder(const launch::RunPaths& run, const ImportSources& sources, const ImportedRecipe& recipe,
                        Imported& out) {
    RS_TRY(writeRunFile(run.config(), recipe.text));
    RS_TRY(writeRunFile(run.effective(), recipe.text));
    RS_TRY(makePrivateDirs(run.dir / "ranks"));
    for (const auto& [rank, logs] : sources.logs)
        RS_TRY(copyLogs(logs, run.log(rank)));
    RS_TRY(fillStore(run, sources, out));
    return launch::writeRunInfo(run, out.info);
}

launch::RunInfo infoOf(const ImportOptions& options, const ImportSources& sources, const Beginning& begin,
                       const ImportedRecipe& recipe) {
    std::error_code ec;
    launch::RunInfo info;
    info.name = nameOf(options, recipe);
    info.state = launch::RunState::Imported;
    info.worldSize = sources.worldSize();
    info.startRealtimeNs = std::clamp<std::int64_t>(begin.realtimeNs, 0, telemetry::kLatestRealtimeNs);
    info.id = launch::newRunId(info.name, begin.realtimeNs);
    info.importedFrom = fs::absolute(options.paths.front(), ec).lexically_normal().string();
    info.cause = options.paths.size() > 1 ? Message("from {} and {} more", info.importedFrom, options.paths.size() - 1)
                                          : Message("from {}", info.importedFrom);
    info.argv = options.argv;
    info.configPath = recipe.path.string();
    info.versions = {{"rankscope", RANKSCOPE_VERSION}};
    if (!begin.writer.empty())
        info.versions.emplace_back("writer", begin.writer);
    info.tags = {"imported"};
    return info;
}

} // namespace

Result<Imported> importRun(const ImportOptions& options) {
    RS_TRY_ASSIGN(const auto sources, findSources(options.paths));
    RS_TRY_ASSIGN(const auto begin, beginningOf(sources));
    RS_TRY_ASSIGN(const auto recipe, recipeOf(options, sources));
    Imported out;
    out.info = infoOf(options, sources, begin, recipe);
    out.run.dir = options.runsDir / out.info.id;
    out.remarks = sources.remarks;
    RS_TRY(makePrivateDirs(options.runsDir));
    const launch::RunPaths aside{options.runsDir / ("." + out.info.id)};
    if (::mkdir(aside.dir.c_str(), 0700) != 0)
        return tl::unexpected(systemError("create the run's folder", out.run.dir.string(), errno));
    auto filled = fillFolder(aside, sources, recipe, out);
    if (filled && out.points == 0 && sources.logs.empty())
        filled = fail(Errc::Malformed,
                      out.remarks.empty() ? Message("the event files contain no scalars")
                                          : Message("the event files contain no scalars: {}", out.remarks.front()),
                      options.paths.front().string());
    if (filled && ::rename(aside.dir.c_str(), out.run.dir.c_str()) != 0)
        filled = tl::unexpected(systemError("create the run's folder", out.run.dir.string(), errno));
    if (filled)
        return out;
    launch::removeRunFolder(aside);
    return tl::unexpected(filled.error());
}

} // namespace rankscope::exchange
