// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/values/result.h"
#include "core/store/open/store_health.h"
#include "core/store/sqlite/sqlite.h"
#include "core/store/tables/row_reading.h"
#include "core/store/tables/run_meta.h"
#include "core/store/tables/schema.h"

#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <string>
#include <string_view>

namespace rankscope::store {

/// A run's store, opened for reading. A store whose writer is running is read while it is written; any other store is
/// only viewed, without changing a byte, name or time in its folder. Parts of a viewed store that cannot be read are
/// recorded in condition().
class OpenStore {
public:
    /// Returns an error if nothing can be read. `known`: the contents of run.json, used for a store that has lost its
    /// own meta data.
    static Result<std::unique_ptr<OpenStore>> open(const std::filesystem::path& file, const RunMeta* known = nullptr);

    const std::filesystem::path& file() const { return m_file; }
    const Database& db() const { return m_db; }
    const RunMeta& meta() const { return m_meta; }
    bool isRank(std::int64_t value) const { return value >= 0 && value < m_meta.worldSize; }
    /// True when no process writes to the store; damage in it is permanent.
    bool isViewed() const { return m_viewing; }
    const StoreHealth& condition() const { return m_condition; }
    bool outdated() const;
    Result<void> checkPages() const;
    Result<void> checkQuickly();

    /// While the transaction lives, all queries see the store as of one commit.
    Result<Transaction> snapshot() const { return Transaction::begin(m_db, Transaction::TransactionMode::Read); }
    /// Returns false if the store has an older version without this table, or if its writer has not made it yet.
    Result<bool> has(std::string_view table) const;
    /// Returns a statement, reset and without bound values. It is prepared only once.
    Result<Statement*> statement(std::string_view sql);
    /// Records damage of a table in a viewed store, so that the rows read so far can be used; for any other store,
    /// returns the error.
    Result<void> recordDamage(const char* table, const Error& error);
    void recordImpossible(const char* table);
    /// Like forEach, with `values` bound to the parameters of a statement that is prepared only once.
    template <class F, class... T> Result<void> each(std::string_view sql, F take, const T&... values) {
        RS_TRY_ASSIGN(auto* rows, statement(sql));
        return forEach(rows->bindAll(values...), take);
    }
    /// The same, but a damaged table gives the rows before the damage.
    template <class F, class... T>
    Result<void> eachReadable(const char* table, std::string_view sql, F take, const T&... values) {
        auto read = each(sql, take, values...);
        return read ? Result<void>{} : recordDamage(table, read.error());
    }
    /// The same, but gives no rows if the table is missing because the store has an older version.
    template <class F, class... T>
    Result<void> eachIfThere(const char* table, std::string_view sql, F take, const T&... values) {
        RS_TRY_ASSIGN(const bool there, has(table));
        return there ? eachReadable(table, sql, take, values...) : Result<void>{};
    }

private:
    struct FileIdentity {
        std::uint64_t inode = 0;
        std::int64_t bytes = 0, modifiedNs = 0;
        bool operator==(const FileIdentity&) const = default;
    };
    struct FileIdentities {
        FileIdentity store, log;
        bool operator==(const FileIdentities&) const = default;
    };
    static FileIdentity stampOf(const std::filesystem::path& file);
    static FileIdentities stampsOf(const std::filesystem::path& file);
    static Result<std::unique_ptr<OpenStore>> openAs(const std::filesystem::path& file, OpenMode mode,
                                                     const RunMeta* known, const FileIdentities& stamps);
    static Result<std::unique_ptr<OpenStore>> view(const std::filesystem::path& file, const RunMeta* known);
    Result<void> checkTables(int version);
    Result<void> takeMeta(const RunMeta* known);

    std::filesystem::path m_file;
    Database m_db;
    RunMeta m_meta;
    std::map<std::string, Statement, std::less<>> m_statements;
    bool m_viewing = false;
    FileIdentities m_stamps; ///< when it was opened
    StoreHealth m_condition;
};

/// Returns an error unless the store is undamaged, was made by this program and has a schema version that it can write.
/// Call it before writing to an existing store; it reads the whole file.
Result<void> checkWhole(const std::filesystem::path& file);

} // namespace rankscope::store
