// SPDX-License-Identifier: Apache-2.0
#include "core/telemetry/journal/journal_reader.h"
#include "core/trainer/distributed/observe/collective_tag.h"
#include "tests/support/test_runner.h"

#include <QTemporaryDir>
#include <QTest>

#include <filesystem>
#include <vector>

using namespace rankscope;
using namespace rankscope::trainer;
using telemetry::CollectiveRecord;

namespace {

/// A log that writes to a temporary folder.
struct TaggedLog {
    QTemporaryDir dir;
    std::filesystem::path path = dir.path().toStdString();
    std::shared_ptr<observer::RankTelemetry> telemetry = std::make_shared<observer::RankTelemetry>(
        telemetry::BoardWriter::create(path / "board").value(), telemetry::JournalWriter::create(path).value());
    observer::CollectiveLog log{0, telemetry};

    void run() {
        const auto handle = CollectiveTag::enter(log, {});
        log.started(handle);
        log.done(handle, false);
    }
    std::vector<CollectiveRecord> records() const {
        telemetry::JournalReader reader(path);
        std::vector<telemetry::AnyRecord> all;
        reader.read(all, 1000, false);
        std::vector<CollectiveRecord> found;
        for (const auto& any : all) {
            if (const auto* record = any.as<CollectiveRecord>()) {
                found.push_back(*record);
            }
        }
        return found;
    }
    std::string tag(std::size_t index) const {
        const auto record = records().at(index);
        return std::string(telemetry::getText(record.tag, sizeof record.tag));
    }
};

} // namespace

class TestCollectiveTag : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void innermostTagCounts() {
        TaggedLog bench;
        bench.run();
        {
            const CollectiveTag outer("broadcast:parameters");
            {
                const CollectiveTag inner("gradient", std::size_t{12});
                bench.run();
            }
            bench.run();
        }
        QCOMPARE(bench.tag(0), std::string("untagged"));
        QCOMPARE(bench.tag(1), std::string("gradient:12"));
        QCOMPARE(bench.tag(2), std::string("broadcast:parameters"));
    }

    void longTagIsCut() {
        TaggedLog bench;
        const CollectiveTag tag("sync_batchnorm", std::string(200, 'x'));
        bench.run();
        QCOMPARE(bench.tag(0), "sync_batchnorm:" + std::string(48, 'x'));
    }

    void recordWaitsForExposure() {
        TaggedLog bench;
        CollectiveTag tag("gradient", std::size_t{1}, CollectiveTag::Exposure::Kept);
        bench.run();
        QVERIFY(bool(tag.exposure()));
        QCOMPARE(bench.records().size(), std::size_t{0});
        tag.exposure().close(777);
        const auto records = bench.records();
        QCOMPARE(records.size(), std::size_t{1});
        QCOMPARE(records[0].exposedNs, std::int64_t{777});
    }

    void onlyTheFirstUnderATagKeepsItsExposure() {
        TaggedLog bench;
        {
            CollectiveTag tag("metrics", CollectiveTag::Exposure::Kept);
            bench.run();
            bench.run();
            QCOMPARE(bench.records().size(), std::size_t{1});
        } // the exposure was never measured
        const auto records = bench.records();
        QCOMPARE(records.size(), std::size_t{2});
        QCOMPARE(records[1].sequence, std::uint64_t{0});
        QCOMPARE(records[1].exposedNs, std::int64_t{-1});
    }

    void releasedExposureIsReportedByAnother() {
        TaggedLog bench;
        observer::CollectiveHandle handle = 0;
        {
            CollectiveTag tag("gradient", std::size_t{0}, CollectiveTag::Exposure::Kept);
            bench.run();
            handle = tag.exposure().release();
        }
        QVERIFY(handle != 0);
        QCOMPARE(bench.records().size(), std::size_t{0});
        bench.log.exposed(handle, 42);
        QCOMPARE(bench.records().at(0).exposedNs, std::int64_t{42});
    }
};

RANKSCOPE_TEST(TestCollectiveTag)
#include "tst_collective_tag.moc"
