// SPDX-License-Identifier: GPL-3.0-or-later
// Every sentence that core says of a run's end has its Chinese, and in English stays what it was.
#include "core/launch/process/run_outcome.h"
#include "tests/support/test_runner.h"
#include "widgets/main_window/settings/window_language.h"
#include "widgets/models/failure/run_cause_text.h"
#include "widgets/models/text/store_health_text.h"

#include <QRegularExpression>
#include <QTest>

#include <csignal>

using namespace rankscope;
using namespace rankscope::launch;
using ui::runCauseText;

namespace {

RankEnd ended(int rank, bool signalled, int code, std::int64_t step, telemetry::Phase phase) {
    RankEnd end;
    end.rank = rank;
    end.process = ChildProcess::End{};
    end.process->signalled = signalled;
    end.process->code = code;
    end.step = step;
    end.done = std::max<std::int64_t>(0, step);
    end.phase = phase;
    return end;
}

/// Each way in which a rank can end, at each kind of place, with and without what it said.
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

QStringList everySentence() {
    QStringList all{QStringLiteral("finished"),
                    QStringLiteral("stopped by the user"),
                    QStringLiteral("finished; its supervisor was lost before it could say so"),
                    QStringLiteral("stopped by the user; its supervisor was lost before it could say so"),
                    QStringLiteral("its supervisor was lost (killed); no step was recorded"),
                    QStringLiteral("its supervisor was lost (the machine was restarted, or it ran on another one); "
                                   "recorded until step 17"),
                    QStringLiteral("this folder is a copy of a run that had not ended when it was copied"),
                    QStringLiteral("this folder is a copy of a run that had not ended when it was copied; no step was "
                                   "recorded"),
                    QStringLiteral("this folder is a copy of a run that had not ended when it was copied; recorded "
                                   "until step 17"),
                    QStringLiteral("the run's folder /17/42 was removed or renamed while it trained"),
                    QStringLiteral("the ranks hold different weights at the end"),
                    QStringLiteral("rank 3 left no records"),
                    QStringLiteral("rank 3 was cut off after step -1"),
                    QStringLiteral("from /17/42"),
                    QStringLiteral("from /17/42 and 2 more")};
    const RankEnd gone = ended(3, true, SIGKILL, 17, telemetry::Phase::None),
                  before = ended(3, true, SIGKILL, -1, telemetry::Phase::None);
    for (const char* from : {"42 (process 17 of 1000)", "process 17 of 1000", "a process outside this container",
                             "the kernel, because its CPU time is used up", "the kernel", "its terminal", "a timer"})
        for (const char* who : {"rank 1 was", "ranks 0, 1 were"}) {
            RankEnd killed = gone;
            killed.byUs = true;
            const std::string asked = std::string(who) + " asked to leave by SIGTERM from " + from;
            for (const RankEnd& end : {gone, before, killed}) {
                const RankEnd ends[]{end};
                all << QString::fromStdString(judge(ends, true, asked).cause);
            }
        }
    for (const RankEnd& end : allEnds()) {
        all << QString::fromStdString(endSentence(end));
        RankEnd other = ended(3, true, SIGKILL, end.step, telemetry::Phase::None);
        other.byUs = true;
        for (const bool stopping : {true, false}) {
            const RankEnd both[]{end, other}, twice[]{other, other};
            all << QString::fromStdString(judge(both, stopping).cause)
                << QString::fromStdString(judge(twice, stopping).cause);
        }
    }
    for (const std::int64_t step : {std::int64_t{-1}, std::int64_t{17}})
        for (const bool log : {false, true}) {
            RankEnd unseen = ended(3, false, 0, step, log ? telemetry::Phase::DataWait : telemetry::Phase::None);
            unseen.process->known = false;
            if (log)
                unseen.lastLines = {"42 %1"};
            all << QString::fromStdString(endSentence(unseen));
        }
    RankEnd one = ended(0, false, 0, 9, telemetry::Phase::None), two = ended(1, false, 0, 9, telemetry::Phase::None),
            three = ended(2, false, 0, 9, telemetry::Phase::None);
    for (auto* end : {&one, &two, &three})
        end->said = telemetry::EndCause::Finished;
    one.weightsHash = 1;
    two.weightsHash = three.weightsHash = 2;
    const RankEnd differ[]{one, two, three};
    all << QString::fromStdString(judge(differ, false).cause);
    for (const store::NotFiniteTail& tail :
         {store::NotFiniteTail{17, 3, true, true}, store::NotFiniteTail{17, 1, false, true},
          store::NotFiniteTail{17, 42, true, false}})
        for (const bool stopping : {false, true}) {
            RankEnd useless = one;
            useless.said = stopping ? telemetry::EndCause::Stopped : telemetry::EndCause::Finished;
            useless.notFinite = tail;
            const RankEnd ends[]{useless};
            all << QString::fromStdString(judge(ends, stopping).cause);
        }
    all.removeDuplicates();
    return all;
}

} // namespace

class RunCauseTexts : public QObject {
    Q_OBJECT

private slots:
    void englishStays() {
        ui::setLanguage(QStringLiteral("en"));
        for (const QString& sentence : everySentence())
            QCOMPARE(runCauseText(sentence.toStdString()), sentence);
    }

    void everyOneHasItsChinese() {
        ui::setLanguage(QStringLiteral("zh"));
        const QStringList all = everySentence();
        QVERIFY(all.size() > 60);
        static const QRegularExpression english(QStringLiteral("[A-Za-z]{2,}")),
            names(QStringLiteral("\\brank\\b|SIG[A-Z]+|signal \\d+|data_wait|NaN|CPU"));
        for (const QString& sentence : all) {
            QString chinese = runCauseText(sentence.toStdString());
            QVERIFY2(!chinese.remove(names).contains(english), qPrintable(sentence + QStringLiteral(" -> ") + chinese));
            QVERIFY2(!chinese.contains(QRegularExpression(QStringLiteral("%[2-9]"))), qPrintable(chinese));
        }
    }

    void whyAStoreCannotBeOpened() {
        const QString file = QStringLiteral("/runs/x/run.sqlite"),
                      other = QStringLiteral("/runs/x/run.sqlite: is a folder");
        for (const char* what : {"is damaged so that nothing in it can be read: it is damaged (x)",
                                 "holds only zeros: it was damaged by the disk, or by a power cut; nothing can be read",
                                 "is not a store of Rankscope: it is a text"}) {
            const QString message = file + QStringLiteral(": ") + QString::fromUtf8(what);
            ui::setLanguage(QStringLiteral("en"));
            const QString english = ui::storeErrorText(message);
            QVERIFY2(english.startsWith(file + QLatin1Char(' ')) && english.endsWith(u'.'), qPrintable(english));
            QVERIFY2(english.count(QStringLiteral("damaged")) <= 1, qPrintable(english));
            ui::setLanguage(QStringLiteral("zh"));
            const QString chinese = ui::storeErrorText(message);
            QVERIFY2(chinese.startsWith(file) && chinese.endsWith(QStringLiteral("。")), qPrintable(chinese));
        }
        QCOMPARE(ui::storeErrorText(other), other);
    }

    /// Its own name, and what the sentence says already, do not stand there twice.
    void nothingIsSaidTwice() {
        ui::setLanguage(QStringLiteral("en"));
        QCOMPARE(runCauseText("rank 1 ran out of memory at step 25 while in forward: rank 1: out of memory: an "
                              "allocation failed"),
                 QStringLiteral("rank 1 ran out of memory at step 25 while in forward"));
        QCOMPARE(runCauseText("rank 0 ended with exit code 3 at step 4: rank 0: cannot open x"),
                 QStringLiteral("rank 0 ended with exit code 3 at step 4: cannot open x"));
        QCOMPARE(runCauseText("rank 0 ended with exit code 3 at step 4: rank 1: cannot open x"),
                 QStringLiteral("rank 0 ended with exit code 3 at step 4: rank 1: cannot open x"));
    }

    void whatARankSaidStays() {
        ui::setLanguage(QStringLiteral("zh"));
        QCOMPARE(runCauseText("rank 1 ended with exit code 3 at step 4 while in forward: cannot open %1 at step 9"),
                 QStringLiteral("rank 1 在第 4 步的 forward 阶段以退出码 3 退出：cannot open %1 at step 9"));
        QCOMPARE(runCauseText("stopped by the user after 5 steps"), QStringLiteral("5 步之后由用户停止"));
        QCOMPARE(runCauseText("stopped by the user at step 5; ranks 0, 2 had to be killed"),
                 QStringLiteral("在第 5 步由用户停止；rank 0、2 只能强制终止"));
        QCOMPARE(runCauseText("the ranks hold different weights at the end: rank 0 against ranks 1, 2"),
                 QStringLiteral("各 rank 结束时的权重不同：rank 0 与 rank 1、2"));
        for (const char* unknown : {"", "somebody's own words", "rank x ended", "rank 1 ended with a bang at step 3"})
            QCOMPARE(runCauseText(unknown), QString::fromUtf8(unknown));
    }

    /// run.json is anybody's: a sentence that goes on inside itself is read once.
    void aLongOneIsReadOnce() {
        QString text;
        for (int i = 0; i < 20000; ++i)
            text += QStringLiteral("stopped by the user at step 1; while stopping ");
        QVERIFY(runCauseText(text.toStdString()).size() > 400'000);
    }
};

RANKSCOPE_CORE_TEST(RunCauseTexts)
#include "tst_run_cause_text.moc"
