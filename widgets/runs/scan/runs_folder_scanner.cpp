// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/runs/scan/runs_folder_scanner.h"

#include "core/base/files/file.h"
#include "core/base/files/guarded_folder.h"
#include "core/base/values/clock.h"
#include "core/base/values/result.h"
#include "core/launch/process/training_verdict.h"
#include "core/telemetry/board/board.h"

#include <fcntl.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <system_error>
#include <thread>
#include <utility>

namespace rankscope::ui {

namespace fs = std::filesystem;

static constexpr std::int64_t kShowFirstNs = 250'000'000; ///< doubled each time: each row costs the window time
static constexpr std::int64_t kWriteEveryNs = 60'000'000'000;
static constexpr std::size_t kFirstRuns = 200;  ///< more than fit into the window
static constexpr std::size_t kRunsAtOnce = 256; ///< between two looks at whether there is something to show
static constexpr std::size_t kFewRuns = 16;     ///< not worth more threads
static constexpr int kNice = 10;
static constexpr std::size_t kMostSettings = 4u << 20; ///< bytes of effective.yaml

void RunScan::alsoList(const fs::path& run) {
    const std::string path = run.lexically_normal().native();
    const bool inside = run.lexically_normal().parent_path() == m_dir.lexically_normal();
    if (!inside && run.is_absolute() && std::find(m_elsewhere.begin(), m_elsewhere.end(), path) == m_elsewhere.end())
        m_elsewhere.push_back(path);
}

/// Returns how many threads read this many runs: opening and reading a store takes about a millisecond of computing.
static std::size_t threadsFor(std::size_t runs) {
    return runs < kFewRuns ? 1 : std::clamp(std::thread::hardware_concurrency(), 1u, 4u);
}

/// Calls read(item, thread) for each item below `count`, in this thread and helpers of low priority, until `stopped`
/// returns true.
template <class Read>
static void inThreads(std::size_t count, std::size_t threads, const std::function<bool()>& stopped, const Read& read) {
    std::atomic<std::size_t> next = 0;
    const auto readNext = [&](std::size_t thread) {
        const std::size_t at = next.fetch_add(1);
        if (at < count)
            read(at, thread);
        return at < count;
    };
    std::vector<std::jthread> helpers;
    for (std::size_t thread = 1; thread < threads; ++thread)
        helpers.emplace_back([&readNext, thread] {
            ::setpriority(PRIO_PROCESS, static_cast<id_t>(::gettid()), kNice); // drawing comes first
            while (readNext(thread)) {
            }
        });
    while (readNext(0))
        if (stopped())
            next = count;
}

/// Returns true if a row changed.
bool RunScan::lookAtAll(std::vector<Look>& looks, int folder, std::size_t threads) {
    inThreads(
        looks.size(), threads, [] { return false; },
        [&](std::size_t at, std::size_t) { looks[at].changed = look(*looks[at].run, folder, *looks[at].name); });
    bool changed = false;
    for (const Look& one : looks) {
        if (one.changed)
            one.run->row.revision = ++m_revision;
        changed = changed || one.changed;
    }
    looks.clear();
    return changed;
}

/// Reads the runs outside the runs folder; their absolute paths serve as names relative to any open folder. Returns
/// true if something changed.
bool RunScan::lookElsewhere(int folder) {
    std::vector<Look> looks;
    for (const std::string& path : m_elsewhere) {
        if (!m_seen.contains(path) && FileStamp::at(folder, path + "/run.json") == FileStamp())
            continue;
        const auto at = m_seen.try_emplace(path).first;
        at->second.row.elsewhere = true;
        looks.push_back({&at->first, &at->second});
    }
    return lookAtAll(looks, folder, 1);
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

Result<bool> RunScan::list(const std::function<void()>& first) {
    std::error_code ec;
    const auto entries = entriesOf(m_dir, ec); // an incomplete listing must not remove runs
    if (ec && ec != std::errc::no_such_file_or_directory)
        return tl::unexpected(systemError("list", m_dir.string(), ec.value()));
    std::vector<std::string> names;
    for (const auto& entry : entries)
        names.push_back(entry.path().native().substr(entry.path().native().rfind('/') + 1));
    if (m_order.empty()) // the newest first
        std::sort(names.rbegin(), names.rend());
    const UniqueFd folder(::open(m_dir.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC));
    bool changed = false;
    for (auto& [name, seen] : m_seen)
        seen.here = false;
    const bool isFirst = m_order.empty(); // later listings may take their time: the program is idle
    const std::size_t threads = isFirst ? threadsFor(names.size()) : 1;
    std::vector<Look> looks;
    for (const std::string& name : names) {
        auto at = m_seen.find(name);
        if (at == m_seen.end()) {
            if (FileStamp::at(folder.get(), name + "/run.json") == FileStamp())
                continue; // not a run, or one that is being created
            at = m_seen.try_emplace(name).first;
        }
        looks.push_back({&at->first, &at->second});
        if (isFirst && m_seen.size() == kFirstRuns) {
            changed = lookAtAll(looks, folder.get(), threads) || changed;
            sortNames();
            linkChains();
            first();
        }
    }
    changed = lookAtAll(looks, folder.get(), threads) || changed;
    changed = lookElsewhere(folder.get()) || changed;
    changed = std::erase_if(m_seen, [](const auto& one) { return !one.second.here; }) > 0 || changed;
    if (changed || m_order.size() != m_seen.size()) {
        sortNames();
        m_comparable = true;
    }
    if (changed)
        linkChains();
    return changed;
}

/// Returns the totals of the runs that a run was resumed from, one after the other.
RunTotals RunScan::earlierOf(const RunRow& run) const {
    RunTotals sum;
    const RunRow* at = &run;
    for (std::size_t hops = 0; hops < m_seen.size() && !at->info.resumedFrom.empty(); ++hops) { // there may be a circle
        const auto before = m_seen.find(at->info.resumedFrom);
        if (before == m_seen.end())
            break;
        at = &before->second.row;
        sum.add(at->lastedNs(0), at->figures.get());
    }
    return sum;
}

/// Returns true if a row changed.
bool RunScan::sumEarlierRuns() {
    bool changed = false;
    for (auto& [name, seen] : m_seen) {
        RunTotals earlier = earlierOf(seen.row);
        if (seen.row.earlier == earlier)
            continue;
        seen.row.earlier = std::move(earlier);
        seen.row.revision = ++m_revision;
        changed = true;
    }
    return changed;
}

/// Assigns each resumed run to the chain of the newest run that continues it.
void RunScan::linkChains() {
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
    for (auto& [name, seen] : m_seen) {
        const std::string head = headOf(name);
        const std::string chain = parts[head] > 1 ? head : std::string();
        const int count = chain == name ? parts[head] : 1;
        if (seen.row.chain == chain && seen.row.parts == count)
            continue;
        seen.row.chain = chain;
        seen.row.parts = count;
        seen.row.revision = ++m_revision;
    }
    sumEarlierRuns();
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
    std::for_each(m_order.rbegin(), m_order.rend(), [&](const std::string& name) {
        if (const RunRow& row = m_seen.at(name).row; row.settings)
            oldest.try_emplace(row.info.name, &row);
    });
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

/// Several threads look at different runs. Returns true if the row changed.
bool RunScan::look(KnownRun& seen, int folder, const std::string& name) const {
    const FileStamp info = FileStamp::at(folder, name + "/run.json"),
                    marks = FileStamp::at(folder, name + "/marks.json");
    seen.here = info != FileStamp();
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

/// Reads the figures and settings of a run; several threads read different runs.
void RunScan::readRun(Reading& reading, SettingsReader& settings) const {
    KnownRun& seen = *reading.run;
    // checked before the files are read: data written meanwhile is read in the next pass
    const bool live = seen.row.isLive();
    reading.stamps = RunStamps::of(seen.row.paths);
    reading.taken = !live && takeEnded(reading);
    if (!reading.taken) {
        reading.configured = (!live || !seen.row.settings) && readSettings(seen, settings);
        reading.changed = readStore(seen, reading.stamps.store, reading.stamps.log) || reading.configured;
    }
    reading.changed = checkStalls(seen) || reading.taken || reading.changed;
    seen.settled = !live;
    seen.read = true;
    reading.done = true;
}

void RunScan::readAll(std::vector<Reading>& readings, const std::function<bool()>& stopped) {
    const std::size_t threads = threadsFor(readings.size());
    while (m_settings.size() < threads)
        m_settings.emplace_back(m_pool);
    inThreads(readings.size(), threads, stopped,
              [&](std::size_t at, std::size_t thread) { readRun(readings[at], m_settings[thread]); });
}

/// Returns true if the row changed.
bool RunScan::finish(const Reading& reading) {
    if (!reading.done)
        return false;
    KnownRun& seen = *reading.run;
    m_comparable = m_comparable || reading.configured || reading.taken;
    if (!reading.taken && !seen.row.isLive())
        keepEnded(reading);
    if (reading.changed)
        seen.row.revision = ++m_revision;
    return reading.changed;
}

void RunScan::fill(const std::function<void()>& shown, const std::function<bool()>& stopped) {
    if (!std::exchange(m_endedTaken, true) && !m_keptFile.empty())
        m_ended = readEndedRuns(m_keptFile, m_dir, m_pool);
    bool changed = false;
    std::int64_t last = monotonicNs(), pause = kShowFirstNs;
    std::vector<Reading> readings;
    for (auto name = m_order.begin(); name != m_order.end();) {
        readings.clear();
        for (; name != m_order.end() && readings.size() < kRunsAtOnce; ++name) {
            KnownRun& seen = m_seen[*name];
            if (!seen.settled && seen.row.problem.isEmpty())
                readings.push_back({&*name, &seen});
            seen.settled = seen.settled || !seen.row.problem.isEmpty();
        }
        readAll(readings, stopped);
        for (const Reading& reading : readings)
            changed = finish(reading) || changed;
        if (stopped())
            return;
        if (const auto now = monotonicNs(); changed && now - last > pause) {
            sumEarlierRuns();
            shown();
            changed = false;
            last = monotonicNs();
            pause *= 2;
        }
    }
    changed = sumEarlierRuns() || changed;
    changed = compareSettings() || changed;
    if (changed)
        shown();
    if (monotonicNs() - m_writtenNs > kWriteEveryNs)
        writeEnded();
}

/// Takes what was read of an ended run before, at this start or an earlier one. Returns false if nothing was, or if its
/// files have changed since.
bool RunScan::takeEnded(Reading& reading) const {
    const auto at = m_ended.find(*reading.name);
    if (at == m_ended.end() || at->second.stamps != reading.stamps)
        return false;
    const EndedRun& ended = at->second;
    KnownRun& seen = *reading.run;
    seen.row.settings = ended.settings;
    seen.row.settingsProblem.clear();
    seen.row.storeProblem.clear();
    seen.tails = ended.tails;
    launch::judgeTraining(seen.row.info, seen.tails);
    show(ended.figures, seen.row);
    return true;
}

void RunScan::keepEnded(const Reading& reading) {
    ++m_endedRead;
    const RunRow& row = reading.run->row;
    const RunStamps& stamps = reading.stamps;
    const bool whole = row.settingsProblem.isEmpty() && row.storeProblem.isEmpty() &&
                       stamps.recipe.exists() == (row.settings != nullptr) &&
                       stamps.store.exists() == (row.figures != nullptr);
    if (m_keptFile.empty() || !whole || !stamps.areOld() || (row.figures && !row.figures->open.empty()))
        return;
    m_ended.insert_or_assign(*reading.name, EndedRun{stamps, row.settings, row.figures, reading.run->tails});
    m_endedChanged = true;
}

/// Without the file, the next start takes longer, which is no reason to bother the user.
void RunScan::writeEnded() {
    if (!std::exchange(m_endedChanged, false))
        return;
    std::erase_if(m_ended, [this](const auto& one) { return !m_seen.contains(one.first); });
    (void)writeEndedRuns(m_keptFile, m_dir, m_ended);
    m_writtenNs = monotonicNs();
}

void RunScan::show(const RunFiguresPtr& figures, RunRow& row) {
    row.figures = figures;
    if (!figures)
        return;
    row.lastStep = figures->lastStep;
    row.lastLoss = figures->lastLoss;
}

Result<RunFigures> RunScan::figuresOf(KnownRun& seen) {
    auto& reader = seen.reader;
    if (reader && reader->outdated())
        reader.reset();
    if (!reader) {
        RS_TRY_ASSIGN(auto opened, store::RunReader::open(seen.row.paths.store()));
        reader.emplace(std::move(opened));
    }
    if (!seen.row.isLive()) {
        RS_TRY_ASSIGN(seen.tails, store::notFiniteTails(*reader));
        std::erase_if(seen.tails, [](const auto& tail) { return tail.since < 0; });
        launch::judgeTraining(seen.row.info, seen.tails);
    }
    auto figures = readFigures(*reader);
    if (!figures || !seen.row.isLive())
        reader.reset();
    return figures;
}

/// Returns true if something changed.
bool RunScan::readStore(KnownRun& seen, const FileStamp& store, const FileStamp& log) {
    if (seen.read && seen.row.isLive() && store == seen.store && log == seen.log)
        return false;
    seen.store = store;
    seen.log = log;
    if (store == FileStamp()) {
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
    show(std::make_shared<const RunFigures>(*figures), seen.row);
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
            const std::int64_t quiet = realtimeNs() - std::max(seen.store.modifiedNs, seen.log.modifiedNs);
            const auto board = telemetry::BoardReader::open(row.paths.board(incident.holders.front()));
            if (quiet > kPatienceNs && board && board->snapshot().step > incident.step)
                row.behindSinceNs = before != 0 ? before : monotonicNs() - quiet;
        }
    return before != row.behindSinceNs;
}

/// Returns true if something changed.
bool RunScan::readSettings(KnownRun& seen, SettingsReader& settings) {
    const fs::path file = seen.row.paths.effective();
    seen.row.settingsProblem.clear();
    const auto text = readRunFile(file, kMostSettings);
    if (!text) {
        if (text.error().code != Errc::NotFound)
            seen.row.settingsProblem = QString::fromStdString(text.error().message());
        return text.error().code != Errc::NotFound;
    }
    if (auto read = settings.read(*text, file.string()))
        seen.row.settings = std::move(*read);
    else
        seen.row.settingsProblem = QString::fromStdString(read.error().message());
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
