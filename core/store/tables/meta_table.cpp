// SPDX-License-Identifier: Apache-2.0
#include "core/store/tables/meta_table.h"

#include "core/base/process/process_identity.h"
#include "core/base/values/result.h"
#include "core/telemetry/format/limits.h"

#include <unistd.h>

#include <algorithm>

namespace rankscope::store {

static constexpr const char* kSet = "INSERT OR REPLACE INTO meta VALUES(?1,?2)";

Result<void> setMeta(const Database& db, std::string_view key, std::int64_t value) {
    RS_TRY_ASSIGN(auto set, db.prepare(kSet));
    return set.runWith(key, value);
}

Result<void> setMetaText(const Database& db, std::string_view key, std::string_view value) {
    RS_TRY_ASSIGN(auto set, db.prepare(kSet));
    return set.runWith(key, value);
}

static Result<Statement> find(const Database& db, std::string_view key) {
    auto get = db.prepare("SELECT value FROM meta WHERE key=?1");
    if (get)
        get->bind(1, key);
    return get;
}

/// Returns the result of `read` for a key's row; `otherwise` if there is none.
template <class T, class Read>
static Result<T> valueOf(const Database& db, std::string_view key, T otherwise, const Read& read) {
    RS_TRY_ASSIGN(auto get, find(db, key));
    RS_TRY_ASSIGN(auto row, get.step());
    return row ? read(get) : std::move(otherwise);
}

Result<std::int64_t> getMeta(const Database& db, std::string_view key, std::int64_t otherwise) {
    return valueOf(db, key, otherwise, [](const Statement& row) { return row.integer(0); });
}

Result<std::string> getMetaText(const Database& db, std::string_view key) {
    return valueOf(db, key, std::string(), [](const Statement& row) { return row.text(0); });
}

Result<pid_t> liveWriter(const Database& db, std::uint64_t inode) {
    RS_TRY_ASSIGN(const auto pid, getMeta(db, "writer_pid", 0));
    RS_TRY_ASSIGN(const auto ticks, getMeta(db, "writer_start_ticks", 0));
    RS_TRY_ASSIGN(const auto file, getMeta(db, "writer_inode", 0)); // 0: written by an older version
    const bool lives = pid > 0 && pid <= INT32_MAX && (file == 0 || static_cast<std::uint64_t>(file) == inode) &&
                       isSameProcess(static_cast<pid_t>(pid), static_cast<std::uint64_t>(ticks));
    return lives ? static_cast<pid_t>(pid) : 0;
}

Result<void> setWriter(const Database& db, std::uint64_t inode) {
    const auto self = processStat(::getpid());
    RS_TRY(setMeta(db, "writer_pid", std::int64_t{::getpid()}));
    RS_TRY(setMeta(db, "writer_start_ticks", static_cast<std::int64_t>(self ? self->startTicks : 0)));
    return setMeta(db, "writer_inode", static_cast<std::int64_t>(inode));
}

Result<void> writeMeta(const Database& db, const RunMeta& meta) {
    RS_TRY(setMetaText(db, "id", meta.id));
    RS_TRY(setMeta(db, "world_size", meta.worldSize));
    RS_TRY(setMeta(db, "start_ns", meta.startNs));
    RS_TRY(setMeta(db, "start_realtime_ns", meta.startRealtimeNs));
    RS_TRY(setMeta(db, "waits_counted_once", 1));
    return setMeta(db, "total_steps", meta.totalSteps);
}

Result<RunMeta> readMeta(const Database& db) {
    RunMeta meta;
    RS_TRY_ASSIGN(auto value, find(db, "id"));
    RS_TRY_ASSIGN(const bool known, value.step());
    if (!known)
        return meta;
    meta.id = value.text(0);
    const auto number = [&value](std::string_view key) -> Result<std::int64_t> {
        value.reset();
        RS_TRY_ASSIGN(const bool there, value.bind(1, key).step());
        return there ? value.integer(0) : 0;
    };
    RS_TRY_ASSIGN(const auto world, number("world_size"));
    RS_TRY_ASSIGN(const auto start, number("start_ns"));
    RS_TRY_ASSIGN(const auto realtime, number("start_realtime_ns"));
    RS_TRY_ASSIGN(const auto total, number("total_steps"));
    RS_TRY_ASSIGN(const auto countedOnce, number("waits_counted_once"));
    if (world < 1 || world > telemetry::kMaxRanks)
        return fail(Errc::Malformed, "has an impossible number of ranks", db.error(0).where);
    meta.worldSize = static_cast<int>(world);
    // a foreign store may contain any value; clamp so that later arithmetic cannot overflow
    meta.startNs = std::clamp<std::int64_t>(start, 0, telemetry::kMostNs);
    meta.startRealtimeNs = std::clamp<std::int64_t>(realtime, 0, telemetry::kLatestRealtimeNs);
    meta.totalSteps = std::clamp<std::int64_t>(total, 0, telemetry::kMaxStep);
    meta.waitsAreSums = countedOnce == 0;
    return meta;
}

} // namespace rankscope::store
