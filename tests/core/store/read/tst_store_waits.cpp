// SPDX-License-Identifier: Apache-2.0
// Waits in the store compared with an independent computation, over commits, reopenings and repetitions.
#include "core/store/sqlite/sqlite.h"
#include "tests/core/store/synthetic.h"
#include "tests/core/store/wait_bounds.h"
#include "tests/support/test_runner.h"

#include <QTemporaryDir>
#include <QTest>

using namespace rankscope;
using namespace rankscope::store;
using namespace rankscope::telemetry;
using namespace synthetic;

namespace fs = std::filesystem;

class TestStoreWaits : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void waitsEqualAnIndependentComputation();
    void reopeningBetweenCommitsChangesNothing();
    void stepsBeforeTraining();
    void ranksThatBeganAnew();
    void ranksThatSayMoreAboutThemselves();
    void aRepeatedCommitCountsOnce();
    void whatAnOlderVersionBeganIsMarked();
    void aLengthSyncThatWasLeftBehind_data();
    void aLengthSyncThatWasLeftBehind();
    void waitsInAGroup_data();
    void waitsInAGroup();
    void whatAGroupWouldGain();
};

static fs::path storeIn(const QTemporaryDir& dir) {
    return fs::path(dir.path().toStdString()) / "run.sqlite";
}

static const std::map<std::string, Metric> kFamilies{
    {"", Metric::WaitTotal},
    {"sync_max_audio_length", Metric::WaitLengthSync},
    {"sync_batchnorm", Metric::WaitSyncBatchNorm},
    {"gradient", Metric::WaitGradient},
    {"metrics", Metric::WaitMetrics},
    {"barrier", Metric::WaitBarrier},
    {"something_else", Metric::WaitOther},
};

static AnyRecord lengthSync(std::uint32_t group, std::int64_t arrivedNs, std::int64_t exposedNs) {
    CollectiveRecord record;
    record.header.step = 5;
    record.header.timeNs = kStartNs + 10'000;
    record.group = group;
    record.sequence = 3;
    record.arrivedNs = record.startedNs = kStartNs + arrivedNs;
    record.doneNs = kStartNs + 9'000;
    record.exposedNs = exposedNs;
    putText(record.tag, sizeof record.tag, "sync_max_audio_length");
    return AnyRecord::of(record);
}

void TestStoreWaits::aLengthSyncThatWasLeftBehind_data() {
    QTest::addColumn<int>("group");
    QTest::addColumn<bool>("reopen");
    QTest::addColumn<int>("waited");
    QTest::newRow("with a timeout") << 1 << false << 1'000;
    QTest::newRow("with a timeout, another writer") << 1 << true << 1'000;
    QTest::newRow("waited out") << 0 << false << 6'000;
}

/// Rank 1 arrived 6 us late; rank 0 continued after 1 us.
void TestStoreWaits::aLengthSyncThatWasLeftBehind() {
    QFETCH(int, group);
    QFETCH(bool, reopen);
    QFETCH(int, waited);
    QTemporaryDir dir;
    auto store = RunWriter::open(storeIn(dir), meta(2));
    const auto group32 = static_cast<std::uint32_t>(group);
    commit(*store, 0, {stepRecord(5, 1), lengthSync(group32, 1'000, 1'000)});
    if (reopen) {
        store = fail(Errc::Internal, "closed"); // closes the first writer
        store = RunWriter::reopen(storeIn(dir));
        QVERIFY(store);
    }
    commit(*store, 1, {stepRecord(5, 1), lengthSync(group32, 7'000, 100)});
    auto reader = RunReader::open(storeIn(dir));
    const auto rows = reader->collectives(5, 5, 10);
    QCOMPARE(rows->size(), std::size_t{2});
    QCOMPARE((*rows)[0].waitNs, std::int64_t{waited});
    QCOMPARE((*rows)[0].holder, 1);
    QCOMPARE((*rows)[1].waitNs, std::int64_t{0});
    QCOMPARE((*reader->ranks())[0].waitedNs, std::int64_t{waited});
    QCOMPARE((*reader->ranks())[1].heldNs, std::int64_t{waited});
}

static AnyRecord groupOf(std::initializer_list<int> ranks) {
    GroupRecord record;
    record.header.timeNs = kStartNs;
    record.group = 7;
    record.size = static_cast<int>(ranks.size());
    for (const int rank : ranks)
        record.members[0] = static_cast<std::uint8_t>(record.members[0] | 1u << rank);
    return AnyRecord::of(record);
}

static AnyRecord callIn(CollectiveOp op, std::int64_t arrivedNs, std::int64_t doneNs) {
    CollectiveRecord record;
    record.header.step = 5;
    record.header.timeNs = kStartNs + 10'000;
    record.group = 7;
    record.op = op;
    record.arrivedNs = record.startedNs = kStartNs + arrivedNs;
    record.doneNs = kStartNs + doneNs;
    record.exposedNs = doneNs - arrivedNs;
    putText(record.tag, sizeof record.tag, "train.py:8");
    return AnyRecord::of(record);
}

void TestStoreWaits::waitsInAGroup_data() {
    QTest::addColumn<bool>("reopen");
    QTest::addColumn<bool>("sends");
    QTest::addColumn<int>("waited");
    QTest::newRow("one writer") << false << false << 6'000;
    QTest::newRow("another writer") << true << false << 6'000;
    QTest::newRow("a message that was sent before it was received") << false << true << 500;
    QTest::newRow("the same, another writer") << true << true << 500;
}

/// Of three ranks, 0 and 2 are a group; rank 2 arrives 6 us late.
void TestStoreWaits::waitsInAGroup() {
    QFETCH(bool, reopen);
    QFETCH(bool, sends);
    QFETCH(int, waited);
    QTemporaryDir dir;
    auto store = RunWriter::open(storeIn(dir), meta(3));
    const auto first = sends ? CollectiveOp::Send : CollectiveOp::AllReduce;
    commit(*store, 0, {groupOf({0, 2}), stepRecord(5, 1), callIn(first, 1'000, sends ? 1'500 : 9'000)});
    commit(*store, 1, {stepRecord(5, 1)});
    if (reopen) {
        store = fail(Errc::Internal, "closed"); // closes the first writer
        store = RunWriter::reopen(storeIn(dir));
        QVERIFY(store);
    }
    const auto second = sends ? CollectiveOp::Recv : CollectiveOp::AllReduce;
    commit(*store, 2, {groupOf({0, 2}), stepRecord(5, 1), callIn(second, 7'000, 9'000)});
    auto reader = RunReader::open(storeIn(dir));
    const auto rows = reader->collectives(5, 5, 10);
    QCOMPARE(rows->size(), std::size_t{2});
    QCOMPARE((*rows)[0].waitNs, std::int64_t{waited});
    QCOMPARE((*rows)[0].holder, 2);
    QCOMPARE((*rows)[1].waitNs, std::int64_t{0});
    QCOMPARE((*reader->ranks())[0].waitedNs, std::int64_t{waited});
    QCOMPARE((*reader->ranks())[1].heldNs, std::int64_t{0});
    QCOMPARE((*reader->ranks())[2].heldNs, std::int64_t{waited});
}

/// A step whose only collective is that of the group is replayed.
void TestStoreWaits::whatAGroupWouldGain() {
    QTemporaryDir dir;
    auto store = RunWriter::open(storeIn(dir), meta(3));
    for (const int rank : {0, 1, 2}) {
        PhaseRecord phase;
        phase.header.step = 5;
        phase.header.timeNs = kStartNs;
        phase.phase = Phase::Forward;
        phase.beginNs = kStartNs;
        phase.endNs = kStartNs + 9'000;
        std::vector<AnyRecord> records{stepRecord(5, 1), AnyRecord::of(phase)};
        if (rank != 1) {
            records.push_back(groupOf({0, 2}));
            records.push_back(callIn(CollectiveOp::AllReduce, rank == 0 ? 1'000 : 7'000, 9'000));
        }
        commit(*store, rank, records);
    }
    auto reader = RunReader::open(storeIn(dir));
    const auto report = reader->explainWaits({0, 10});
    QVERIFY(report);
    QCOMPARE(report->replay.steps, std::int64_t{1});
    QCOMPARE(report->replay.skipped, std::int64_t{0});
    QCOMPARE(report->replay.ranks[0].waitNs, std::int64_t{6'000});
    QCOMPARE(report->replay.ranks[2].ownNs, std::int64_t{7'000});
    QCOMPARE(report->matrix.total().waitNs, std::int64_t{6'000});
}

/// Compares everything that the store says about waits with the stream's own sums.
static void compareWaits(const fs::path& file, const Stream& stream, int worldSize, int steps) {
    auto reader = RunReader::open(file);
    QVERIFY(reader);
    for (const auto& [family, metric] : kFamilies)
        for (int r = 0; r < worldSize; ++r) {
            const auto points = reader->series(metric, r, 0, steps, steps);
            QVERIFY(points);
            QCOMPARE(points->size(), static_cast<std::size_t>(steps));
            for (const SeriesPoint& p : *points)
                QCOMPARE(p.mean, static_cast<double>(stream.waits.at({r, p.firstStep, family})));
        }
    std::map<std::tuple<int, int, std::string>, std::int64_t> expected;
    std::map<int, std::int64_t> waited, held;
    for (const auto& [key, wait] : stream.pairs) {
        const auto& [waiter, holder, family, step] = key;
        waited[waiter] += wait;
        held[holder] += wait;
        if (step >= 3 && step <= steps - 5)
            expected[{waiter, holder, family}] += wait;
    }
    const auto cells = reader->waits(3, steps - 5);
    QVERIFY(cells);
    QCOMPARE(cells->size(), expected.size());
    for (const WaitCell& cell : *cells)
        QCOMPARE(cell.waitNs, (expected.at({cell.waiter, cell.holder, cell.tag})));
    const auto ranks = reader->ranks();
    QVERIFY(ranks);
    QCOMPARE(ranks->size(), static_cast<std::size_t>(worldSize));
    for (const RankSummary& rank : *ranks) {
        QCOMPARE(rank.waitedNs, waited[rank.rank]);
        QCOMPARE(rank.heldNs, held[rank.rank]);
        QCOMPARE(rank.lastStep, steps - 1);
        QCOMPARE(rank.lastLoss.value(), stream.loss.at({rank.rank, steps - 1}));
    }
    for (const CollectiveRow& row : take(reader->collectives(0, steps, 1'000'000)))
        QVERIFY(row.waitNs >= 0 && row.holder >= 0 && row.holder < worldSize &&
                (row.rank != row.holder || row.waitNs == 0));
    test::checkWaitsWithinSteps(file);
}

void TestStoreWaits::waitsEqualAnIndependentComputation() {
    for (unsigned seed = 1; seed <= 6; ++seed) {
        QTemporaryDir dir;
        Options options;
        options.seed = seed;
        options.worldSize = 1 + static_cast<int>(seed % 5);
        options.steps = 60;
        const Stream stream = makeStream(options);
        auto store = RunWriter::open(storeIn(dir), meta(options.worldSize));
        QVERIFY(store);
        QVERIFY(commitAll(*store, stream, seed, seed % 2 ? 30 : 3000));
        QVERIFY(store->finish());
        compareWaits(storeIn(dir), stream, options.worldSize, options.steps);
    }
}

void TestStoreWaits::reopeningBetweenCommitsChangesNothing() {
    QTemporaryDir dir;
    Options options;
    options.worldSize = 3;
    options.steps = 40;
    const Stream stream = makeStream(options);
    QVERIFY(RunWriter::open(storeIn(dir), meta(3)));
    std::mt19937 random(4);
    std::size_t left = 3;
    while (left > 0) { // a new writer for each commit must find the pending waits again
        auto store = RunWriter::reopen(storeIn(dir));
        QVERIFY(store);
        left = 0;
        std::vector<RunWriter::Chunk> chunks;
        for (int r = 0; r < 3; ++r) {
            const std::size_t from = store->position(r)->slot, all = stream.ranks[static_cast<std::size_t>(r)].size();
            const std::size_t to = std::min(from + random() % 25, all);
            if (to > from)
                chunks.push_back(chunk(stream, r, from, to));
            left += to < all;
        }
        QVERIFY(store->commit(chunks, {}));
    }
    QVERIFY(RunWriter::reopen(storeIn(dir))->finish());
    compareWaits(storeIn(dir), stream, 3, 40);
    auto reader = RunReader::open(storeIn(dir));
    std::int64_t records = 0;
    for (const Counter& counter : take(reader->counters()))
        records += counter.name == "records" ? counter.value : 0;
    QCOMPARE(records, static_cast<std::int64_t>(3 * stream.ranks[0].size()));
}

void TestStoreWaits::stepsBeforeTraining() {
    QTemporaryDir dir;
    auto store = RunWriter::open(storeIn(dir), meta(2));
    CollectiveRecord init;
    init.arrivedNs = init.startedNs = init.doneNs = kStartNs + 100;
    putText(init.tag, sizeof init.tag, "barrier:init");
    CollectiveRecord late = init;
    late.arrivedNs += 50;
    commit(*store, 0, {AnyRecord::of(init)});
    commit(*store, 1, {AnyRecord::of(late)});
    auto reader = RunReader::open(storeIn(dir));
    const auto rows = reader->collectives(-1, -1, 10);
    QVERIFY(rows);
    QCOMPARE(rows->size(), std::size_t{2});
    QCOMPARE((*rows)[0].waitNs, 50);
    QCOMPARE((*rows)[0].holder, 1);
    QCOMPARE((*rows)[0].tag, std::string("barrier:init"));
    QCOMPARE((*rows)[0].arrivedNs, 100);
    QVERIFY(reader->series(Metric::WaitBarrier, 0, -5, 100, 10)->empty());
    QVERIFY(reader->waits(-1, 100)->empty());
    QCOMPARE((*reader->ranks())[0].waitedNs, 50);
}

void TestStoreWaits::ranksThatBeganAnew() {
    QTemporaryDir dir;
    auto store = RunWriter::open(storeIn(dir), meta(2));
    CollectiveRecord first;
    first.header.step = 0;
    first.arrivedNs = kStartNs + 100;
    CollectiveRecord second = first;
    second.header.step = 10;
    second.arrivedNs = kStartNs + 1'000'000;
    commit(*store, 0, {AnyRecord::of(first)}); // rank 1 died before it; then both were restarted
    commit(*store, 0, {AnyRecord::of(AnchorRecord{})});
    commit(*store, 1, {AnyRecord::of(AnchorRecord{}), AnyRecord::of(second)});
    commit(*store, 0, {AnyRecord::of(second)});
    auto reader = RunReader::open(storeIn(dir));
    QCOMPARE((*reader->ranks())[0].waitedNs, 0);

    // the same if the writer was restarted, too
    CollectiveRecord left = first;
    left.sequence = 5;
    commit(*store, 0, {AnyRecord::of(left)});
    AnchorRecord anchor;
    anchor.monotonicNs = left.arrivedNs + 1;
    commit(*store, 0, {AnyRecord::of(anchor)});
    auto again = RunWriter::reopen(storeIn(dir));
    QVERIFY(again);
    CollectiveRecord late = second;
    late.sequence = 5;
    commit(*again, 1, {AnyRecord::of(late)});
    QCOMPARE((*reader->ranks())[0].waitedNs, 0);
    commit(*again, 0, {AnyRecord::of(late)});
    QCOMPARE((*reader->ranks())[0].waitedNs, 0);
    QCOMPARE(reader->collectives(10, 10, 10)->back().waitNs, 0);
}

/// An anchor with the times of the one before is of the same process, whose collectives stay open.
void TestStoreWaits::ranksThatSayMoreAboutThemselves() {
    QTemporaryDir dir;
    auto store = RunWriter::open(storeIn(dir), meta(2));
    AnchorRecord anchor;
    anchor.monotonicNs = kStartNs;
    anchor.header.timeNs = kStartNs;
    CollectiveRecord entered;
    entered.header.step = 0;
    entered.arrivedNs = kStartNs + 100;
    commit(*store, 0, {AnyRecord::of(anchor), AnyRecord::of(entered), AnyRecord::of(anchor)});
    auto again = RunWriter::reopen(storeIn(dir));
    QVERIFY(again);
    putText(anchor.device, sizeof anchor.device, "cuda:0");
    commit(*again, 0, {AnyRecord::of(anchor)});
    entered.arrivedNs += 50;
    commit(*again, 1, {AnyRecord::of(anchor), AnyRecord::of(entered)});
    auto reader = RunReader::open(storeIn(dir));
    QCOMPARE((*reader->ranks())[0].waitedNs, 50);
    QCOMPARE((*reader->ranks())[0].device, std::string("cuda:0"));
}

/// Sums from an older version remain marked as sums, even if this version continues the store.
void TestStoreWaits::whatAnOlderVersionBeganIsMarked() {
    QTemporaryDir dir;
    QVERIFY(RunWriter::open(storeIn(dir), meta(2)));
    QVERIFY(!take(RunReader::open(storeIn(dir))).meta().waitsAreSums);
    {
        auto db = take(Database::open(storeIn(dir), OpenMode::ReadWrite));
        QVERIFY(db.execute("DELETE FROM meta WHERE key='waits_counted_once'"));
    }
    for (int writers = 0; writers < 2; ++writers) {
        auto reader = take(RunReader::open(storeIn(dir)));
        QVERIFY(reader.meta().waitsAreSums);
        QVERIFY(take(reader.explainWaits({0, 10})).estimatesAreSums);
        QVERIFY(RunWriter::open(storeIn(dir), meta(2)));
    }
}

void TestStoreWaits::aRepeatedCommitCountsOnce() {
    QTemporaryDir dir;
    Options options;
    options.steps = 10;
    const Stream stream = makeStream(options);
    auto store = RunWriter::open(storeIn(dir), meta(2));
    for (int twice = 0; twice < 2; ++twice)
        for (int r = 0; r < 2; ++r) {
            const auto c = chunk(stream, r, 0, stream.ranks[0].size());
            QVERIFY(store->commit({&c, 1}, {}));
        }
    QVERIFY(store->finish());
    compareWaits(storeIn(dir), stream, 2, 10);
    QCOMPARE(counter(storeIn(dir), "records"), static_cast<std::int64_t>(2 * stream.ranks[0].size()));
    QVERIFY(!store->position(2));
    const auto wrong = chunk(stream, 1, 0, 1);
    RunWriter::Chunk stranger = wrong;
    stranger.rank = 2;
    QCOMPARE(store->commit({&stranger, 1}, {}).error().code, Errc::BadInput);
}

RANKSCOPE_TEST(TestStoreWaits)
#include "tst_store_waits.moc"
