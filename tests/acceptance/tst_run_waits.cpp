// SPDX-License-Identifier: Apache-2.0
// Delays of known length, injected into one rank's loader, appear in the store as waits of the other rank: right rank,
// right tag, within 20 ms.
#include "tests/acceptance/trained_run.h"
#include "tests/support/test_runner.h"

#include <QTest>

#include <algorithm>
#include <cmath>
#include <map>

using namespace rankscope;
using namespace rankscope::test;
using store::Metric;

class AcceptWaits : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void injectedDelays() {
        TestRun run;
        RunOptions o;
        // equal lengths, so that the ranks differ only by the delay; no workers, which would decode ahead and hide it
        o.manifest = toneManifest(run.dir(), 24, {1.5});
        o.workers = 0;
        o.steps = 60;
        o.faults = "[{kind: data_loading, rank: 1, step: 20, seconds: 0.2}, {kind: data_loading, rank: 1, step: 28, "
                   "seconds: 0.5},"
                   " {kind: data_loading, rank: 0, step: 36, seconds: 1.0}, {kind: data_loading, rank: 1, step: 44, "
                   "seconds: 3.0}]";
        const Outcome outcome = run.launch(o);
        QVERIFY2(outcome.exitCode == 0, outcome.err.constData());

        struct Injected {
            int delayed;
            double seconds;
        };
        const std::map<std::int64_t, Injected> injected{{20, {1, 0.2}}, {28, {1, 0.5}}, {36, {0, 1.0}}, {44, {1, 3.0}}};
        const std::vector<store::SeriesPoint> sync[2] = {run.series(Metric::WaitLengthSync, 0),
                                                         run.series(Metric::WaitLengthSync, 1)};
        const std::vector<store::SeriesPoint> load[2] = {run.series(Metric::DataWait, 0),
                                                         run.series(Metric::DataWait, 1)};
        QCOMPARE(sync[0].size(), std::size_t{60});
        for (const auto& [step, what] : injected) {
            const auto at = static_cast<std::size_t>(step);
            const double waited = sync[1 - what.delayed][at].mean * 1e-9;
            const double own = sync[what.delayed][at].mean * 1e-9;
            const double loading = load[what.delayed][at].mean * 1e-9;
            qInfo("step %lld: rank %d delayed %.1f s: rank %d waited %.4f s, itself %.4f s; loading %.4f s",
                  static_cast<long long>(step), what.delayed, what.seconds, 1 - what.delayed, waited, own, loading);
            QVERIFY2(std::abs(waited - what.seconds) < 0.020, qPrintable(QString::number(waited)));
            QVERIFY2(own < 0.020, qPrintable(QString::number(own)));
            QVERIFY(loading >= what.seconds);
        }
    }

    void storedWaitsAgreeWithArrivals() {
        TestRun run;
        RunOptions o;
        o.manifest = toneManifest(run.dir(), 24, {1.0, 3.0, 2.0, 5.0, 1.5});
        o.steps = 30;
        QCOMPARE(run.launch(o).exitCode, 0);
        auto reader = run.reader();
        const auto rows = reader.collectives(0, 29, 1'000'000);
        QVERIFY(rows);
        // Computed from the raw arrivals, without the store's own sums: time in which a rank waits in several
        // collectives counts once.
        std::map<std::pair<std::uint32_t, std::uint64_t>, std::vector<const store::CollectiveRow*>> joined;
        for (const auto& row : *rows)
            joined[{row.group, row.sequence}].push_back(&row);
        using Spans = std::vector<std::pair<std::int64_t, std::int64_t>>;
        std::map<std::pair<int, std::int64_t>, Spans> waits;
        std::map<std::pair<int, std::int64_t>, std::map<std::string, std::int64_t>> sums;
        for (const auto& [key, ranks] : joined) {
            QCOMPARE(ranks.size(), std::size_t{2});
            QCOMPARE(ranks[0]->tag, ranks[1]->tag);
            const std::int64_t latest = std::max(ranks[0]->arrivedNs, ranks[1]->arrivedNs);
            for (const auto* row : ranks) {
                waits[{row->rank, row->step}].emplace_back(row->arrivedNs, latest);
                sums[{row->rank, row->step}][row->tag.substr(0, row->tag.find(':'))] += latest - row->arrivedNs;
            }
        }
        const auto covered = [](Spans spans) {
            std::sort(spans.begin(), spans.end());
            std::int64_t sum = 0, end = 0;
            for (const auto& [from, to] : spans) {
                sum += std::max<std::int64_t>(0, to - std::max(from, end));
                end = std::max(end, to);
            }
            return sum;
        };
        for (int rank = 0; rank < 2; ++rank)
            for (const auto& p : run.series(Metric::WaitTotal, rank)) {
                const auto want = static_cast<double>(covered(waits[{rank, p.firstStep}]));
                QVERIFY2(std::abs(p.mean - want) < 1000,
                         qPrintable(QString("rank %1 step %2: %3 ns, by the arrivals %4 ns")
                                        .arg(rank)
                                        .arg(p.firstStep)
                                        .arg(p.mean, 0, 'f', 0)
                                        .arg(want, 0, 'f', 0)));
            }
        const std::map<std::string, Metric> columns{{"sync_max_audio_length", Metric::WaitLengthSync},
                                                    {"gradient", Metric::WaitGradient},
                                                    {"sync_batchnorm", Metric::WaitSyncBatchNorm}};
        for (const auto& [tag, metric] : columns)
            for (int rank = 0; rank < 2; ++rank) {
                double seen = 0;
                for (const auto& p : run.series(metric, rank)) {
                    const auto most = static_cast<double>(sums[{rank, p.firstStep}][tag]);
                    QVERIFY2(
                        p.mean >= 0 && p.mean < most + 1000,
                        qPrintable(
                            QString("%1 rank %2 step %3").arg(QString::fromStdString(tag)).arg(rank).arg(p.firstStep)));
                    seen += p.mean;
                }
                QVERIFY2(seen > 0 || rank == 1, tag.c_str());
            }
        // every step has lengths and phases
        for (const Metric m : {Metric::FramesMax, Metric::BatchSize, Metric::Forward, Metric::Backward,
                               Metric::Optimizer, Metric::Preprocess})
            for (int rank = 0; rank < 2; ++rank)
                for (const auto& p : run.series(m, rank))
                    QVERIFY2(p.mean > 0, store::info(m).column);
    }
};

RANKSCOPE_CORE_TEST(AcceptWaits)
#include "tst_run_waits.moc"
