// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/runs/scan/runs_folder_scanner.h"

#include "core/base/files/file.h"
#include "core/base/files/guarded_folder.h"
#include "core/base/values/clock.h"
#include "core/base/values/result.h"
#include "core/launch/process/training_verdict.h"
#include "core/telemetry/board/board.h"

#include <fcntl.h>
#include <sys/stat.h>

#include <algorithm>
#include <system_error>
#include <utility>

namespace rankscope::ui {

namespace fs = std::filesystem;

static constexpr std::int64_t kShowEveryNs = 250'000'000;
static constexpr std::size_t kMostSettings = 4u << 20; ///< bytes of effective.yaml

RunScan::FolderStamp RunScan::FolderStamp::of(const fs::path& file) {
    return at(AT_FDCWD, file.native());
}

RunScan::FolderStamp RunScan::FolderStamp::at(int folder, const std::string& name) {
    struct stat s {};
    if (::fstatat(folder, name.c_str(), &s, 0) != 0)
        return {};
    return {s.st_mtim.tv_sec * 1'000'000'000 + s.st_mtim.tv_nsec, s.st_size};
}

void RunScan::alsoList(const fs::path& run) {
    const std::string path = run.lexically_normal().native();
    const bool inside = run.lexically_normal().parent_path() == m_dir.lexically_normal();
    if (!inside && run.is_absolute() && std::find(m_elsewhere.begin(), m_elsewhere.end(), path) == m_elsewhere.end())
        m_elsewhere.push_back(path);
}

/// Reads the runs outside the runs folder; their absolute paths serve as names relative to any open folder. Returns
/// true if something changed.
bool RunScan::lookElsewhere(int folder) {
    bool changed = false;
    for (const std::string& path : m_elsewhere) {
        if (!m_seen.contains(path) && FolderStamp::at(folder, path + "/run.json") == FolderStamp())
            continue;
        KnownRun& seen = m_seen[path];
        seen.row.elsewhere = true;
        changed = look(seen, folder, path) || changed;
    }
    return changed;
}

/// Sorts the names by the time that they begin with.
void RunScan::sortNames() {
    const auto lastPart = [](const std::string& name) {
        return std::string_view(name).substr(name.rfind('/') + 1); // npos + 1 is 0
    };
    m_order.clear();
    for (const auto& [name, seen] : m_seen)
        m_order.push_back(name);
    std::sort(m_order.begin(), m_order.end(),
              [&](const std::string& a, const std::string& b) { return lastPart(a) > lastPart(b); });
}

Result<bool> RunScan::list() {
    std::error_code ec;
    const auto entries = entriesOf(m_dir, ec); // an incomplete listing must not remove runs
    if (ec && ec != std::errc::no_such_file_or_directory)
        return tl::unexpected(systemError("list", m_dir.string(), ec.value()));
    const UniqueFd folder(::open(m_dir.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC));
    bool changed = false;
    for (auto& [name, seen] : m_seen)
        seen.here = false;
    for (const auto& entry : entries) {
        std::string name = entry.path().native();
        name.erase(0, name.rfind('/') + 1);
        auto at = m_seen.find(name);
        if (at == m_seen.end()) {
            if (FolderStamp::at(folder.get(), name + "/run.json") == FolderStamp())
                continue; // not a run, or one that is being created
            at = m_seen.try_emplace(name).first;
        }
        changed = look(at->second, folder.get(), name) || changed;
    }
    changed = lookElsewhere(folder.get()) || changed;
    changed = std::erase_if(m_seen, [](const auto& one) { return !one.second.here; }) > 0 || changed;
    if (changed || m_order.size() != m_seen.size()) {
        sortNames();
        m_comparable = true;
    }
    return (changed && linkChains()) || changed;
}

/// Assigns each resumed run to the chain of the newest run that continues it. Returns true if a row changed.
bool RunScan::linkChains() {
    std::unordered_map<std::string, std::string> next; // newest run that was resumed from the key
    for (const std::string& name : m_order)
        if (const RunRow& row = m_seen.at(name).row;
            !row.elsewhere && !row.info.resumedFrom.empty() && row.info.resumedFrom != name)
            next.try_emplace(row.info.resumedFrom, name);
    std::unordered_map<std::string, int> parts;
    const auto headOf = [&next](const std::string& name) {
        std::string head = name;
        for (std::size_t hops = 0; hops <= next.size(); ++hops) { // the files may say anything, even a circle
            const auto at = next.find(head);
            if (at == next.end())
                return head;
            head = at->second;
        }
        return name;
    };
    for (const std::string& name : m_order)
        ++parts[headOf(name)];
    bool changed = false;
    for (auto& [name, seen] : m_seen) {
        const std::string head = headOf(name);
        const std::string chain = parts[head] > 1 ? head : std::string();
        const int count = chain == name ? parts[head] : 1;
        if (seen.row.chain == chain && seen.row.parts == count)
            continue;
        seen.row.chain = chain;
        seen.row.parts = count;
        seen.row.revision = ++m_revision;
        changed = true;
    }
    return changed;
}

/// Returns the run that `run` is compared with: the one that it repeats, otherwise the oldest of its name. A resumed
/// run counts as its first part. Returns null if there is none.
const RunRow* RunScan::originOf(const RunRow& run,
                                const std::unordered_map<std::string_view, const RunRow*>& oldest) const {
    const auto known = [this](const std::string& id) {
        const auto at = m_seen.find(id);
        return at == m_seen.end() ? nullptr : &at->second.row;
    };
    const RunRow* first = &run;
    for (int hops = 0; hops < 1000; ++hops) { // the files may say anything, even a circle
        const RunRow* before = known(first->info.resumedFrom);
        if (!before)
            break;
        first = before;
    }
    if (const RunRow* repeated = known(first->info.relaunchedFrom); repeated && repeated->settings)
        return repeated;
    const auto at = oldest.find(first->info.name);
    return at == oldest.end() || at->second == &run ? nullptr : at->second;
}

/// Returns true if something changed.
bool RunScan::compareSettings() {
    if (!std::exchange(m_comparable, false))
        return false;
    std::unordered_map<std::string_view, const RunRow*> oldest; // by name, of those whose settings are known
    for (auto name = m_order.rbegin(); name != m_order.rend(); ++name)
        if (const RunRow& row = m_seen.at(*name).row; row.settings)
            oldest.try_emplace(row.info.name, &row);
    bool changed = false;
    for (auto& [name, seen] : m_seen) {
        RunRow& row = seen.row;
        const RunRow* origin = row.settings ? originOf(row, oldest) : nullptr;
        const std::string id = origin ? origin->paths.dir.filename().string() : std::string();
        if (row.origin == id)
            continue;
        row.origin = id;
        row.changes = origin ? std::make_shared<const RunChanges>(changesOf(*origin, row)) : nullptr;
        row.revision = ++m_revision;
        changed = true;
    }
    return changed;
}

/// Returns true if the row changed.
bool RunScan::look(KnownRun& seen, int folder, const std::string& name) {
    const FolderStamp info = FolderStamp::at(folder, name + "/run.json"),
                      marks = FolderStamp::at(folder, name + "/marks.json");
    seen.here = info != FolderStamp();
    if (!seen.here)
        return true;
    bool changed = false;
    // a live run's state may change without its file: its supervisor may be gone
    if (info != seen.info || seen.row.isLive()) {
        const launch::RunPaths paths{m_dir / name};
        const bool fresh = info != seen.info;
        const auto before = seen.row.info.state;
        seen.info = info;
        readInfo(seen, paths);
        changed = fresh || before != seen.row.info.state;
        if (changed)
            seen.settled = false;
    }
    if (marks != seen.marks) {
        seen.marks = marks;
        if (auto read = launch::readMarks({m_dir / name})) {
            seen.row.marks = std::move(*read);
            seen.row.marksProblem.clear();
        } else {
            seen.row.marksProblem = QString::fromStdString(read.error().message());
        }
        changed = true;
    }
    if (changed)
        seen.row.revision = ++m_revision;
    return changed;
}

void RunScan::readInfo(KnownRun& seen, const launch::RunPaths& paths) {
    seen.row.paths = paths;
    seen.row.problem.clear();
    if (auto info = launch::readRunInfo(paths)) {
        seen.row.info = std::move(*info);
    } else {
        seen.row.info = {};
        seen.row.info.id = paths.dir.filename().string();
        seen.row.info.state = launch::RunState::Lost;
        seen.row.problem = QString::fromStdString(info.error().what.english());
    }
}

void RunScan::fill(const std::function<void()>& shown, const std::function<bool()>& stopped) {
    bool changed = false;
    std::int64_t last = monotonicNs();
    for (const std::string& name : m_order) {
        if (stopped())
            return;
        KnownRun& seen = m_seen[name];
        if (seen.settled)
            continue;
        if (seen.row.problem.isEmpty()) {
            // checked before the store is read: data written meanwhile is read in the next pass
            const bool live = seen.row.isLive();
            const bool configured = !seen.row.settings && readSettings(seen);
            m_comparable = m_comparable || configured;
            const bool read = readStore(seen);
            const bool doubted = checkStalls(seen);
            seen.settled = !live;
            seen.read = true;
            if (read || configured || doubted) {
                seen.row.revision = ++m_revision;
                changed = true;
            }
        } else {
            seen.settled = true;
        }
        if (const auto now = monotonicNs(); changed && now - last > kShowEveryNs) {
            shown();
            changed = false;
            last = monotonicNs();
        }
    }
    changed = compareSettings() || changed;
    if (changed)
        shown();
}

Result<RunFigures> RunScan::figuresOf(KnownRun& seen) {
    auto& reader = seen.reader;
    if (reader && reader->outdated())
        reader.reset();
    if (!reader) {
        RS_TRY_ASSIGN(auto opened, store::RunReader::open(seen.row.paths.store()));
        reader.emplace(std::move(opened));
    }
    RS_TRY(launch::judgeTraining(seen.row.info, *reader));
    auto figures = readFigures(*reader);
    if (!figures || !seen.row.isLive())
        reader.reset();
    return figures;
}

/// Returns true if something changed.
bool RunScan::readStore(KnownRun& seen) {
    const auto& paths = seen.row.paths;
    const FolderStamp store = FolderStamp::of(paths.store()), log = FolderStamp::of(paths.store().string() + "-wal");
    if (seen.read && seen.row.isLive() && store == seen.store && log == seen.log)
        return false;
    seen.store = store;
    seen.log = log;
    if (store == FolderStamp()) {
        const bool had = seen.row.figures || !seen.row.storeProblem.isEmpty();
        seen.row.figures.reset();
        seen.row.storeProblem.clear();
        return had;
    }
    const auto figures = figuresOf(seen);
    if (!figures) {
        seen.row.storeProblem = QString::fromStdString(figures.error().message());
        return true;
    }
    seen.row.storeProblem.clear();
    seen.row.lastStep = figures->lastStep;
    seen.row.lastLoss = figures->lastLoss;
    seen.row.figures = std::make_shared<const RunFigures>(*figures);
    return true;
}

/// Sets behindSinceNs if the store, which may be out of date (its disk is full), still reports a stall although its
/// rank works on a later step and holds up no other rank any more. Returns true if something changed.
bool RunScan::checkStalls(KnownRun& seen) {
    constexpr std::int64_t kPatienceNs = 3'000'000'000; // measurements reach the store within a second
    RunRow& row = seen.row;
    const std::int64_t before = std::exchange(row.behindSinceNs, 0);
    if (row.isLive() && row.figures)
        for (const auto& incident : row.figures->open) {
            if (!isStall(incident) || incident.step < 0)
                continue;
            const std::int64_t quiet = realtimeNs() - std::max(seen.store.ns, seen.log.ns);
            const auto board = telemetry::BoardReader::open(row.paths.board(incident.holders.front()));
            if (quiet > kPatienceNs && board && board->snapshot().step > incident.step)
                row.behindSinceNs = before != 0 ? before : monotonicNs() - quiet;
        }
    return before != row.behindSinceNs;
}

/// Returns true if something changed.
bool RunScan::readSettings(KnownRun& seen) {
    const fs::path file = seen.row.paths.effective();
    seen.row.settingsProblem.clear();
    const auto text = readRunFile(file, kMostSettings);
    if (!text) {
        if (text.error().code != Errc::NotFound)
            seen.row.settingsProblem = QString::fromStdString(text.error().message());
        return text.error().code != Errc::NotFound;
    }
    if (auto settings = settingsOf(*text, file.string(), m_pool))
        seen.row.settings = std::move(*settings);
    else
        seen.row.settingsProblem = QString::fromStdString(settings.error().message());
    return true;
}

QList<RunRow> RunScan::rows() const {
    QList<RunRow> rows;
    rows.reserve(static_cast<qsizetype>(m_order.size()));
    for (const std::string& name : m_order)
        rows << m_seen.at(name).row;
    return rows;
}

} // namespace rankscope::ui
