// SPDX-License-Identifier: Apache-2.0
// What `rankscopectl plan` predicts is what a run of two ranks then records: collectives of a step by tag, with calls
// and bytes; batches and utterances of each rank; parameters.
#include "tests/acceptance/trained_run.h"
#include "tests/support/test_runner.h"

#include <QJsonDocument>
#include <QJsonObject>
#include <QJsonValue>
#include <QTest>

#include <map>
#include <set>

using namespace rankscope;
using namespace rankscope::test;

namespace {

struct Sum {
    std::int64_t calls = 0, bytes = 0;
    bool operator==(const Sum&) const = default;
};
using Sums = std::map<std::string, Sum>; // by tag and operation

const std::map<QString, int> kWidths{{"float32", 4}, {"int64", 8}, {"int32", 4}, {"bfloat16", 2}, {"float16", 2}};

} // namespace

class AcceptPlan : public QObject {
    Q_OBJECT

    /// Runs `plan CONFIG …` with the arguments of `launch CONFIG …`.
    static QJsonObject planOf(const TestRun& run, const RunOptions& options) {
        QStringList args = run.launchArgs(options);
        args[0] = "plan";
        const auto runs = args.indexOf("--runs");
        args.removeAt(runs + 1);
        args.removeAt(runs);
        const Outcome o = ctl(args << "--json", 60'000);
        if (o.exitCode != 0)
            qFatal("%s", o.err.constData());
        return QJsonDocument::fromJson(o.out).object();
    }

    static Sums planned(const QJsonObject& plan) {
        Sums sums;
        for (const QJsonValue& value : plan["collectives"].toArray()) {
            const QJsonObject c = value.toObject();
            Sum& sum = sums[(c["tag"].toString() + " " + c["op"].toString()).toStdString()];
            sum.calls += c["calls"].toInt();
            sum.bytes += c["bytes"].toInt() / kWidths.at(c["dtype"].toString()); // in elements, as in the store
        }
        return sums;
    }

    /// Returns what one rank recorded in a step.
    static Sums recorded(store::RunReader& reader, int rank, std::int64_t step) {
        const auto rows = reader.collectives(step, step, 10'000);
        if (!rows)
            qFatal("%s", rows.error().message().c_str());
        Sums sums;
        for (const auto& row : *rows) {
            if (row.rank != rank || row.step != step || row.tag.starts_with("check") || row.tag == "ddp:bucket_order")
                continue; // collectives of the start, of a checkpoint and of the end
            std::string tag = row.tag;
            for (const char* numbered : {"gradient", "sync_batchnorm"})
                if (tag.starts_with(std::string(numbered) + ":"))
                    tag = numbered;
            Sum& sum = sums[tag + " " + std::string(telemetry::opName(row.op))];
            ++sum.calls;
            sum.bytes += row.count;
        }
        return sums;
    }

private Q_SLOTS:
    void collectivesOfAStep_data() {
        QTest::addColumn<QStringList>("more");
        QTest::newRow("as the quickstart") << QStringList{};
        QTest::newRow("many buckets") << QStringList{"+rankscope.ddp.bucket_cap_mb=0.1"};
        QTest::newRow("no SyncBN, accumulated")
            << QStringList{"trainer.sync_batchnorm=false", "trainer.accumulate_grad_batches=2"};
        QTest::newRow("unused parameters, timed sync")
            << QStringList{"trainer.strategy=ddp_find_unused_parameters_true", "+rankscope.ddp.bucket_cap_mb=0.3",
                           "+rankscope.length_sync.timeout_s=20"};
        QTest::newRow("no sync, bf16 hook")
            << QStringList{"model.encoder.sync_max_audio_length=false", "+rankscope.ddp.comm_hook=bf16_compress_hook"};
    }
    void collectivesOfAStep() {
        QFETCH(QStringList, more);
        TestRun run;
        RunOptions o;
        o.manifest = toneManifest(run.dir(), 24, {1.5, 3.0, 2.0});
        o.steps = 4;
        o.more = more + QStringList{"~model.validation_ds"};
        const QJsonObject plan = planOf(run, o);
        const Outcome outcome = run.launch(o);
        QVERIFY2(outcome.exitCode == 0, outcome.err.constData());
        auto reader = run.reader();
        const Sums expected = planned(plan);
        for (int rank = 0; rank < 2; ++rank) {
            const Sums found = recorded(reader, rank, 2);
            for (const auto& [tag, sum] : expected) {
                const auto at = found.find(tag);
                QVERIFY2(at != found.end(), tag.c_str());
                QVERIFY2(at->second == sum, qPrintable(QString("%1: planned %2 calls, %3 elements; recorded %4, %5")
                                                           .arg(tag.c_str())
                                                           .arg(sum.calls)
                                                           .arg(sum.bytes)
                                                           .arg(at->second.calls)
                                                           .arg(at->second.bytes)));
            }
            for (const auto& [tag, sum] : found)
                QVERIFY2(expected.count(tag) == 1, tag.c_str());
        }
    }

    /// Epochs have as many steps as planned, and batches as many utterances.
    void batchesOfARank() {
        TestRun run;
        RunOptions o;
        o.manifest = toneManifest(run.dir(), 23, {1.0, 2.5, 4.0});
        o.steps = 12;
        o.more = QStringList{"~model.validation_ds", "model.train_ds.drop_last=false"};
        const QJsonObject plan = planOf(run, o);
        QCOMPARE(plan["train"].toObject()["batches_per_rank"].toInt(), 6); // 12 utterances per rank, two at a time
        QCOMPARE(run.launch(o).exitCode, 0);
        const auto ranks = plan["train"].toObject()["ranks"].toArray();
        for (int rank = 0; rank < 2; ++rank) {
            const auto size = run.series(store::Metric::BatchSize, rank);
            double utterances = 0;
            for (std::size_t step = 0; step < 6; ++step)
                utterances += size.at(step).mean;
            QCOMPARE(static_cast<int>(utterances), ranks[rank].toObject()["utterances"].toInt());
        }
        const auto frames = [&](int rank) {
            double longest = 0;
            const auto series = run.series(store::Metric::FramesMax, rank);
            for (std::size_t step = 0; step < 6; ++step)
                longest = std::max(longest, series.at(step).mean);
            return longest;
        };
        for (int rank = 0; rank < 2; ++rank) // a frame is 10 ms
            QVERIFY(std::abs(frames(rank) / 100 - ranks[rank].toObject()["longest_s"].toDouble()) < 0.05);
    }
};

RANKSCOPE_CORE_TEST(AcceptPlan)
#include "tst_run_plan.moc"
