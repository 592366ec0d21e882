// SPDX-License-Identifier: Apache-2.0
#include "tests/core/store/synthetic.h"
#include "tests/support/test_runner.h"

#include <QTemporaryDir>
#include <QTest>

using namespace rankscope;
using namespace rankscope::store;
using namespace synthetic;

class TestFactRows : public QObject {
    Q_OBJECT
    std::unique_ptr<QTemporaryDir> m_dir;

    std::filesystem::path file() const { return m_dir->filePath("run.sqlite").toStdString(); }
    static StackRow row(std::int64_t incident, int rank, const char* role, int thread, int place) {
        return {incident, rank,      role,   kStartNs + 2'000'000'000,         thread,
                place,    "trainer", "runs", "a()+0x1 (x.so)\nb()+0x2 (x.so)", "remark"};
    }

private Q_SLOTS:
    void init() { m_dir = std::make_unique<QTemporaryDir>(); }

    void stacksComeBackInOrder() {
        auto store = RunWriter::open(file(), meta(4));
        QVERIFY(store);
        QVERIFY(store->stacks(std::vector{row(2, 0, "waiter", 10, 0), row(2, 3, "holder", 31, 1),
                                          row(2, 3, "holder", 40, 0), row(1, 1, "holder", 0, 0)}));
        auto reader = RunReader::open(file());
        const auto all = reader->stacks();
        QVERIFY(all);
        QCOMPARE(all->size(), std::size_t(4));
        const auto& first = all->at(0);
        QCOMPARE(first.incident, std::int64_t(1));
        QCOMPARE(first.thread, 0);
        QCOMPARE(all->at(1).thread, 40);
        QCOMPARE(all->at(2).thread, 31);
        QCOMPARE(all->at(3).role, std::string("waiter"));
        QCOMPARE(all->at(1).takenNs, std::int64_t(2'000'000'000));
        QCOMPARE(all->at(1).frames, std::string("a()+0x1 (x.so)\nb()+0x2 (x.so)"));
        QCOMPARE(all->at(1).name, std::string("trainer"));
        QCOMPARE(all->at(1).doing, std::string("runs"));
        QCOMPARE(all->at(1).remark, std::string("remark"));
        QCOMPARE(reader->stacks(1)->size(), std::size_t(1));
        QVERIFY(reader->stacks(7)->empty());
    }
    void takenAgainReplaces() {
        auto store = RunWriter::open(file(), meta(2));
        auto one = row(1, 0, "holder", 5, 0);
        QVERIFY(store->stacks(std::vector{one}));
        one.frames = "c()";
        QVERIFY(store->stacks(std::vector{one}));
        auto reader = RunReader::open(file());
        QCOMPARE(reader->stacks()->size(), std::size_t(1));
        QCOMPARE(reader->stacks()->front().frames, std::string("c()"));
    }
    void theNewestIncidentsKeepTheirs() {
        auto store = RunWriter::open(file(), meta(2));
        for (int i = 1; i <= 205; ++i)
            QVERIFY(store->stacks(std::vector{row(i, 0, "holder", 5, 0), row(i, 0, "holder", 6, 1)}));
        auto reader = RunReader::open(file());
        QCOMPARE(reader->stacks()->size(), std::size_t(400));
        QCOMPARE(reader->stacks()->front().incident, std::int64_t(6));
        for (const auto& counter : take(reader->counters()))
            if (counter.name == "thinned_stacks")
                QCOMPARE(counter.value, std::int64_t(10));
    }
    void factsAndWhatIsUnknown() {
        auto store = RunWriter::open(file(), meta(2));
        FactRow known{1, kStartNs + 10, {}}, unknown{1, kStartNs + 20, {}};
        known.view = {1.5, 0.25, 100, 5, 2.5, 7.5, 60, 90, 11, 22, 0.5, 70.5, "power limit"};
        QVERIFY(store->facts(std::vector{known, unknown}));
        auto reader = RunReader::open(file());
        const auto rows = reader->facts(1, 0, 100, 10);
        QVERIFY(rows && rows->size() == 2);
        const auto& a = rows->front().view;
        QCOMPARE(rows->front().timeNs, std::int64_t(10));
        QCOMPARE(a.cpuShare, 1.5);
        QCOMPARE(a.cpuThrottledShare, 0.25);
        QCOMPARE(a.rssBytes, std::int64_t(100));
        QCOMPARE(a.swapBytes, std::int64_t(5));
        QCOMPARE(a.majorFaultsPerSecond, 2.5);
        QCOMPARE(a.writeBytesPerSecond, 7.5);
        QCOMPARE(a.memoryUsedBytes, std::int64_t(60));
        QCOMPARE(a.memoryLimitBytes, std::int64_t(90));
        QCOMPARE(a.gpuUsedBytes, std::int64_t(11));
        QCOMPARE(a.gpuTotalBytes, std::int64_t(22));
        QCOMPARE(a.gpuClockShare, 0.5);
        QCOMPARE(a.gpuTemperature, 70.5);
        QCOMPARE(a.gpuThrottle, std::string("power limit"));
        const auto& b = rows->back().view;
        QCOMPARE(b.cpuShare, -1.0);
        QCOMPARE(b.rssBytes, std::int64_t(-1));
        QCOMPARE(b.gpuTemperature, -1.0);
        QVERIFY(b.gpuThrottle.empty());
        QCOMPARE(reader->facts(1, 15, 100, 10)->size(), std::size_t(1));
        QCOMPARE(reader->facts(1, 0, 100, 1)->size(), std::size_t(1));
        QVERIFY(reader->facts(0, 0, 100, 10)->empty());
    }
    void memoryOfEachRank() {
        auto store = RunWriter::open(file(), meta(2));
        Options options;
        options.steps = 20;
        QVERIFY(commitAll(*store, makeStream(options), 1));
        FactRow early{0, kStartNs + 10, {}}, late{0, kStartNs + 20, {}};
        early.view.rssBytes = 900;
        early.view.gpuUsedBytes = 70;
        late.view.rssBytes = 300;
        late.view.gpuUsedBytes = 50;
        late.view.gpuTotalBytes = 80;
        late.view.memoryUsedBytes = 4000;
        late.view.memoryLimitBytes = 5000;
        QVERIFY(store->facts(std::vector{early, late}));
        auto reader = RunReader::open(file());
        const auto memory = reader->memory();
        QVERIFY(memory && memory->size() == 2);
        const auto& m = memory->front();
        QCOMPARE(m.rssBytes, std::int64_t(300));
        QCOMPARE(m.gpuBytes, std::int64_t(50));
        QCOMPARE(m.gpuTotalBytes, std::int64_t(80));
        QCOMPARE(m.groupUsedBytes, std::int64_t(4000));
        QCOMPARE(m.groupLimitBytes, std::int64_t(5000));
        QVERIFY(m.mostRssBytes >= 900);
        QCOMPARE(m.mostGpuBytes, std::int64_t(70));
        QCOMPARE(memory->back().rssBytes, std::int64_t(-1));
    }
    void mostMemoryOfARunThatGoesOn() {
        auto store = RunWriter::open(file(), meta(2));
        auto reader = RunReader::open(file());
        QCOMPARE(*reader->mostRssBytes(), std::int64_t(-1));
        const auto measured = [&](int rank, std::int64_t atNs, std::int64_t bytes) {
            FactRow row{rank, kStartNs + atNs, {}};
            row.view.rssBytes = bytes;
            return store->facts(std::vector{row}) && reader->mostRssBytes();
        };
        QVERIFY(measured(0, 10, 900));
        QCOMPARE(*reader->mostRssBytes(), std::int64_t(900));
        QVERIFY(measured(1, 20, 700));
        QVERIFY(measured(0, 20, 300));
        QCOMPARE(*reader->mostRssBytes(), std::int64_t(900));
        QVERIFY(measured(1, 30, 1500));
        QCOMPARE(*reader->mostRssBytes(), std::int64_t(1500));
        QCOMPARE(*RunReader::open(file())->mostRssBytes(), std::int64_t(1500));
    }
};

RANKSCOPE_CORE_TEST(TestFactRows)
#include "tst_stack_and_usage_rows.moc"
