// SPDX-License-Identifier: Apache-2.0
// A run whose loss or weights are NaN at its end has failed, no matter how its ranks ended.
#include "core/launch/process/run_outcome.h"
#include "core/launch/process/training_verdict.h"
#include "core/launch/run/launch_spec.h"
#include "core/store/read/run_reader.h"
#include "core/telemetry/format/note_markers.h"
#include "tests/core/store/synthetic.h"
#include "tests/support/test_runner.h"

#include <QTemporaryDir>
#include <QTest>

#include <cmath>

using namespace rankscope;
using namespace rankscope::launch;
using store::NotFiniteTail;
using telemetry::AnyRecord;
using telemetry::EndCause;

namespace {

constexpr int kFine = 0, kLoss = 1, kGradient = 2, kSkipped = 4;

/// Returns what steps from 0 on with these flags in their records add up to.
NotFiniteTail tailOf(const std::vector<int>& flags) {
    NotFiniteTail tail;
    for (std::size_t step = 0; step < flags.size(); ++step)
        tail.addStep(static_cast<std::int64_t>(step), flags[step]);
    return tail;
}

std::string textOf(const std::vector<int>& flags) {
    const NotFiniteTail tails[]{tailOf({kFine, kFine, kFine}), tailOf(flags)};
    return notFiniteText(tails).english();
}

EndReason reasonOf(const std::vector<int>& flags) {
    return notFiniteReason(std::vector{tailOf({kFine, kFine, kFine}), tailOf(flags)});
}

RankEnd ended(int rank, EndCause cause, const NotFiniteTail& tail) {
    RankEnd end;
    end.rank = rank;
    end.process = ProcessEnd{false, 0, 100};
    end.said = cause;
    end.weightsHash = static_cast<std::uint64_t>(rank + 1); // NaN has many bit patterns
    end.step = 79;
    end.done = 80;
    end.notFinite = tail;
    return end;
}

} // namespace

class TestTrainingVerdict : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void whatCounts_data() {
        QTest::addColumn<QList<int>>("flags");
        QTest::addColumn<QString>("text");
        const auto row = [](const char* name, const QList<int>& flags, const char* text) {
            QTest::newRow(name) << flags << text;
        };
        const char* useless = "the loss has been NaN since step 2, and the weights are useless";
        row("a sound run", {kFine, kFine, kFine}, "");
        row("NaN to the end", {kFine, kFine, kLoss | kGradient, kLoss | kGradient, kLoss | kGradient}, useless);
        row("NaN in the last step", {kFine, kFine, kLoss | kGradient}, useless);
        row("the gradient of the last step", {kFine, kFine, kGradient},
            "the weights have been NaN since step 2 and are useless");
        row("one step, then finite again", {kFine, kFine, kLoss | kGradient, kFine}, "");
        row("the scaler skipped the last steps", {kFine, kFine, kLoss | kSkipped, kLoss | kSkipped}, "");
        row("gradients that overflow", {kFine, kFine, kSkipped, kSkipped}, "");
        row("a last batch without a masked frame", {kFine, kFine, kLoss}, "");
        row("all steps are skipped", QList<int>{kFine, kFine} + QList<int>(21, kLoss | kSkipped),
            "the loss has been NaN since step 2, and nothing has been learned since");
    }
    void whatCounts() {
        QFETCH(QList<int>, flags);
        QTEST(QString::fromStdString(textOf({flags.begin(), flags.end()})), "text");
        const std::int64_t since = textOf({flags.begin(), flags.end()}).empty() ? -1 : 2;
        QVERIFY(reasonOf({flags.begin(), flags.end()}) == (EndReason{EndKind::NotFinite, -1, since}));
    }
    /// No step shows it: the last update made the weights NaN.
    void theRankSaysSoOfItsWeights() {
        NotFiniteTail tail;
        tail.addEnd(std::string("finished after 80 steps, ") + std::string(telemetry::kWeightsNotFinite), 79);
        QCOMPARE(notFiniteText(std::vector{tail}).english(),
                 std::string("the weights have been NaN since step 79 and are useless"));
        NotFiniteTail sound;
        sound.addEnd("finished after 80 steps", 79);
        QVERIFY(notFiniteText(std::vector{sound}).empty());
    }
    void itIsTheSupervisorsVerdict() {
        const auto bad = tailOf({kFine, kLoss | kGradient});
        const std::vector finished{ended(0, EndCause::Finished, bad), ended(1, EndCause::Finished, bad)};
        auto verdict = determineOutcome(finished, false);
        QCOMPARE(verdict.state, RunState::Failed);
        QCOMPARE(verdict.exitCode, int(kRankFailed));
        QCOMPARE(verdict.cause.english(),
                 std::string("the loss has been NaN since step 1, and the weights are useless"));
        QVERIFY(verdict.reason == (EndReason{EndKind::NotFinite, -1, 1}));
        const std::vector stopped{ended(0, EndCause::Stopped, bad), ended(1, EndCause::Stopped, bad)};
        verdict = determineOutcome(stopped, true);
        QCOMPARE(verdict.state, RunState::Failed);
        QVERIFY2(verdict.cause.english().ends_with("; stopped by the user after 80 steps"),
                 verdict.cause.english().c_str());
        auto killed = finished;
        killed[1].process = ProcessEnd{true, 9, 100};
        killed[1].said.reset();
        QVERIFY(determineOutcome(killed, false).cause.english().starts_with("rank 1 ended with SIGKILL"));
    }
    /// Older versions recorded such a run as finished.
    void anOlderRunIsJudgedByItsStore() {
        QTemporaryDir dir;
        const std::filesystem::path file = dir.filePath("run.sqlite").toStdString();
        auto store = store::RunWriter::open(file, synthetic::meta(2));
        QVERIFY(store);
        const auto write = [&](std::int64_t first, int flags, double loss) {
            for (int rank = 0; rank < 2; ++rank) {
                std::vector<AnyRecord> records;
                for (std::int64_t step = first; step < first + 10; ++step) {
                    telemetry::StepRecord record;
                    record.header.step = step;
                    record.flags = flags;
                    record.loss = loss;
                    record.beginNs = synthetic::kStartNs + step * 1'000'000;
                    record.endNs = record.beginNs + 900'000;
                    records.push_back(AnyRecord::of(record));
                }
                QVERIFY(store->commit(std::vector<store::RunWriter::Chunk>{{rank, records, {}, {}}}, {}));
            }
        };
        const auto judged = [&](RunState state) {
            auto reader = store::RunReader::open(file);
            RunInfo info;
            info.state = state;
            info.cause =
                state == RunState::Stopped ? Message("stopped by the user after 20 steps") : Message("finished");
            if (!reader || !judgeTraining(info, *reader))
                info.cause = "the store cannot be read";
            return info;
        };
        write(0, kFine, 4.5);
        QCOMPARE(judged(RunState::Finished).state, RunState::Finished);
        write(10, kLoss | kGradient, std::nan(""));
        const RunInfo failed = judged(RunState::Finished);
        QCOMPARE(failed.state, RunState::Failed);
        QCOMPARE(failed.exitCode, int(kRankFailed));
        QCOMPARE(failed.cause.english(),
                 std::string("the loss has been NaN since step 10, and the weights are useless"));
        QVERIFY(failed.reason == (EndReason{EndKind::NotFinite, -1, 10}));
        QCOMPARE(judged(RunState::Stopped).cause.english(),
                 failed.cause.english() + "; stopped by the user after 20 steps");
        QCOMPARE(judged(RunState::Running).state, RunState::Running);
        QCOMPARE(judged(RunState::Imported).state, RunState::Imported);
        write(20, kFine, 4.25);
        QCOMPARE(judged(RunState::Finished).state, RunState::Finished);
    }
};

RANKSCOPE_CORE_TEST(TestTrainingVerdict)
#include "tst_training_verdict.moc"
