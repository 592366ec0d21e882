// SPDX-License-Identifier: Apache-2.0
#include "core/store/sqlite/sqlite.h"

#include "core/base/values/result.h"
#include "core/store/sqlite/readonly_vfs.h"

#include <fmt/format.h>
#include <sqlite3.h>
#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <limits>

namespace rankscope::store {

namespace {

constexpr int kBusyMs = 2000;
constexpr std::size_t kLongestPath = 504;                            ///< 512 with the names of its companions
constexpr int kLargestRow = 16 << 20;                                ///< of a view; we never write a larger one
constexpr std::int64_t kWorkAtLeast = 10'000, kWorkPerKilobyte = 50; ///< thousand instructions; a row has hundreds

bool outOfSpace(int errnoValue) {
    return errnoValue == ENOSPC || errnoValue == EDQUOT || errnoValue == EFBIG;
}

Errc codeOf(int sqliteCode, int errnoValue) {
    switch (sqliteCode & 0xff) {
    case SQLITE_FULL:
        return Errc::NoSpace;
    case SQLITE_BUSY:
    case SQLITE_LOCKED:
        return Errc::Busy;
    case SQLITE_READONLY:
    case SQLITE_PERM:
    case SQLITE_AUTH:
        return Errc::Permission;
    case SQLITE_CORRUPT:
    case SQLITE_NOTADB:
    case SQLITE_TOOBIG:    // a view's limit
    case SQLITE_INTERRUPT: // only views are interrupted: the work limit was reached
        return Errc::Malformed;
    case SQLITE_CANTOPEN:
        return errnoValue == ENOENT ? Errc::NotFound : outOfSpace(errnoValue) ? Errc::NoSpace : Errc::Permission;
    case SQLITE_IOERR:
        return outOfSpace(errnoValue) ? Errc::NoSpace : Errc::Io;
    default:
        return Errc::Internal;
    }
}

Message adviceOf(Errc code) {
    switch (code) {
    case Errc::NoSpace:
        return "the disk or quota is full, or a file size limit is reached; free some space";
    case Errc::Busy:
        return "another program is writing to it";
    case Errc::Permission:
        return "you do not have permission to read or write it or its folder";
    case Errc::Malformed:
        return "it is damaged, or not a Rankscope store";
    default:
        return {};
    }
}

/// Returns the errno that caused an I/O error. SQLite reports the thread's current one, which its own cleanup may have
/// changed; the log and the database remember theirs.
int systemErrno(sqlite3* db, int code) {
    if (!db)
        return errno;
    const int current = sqlite3_system_errno(db);
    if ((code & 0xff) != SQLITE_IOERR || outOfSpace(current))
        return current;
    int remembered = 0;
    sqlite3_file* log = nullptr;
    if (sqlite3_file_control(db, "main", SQLITE_FCNTL_JOURNAL_POINTER, &log) == SQLITE_OK && log && log->pMethods &&
        log->pMethods->xFileControl(log, SQLITE_FCNTL_LAST_ERRNO, &remembered) == SQLITE_OK && outOfSpace(remembered))
        return remembered;
    if (sqlite3_file_control(db, "main", SQLITE_FCNTL_LAST_ERRNO, &remembered) == SQLITE_OK && outOfSpace(remembered))
        return remembered;
    return current;
}

Error errorOf(sqlite3* db, int code) {
    const Errc errc = codeOf(code, systemErrno(db, code));
    const char* name = db ? sqlite3_db_filename(db, "main") : nullptr;
    std::string said = db ? sqlite3_errmsg(db) : sqlite3_errstr(code);
    Message advice = adviceOf(errc);
    return Error{errc, advice.empty() ? Message(std::move(said)) : Message("{} ({})", std::move(advice), said),
                 name ? name : ""};
}

} // namespace

Error Database::error(int code) const {
    return errorOf(m_db.get(), code);
}

void Database::CloseDatabase::operator()(sqlite3* db) const {
    sqlite3_close_v2(db);
}

/// Returns a path as a file: URI, for parameters that can only be passed in a URI.
static std::string asUri(const std::filesystem::path& file, std::string_view parameters) {
    std::string uri = "file:";
    std::error_code ec;
    const auto absolute = std::filesystem::absolute(file, ec); // the working folder may be gone
    for (const char c : (ec ? file : absolute).string()) {
        if (c == '%' || c == '?' || c == '#')
            uri += fmt::format("%{:02x}", static_cast<unsigned char>(c));
        else
            uri += c;
    }
    return uri + std::string(parameters);
}

static bool isView(OpenMode mode) {
    return mode == OpenMode::View || mode == OpenMode::ViewTorn;
}

/// Returns 0 if there is no log that may be opened.
static std::int64_t bytesOfLog(const std::filesystem::path& file) {
    struct stat st {};
    return ::lstat((file.string() + "-wal").c_str(), &st) == 0 && S_ISREG(st.st_mode) ? st.st_size : 0;
}

/// Progress handler; returning true ends the statement.
static int worked(void* left) {
    return --*static_cast<std::int64_t*>(left) < 0;
}

/// A foreign file may contain loops and rows of any length.
static Result<void> setUpView(sqlite3* db, const std::filesystem::path& file, bool torn, std::int64_t* work) {
    sqlite3_limit(db, SQLITE_LIMIT_LENGTH, kLargestRow);
    sqlite3_progress_handler(db, 1000, worked, work);
    // in this mode the log's index is in memory; SQLite opens a truncated file only with a writable schema
    const char* sql = torn ? "PRAGMA locking_mode=EXCLUSIVE; PRAGMA temp_store=MEMORY; PRAGMA cell_size_check=ON; "
                             "PRAGMA writable_schema=ON"
                           : "PRAGMA locking_mode=EXCLUSIVE; PRAGMA temp_store=MEMORY; PRAGMA cell_size_check=ON";
    sqlite3_db_config(db, SQLITE_DBCONFIG_DEFENSIVE, torn ? 0 : 1, nullptr);
    if (const int code = sqlite3_exec(db, sql, nullptr, nullptr, nullptr); code != SQLITE_OK) {
        Error error = errorOf(db, code);
        error.where = file.string();
        return tl::unexpected(std::move(error));
    }
    return {};
}

/// Lets SQLite count no memory: it would take a lock of the whole process for each allocation, for which threads that
/// read different stores wait on each other. Only the first call has an effect, and only before SQLite is used.
static void countNoMemory() {
    [[maybe_unused]] static const int code = sqlite3_config(SQLITE_CONFIG_MEMSTATUS, 0);
}

Result<Database> Database::open(const std::filesystem::path& file, OpenMode mode) {
    countNoMemory();
    sqlite3* raw = nullptr;
    const std::int64_t logBytes = isView(mode) ? bytesOfLog(file) : 0;
    const std::string uri = asUri(file, isView(mode) && logBytes == 0 ? "?immutable=1" : "");
    const char* const vfs = isView(mode) ? viewVfs() : nullptr;
    if (isView(mode) && !vfs)
        return fail(Errc::Internal, "cannot be opened: SQLite has no file interface (VFS)", file.string());
    const int access = mode == OpenMode::ReadWrite ? SQLITE_OPEN_READWRITE : SQLITE_OPEN_READONLY;
    const int code =
        sqlite3_open_v2(uri.c_str(), &raw, access | SQLITE_OPEN_URI | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_EXRESCODE, vfs);
    Database db;
    db.m_db.reset(raw);
    if (code != SQLITE_OK) {
        Error error = db.error(code);
        if (const std::size_t bytes = file.string().size(); (code & 0xff) == SQLITE_CANTOPEN && bytes > kLongestPath)
            error = {Errc::BadInput,
                     Message("its path has {} bytes, but SQLite allows {}; choose a folder with a shorter path", bytes,
                             kLongestPath),
                     {}};
        error.where = file.string();
        return tl::unexpected(std::move(error));
    }
    sqlite3_busy_timeout(raw, kBusyMs);
    // a store is a foreign file: its schema must not be able to run anything
    sqlite3_db_config(raw, SQLITE_DBCONFIG_DEFENSIVE, 1, nullptr);
    sqlite3_db_config(raw, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, nullptr);
    if (isView(mode)) {
        db.m_workLimit = kWorkAtLeast + (db.sizeOf(DatabaseFile::Store) + logBytes) / 1024 * kWorkPerKilobyte;
        db.m_work = std::make_unique<std::int64_t>(db.m_workLimit);
        RS_TRY(setUpView(raw, file, mode == OpenMode::ViewTorn, db.m_work.get()));
    }
    return db;
}

void Database::renew() const {
    if (m_work)
        *m_work = m_workLimit;
}

static sqlite3_file* fileOf(sqlite3* db, Database::DatabaseFile file) {
    sqlite3_file* pointer = nullptr;
    const int what = file == Database::DatabaseFile::Store ? SQLITE_FCNTL_FILE_POINTER : SQLITE_FCNTL_JOURNAL_POINTER;
    const bool there = sqlite3_file_control(db, "main", what, &pointer) == SQLITE_OK && pointer && pointer->pMethods;
    return there ? pointer : nullptr;
}

std::int64_t Database::sizeOf(DatabaseFile file) const {
    sqlite3_file* pointer = fileOf(m_db.get(), file);
    sqlite3_int64 size = 0;
    return pointer && pointer->pMethods->xFileSize(pointer, &size) == SQLITE_OK ? size : 0;
}

std::string Database::readRaw(DatabaseFile file, std::int64_t at, int bytes) const {
    sqlite3_file* pointer = fileOf(m_db.get(), file);
    const std::int64_t left = std::max<std::int64_t>(0, sizeOf(file) - at);
    std::string read(static_cast<std::size_t>(std::clamp<std::int64_t>(bytes, 0, left)), '\0');
    if (!pointer || read.empty() ||
        pointer->pMethods->xRead(pointer, read.data(), static_cast<int>(read.size()), at) != SQLITE_OK)
        return {};
    return read;
}

Result<Statement> Database::prepare(std::string_view sql) const {
    renew();
    sqlite3_stmt* raw = nullptr;
    const int code = sqlite3_prepare_v3(m_db.get(), sql.data(), static_cast<int>(sql.size()), SQLITE_PREPARE_PERSISTENT,
                                        &raw, nullptr);
    if (code != SQLITE_OK)
        return tl::unexpected(error(code));
    Statement statement;
    statement.m_stmt.reset(raw);
    return statement;
}

Result<void> Database::execute(const char* sql) const {
    const int code = sqlite3_exec(m_db.get(), sql, nullptr, nullptr, nullptr);
    if (code != SQLITE_OK)
        return tl::unexpected(error(code));
    return {};
}

Result<std::int64_t> Database::scalar(std::string_view sql) const {
    RS_TRY_ASSIGN(auto statement, prepare(sql));
    RS_TRY_ASSIGN(auto row, statement.step());
    return row ? statement.integer(0) : 0;
}

Result<bool> Database::hasLoaded(const std::string& table) const {
    renew();
    const int code = sqlite3_table_column_metadata(m_db.get(), "main", table.c_str(), nullptr, nullptr, nullptr,
                                                   nullptr, nullptr, nullptr);
    if (code != SQLITE_OK && (code & 0xff) != SQLITE_ERROR)
        return tl::unexpected(error(code));
    return code == SQLITE_OK;
}

void Database::keepLogOnClose() const {
    if (m_db)
        sqlite3_db_config(m_db.get(), SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1, nullptr);
}

std::int64_t Database::changes() const {
    return sqlite3_changes64(m_db.get());
}

void Statement::Finalize::operator()(sqlite3_stmt* stmt) const {
    sqlite3_finalize(stmt);
}

Statement& Statement::bind(int index, std::int64_t value) {
    sqlite3_bind_int64(m_stmt.get(), index, value);
    return *this;
}

Statement& Statement::bind(int index, double value) {
    sqlite3_bind_double(m_stmt.get(), index, value);
    return *this;
}

Statement& Statement::bind(int index, std::string_view text) {
    sqlite3_bind_text64(m_stmt.get(), index, text.data() ? text.data() : "", text.size(), SQLITE_TRANSIENT,
                        SQLITE_UTF8);
    return *this;
}

Statement& Statement::bindBytes(int index, std::string_view bytes) {
    sqlite3_bind_blob64(m_stmt.get(), index, bytes.data() ? bytes.data() : "", bytes.size(), SQLITE_TRANSIENT);
    return *this;
}

Statement& Statement::bindNull(int index) {
    sqlite3_bind_null(m_stmt.get(), index);
    return *this;
}

void Statement::reset() {
    sqlite3_reset(m_stmt.get());
}

Result<bool> Statement::step() {
    const int code = sqlite3_step(m_stmt.get());
    if (code == SQLITE_ROW)
        return true;
    if (code == SQLITE_DONE) {
        reset();
        return false;
    }
    Error error = errorOf(sqlite3_db_handle(m_stmt.get()), code);
    reset();
    return tl::unexpected(std::move(error));
}

Result<void> Statement::run() {
    for (;;) {
        RS_TRY_ASSIGN(auto row, step());
        if (!row)
            return {};
    }
}

bool Statement::isNull(int column) const {
    return sqlite3_column_type(m_stmt.get(), column) == SQLITE_NULL;
}

std::int64_t Statement::integer(int column) const {
    return sqlite3_column_int64(m_stmt.get(), column);
}

double Statement::real(int column) const {
    return sqlite3_column_double(m_stmt.get(), column);
}

double Statement::number(int column) const {
    const int type = sqlite3_column_type(m_stmt.get(), column);
    return type == SQLITE_INTEGER || type == SQLITE_FLOAT ? real(column) : std::numeric_limits<double>::quiet_NaN();
}

std::string Statement::text(int column) const {
    const auto* text = reinterpret_cast<const char*>(sqlite3_column_text(m_stmt.get(), column));
    const int bytes = std::min(sqlite3_column_bytes(m_stmt.get(), column), kLongestText);
    return text ? std::string(text, static_cast<std::size_t>(bytes)) : std::string();
}

std::string Statement::bytes(int column) const {
    const auto* bytes = static_cast<const char*>(sqlite3_column_blob(m_stmt.get(), column));
    return bytes ? std::string(bytes, static_cast<std::size_t>(sqlite3_column_bytes(m_stmt.get(), column)))
                 : std::string();
}

Result<Transaction> Transaction::begin(const Database& db, TransactionMode kind) {
    if (kind == TransactionMode::Read && sqlite3_get_autocommit(db.handle()) == 0)
        return Transaction();
    RS_TRY(db.execute(kind == TransactionMode::Write ? "BEGIN IMMEDIATE" : "BEGIN"));
    return Transaction(db);
}

Transaction::Transaction(Transaction&& other) noexcept : m_db(std::exchange(other.m_db, nullptr)) {}

Transaction::~Transaction() {
    if (m_db && sqlite3_get_autocommit(m_db->handle()) == 0)
        sqlite3_exec(m_db->handle(), "ROLLBACK", nullptr, nullptr, nullptr);
}

Result<void> Transaction::commit() {
    RS_TRY(m_db->execute("COMMIT"));
    m_db = nullptr;
    return {};
}

LinkedLibrary sqliteLinked() {
    return {"SQLite", sqlite3_libversion()};
}

} // namespace rankscope::store
