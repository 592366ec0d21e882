// SPDX-License-Identifier: Apache-2.0
// Wraps the part of SQLite's C API that the store needs, with owning handles and errors as values.
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
    ReadOnly, ///< for a store that another process may be writing: uses its locks and its log's index
    ReadWrite,
    View,     ///< for a store without a writer: changes nothing in its folder, reads a leftover log in memory
    ViewTorn, ///< like View, for a truncated file: reads the rest of it
};

/// A prepared statement. Bind indices count from 1, columns from 0, as in SQLite.
class Statement {
public:
    Statement() = default;
    explicit operator bool() const { return m_stmt != nullptr; }

    Statement& bind(int index, std::int64_t value);
    /// Binds any integer or enumeration; an unsigned number keeps its bits.
    template <class T>
    requires std::is_integral_v<T> || std::is_enum_v<T> Statement& bind(int index, T value) {
        return bind(index, static_cast<std::int64_t>(value));
    }
    Statement& bind(int index, double value); ///< SQLite stores NaN as NULL
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

    /// Returns true if there is a row; false at the end, when the statement can be bound and run again.
    Result<bool> step();
    /// Runs a statement that returns no rows.
    Result<void> run();
    template <class... T> Result<void> runWith(const T&... values) { return bindAll(values...).run(); }
    void reset();

    sqlite3_stmt* handle() const { return m_stmt.get(); }
    bool isNull(int column) const;
    std::int64_t integer(int column) const;
    double real(int column) const;
    /// Returns NaN for NULL and for values that are not numbers.
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
    /// Runs any number of statements that have no parameters and whose rows are not needed.
    Result<void> execute(const char* sql) const;
    /// Returns the first column of the first row; 0 if there is none.
    Result<std::int64_t> scalar(std::string_view sql) const;
    /// Returns whether the schema has this table; false for a view. Does not look whether another program has changed
    /// the schema since the last statement.
    Result<bool> hasLoaded(const std::string& table) const;
    std::int64_t changes() const;
    Error error(int code) const;
    /// Resets the work limit. A view limits the work of each statement, because a damaged file may contain loops.
    void renew() const;
    enum class DatabaseFile { Store, Log };
    /// Returns bytes of the store's file or of its log, read through SQLite's own handle; empty if there are none at
    /// `at`.
    std::string readRaw(DatabaseFile file, std::int64_t at, int bytes) const;
    std::int64_t sizeOf(DatabaseFile file) const; ///< 0: no such file
    sqlite3* handle() const { return m_db.get(); }
    /// Makes closing leave the log as it is, even if no other connection is open.
    void keepLogOnClose() const;

private:
    struct CloseDatabase {
        void operator()(sqlite3* db) const;
    };
    std::unique_ptr<std::int64_t> m_work; ///< remaining instructions, in thousands; for views only
    std::int64_t m_workLimit = 0;         ///< for one statement
    std::unique_ptr<sqlite3, CloseDatabase> m_db;
};

/// A transaction that is rolled back on destruction unless commit() succeeded.
class Transaction {
public:
    enum class TransactionMode { Read, Write };
    /// Inside another transaction, one for reading is a part of that one.
    static Result<Transaction> begin(const Database& db, TransactionMode kind);
    Transaction(Transaction&& other) noexcept;
    Transaction& operator=(Transaction&&) = delete;
    ~Transaction();
    Result<void> commit();

private:
    Transaction() = default;
    explicit Transaction(const Database& db) : m_db(&db) {}
    const Database* m_db = nullptr;
};

/// Describes the loaded SQLite library, which may differ from the one compiled against.
LinkedLibrary sqliteLinked();

} // namespace rankscope::store
