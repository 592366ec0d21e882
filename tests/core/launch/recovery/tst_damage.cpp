// SPDX-License-Identifier: Apache-2.0
// A store, a board or a journal that was cut at any byte, or overwritten: no reader crashes, and truncation never
// creates an incident that did not happen.
#include "core/base/files/file.h"
#include "core/diagnosis/recording/recording.h"
#include "core/store/read/run_reader.h"
#include "core/store/report/replay_report.h"
#include "core/store/sqlite/sqlite.h"
#include "core/store/write/run_writer.h"
#include "core/telemetry/board/board.h"
#include "core/telemetry/journal/journal_segment.h"
#include "tests/core/diagnosis/simulated_fleet.h"
#include "tests/support/test_runner.h"

#include <QTemporaryDir>
#include <QTest>

#include <fstream>
#include <random>
#include <set>

using namespace rankscope;
using namespace rankscope::diagnosis;
using namespace rankscope::diagnosis::test;
using namespace rankscope::telemetry;

namespace fs = std::filesystem;

namespace {

/// Stores a run with three incidents: records, incidents, and the detector's observations.
void storeRun(const fs::path& file, std::set<std::string>& incidents) {
    FleetOptions options;
    SimulatedFleet fleet(
        options, {{FleetFault::Loader, 1, 20, 6}, {FleetFault::Forward, 0, 40, 5}, {FleetFault::Stopped, 1, 60, 6}});
    Detector detector(options.world, {});
    RecordingLimits limits;
    limits.groupNs = 15'000'000'000;
    InputRecorder recorder(options.world, {}, limits);
    auto store = store::RunWriter::open(file, {"damage", options.world, fleet.nowNs(), 0, 0});
    QVERIFY(store);
    std::vector<std::uint64_t> positions(2);
    for (int i = 0; i < 900; ++i) {
        const Observation& o = fleet.tick(i == 899 ? RunOutcomeSeen::Finished : RunOutcomeSeen::Running);
        recorder.record(o, detector);
        const auto transitions = detector.advance(o);
        std::vector<RecordingChunk> pieces;
        if (auto piece = recorder.take(transitions, detector.anyOpen(), i == 899))
            pieces.push_back(std::move(*piece));
        std::vector<store::RunWriter::Chunk> chunks;
        for (int r = 0; r < 2; ++r) {
            const auto& records = fleet.recordsOf(r);
            positions[static_cast<std::size_t>(r)] += records.size();
            chunks.push_back({r, records, {0, positions[static_cast<std::size_t>(r)]}, {}});
        }
        QVERIFY(store->commit(chunks, transitions, pieces));
    }
    QVERIFY(store->finish());
    auto reader = store::RunReader::open(file);
    QVERIFY(reader);
    const auto stored = reader->incidents();
    QVERIFY(stored);
    for (const Incident& in : *stored)
        incidents.insert(canonicalText(in));
    QCOMPARE(incidents.size(), std::size_t{3});
    const auto replay = store::replay(*reader);
    QVERIFY2(replay.has_value(), replay ? "" : replay.error().message().c_str());
    QVERIFY(replay->identical());
    QCOMPARE(replay->same, std::int64_t{3});
}

/// Reads everything that a reader offers; returns the incidents it reports.
std::optional<std::vector<Incident>> readAll(const fs::path& file) {
    auto reader = store::RunReader::open(file);
    if (!reader)
        return {};
    (void)reader->ranks();
    (void)reader->series(store::Metric::Loss, 0, 0, 1000, 100);
    (void)reader->notes(0, 100);
    (void)reader->validations(-1, 100);
    (void)reader->collectives(0, 100, 1000);
    (void)reader->phases(0, 100, 1000);
    (void)reader->waits(0, 100);
    (void)reader->counters();
    (void)store::replay(*reader);
    auto incidents = reader->incidents();
    return incidents ? std::optional(*incidents) : std::nullopt;
}

void write(const fs::path& path, std::string_view bytes) {
    std::ofstream(path, std::ios::binary | std::ios::trunc) << bytes;
}

/// Runs a healthy run in which the supervisor sees one rank through damaged files; returns the number of incidents.
template <class Damage> std::size_t incidentsOfAHealthyRun(std::uint64_t seed, int rounds, Damage&& damage) {
    FleetOptions options;
    options.world = 3;
    options.seed = seed;
    SimulatedFleet fleet(options);
    Detector detector(3, {});
    std::size_t incidents = 0;
    for (int i = 0; i < rounds; ++i) {
        Observation o = fleet.tick();
        damage(i, o);
        incidents += detector.advance(o).size();
    }
    return incidents;
}

} // namespace

class TestDamage : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void initTestCase();
    void aReplayNamesWhatWasChanged();
    void aStoreCutAtAnyByte();
    void aStoreWithBytesOverwritten();
    void aBoardCutAtAnyByte();
    void aBoardWithBytesOverwritten();
    void aJournalCutAtAnyByte();

private:
    fs::path at(const char* name) const { return fs::path(m_dir.path().toStdString()) / name; }
    QTemporaryDir m_dir;
    std::string m_store;
    std::set<std::string> m_incidents;
};

void TestDamage::initTestCase() {
    storeRun(at("run.sqlite"), m_incidents);
    const auto bytes = readFile(at("run.sqlite"));
    QVERIFY(bytes);
    m_store = *bytes;
}

void TestDamage::aReplayNamesWhatWasChanged() {
    write(at("changed.sqlite"), m_store);
    {
        auto db = store::Database::open(at("changed.sqlite"), store::OpenMode::ReadWrite);
        QVERIFY(db);
        QVERIFY(db->execute("UPDATE incident SET step=step+1 WHERE id=2; DELETE FROM incident WHERE id=3"));
    }
    auto reader = store::RunReader::open(at("changed.sqlite"));
    QVERIFY(reader);
    const auto replay = store::replay(*reader);
    QVERIFY(replay);
    QVERIFY(!replay->identical());
    QCOMPARE(replay->same, std::int64_t{1});
    QCOMPARE(replay->differences.size(), std::size_t{2});
    QCOMPARE(replay->differences[0].id, std::int64_t{2});
    QVERIFY(replay->differences[0].stored != replay->differences[0].replayed);
    QCOMPARE(replay->differences[1].id, std::int64_t{3});
    QVERIFY(replay->differences[1].stored.empty());
}

void TestDamage::aStoreCutAtAnyByte() {
    std::mt19937 random(2);
    std::vector<std::size_t> cuts{0, 1, 15, 16, 99, 100, 512};
    for (std::size_t page = 8192; page < m_store.size(); page += 8192)
        for (const std::size_t near : {page - 1, page, page + 1})
            cuts.push_back(near);
    for (int i = 0; i < 150; ++i)
        cuts.push_back(random() % m_store.size());
    int readable = 0;
    for (const std::size_t cut : cuts) {
        write(at("cut.sqlite"), std::string_view(m_store).substr(0, cut));
        const auto incidents = readAll(at("cut.sqlite"));
        if (!incidents)
            continue;
        ++readable;
        for (const Incident& in : *incidents)
            QVERIFY2(m_incidents.contains(canonicalText(in)), canonicalText(in).c_str());
    }
    QVERIFY(readable < static_cast<int>(cuts.size()));
}

void TestDamage::aStoreWithBytesOverwritten() {
    std::mt19937 random(4);
    for (int i = 0; i < 150; ++i) {
        std::string bytes = m_store;
        for (int n = 1 + static_cast<int>(random() % 20); n > 0; --n)
            bytes[random() % bytes.size()] = static_cast<char>(random());
        write(at("odd.sqlite"), bytes);
        (void)readAll(at("odd.sqlite"));
    }
}

static std::string boardBytes(const fs::path& path) {
    auto board = BoardWriter::create(path);
    board->identify(1, 3, 0, "cpu", 100);
    board->stage(RankStage::Running);
    board->step(12, 0);
    board->phase(Phase::Forward, 1'000'000'000'000);
    board->arrived(0, 40, CollectiveOp::AllReduce, 6, 10, "gradient:0", 1'000'000'000'000);
    board->done(0, 41, 1'000'000'000'000);
    return *readFile(path);
}

void TestDamage::aBoardCutAtAnyByte() {
    const std::string whole = boardBytes(at("board"));
    for (std::size_t cut = 0; cut < whole.size(); cut += 7) {
        write(at("cut"), std::string_view(whole).substr(0, cut));
        QVERIFY(!BoardReader::open(at("cut")));
        // a board that is cut after it was opened
        write(at("later"), whole);
        auto reader = BoardReader::open(at("later"));
        QVERIFY(reader);
        fs::resize_file(at("later"), cut);
        QCOMPARE(reader->snapshot().step, std::int64_t{12});
    }
    // one rank without a readable board, while all ranks train
    QCOMPARE(incidentsOfAHealthyRun(5, 900, [](int, Observation& o) { o.ranks[1].board.reset(); }), std::size_t{0});
}

/// Overwritten bytes may have any value: reads stay in bounds, and the detector keeps working.
void TestDamage::aBoardWithBytesOverwritten() {
    const std::string whole = boardBytes(at("board"));
    std::mt19937 random(6);
    for (int run = 0; run < 20; ++run)
        (void)incidentsOfAHealthyRun(static_cast<std::uint64_t>(run), 60, [&](int, Observation& o) {
            std::string bytes = whole;
            for (int n = 1 + static_cast<int>(random() % 40); n > 0; --n)
                bytes[12 + random() % (bytes.size() - 12)] = static_cast<char>(random());
            write(at("odd"), bytes);
            if (auto reader = BoardReader::open(at("odd")))
                o.ranks[1].board = reader->snapshot();
        });
}

void TestDamage::aJournalCutAtAnyByte() {
    FleetOptions options; // the same run that the detector sees below
    options.world = 3;
    options.seed = 5;
    SimulatedFleet fleet(options);
    std::vector<AnyRecord> all;
    for (int i = 0; i < 400; ++i) {
        (void)fleet.tick();
        all.insert(all.end(), fleet.recordsOf(1).begin(), fleet.recordsOf(1).end());
    }
    const fs::path dir = at("rank");
    fs::create_directory(dir);
    const auto slotCount = static_cast<std::uint32_t>(all.size());
    {
        auto segment = createSegment(dir, 0, slotCount, 1);
        QVERIFY(segment);
        const std::uint64_t magic = kJournalMagic;
        std::memcpy(segment->base(), &magic, sizeof magic);
        for (std::size_t i = 0; i < all.size(); ++i)
            std::memcpy(segment->base() + (i + 1) * kSlotBytes, all[i].bytes.data(), all[i].header().length);
    }
    const auto whole = readFile(segmentPath(dir, 0));
    QVERIFY(whole);
    std::mt19937 random(8);
    for (int i = 0; i < 60; ++i) {
        const std::size_t cut = i == 0 ? whole->size() : random() % whole->size();
        write(segmentPath(dir, 0), std::string_view(*whole).substr(0, cut));
        JournalReader reader(dir);
        std::vector<AnyRecord> read;
        while (reader.read(read, 1000, true) > 0) {
        }
        QVERIFY(read.size() <= all.size());
        if (i == 0)
            QCOMPARE(read.size(), all.size());
        // the rank's records end there; those of the others continue
        std::size_t next = 0;
        QCOMPARE(incidentsOfAHealthyRun(options.seed, 300,
                                        [&](int, Observation& o) {
                                            const std::size_t n =
                                                std::min<std::size_t>(o.ranks[1].records.size(), read.size() - next);
                                            o.ranks[1].records = std::span(read).subspan(next, n);
                                            next += n;
                                        }),
                 std::size_t{0});
    }
}

RANKSCOPE_TEST(TestDamage)
#include "tst_damage.moc"
