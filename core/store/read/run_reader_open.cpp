// SPDX-License-Identifier: Apache-2.0
// Opening a store for reading: a live one takes part in its writer's locks; any other one is viewed, and nothing in its
// folder is touched.
#include "core/base/process/process_identity.h"
#include "core/base/values/result.h"
#include "core/store/read/run_reader_impl.h"
#include "core/store/tables/meta_table.h"
#include "core/store/tables/schema.h"

#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <set>

namespace rankscope::store {

namespace fs = std::filesystem;

using Impl = RunReader::Impl;

/// SQLite's own mode takes part in the writer's locks and maps the log's index. The owner of a file may cut it, which
/// ends a reader that has it mapped with SIGBUS; so only what is the reader's own is opened like this, and only regular
/// files, which hold nobody up.
static bool isOwn(const fs::path& file) {
    struct stat st {};
    const auto own = [&st] { return st.st_uid == ::geteuid(); };
    const fs::path folder = file.has_parent_path() ? file.parent_path() : fs::path(".");
    if (::stat(folder.c_str(), &st) != 0 || !own())
        return false; // who owns the folder may put another file in the place of any
    for (const char* suffix : kStoreSuffixes)
        if (::lstat((file.string() + suffix).c_str(), &st) == 0 ? !own() || !S_ISREG(st.st_mode) : errno != ENOENT)
            return false;
    return true;
}

static FileStamp stampOf(const fs::path& file) {
    struct stat s {};
    if (::stat(file.c_str(), &s) != 0)
        return {};
    return {s.st_ino, s.st_size, std::int64_t{s.st_mtim.tv_sec} * 1'000'000'000 + s.st_mtim.tv_nsec};
}

static Stamps stampsOf(const fs::path& file) {
    return {stampOf(file), stampOf(file.string() + "-wal")};
}

/// Tables that are missing; an error when nothing can be read without one.
static Result<void> checkTables(Impl& m, int version) {
    RS_TRY_ASSIGN(auto rows, m.db.prepare("SELECT name FROM sqlite_master WHERE type='table' LIMIT 10000"));
    std::set<std::string> there;
    RS_TRY(forEach(rows, [&](const Statement& row) { there.insert(row.text(0)); }));
    for (const std::string_view table : tablesOf(std::min(version, kSchemaVersion)))
        if (!there.contains(std::string(table)))
            m.condition.tables.emplace(table, "it is missing");
    for (const char* needed : {"rank", "step"}) {
        if (there.contains(needed))
            continue;
        if (version > kSchemaVersion)
            return fail(Errc::Unsupported,
                        fmt::format("was written by a newer Rankscope (schema {}, this one knows up to {}) that keeps "
                                    "a run in another way: open it with that version",
                                    version, kSchemaVersion),
                        m.file.string());
        return fail(Errc::Malformed, fmt::format("is no store that can be read: it has no table {}", needed),
                    m.file.string());
    }
    return {};
}

/// What the store says of its run; what run.json says where it cannot.
static Result<void> takeMeta(Impl& m, const RunMeta* known) {
    auto meta = m.condition.tables.contains("meta") ? Result<RunMeta>(RunMeta{}) : readMeta(m.db);
    if (meta && meta->id.empty())
        meta = fail(Errc::Malformed, "has no run in it", m.file.string());
    if (!meta && !(known && isDamage(meta.error())))
        return tl::unexpected(meta.error());
    if (!meta)
        m.condition.tables.emplace("meta", meta.error().what);
    m.meta = meta ? std::move(*meta) : *known;
    m.meta.worldSize = std::clamp(m.meta.worldSize, 1, telemetry::kMaxRanks);
    m.meta.startNs = std::clamp<std::int64_t>(m.meta.startNs, 0, kLatestNs);
    m.meta.startRealtimeNs = std::clamp<std::int64_t>(m.meta.startRealtimeNs, 0, telemetry::kLatestRealtimeNs);
    m.meta.totalSteps = std::clamp<std::int64_t>(m.meta.totalSteps, 0, kMaxStep);
    return {};
}

static Result<std::unique_ptr<Impl>> openAs(const fs::path& file, OpenMode mode, const RunMeta* known) {
    auto impl = std::make_unique<Impl>();
    impl->file = file;
    impl->viewing = mode != OpenMode::ReadOnly;
    impl->stamps = stampsOf(file);
    RS_TRY_ASSIGN(auto db, Database::open(file, mode));
    impl->db = std::move(db);
    RS_TRY_ASSIGN(auto version, storeVersion(impl->db));
    if (version > kSchemaVersion)
        impl->condition.newerSchema = version;
    RS_TRY(checkTables(*impl, version));
    RS_TRY(takeMeta(*impl, known));
    if (impl->viewing && impl->db.sizeOf(Database::File::Log) == 0)
        findMissingPages(impl->db, impl->condition);
    return impl;
}

enum class Writer { None, Lives, Killed };

static Writer writerOf(const Database& db) {
    const auto pid = getMeta(db, "writer_pid", 0), ticks = getMeta(db, "writer_start_ticks", 0);
    if (!pid || !ticks || *pid <= 0 || *pid > INT32_MAX)
        return Writer::None;
    return isSameProcess(static_cast<pid_t>(*pid), static_cast<std::uint64_t>(*ticks)) ? Writer::Lives : Writer::Killed;
}

/// A view of a file that somebody is just writing to may be of two moments at once: then it is looked at again.
static Result<std::unique_ptr<Impl>> view(const fs::path& file, const RunMeta* known) {
    Error why;
    for (int tries = 0;; ++tries) {
        const Stamps before = stampsOf(file);
        auto impl = openAs(file, OpenMode::View, known);
        if (impl || impl.error().code != Errc::Malformed || tries >= 4)
            return impl;
        why = impl.error();
        if (stampsOf(file) == before)
            break;
    }
    auto torn = openAs(file, OpenMode::ViewTorn, known);
    if (torn && torn->get()->condition.tables.empty() && torn->get()->condition.missingPages == 0)
        torn->get()->condition.tables.emplace("sqlite_master", "the file is not as its header says");
    return torn ? std::move(torn) : tl::unexpected(std::move(why));
}

Result<RunReader> RunReader::open(const fs::path& file, const RunMeta* known) {
    RS_TRY(checkIsFile(file));
    auto impl = view(file, known);
    if (!impl)
        return tl::unexpected(isDamage(impl.error()) && !impl.error().what.starts_with("is ")
                                  ? notAStore(file, impl.error())
                                  : impl.error());
    const Writer writer = writerOf((*impl)->db);
    std::error_code ec;
    if (writer == Writer::Lives) {
        // without the right to take part in the writer's locks, or where its pid means another one, the view is kept
        if (!isOwn(file))
            return RunReader(std::move(*impl));
        if (auto live = openAs(file, OpenMode::ReadOnly, known))
            return RunReader(std::move(*live));
    }
    // reads the whole log: not for a store that is opened again and again while its writer adds to it
    (*impl)->condition.log =
        writer == Writer::Killed && !fs::is_regular_file(file.string() + "-wal", ec) && isLogLost((*impl)->db, file)
            ? StoreCondition::Log::Missing
            : conditionOfLog((*impl)->db);
    return RunReader(std::move(*impl));
}

bool RunReader::outdated() const {
    const Stamps now = stampsOf(m->file);
    return m->viewing ? !(now == m->stamps)
                      : now.store.inode != m->stamps.store.inode || now.log.inode != m->stamps.log.inode;
}

const StoreCondition& RunReader::condition() const {
    return m->condition;
}

Result<void> RunReader::checkPages() {
    RS_TRY_ASSIGN(auto rows, m->db.prepare("PRAGMA quick_check(1)"));
    std::string found;
    RS_TRY(forEach(rows, [&](const Statement& row) { found = row.text(0); }));
    if (const std::string_view head = "*** in database main ***\n"; found.starts_with(head))
        found.erase(0, head.size());
    std::replace(found.begin(), found.end(), '\n', ' ');
    if (found != "ok")
        return fail(Errc::Malformed, fmt::format("what is not shown is damaged: {}", found.substr(0, 300)),
                    m->file.string());
    return {};
}

Result<void> RunReader::checkQuickly() {
    if (!m->viewing || m->db.sizeOf(Database::File::Store) > kQuicklyChecked)
        return {};
    auto whole = checkPages();
    return whole ? Result<void>{} : m->noted(kElsewhere, whole.error());
}

bool isDamage(const Error& error) {
    return error.code == Errc::Malformed;
}

Result<void> RunReader::Impl::noted(const char* table, const Error& error) {
    if (!viewing || !isDamage(error))
        return tl::unexpected(error);
    condition.tables.emplace(table, error.what);
    return {};
}

void RunReader::Impl::noteImpossible(const char* table) {
    condition.tables.emplace(table, "it holds values that cannot be");
}

} // namespace rankscope::store
