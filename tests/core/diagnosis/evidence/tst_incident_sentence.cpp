// SPDX-License-Identifier: Apache-2.0
#include "core/diagnosis/evidence/incident_sentence.h"
#include "core/diagnosis/evidence/not_finite.h"
#include "core/diagnosis/evidence/remedy.h"
#include "core/diagnosis/model/incident.h"
#include "tests/support/test_runner.h"

#include <QTest>

#include <algorithm>

using rankscope::Language, rankscope::Message;
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
        in.evidence = evidenceFromJson({{"reading", "utt_0412.flac"}, {"reading_s", 3.4}});
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
    struct Case {
        Cause cause;
        std::vector<int> holders, waiters;
        Phase phase;
        bool over;
        double lastedSeconds;
        nlohmann::json evidence;
        const char *english, *chinese;
    };
    static Incident incidentOf(const Case& one) {
        Incident in = stall();
        in.remedy = {};
        in.cause = one.cause;
        in.holders = one.holders;
        in.waiters = one.waiters;
        in.phase = one.phase;
        in.step = 20;
        in.straggler = one.evidence.contains("window_steps");
        in.evidence = evidenceFromJson(one.evidence);
        if (one.over) {
            in.closed = CloseReason::Recovered;
            in.closedNs = in.openedNs + static_cast<std::int64_t>(one.lastedSeconds * 1e9);
        }
        return in;
    }
private Q_SLOTS:
    void english() {
        QCOMPARE(
            QString::fromStdString(sentence(stall(), 13'200'000'000).english()),
            QString("Rank 1 has been holding up ranks 0, 2, 3 for 3.2 s: they are waiting in all-reduce 512 "
                    "(sync_max_audio_length), rank 1 is still reading utt_0412.flac (3.4 s). Try num_workers: 4."));
    }
    void chinese() {
        const auto text = QString::fromStdString(sentence(stall(), 13'200'000'000).text(Language::Chinese));
        QVERIFY2(text.contains("rank 1 拖住 rank 0、2、3") &&
                     text.contains("all-reduce 512（sync_max_audio_length）") && text.contains("utt_0412.flac") &&
                     text.contains("建议将 num_workers 设为 4。"),
                 qPrintable(text));
    }
    /// The phase belongs to the rank with the long batch, not to the other ranks, which the sentence mentions last.
    void chineseSaysWhoIsInThePhase() {
        Incident in = stall();
        in.cause = Cause::LongBatch;
        in.phase = Phase::Backward;
        in.evidence = evidenceFromJson(
            {{"holder_longest_frames", 1500}, {"others_longest_frames", 211}, {"place", "layer"}, {"layer", 2}});
        const auto text = QString::fromStdString(sentence(in, 13'200'000'000, false).text(Language::Chinese));
        QVERIFY2(text.endsWith("其他 rank 最长 211 帧；rank 1 仍在 backward（第 2 层）。"), qPrintable(text));
    }
    /// In English, singular and plural, tenses and durations need separate patterns; Chinese has a translation for
    /// each.
    void numberAndTenseInBothLanguages() {
        const nlohmann::json inLayer{{"place", "layer"}, {"layer", 3}},
            saving{{"holder_phase_s", 5.0}, {"written_bytes", 3'000'000}, {"write_rate_bytes", 1'050'000}},
            lengths{{"holder_longest_frames", 1500}, {"others_longest_frames", 211}};
        const std::vector<Case> all{
            {Cause::DataLoading,
             {1},
             {0},
             Phase::DataWait,
             false,
             112,
             {{"reading", "a.flac"}, {"reading_s", 3800.0}},
             "Rank 1 has been holding up rank 0 for 1 min 52 s: rank 0 is waiting in all-reduce 512 "
             "(sync_max_audio_length), rank 1 is still reading a.flac (1 h 03 min).",
             "rank 1 拖住 rank 0 已 1 分 52 秒：rank 0 在 all-reduce 512（sync_max_audio_length）中等待，rank 1 "
             "仍在读取 a.flac（1 小时 03 分）。"},
            {Cause::SlowCompute,
             {1, 2},
             {0, 3},
             Phase::Forward,
             false,
             5,
             inLayer,
             "Ranks 1, 2 have been holding up ranks 0, 3 for 5.0 s: ranks 0, 3 are waiting in all-reduce 512 "
             "(sync_max_audio_length), they have been in forward (layer 3) for 5.0 s.",
             "rank 1、2 拖住 rank 0、3 已 5.0 秒：rank 0、3 在 all-reduce 512（sync_max_audio_length）中等待，这些 "
             "rank "
             "处于 forward（第 3 层）已 5.0 秒。"},
            {Cause::SlowCompute,
             {1, 2},
             {0, 3},
             Phase::Forward,
             true,
             5,
             inLayer,
             "Ranks 1, 2 held up ranks 0, 3 for 5.0 s: ranks 0, 3 waited in all-reduce 512 (sync_max_audio_length), "
             "they were in forward (layer 3) for 5.0 s.",
             "rank 1、2 曾拖住 rank 0、3 达 5.0 秒：rank 0、3 当时在 all-reduce "
             "512（sync_max_audio_length）中等待，这些 "
             "rank 当时处于 forward（第 3 层）已 5.0 秒。"},
            {Cause::LongBatch,
             {1},
             {0, 2},
             Phase::Backward,
             true,
             5,
             lengths,
             "Rank 1 held up ranks 0, 2 for 5.0 s: they waited in all-reduce 512 (sync_max_audio_length), rank 1 had a "
             "batch of up to 1500 frames, the others at most 211; it was in backward.",
             "rank 1 曾拖住 rank 0、2 达 5.0 秒：它们当时在 all-reduce 512（sync_max_audio_length）中等待，rank 1 "
             "的批次最长 "
             "1500 帧，其他 rank 最长 211 帧；rank 1 当时在 backward。"},
            {Cause::Checkpoint,
             {1},
             {},
             Phase::Checkpoint,
             false,
             0.34,
             saving,
             "Rank 1 has made no progress for 340 ms: rank 1 has been writing a checkpoint for 5.0 s, 3.00 MB so far "
             "at "
             "1.05 MB/s.",
             "rank 1 已 340 ms 没有进展：rank 1 正在写检查点（5.0 秒），已写 3.00 MB，1.05 MB/秒。"},
            {Cause::Stopped,
             {0, 1, 2, 3, 4, 5, 6, 7, 8},
             {9},
             Phase::Forward,
             false,
             5,
             {{"signal_name", "SIGSTOP"}},
             "9 ranks have been holding up rank 9 for 5.0 s: rank 9 is waiting in all-reduce 512 "
             "(sync_max_audio_length), they are stopped by SIGSTOP.",
             "9 个 rank 拖住 rank 9 已 5.0 秒：rank 9 在 all-reduce 512（sync_max_audio_length）中等待，这些 rank 被 "
             "SIGSTOP 暂停。"},
            {Cause::SlowCompute,
             {1},
             {0},
             Phase::Forward,
             false,
             5,
             {{"held_s", 112.0}, {"window_steps", 50}},
             "Rank 1 has repeatedly held up rank 0: 1 min 52 s in the last 50 steps. Its forward takes longer than on "
             "the other ranks.",
             "rank 1 反复拖住 rank 0：最近 50 步共 1 分 52 秒。它的 forward 阶段比其他 rank 更久。"},
            {Cause::AskedToLeave,
             {1, 2},
             {},
             Phase::Forward,
             true,
             5,
             {{"signal_name", "SIGTERM"}, {"sender", "kernel"}},
             "Ranks 1, 2 were asked to leave by SIGTERM from the kernel at step 20; all ranks left after the same "
             "step.",
             "rank 1、2 在第 20 步收到内核发来的 SIGTERM；所有 rank 已在跑完同一步后一起退出。"},
            {Cause::NotFinite,
             {1, 2},
             {},
             Phase::Backward,
             false,
             5,
             {{"what", "gradient"}, {"first_tensor", "out.weight"}},
             "Ranks 1, 2 have a gradient that is not finite at step 20; first seen in out.weight.",
             "rank 1、2 在第 20 步的梯度出现 NaN/Inf，首个张量：out.weight。"},
            {Cause::EmptyBatch,
             {1},
             {},
             Phase::Loss,
             true,
             5,
             nlohmann::json::object(),
             "Rank 1 got a batch without a masked frame at step 20, so it had no loss.",
             "rank 1 在第 20 步的批次没有一帧被掩码，因此没有损失。"},
            {Cause::Dead,
             {1},
             {0},
             Phase::Forward,
             false,
             5,
             {{"exit_code", 4}, {"out_of_memory", true}},
             "Rank 1 exited with code 4 (out of memory) at step 20, in forward. Rank 0 waited in all-reduce 512 "
             "(sync_max_audio_length).",
             "rank 1 在第 20 步的 forward 阶段以退出码 4 退出（内存不足）。rank 0 在 all-reduce "
             "512（sync_max_audio_length）中等待。"},
            {Cause::Paused,
             {},
             {},
             Phase::None,
             false,
             112,
             {{"paused", "ranks"}, {"signal_name", "SIGSTOP"}},
             "All ranks have been stopped from outside by SIGSTOP for 1 min 52 s.",
             "所有 rank 被外部用 SIGSTOP 暂停，已 1 分 52 秒。"},
        };
        for (const Case& one : all) {
            const Incident in = incidentOf(one);
            const Message said = sentence(in, in.openedNs + static_cast<std::int64_t>(one.lastedSeconds * 1e9));
            QCOMPARE(QString::fromStdString(said.english()), QString(one.english));
            QCOMPARE(QString::fromStdString(said.text(Language::Chinese)), QString(one.chinese));
        }
    }
    void whatIsOverIsToldInThePast() {
        Incident in = stall();
        in.remedy = {};
        in.waiters = {0};
        in.closed = CloseReason::Recovered;
        in.closedNs = in.openedNs + 50'100'000'000;
        QCOMPARE(QString::fromStdString(sentence(in, 99'000'000'000).english()),
                 QString("Rank 1 held up rank 0 for 50.1 s: rank 0 waited in all-reduce 512 (sync_max_audio_length), "
                         "rank 1 was reading utt_0412.flac (3.4 s)."));
        QCOMPARE(
            QString::fromStdString(sentence(in, 99'000'000'000).text(Language::Chinese)),
            QString("rank 1 曾拖住 rank 0 达 50.1 秒：rank 0 当时在 all-reduce 512（sync_max_audio_length）中等待，"
                    "rank 1 当时在读取 utt_0412.flac（3.4 秒）。"));
        in.collective = {};
        in.waiters = {};
        QCOMPARE(QString::fromStdString(sentence(in, 99'000'000'000).english()),
                 QString("Rank 1 made no progress for 50.1 s: rank 1 was reading utt_0412.flac (3.4 s)."));
    }
    void aFileThatWasReadForAMomentIsNotBlamedAfterwards() {
        Incident in = stall();
        in.remedy = {};
        in.waiters = {0};
        in.evidence.readingSeconds = 692e-6;
        in.evidence.holderPhaseSeconds = 25.1;
        in.closed = CloseReason::Recovered;
        in.closedNs = in.openedNs + 25'100'000'000;
        const QString said = QString::fromStdString(sentence(in, 99'000'000'000).english());
        QVERIFY2(!said.contains("utt_0412"), qPrintable(said));
        QVERIFY2(said.contains("had been waiting for its data loader for 25.1 s (data_wait)"), qPrintable(said));
    }
    /// After its incident is closed, no cause is described in the present tense.
    void noCauseGoesOnWhenItIsOver() {
        for (int c = 0; c < static_cast<int>(Cause::Count); ++c) {
            if (static_cast<Cause>(c) == Cause::Dead) // a dead rank stays dead
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
                    const auto text = QString::fromStdString(sentence(in, 99'000'000'000).english());
                    for (const char* present : {" is ", " has ", " have ", " are ", " holds ", " waits ", " wait ",
                                                " still ", " takes ", "ranks leave"})
                        QVERIFY2(!text.contains(QLatin1String(present)), qPrintable(text));
                }
        }
    }
    /// A rank that rejects its recipe has already said what to do.
    void aRefusalIsItsOwnRemedy() {
        for (const Cause cause : {Cause::Dead, Cause::NeverJoined}) {
            Incident in;
            in.cause = cause;
            in.evidence =
                evidenceFromJson({{"exit_code", 2},
                                  {"last_lines", "2026-11-23 12:00:00.000 info rank 1: one of 2\n"
                                                 "rankscope-trainer: trainer.strategy: fsdp is not supported\n"}});
            in.remedy = remedyFor(in, {});
            QCOMPARE(remedyText(in).english(),
                     std::string("Fix what was rejected: trainer.strategy: fsdp is not supported"));
            QVERIFY(QString::fromStdString(remedyText(in).text(Language::Chinese)).endsWith("fsdp is not supported"));
            in.evidence.exitCode = 1;
            QVERIFY(remedyFor(in, {}).text.english().find("log") != std::string::npos);
            in.evidence = evidenceFromJson({{"exit_code", 2}});
            QVERIFY(remedyFor(in, {}).text.english().find("log") != std::string::npos);
        }
    }
    /// The consequence for the run comes first, but only if it is more than a skipped step.
    void aLossThatStaysNaN() {
        Incident in;
        in.cause = Cause::NotFinite;
        in.holders = {1};
        in.step = 20;
        in.evidence = evidenceFromJson({{"what", "loss"}, {"first_tensor", "encoder.pre_encode.out.weight"}});
        const auto text = [&](Language language = Language::English) {
            return QString::fromStdString(sentence(in, 1, false).text(language));
        };
        QCOMPARE(text(), QString("Rank 1 has a loss that is not finite at step 20; first seen in "
                                 "encoder.pre_encode.out.weight."));
        QCOMPARE(notFiniteSince(std::vector{in}), std::int64_t(-1));
        in.evidence.lastStep = 23;
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
        in.evidence = evidenceFromJson({{"exit_code", 3}});
        const auto text = [&] { return QString::fromStdString(sentence(in, 1, false).english()); };
        const auto remedy = [&] { return QString::fromStdString(remedyFor(in, {}).text.english()); };
        QCOMPARE(text(), QString("Rank 0 exited with code 3 at step 199.")); // between two steps there is no phase
        QVERIFY(remedy().contains("log"));
        in.evidence.diskFull = true;
        QCOMPARE(text(), QString("Rank 0 ended because the disk or quota is full, at step 199."));
        QVERIFY2(remedy().contains("Free some space") && remedy().contains("launch it again"), qPrintable(remedy()));
        in.phase = Phase::Checkpoint;
        QVERIFY2(text().endsWith("at step 199, in checkpoint."), qPrintable(text()));
        in.evidence = evidenceFromJson({{"signal_name", "SIGKILL"}, {"out_of_memory", false}});
        QVERIFY2(remedy().contains("out-of-memory killer") && remedy().contains("dmesg"), qPrintable(remedy()));
        in.remedy = remedyFor(in, {});
        QVERIFY(QString::fromStdString(remedyText(in).text(Language::Chinese)).contains("dmesg"));
        const auto chinese = [&] { return QString::fromStdString(sentence(in, 1, false).text(Language::Chinese)); };
        QCOMPARE(chinese(), QString("rank 0 在第 199 步的 checkpoint 阶段被 SIGKILL 终止。"));
        in.step = -1;
        QCOMPARE(chinese(), QString("rank 0 在第一步之前被 SIGKILL 终止。"));
    }
    void sentencesBeginWithACapital() {
        Incident in = stall();
        in.waiters = {};
        in.collective = {};
        QCOMPARE(QString::fromStdString(sentence(in, 13'200'000'000, false).english()),
                 QString("Rank 1 has made no progress for 3.2 s: rank 1 is still reading utt_0412.flac (3.4 s)."));
    }
    void stragglerIsToldByItsWindow() {
        Incident in = slowRank();
        in.evidence = evidenceFromJson({{"held_s", 1.6}, {"window_steps", 50}});
        QCOMPARE(
            QString::fromStdString(sentence(in, 13'200'000'000, false).english()),
            QString(
                "Rank 1 has repeatedly held up rank 0: 1.6 s in the last 50 steps. Its forward takes longer than on "
                "the other ranks."));
        in.cause = Cause::LongBatch;
        in.evidence.longestBatchShare = 0.6;
        in.evidence.holderLongestFrames = 874;
        in.evidence.othersLongestFrames = 500;
        QVERIFY(QString::fromStdString(sentence(in, 13'200'000'000).english())
                    .contains("the longest in 60 % of them (874 frames on average; the others had 500)"));
    }
    void whatIsCertainOfAStraggler() {
        Incident in = slowRank();
        in.remedy = {};
        in.evidence =
            evidenceFromJson({{"held_s", 4.1}, {"window_steps", 12}, {"last_in_steps", 11}, {"late_step_s", 0.34}});
        QCOMPARE(
            QString::fromStdString(sentence(in, 13'200'000'000).english()),
            QString("Rank 1 has repeatedly held up rank 0: 4.1 s in the last 12 steps. It arrived last in 11 of them "
                    "and took 340 ms longer per step than the others. Its forward takes longer than on the other "
                    "ranks."));
        in.evidence.cpuQuota = 2.5;
        in.evidence.cpuThrottledShare = 0.5;
        QVERIFY(QString::fromStdString(sentence(in, 13'200'000'000).english())
                    .endsWith("Its control group allows it 2.5 processors and held it back in 50 % of the periods."));
        QVERIFY(QString::fromStdString(sentence(in, 13'200'000'000).text(Language::Chinese))
                    .contains("最近 12 步共 4.1 秒。其中 11 步它最后到达，平均每步比其他 rank 多用 340 ms。"));
    }
    void deathSaysOnlyWhatIsKnown() {
        Incident in = stall();
        in.cause = Cause::Dead;
        in.waiters = {0};
        in.step = -1;
        in.evidence = {};
        in.remedy = {};
        QCOMPARE(
            QString::fromStdString(sentence(in, 13'200'000'000).english()),
            QString("Rank 1 disappeared for an unknown reason before its first step. Rank 0 waited in all-reduce 512 "
                    "(sync_max_audio_length)."));
        in.step = 25;
        in.phase = Phase::Forward;
        in.evidence.signalName = "SIGSEGV";
        QVERIFY(QString::fromStdString(sentence(in, 13'200'000'000).english())
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
            in.evidence = {};
            for (const auto language : {Language::English, Language::Chinese}) {
                const auto text = sentence(in, 13'000'000'000).text(language);
                const bool blames = in.cause != Cause::Paused;
                QVERIFY2((text.find("ank 1") != std::string::npos) == blames, text.c_str());
                QVERIFY2(text.find("{}") == std::string::npos, text.c_str());
            }
        }
    }
    /// Evidence of another version is kept unchanged: its keys, and values of another type.
    void evidenceComesBack() {
        const nlohmann::json stored{{"reading", "utt_0412.flac"}, {"reading_s", 3.4},  {"layer", -1},
                                    {"out_of_memory", false},     {"exit_code", "9"},  {"pid", 1e300},
                                    {"lasted_s", nullptr},        {"what_zh", "损失"}, {"new", {{"deep", 1}}}};
        const Evidence evidence = evidenceFromJson(stored);
        QCOMPARE(evidence.reading.value_or(""), std::string("utt_0412.flac"));
        QCOMPARE(evidence.readingSeconds.value_or(0), 3.4);
        QCOMPARE(evidence.layer.value_or(0), std::int64_t{-1});
        QVERIFY(evidence.outOfMemory == false);
        QVERIFY(!evidence.exitCode && !evidence.pid && !evidence.lastedSeconds);
        QCOMPARE(toJson(evidence).dump(), stored.dump());
        for (const char* none : {"null", "[1,2]", "3"})
            QVERIFY(evidenceFromJson(nlohmann::json::parse(none)) == Evidence{});
        QCOMPARE(toJson(Evidence{}).dump(), std::string("{}"));
        for (const EvidenceField& field : kEvidenceFields)
            QCOMPARE(std::ranges::count(kEvidenceFields, field.key, &EvidenceField::key), 1);
        static_assert(keyOf(&Evidence::readingSeconds) == "reading_s" && keyOf(&Evidence::keys) == "keys");
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
