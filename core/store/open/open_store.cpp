// SPDX-License-Identifier: Apache-2.0
#include "core/store/open/open_store.h"

#include "core/base/process/process_identity.h"
#include "core/store/tables/meta_table.h"

#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>

namespace rankscope::store {

namespace fs = std::filesystem;

static bool isDamage(const Error& error) {
    return error.code == Errc::Malformed;
}

/// Returns whether a file may be opened in SQLite's normal mode, which takes part in the writer's locking and maps the
/// index of the log. A user who may write to a mapped file may also truncate it, and then SIGBUS kills the reader. The
/// file must therefore be the reader's own, writable by nobody else, and regular, so that opening it does not block.
static bool isOwn(const fs::path& file) {
    struct stat st {};
    // an access control list that lets others write shows in the bits of the group
    const auto own = [&st] { return st.st_uid == ::geteuid() && (st.st_mode & (S_IWGRP | S_IWOTH)) == 0; };
    const fs::path folder = file.has_parent_path() ? file.parent_path() : fs::path(".");
    if (::stat(folder.c_str(), &st) != 0 || !own())
        return false; // anyone who may write to the folder may replace any file
    for (const char* suffix : kStoreSuffixes)
        if (::lstat((file.string() + suffix).c_str(), &st) == 0 ? !own() || !S_ISREG(st.st_mode) : errno != ENOENT)
            return false;
    return true;
}

OpenStore::FileIdentity OpenStore::stampOf(const fs::path& file) {
    struct stat s {};
    if (::stat(file.c_str(), &s) != 0)
        return {};
    return {s.st_ino, s.st_size, std::int64_t{s.st_mtim.tv_sec} * 1'000'000'000 + s.st_mtim.tv_nsec};
}

OpenStore::FileIdentities OpenStore::stampsOf(const fs::path& file) {
    return {stampOf(file), stampOf(file.string() + "-wal")};
}

/// Records missing tables; returns an error if nothing can be read without one.
Result<void> OpenStore::checkTables(int version) {
    for (const std::string_view table : tablesOf(std::min(version, kSchemaVersion))) {
        RS_TRY_ASSIGN(const bool there, m_db.hasLoaded(std::string(table)));
        if (!there)
            m_condition.tables.emplace(table, "it is missing");
    }
    for (const char* needed : {"rank", "step"}) {
        if (!m_condition.tables.contains(needed))
            continue;
        if (version > kSchemaVersion)
            return fail(Errc::Unsupported,
                        {"was written by a newer Rankscope (schema {}; this one reads up to {}) that stores runs "
                         "differently: open it with that version",
                         version, kSchemaVersion},
                        m_file.string());
        return fail(Errc::Malformed, {"is not a readable store: it has no table {}", needed}, m_file.string());
    }
    return {};
}

/// Takes the run's meta data from the store, or from run.json if the store has none.
Result<void> OpenStore::takeMeta(const RunMeta* known) {
    auto meta = m_condition.tables.contains("meta") ? Result<RunMeta>(RunMeta{}) : readMeta(m_db);
    if (meta && meta->id.empty())
        meta = fail(Errc::Malformed, "contains no run", m_file.string());
    if (!meta && !(known && isDamage(meta.error())))
        return tl::unexpected(meta.error());
    if (!meta)
        m_condition.tables.emplace("meta", meta.error().what);
    m_meta = meta ? *meta : *known;
    m_meta.worldSize = std::clamp(m_meta.worldSize, 1, telemetry::kMaxRanks);
    m_meta.startNs = std::clamp<std::int64_t>(m_meta.startNs, 0, kMostNs);
    m_meta.startRealtimeNs = std::clamp<std::int64_t>(m_meta.startRealtimeNs, 0, telemetry::kLatestRealtimeNs);
    m_meta.totalSteps = std::clamp<std::int64_t>(m_meta.totalSteps, 0, kMaxStep);
    return {};
}

Result<std::unique_ptr<OpenStore>> OpenStore::openAs(const fs::path& file, OpenMode mode, const RunMeta* known,
                                                     const FileIdentities& stamps) {
    auto store = std::make_unique<OpenStore>();
    store->m_file = file;
    store->m_viewing = mode != OpenMode::ReadOnly;
    store->m_stamps = stamps;
    RS_TRY_ASSIGN(store->m_db, Database::open(file, mode));
    RS_TRY_ASSIGN(auto version, storeVersion(store->m_db));
    if (version > kSchemaVersion)
        store->m_condition.newerSchema = version;
    RS_TRY(store->checkTables(version));
    RS_TRY(store->takeMeta(known));
    if (store->m_viewing && store->m_db.sizeOf(Database::DatabaseFile::Log) == 0)
        findMissingPages(store->m_db, store->m_condition);
    return store;
}

enum class WriterLiveness { None, Lives, Killed };

static WriterLiveness writerOf(const Database& db, std::uint64_t inode) {
    const auto named = getMeta(db, "writer_pid", 0);
    if (!named || *named <= 0)
        return WriterLiveness::None;
    const auto writer = liveWriter(db, inode);
    return writer && *writer > 0 ? WriterLiveness::Lives : WriterLiveness::Killed;
}

/// A view of a file that is being written may mix two states; in that case it is read again.
Result<std::unique_ptr<OpenStore>> OpenStore::view(const fs::path& file, const RunMeta* known) {
    Error why;
    for (int tries = 0;; ++tries) {
        const FileIdentities before = stampsOf(file);
        auto impl = openAs(file, OpenMode::View, known, before);
        if (impl || impl.error().code != Errc::Malformed || tries >= 4)
            return impl;
        why = impl.error();
        if (stampsOf(file) == before)
            break;
    }
    auto torn = openAs(file, OpenMode::ViewTorn, known, stampsOf(file));
    if (torn && torn->get()->m_condition.tables.empty() && torn->get()->m_condition.missingPages == 0)
        torn->get()->m_condition.tables.emplace("sqlite_master", "the file does not match its header");
    return torn ? std::move(torn) : tl::unexpected(std::move(why));
}

Result<std::unique_ptr<OpenStore>> OpenStore::open(const fs::path& file, const RunMeta* known) {
    RS_TRY(checkIsFile(file));
    auto viewed = view(file, known);
    if (!viewed)
        return tl::unexpected(isDamage(viewed.error()) && !viewed.error().what.english().starts_with("is ")
                                  ? whyNotAStore(file, viewed.error())
                                  : viewed.error());
    OpenStore& store = **viewed;
    const WriterLiveness writer = writerOf(store.m_db, store.m_stamps.store.inode);
    std::error_code ec;
    if (writer == WriterLiveness::Lives) {
        // keep the view if we may not use the writer's locks, or if the pid now belongs to another process
        if (!isOwn(file))
            return viewed;
        if (auto live = openAs(file, OpenMode::ReadOnly, known, stampsOf(file)))
            return live;
    }
    // reads the whole log, so not for a store that is reopened often while its writer adds to it
    store.m_condition.log = writer == WriterLiveness::Killed && !fs::is_regular_file(file.string() + "-wal", ec) &&
                                    isLogLost(store.m_db, file)
                                ? StoreHealth::LogState::Missing
                                : conditionOfLog(store.m_db);
    return viewed;
}

bool OpenStore::outdated() const {
    const FileIdentities now = stampsOf(m_file);
    return m_viewing ? !(now == m_stamps)
                     : now.store.inode != m_stamps.store.inode || now.log.inode != m_stamps.log.inode;
}

Result<void> OpenStore::checkPages() const {
    RS_TRY_ASSIGN(auto rows, m_db.prepare("PRAGMA quick_check(1)"));
    std::string found;
    RS_TRY(forEach(rows, [&](const Statement& row) { found = row.text(0); }));
    if (const std::string_view head = "*** in database main ***\n"; found.starts_with(head))
        found.erase(0, head.size());
    std::replace(found.begin(), found.end(), '\n', ' ');
    if (found != "ok")
        return fail(Errc::Malformed, {"damaged parts are not shown: {}", found.substr(0, 300)}, m_file.string());
    return {};
}

Result<void> OpenStore::checkQuickly() {
    if (!m_viewing || m_db.sizeOf(Database::DatabaseFile::Store) > kQuicklyChecked)
        return {};
    auto whole = checkPages();
    return whole ? Result<void>{} : recordDamage(kOtherTables, whole.error());
}

Result<bool> OpenStore::has(std::string_view table) const {
    RS_TRY_ASSIGN(const bool there, m_db.hasLoaded(std::string(table)));
    return there ? Result<bool>(true) : hasTable(m_db, table);
}

Result<Statement*> OpenStore::statement(std::string_view sql) {
    auto at = m_statements.find(sql);
    if (at == m_statements.end()) {
        auto prepared = m_db.prepare(sql);
        if (!prepared) {
            Error error = prepared.error();
            if (error.code == Errc::Internal) // no such table, no such column
                error = {Errc::Malformed, {"its layout is unknown to this version: {}", error.what}, error.where};
            return tl::unexpected(std::move(error));
        }
        at = m_statements.emplace(std::string(sql), std::move(*prepared)).first;
    }
    at->second.reset();
    m_db.renew();
    return &at->second;
}

Result<void> OpenStore::recordDamage(const char* table, const Error& error) {
    if (!m_viewing || !isDamage(error))
        return tl::unexpected(error);
    m_condition.tables.emplace(table, error.what);
    return {};
}

void OpenStore::recordImpossible(const char* table) {
    m_condition.tables.emplace(table, "it contains impossible values");
}

Result<void> checkWhole(const fs::path& file) {
    RS_TRY_ASSIGN(const auto store, OpenStore::open(file));
    if (const auto& condition = store->condition(); !condition.sound())
        return fail(condition.damaged() ? Errc::Malformed : Errc::Unsupported, describe(condition, file),
                    file.string());
    return store->checkPages();
}

} // namespace rankscope::store
