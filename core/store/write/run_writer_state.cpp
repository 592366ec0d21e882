// SPDX-License-Identifier: Apache-2.0
#include "core/base/files/file.h"
#include "core/base/process/process_identity.h"
#include "core/base/values/result.h"
#include "core/store/read/store_health.h"
#include "core/store/tables/meta_table.h"
#include "core/store/tables/schema.h"
#include "core/store/write/run_writer_impl.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <limits>

namespace rankscope::store {

namespace fs = std::filesystem;

RunStore::Impl::~Impl() {
    if (opened && setMeta(db, "writer_pid", std::int64_t{0}))
        // a reader that has the store open keeps the last close from doing this
        (void)db.execute("PRAGMA wal_checkpoint(TRUNCATE)");
    else
        // a killed writer's log that SQLite puts away at a close would be missed as one that was lost with its writer
        db.keepLogOnClose();
}

void RunStore::Impl::rememberPlace() {
    const fs::path parent = file.parent_path();
    struct stat st {};
    folder = UniqueFd(::open(parent.empty() ? "." : parent.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC));
    if (folder && ::fstatat(folder.get(), file.filename().c_str(), &st, 0) == 0) {
        device = st.st_dev;
        inode = st.st_ino;
    }
}

void RunStore::Impl::removeCompanions(const fs::path& file) {
    for (const char* companion : {"-wal", "-shm", "-journal"})
        ::unlink((file.string() + companion).c_str());
}

/// Makes the file itself first: SQLite would take its mode from the umask, and its companions theirs from it.
Result<void> RunStore::Impl::openFile(bool create) {
    RS_TRY(checkForWriting(file));
    if (create) {
        const UniqueFd fd(::open(file.c_str(), O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600));
        if (!fd && errno != EEXIST)
            return tl::unexpected(systemError("create", file.string(), errno));
        if (fd)
            removeCompanions(file);
    }
    std::error_code ec;
    if (!fs::exists(file, ec))
        return fail(Errc::NotFound, "there is no store", file.string());
    RS_TRY_ASSIGN(auto database, Database::open(file, OpenMode::ReadWrite));
    db = std::move(database);
    rememberPlace();
    // NORMAL: a commit is in the kernel's hands, so no kill -9 loses it. A power cut may take the newest commits, never
    // the consistency; the ranks' journals and the ranks themselves go with it, so a sync per commit would buy nothing
    // and make the supervisor wait for the disk that a checkpoint is being written to.
    return db.execute("PRAGMA page_size=8192; PRAGMA journal_mode=WAL; PRAGMA synchronous=NORMAL; "
                      "PRAGMA journal_size_limit=67108864; PRAGMA cache_size=-16384; PRAGMA temp_store=MEMORY");
}

/// One writer: said in the store itself by pid and start time, so that a killed one needs no clearing up.
Result<void> RunStore::Impl::claim() {
    const auto pid = getMeta(db, "writer_pid", 0);
    const auto ticks = getMeta(db, "writer_start_ticks", 0);
    if (!pid || !ticks)
        return tl::unexpected(pid ? ticks.error() : pid.error());
    if (*pid > 0 && *pid != ::getpid() && isSameProcess(static_cast<pid_t>(*pid), static_cast<std::uint64_t>(*ticks)))
        return fail(Errc::Busy, fmt::format("process {} is writing to it", *pid), file.string());
    const auto self = processStat(::getpid());
    RS_TRY(setMeta(db, "writer_pid", std::int64_t{::getpid()}));
    return setMeta(db, "writer_start_ticks", static_cast<std::int64_t>(self ? self->startTicks : 0));
}

Result<void> RunStore::Impl::begin(const RunMeta* wanted) {
    RS_TRY_ASSIGN(auto transaction, Transaction::begin(db, Transaction::Kind::Write));
    RS_TRY(migrate(db));
    RS_TRY(claim());
    RS_TRY_ASSIGN(auto has, readMeta(db));
    if (has.id.empty() && wanted) {
        RS_TRY(writeMeta(db, *wanted));
        for (int r = 0; r < wanted->worldSize; ++r)
            RS_TRY(db.execute(fmt::format("INSERT INTO rank(rank) VALUES({})", r).c_str()));
        meta = *wanted;
    } else if (has.id.empty()) {
        return fail(Errc::Malformed, "has no run in it", file.string());
    } else if (wanted && wanted->id != has.id) {
        return fail(Errc::BadInput, fmt::format("belongs to run {}, not {}", has.id, wanted->id), file.string());
    } else {
        meta = has;
    }
    RS_TRY(setMeta(db, "retention_newest_steps", retention.newestSteps));
    RS_TRY(setMeta(db, "retention_around_incident_steps", retention.aroundIncidentSteps));
    RS_TRY(transaction.commit());
    opened = true;
    RS_TRY(rows.prepare(db));
    RS_TRY(pyramid.prepare(db));
    RS_TRY(thinner.prepare(db));
    RS_TRY(incidents.prepare(db));
    RS_TRY(inputs.prepare(db, retention.inputBytes));
    RS_TRY(load());
    incidentBase = known.empty() ? 0 : known.rbegin()->first;
    return {};
}

Result<void> RunStore::Impl::loadRanks() {
    ranks.assign(static_cast<std::size_t>(meta.worldSize), {});
    RS_TRY_ASSIGN(auto select,
                  db.prepare("SELECT rank.rank, first_step, last_step, last_ns, last_loss, ended, waited_ns, held_ns, "
                             "final_step, coalesce(segment,0), coalesce(slot,0) FROM rank LEFT JOIN journal_position "
                             "ON journal_position.rank=rank.rank"));
    for (;;) {
        RS_TRY_ASSIGN(auto row, select.step());
        if (!row)
            return {};
        const std::int64_t r = select.integer(0);
        if (r < 0 || r >= meta.worldSize)
            continue;
        RankState& s = ranks[static_cast<std::size_t>(r)];
        s.firstStep = select.integer(1);
        s.lastStep = select.integer(2);
        s.lastNs = select.integer(3);
        s.lastLoss = select.isNull(4) ? std::numeric_limits<double>::quiet_NaN() : select.real(4);
        s.ended = select.integer(5) != 0;
        s.waitedNs = select.integer(6);
        s.heldNs = select.integer(7);
        s.finalStep = select.integer(8);
        s.position = {static_cast<std::uint64_t>(select.integer(9)), static_cast<std::uint64_t>(select.integer(10))};
    }
}

Result<void> RunStore::Impl::loadPending() {
    joiner = WaitJoiner(meta.worldSize);
    tags = {};
    auto tagRows = db.prepare("SELECT id, name FROM tag");
    // not those of before a rank began anew: its sequence numbers count from 0 again
    auto open = db.prepare("SELECT group_id, sequence, c.rank, arrived_ns, step, tag, op, exposed_ns FROM collective c "
                           "INDEXED BY collective_unjoined JOIN rank ON rank.rank=c.rank WHERE wait_ns IS NULL AND "
                           "arrived_ns+?1>=coalesce(anchor_monotonic_ns,0) ORDER BY group_id, sequence");
    if (open)
        open->bind(1, meta.startNs);
    if (!tagRows || !open)
        return tl::unexpected(tagRows ? open.error() : tagRows.error());
    auto row = tagRows->step();
    for (; row && *row; row = tagRows->step())
        tags.know(static_cast<int>(tagRows->integer(0)), tagRows->text(1));
    if (!row)
        return tl::unexpected(row.error());
    tags.firstNew = tags.next();
    for (row = open->step(); row && *row; row = open->step()) {
        const auto op = static_cast<telemetry::CollectiveOp>(open->integer(6));
        const std::int64_t rank = open->integer(2);
        if (op == telemetry::CollectiveOp::Send || op == telemetry::CollectiveOp::Recv || rank >= meta.worldSize)
            continue;
        const auto group = static_cast<std::uint32_t>(open->integer(0));
        const int tag = static_cast<int>(open->integer(5));
        const Arrival arrival{true,
                              open->integer(3) + meta.startNs,
                              open->integer(4),
                              tag,
                              Arrival::kStored,
                              mostWait(group, tags.text(tag), open->integer(7))};
        joiner.add({group, static_cast<std::uint64_t>(open->integer(1))}, static_cast<int>(rank), arrival);
    }
    joiner.takeGivenUp();
    if (!row)
        return tl::unexpected(row.error());
    return {};
}

Result<void> RunStore::Impl::loadIncidents() {
    known.clear();
    RS_TRY_ASSIGN(auto select, db.prepare("SELECT id, step, last_step, closed_ns IS NULL FROM incident"));
    auto row = select.step();
    for (; row && *row; row = select.step())
        known[select.integer(0)] = {select.integer(1), select.integer(2), select.integer(3) != 0};
    if (!row)
        return tl::unexpected(row.error());
    return {};
}

Result<void> RunStore::Impl::load() {
    RS_TRY(loadRanks());
    RS_TRY(loadPending());
    RS_TRY(loadIncidents());
    RS_TRY(inputs.load(db));
    RS_TRY_ASSIGN(auto to, getMeta(db, "thinned_to", 0));
    thinnedTo = to;
    stale = false;
    return {};
}

} // namespace rankscope::store
