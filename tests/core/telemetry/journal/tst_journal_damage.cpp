// SPDX-License-Identifier: Apache-2.0
// Journals that were truncated, overwritten or made up: damage is counted and skipped, never fatal.
#include "core/base/files/atomic_file.h"
#include "core/base/files/file.h"
#include "core/telemetry/journal/journal_reader.h"
#include "core/telemetry/journal/journal_segment.h"
#include "core/telemetry/journal/journal_writer.h"
#include "tests/support/test_runner.h"

#include <QFile>
#include <QIODevice>
#include <QTemporaryDir>
#include <QTest>

#include <unistd.h>

#include <cstring>
#include <random>
#include <thread>

using namespace rankscope;
using namespace rankscope::telemetry;

namespace fs = std::filesystem;

class TestJournalDamage : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void tornSlotsAreCountedWhenTheWriterIsGone();
    void restOfASegmentThatItsWriterLeftIsTorn();
    void unknownAndMalformedSlots();
    void missingSegmentsAreCounted();
    void damagedHeadersAreSteppedOver();
    void aSegmentCutShort();
    void foreignNamesAreIgnored();
    void numbersWithoutEndAreNoSegments();
    void aLinkedFolderIsNotRead();
    void aLinkedFolderIsNotWritten();
    void aFolderThatBecomesALinkEndsTheReading();
    void randomBytes();
};

static fs::path pathOf(const QTemporaryDir& dir) {
    return dir.path().toStdString();
}

/// Makes a journal of `records` step records, with `perSegment` slots in each segment.
static void make(const fs::path& dir, int records, std::uint32_t perSegment) {
    auto writer = JournalWriter::create(dir, {perSegment});
    QVERIFY(writer);
    for (int i = 0; i < records; ++i) {
        StepRecord record;
        record.header.step = i;
        while (!writer->append(record))
            std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
}

/// Overwrites bytes of a segment.
static void poke(const fs::path& dir, std::uint64_t segment, std::size_t offset, std::string_view bytes) {
    auto text = readFile(segmentPath(dir, segment));
    QVERIFY(text && offset + bytes.size() <= text->size());
    std::copy(bytes.begin(), bytes.end(), text->begin() + static_cast<std::ptrdiff_t>(offset));
    QVERIFY(writeFileAtomic(segmentPath(dir, segment), *text));
}

static std::vector<std::int64_t> stepsOf(JournalReader& reader, bool writerGone) {
    std::vector<AnyRecord> records;
    while (reader.read(records, 1000, writerGone) > 0) {
    }
    std::vector<std::int64_t> steps;
    for (const AnyRecord& record : records)
        steps.push_back(record.header().step);
    return steps;
}

static std::size_t slotAt(std::size_t slot) {
    return (slot + 1) * kSlotBytes;
}

using Steps = std::vector<std::int64_t>;
static const std::string_view kZero("\0\0\0\0", 4);

void TestJournalDamage::tornSlotsAreCountedWhenTheWriterIsGone() {
    QTemporaryDir dir;
    make(pathOf(dir), 6, 10);
    poke(pathOf(dir), 0, slotAt(2), kZero);
    poke(pathOf(dir), 0, slotAt(3), kZero);
    JournalReader reader(pathOf(dir));
    QCOMPARE(stepsOf(reader, false), (Steps{0, 1})); // they may still be completed
    QCOMPARE(reader.counters().torn, 0u);
    QCOMPARE(stepsOf(reader, true), (Steps{4, 5}));
    QCOMPARE(reader.counters().torn, 2u);
    QCOMPARE(reader.position(), (JournalPosition{0, 6})); // slots that were never reserved are not torn
}

void TestJournalDamage::restOfASegmentThatItsWriterLeftIsTorn() {
    QTemporaryDir dir;
    make(pathOf(dir), 6, 4);
    poke(pathOf(dir), 0, slotAt(2), kZero);
    poke(pathOf(dir), 0, slotAt(3), kZero);
    JournalReader reader(pathOf(dir));
    QCOMPARE(stepsOf(reader, true), (Steps{0, 1, 4, 5}));
    QCOMPARE(reader.counters().torn, 2u);
}

void TestJournalDamage::unknownAndMalformedSlots() {
    QTemporaryDir dir;
    make(pathOf(dir), 10, 12);
    const auto& d = pathOf(dir);
    poke(d, 0, slotAt(1) + 4, std::string_view("\x63\0", 2));       // type 99
    poke(d, 0, slotAt(2) + 6, std::string_view("\x02\0", 2));       // record version 2
    poke(d, 0, slotAt(3), std::string_view("\x5f\0\0\0", 4));       // one byte short for its type
    poke(d, 0, slotAt(4), std::string_view("\xff\xff\xff\xff", 4)); // longer than a slot
    poke(d, 0, slotAt(5), std::string_view("\x03\0\0\0", 4));       // shorter than a header
    PhaseRecord phase;
    phase.header.length = sizeof phase;
    phase.header.type = RecordType::Phase;
    phase.phase = static_cast<Phase>(77);
    poke(d, 0, slotAt(6), {reinterpret_cast<const char*>(&phase), sizeof phase});
    GroupRecord group;
    group.header.length = sizeof group;
    group.header.type = RecordType::Group;
    group.size = 0;
    poke(d, 0, slotAt(7), {reinterpret_cast<const char*>(&group), sizeof group});
    group.size = 2;
    group.firstRank = -1;
    poke(d, 0, slotAt(8), {reinterpret_cast<const char*>(&group), sizeof group});
    JournalReader reader(d);
    QCOMPARE(stepsOf(reader, false), (Steps{0, 9}));
    QCOMPARE(reader.counters().unknown, 2u);
    QCOMPARE(reader.counters().malformed, 6u);
    QCOMPARE(reader.counters().records, 2u);
}

void TestJournalDamage::missingSegmentsAreCounted() {
    QTemporaryDir dir;
    make(pathOf(dir), 20, 4);
    fs::remove(segmentPath(pathOf(dir), 1));
    fs::remove(segmentPath(pathOf(dir), 2));
    JournalReader reader(pathOf(dir));
    QCOMPARE(stepsOf(reader, false), (Steps{0, 1, 2, 3, 12, 13, 14, 15, 16, 17, 18, 19}));
    QCOMPARE(reader.counters().missingSegments, 2u);
}

void TestJournalDamage::damagedHeadersAreSteppedOver() {
    const std::pair<std::size_t, std::string_view> damages[] = {
        {0, std::string_view("XXXXXXXX", 8)},          // magic
        {8, std::string_view("\x09\0\0\0", 4)},        // version
        {12, std::string_view("\0\x02\0\0", 4)},       // bytes of a slot
        {16, std::string_view("\0\0\0\0", 4)},         // slots: none
        {16, std::string_view("\xff\xff\xff\x7f", 4)}, // slots: too many
        {24, std::string_view("\x07", 1)},             // another segment's number
    };
    for (const auto& [offset, bytes] : damages) {
        QTemporaryDir dir;
        make(pathOf(dir), 10, 4);
        poke(pathOf(dir), 1, offset, bytes);
        JournalReader reader(pathOf(dir));
        QCOMPARE(stepsOf(reader, false), (Steps{0, 1, 2, 3, 8, 9}));
        QCOMPARE(reader.counters().malformed, 1u);
    }
    QTemporaryDir dir; // the newest: nothing is known about it yet, and nothing is skipped
    make(pathOf(dir), 6, 4);
    poke(pathOf(dir), 1, 0, "XXXXXXXX");
    JournalReader reader(pathOf(dir));
    QCOMPARE(stepsOf(reader, true), (Steps{0, 1, 2, 3}));
    QCOMPARE(reader.position(), (JournalPosition{1, 0}));
}

void TestJournalDamage::aSegmentCutShort() {
    QTemporaryDir dir;
    make(pathOf(dir), 10, 4);
    QCOMPARE(::truncate(segmentPath(pathOf(dir), 1).c_str(), static_cast<off_t>(slotAt(2) + 100)), 0);
    JournalReader reader(pathOf(dir));
    QCOMPARE(stepsOf(reader, false), (Steps{0, 1, 2, 3, 4, 5, 8, 9}));
    QCOMPARE(reader.counters().malformed, 1u);
    QCOMPARE(::truncate(segmentPath(pathOf(dir), 2).c_str(), 0), 0);
    JournalReader again(pathOf(dir));
    QCOMPARE(stepsOf(again, true), (Steps{0, 1, 2, 3, 4, 5}));
}

void TestJournalDamage::foreignNamesAreIgnored() {
    QTemporaryDir dir;
    make(pathOf(dir), 3, 4);
    for (const char* name : {"journal.", "journal.1", "journal.0000001", "journal.00000x",
                             "journal.99999999999999999999", "journal.000007.bak", "log.txt"})
        QVERIFY(writeFileAtomic(pathOf(dir) / name, "x"));
    fs::create_directory(pathOf(dir) / "journal.000001");
    QCOMPARE(listSegments(pathOf(dir)), (std::vector<std::uint64_t>{0, 1}));
    JournalReader reader(pathOf(dir));
    QCOMPARE(stepsOf(reader, true), (Steps{0, 1, 2}));
}

/// A segment number that overflows when incremented, even one stored as a reader's position, must not make the reader
/// loop forever.
void TestJournalDamage::numbersWithoutEndAreNoSegments() {
    QTemporaryDir dir;
    make(pathOf(dir), 3, 4);
    const auto sound = readFile(segmentPath(pathOf(dir), 0));
    QVERIFY(sound);
    for (const std::uint64_t number : {kLastSegment + 1, ~std::uint64_t{0} - 1, ~std::uint64_t{0}}) {
        std::string bytes = *sound;
        SegmentHeader header;
        std::memcpy(&header, bytes.data(), sizeof header);
        header.segment = number;
        header.slots = 1;
        std::memcpy(bytes.data(), &header, sizeof header);
        QVERIFY(writeFileAtomic(segmentPath(pathOf(dir), number), bytes));
        QVERIFY(!segmentNumber(segmentPath(pathOf(dir), number).filename().string()));
        QCOMPARE(openSegment(pathOf(dir), number).state, SegmentState::Missing);
        JournalReader behind(pathOf(dir), {number, 0});
        QVERIFY(stepsOf(behind, true).empty());
    }
    QCOMPARE(listSegments(pathOf(dir)), std::vector<std::uint64_t>{0});
    JournalReader reader(pathOf(dir));
    std::vector<AnyRecord> records;
    QCOMPARE(reader.read(records, 1000, true), std::size_t(3));
    QCOMPARE(reader.read(records, 1000, true), std::size_t(0));
    QVERIFY(JournalWriter::create(pathOf(dir), {4}).has_value()); // it continues after 0
}

void TestJournalDamage::aLinkedFolderIsNotRead() {
    QTemporaryDir dir;
    fs::create_directories(pathOf(dir) / "elsewhere");
    make(pathOf(dir) / "elsewhere", 6, 4);
    fs::create_directories(pathOf(dir) / "run/ranks");
    const fs::path rank = pathOf(dir) / "run/ranks/0";
    fs::create_directory_symlink(pathOf(dir) / "elsewhere", rank);
    QVERIFY(listSegments(rank).empty());
    JournalReader reader(rank);
    QVERIFY(stepsOf(reader, true).empty());
    reader.removeBefore({5, 0});
    QCOMPARE(listSegments(pathOf(dir) / "elsewhere"), (std::vector<std::uint64_t>{0, 1}));
}

/// The folder becomes a link while it is being read: no segment can be opened any more, and none counts as missing.
void TestJournalDamage::aLinkedFolderIsNotWritten() {
    QTemporaryDir dir;
    fs::create_directories(pathOf(dir) / "elsewhere");
    fs::create_directories(pathOf(dir) / "run/ranks");
    const fs::path rank = pathOf(dir) / "run/ranks/0";
    fs::create_directory_symlink(pathOf(dir) / "elsewhere", rank);
    const auto refused = JournalWriter::create(rank);
    QVERIFY(!refused);
    QCOMPARE(refused.error().code, Errc::Malformed);
    QVERIFY(fs::is_empty(pathOf(dir) / "elsewhere"));
}

void TestJournalDamage::aFolderThatBecomesALinkEndsTheReading() {
    QTemporaryDir dir;
    const fs::path rank = pathOf(dir) / "run/ranks/0";
    fs::create_directories(rank);
    make(rank, 3, 4);
    JournalReader reader(rank);
    std::vector<AnyRecord> records;
    QCOMPARE(reader.read(records, 1000, false), std::size_t(3));
    for (const char* target : {"/dev/null", "elsewhere"}) {
        fs::remove_all(rank);
        fs::create_symlink(target, rank);
        QCOMPARE(reader.read(records, 1000, false), std::size_t(0));
        QCOMPARE(reader.read(records, 1000, true), std::size_t(0));
    }
}

void TestJournalDamage::randomBytes() {
    QTemporaryDir dir;
    make(pathOf(dir), 40, 16);
    std::vector<std::string> sound;
    for (std::uint64_t s = 0; s < 3; ++s)
        sound.push_back(*readFile(segmentPath(pathOf(dir), s)));
    std::mt19937 random(20260101);
    std::uint64_t counted = 0, good = 0;
    for (int round = 0; round < 400; ++round) {
        for (std::uint64_t s = 0; s < 3; ++s) {
            std::string bytes = sound[s];
            const int changes = static_cast<int>(random() % 30);
            for (int i = 0; i < changes; ++i) { // headers of slots most of all, the segment's own now and then
                const std::size_t slot = random() % 100 ? 1 + random() % (bytes.size() / kSlotBytes - 1) : 0;
                bytes[slot * kSlotBytes + random() % (random() % 2 ? 8 : kSlotBytes)] = static_cast<char>(random());
            }
            if (random() % 4 == 0)
                bytes.resize(random() % bytes.size());
            if (random() % 8 == 0)
                bytes.append(random() % 3000, static_cast<char>(random()));
            QFile file(QString::fromStdString(segmentPath(pathOf(dir), s).string()));
            QVERIFY(file.open(QIODevice::WriteOnly | QIODevice::Truncate));
            file.write(bytes.data(), static_cast<qint64>(bytes.size()));
        }
        JournalReader reader(pathOf(dir), {random() % 3, random() % 20});
        std::vector<AnyRecord> records;
        int reads = 0;
        while (reader.read(records, 1 + random() % 50, random() % 2) > 0)
            QVERIFY(++reads < 1000);
        const JournalCounters& c = reader.counters();
        QCOMPARE(c.records, static_cast<std::uint64_t>(records.size()));
        QVERIFY(c.records + c.malformed + c.unknown + c.torn + c.missingSegments < 200);
        for (const AnyRecord& record : records)
            QCOMPARE(recordBytes(record.type()), std::size_t{record.header().length});
        counted += c.malformed + c.unknown + c.torn;
        good += c.records;
    }
    QVERIFY(counted > 400 && good > 400);
}

RANKSCOPE_TEST(TestJournalDamage)
#include "tst_journal_damage.moc"
