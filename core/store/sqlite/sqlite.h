// SPDX-License-Identifier: Apache-2.0
// SQLite's C API with owners and errors as values; as much of it as the store needs.
#pragma once

#include "core/base/text/library_versions.h"
#include "core/base/values/result.h"

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>

struct sqlite3;
struct sqlite3_stmt;

namespace rankscope::store {

enum class OpenMode {
    ReadOnly, ///< of a store that somebody may be writing to: takes part in its locks and its log's index
    ReadWrite,
    View,     ///< of one that nobody writes to: nothing in its folder is touched, a left-over log is read in memory
    ViewTorn, ///< as View, of a file that is shorter than it says: what is left of it
};

/// A prepared statement. Bind indices count from 1, columns from 0, as SQLite's do.
class Statement {
public:
    Statement() = default;
    explicit operator bool() const { return m_stmt != nullptr; }

    Statement& bind(int index, std::int64_t value);
    /// An unsigned number keeps its bits.
    template <class T>
    requires std::is_integral_v<T> || std::is_enum_v<T> Statement& bind(int index, T value) {
        return bind(index, static_cast<std::int64_t>(value));
    }
    Statement& bind(int index, double value); ///< SQLite keeps NaN as NULL
    Statement& bind(int index, std::string_view text);
    Statement& bindBytes(int index, std::string_view bytes);
    Statement& bindNull(int index);
    template <class T> Statement& bind(int index, const std::optional<T>& value) {
        return value ? bind(index, *value) : bindNull(index);
    }
    /// Binds the values to the indices from `index` on.
    template <class... T> Statement& bindFrom(int index, const T&... values) {
        (bind(index++, values), ...);
        return *this;
    }
    template <class... T> Statement& bindAll(const T&... values) { return bindFrom(1, values...); }

    /// True: a row is there. False: done, and the statement is ready to be bound and run again.
    Result<bool> step();
    /// Runs a statement without rows to its end.
    Result<void> run();
    template <class... T> Result<void> runWith(const T&... values) { return bindAll(values...).run(); }
    void reset();

    sqlite3_stmt* handle() const { return m_stmt.get(); }
    bool isNull(int column) const;
    std::int64_t integer(int column) const;
    double real(int column) const;
    /// NaN for NULL and for what is no number.
    double number(int column) const;
    std::string text(int column) const; ///< at most kLongestText bytes
    static constexpr int kLongestText = 1 << 20;
    std::string bytes(int column) const;

private:
    friend class Database;
    struct Finalize {
        void operator()(sqlite3_stmt* stmt) const;
    };
    std::unique_ptr<sqlite3_stmt, Finalize> m_stmt;
};

class Database {
public:
    static Result<Database> open(const std::filesystem::path& file, OpenMode mode);

    Result<Statement> prepare(std::string_view sql) const;
    /// Any number of statements without parameters or rows of interest.
    Result<void> execute(const char* sql) const;
    /// The first column of the first row; 0 when there is none.
    Result<std::int64_t> scalar(std::string_view sql) const;
    std::int64_t changes() const;
    Error error(int code) const;
    /// A view does a bounded work for each statement, whatever loops are in a damaged file; this begins it anew.
    void renew() const;
    enum class File { Store, Log };
    /// Bytes of the store's file or of its log, through SQLite's own handle; empty when there are none there.
    std::string readRaw(File file, std::int64_t at, int bytes) const;
    std::int64_t sizeOf(File file) const; ///< 0: there is none
    sqlite3* handle() const { return m_db.get(); }
    /// Closing leaves the log as it is, also when nobody else has the store open.
    void keepLogOnClose() const;

private:
    struct Close {
        void operator()(sqlite3* db) const;
    };
    std::unique_ptr<std::int64_t> m_work; ///< instructions that are left, in thousands; only of a view
    std::unique_ptr<sqlite3, Close> m_db;
};

/// Rolls back unless commit() succeeded.
class Transaction {
public:
    enum class Kind { Read, Write };
    static Result<Transaction> begin(const Database& db, Kind kind);
    Transaction(Transaction&& other) noexcept;
    Transaction& operator=(Transaction&&) = delete;
    ~Transaction();
    Result<void> commit();

private:
    explicit Transaction(const Database& db) : m_db(&db) {}
    const Database* m_db = nullptr;
};

/// The SQLite that is loaded, which need not be the one that was compiled against.
LinkedLibrary sqliteLinked();

} // namespace rankscope::store
