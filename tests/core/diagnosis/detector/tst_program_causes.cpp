// SPDX-License-Identifier: Apache-2.0
// Programs that were not started from a recipe: causes that only they need, and figures that they do not report.
#include "core/diagnosis/evidence/rank_status.h"
#include "core/diagnosis/recording/recording.h"
#include "tests/core/diagnosis/program_stage.h"
#include "tests/support/test_runner.h"

#include <QTest>

#include <csignal>
#include <limits>

using namespace rankscope::diagnosis;
using namespace rankscope::diagnosis::test;

static constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

class TestProgramCauses : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void whatIsNotKnownIsNotWrong() {
        Program s(2);
        s.warmUp();
        for (int r = 0; r < 2; ++r) {
            s.board(r).batchSize = -1;
            s.board(r).longestFrames = s.board(r).longestSamples = -1;
            BatchRecord b;
            b.size = -1;
            b.framesMax = b.samplesMax = b.framesMin = -1;
            s.tell(r, b, 10);
            s.step(r, 10, kNan, 0, 0); // the loss is not known
            s.step(r, 11, 1, 0, -1);
        }
        s.pass(2 * kSecond, [&] {
            for (int r = 0; r < 2; ++r)
                s.phase(r, Phase::Forward);
        });
        QVERIFY(s.incidents.empty());
        s.step(1, 12, kNan, 1, 0); // this one is NaN, and nothing is said about masked frames
        s.step(0, 12, 1, 0, 0);
        s.look();
        QCOMPARE(s.only().cause, Cause::NotFinite);
        QVERIFY(!s.only().evidence.batchSize && !s.only().evidence.maskedFrames);
    }
    void unknownLengthsAreNoEvidence() {
        Program s(2);
        s.warmUp();
        for (int r = 0; r < 2; ++r) {
            s.board(r).batchSize = r == 0 ? -1 : 4;
            s.board(r).longestFrames = s.board(r).longestSamples = r == 0 ? -1 : 900;
        }
        s.enter(0, 40, "gradient:0");
        s.pass(3 * kSecond);
        QCOMPARE(s.only().cause, Cause::SlowCompute);
        QVERIFY(!s.only().evidence.othersLongestFrames);
        QCOMPARE(s.only().evidence.holderLongestFrames.value_or(0), std::int64_t{900});
    }
    void theSampleThatIsRead() {
        Program s(2);
        s.warmUp();
        s.enter(0, 40, "gradient:0");
        s.phase(1, Phase::DataWait);
        s.board(1).reading = "SpeechDataset['a/b.wav']";
        s.board(1).readingSinceNs = s.now;
        s.pass(3 * kSecond);
        QCOMPARE(s.only().cause, Cause::DataLoading);
        QVERIFY2(s.said().contains("rank 1 is still reading SpeechDataset['a/b.wav'] (3."), qPrintable(s.said()));
        QVERIFY(!s.only().evidence.readingPath);
        QVERIFY(s.only().remedy.key.empty());
        QVERIFY(s.only().remedy.text.english().starts_with("Look at that sample"));
        QVERIFY(s.speaksChinese());
    }
    /// Its exit code 0 says only that the supervisor has ended it.
    void aRankThatEndsWithTheRunKeepsItsCause() {
        Program s(2);
        s.warmUp();
        s.enter(0, 40, "gradient:0");
        s.phase(1, Phase::DataWait);
        s.pass(3 * kSecond);
        QCOMPARE(s.only().cause, Cause::DataLoading);
        s.process(1) = {ProcessView::State::Exited, 0, 0, s.now, false, {}};
        s.pass(kSecond);
        QCOMPARE(s.only().cause, Cause::DataLoading);
        Program quiet(2);
        quiet.warmUp();
        quiet.enter(0, 40, "gradient:0");
        quiet.process(1) = {ProcessView::State::Exited, 0, 0, quiet.now, false, {}};
        quiet.pass(3 * kSecond);
        QVERIFY(quiet.incidents.empty());
    }
    /// While stacks are taken, it takes a moment until a process that was continued is seen to run.
    void stepsAfterAStopThatIsNotSeenToEnd() {
        Program s(2);
        s.warmUp();
        s.process(1) = {ProcessView::State::Stopped, 0, SIGSTOP, s.now, false, {}};
        s.enter(0, 40, "gradient:0");
        s.pass(3 * kSecond);
        QCOMPARE(s.only().cause, Cause::Stopped);
        for (std::uint64_t n = 0; n < 10; ++n) {
            s.board(0).step = s.board(1).step = static_cast<std::int64_t>(11 + n);
            s.enter(n % 2 ? 0 : 1, 41 + n, "gradient:0");
            s.look();
        }
        s.process(1).state = ProcessView::State::Running;
        s.leave(0);
        s.leave(1);
        s.pass(2 * kSecond);
        QCOMPARE(s.incidents.size(), std::size_t{1});
        QCOMPARE(s.only().closed, CloseReason::Recovered);
    }
    void anExceptionOnOneRank() {
        Program s(3);
        s.warmUp();
        s.end(0, EndCause::Failed, "RuntimeError: Connection closed by peer (train.py:31)");
        s.process(0) = {ProcessView::State::Exited, 1, 0, s.now, false, {}};
        s.end(1, EndCause::Failed, "ValueError: no such speaker (data.py:88)");
        s.look();
        QCOMPARE(s.only().cause, Cause::Dead); // although its process is still there
        QCOMPARE(s.only().holders, Ranks{1});
        QCOMPARE(s.said(), QString("Rank 1 failed at step 10, in forward: ValueError: no such speaker (data.py:88)."));
        QVERIFY(s.speaksChinese());
        s.process(1) = {ProcessView::State::Exited, 1, 0, s.now, false, {}};
        s.process(2) = {ProcessView::State::Signalled, 0, SIGTERM, s.now, false, {}}; // by its launcher
        s.pass(kSecond);
        QCOMPARE(s.only().evidence.exitCode.value_or(0), std::int64_t{1});
        QVERIFY2(s.said().startsWith("Rank 1 exited with code 1 at step 10, in forward: ValueError"),
                 qPrintable(s.said()));
    }
    /// Our trainer exits with 2 if it rejects its recipe, and with 3 if it has lost a peer.
    void exitCodesOfOurTrainerHaveNoMeaning_data() {
        QTest::addColumn<int>("code");
        for (const int code : {2, 3, 4})
            QTest::addRow("%d", code) << code;
    }
    void exitCodesOfOurTrainerHaveNoMeaning() {
        QFETCH(int, code);
        Program s(2);
        s.warmUp();
        s.end(1, EndCause::Failed, "ValueError: no such speaker (data.py:88)");
        s.process(1) = {ProcessView::State::Exited, code, 0, s.now, false, {}};
        s.look(); // and not after a time in which another rank might prove to be the culprit
        QCOMPARE(s.only().cause, Cause::Dead);
        QCOMPARE(s.only().holders, Ranks{1});
        QCOMPARE(s.only().evidence.exitCode.value_or(0), std::int64_t{code});
        s.process(0) = {ProcessView::State::Exited, 1, 0, s.now, false, {}};
        s.end(0, EndCause::Failed, "RuntimeError: Connection closed by peer (train.py:31)");
        s.pass(kSecond);
        QCOMPARE(s.only().holders, Ranks{1});
        QVERIFY2(s.said().contains("ValueError"), qPrintable(s.said()));
    }
    /// What ends a program may itself wait for all ranks.
    void anExceptionAndThenABarrier() {
        Program s(2);
        s.warmUp();
        s.enter(0, 40, "gradient:0", 8);
        s.end(1, EndCause::Failed, "ValueError: no such speaker (data.py:88)");
        s.enter(1, 40, "barrier:teardown");
        s.pass(4 * kSecond);
        QCOMPARE(s.only().cause, Cause::Dead);
        QCOMPARE(s.only().holders, Ranks{1});
        QCOMPARE(s.only().evidence.exception.value_or(""), std::string("ValueError: no such speaker (data.py:88)"));
        QVERIFY(s.only().detectedNs - s.only().openedNs < 2 * kSecond);
    }
    /// Without an end record, the traceback in the log says it.
    void theTracebackInTheLog() {
        Program s(2);
        s.warmUp();
        s.process(1) = {ProcessView::State::Exited,
                        1,
                        0,
                        s.now,
                        false,
                        "Traceback (most recent call last):\n"
                        "  File \"/home/ann/train.py\", line 88, in <module>\n    main()\n"
                        "  File \"/venv/lib/python3.11/site-packages/torch/nn/module.py\", line 5, in _call_impl\n"
                        "ValueError: no such speaker"};
        s.pass(kSecond);
        QCOMPARE(s.only().evidence.exception.value_or(""), std::string("ValueError: no such speaker (train.py:88)"));
    }
    void aLoaderWorkerThatThePythonProcessMissed() {
        Program s(2);
        s.warmUp();
        s.end(1, EndCause::Failed,
              "RuntimeError: DataLoader worker (pid 4711) is killed by signal: Killed. (train.py:60)");
        s.process(1) = {ProcessView::State::Exited, 1, 0, s.now, false, {}};
        s.look();
        QCOMPARE(s.only().cause, Cause::LoaderWorkerDied);
        QVERIFY2(s.said().startsWith("A loader worker of rank 1 died at step 10: RuntimeError: DataLoader worker"),
                 qPrintable(s.said()));
        QVERIFY(s.only().remedy.text.english().find("run out of memory") != std::string::npos);
        QVERIFY(s.speaksChinese());
    }
    /// The loader does not notice; the worker's process has ended and nobody has waited for it.
    void aLoaderWorkerThatNobodyMisses() {
        Program s(2);
        s.warmUp();
        s.enter(0, 40, "gradient:0");
        s.phase(1, Phase::DataWait);
        s.look();
        s.resources(1).workers = 3;
        s.resources(1).workersDied = 1;
        s.resources(1).workerSignal = SIGBUS;
        s.pass(3 * kSecond);
        QCOMPARE(s.only().cause, Cause::LoaderWorkerDied);
        QCOMPARE(s.only().evidence.workerEnd.value_or(""), std::string("SIGBUS"));
        QVERIFY2(s.said().contains("a loader worker of rank 1 has died (SIGBUS), and its batch does not come"),
                 qPrintable(s.said()));
        QVERIFY(s.only().remedy.text.english().find("shm-size") != std::string::npos);
        QVERIFY(s.speaksChinese());
    }
    /// A worker that died in an earlier phase is not the cause of this wait.
    void aLoaderWorkerThatDiedBefore() {
        Program s(2);
        s.warmUp();
        s.phase(1, Phase::DataWait);
        s.resources(1).workersDied = 1;
        s.look();
        s.resources(1).workersDied = 0;
        s.phase(1, Phase::Forward);
        s.look();
        s.enter(0, 40, "gradient:0");
        s.phase(1, Phase::DataWait);
        s.pass(3 * kSecond);
        QCOMPARE(s.only().cause, Cause::DataLoading);
    }
    void memoryThatWillRunOut() {
        Program s(2);
        s.warmUp();
        constexpr std::int64_t kGigabyte = 1'000'000'000;
        const std::int64_t began = s.now;
        s.pass(400 * kSecond, [&] {
            const std::int64_t grown = (s.now - began) / kSecond * kGigabyte / 50;
            for (int r = 0; r < 2; ++r) {
                s.phase(r, Phase::Forward);
                s.resources(r).memoryUsedBytes = 40 * kGigabyte + grown;
                s.resources(r).memoryLimitBytes = 64 * kGigabyte;
                s.resources(r).rssBytes = 3 * kGigabyte;
                s.resources(r).workers = 4;
                s.resources(r).workersRssBytes = 6 * kGigabyte + (r == 1 ? grown : 0);
            }
        });
        QCOMPARE(s.only().cause, Cause::MemoryRunsOut);
        QCOMPARE(s.only().holders, Ranks{1});
        QCOMPARE(s.only().closed, CloseReason::Open);
        const double left = s.only().evidence.memoryLeftSeconds.value_or(0);
        QVERIFY2(left > 750 && left < 830, std::to_string(left).c_str());
        QVERIFY2(s.said().startsWith("Memory will run out in about 13 min") &&
                     s.said().contains("The processes of rank 1 take 17.") &&
                     s.said().contains("of it loader workers) and grow by 1.20 GB each minute."),
                 qPrintable(s.said()));
        QVERIFY(s.speaksChinese());
        QVERIFY(rankStatuses(s.seen, {s.only()})[1].state != RankState::Holder);
        s.pass(700 * kSecond, [&] {
            for (int r = 0; r < 2; ++r)
                s.phase(r, Phase::Forward);
        });
        QCOMPARE(s.only().closed, CloseReason::Recovered);
        QVERIFY2(s.said().startsWith("Memory was about to run out"), qPrintable(s.said()));
    }
    void memoryThatAllRanksTake() {
        Program s(3);
        s.warmUp();
        const std::int64_t began = s.now;
        s.pass(300 * kSecond, [&] {
            for (int r = 0; r < 3; ++r) {
                const std::int64_t grown = (s.now - began) / kSecond * 10'000'000;
                s.phase(r, Phase::Forward);
                s.resources(r).memoryUsedBytes = 40'000'000'000 + 3 * grown;
                s.resources(r).memoryLimitBytes = 64'000'000'000;
                s.resources(r).rssBytes = 3'000'000'000 + grown;
            }
        });
        QCOMPARE(s.only().cause, Cause::MemoryRunsOut);
        QCOMPARE(s.only().holders, (Ranks{0, 1, 2}));
        QVERIFY2(s.said().contains("The processes of ranks 0, 1, 2 take "), qPrintable(s.said()));
    }
    /// Another program grows fast while most of the memory is free; it is an incident once memory is nearly full.
    void memoryThatAnotherProgramTakes() {
        Program s(2);
        s.warmUp();
        const std::int64_t began = s.now;
        const auto go = [&](std::int64_t seconds) {
            s.pass(seconds * kSecond, [&] {
                for (int r = 0; r < 2; ++r) {
                    s.phase(r, Phase::Forward);
                    s.resources(r).memoryUsedBytes = 5'000'000'000 + (s.now - began) / kSecond * 50'000'000;
                    s.resources(r).memoryLimitBytes = 32'000'000'000;
                    s.resources(r).rssBytes = 3'000'000'000 + (s.now - began) / kSecond * 100'000;
                }
            });
        };
        go(250);
        QCOMPARE(s.incidents.size(), std::size_t{0});
        go(100);
        QCOMPARE(s.only().cause, Cause::MemoryRunsOut);
    }
    /// Everything that these causes need is in a recording.
    void recordedAndDiagnosedAgain() {
        constexpr int kWorld = 3;
        const Settings settings = programSettings();
        for (const int group : {0, 1, 2}) { // the state is saved before, between and after what happens
            Program s(kWorld);
            Detector detector(kWorld, settings);
            InputRecorder recorder(kWorld, settings);
            std::vector<RecordingChunk> pieces;
            std::map<std::int64_t, std::string> was, again;
            int round = 0;
            const auto look = [&](RunOutcomeSeen end = RunOutcomeSeen::Running) {
                s.now += 100 * kMs;
                s.seen.nowNs = s.now;
                s.seen.end = end;
                for (std::size_t r = 0; r < s.records.size(); ++r)
                    s.seen.ranks[r].records = s.records[r];
                if (round++ == 20 * group)
                    recorder.interrupted();
                recorder.record(s.seen, detector);
                const auto transitions = detector.advance(s.seen);
                for (const Transition& t : transitions)
                    was[t.incident.id] = canonicalText(t.incident);
                if (auto piece = recorder.take(transitions, detector.anyOpen(), end != RunOutcomeSeen::Running))
                    pieces.push_back(std::move(*piece));
                for (auto& r : s.records)
                    r.clear();
            };
            s.group(7, {0, 2});
            s.call(30, "decode.py:17", 1, 10);
            for (int n = 0; n < 10; ++n) {
                for (int r = 0; r < kWorld; ++r)
                    s.step(r, n);
                look();
            }
            for (int r = 0; r < kWorld; ++r) {
                s.board(r).stepsPerEpoch = 12;
                s.resources(r).workers = 2;
                s.resources(r).workersDied = r == 2;
            }
            s.spent(1, Phase::DataWait, s.now - kSecond, s.now);
            s.enter(0, 4, "a.py:1", 1, 7);
            s.board(2).droppedRecords = 5;
            for (int n = 0; n < 40; ++n)
                look();
            s.end(1, EndCause::Failed, "ValueError: x (a.py:1)");
            for (int n = 0; n < 20; ++n)
                look();
            look(RunOutcomeSeen::Failed);
            QVERIFY(was.size() >= 2);
            DetectorReplay replay;
            for (const RecordingChunk& piece : pieces) {
                const auto added = replay.add(piece);
                QVERIFY2(added, added ? "" : added.error().asMessage().english().c_str());
            }
            for (const auto& [id, incident] : replay.incidents())
                again[id] = canonicalText(incident);
            QCOMPARE(again, was);
            QCOMPARE(replay.otherStates(), 0);
        }
    }
    void overridesOfAHydraProgram_data() {
        QTest::addColumn<int>("cause");
        QTest::addColumn<bool>("inRecipe"); // the keys are written in the recipe
        QTest::addColumn<QString>("override");
        QTest::newRow("workers") << int(Cause::DataLoading) << true << "model.train_ds.num_workers=4";
        QTest::newRow("no workers") << int(Cause::DataLoading) << false << "+model.train_ds.num_workers=4";
        QTest::newRow("duration") << int(Cause::LongBatch) << true << "model.train_ds.max_duration=2.0";
        QTest::newRow("no duration") << int(Cause::LongBatch) << false << "+model.train_ds.max_duration=2.0";
        QTest::newRow("batches") << int(Cause::UnevenBatches) << true << "model.train_ds.drop_last=true";
        QTest::newRow("no drop_last") << int(Cause::UnevenBatches) << false << "+model.train_ds.drop_last=true";
        QTest::newRow("positions") << int(Cause::GrownBuffer) << true << "model.encoder.sync_max_audio_length=true";
        QTest::newRow("other") << int(Cause::NotFinite) << true << "";
    }
    void overridesOfAHydraProgram() {
        QFETCH(int, cause);
        QFETCH(bool, inRecipe);
        QFETCH(QString, override);
        Settings settings = programSettings();
        settings.programKeys = ProgramKeys::Hydra;
        settings.limitsDuration = inRecipe;
        settings.lengthSync = !inRecipe;
        if (inRecipe) {
            settings.numWorkers = 2;
            settings.dropLast = false;
        }
        Incident in;
        in.cause = static_cast<Cause>(cause);
        in.holders = {1};
        in.waiters = {0};
        in.evidence.othersLongestSamples = 16'001;
        in.remedy = remedyFor(in, settings);
        QCOMPARE(QString::fromStdString(hydraOverride(in.remedy)), override);
        const auto whole = QString::fromStdString(sentence(in, 0).english());
        QVERIFY2(override.isEmpty() || whole.contains("Add " + override + " to the command"), qPrintable(whole));
        in.remedy.text = in.remedy.text.english(); // as a store has it
        QCOMPARE(QString::fromStdString(hydraOverride(in.remedy)), override);
        settings.programKeys = ProgramKeys::Known; // its command may read no overrides
        in.remedy = remedyFor(in, settings);
        QCOMPARE(in.remedy.key.empty(), override.isEmpty());
        QCOMPARE(hydraOverride(in.remedy), std::string());
    }
    void theRecipeIsFoundWhileItTrains() {
        Program s(2);
        s.warmUp();
        InputRecorder recorder(2, programSettings());
        DetectorReplay replay;
        std::optional<Detector> detector(std::in_place, 2, programSettings());
        const auto look = [&](bool end) {
            recorder.record(s.seen, *detector);
            const auto transitions = detector->advance(s.seen);
            if (auto piece = recorder.take(transitions, detector->anyOpen(), end))
                QVERIFY(replay.add(*piece));
        };
        s.enter(0, 40, "gradient:0");
        s.phase(1, Phase::DataWait);
        look(true);
        Settings found = programSettings();
        found.programKeys = ProgramKeys::Hydra;
        found.numWorkers = 2;
        recorder.use(found);
        detector->use(found);
        for (int i = 0; i < 120; ++i) {
            s.seen.nowNs = s.now += kSecond / 10;
            look(false);
        }
        look(true);
        QCOMPARE(detector->open().size(), std::size_t{1});
        QCOMPARE(hydraOverride(detector->open().front().remedy), std::string("model.train_ds.num_workers=4"));
        QCOMPARE(replay.incidents().size(), std::size_t{1});
        QCOMPARE(canonicalText(replay.incidents().begin()->second), canonicalText(detector->open().front()));
    }
};

RANKSCOPE_TEST(TestProgramCauses)
#include "tst_program_causes.moc"
