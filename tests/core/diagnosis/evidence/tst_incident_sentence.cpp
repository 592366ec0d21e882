// SPDX-License-Identifier: Apache-2.0
#include "core/diagnosis/evidence/incident_sentence.h"
#include "core/diagnosis/evidence/not_finite.h"
#include "core/diagnosis/evidence/remedy.h"
#include "core/diagnosis/model/incident.h"
#include "tests/support/test_runner.h"

#include <QTest>

using namespace rankscope::diagnosis;
using namespace rankscope::telemetry;

class TestSentence : public QObject {
    Q_OBJECT
private:
    static Incident stall() {
        Incident in;
        in.cause = Cause::DataLoading;
        in.phase = Phase::DataWait;
        in.holders = {1};
        in.waiters = {0, 2, 3};
        in.collective = {"sync_max_audio_length", CollectiveOp::AllReduce, 0, 512, true};
        in.openedNs = 10'000'000'000;
        in.remedy = {"Set num_workers to 4 (now 1)", "model.train_ds.num_workers", "4"};
        in.evidence = {{"reading", "utt_0412.flac"}, {"reading_s", 3.4}};
        return in;
    }
    static Incident slowRank() {
        Incident in = stall();
        in.straggler = true;
        in.waiters = {0};
        in.collective = {};
        in.cause = Cause::SlowCompute;
        in.phase = Phase::Forward;
        return in;
    }
private Q_SLOTS:
    void english() {
        QCOMPARE(
            QString::fromStdString(sentence(stall(), 13'200'000'000)),
            QString("Rank 1 has held up ranks 0, 2, 3 for 3.2 s: they wait in all-reduce 512 "
                    "(sync_max_audio_length), rank 1 is still reading utt_0412.flac (3.4 s). Try num_workers: 4."));
    }
    void chinese() {
        const auto text = QString::fromStdString(sentence(stall(), 13'200'000'000, Language::Chinese));
        QVERIFY2(text.contains("rank 1 拖住 rank 0、2、3") &&
                     text.contains("all-reduce 512（sync_max_audio_length）") && text.contains("utt_0412.flac") &&
                     text.contains("建议将 num_workers 设为 4。"),
                 qPrintable(text));
    }
    /// The rank with the long batch is the one that is in a phase, not the others that the sentence names last.
    void chineseSaysWhoIsInThePhase() {
        Incident in = stall();
        in.cause = Cause::LongBatch;
        in.phase = Phase::Backward;
        in.evidence = {
            {"holder_longest_frames", 1500}, {"others_longest_frames", 211}, {"place", "layer"}, {"layer", 2}};
        const auto text = QString::fromStdString(sentence(in, 13'200'000'000, Language::Chinese, false));
        QVERIFY2(text.endsWith("其他 rank 最长 211 帧；rank 1 仍在 backward（第 2 层）。"), qPrintable(text));
    }
    void whatIsOverIsToldInThePast() {
        Incident in = stall();
        in.remedy = {};
        in.waiters = {0};
        in.closed = CloseReason::Recovered;
        in.closedNs = in.openedNs + 50'100'000'000;
        QCOMPARE(QString::fromStdString(sentence(in, 99'000'000'000)),
                 QString("Rank 1 held up rank 0 for 50.1 s: rank 0 waited in all-reduce 512 (sync_max_audio_length), "
                         "rank 1 was reading utt_0412.flac (3.4 s)."));
        QCOMPARE(
            QString::fromStdString(sentence(in, 99'000'000'000, Language::Chinese)),
            QString("rank 1 曾拖住 rank 0 达 50.1 秒：rank 0 当时在 all-reduce 512（sync_max_audio_length）中等待，"
                    "rank 1 当时在读取 utt_0412.flac（3.4 秒）。"));
        in.collective = {};
        in.waiters = {};
        QCOMPARE(QString::fromStdString(sentence(in, 99'000'000'000)),
                 QString("Rank 1 made no progress for 50.1 s: rank 1 was reading utt_0412.flac (3.4 s)."));
    }
    /// No cause has a present tense left once its incident is closed.
    void noCauseGoesOnWhenItIsOver() {
        for (int c = 0; c < static_cast<int>(Cause::Count); ++c) {
            if (static_cast<Cause>(c) == Cause::Dead) // a rank is gone for good
                continue;
            for (const std::vector<int>& holders : {std::vector<int>{1}, std::vector<int>{1, 2}})
                for (const bool straggler : {false, true}) {
                    Incident in = stall();
                    in.cause = static_cast<Cause>(c);
                    in.phase = Phase::Forward;
                    in.holders = holders;
                    in.straggler = straggler;
                    in.step = 7;
                    in.remedy = {};
                    in.closed = CloseReason::Recovered;
                    in.closedNs = in.openedNs + 5'000'000'000;
                    const auto text = QString::fromStdString(sentence(in, 99'000'000'000));
                    for (const char* present : {" is ", " has ", " have ", " are ", " holds ", " waits ", " wait ",
                                                " still ", " takes ", "ranks leave"})
                        QVERIFY2(!text.contains(QLatin1String(present)), qPrintable(text));
                }
        }
    }
    /// A rank that refuses its recipe has said what to do.
    void aRefusalIsItsOwnRemedy() {
        for (const Cause cause : {Cause::Dead, Cause::NeverJoined}) {
            Incident in;
            in.cause = cause;
            in.evidence = {{"exit_code", 2},
                           {"last_lines", "2026-11-23 12:00:00.000 info rank 1: one of 2\n"
                                          "rankscope-trainer: trainer.strategy: fsdp is not supported\n"}};
            in.remedy = remedyFor(in, {});
            QCOMPARE(remedyText(in), std::string("Correct what it refuses: trainer.strategy: fsdp is not supported"));
            QVERIFY(QString::fromStdString(remedyText(in, Language::Chinese)).endsWith("fsdp is not supported"));
            in.evidence["exit_code"] = 1;
            QVERIFY(remedyFor(in, {}).text.find("log") != std::string::npos);
            in.evidence = {{"exit_code", 2}};
            QVERIFY(remedyFor(in, {}).text.find("log") != std::string::npos);
        }
    }
    /// What it means for the run comes first, and only when it is more than a step that was skipped.
    void aLossThatStaysNaN() {
        Incident in;
        in.cause = Cause::NotFinite;
        in.holders = {1};
        in.step = 20;
        in.evidence = {{"what", "loss"}, {"what_zh", "损失"}, {"first_tensor", "encoder.pre_encode.out.weight"}};
        const auto text = [&](Language language = Language::English) {
            return QString::fromStdString(sentence(in, 1, language, false));
        };
        QCOMPARE(text(), QString("Rank 1 has a loss that is not finite at step 20; first tensor: "
                                 "encoder.pre_encode.out.weight."));
        QCOMPARE(notFiniteSince(std::vector{in}), std::int64_t(-1));
        in.evidence["last_step"] = 23;
        QVERIFY2(text().startsWith("The loss has been NaN since step 20; stop the run. Rank 1 has"),
                 qPrintable(text()));
        QVERIFY2(text(Language::Chinese).startsWith("从第 20 步起损失一直是 NaN，请停止任务。"), qPrintable(text()));
        QCOMPARE(notFiniteSince(std::vector{in}), std::int64_t(20));
        in.closed = CloseReason::RunEnded;
        in.closedNs = 5;
        QVERIFY2(text().startsWith("The loss was NaN from step 20 to step 23. Rank 1 had"), qPrintable(text()));
        QCOMPARE(notFiniteSince(std::vector{in}), std::int64_t(-1));
    }
    void howARankDied() {
        Incident in;
        in.cause = Cause::Dead;
        in.holders = {0};
        in.step = 199;
        in.evidence = {{"exit_code", 3}};
        const auto text = [&] { return QString::fromStdString(sentence(in, 1, Language::English, false)); };
        const auto remedy = [&] { return QString::fromStdString(remedyFor(in, {}).text); };
        QCOMPARE(text(), QString("Rank 0 exited with code 3 at step 199.")); // between two steps it is in no phase
        QVERIFY(remedy().contains("log"));
        in.evidence["disk_full"] = true;
        QCOMPARE(text(), QString("Rank 0 ended because the disk or quota is full, at step 199."));
        QVERIFY2(remedy().contains("Free some space") && remedy().contains("launch it again"), qPrintable(remedy()));
        in.phase = Phase::Checkpoint;
        QVERIFY2(text().endsWith("at step 199, in checkpoint."), qPrintable(text()));
        in.evidence = {{"signal_name", "SIGKILL"}, {"out_of_memory", false}};
        QVERIFY2(remedy().contains("out-of-memory killer") && remedy().contains("dmesg"), qPrintable(remedy()));
        in.remedy = remedyFor(in, {});
        QVERIFY(QString::fromStdString(remedyText(in, Language::Chinese)).contains("dmesg"));
        const auto chinese = [&] { return QString::fromStdString(sentence(in, 1, Language::Chinese, false)); };
        QCOMPARE(chinese(), QString("rank 0 在第 199 步的 checkpoint 阶段被 SIGKILL 终止。"));
        in.step = -1;
        QCOMPARE(chinese(), QString("rank 0 在第一步之前被 SIGKILL 终止。"));
    }
    void sentencesBeginWithACapital() {
        Incident in = stall();
        in.waiters = {};
        in.collective = {};
        QCOMPARE(QString::fromStdString(sentence(in, 13'200'000'000, Language::English, false)),
                 QString("Rank 1 has made no progress for 3.2 s: rank 1 is still reading utt_0412.flac (3.4 s)."));
    }
    void stragglerIsToldByItsWindow() {
        Incident in = slowRank();
        in.evidence = {{"held_s", 1.6}, {"window_steps", 50}};
        QCOMPARE(
            QString::fromStdString(sentence(in, 13'200'000'000, Language::English, false)),
            QString(
                "Rank 1 has held up rank 0 again and again: 1.6 s in the last 50 steps. Its forward takes longer than "
                "that of the others."));
        in.cause = Cause::LongBatch;
        in.evidence.update(
            {{"longest_batch_share", 0.6}, {"holder_longest_frames", 874}, {"others_longest_frames", 500}});
        QVERIFY(QString::fromStdString(sentence(in, 13'200'000'000))
                    .contains("the longest in 60 % of them (874 frames on average, the others 500)"));
    }
    void whatIsCertainOfAStraggler() {
        Incident in = slowRank();
        in.remedy = {};
        in.evidence = {{"held_s", 4.1}, {"window_steps", 12}, {"last_in_steps", 11}, {"late_step_s", 0.34}};
        QCOMPARE(
            QString::fromStdString(sentence(in, 13'200'000'000)),
            QString("Rank 1 has held up rank 0 again and again: 4.1 s in the last 12 steps. It came last in 11 of them "
                    "and took 340 ms a step more than the others. Its forward takes longer than that of the "
                    "others."));
        in.evidence.update({{"cpu_quota", 2.5}, {"cpu_throttled_share", 0.5}});
        QVERIFY(QString::fromStdString(sentence(in, 13'200'000'000))
                    .endsWith("Its control group allows it 2.5 processors and held it back in 50 % of the periods."));
        QVERIFY(QString::fromStdString(sentence(in, 13'200'000'000, Language::Chinese))
                    .contains("最近 12 步共 4.1 秒。其中 11 步它最后到达，平均每步比其他 rank 多用 340 ms。"));
    }
    void deathSaysOnlyWhatIsKnown() {
        Incident in = stall();
        in.cause = Cause::Dead;
        in.waiters = {0};
        in.step = -1;
        in.evidence = nlohmann::json::object();
        in.remedy = {};
        QCOMPARE(
            QString::fromStdString(sentence(in, 13'200'000'000)),
            QString("Rank 1 is gone, nobody saw how it ended, before its first step. Rank 0 waited in all-reduce 512 "
                    "(sync_max_audio_length)."));
        in.step = 25;
        in.phase = Phase::Forward;
        in.evidence["signal_name"] = "SIGSEGV";
        QVERIFY(QString::fromStdString(sentence(in, 13'200'000'000))
                    .startsWith("Rank 1 was ended by SIGSEGV at step 25, in forward. Rank 0 waited"));
    }
    void everyCauseHasAName() {
        for (int c = 0; c < static_cast<int>(Cause::Count); ++c) {
            const auto name = causeName(static_cast<Cause>(c));
            QVERIFY(!name.empty());
            QCOMPARE(causeFromName(name), static_cast<Cause>(c));
        }
        QCOMPARE(causeFromName("no such"), Cause::Unknown);
    }
    void everyCauseSpeaksInBothLanguages() {
        for (int c = 0; c < static_cast<int>(Cause::Count); ++c) {
            Incident in = stall();
            in.cause = static_cast<Cause>(c);
            in.evidence = nlohmann::json::object();
            for (const auto language : {Language::English, Language::Chinese}) {
                const auto text = sentence(in, 13'000'000'000, language);
                const bool blames = in.cause != Cause::Paused;
                QVERIFY2((text.find("ank 1") != std::string::npos) == blames, text.c_str());
                QVERIFY2(text.find("{}") == std::string::npos, text.c_str());
            }
        }
    }
    void jsonHasTheAgreedKeys() {
        const auto j = toJson(stall(), 4'000'000'000);
        for (const char* key : {"cause", "phase", "holders", "waiters", "collective", "step", "opened_s",
                                "detected_after_s", "closed_s", "remedy", "evidence"})
            QVERIFY2(j.contains(key), key);
        QCOMPARE(j["opened_s"].get<double>(), 6.0);
        QVERIFY(j["closed_s"].is_null());
        QCOMPARE(j["collective"]["seq"].get<int>(), 512);
        QCOMPARE(j["cause"].get<std::string>(), std::string("data_loading"));
    }
};

RANKSCOPE_TEST(TestSentence)
#include "tst_incident_sentence.moc"
