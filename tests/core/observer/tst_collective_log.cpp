// SPDX-License-Identifier: Apache-2.0
#include "core/observer/collective_log.h"
#include "core/observer/gradient_exposure.h"
#include "core/telemetry/journal/journal_reader.h"
#include "core/telemetry/journal/journal_writer.h"
#include "tests/support/test_runner.h"

#include <QTemporaryDir>
#include <QTest>

#include <filesystem>
#include <thread>
#include <vector>

using namespace rankscope;
using namespace rankscope::observer;
using telemetry::CollectiveOp;
using telemetry::CollectiveRecord;

namespace {

std::string tagOf(const CollectiveRecord& record) {
    return std::string(telemetry::getText(record.tag, sizeof record.tag));
}

/// A log with a real board and journal in a temporary folder.
struct Bench {
    QTemporaryDir dir;
    std::filesystem::path path = dir.path().toStdString();
    std::shared_ptr<RankTelemetry> telemetry = std::make_shared<RankTelemetry>(
        telemetry::BoardWriter::create(path / "board").value(), telemetry::JournalWriter::create(path).value());
    std::unique_ptr<CollectiveLog> log = std::make_unique<CollectiveLog>(0, telemetry);

    std::vector<CollectiveRecord> records() const {
        telemetry::JournalReader reader(path);
        std::vector<telemetry::AnyRecord> all;
        reader.read(all, 100'000, false);
        std::vector<CollectiveRecord> found;
        for (const auto& any : all) {
            if (const auto* record = any.as<CollectiveRecord>()) {
                found.push_back(*record);
            }
        }
        return found;
    }
    telemetry::BoardCollective shown() const {
        const auto reader = telemetry::BoardReader::open(path / "board");
        for (const auto& collective : reader->snapshot().collectives) {
            if (collective.used && collective.group == 0) {
                return collective;
            }
        }
        return {};
    }
    CollectiveHandle issue(CollectiveCall call = {.op = CollectiveOp::AllReduce, .dtype = 6, .count = 1}) {
        const CollectiveHandle handle = log->enter(call);
        log->started(handle);
        return handle;
    }
};

} // namespace

class TestCollectiveLog : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void tagIsKeptAndCut() {
        Bench bench;
        bench.log->done(bench.issue(), false);
        bench.log->done(bench.issue({.tag = "gradient:12"}), false);
        bench.log->done(bench.issue({.tag = std::string(200, 'x')}), false);
        const auto records = bench.records();
        QCOMPARE(records.size(), std::size_t{3});
        QCOMPARE(tagOf(records[0]), std::string("untagged"));
        QCOMPARE(tagOf(records[1]), std::string("gradient:12"));
        QCOMPARE(tagOf(records[2]), std::string(63, 'x'));
    }

    void boardShowsWhatIsOpen() {
        Bench bench;
        const auto first = bench.issue({.op = CollectiveOp::AllGather, .count = 42});
        auto shown = bench.shown();
        QVERIFY(shown.open());
        QCOMPARE(shown.sequence, std::uint64_t{0});
        QCOMPARE(shown.op, CollectiveOp::AllGather);
        QCOMPARE(shown.count, std::int64_t{42});
        const auto second = bench.issue();
        bench.log->done(second, false); // out of order: the first is still open
        QCOMPARE(bench.shown().done, std::uint64_t{0});
        bench.log->done(first, false);
        shown = bench.shown();
        QCOMPARE(shown.done, std::uint64_t{2});
        QVERIFY(!shown.open());
    }

    void recordWaitsForExposure() {
        Bench bench;
        const auto handle = bench.issue({.measuresExposure = true});
        bench.log->done(handle, false);
        QCOMPARE(bench.records().size(), std::size_t{0});
        QCOMPARE(bench.shown().done, std::uint64_t{1}); // the board is updated immediately
        bench.log->exposed(handle, 777);
        const auto records = bench.records();
        QCOMPARE(records.size(), std::size_t{1});
        QCOMPARE(records[0].exposedNs, std::int64_t{777});
    }

    void everythingIsReportedOnce() {
        Bench bench;
        const auto first = bench.issue();
        bench.log->done(first, false);
        const auto second = bench.issue();
        bench.log->started(first); // all three belong to a collective that is complete
        bench.log->done(first, true);
        bench.log->exposed(first, 5);
        bench.log->exposed(second, 5); // not asked for
        bench.log->done(second, false);
        const auto records = bench.records();
        QCOMPARE(records.size(), std::size_t{2});
        for (std::size_t i = 0; i < records.size(); ++i) {
            QCOMPARE(records[i].sequence, std::uint64_t{i});
            QCOMPARE(int(records[i].failed), 0);
            QCOMPARE(records[i].exposedNs, std::int64_t{-1});
        }
    }

    void blockingCollectivesShareTheirTime() {
        Bench bench;
        const auto first = bench.issue({.op = CollectiveOp::Broadcast, .blocking = true});
        const auto second = bench.issue({.op = CollectiveOp::Broadcast, .blocking = true});
        std::this_thread::sleep_for(std::chrono::milliseconds(20));
        bench.log->done(first, false);
        bench.log->done(second, false);
        const auto records = bench.records();
        QCOMPARE(records.size(), std::size_t{2});
        QCOMPARE(records[0].exposedNs, records[0].doneNs - records[0].arrivedNs);
        QCOMPARE(records[1].exposedNs, records[1].doneNs - records[0].doneNs);
    }

    void onlyTheLastBucketIsExposed() {
        Bench bench;
        GradientExposure exposure(*bench.telemetry);
        QCOMPARE(exposure.finish(), std::int64_t{0}); // no bucket
        std::vector<CollectiveHandle> buckets;
        for (int i = 0; i < 3; ++i) {
            buckets.push_back(bench.issue({.measuresExposure = true}));
            exposure.entered(buckets.back());
        }
        for (const auto bucket : buckets) {
            bench.log->done(bucket, false);
        }
        std::this_thread::sleep_for(std::chrono::milliseconds(2)); // backward computes something else
        const std::int64_t exposed = exposure.finish();
        const auto records = bench.records();
        QCOMPARE(records.size(), std::size_t{3});
        QCOMPARE(records[0].exposedNs, std::int64_t{-1});
        QCOMPARE(records[1].exposedNs, std::int64_t{-1});
        QCOMPARE(records[2].exposedNs, exposed);
        QCOMPARE(exposed, records[2].doneNs - records[2].arrivedNs);
        QCOMPARE(exposure.finish(), std::int64_t{0});
    }

    void aFullTableLosesRecordsAndCountsThem() {
        Bench bench;
        std::vector<CollectiveHandle> open;
        for (std::size_t i = 0; i < OpenCollectives::kMost; ++i) {
            open.push_back(bench.issue());
        }
        QCOMPARE(bench.issue(), CollectiveHandle{0});
        QCOMPARE(bench.telemetry->dropped(), std::uint64_t{1});
        for (const auto handle : open) {
            bench.log->done(handle, false);
        }
        const auto after = bench.issue();
        QVERIFY(after != 0);
        bench.log->done(after, false);
        QCOMPARE(bench.records().back().sequence,
                 std::uint64_t{OpenCollectives::kMost + 1}); // the lost one has its number
        QCOMPARE(bench.shown().done, std::uint64_t{OpenCollectives::kMost + 2});
    }

    void anEndThatNeverComesDoesNotHoldTheBoard() {
        Bench bench;
        bench.issue();
        constexpr std::uint64_t kLater = 5000;
        for (std::uint64_t i = 0; i < kLater; ++i) {
            bench.log->done(bench.issue(), false);
        }
        QCOMPARE(bench.shown().done, kLater + 1);
    }

    void failureIsKept() {
        Bench bench;
        bench.log->done(bench.issue({.op = CollectiveOp::AllReduce, .tag = "gradient:3"}), true,
                        "Connection closed by peer");
        bench.log->done(bench.issue(), true, "later");
        QCOMPARE(int(bench.records().at(0).failed), 1);
        QCOMPARE(bench.log->failure()->sentence().english(),
                 std::string("all-reduce 0 (gradient:3) failed: Connection closed by peer"));
    }

    void stepAndPhaseOfArrival() {
        Bench bench;
        bench.telemetry->beginStep(41, 2);
        bench.telemetry->phase(telemetry::Phase::Backward);
        const auto handle = bench.issue();
        bench.telemetry->phase(telemetry::Phase::Optimizer);
        bench.log->done(handle, false);
        const auto record = bench.records().at(0);
        QCOMPARE(record.header.step, std::int64_t{41});
        QCOMPARE(record.phase, telemetry::Phase::Backward);
        QVERIFY(record.arrivedNs <= record.startedNs && record.startedNs <= record.doneNs);
    }

    // Completions come from other threads and out of order while new collectives are issued: none is lost, and slots
    // are reused only after their record was copied.
    void manyFromManyThreads() {
        Bench bench;
        constexpr std::uint64_t kCount = 3 * OpenCollectives::kMost;
        std::vector<std::thread> workers;
        std::atomic<CollectiveHandle> handed[2]{};
        std::atomic<bool> over{false};
        for (auto& slot : handed) {
            workers.emplace_back([&] {
                while (!over || slot.load() != 0) {
                    if (const auto handle = slot.exchange(0); handle != 0) {
                        bench.log->done(handle, false);
                    }
                    std::this_thread::yield();
                }
            });
        }
        for (std::uint64_t i = 0; i < kCount; ++i) {
            const auto handle = bench.issue({.op = CollectiveOp::AllReduce, .count = static_cast<std::int64_t>(i)});
            CollectiveHandle empty = 0;
            while (!handed[i % 2].compare_exchange_weak(empty, handle)) {
                empty = 0;
                std::this_thread::yield();
            }
        }
        over = true;
        for (auto& worker : workers) {
            worker.join();
        }
        const auto records = bench.records();
        QCOMPARE(records.size() + bench.telemetry->journal().dropped(), kCount);
        for (const auto& record : records) {
            QCOMPARE(record.count, static_cast<std::int64_t>(record.sequence));
        }
        QCOMPARE(bench.shown().done, kCount);
    }
};

RANKSCOPE_TEST(TestCollectiveLog)
#include "tst_collective_log.moc"
