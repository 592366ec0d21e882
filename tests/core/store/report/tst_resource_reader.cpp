// SPDX-License-Identifier: Apache-2.0
#include "core/store/report/resource_reader.h"
#include "tests/core/store/synthetic.h"
#include "tests/support/test_runner.h"

#include <QTemporaryDir>
#include <QTest>

using namespace rankscope;
using namespace rankscope::store;
using namespace synthetic;

static constexpr std::int64_t kSecond = 1'000'000'000;

static AnyRecord resource(std::int64_t second, std::int64_t rss, std::int64_t cpuNs, std::int64_t gpu = -1,
                          int percent = -1) {
    telemetry::ResourceRecord record;
    record.header.timeNs = kStartNs + second * kSecond;
    record.header.step = second;
    record.rssBytes = rss;
    record.cpuNs = cpuNs;
    record.gpuUsedBytes = gpu;
    record.gpuUtilisation = percent;
    return AnyRecord::of(record);
}

class TestResourceReader : public QObject {
    Q_OBJECT
    std::unique_ptr<QTemporaryDir> m_dir;

    std::filesystem::path file() const { return m_dir->filePath("run.sqlite").toStdString(); }
    void write(const std::vector<AnyRecord>& records, const std::vector<FactRow>& facts = {}) const {
        auto store = RunWriter::open(file(), meta(2));
        QVERIFY(store);
        RunWriter::Chunk chunk{1, records, {0, records.size()}, {}};
        QVERIFY(store->commit(std::vector{chunk}, {}));
        QVERIFY(store->facts(facts));
    }

private Q_SLOTS:
    void init() { m_dir = std::make_unique<QTemporaryDir>(); }

    void memoryByTimeAndRank() {
        write({resource(1, 100, 0), resource(2, 300, 0), resource(3, 200, 0)});
        auto reader = ResourceReader::open(file());
        QVERIFY(reader);
        const auto points = take(reader->series(Resource::Memory, 1, 0, 10 * kSecond, 100));
        QCOMPARE(points.size(), std::size_t(3));
        QCOMPARE(points[1].mean, 300.0);
        QCOMPARE(points[1].beginNs, 2 * kSecond);
        QVERIFY(take(reader->series(Resource::Memory, 0, 0, 10 * kSecond, 100)).empty());
        // a part of the time, with the point before it so that a line leads into it
        const auto part = take(reader->series(Resource::Memory, 1, 2 * kSecond + 1, 10 * kSecond, 100));
        QCOMPARE(part.size(), std::size_t(2));
        QCOMPARE(part[0].mean, 300.0);
    }
    void mergedPointsKeepTheirExtremes() {
        std::vector<AnyRecord> records;
        for (int i = 0; i < 1000; ++i)
            records.push_back(resource(i, i == 511 ? 9000 : 100, 0));
        write(records);
        auto reader = ResourceReader::open(file());
        const auto points = take(reader->series(Resource::Memory, 1, 0, 999 * kSecond, 20));
        QVERIFY(points.size() <= 21);
        std::int64_t count = 0;
        double most = 0;
        for (const auto& p : points) {
            count += p.count;
            most = std::max(most, p.max);
            QCOMPARE(p.min, 100.0);
        }
        QCOMPARE(count, std::int64_t(1000));
        QCOMPARE(most, 9000.0);
    }
    void cpuIsTimePerTime() {
        // 2.5 cores, then 0, then a process that was restarted
        write({resource(1, 1, 0), resource(3, 1, 5 * kSecond), resource(4, 1, 5 * kSecond), resource(5, 1, kSecond),
               resource(6, 1, 2 * kSecond)});
        auto reader = ResourceReader::open(file());
        const auto points = take(reader->series(Resource::Cpu, 1, 0, 10 * kSecond, 100));
        QCOMPARE(points.size(), std::size_t(3));
        QCOMPARE(points[0].mean, 2.5);
        QCOMPARE(points[0].beginNs, kSecond);
        QCOMPARE(points[0].endNs, 3 * kSecond);
        QCOMPARE(points[1].mean, 0.0);
        QCOMPARE(points[2].mean, 1.0);
        // also at the edge of a part: the record before it is looked up
        const auto part = take(reader->series(Resource::Cpu, 1, 2 * kSecond, 3 * kSecond, 100));
        QCOMPARE(part.size(), std::size_t(1));
        QCOMPARE(part[0].mean, 2.5);
    }
    void theSupervisorsFiguresCountToo() {
        FactRow fact{1, kStartNs + 4 * kSecond, {}};
        fact.view.rssBytes = 400;
        fact.view.gpuUsedBytes = 7000;
        const FactRow unknown{1, kStartNs + 5 * kSecond, {}};
        write({resource(1, 100, 0), resource(6, 600, 0)}, {fact, unknown});
        auto reader = ResourceReader::open(file());
        const auto memory = take(reader->series(Resource::Memory, 1, 0, 10 * kSecond, 100));
        QCOMPARE(memory.size(), std::size_t(3));
        QCOMPARE(memory[1].mean, 400.0);
        const auto gpu = take(reader->series(Resource::GpuMemory, 1, 0, 10 * kSecond, 100));
        QCOMPARE(gpu.size(), std::size_t(1));
        QCOMPARE(gpu[0].mean, 7000.0);
    }
    void whatWasNotMeasuredHasNoPoint() {
        write({resource(1, 100, 0), resource(2, 100, kSecond)});
        auto reader = ResourceReader::open(file());
        for (const auto kind : {Resource::GpuMemory, Resource::GpuUse}) {
            QVERIFY(take(reader->series(kind, 1, 0, 10 * kSecond, 100)).empty());
            QVERIFY(!take(reader->isRecorded(kind)));
        }
        QVERIFY(take(reader->isRecorded(Resource::Memory)));
        QVERIFY(take(reader->isRecorded(Resource::Cpu)));
    }
    void aGpuThatIsIdleIsRecorded() {
        write({resource(1, 100, 0, 0, 0), resource(2, 100, 0, 50, 90)});
        auto reader = ResourceReader::open(file());
        QCOMPARE(take(reader->series(Resource::GpuUse, 1, 0, 10 * kSecond, 100)).front().mean, 0.0);
        QCOMPARE(take(reader->series(Resource::GpuMemory, 1, 0, 10 * kSecond, 100)).back().mean, 50.0);
        QVERIFY(take(reader->isRecorded(Resource::GpuUse)));
    }
    void oddQuestions() {
        write({resource(1, 100, 0)});
        auto reader = ResourceReader::open(file());
        QVERIFY(take(reader->series(Resource::Memory, 1, 10, 5, 100)).empty());
        QCOMPARE(take(reader->series(Resource::Memory, 1, INT64_MIN, INT64_MAX, 0)).size(), std::size_t(1));
        QVERIFY(take(reader->series(Resource::Memory, -3, 0, 10 * kSecond, 10)).empty());
        QVERIFY(!ResourceReader::open(file().parent_path() / "none.sqlite"));
    }
};

RANKSCOPE_CORE_TEST(TestResourceReader)
#include "tst_resource_reader.moc"
