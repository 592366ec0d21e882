// SPDX-License-Identifier: Apache-2.0
#include "core/telemetry/journal/journal_reader.h"
#include "core/telemetry/journal/journal_writer.h"
#include "tests/support/test_runner.h"

#include <QTemporaryDir>
#include <QTest>

#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <csignal>
#include <map>
#include <thread>

using namespace rankscope;
using namespace rankscope::telemetry;

namespace fs = std::filesystem;

class TestJournal : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void everyTypeComesBackAsItWas();
    void segmentsArePrivateAndFollowEachOther();
    void twoWritersAndAReaderAtOnce();
    void aReaderThatComesWhileItIsMadeMissesNothing();
    void burstsBeyondTheSpareAreCounted();
    void killedWriterLosesNothing();
    void resumesAtAnyPosition();
    void limitIsKept();
    void aSecondWriterGoesOnBehindTheFirst();
    void removalKeepsTheNewest();
    void aFullDiskIsCountedAndOvercome();
    void afterItsEndOnlyTheCurrentSegmentIsFilled();
    void cannotBeCreated();
    void detachedTakesEverything();
};

static fs::path pathOf(const QTemporaryDir& dir) {
    return dir.path().toStdString();
}

static StepRecord stepRecord(std::int64_t step, double loss = 0) {
    StepRecord record;
    record.header.step = step;
    record.loss = loss;
    return record;
}

/// Appends; waits if the helper has not prepared the next segment yet.
static void appendForSure(JournalWriter& writer, const StepRecord& record) {
    while (!writer.append(record))
        std::this_thread::sleep_for(std::chrono::milliseconds(1));
}

static std::vector<AnyRecord> readAll(const fs::path& dir, bool writerGone = true, JournalPosition from = {}) {
    JournalReader reader(dir, from);
    std::vector<AnyRecord> records;
    while (reader.read(records, 1000, writerGone) > 0) {
    }
    return records;
}

void TestJournal::everyTypeComesBackAsItWas() {
    QTemporaryDir dir;
    auto writer = JournalWriter::create(pathOf(dir), {16});
    QVERIFY(writer);
    AnchorRecord anchor;
    anchor.rank = 3;
    putText(anchor.host, sizeof anchor.host, "node7");
    BatchRecord batch;
    batch.framesMax = 1234;
    PhaseRecord phase;
    phase.phase = Phase::Checkpoint;
    phase.endNs = 99;
    CollectiveRecord collective;
    collective.sequence = 0xabcdefull << 20;
    collective.op = CollectiveOp::ReduceScatter;
    putText(collective.tag, sizeof collective.tag, "gradient:12");
    ResourceRecord resource;
    resource.rssBytes = 1 << 30;
    EndRecord end;
    end.cause = EndCause::Stopped;
    end.weightsHash = 42;
    QVERIFY(writer->append(anchor) && writer->append(batch) && writer->append(phase) && writer->append(collective));
    QVERIFY(writer->append(stepRecord(5, 2.5)) && writer->append(resource));
    writer->note(NoteSeverity::Warning, "late", 5);
    QVERIFY(writer->append(end));
    GroupRecord group;
    group.group = 77;
    group.size = 2;
    group.firstRank = 1024;
    group.members[127] = 0x81;
    putText(group.backend, sizeof group.backend, "gloo");
    SoftwareRecord software;
    putText(software.name, sizeof software.name, "torch");
    putText(software.version, sizeof software.version, "2.11.0+cpu");
    QVERIFY(writer->append(group) && writer->append(software));

    const auto records = readAll(pathOf(dir), false);
    QCOMPARE(records.size(), std::size_t{10});
    QCOMPARE(records[0].as<AnchorRecord>()->rank, 3);
    QCOMPARE(getText(records[0].as<AnchorRecord>()->host, 64), std::string_view("node7"));
    QCOMPARE(records[1].as<BatchRecord>()->framesMax, 1234);
    QCOMPARE(records[2].as<PhaseRecord>()->phase, Phase::Checkpoint);
    QCOMPARE(records[3].as<CollectiveRecord>()->sequence, 0xabcdefull << 20);
    QCOMPARE(getText(records[3].as<CollectiveRecord>()->tag, kTagBytes), std::string_view("gradient:12"));
    QCOMPARE(records[4].as<StepRecord>()->loss, 2.5);
    QCOMPARE(records[4].header().step, 5);
    QCOMPARE(records[5].as<ResourceRecord>()->rssBytes, 1 << 30);
    QCOMPARE(getText(records[6].as<NoteRecord>()->text, kTextBytes), std::string_view("late"));
    QCOMPARE(records[6].as<NoteRecord>()->severity, NoteSeverity::Warning);
    QCOMPARE(records[7].as<EndRecord>()->weightsHash, 42u);
    QCOMPARE(records[7].as<StepRecord>(), nullptr);
    QCOMPARE(records[8].as<GroupRecord>()->firstRank, 1024);
    QCOMPARE(int(records[8].as<GroupRecord>()->members[127]), 0x81);
    QCOMPARE(getText(records[9].as<SoftwareRecord>()->version, 64), std::string_view("2.11.0+cpu"));
    for (std::size_t i = 1; i < records.size(); ++i)
        QVERIFY(records[i].header().timeNs >= records[i - 1].header().timeNs && records[i].header().timeNs > 0);
}

void TestJournal::segmentsArePrivateAndFollowEachOther() {
    QTemporaryDir dir;
    {
        auto writer = JournalWriter::create(pathOf(dir), {8});
        QVERIFY(writer);
        for (int i = 0; i < 50; ++i)
            appendForSure(*writer, stepRecord(i));
    }
    for (int segment = 0; segment < 7; ++segment) { // 50 records, 8 per segment; the unused spare is gone
        struct stat st {};
        const auto path = pathOf(dir) / ("journal.00000" + std::to_string(segment));
        QCOMPARE(::stat(path.c_str(), &st), 0);
        QCOMPARE(st.st_mode & 0777, 0600u);
        QCOMPARE(st.st_size, 9 * 256);
    }
    QVERIFY(!fs::exists(pathOf(dir) / "journal.000007"));
    const auto records = readAll(pathOf(dir));
    QCOMPARE(records.size(), std::size_t{50});
    for (int i = 0; i < 50; ++i)
        QCOMPARE(records[static_cast<std::size_t>(i)].header().step, i);
}

void TestJournal::twoWritersAndAReaderAtOnce() {
    QTemporaryDir dir;
    constexpr int kEach = 20000;
    auto writer = JournalWriter::create(pathOf(dir), {256});
    QVERIFY(writer);
    std::atomic<int> running{2};
    std::vector<std::thread> threads;
    for (int t = 0; t < 2; ++t)
        threads.emplace_back([&, t] {
            for (int i = 0; i < kEach; ++i)
                appendForSure(*writer, stepRecord(i, t * 1e6 + i));
            --running;
        });
    JournalReader reader(pathOf(dir));
    std::vector<AnyRecord> records;
    while (reader.read(records, 512, false) > 0 || running > 0) {
    }
    for (auto& thread : threads)
        thread.join();
    while (reader.read(records, 512, false) > 0) {
    }
    QCOMPARE(records.size(), std::size_t{2 * kEach});
    std::map<int, int> next; // the records of each thread appear in its order, none twice, none missing
    for (const AnyRecord& record : records) {
        const double loss = record.as<StepRecord>()->loss;
        const int thread = loss >= 1e6;
        QCOMPARE(loss, thread * 1e6 + next[thread]);
        QCOMPARE(record.header().step, next[thread]++);
    }
    QCOMPARE(reader.counters().records, static_cast<std::uint64_t>(2 * kEach));
    QCOMPARE(reader.counters().torn + reader.counters().malformed + reader.counters().missingSegments, 0u);
}

/// Far more readers than processors, so that one of them is interrupted between two looks at the folder while the first
/// segment and the spare one appear.
void TestJournal::aReaderThatComesWhileItIsMadeMissesNothing() {
    constexpr int kReaders = 12, kRounds = 60;
    QTemporaryDir dir;
    std::atomic<int> missed{0};
    for (int round = 0; round < kRounds; ++round) {
        const fs::path journal = pathOf(dir) / std::to_string(round);
        QVERIFY(fs::create_directory(journal));
        std::atomic<bool> written{false};
        std::vector<std::thread> readers;
        for (int i = 0; i < kReaders; ++i)
            readers.emplace_back([&] {
                JournalReader reader(journal);
                std::vector<AnyRecord> records;
                bool last = false;
                while (records.empty() && !last) {
                    last = written;
                    reader.read(records, 1, false);
                }
                missed += records.empty();
            });
        auto writer = JournalWriter::create(journal);
        const bool appended = writer && writer->append(stepRecord(0));
        std::this_thread::sleep_for(std::chrono::milliseconds(5)); // until the helper has made the spare segment
        written = true;
        for (std::thread& reader : readers)
            reader.join();
        QVERIFY(appended);
    }
    QCOMPARE(missed.load(), 0);
}

void TestJournal::burstsBeyondTheSpareAreCounted() {
    QTemporaryDir dir;
    std::uint64_t kept = 0, refused = 0;
    {
        auto writer = JournalWriter::create(pathOf(dir), {2});
        QVERIFY(writer);
        for (int i = 0; i < 10000; ++i)
            writer->append(stepRecord(i)) ? ++kept : ++refused;
        QCOMPARE(writer->dropped(), refused);
    }
    QVERIFY(refused > 0);
    QCOMPARE(readAll(pathOf(dir)).size(), kept);
}

void TestJournal::killedWriterLosesNothing() {
    for (const int delayMs : {1, 7, 30}) {
        QTemporaryDir dir;
        int told[2];
        QCOMPARE(::pipe(told), 0);
        const pid_t child = ::fork();
        if (child == 0) {
            auto writer = JournalWriter::create(pathOf(dir), {128});
            for (std::int64_t i = 0;; ++i) {
                while (!writer->append(stepRecord(i)))
                    ::usleep(100);
                const std::int64_t appended = i + 1; // reported only after the append has returned
                (void)!::write(told[1], &appended, sizeof appended);
            }
        }
        ::close(told[1]);
        std::int64_t appended = 0, last = 0;
        QCOMPARE(::read(told[0], &appended, sizeof appended), static_cast<ssize_t>(sizeof appended));
        std::thread drain([&] { // a full pipe must not block the writer
            while (::read(told[0], &last, sizeof last) == sizeof last)
                appended = last;
        });
        QTest::qSleep(delayMs);
        ::kill(child, SIGKILL);
        ::waitpid(child, nullptr, 0);
        drain.join();
        ::close(told[0]);
        const auto records = readAll(pathOf(dir));
        QVERIFY2(records.size() >= static_cast<std::size_t>(appended), qPrintable(QString::number(appended)));
        QVERIFY(records.size() <= static_cast<std::size_t>(appended) + 1);
        for (std::size_t i = 0; i < records.size(); ++i)
            QCOMPARE(records[i].header().step, static_cast<std::int64_t>(i));
    }
}

void TestJournal::resumesAtAnyPosition() {
    QTemporaryDir dir;
    auto writer = JournalWriter::create(pathOf(dir), {5});
    QVERIFY(writer);
    for (int i = 0; i < 23; ++i)
        appendForSure(*writer, stepRecord(i));
    JournalPosition position;
    for (std::int64_t i = 0; i < 23; ++i) { // a new reader for each record
        JournalReader reader(pathOf(dir), position);
        std::vector<AnyRecord> one;
        QCOMPARE(reader.read(one, 1, false), std::size_t{1});
        QCOMPARE(one[0].header().step, i);
        QVERIFY(!(reader.position() == position));
        position = reader.position();
    }
    JournalReader atEnd(pathOf(dir), position);
    std::vector<AnyRecord> none;
    QCOMPARE(atEnd.read(none, 10, false), std::size_t{0});
    QCOMPARE(atEnd.read(none, 10, true), std::size_t{0});
    appendForSure(*writer, stepRecord(23));
    QCOMPARE(atEnd.read(none, 10, false), std::size_t{1});
    QCOMPARE(none[0].header().step, 23);
}

void TestJournal::limitIsKept() {
    QTemporaryDir dir;
    auto writer = JournalWriter::create(pathOf(dir), {1000});
    QVERIFY(writer);
    for (int i = 0; i < 700; ++i)
        appendForSure(*writer, stepRecord(i));
    JournalReader reader(pathOf(dir));
    std::vector<AnyRecord> records;
    QCOMPARE(reader.read(records, 3, false), std::size_t{3});
    QCOMPARE(reader.read(records, 600, false), std::size_t{600});
    QCOMPARE(reader.read(records, 600, false), std::size_t{97});
    QCOMPARE(reader.position().slot, 700u);
}

void TestJournal::aSecondWriterGoesOnBehindTheFirst() {
    QTemporaryDir dir;
    JournalReader live(pathOf(dir));
    std::vector<AnyRecord> records;
    QCOMPARE(live.read(records, 10, false), std::size_t{0});
    for (int attempt = 0; attempt < 3; ++attempt) {
        auto writer = JournalWriter::create(pathOf(dir), {10});
        QVERIFY(writer);
        for (int i = 0; i < 4; ++i)
            appendForSure(*writer, stepRecord(attempt * 100 + i));
    }
    while (live.read(records, 100, false) > 0) {
    }
    QCOMPARE(records.size(), std::size_t{12}); // although nothing said that the first writers are gone
    QCOMPARE(records.back().header().step, 203);
    QCOMPARE(live.counters().torn, 0u); // slots that were never reserved are not torn
}

void TestJournal::removalKeepsTheNewest() {
    QTemporaryDir dir;
    {
        auto writer = JournalWriter::create(pathOf(dir), {4});
        QVERIFY(writer);
        for (int i = 0; i < 12; ++i)
            appendForSure(*writer, stepRecord(i));
    }
    JournalReader reader(pathOf(dir));
    std::vector<AnyRecord> records;
    QCOMPARE(reader.read(records, 6, true), std::size_t{6});
    reader.removeBefore(reader.position());
    QVERIFY(!fs::exists(pathOf(dir) / "journal.000000"));
    QVERIFY(fs::exists(pathOf(dir) / "journal.000001"));
    QCOMPARE(readAll(pathOf(dir), true, reader.position()).size(), std::size_t{6});
    while (reader.read(records, 100, true) > 0) {
    }
    QCOMPARE(reader.position().segment, 3u);
    reader.removeBefore(reader.position());
    QVERIFY(fs::exists(pathOf(dir) / "journal.000002")); // its number tells a new writer where to continue
    QCOMPARE(readAll(pathOf(dir), true, reader.position()).size(), std::size_t{0});
    auto again = JournalWriter::create(pathOf(dir), {4});
    QVERIFY(again);
    appendForSure(*again, stepRecord(99));
    QCOMPARE(readAll(pathOf(dir), false, reader.position()).size(), std::size_t{1});
}

/// The disk is "full" while the child may not write files as large as a segment.
void TestJournal::aFullDiskIsCountedAndOvercome() {
    QTemporaryDir dir;
    const pid_t child = ::fork();
    if (child == 0) {
        auto writer = JournalWriter::create(pathOf(dir), {32});
        for (int i = 0; i < 40; ++i) // into the spare, so that everything prepared is used
            appendForSure(*writer, stepRecord(i));
        ::usleep(60000); // the helper has prepared the next spare
        const std::uint64_t before = writer->dropped();
        rlimit limit{1000, RLIM_INFINITY};
        ::setrlimit(RLIMIT_FSIZE, &limit);
        for (int i = 40; i < 96; ++i)
            if (!writer->append(stepRecord(i)))
                ::_exit(1);
        for (int i = 0; i < 10; ++i) {
            if (writer->append(stepRecord(1000)))
                ::_exit(2);
            ::usleep(20000);
        }
        if (writer->dropped() - before != 10)
            ::_exit(3);
        limit.rlim_cur = RLIM_INFINITY;
        ::setrlimit(RLIMIT_FSIZE, &limit);
        appendForSure(*writer, stepRecord(96));
        ::_exit(0);
    }
    int status = 0;
    ::waitpid(child, &status, 0);
    QVERIFY(WIFEXITED(status));
    QCOMPARE(WEXITSTATUS(status), 0);
    JournalReader reader(pathOf(dir));
    std::vector<AnyRecord> records;
    while (reader.read(records, 100, true) > 0) {
    }
    QCOMPARE(records.size(), std::size_t{97});
    for (std::size_t i = 0; i < records.size(); ++i)
        QCOMPARE(records[i].header().step, static_cast<std::int64_t>(i));
    QCOMPARE(reader.counters().missingSegments, 0u); // no number was skipped
}

void TestJournal::afterItsEndOnlyTheCurrentSegmentIsFilled() {
    QTemporaryDir dir;
    auto writer = JournalWriter::create(pathOf(dir), {8});
    QVERIFY(writer);
    QTRY_VERIFY(fs::exists(pathOf(dir) / "journal.000001"));
    writer->finish();
    writer->finish();
    QVERIFY(!fs::exists(pathOf(dir) / "journal.000001"));
    for (int i = 0; i < 10; ++i)
        QCOMPARE(writer->append(stepRecord(i)), i < 8);
    QCOMPARE(writer->dropped(), 2u);
    QCOMPARE(readAll(pathOf(dir)).size(), std::size_t{8});
}

void TestJournal::cannotBeCreated() {
    QTemporaryDir dir;
    QCOMPARE(JournalWriter::create(pathOf(dir) / "none").error().code, Errc::NotFound);
    QCOMPARE(JournalWriter::create(pathOf(dir), {0}).error().code, Errc::BadInput);
    fs::permissions(pathOf(dir), fs::perms(0555));
    const pid_t child = ::fork(); // root may write everywhere, so a child drops its privileges
    if (child == 0) {
        if (::geteuid() == 0 && (::setgid(65534) != 0 || ::setuid(65534) != 0))
            ::_exit(9);
        const auto refused = JournalWriter::create(pathOf(dir));
        ::_exit(!refused && refused.error().code == Errc::Permission ? 0 : 1);
    }
    int status = 0;
    ::waitpid(child, &status, 0);
    fs::permissions(pathOf(dir), fs::perms::owner_all);
    QVERIFY(WIFEXITED(status));
    QCOMPARE(WEXITSTATUS(status), 0);
}

void TestJournal::detachedTakesEverything() {
    auto writer = JournalWriter::detached();
    QVERIFY(writer.append(stepRecord(1)));
    writer.note(NoteSeverity::Error, "x");
    QCOMPARE(writer.dropped(), 0u);
}

RANKSCOPE_TEST(TestJournal)
#include "tst_journal.moc"
