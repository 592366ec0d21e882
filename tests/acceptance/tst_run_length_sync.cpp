// SPDX-License-Identifier: Apache-2.0
// A rank that is stuck in its loader holds the other inside the length sync for the same time. With each remedy the
// other rank continues, and the training result is the same, bit for bit.
#include "tests/acceptance/trained_run.h"
#include "tests/support/test_runner.h"

#include <QTemporaryDir>
#include <QTest>

#include <algorithm>
#include <memory>

using namespace rankscope;
using namespace rankscope::test;
using store::Metric;

namespace {

constexpr int kSteps = 40, kLateStep = 25;
constexpr double kLateSeconds = 6, kTimeout = 1;

/// What rank 0 did in the step in which rank 1 was late, in seconds since rank 0 got its batch.
struct Early {
    double inSync = 0;                   ///< blocked in the length sync
    double inBarrier = 0;                ///< blocked in the barrier before the encoder
    double gradientAfter = -1;           ///< when it reached its first gradient all-reduce
    double othersAfter = -1;             ///< when rank 1 reached the same one
    std::size_t syncs = 0, barriers = 0; ///< collectives of the whole run
};

double seconds(std::int64_t ns) {
    return static_cast<double>(ns) * 1e-9;
}

Early earlyRank(TestRun& run) {
    auto reader = run.reader();
    Early early;
    const auto phases = reader.phases(kLateStep, kLateStep, 10'000);
    std::int64_t hadBatchNs = -1;
    for (const auto& phase : phases ? *phases : std::vector<store::PhaseRow>{})
        if (phase.rank == 0 && phase.phase == telemetry::Phase::DataWait)
            hadBatchNs = phase.endNs;
    const auto rows = reader.collectives(0, kSteps, 1'000'000);
    std::array<std::int64_t, 2> gradient{-1, -1};
    for (const auto& row : rows ? *rows : std::vector<store::CollectiveRow>{}) {
        early.syncs += row.rank == 0 && row.tag == "sync_max_audio_length";
        early.barriers += row.rank == 0 && row.tag == "barrier:before_encoder";
        if (row.step != kLateStep)
            continue;
        if (row.rank == 0 && row.tag == "sync_max_audio_length")
            early.inSync += seconds(row.exposedNs);
        if (row.rank == 0 && row.tag == "barrier:before_encoder")
            early.inBarrier += seconds(row.exposedNs);
        std::int64_t& first = gradient[static_cast<std::size_t>(row.rank)];
        if (row.tag.starts_with("gradient") && (first < 0 || row.arrivedNs < first))
            first = row.arrivedNs;
    }
    early.gradientAfter = seconds(gradient[0] - hadBatchNs);
    early.othersAfter = seconds(gradient[1] - hadBatchNs);
    qInfo(
        "rank 0: %.2f s in the length sync, %.2f s in the barrier, at its gradients after %.2f s; rank 1 after %.2f s",
        early.inSync, early.inBarrier, early.gradientAfter, early.othersAfter);
    return early;
}

std::vector<std::string> timeoutNotes(TestRun& run) {
    auto reader = run.reader();
    std::vector<std::string> found;
    const auto notes = reader.notes(0, 10'000);
    for (const auto& note : notes ? *notes : std::vector<store::Note>{})
        if (note.rank == 0 && note.text.find("length sync timed out") != std::string::npos)
            found.push_back(note.text);
    return found;
}

} // namespace

class AcceptLengthSync : public QObject {
    Q_OBJECT

    QTemporaryDir m_sounds;
    QString m_manifest;
    std::array<std::vector<double>, 2> m_losses; ///< of a run without a late rank, with sync_max_audio_length: true

    /// Trains with only the length sync waiting in forward: no SyncBN, no broadcast of running statistics.
    std::unique_ptr<TestRun> train(const QStringList& more, bool late = true) {
        auto run = std::make_unique<TestRun>();
        RunOptions o;
        o.manifest = m_manifest;
        o.steps = kSteps;
        if (late)
            o.faults =
                QString("[{kind: data_loading, rank: 1, step: %1, seconds: %2}]").arg(kLateStep).arg(kLateSeconds);
        o.more = QStringList{"~model.validation_ds", "trainer.sync_batchnorm=false",
                             "+rankscope.ddp={broadcast_buffers: false}", "+rankscope.seed=11"} +
                 more;
        const Outcome outcome = run->launch(o);
        if (outcome.exitCode != 0)
            qFatal("%s", outcome.err.constData());
        return run;
    }
    static std::array<std::vector<double>, 2> lossesOf(const TestRun& run) {
        std::array<std::vector<double>, 2> losses;
        for (int rank : {0, 1})
            for (const auto& point : run.series(Metric::Loss, rank))
                losses[static_cast<std::size_t>(rank)].push_back(point.mean);
        return losses;
    }
    /// Compares bit for bit: the result of the sync only decides how long the table of positions is.
    void compareLosses(const TestRun& run) const {
        const auto losses = lossesOf(run);
        for (std::size_t rank : {0u, 1u}) {
            QCOMPARE(losses[rank].size(), std::size_t{kSteps});
            for (std::size_t i = 0; i < losses[rank].size(); ++i)
                QVERIFY2(losses[rank][i] == m_losses[rank][i], qPrintable(QString("rank %1 step %2: %3 against %4")
                                                                              .arg(rank)
                                                                              .arg(i)
                                                                              .arg(losses[rank][i], 0, 'g', 17)
                                                                              .arg(m_losses[rank][i], 0, 'g', 17)));
        }
    }

private Q_SLOTS:
    void initTestCase() {
        m_manifest = toneManifest(m_sounds, 24, {1.2, 2.4, 1.7, 3.1});
        const auto run = train({}, false);
        m_losses = lossesOf(*run);
        QCOMPARE(m_losses[0].size(), std::size_t{kSteps});
    }

    void aStuckRankHoldsTheOtherInside() {
        const auto run = train({"model.encoder.sync_max_audio_length=true"});
        const Early early = earlyRank(*run);
        QCOMPARE(early.syncs, std::size_t{kSteps});
        QVERIFY(early.inSync > kLateSeconds - 1.5);
        QVERIFY(early.gradientAfter > kLateSeconds - 1.5);
        compareLosses(*run);
    }

    void falseLetsItGoOn() {
        const auto run = train({"model.encoder.sync_max_audio_length=false"});
        const Early early = earlyRank(*run);
        QCOMPARE(early.syncs, std::size_t{0});
        QVERIFY(early.gradientAfter < kLateSeconds - 2.5);
        QVERIFY(early.othersAfter > kLateSeconds - 1.5);
        compareLosses(*run);
    }

    void aTimeoutLetsItGoOnAndSaysSo() {
        const auto run = train({QString("+rankscope.length_sync={timeout_s: %1}").arg(kTimeout)});
        const Early early = earlyRank(*run);
        QCOMPARE(early.syncs, std::size_t{kSteps});
        QVERIFY(early.inSync >= kTimeout && early.inSync < kTimeout + 1.0);
        QVERIFY(early.gradientAfter < kLateSeconds - 1.5);
        QVERIFY(early.othersAfter > kLateSeconds - 1.5);
        const auto notes = timeoutNotes(*run);
        QCOMPARE(notes.size(), std::size_t{1}); // the ranks met again in the next step
        QVERIFY2(QString::fromStdString(notes[0]).startsWith(
                     QString("step %1: length sync timed out after 1.0").arg(kLateStep)),
                 notes[0].c_str());
        const auto ranks = run->reader().ranks();
        QVERIFY2(ranks->at(0).endText.find("1 length sync timed out") != std::string::npos,
                 ranks->at(0).endText.c_str());
        QVERIFY(ranks->at(1).endText.find("timed out") == std::string::npos);
        compareLosses(*run);
    }

    void aTimeoutChangesNothingWhereNobodyIsLate() {
        const auto run = train({"+rankscope.length_sync={timeout_s: 60}"}, false);
        QVERIFY(timeoutNotes(*run).empty());
        compareLosses(*run);
    }

    void theBarrierTakesTheWait() {
        const auto run = train({"+rankscope.length_sync={barrier: true}"});
        const Early early = earlyRank(*run);
        QCOMPARE(early.barriers, std::size_t{kSteps});
        QVERIFY(early.inBarrier > kLateSeconds - 1.5);
        QVERIFY(early.inSync < 1.0);
        compareLosses(*run);
    }
};

RANKSCOPE_CORE_TEST(AcceptLengthSync)
#include "tst_run_length_sync.moc"
