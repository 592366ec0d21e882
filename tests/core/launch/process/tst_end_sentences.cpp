// SPDX-License-Identifier: Apache-2.0
// Every sentence about the end of a run has a Chinese translation and survives a round trip through run.json.
#include "core/launch/process/run_outcome.h"
#include "tests/support/test_runner.h"

#include <QRegularExpression>
#include <QTest>

#include <nlohmann/json.hpp>

#include <csignal>

using namespace rankscope;
using namespace rankscope::launch;

namespace {

RankEnd ended(int rank, bool signalled, int code, std::int64_t step, telemetry::Phase phase) {
    RankEnd end;
    end.rank = rank;
    end.process = ProcessEnd{};
    end.process->signalled = signalled;
    end.process->code = code;
    end.step = step;
    end.done = std::max<std::int64_t>(0, step);
    end.phase = phase;
    return end;
}

/// Returns each way in which a rank can end, at each kind of place, with and without its own message.
std::vector<RankEnd> allEnds() {
    std::vector<RankEnd> ends;
    for (const auto step : {std::int64_t{-1}, std::int64_t{1234567}})
        for (const auto phase : {telemetry::Phase::None, telemetry::Phase::DataWait})
            for (const bool signalled : {true, false})
                for (const auto& [memory, disk] : {std::pair(true, false), {false, true}, {false, false}})
                    for (const auto said : {telemetry::EndCause::Stopped, telemetry::EndCause::Failed})
                        for (const int code : {0, 3, 9, 64})
                            for (const bool log : {true, false}) {
                                RankEnd end = ended(12, signalled, code, step, phase);
                                end.outOfMemory = memory;
                                end.diskFull = disk;
                                end.said = said;
                                end.text = log ? "" : "17: 42";
                                if (log)
                                    end.lastLines = {"17", "42 %1"};
                                ends.push_back(end);
                            }
    return ends;
}

std::vector<Message> everySentence() {
    const Message copy = "this folder is a copy of a run that had not ended when it was copied",
                  none = "no step was recorded", until("recorded until step {}", 17);
    std::vector<Message> all{
        "finished",
        "stopped by the user",
        "finished; its supervisor was lost before it could say so",
        "stopped by the user; its supervisor was lost before it could say so",
        {"its supervisor was lost (killed); {}", none},
        {"its supervisor was lost (the machine was restarted, or it ran on another one); {}", until},
        copy,
        {"{}; {}", copy, none},
        {"{}; {}", copy, until},
        {"the run's folder {} was removed or renamed while it trained", "/17/42"},
        "the ranks hold different weights at the end",
        {"rank {} left no records", 3},
        {"rank {} was cut off after step {}", 3, -1},
        {"rank {}: {}", 3, "42"},
        {"from {}", "/17/42"},
        {"from {} and {} more", "/17/42", 2}};
    const RankEnd gone = ended(3, true, SIGKILL, 17, telemetry::Phase::None),
                  before = ended(3, true, SIGKILL, -1, telemetry::Phase::None);
    for (const Message& asked : {Message("{} was asked to leave by {} from {}", Ranks{{1}}, "SIGTERM", "42"),
                                 Message("{} were asked to leave by {} from {}", Ranks{{0, 1}}, "SIGTERM", "42")}) {
        RankEnd killed = gone;
        killed.byUs = true;
        for (const RankEnd& end : {gone, before, killed}) {
            const RankEnd ends[]{end};
            all.push_back(determineOutcome(ends, true, asked).cause);
        }
    }
    for (const RankEnd& end : allEnds()) {
        all.push_back(endSentence(end));
        RankEnd other = ended(3, true, SIGKILL, end.step, telemetry::Phase::None);
        other.byUs = true;
        for (const bool stopping : {true, false}) {
            const RankEnd both[]{end, other}, twice[]{other, other};
            all.push_back(determineOutcome(both, stopping).cause);
            all.push_back(determineOutcome(twice, stopping).cause);
        }
    }
    for (const std::int64_t step : {std::int64_t{-1}, std::int64_t{17}})
        for (const bool log : {false, true}) {
            RankEnd unseen = ended(3, false, 0, step, log ? telemetry::Phase::DataWait : telemetry::Phase::None);
            unseen.process->known = false;
            if (log)
                unseen.lastLines = {"42 %1"};
            all.push_back(endSentence(unseen));
        }
    RankEnd one = ended(0, false, 0, 9, telemetry::Phase::None), two = ended(1, false, 0, 9, telemetry::Phase::None),
            three = ended(2, false, 0, 9, telemetry::Phase::None);
    for (auto* end : {&one, &two, &three})
        end->said = telemetry::EndCause::Finished;
    one.weightsHash = 1;
    two.weightsHash = three.weightsHash = 2;
    const RankEnd differ[]{one, two, three};
    all.push_back(determineOutcome(differ, false).cause);
    for (const store::NotFiniteTail& tail :
         {store::NotFiniteTail{17, 3, true, true}, store::NotFiniteTail{17, 1, false, true},
          store::NotFiniteTail{17, 42, true, false}})
        for (const bool stopping : {false, true}) {
            RankEnd useless = one;
            useless.said = stopping ? telemetry::EndCause::Stopped : telemetry::EndCause::Finished;
            useless.notFinite = tail;
            const RankEnd ends[]{useless};
            all.push_back(determineOutcome(ends, stopping).cause);
        }
    return all;
}

} // namespace

class TestEndSentences : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void everyOneHasItsChinese() {
        static const QRegularExpression english(QStringLiteral("[A-Za-z]{2,}")),
            names(QStringLiteral("\\brank\\b|SIG[A-Z]+|signal \\d+|data_wait|NaN|CPU"));
        for (const Message& sentence : everySentence()) {
            QString chinese = QString::fromStdString(sentence.text(Language::Chinese));
            QVERIFY2(!chinese.remove(names).contains(english), qPrintable(chinese));
        }
    }

    void everyOneComesBackFromJson() {
        for (const Message& sentence : everySentence()) {
            const auto text = sentence.toJson().dump();
            const Message read = Message::fromJson(nlohmann::json::parse(text), "");
            QVERIFY2(read == sentence, text.c_str());
        }
    }

    /// The most deeply nested ones: NaN, then a requested stop, then a rank that ended badly.
    void theDeepestComesBackFromJson() {
        RankEnd useless = ended(0, false, 0, 9, telemetry::Phase::None),
                bad = ended(1, false, 3, 9, telemetry::Phase::DataWait);
        useless.said = telemetry::EndCause::Stopped;
        useless.notFinite = {17, 42, true, true};
        bad.said = telemetry::EndCause::Failed;
        bad.text = "42";
        const RankEnd ends[]{useless, bad};
        const Message asked("{} was asked to leave by {} from {}", Ranks{{1}}, "SIGTERM",
                            Message("{} (process {} of {})", "earlyoom", 4711, "root"));
        const Message cause = determineOutcome(ends, true, asked).cause;
        QVERIFY(cause.english().find("; while stopping rank 1 ended with exit code 3 at step 9") != std::string::npos);
        QVERIFY(Message::fromJson(cause.toJson(), "") == cause);
    }

    /// The rank's own name, and what the sentence says already, are not repeated.
    void nothingIsSaidTwice() {
        const auto said = [](bool outOfMemory, const char* text) {
            RankEnd end = ended(1, false, 3, 25, telemetry::Phase::Forward);
            end.said = telemetry::EndCause::Failed;
            end.outOfMemory = outOfMemory;
            end.text = text;
            return endSentence(end).english();
        };
        QCOMPARE(said(true, "rank 1: out of memory: an allocation failed"),
                 std::string("rank 1 ran out of memory at step 25 while in forward"));
        QCOMPARE(said(false, "rank 1: cannot open x"),
                 std::string("rank 1 ended with exit code 3 at step 25 while in forward: cannot open x"));
        QCOMPARE(said(false, "rank 0: cannot open x"),
                 std::string("rank 1 ended with exit code 3 at step 25 while in forward: rank 0: cannot open x"));
    }

    void inChinese() {
        const auto chinese = [](const Message& message) {
            return QString::fromStdString(message.text(Language::Chinese));
        };
        RankEnd end = ended(1, false, 3, 4, telemetry::Phase::Forward);
        end.said = telemetry::EndCause::Failed;
        end.text = "cannot open {} at step 9";
        QCOMPARE(chinese(endSentence(end)),
                 QStringLiteral("rank 1 在第 4 步的 forward 阶段以退出码 3 退出：cannot open {} at step 9"));
        RankEnd killed = ended(0, true, SIGKILL, 5, telemetry::Phase::None);
        killed.byUs = true;
        RankEnd other = killed;
        other.rank = 2;
        const RankEnd both[]{killed, other};
        QCOMPARE(chinese(determineOutcome(both, true).cause),
                 QStringLiteral("5 步之后由用户停止；rank 0、2 只能强制终止"));
        RankEnd weights[]{ended(0, false, 0, 9, telemetry::Phase::None), ended(1, false, 0, 9, telemetry::Phase::None),
                          ended(2, false, 0, 9, telemetry::Phase::None)};
        for (RankEnd& one : weights) {
            one.said = telemetry::EndCause::Finished;
            one.weightsHash = one.rank == 0 ? 1 : 2;
        }
        QCOMPARE(chinese(determineOutcome(weights, false).cause),
                 QStringLiteral("各 rank 结束时的权重不同：rank 0 与 rank 1、2"));
    }
};

RANKSCOPE_CORE_TEST(TestEndSentences)
#include "tst_end_sentences.moc"
