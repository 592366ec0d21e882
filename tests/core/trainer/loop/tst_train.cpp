// SPDX-License-Identifier: Apache-2.0
#include "tests/core/trainer/loop/trainer_run.h"
#include "tests/support/test_runner.h"

#include <QFile>
#include <QProcess>
#include <QTest>

#include <algorithm>
#include <cmath>
#include <csignal>
#include <set>

using namespace rankscope;
using namespace rankscope::test;
using telemetry::EndCause;
using telemetry::Phase;
using telemetry::RankStage;

namespace {

QString textOf(const telemetry::EndRecord& end) {
    const auto text = telemetry::getText(end.text, sizeof end.text);
    return QString::fromUtf8(text.data(), static_cast<qsizetype>(text.size()));
}

double seconds(std::int64_t ns) {
    return static_cast<double>(ns) / 1e9;
}

QString lastLine(const QString& text) {
    return text.trimmed().section('\n', -1);
}

} // namespace

class TestTrain : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void twoRanksFinish();
    void accumulationAndClipping();
    void oneRankAlone();
    void validatesAsLightningCounts_data();
    void validatesAsLightningCounts();
    void eachValidationSetHasItsOwnLoss();
    void sanityCheckLeavesNoTrace();
    void limitedEpochs();
    void maxTimeEndsAllRanksTogether();
    void maxTimeValidatesOnceMore();
    void maxTimeBetweenTwoEpochs();
    void ranksWithoutASamplerDrawOrdersOfTheirOwn_data();
    void ranksWithoutASamplerDrawOrdersOfTheirOwn();
    void stopsAllAfterTheSameStep();
    void aRankThatIsAskedToLeaveSaysSo();
    void stopsOnSignalWithoutSupervisor();
    void slowLoaderIsSeen();
    void slowComputeIsSeen();
    void longBatchIsComputed();
    void stoppedRankGoesOn();
    void deathOfAPeerIsNamed();
    void badInputIsOneLine_data();
    void badInputIsOneLine();
};

void TestTrain::twoRanksFinish() {
    TrainerRun run(2);
    QVERIFY2(run.valid(), qPrintable(run.problem()));
    run.start();
    QVERIFY(run.waitForEnd());
    std::vector<RankStory> ranks{run.story(0), run.story(1)};
    for (int rank = 0; rank < 2; ++rank) {
        QVERIFY2(run.exitCode(rank) == 0, qPrintable(run.errorText(rank)));
        const RankStory& story = ranks[static_cast<std::size_t>(rank)];
        QCOMPARE(story.all.front().type(), telemetry::RecordType::Anchor);
        QCOMPARE(story.all.back().type(), telemetry::RecordType::End);
        QCOMPARE(story.anchor->rank, rank);
        QCOMPARE(story.anchor->worldSize, 2);
        QCOMPARE(story.end->cause, EndCause::Finished);
        QCOMPARE(story.steps.size(), std::size_t{6});
        QCOMPARE(story.batches.size(), std::size_t{6});
        QVERIFY(!story.resources.empty());
        QVERIFY(story.resources.back().rssBytes > 0 && story.resources.back().threads > 1);
        for (std::int64_t step = 0; step < 6; ++step) {
            const auto& record = story.steps[static_cast<std::size_t>(step)];
            QCOMPARE(record.header.step, step);
            QVERIFY(std::isfinite(record.loss) && record.loss > 0);
            QVERIFY(record.gradientNorm > 0 && record.learningRate > 0 && record.samplesPerSecond > 0);
            QVERIFY(record.maskedFrames > 0);
            // the phases of a step follow each other without gaps and fill it
            double inPhases = 0;
            for (const Phase phase : {Phase::DataWait, Phase::ToDevice, Phase::Preprocess, Phase::Augment,
                                      Phase::Forward, Phase::Loss, Phase::Backward, Phase::Optimizer}) {
                const double spent = story.phaseSeconds(phase, step);
                QVERIFY2(spent > 0, telemetry::phaseName(phase).data());
                inPhases += spent;
            }
            const double whole = seconds(record.endNs - record.beginNs);
            QVERIFY2(inPhases > 0.9 * whole && inPhases < 1.1 * whole + 0.01,
                     qPrintable(QString("%1 of %2 s").arg(inPhases).arg(whole)));
            const auto& batch = story.batches[static_cast<std::size_t>(step)];
            QCOMPARE(batch.size, 2);
            QVERIFY(batch.samplesMin > 16000 && batch.samplesMin <= batch.samplesMax);
            QCOMPARE(batch.framesMax, batch.samplesMax / 160);
            QVERIFY(batch.paddedFrames >= batch.framesSum);
            QVERIFY(story.collective("sync_max_audio_length", step));
            QVERIFY(story.collective("sync_max_audio_length", step)->exposedNs > 0);
            QVERIFY(story.collective("gradient:0", step));
        }
        QCOMPARE(story.tags().last(), QString("barrier:end"));
        // the records of a step's phases come before the record of the step
        std::int64_t recorded = -1;
        for (const auto& any : story.all) {
            if (const auto* phase = any.as<telemetry::PhaseRecord>(); phase && phase->phase == Phase::Optimizer) {
                QCOMPARE(phase->header.step, recorded + 1);
            } else if (const auto* step = any.as<telemetry::StepRecord>()) {
                recorded = step->header.step;
            }
        }
    }
    QCOMPARE(ranks[0].end->weightsHash, ranks[1].end->weightsHash);
    QVERIFY(ranks[0].end->weightsHash != 0);
    QCOMPARE(ranks[0].tags(), ranks[1].tags());
    QVERIFY(ranks[0].batches[0].indexHash != ranks[1].batches[0].indexHash); // each rank has its own share of the data
    QCOMPARE(ranks[0].tags().filter("sync_batchnorm:").size(), 6 * 2 * 2);   // steps x layers x (forward, backward)
    QVERIFY(std::filesystem::file_size(run.dir() / "checkpoints" / "last.safetensors") > 10'000);
    const auto board = telemetry::BoardReader::open(run.dir() / "ranks" / "0" / "board");
    QVERIFY(bool(board));
    QCOMPARE(board->snapshot().stage, RankStage::Finished);
    QCOMPARE(board->snapshot().totalSteps, std::int64_t{6});
}

void TestTrain::accumulationAndClipping() {
    // 16 utterances, 2 ranks, batches of 2: 4 batches per epoch, so steps have 3 batches and 1
    TrainerRun run(2, {"max_epochs: 2", "accumulate_grad_batches: 3", "gradient_clip_val: 0.01"});
    QVERIFY2(run.valid(), qPrintable(run.problem()));
    run.start();
    QVERIFY(run.waitForEnd());
    QVERIFY2(run.exitCode(0) == 0, qPrintable(run.errorText(0)));
    const RankStory story = run.story(0), other = run.story(1);
    QCOMPARE(story.steps.size(), std::size_t{4});
    QCOMPARE(story.batches.size(), std::size_t{8});
    QCOMPARE(story.steps[3].epoch, 1);
    QCOMPARE(int(std::count_if(story.batches.begin(), story.batches.end(), [](auto& b) { return b.header.step == 0; })),
             3);
    QCOMPARE(story.tags().count("gradient:0"), 4);
    QCOMPARE(story.end->weightsHash, other.end->weightsHash);
    QVERIFY(story.steps[0].gradientNorm > 0.01); // the norm before clipping
}

void TestTrain::oneRankAlone() {
    TrainerRun run(1, {"max_steps: 3"});
    run.start();
    QVERIFY(run.waitForEnd());
    QVERIFY2(run.exitCode(0) == 0, qPrintable(run.errorText(0)));
    const RankStory story = run.story(0);
    QCOMPARE(story.steps.size(), std::size_t{3});
    QVERIFY(story.collectives.empty());
}

void TestTrain::validatesAsLightningCounts_data() {
    QTest::addColumn<bool>("mean");
    QTest::newRow("each rank's own, as in NeMo") << false;
    QTest::newRow("mean over ranks") << true;
}

void TestTrain::validatesAsLightningCounts() {
    QFETCH(bool, mean);
    // 4 batches per epoch and rank; 3 batches of validation, of which 2 are used
    TrainerRun run(2, {"max_epochs: 2", "val_check_interval: 2.0", "limit_val_batches: 2.0", "num_sanity_val_steps: 1"},
                   mean ? "rankscope: {validation: {mean_over_ranks: true}}\n" : "", true);
    QVERIFY2(run.valid(), qPrintable(run.problem()));
    run.start();
    QVERIFY(run.waitForEnd());
    QVERIFY2(run.exitCode(0) == 0, qPrintable(run.errorText(0)));
    const RankStory first = run.story(0), second = run.story(1);
    QCOMPARE(first.validations.size(), std::size_t{4});
    QCOMPARE(second.validations.size(), std::size_t{4});
    for (std::size_t i = 0; i < first.validations.size(); ++i) {
        const auto &a = first.validations[i], &b = second.validations[i];
        QCOMPARE(a.header.step, static_cast<std::int64_t>(2 * i + 1));
        QCOMPARE(a.epoch, static_cast<int>(i / 2));
        QCOMPARE(a.batches, std::int64_t{2});
        QVERIFY(a.maskedFrames > 0 && b.maskedFrames > 0);
        if (mean) {
            QCOMPARE(a.loss, b.loss);
            QVERIFY(std::abs(a.loss - (a.localLoss + b.localLoss) / 2) < 1e-9);
        } else {
            QCOMPARE(a.loss, a.localLoss);
            QCOMPARE(b.loss, b.localLoss);
        }
        QVERIFY(a.localLoss != b.localLoss); // each rank has its own share
        QVERIFY(first.phaseSeconds(Phase::Validate, a.header.step) > 0);
        QVERIFY(a.endNs > a.beginNs);
    }
    QCOMPARE(first.tags().count("metrics"), mean ? 5 : 0); // the sanity check is one too
    QVERIFY(first.scalars.empty());
    QCOMPARE(first.end->weightsHash, second.end->weightsHash);
    QCOMPARE(first.steps.size(), std::size_t{8});
}

/// As NeMo logs it: val_loss is the loss of set val_dl_idx, and each set's loss also has its own name.
void TestTrain::eachValidationSetHasItsOwnLoss() {
    std::vector<telemetry::ValidationRecord> one, two;
    for (const bool second : {false, true}) {
        TrainerRun run(1, {"max_steps: 4", "val_check_interval: 2", "num_sanity_val_steps: 1"},
                       "rankscope: {seed: 5}\n", true);
        if (second) {
            run.addValidationSet("val-b_manifest.jsonl", 3);
        }
        QVERIFY2(run.valid(), qPrintable(run.problem()));
        run.start();
        QVERIFY(run.waitForEnd());
        QVERIFY2(run.exitCode(0) == 0, qPrintable(run.errorText(0)));
        const RankStory story = run.story(0);
        QCOMPARE(story.validations.size(), std::size_t{2});
        (second ? two : one) = story.validations;
        QCOMPARE(story.scalars.size(), std::size_t{second ? 4u : 0u});
        if (!second) {
            continue;
        }
        const auto name = [&](std::size_t i) { return telemetry::getText(story.scalars[i].name, 96); };
        QCOMPARE(name(0), std::string_view("val_val_loss"));
        QCOMPARE(name(1), std::string_view("val_b_val_loss"));
        QCOMPARE(story.scalars[0].value, two[0].loss);
        QVERIFY(std::isfinite(story.scalars[1].value) && story.scalars[1].value != two[0].loss);
        QCOMPARE(story.scalars[3].header.step, two[1].header.step);
        QFile checkpoint(QString::fromStdString((run.dir() / "checkpoints" / "last.safetensors").string()));
        QVERIFY(checkpoint.open(QIODevice::ReadOnly));
        QVERIFY(checkpoint.read(1 << 20).contains("val_b_val_loss")); // may be monitored, and used in the file's name
    }
    QCOMPARE(one[0].loss, two[0].loss); // that of the first set, whatever sets follow it
    QCOMPARE(one[0].batches, two[0].batches);
}

void TestTrain::sanityCheckLeavesNoTrace() {
    std::vector<double> losses[2];
    for (int with = 0; with < 2; ++with) {
        TrainerRun run(1, {"max_steps: 4", QString("num_sanity_val_steps: %1").arg(2 * with), "val_check_interval: 4"},
                       "rankscope: {seed: 11}\n", true);
        run.start();
        QVERIFY(run.waitForEnd());
        QVERIFY2(run.exitCode(0) == 0, qPrintable(run.errorText(0)));
        for (const auto& step : run.story(0).steps) {
            losses[with].push_back(step.loss);
        }
    }
    QCOMPARE(losses[0].size(), std::size_t{4});
    QCOMPARE(losses[0], losses[1]);
}

void TestTrain::limitedEpochs() {
    // 8 batches per epoch, half of them used; a fault acts at its step, although the loader prefetches beyond the limit
    TrainerRun run(1, {"max_epochs: 2", "limit_train_batches: 0.5"},
                   "rankscope:\n  faults:\n    - {kind: data_loading, rank: 0, step: 5, seconds: 0.8}\n");
    run.start();
    QVERIFY(run.waitForEnd());
    QVERIFY2(run.exitCode(0) == 0, qPrintable(run.errorText(0)));
    const RankStory story = run.story(0);
    QCOMPARE(story.steps.size(), std::size_t{8});
    QCOMPARE(story.steps[3].epoch, 0);
    QCOMPARE(story.steps[4].epoch, 1);
    QVERIFY(story.phaseSeconds(Phase::DataWait, 5) >= 0.5);
    for (const std::int64_t step : {3, 4, 6}) {
        QVERIFY(story.phaseSeconds(Phase::DataWait, step) < 0.5);
    }
}

/// Without max_time, this run would never end.
void TestTrain::maxTimeEndsAllRanksTogether() {
    TrainerRun run(2,
                   {"max_steps: -1", "max_epochs: -1", "max_time: {milliseconds: 1}", "min_steps: 7", "min_epochs: 1"});
    QVERIFY2(run.valid(), qPrintable(run.problem()));
    run.start();
    QVERIFY(run.waitForEnd());
    const RankStory first = run.story(0), second = run.story(1);
    QVERIFY2(run.exitCode(0) == 0, qPrintable(run.errorText(0)));
    QVERIFY2(run.exitCode(1) == 0, qPrintable(run.errorText(1)));
    QCOMPARE(first.end->cause, EndCause::Finished);
    QVERIFY(first.steps.size() >= 7); // the time limit was exceeded long before
    QCOMPARE(first.steps.size(), second.steps.size());
    QCOMPARE(first.end->weightsHash, second.end->weightsHash);
    QVERIFY(first.collective("metrics", static_cast<std::int64_t>(first.steps.size()) - 1)); // rank 0's decision
}

/// Lightning's Timer asks to stop, and its loop then validates although none is due.
void TestTrain::maxTimeValidatesOnceMore() {
    TrainerRun run(2,
                   {"max_steps: -1", "max_epochs: -1", "max_time: {milliseconds: 1}", "min_steps: 7", "min_epochs: 1"},
                   {}, true);
    run.start();
    QVERIFY(run.waitForEnd());
    for (int rank = 0; rank < 2; ++rank) {
        QVERIFY2(run.exitCode(rank) == 0, qPrintable(run.errorText(rank)));
        const RankStory story = run.story(rank);
        QCOMPARE(story.steps.size(), std::size_t{7}); // 4 per epoch
        QCOMPARE(story.validations.size(), std::size_t{2});
        QCOMPARE(story.validations[0].header.step, std::int64_t{3});
        QCOMPARE(story.validations[1].header.step, std::int64_t{6});
    }
}

void TestTrain::maxTimeBetweenTwoEpochs() {
    TrainerRun run(1,
                   {"max_steps: -1", "max_epochs: -1", "max_time: {milliseconds: 1}", "min_epochs: 2",
                    "check_val_every_n_epoch: 3"},
                   {}, true);
    run.start();
    QVERIFY(run.waitForEnd());
    QVERIFY2(run.exitCode(0) == 0, qPrintable(run.errorText(0)));
    QCOMPARE(run.story(0).steps.size(), std::size_t{16});
    QVERIFY(run.story(0).validations.empty()); // none is due in these epochs
}

void TestTrain::ranksWithoutASamplerDrawOrdersOfTheirOwn_data() {
    QTest::addColumn<QString>("seed");
    QTest::newRow("no seed") << "";
    QTest::newRow("seed") << "rankscope: {seed: 3}\n";
}

void TestTrain::ranksWithoutASamplerDrawOrdersOfTheirOwn() {
    QFETCH(QString, seed);
    TrainerRun run(2, {"max_steps: 3", "use_distributed_sampler: false"}, seed);
    run.start();
    QVERIFY(run.waitForEnd());
    QVERIFY2(run.exitCode(0) == 0, qPrintable(run.errorText(0)));
    const auto first = run.story(0).batches, second = run.story(1).batches;
    QCOMPARE(first.size(), std::size_t{3});
    int alike = 0;
    for (std::size_t i = 0; i < first.size(); ++i) {
        alike += first[i].indexHash == second[i].indexHash ? 1 : 0;
    }
    QCOMPARE(alike, seed.isEmpty() ? 0 : 3);
}

void TestTrain::stopsAllAfterTheSameStep() {
    TrainerRun run(2, {"max_steps: 100000"});
    run.start();
    QVERIFY(run.waitForBoard(0, [](const auto& board) { return board.step >= 3; }));
    const std::int64_t last = 40; // far enough ahead that neither rank has passed it
    run.control().setStopAtStep(last);
    QVERIFY(run.waitForEnd());
    for (int rank = 0; rank < 2; ++rank) {
        QVERIFY2(run.exitCode(rank) == 0, qPrintable(run.errorText(rank)));
        const RankStory story = run.story(rank);
        QCOMPARE(story.end->cause, EndCause::Stopped);
        QVERIFY(story.steps.back().header.step >= last - 1);
        QCOMPARE(story.steps.back().header.step, run.story(0).steps.back().header.step);
        QCOMPARE(story.end->weightsHash, run.story(0).end->weightsHash);
    }
    QVERIFY(std::filesystem::exists(run.dir() / "checkpoints" / "last.safetensors"));
}

/// A signal to one rank appears on its board while it keeps training; all ranks leave before the step that the
/// supervisor then names.
void TestTrain::aRankThatIsAskedToLeaveSaysSo() {
    TrainerRun run(2, {"max_steps: 100000"});
    run.start();
    QVERIFY(run.waitForBoard(1, [](const auto& board) { return board.step >= 3; }));
    QProcess other; // a rank's parent counts as its supervisor, so another process sends the signal
    other.start(QStringLiteral("/bin/sh"), {QStringLiteral("-c"), QStringLiteral("kill -USR1 \"$1\"; exec sleep 600"),
                                            QStringLiteral("sh"), QString::number(run.process(1).processId())});
    QVERIFY(other.waitForStarted());
    telemetry::LeaveRequest asked;
    QVERIFY(run.waitForBoard(1, [&](const auto& board) {
        asked = board.asked;
        return asked.signal != 0;
    }));
    QCOMPARE(asked.signal, SIGUSR1);
    QCOMPARE(asked.pid, pid_t(other.processId()));
    QVERIFY(!asked.programName().empty());
    other.kill();
    QVERIFY(other.waitForFinished());
    QVERIFY(run.waitForBoard(1, [](const auto& board) { return board.step >= 10; })); // it does not leave alone
    QVERIFY(run.control().setStopAtStep(60));
    QVERIFY(run.waitForEnd());
    for (int rank = 0; rank < 2; ++rank) {
        QVERIFY2(run.exitCode(rank) == 0, qPrintable(run.errorText(rank)));
        QCOMPARE(run.story(rank).end->cause, EndCause::Stopped);
        QCOMPARE(run.story(rank).steps.back().header.step, run.story(0).steps.back().header.step);
        QCOMPARE(run.story(rank).warnings.filter(QStringLiteral("asked to leave by SIGUSR1 from process")).size(),
                 rank);
    }
    QVERIFY(std::filesystem::exists(run.dir() / "checkpoints" / "last.safetensors"));
}

void TestTrain::stopsOnSignalWithoutSupervisor() {
    TrainerRun run(1, {"max_steps: 100000"});
    std::filesystem::remove(run.dir() / "control");
    run.start();
    QVERIFY(run.waitForBoard(0, [](const auto& board) { return board.step >= 3; }));
    run.process(0).terminate();
    QVERIFY(run.waitForEnd());
    QCOMPARE(run.exitCode(0), 0);
    QCOMPARE(run.story(0).end->cause, EndCause::Stopped);
}

void TestTrain::slowLoaderIsSeen() {
    TrainerRun run(2, {"max_steps: 5"},
                   "rankscope:\n  faults:\n    - {kind: data_loading, rank: 1, step: 3, seconds: 1.5}\n");
    run.start();
    QString reading;
    QVERIFY(run.waitForBoard(1, [&](const auto& board) {
        if (board.step == 3 && board.phase == Phase::DataWait && !board.reading.empty()) {
            reading = QString::fromStdString(board.reading);
        }
        return !reading.isEmpty();
    }));
    QVERIFY2(reading.endsWith(".wav"), qPrintable(reading));
    QVERIFY(run.waitForEnd());
    const RankStory waiter = run.story(0), holder = run.story(1);
    QVERIFY(holder.phaseSeconds(Phase::DataWait, 3) >= 1.45);
    QVERIFY(waiter.phaseSeconds(Phase::DataWait, 3) < 1);
    QVERIFY(holder.phaseSeconds(Phase::DataWait, 2) < 1);
    QVERIFY(seconds(holder.batches[3].waitNs) >= 1.45);
    // rank 0 waits in the first collective of the step, and its record says for how long
    const auto *early = waiter.collective("sync_max_audio_length", 3),
               *late = holder.collective("sync_max_audio_length", 3);
    QVERIFY(early && late);
    QVERIFY(seconds(late->arrivedNs - early->arrivedNs) > 1.2);
    QVERIFY(seconds(early->exposedNs) > 1.2);
    QVERIFY(seconds(late->exposedNs) < 0.5);
    QVERIFY(!holder.notes.filter("fault asked for: data_loading").isEmpty());
    QVERIFY(waiter.notes.filter("fault asked for").isEmpty());
}

void TestTrain::slowComputeIsSeen() {
    TrainerRun run(2, {"max_steps: 5"},
                   "rankscope:\n  faults:\n    - {kind: slow_compute, rank: 0, step: 2, steps: 2, seconds: 0.6}\n");
    run.start();
    QVERIFY(run.waitForEnd());
    const RankStory holder = run.story(0), waiter = run.story(1);
    for (const std::int64_t step : {2, 3}) {
        QVERIFY(holder.phaseSeconds(Phase::Forward, step) >= 0.6);
        const auto *early = waiter.collective("sync_max_audio_length", step),
                   *late = holder.collective("sync_max_audio_length", step);
        QVERIFY(seconds(late->arrivedNs - early->arrivedNs) > 0.3);
        QVERIFY(seconds(early->exposedNs) > 0.3);
        QCOMPARE(early->phase, Phase::Forward);
    }
    QVERIFY(holder.phaseSeconds(Phase::Forward, 4) < 0.6);
}

void TestTrain::longBatchIsComputed() {
    TrainerRun run(2, {"max_steps: 4"},
                   "rankscope:\n  faults:\n    - {kind: long_batch, rank: 1, step: 2, seconds: 8}\n");
    run.start();
    QVERIFY(run.waitForEnd());
    QVERIFY2(run.exitCode(1) == 0, qPrintable(run.errorText(1)));
    const RankStory holder = run.story(1), other = run.story(0);
    QCOMPARE(holder.batches[2].samplesMax, std::int64_t{8 * 16000});
    QVERIFY(holder.batches[2].paddedFrames >= 2 * 800);
    QVERIFY(holder.batches[1].samplesMax < 4 * 16000);
    QVERIFY(other.batches[2].samplesMax < 4 * 16000);
    QVERIFY(std::isfinite(holder.steps[2].loss));
}

void TestTrain::stoppedRankGoesOn() {
    TrainerRun run(2, {"max_steps: 5"}, "rankscope:\n  faults:\n    - {kind: stopped, rank: 1, step: 2, seconds: 1}\n");
    run.start();
    const auto pid = static_cast<pid_t>(run.process(1).processId());
    QVERIFY(run.waitForBoard(1, [](const auto& board) { return board.step == 2 && board.phase == Phase::Forward; }));
    QFile stat(QString("/proc/%1/stat").arg(pid));
    const auto state = [&] {
        stat.open(QIODevice::ReadOnly);
        const QString text = stat.readAll();
        stat.close();
        return text.section(") ", -1).left(1);
    };
    QTRY_COMPARE(state(), QString("T"));
    QVERIFY(run.waitForBoard(0, [](const auto& board) { return board.step == 2 && board.collectives[0].open(); }));
    ::kill(pid, SIGCONT);
    QVERIFY(run.waitForEnd());
    QCOMPARE(run.exitCode(0), 0);
    QCOMPARE(run.exitCode(1), 0);
}

void TestTrain::deathOfAPeerIsNamed() {
    TrainerRun run(2, {"max_steps: 50"}, "rankscope:\n  faults:\n    - {kind: dead, rank: 1, step: 2, exit_code: 7}\n");
    run.start();
    QVERIFY(run.waitForEnd());
    QCOMPARE(run.exitCode(1), 7);
    QCOMPARE(run.exitCode(0), 3);
    const RankStory survivor = run.story(0);
    QCOMPARE(survivor.end->cause, EndCause::Failed);
    QCOMPARE(survivor.end->exitCode, 3);
    QCOMPARE(survivor.steps.size(), std::size_t{2});
    const QString line = lastLine(run.errorText(0));
    QVERIFY2(line.startsWith("rankscope-trainer: rank 0: all-reduce ") &&
                 line.contains("(sync_max_audio_length) failed: "),
             qPrintable(line));
    QVERIFY(textOf(*survivor.end).contains("(sync_max_audio_length) failed"));
    QVERIFY(run.waitForBoard(0, [](const auto& board) { return board.stage == RankStage::Failed; }));
    QVERIFY(!run.story(1).end); // it had no time to write an end record
}

void TestTrain::badInputIsOneLine_data() {
    QTest::addColumn<QStringList>("trainer");
    QTest::addColumn<QString>("extra");
    QTest::addColumn<QString>("damage");
    QTest::addColumn<QString>("names");
    QTest::newRow("no such file") << QStringList{"max_steps: 2"} << ""
                                  << "config"
                                  << "config.yaml";
    QTest::newRow("no manifest") << QStringList{"max_steps: 2"} << ""
                                 << "manifest"
                                 << "train.jsonl";
    QTest::newRow("precision") << QStringList{"max_steps: 2", "precision: bf16-true"} << ""
                               << ""
                               << "trainer.precision";
    QTest::newRow("strategy") << QStringList{"max_steps: 2", "strategy: fsdp"} << ""
                              << ""
                              << "strategy";
    QTest::newRow("nothing to train on") << QStringList{"max_steps: 2", "limit_train_batches: 0"} << ""
                                         << ""
                                         << "trainer.limit_train_batches";
    QTest::newRow("unknown key") << QStringList{"max_stepz: 2"} << ""
                                 << ""
                                 << "max_stepz";
}

void TestTrain::badInputIsOneLine() {
    QFETCH(QStringList, trainer);
    QFETCH(QString, extra);
    QFETCH(QString, damage);
    QFETCH(QString, names);
    TrainerRun run(1, trainer, extra);
    const auto base = run.dir().parent_path();
    if (!damage.isEmpty()) {
        std::filesystem::remove(base / (damage == "config" ? "config.yaml" : "train.jsonl"));
    }
    run.start();
    QVERIFY(run.waitForEnd());
    QCOMPARE(run.exitCode(0), 2);
    const QString text = run.errorText(0).trimmed();
    QVERIFY2(text.startsWith("rankscope-trainer: ") && text.contains(names) && !text.contains('\n'), qPrintable(text));
}

RANKSCOPE_CORE_TEST(TestTrain)
#include "tst_train.moc"
