// SPDX-License-Identifier: Apache-2.0
#include "core/telemetry/journal/journal_reader.h"
#include "core/telemetry/journal/journal_writer.h"
#include "core/trainer/distributed/observe/collective_log.h"
#include "tests/support/test_runner.h"

#include <QTemporaryDir>
#include <QTest>

#include <filesystem>
#include <thread>
#include <vector>

using namespace rankscope;
using namespace rankscope::trainer;
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
    CollectiveFlight& issue(CollectiveOp op = CollectiveOp::AllReduce, std::int64_t count = 1) {
        auto& flight = log->enter(op, 6, count);
        log->started(flight);
        return flight;
    }
};

} // namespace

class TestCollectiveLog : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void innermostTagCounts() {
        Bench bench;
        bench.log->done(bench.issue(), false);
        {
            const CollectiveTag outer("broadcast:parameters");
            {
                const CollectiveTag inner("gradient", std::size_t{12});
                bench.log->done(bench.issue(), false);
            }
            bench.log->done(bench.issue(), false);
        }
        const auto records = bench.records();
        QCOMPARE(records.size(), std::size_t{3});
        QCOMPARE(tagOf(records[0]), std::string("untagged"));
        QCOMPARE(tagOf(records[1]), std::string("gradient:12"));
        QCOMPARE(tagOf(records[2]), std::string("broadcast:parameters"));
    }

    void longTagIsCut() {
        Bench bench;
        const CollectiveTag tag("sync_batchnorm", std::string(200, 'x'));
        bench.log->done(bench.issue(), false);
        QCOMPARE(tagOf(bench.records().at(0)), "sync_batchnorm:" + std::string(48, 'x'));
    }

    void boardShowsWhatIsOpen() {
        Bench bench;
        auto& first = bench.issue(CollectiveOp::AllGather, 42);
        auto shown = bench.shown();
        QVERIFY(shown.open());
        QCOMPARE(shown.sequence, std::uint64_t{0});
        QCOMPARE(shown.op, CollectiveOp::AllGather);
        QCOMPARE(shown.count, std::int64_t{42});
        auto& second = bench.issue();
        bench.log->done(second, false); // out of order: the first is still open
        QCOMPARE(bench.shown().done, std::uint64_t{0});
        bench.log->done(first, false);
        shown = bench.shown();
        QCOMPARE(shown.done, std::uint64_t{2});
        QVERIFY(!shown.open());
    }

    void recordWaitsForExposure() {
        Bench bench;
        CollectiveTag tag("gradient", std::size_t{1}, CollectiveTag::Exposure::Kept);
        auto& flight = bench.issue();
        QVERIFY(bool(tag.exposure()));
        bench.log->done(flight, false);
        QCOMPARE(bench.records().size(), std::size_t{0});
        QCOMPARE(bench.shown().done, std::uint64_t{1}); // the board is updated immediately
        tag.exposure().close(777);
        const auto records = bench.records();
        QCOMPARE(records.size(), std::size_t{1});
        QCOMPARE(records[0].exposedNs, std::int64_t{777});
    }

    void onlyTheFirstUnderATagKeepsItsExposure() {
        Bench bench;
        {
            CollectiveTag tag("metrics", CollectiveTag::Exposure::Kept);
            bench.log->done(bench.issue(), false);
            bench.log->done(bench.issue(), false);
            QCOMPARE(bench.records().size(), std::size_t{1});
        } // the exposure was never measured
        const auto records = bench.records();
        QCOMPARE(records.size(), std::size_t{2});
        QCOMPARE(records[1].sequence, std::uint64_t{0});
        QCOMPARE(records[1].exposedNs, std::int64_t{-1});
    }

    void failureIsKept() {
        Bench bench;
        const CollectiveTag tag("gradient", std::size_t{3});
        bench.log->done(bench.issue(), true, "Connection closed by peer");
        bench.log->done(bench.issue(), true, "later");
        QCOMPARE(int(bench.records().at(0).failed), 1);
        QCOMPARE(bench.log->failure()->sentence().english(),
                 std::string("all-reduce 0 (gradient:3) failed: Connection closed by peer"));
    }

    void stepAndPhaseOfArrival() {
        Bench bench;
        bench.telemetry->beginStep(41, 2);
        bench.telemetry->phase(telemetry::Phase::Backward);
        auto& flight = bench.issue();
        bench.telemetry->phase(telemetry::Phase::Optimizer);
        bench.log->done(flight, false);
        const auto record = bench.records().at(0);
        QCOMPARE(record.header.step, std::int64_t{41});
        QCOMPARE(record.phase, telemetry::Phase::Backward);
        QVERIFY(record.arrivedNs <= record.startedNs && record.startedNs <= record.doneNs);
    }

    // Completions come from other threads and out of order while new collectives are issued: none is lost, and slots
    // are reused only after their record was copied.
    void manyFromManyThreads() {
        Bench bench;
        constexpr std::uint64_t kCount = 3 * CollectiveLog::kInFlight;
        std::vector<std::thread> workers;
        std::atomic<CollectiveFlight*> handed[2]{};
        std::atomic<bool> over{false};
        for (auto& slot : handed) {
            workers.emplace_back([&] {
                while (!over || slot.load()) {
                    if (auto* flight = slot.exchange(nullptr)) {
                        bench.log->done(*flight, false);
                    }
                    std::this_thread::yield();
                }
            });
        }
        for (std::uint64_t i = 0; i < kCount; ++i) {
            auto& flight = bench.log->enter(CollectiveOp::AllReduce, 6, static_cast<std::int64_t>(i));
            bench.log->started(flight);
            CollectiveFlight* empty = nullptr;
            while (!handed[i % 2].compare_exchange_weak(empty, &flight)) {
                empty = nullptr;
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
