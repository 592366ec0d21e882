// SPDX-License-Identifier: Apache-2.0
// One situation after another, set on the boards by hand: which rank is blamed, and why.
#include "core/diagnosis/evidence/incident_sentence.h"
#include "core/diagnosis/evidence/leave_sender.h"
#include "core/diagnosis/evidence/remedy.h"
#include "core/telemetry/format/note_markers.h"
#include "tests/core/diagnosis/stage.h"
#include "tests/support/test_runner.h"

#include <QTest>

#include <csignal>
#include <limits>

using rankscope::Language;
using namespace rankscope::diagnosis;
using namespace rankscope::diagnosis::test;

class TestCauses : public QObject {
    Q_OBJECT
private Q_SLOTS:
    /// The transport's thread has just completed the rank's collective; the rank's own thread has not moved yet.
    void aRankThatWakesUpHasNotStoodStill() {
        Stage stage(2);
        stage.warmUp();
        stage.enter(0, 5, "sync_max_audio_length");
        stage.process(1) = {ProcessView::State::Stopped, 0, SIGSTOP, stage.now, false, {}};
        stage.pass(4 * kSecond);
        QCOMPARE(stage.incidents.size(), std::size_t{1});
        QCOMPARE(stage.only().cause, Cause::Stopped);
        stage.process(1).state = ProcessView::State::Running;
        stage.enter(1, 5, "sync_max_audio_length");
        for (int r : {0, 1}) {
            stage.board(r).collectives[0].done = 6;
            stage.board(r).collectives[0].doneNs = stage.now + 95 * kMs;
        }
        stage.look();
        QCOMPARE(stage.incidents.size(), std::size_t{1});
        QCOMPARE(stage.only().holders, Ranks{1});
    }
    void severalHoldersForOneReasonAreOneIncident() {
        Stage s(6);
        s.warmUp();
        for (int r = 0; r < 6; ++r)
            if (r == 2 || r == 4)
                s.phase(r, Phase::DataWait);
            else
                s.enter(r, 40, "sync_max_audio_length");
        s.pass(3 * kSecond);
        QCOMPARE(s.only().cause, Cause::DataLoading);
        QCOMPARE(s.only().holders, (Ranks{2, 4}));
        QCOMPARE(s.only().waiters, (Ranks{0, 1, 3, 5}));
    }
    void severalHoldersForDifferentReasons() {
        Stage s(4);
        s.warmUp();
        s.phase(1, Phase::DataWait);
        s.process(2) = {ProcessView::State::Stopped, 0, SIGSTOP, s.now, false, {}};
        s.enter(0, 40, "sync_max_audio_length");
        s.enter(3, 40, "sync_max_audio_length");
        s.pass(3 * kSecond);
        QCOMPARE(s.incidents.size(), std::size_t{2});
        QCOMPARE(s.incidents.at(1).cause, Cause::DataLoading);
        QCOMPARE(s.incidents.at(1).holders, Ranks{1});
        QCOMPARE(s.incidents.at(2).cause, Cause::Stopped);
        QCOMPARE(s.incidents.at(2).holders, Ranks{2});
    }
    void allInTheLoader() {
        Stage s(4);
        s.warmUp();
        for (int r = 0; r < 4; ++r) {
            s.phase(r, Phase::DataWait);
            s.now += 30 * kMs; // not all at the same moment
        }
        s.pass(4 * kSecond);
        QCOMPARE(s.only().cause, Cause::DataLoading);
        QCOMPARE(s.only().holders, (Ranks{0, 1, 2, 3}));
        QVERIFY(!s.only().collective.known);
    }
    /// A rank that others wait for in one group, but that itself waits in another, is not the cause.
    void aChainOverTwoGroups() {
        Stage s(3);
        s.warmUp();
        s.enter(0, 5, "gradient:0", 10, 0);
        s.enter(1, 4, "gradient:0", 10, 0);
        s.board(1).collectives[0].done = 5;
        s.enter(1, 9, "sync_max_audio_length", 1, 1);
        s.enter(0, 9, "sync_max_audio_length", 1, 1);
        s.board(0).collectives[1].done = 10;
        s.phase(2, Phase::Preprocess);
        s.enter(2, 4, "gradient:0", 10, 0);
        s.board(2).collectives[0].done = 5;
        s.pass(4 * kSecond);
        QCOMPARE(s.only().holders, Ranks{2});
        QCOMPARE(s.only().cause, Cause::Preprocessing);
    }
    void aLoopThatNeverReachesItsFirstStep() {
        Stage s(2);
        s.pass(70 * kSecond, [&] {
            for (int r = 0; r < 2; ++r) {
                s.board(r).step = 0;
                s.phase(r, Phase::Preprocess); // over and over
            }
        });
        QCOMPARE(s.only().cause, Cause::Preprocessing);
        QCOMPARE(s.only().holders, (Ranks{0, 1}));
        QVERIFY(sentence(s.only(), s.now).english().starts_with("No step finished in "));
        s.step(0, 0);
        s.step(1, 0);
        s.pass(2 * kSecond, [&] { s.phase(0, Phase::Forward), s.phase(1, Phase::Forward); });
        QCOMPARE(s.only().closed, CloseReason::Recovered);
    }
    void aRendezvousThatNeverCompletes() {
        Stage s(4);
        for (int r = 0; r < 4; ++r) {
            s.board(r).stage = r == 2 ? RankStage::Starting : RankStage::Joining;
            s.board(r).step = -1;
            s.phase(r, r == 2 ? Phase::Startup : Phase::Rendezvous);
        }
        s.seen.ranks[3].board.reset();
        s.process(3).lastLines = "waiting for the manifest";
        s.pass(61 * kSecond);
        QCOMPARE(s.only().cause, Cause::NeverJoined);
        QCOMPARE(s.only().holders, (Ranks{2, 3}));
        QCOMPARE(s.only().waiters, (Ranks{0, 1}));
        QVERIFY(s.only().evidence.lastLines.value_or("").find("the manifest") != std::string::npos);
        // the rendezvous times out: the ranks that did arrive are not to blame
        s.process(0) = s.process(1) = {ProcessView::State::Exited, 1, 0, s.now, false, "rank 2, 3 did not come"};
        s.pass(2 * kSecond);
        QCOMPARE(s.incidents.size(), std::size_t{1});
    }
    void aRankThatExitsBeforeItJoins() {
        Stage s(2);
        for (int r = 0; r < 2; ++r) {
            s.board(r).stage = r == 1 ? RankStage::Failed : RankStage::Joining;
            s.board(r).step = -1;
        }
        s.process(1) = {ProcessView::State::Exited, 2, 0, s.now, false, "no such file: train.json"};
        s.pass(kSecond);
        QCOMPARE(s.only().cause, Cause::NeverJoined);
        QCOMPARE(s.only().holders, Ranks{1});
        QCOMPARE(s.only().waiters, Ranks{0});
        QCOMPARE(s.only().evidence.exitCode.value_or(-1), std::int64_t{2});
        QVERIFY(sentence(s.only(), s.now).english().find("exited with code 2") != std::string::npos);
    }
    void whereTheFirstBadFigureWas() {
        Stage s(3);
        s.warmUp();
        const double nan = std::numeric_limits<double>::quiet_NaN();
        // averaging spoils every rank's gradient; rank 2's loss was the first, and is reported last
        s.step(0, 10, 1, 2);
        s.step(1, 10, 1, 2);
        s.look();
        QVERIFY(s.incidents.empty());
        s.step(2, 10, nan, 3);
        s.look();
        QCOMPARE(s.only().cause, Cause::NotFinite);
        QCOMPARE(s.only().holders, Ranks{2});
        QCOMPARE(s.only().step, std::int64_t{10});
        NoteRecord note;
        putText(note.text, sizeof note.text,
                std::string("step 10: loss nan; ") + std::string(kFirstNotFinite) + "encoder.pre_encode.out.weight");
        s.tell(2, note, 10);
        for (int r = 0; r < 3; ++r)
            s.step(r, 11, nan, 3);
        s.pass(kSecond);
        QCOMPARE(s.only().evidence.firstTensor.value_or(""), std::string("encoder.pre_encode.out.weight"));
        QVERIFY(sentence(s.only(), s.now).english().find("first seen in encoder.pre_encode.out.weight") !=
                std::string::npos);
        QCOMPARE(s.only().evidence.lastStep.value_or(-1), std::int64_t{11});
    }
    void aBadBatchSpoilsEveryLossBySyncBatchNorm() {
        Stage s(3);
        s.warmUp();
        const double nan = std::numeric_limits<double>::quiet_NaN();
        for (int r = 0; r < 3; ++r)
            s.step(r, 10, nan, r == 1 ? 3 | 8 : 3);
        s.look();
        QCOMPARE(s.only().cause, Cause::NotFinite);
        QCOMPARE(s.only().holders, Ranks{1});
        QVERIFY(sentence(s.only(), s.now).english().find("Rank 1 has a batch that is not finite at step 10") == 0);
    }
    void anEmptyBatchIsNotBlamedOnTheArithmetic() {
        Stage s(2);
        s.warmUp();
        s.step(0, 10, 1, 2);
        s.step(1, 10, std::numeric_limits<double>::quiet_NaN(), 3, 0);
        s.look();
        QCOMPARE(s.only().cause, Cause::EmptyBatch);
        QCOMPARE(s.only().holders, Ranks{1});
    }
    /// What a rank does not know is neither empty nor bad.
    void whatIsNotKnownIsNoFault() {
        Stage s(2);
        s.warmUp();
        BatchRecord batch;
        batch.size = -1;
        batch.framesMax = batch.samplesMax = -1;
        s.board(0).batchSize = -1;
        s.board(0).longestFrames = s.board(0).longestSamples = -1;
        s.tell(0, batch, 10);
        s.step(0, 10, std::numeric_limits<double>::quiet_NaN(), 0, -1);
        s.step(1, 10, std::numeric_limits<double>::quiet_NaN(), 0, -1);
        s.pass(kSecond);
        QVERIFY(s.incidents.empty());
        s.tell(0, batch, 11);
        s.step(0, 11, std::numeric_limits<double>::quiet_NaN(), 1, -1); // the loss is known, and not a number
        s.step(1, 11, 1, 0, -1);
        s.look();
        QCOMPARE(s.only().cause, Cause::NotFinite);
        QCOMPARE(s.only().holders, Ranks{0});
        QVERIFY(!s.only().evidence.batchSize);
        QVERIFY(!s.only().evidence.holderLongestFrames);
        QVERIFY(!s.only().evidence.maskedFrames);
    }
    void memoryThatRanOutIsToldByTheLog() {
        Stage s(2);
        s.warmUp();
        s.process(1) = {ProcessView::State::Exited,
                        1,
                        0,
                        s.now,
                        false,
                        "DefaultCPUAllocator: can't allocate memory: you tried to allocate 8 bytes"};
        s.pass(kSecond);
        QCOMPARE(s.only().cause, Cause::Dead);
        QVERIFY(s.only().evidence.outOfMemory.value_or(false));
        QVERIFY(s.only().remedy.text.english().starts_with("Lower batch_size"));
    }
    /// The others wait for it until all ranks leave. That is neither a hold-up nor a missing batch.
    void aRankThatIsAskedToLeave() {
        Stage s(3);
        s.warmUp();
        s.enter(0, 40, "sync_max_audio_length");
        s.enter(2, 40, "sync_max_audio_length");
        LeaveRequest& asked = s.process(1).asked;
        asked.signal = SIGTERM;
        asked.sender = LeaveRequest::Sender::Process;
        asked.pid = 4711;
        asked.atNs = s.now + 60 * kMs;
        putText(asked.program, sizeof asked.program, "early\033oom");
        s.process(1).askedBy = "root";
        s.look();
        QCOMPARE(s.only().cause, Cause::AskedToLeave);
        s.pass(20 * kSecond, [&] {
            s.board(1).stage = RankStage::Stopped;
            s.process(1).state = ProcessView::State::Exited;
        });
        QCOMPARE(s.only().holders, Ranks{1});
        QVERIFY(s.only().waiters.empty());
        QCOMPARE(s.only().step, std::int64_t{10});
        QCOMPARE(s.only().openedNs, asked.atNs);
        QCOMPARE(QString::fromStdString(sentence(s.only(), s.now, false).english()),
                 QString("Rank 1 was asked to leave by SIGTERM from early?oom (process 4711 of root) at step 10; all "
                         "ranks leave after the same step."));
        QCOMPARE(QString::fromStdString(sentence(s.only(), s.now, false).text(Language::Chinese)),
                 QString("rank 1 在第 10 步收到 early?oom（进程 4711，用户 root）发来的 SIGTERM；所有 rank "
                         "跑完同一步后一起退出。"));
        QVERIFY(s.only().remedy.text.english().starts_with("The host ran short of memory"));
        s.process(2).asked = asked;
        s.process(2).asked.atNs += kMs;
        s.look();
        QCOMPARE(s.only().holders, (Ranks{1, 2}));
        s.look(RunOutcomeSeen::Finished);
        QCOMPARE(s.only().closed, CloseReason::RunEnded);
    }
    void whoAskedIsSaidAsFarAsItIsKnown() {
        using Sender = LeaveRequest::Sender;
        const auto said = [](int signal, Sender sender, int pid, const char* program, const char* user) {
            ProcessView view;
            view.asked.signal = signal;
            view.asked.sender = sender;
            view.asked.pid = pid;
            view.asked.user = 1000;
            putText(view.asked.program, sizeof view.asked.program, program);
            view.askedBy = user;
            return QString::fromStdString(leaveSenderText(leaveEvidence(view)).english());
        };
        QCOMPARE(said(SIGTERM, Sender::Process, 7, "bash", "ann"), QString("bash (process 7 of ann)"));
        QCOMPARE(said(SIGTERM, Sender::Process, 7, "", ""), QString("process 7 of 1000"));
        QCOMPARE(said(SIGTERM, Sender::Process, 0, "", ""), QString("a process outside this container"));
        QCOMPARE(said(SIGXCPU, Sender::Kernel, 0, "", ""), QString("the kernel, because its CPU time is used up"));
        QCOMPARE(said(SIGHUP, Sender::Kernel, 0, "", ""), QString("its terminal"));
        QCOMPARE(said(SIGTERM, Sender::Kernel, 0, "", ""), QString("the kernel"));
        QCOMPARE(said(SIGUSR1, Sender::Timer, 0, "", ""), QString("a timer"));
    }
    void resourcesAreEvidence() {
        Stage s(2);
        s.warmUp();
        s.enter(0, 40, "sync_max_audio_length");
        s.seen.ranks[1].resources = ResourceView{};
        s.seen.ranks[1].resources->cpuShare = 0.2;
        s.seen.ranks[1].resources->cpuThrottledShare = 0.6;
        s.board(1).place = ForwardSite::Layer;
        s.board(1).layer = 3;
        s.pass(3 * kSecond);
        QCOMPARE(s.only().cause, Cause::SlowCompute);
        QCOMPARE(s.only().evidence.cpuShare.value_or(-1.0), 0.2);
        QVERIFY(s.only().remedy.text.english().find("quota") != std::string::npos);
        QVERIFY(sentence(s.only(), s.now).english().find("forward (layer 3)") != std::string::npos);
        QVERIFY(sentence(s.only(), s.now).text(Language::Chinese).find("第 3 层") != std::string::npos);
        QVERIFY(remedyText(s.only()).text(Language::Chinese).find("配额") != std::string::npos);
    }
    /// The quota throttles its loader too, so the phase it is in is not the cause.
    void heldBackByItsQuotaInTheLoader() {
        Stage s(3);
        s.warmUp();
        s.enter(0, 40, "sync_max_audio_length");
        s.enter(2, 40, "sync_max_audio_length");
        s.phase(1, Phase::DataWait);
        s.seen.ranks[1].resources = ResourceView{};
        s.seen.ranks[1].resources->cpuThrottledShare = 0.9;
        s.seen.ranks[1].resources->cpuQuota = 0.08;
        s.pass(3 * kSecond);
        QCOMPARE(s.only().cause, Cause::SlowCompute);
        QCOMPARE(s.only().evidence.cpuQuota.value_or(0.0), 0.08);
        QVERIFY(s.only().remedy.text.english().find("cpu.max") != std::string::npos);
        QVERIFY(remedyText(s.only()).text(Language::Chinese).find("cpu.max") != std::string::npos);
        QVERIFY(sentence(s.only(), s.now).english().find("0.08 of a processor") != std::string::npos);
    }
    /// All ranks share the control group, so the quota does not explain why this one is late.
    void aQuotaThatHoldsAllBack() {
        Stage s(3);
        s.warmUp();
        s.enter(0, 40, "sync_max_audio_length");
        s.enter(2, 40, "sync_max_audio_length");
        s.phase(1, Phase::DataWait);
        for (auto& r : s.seen.ranks) {
            r.resources = ResourceView{};
            r.resources->cpuThrottledShare = 0.9;
        }
        s.pass(3 * kSecond);
        QCOMPARE(s.only().cause, Cause::DataLoading);
    }
    void shortOfCpuInEveryPhase_data() {
        QTest::addColumn<Phase>("phase");
        QTest::newRow("copies the batch") << Phase::ToDevice;
        QTest::newRow("reads in the main process") << Phase::DataWait;
        QTest::newRow("computes") << Phase::Forward;
    }
    /// Another program takes its processor: whatever it does takes long.
    void shortOfCpuInEveryPhase() {
        QFETCH(Phase, phase);
        Stage s(3);
        s.warmUp();
        s.enter(0, 40, "sync_max_audio_length");
        s.enter(2, 40, "sync_max_audio_length");
        s.phase(1, phase);
        s.seen.ranks[1].resources = ResourceView{};
        s.seen.ranks[1].resources->cpuWaitShare = 0.9;
        s.pass(3 * kSecond);
        QCOMPARE(s.only().cause, Cause::SlowCompute);
        QVERIFY(s.only().remedy.text.english().find("short of CPU time") != std::string::npos);
    }
    void aBusyMachineThatSlowsAll() {
        Stage s(3);
        s.warmUp();
        s.enter(0, 40, "sync_max_audio_length");
        s.enter(2, 40, "sync_max_audio_length");
        s.phase(1, Phase::ToDevice);
        for (auto& r : s.seen.ranks) {
            r.resources = ResourceView{};
            r.resources->cpuWaitShare = 0.9;
        }
        s.pass(3 * kSecond);
        QCOMPARE(s.only().cause, Cause::Preprocessing);
    }
    void whatACheckpointHasWritten() {
        Stage s(2);
        s.warmUp();
        s.enter(0, 40, "sync_max_audio_length");
        s.phase(1, Phase::Checkpoint);
        s.seen.ranks[1].resources = ResourceView{};
        s.seen.ranks[1].resources->writeBytesPerSecond = 1 << 20;
        s.pass(4 * kSecond);
        QCOMPARE(s.only().cause, Cause::Checkpoint);
        const auto written = s.only().evidence.writtenBytes.value_or(0);
        QVERIFY2(written > 3.0e6 && written < 4.3e6, std::to_string(written).c_str());
        QVERIFY(sentence(s.only(), s.now).english().find("1.05 MB/s") != std::string::npos);
    }
    void whereInTheEncoder_data() {
        QTest::addColumn<int>("place");
        QTest::addColumn<QString>("words");
        for (int p = static_cast<int>(ForwardSite::LengthSync); p < static_cast<int>(ForwardSite::Count); ++p)
            QTest::newRow(std::string(placeName(static_cast<ForwardSite>(p))).c_str())
                << p << QString::fromStdString(std::string(placeName(static_cast<ForwardSite>(p))));
    }
    void whereInTheEncoder() {
        QFETCH(int, place);
        QFETCH(QString, words);
        Stage s(2);
        s.warmUp();
        s.enter(0, 40, "sync_batchnorm:encoder.layers.0");
        s.board(1).place = static_cast<ForwardSite>(place);
        s.board(1).layer = 5;
        s.pass(3 * kSecond);
        QCOMPARE(s.only().phase, Phase::Forward);
        QCOMPARE(QString::fromStdString(s.only().evidence.place.value_or("")), words);
        QVERIFY(QString::fromStdString(sentence(s.only(), s.now).english()).contains(words));
    }
    void theTypicalStepOfManyRanksIsKnown() {
        Stage s(300);
        s.warmUp();
        s.enter(0, 40, "gradient:0");
        s.pass(3 * kSecond);
        QCOMPARE(s.only().evidence.typicalStepSeconds.value_or(0.0), 0.2);
        QCOMPARE(s.only().evidence.thresholdSeconds.value_or(0.0), 2.0);
    }
    /// A store has only the English text; the other language is rebuilt from the evidence.
    void everyRemedySpeaksBothLanguages() {
        Settings few, many;
        few.numWorkers = 2;
        many.numWorkers = 16;
        many.sampleRate = 0;
        many.dropLast = true;
        Settings keys, hydra, bare; // of programs
        keys.recipe = hydra.recipe = bare.recipe = keys.lengthSync = hydra.lengthSync = false;
        keys.programKeys = ProgramKeys::Known;
        hydra.programKeys = bare.programKeys = ProgramKeys::Hydra;
        keys.numWorkers = hydra.numWorkers = 2;
        hydra.dropLast = false;
        bare.limitsDuration = false;
        for (int c = 1; c < static_cast<int>(Cause::Count); ++c)
            for (const Settings& settings : {Settings{}, few, many, keys, hydra, bare}) {
                Incident in;
                in.cause = static_cast<Cause>(c);
                in.evidence = evidenceFromJson(
                    {{"pids", "7 8"}, {"keys", "a.b"}, {"cpu_share", 0.2}, {"others_longest_samples", 16'001}});
                in.remedy = remedyFor(in, settings);
                if (in.remedy.text.empty() && !settings.recipe) // some causes of programs have none
                    continue;
                const auto english = remedyText(in).english(), chinese = remedyText(in).text(Language::Chinese);
                QVERIFY2(!english.empty() && chinese != english, std::string(causeName(in.cause)).c_str());
                in.remedy.text = english;
                QCOMPARE(remedyText(in).english(), english);
                QCOMPARE(remedyText(in).text(Language::Chinese), chinese);
                in.remedy.text = std::string("something"); // text of an older version
                QCOMPARE(remedyText(in).text(Language::Chinese), std::string("something"));
            }
    }
};

RANKSCOPE_TEST(TestCauses)
#include "tst_causes.moc"
