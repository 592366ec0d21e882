// SPDX-License-Identifier: Apache-2.0
// kill -9, full disks, damaged and foreign files.
#include "core/base/files/atomic_file.h"
#include "core/base/files/file.h"
#include "core/store/report/csv_export.h"
#include "core/store/report/replay_report.h"
#include "tests/core/store/synthetic.h"
#include "tests/support/test_runner.h"

#include <QTemporaryDir>
#include <QTest>

#include <sqlite3.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>

using namespace rankscope;
using namespace rankscope::store;
using namespace synthetic;

namespace fs = std::filesystem;

class TestStoreFailures : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void killedWritersCountEachRecordOnce();
    void aFullDiskIsAnErrorAndOvercome();
    void aSecondWriterIsRefused();
    void aNewerSchemaIsNotWrittenTo();
    void anOlderSchemaIsReadAndMigrated();
    void foreignAndDamagedFiles();
    void missingAndForbidden();
    void readingWhatAKilledWriterLeft();
    void readOnlyFolder();
};

static fs::path storeIn(const QTemporaryDir& dir) {
    return fs::path(dir.path().toStdString()) / "run.sqlite";
}

static void compareTotals(const fs::path& file, const Stream& stream, int steps) {
    auto reader = RunReader::open(file);
    QVERIFY(reader);
    for (int r = 0; r < 2; ++r) {
        const auto points = reader->series(Metric::WaitTotal, r, 0, steps, steps);
        QVERIFY(points);
        QCOMPARE(points->size(), static_cast<std::size_t>(steps));
        for (const SeriesPoint& p : *points)
            QCOMPARE(p.mean, static_cast<double>(stream.waits.at({r, p.firstStep, ""})));
    }
    QCOMPARE(counter(file, "records"), static_cast<std::int64_t>(2 * stream.ranks[0].size()));
}

/// A child commits without pause and is killed at a random moment, over and over.
void TestStoreFailures::killedWritersCountEachRecordOnce() {
    QTemporaryDir dir;
    Options options;
    options.steps = 300;
    const Stream stream = makeStream(options);
    QVERIFY(RunWriter::open(storeIn(dir), meta(2)));
    std::mt19937 random(8);
    int kills = 0;
    for (bool done = false; !done;) {
        const unsigned seed = random();
        const pid_t child = ::fork();
        if (child == 0) {
            auto store = RunWriter::reopen(storeIn(dir));
            std::mt19937 sizes(seed);
            for (bool left = true; store && left;) {
                left = false;
                std::vector<RunWriter::Chunk> chunks;
                for (int r = 0; r < 2; ++r) {
                    const std::size_t from = store->position(r)->slot, all = stream.ranks[0].size();
                    const std::size_t to = std::min<std::size_t>(from + sizes() % 20, all);
                    left |= to < all;
                    if (to > from)
                        chunks.push_back(chunk(stream, r, from, to));
                }
                if (!store->commit(chunks, {}))
                    ::_exit(1);
            }
            ::_exit(store ? 0 : 2);
        }
        ::usleep(20000 + random() % 30000);
        int status = 0;
        if (kills < 12 && ::waitpid(child, &status, WNOHANG) == 0) {
            ::kill(child, SIGKILL);
            ++kills;
        } else {
            done = true;
        }
        if (!done || !WIFEXITED(status) || kills >= 12)
            ::waitpid(child, &status, 0);
        if (done)
            QVERIFY(WIFEXITED(status) && WEXITSTATUS(status) == 0);
    }
    QVERIFY(kills > 0);
    compareTotals(storeIn(dir), stream, 300);
}

/// The disk is "full" while a limit keeps files from growing.
void TestStoreFailures::aFullDiskIsAnErrorAndOvercome() {
    QTemporaryDir dir;
    Options options;
    options.steps = 400;
    const Stream stream = makeStream(options);
    const pid_t child = ::fork();
    if (child == 0) {
        ::signal(SIGXFSZ, SIG_IGN);
        auto store = RunWriter::open(storeIn(dir), meta(2));
        if (!store)
            ::_exit(1);
        rlimit limit{1'000'000, RLIM_INFINITY};
        ::setrlimit(RLIMIT_FSIZE, &limit);
        int failures = 0;
        const std::size_t all = stream.ranks[0].size();
        std::size_t done = 0;
        while (done < all) {
            const std::size_t to = std::min(done + 50, all);
            const std::vector<RunWriter::Chunk> chunks{chunk(stream, 0, done, to), chunk(stream, 1, done, to)};
            if (auto committed = store->commit(chunks, {})) {
                done = to;
            } else if (committed.error().code != Errc::NoSpace || store->position(0)->slot != done) {
                std::fprintf(stderr, "%s\n", committed.error().message().c_str());
                ::_exit(2);
            } else if (++failures == 3) {
                limit.rlim_cur = RLIM_INFINITY;
                ::setrlimit(RLIMIT_FSIZE, &limit);
            }
        }
        ::_exit(failures == 3 && store->finish() ? 0 : 3);
    }
    int status = 0;
    ::waitpid(child, &status, 0);
    QVERIFY(WIFEXITED(status));
    QCOMPARE(WEXITSTATUS(status), 0);
    compareTotals(storeIn(dir), stream, 400);
}

void TestStoreFailures::aSecondWriterIsRefused() {
    QTemporaryDir dir;
    auto store = RunWriter::open(storeIn(dir), meta(2));
    QVERIFY(store);
    const pid_t child = ::fork();
    if (child == 0) {
        const auto second = RunWriter::reopen(storeIn(dir));
        ::_exit(!second && second.error().code == Errc::Busy &&
                        second.error().message().find(std::to_string(::getppid())) != std::string::npos
                    ? 0
                    : 1);
    }
    int status = 0;
    ::waitpid(child, &status, 0);
    QCOMPARE(WEXITSTATUS(status), 0);
    auto other = meta(2);
    other.id = "another";
    QCOMPARE(RunWriter::open(storeIn(dir), other).error().code, Errc::BadInput);
}

static void execute(const fs::path& file, const char* sql) {
    sqlite3* db = nullptr;
    QCOMPARE(sqlite3_open(file.c_str(), &db), SQLITE_OK);
    QCOMPARE(sqlite3_exec(db, sql, nullptr, nullptr, nullptr), SQLITE_OK);
    sqlite3_close(db);
}

void TestStoreFailures::aNewerSchemaIsNotWrittenTo() {
    QTemporaryDir dir;
    QVERIFY(RunWriter::open(storeIn(dir), meta(2)));
    execute(storeIn(dir), "PRAGMA user_version=999");
    const Error refused = RunWriter::reopen(storeIn(dir)).error();
    QCOMPARE(refused.code, Errc::Unsupported);
    QVERIFY(refused.message().find("newer") != std::string::npos);
    QVERIFY(refused.message().find("999") != std::string::npos);
    const auto reader = RunReader::open(storeIn(dir)); // a reader shows as much as it understands
    QVERIFY(reader);
    QCOMPARE(reader->condition().newerSchema, 999);
}

void TestStoreFailures::anOlderSchemaIsReadAndMigrated() {
    QTemporaryDir dir;
    {
        auto store = RunWriter::open(storeIn(dir), meta(2));
        QVERIFY(store);
    }
    // the schema of version 1
    execute(
        storeIn(dir),
        "DROP TABLE validation; DROP TABLE detector_input; DROP TABLE stack; DROP TABLE fact; DROP TABLE rank_check; "
        "PRAGMA user_version=1");
    {
        auto reader = RunReader::open(storeIn(dir));
        QVERIFY2(reader, reader ? "" : reader.error().message().c_str());
        const auto none = reader->validations(-1, 10);
        QVERIFY(none && none->empty());
        QCOMPARE(store::replay(*reader).error().code, Errc::NotFound);
        QVERIFY(reader->stacks()->empty() && reader->facts(0, 0, INT64_MAX, 10)->empty());
        QCOMPARE(reader->memory()->size(), std::size_t{2});
        const auto unchecked = reader->checks();
        QVERIFY(unchecked && unchecked->empty());
        QVERIFY(exportCsv(reader->source(), dir.filePath("csv").toStdString()));
    }
    QVERIFY(RunWriter::reopen(storeIn(dir)));
    execute(storeIn(dir), "INSERT INTO validation VALUES(0, 7, 1, 2, 0, 3.5, 3.25, 4, 0, 90);"
                          "INSERT INTO rank_check VALUES(1, 'model', 1, 0, 'why', 5)");
    auto reader = RunReader::open(storeIn(dir));
    const auto rows = reader->validations(-1, 10);
    QVERIFY(rows && rows->size() == 1);
    QCOMPARE(rows->front().step, std::int64_t{7});
    QCOMPARE(rows->front().loss, 3.5);
    QCOMPARE(rows->front().localLoss, 3.25);
    QCOMPARE(rows->front().batches, std::int64_t{4});
    QVERIFY(reader->validations(7, 10)->empty());
    const auto checks = reader->checks();
    QVERIFY(checks && checks->size() == 1 && checks->front().status == telemetry::CheckStatus::Failed);
}

void TestStoreFailures::foreignAndDamagedFiles() {
    QTemporaryDir dir;
    const fs::path base = dir.path().toStdString();
    execute(base / "other.sqlite", "CREATE TABLE t(x)");
    QCOMPARE(RunReader::open(base / "other.sqlite").error().code, Errc::Malformed);
    QCOMPARE(RunWriter::open(base / "other.sqlite", meta(1)).error().code, Errc::Malformed);
    QVERIFY(writeFileAtomic(base / "text.sqlite", std::string(5000, 'x')));
    QCOMPARE(RunReader::open(base / "text.sqlite").error().code, Errc::Malformed);
    QVERIFY(writeFileAtomic(base / "empty.sqlite", ""));
    QCOMPARE(RunReader::open(base / "empty.sqlite").error().code, Errc::Malformed);

    Options options;
    options.steps = 50;
    auto store = RunWriter::open(storeIn(dir), meta(2));
    QVERIFY(commitAll(*store, makeStream(options), 1) && store->finish());
    store = fail(Errc::Internal, ""); // closes it
    const auto sound = readFile(storeIn(dir));
    QVERIFY(sound && sound->size() > 50000);
    std::mt19937 random(13);
    int refused = 0;
    for (int round = 0; round < 300; ++round) { // any contents give an error or a result, never a crash
        std::string bytes = *sound;
        for (unsigned i = 0; i < 1 + random() % 200; ++i)
            bytes[100 + random() % (bytes.size() - 100)] = static_cast<char>(random());
        if (random() % 5 == 0)
            bytes.resize(random() % bytes.size());
        QVERIFY(writeFileAtomic(base / "damaged.sqlite", bytes));
        auto reader = RunReader::open(base / "damaged.sqlite");
        if (!reader) {
            ++refused;
            continue;
        }
        refused += !reader->ranks() || !reader->series(Metric::Loss, 0, 0, 1000, 10) || !reader->incidents() ||
                   !reader->notes(0, 100) || !reader->collectives(-1, 1000, 1000) || !reader->phases(-1, 1000, 1000) ||
                   !reader->waits(0, 1000) || !reader->counters() || !reader->condition().sound();
    }
    QVERIFY(refused > 10);
}

void TestStoreFailures::missingAndForbidden() {
    QTemporaryDir dir;
    const fs::path base = dir.path().toStdString();
    QCOMPARE(RunReader::open(base / "none").error().code, Errc::NotFound);
    QCOMPARE(RunWriter::reopen(base / "none").error().code, Errc::NotFound);
    QVERIFY(!fs::exists(base / "none"));
    QCOMPARE(RunWriter::open(base / "no" / "folder", meta(1)).error().code, Errc::NotFound);
    QVERIFY(RunWriter::open(base / "no" / "folder", meta(1)).error().message().find("no/folder") != std::string::npos);
    QCOMPARE(RunWriter::open(base / "x", {}).error().code, Errc::BadInput);
}

void TestStoreFailures::readingWhatAKilledWriterLeft() {
    QTemporaryDir dir;
    Options options;
    options.steps = 30;
    const Stream stream = makeStream(options);
    const pid_t child = ::fork();
    if (child == 0) {
        auto store = RunWriter::open(storeIn(dir), meta(2));
        (void)commitAll(*store, stream, 3);
        ::raise(SIGKILL);
    }
    ::waitpid(child, nullptr, 0);
    QVERIFY(fs::file_size(storeIn(dir).string() + "-wal") > 0); // the rows are only in the log
    auto reader = RunReader::open(storeIn(dir));
    QVERIFY(reader);
    QCOMPARE(reader->series(Metric::Loss, 1, 0, 100, 100)->size(), std::size_t{30});
    for (const char* suffix : {"", "-wal", "-shm"}) {
        struct stat st {};
        QCOMPARE(::stat((storeIn(dir).string() + suffix).c_str(), &st), 0);
        QCOMPARE(st.st_mode & 0777, 0600u);
    }
}

/// Root may write everywhere, so a child that has dropped its privileges does the reading.
void TestStoreFailures::readOnlyFolder() {
    QTemporaryDir dir;
    Options options;
    options.steps = 30;
    {
        auto store = RunWriter::open(storeIn(dir), meta(2));
        QVERIFY(commitAll(*store, makeStream(options), 1) && store->finish());
    }
    QVERIFY(!fs::exists(storeIn(dir).string() + "-wal"));
    const fs::path base = dir.path().toStdString();
    fs::permissions(storeIn(dir), fs::perms(0444));
    fs::permissions(base, fs::perms(0555));
    const pid_t child = ::fork();
    if (child == 0) {
        if (::geteuid() == 0 && (::setgid(65534) != 0 || ::setuid(65534) != 0))
            ::_exit(9);
        auto reader = RunReader::open(storeIn(dir));
        if (!reader) {
            std::fprintf(stderr, "%s\n", reader.error().message().c_str());
            ::_exit(1);
        }
        if (reader->series(Metric::Loss, 0, 0, 100, 100)->size() != 30)
            ::_exit(2);
        const auto created = RunWriter::open(base / "new.sqlite", meta(1));
        if (created || created.error().code != Errc::Permission ||
            created.error().message().find("new.sqlite") == std::string::npos)
            ::_exit(3);
        const auto reopened = RunWriter::reopen(storeIn(dir));
        ::_exit(!reopened && reopened.error().code == Errc::Permission ? 0 : 4);
    }
    int status = 0;
    ::waitpid(child, &status, 0);
    fs::permissions(base, fs::perms::owner_all);
    QVERIFY(WIFEXITED(status));
    QCOMPARE(WEXITSTATUS(status), 0);
}

RANKSCOPE_TEST(TestStoreFailures)
#include "tst_store_failures.moc"
