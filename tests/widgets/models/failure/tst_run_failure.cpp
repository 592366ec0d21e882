// SPDX-License-Identifier: GPL-3.0-or-later
// The way in which a run ended is turned into culprit, meaning and next step.
#include "tests/support/test_runner.h"
#include "widgets/main_window/settings/window_language.h"
#include "widgets/models/failure/failure_text.h"
#include "widgets/models/failure/remedy_offer.h"

#include <QLocale>
#include <QTemporaryDir>
#include <QTest>

#include <fmt/format.h>

#include <cmath>
#include <fstream>

using namespace rankscope;
using namespace rankscope::ui;
using launch::EndKind;
using launch::EndReason;
using launch::RunState;

namespace {

RunView failed(const std::string& cause, const EndReason& reason, int ranks = 2, std::int64_t step = 169) {
    RunView view;
    view.info.id = "20260101-100000-x-0001";
    view.info.state = RunState::Failed;
    view.info.cause = cause;
    view.info.reason = reason;
    view.info.worldSize = ranks;
    view.info.rankPids = {4711, 4712};
    view.info.endRealtimeNs = 1'795'464'131'000'000'000;
    view.step = step;
    for (int r = 0; r < ranks; ++r)
        view.ranks.push_back({r, {}, step});
    return view;
}

/// Returns a run of which a rank was killed in step 170.
RunView killed(int rank = 1, int ranks = 2) {
    return failed(fmt::format("rank {} ended with SIGKILL at step 170", rank), {EndKind::Killed, rank, 170}, ranks);
}

diagnosis::Incident death(std::int64_t id, int rank, std::int64_t step) {
    diagnosis::Incident in;
    in.id = id;
    in.cause = diagnosis::Cause::Dead;
    in.holders = {rank};
    in.step = step;
    in.closed = diagnosis::CloseReason::RunEnded;
    return in;
}

} // namespace

class RunFailureTest : public QObject {
    Q_OBJECT
private slots:
    void initTestCase() { QLocale::setDefault(QLocale::English); }

    void kinds_data() {
        QTest::addColumn<int>("kind");
        QTest::addColumn<int>("culprit");
        QTest::addColumn<int>("step");
        QTest::addColumn<QString>("meaning");
        const auto row = [](EndKind kind, int culprit, int step, const char* meaning) {
            QTest::addRow("%s, %d", launch::endKindName(kind).data(), step)
                << static_cast<int>(kind) << culprit << step << QString::fromUtf8(meaning);
        };
        row(EndKind::Killed, 1, 170, "out-of-memory killer");
        row(EndKind::Crashed, 1, 170, "crashed");
        row(EndKind::OutOfMemory, 0, 3, "Memory ran out");
        row(EndKind::Exited, 1, -1, "before its first step");
        row(EndKind::Exited, 1, 170, "Its log shows why");
        row(EndKind::DiskFull, 0, 199, "Free some space");
        row(EndKind::NotFinite, -1, 20, "learned nothing");
        row(EndKind::Refused, 1, -1, "Fix the recipe");
        row(EndKind::SupervisorLost, -1, 118, "supervisor");
        row(EndKind::MachineRestarted, -1, -1, "machine");
        row(EndKind::Copied, -1, 118, "its original folder");
        row(EndKind::FolderRemoved, -1, -1, "folder");
        row(EndKind::WeightsDiffer, -1, -1, "same weights");
        row(EndKind::Other, -1, -1, "");
    }
    void kinds() {
        QFETCH(int, kind);
        QFETCH(int, culprit);
        QFETCH(int, step);
        QFETCH(QString, meaning);
        const RunView view =
            failed("words that nobody reads", {static_cast<EndKind>(kind), culprit, step}, 2, step < 0 ? -1 : 169);
        const auto failure = failureOf(view);
        QVERIFY(failure);
        QCOMPARE(static_cast<int>(failure->kind), kind);
        QCOMPARE(failure->culprit, culprit);
        QCOMPARE(failure->victims.size(), culprit < 0 ? 0u : 1u);
        QCOMPARE(failure->beforeFirstStep, step < 0);
        const FailureText text = failureText(view, *failure, nullptr);
        QVERIFY2(meaning.isEmpty() ? text.meaning.isEmpty() : text.meaning.contains(meaning), qPrintable(text.meaning));
        QCOMPARE(text.headline, QStringLiteral("Words that nobody reads."));
    }
    void anEndThatNobodyRecorded() {
        RunView view = failed("", {}, 2, 169);
        view.info.state = RunState::Lost;
        QCOMPARE(static_cast<int>(failureOf(view)->kind), static_cast<int>(EndKind::SupervisorLost));
    }
    void nothingIsCutFromTheCause() {
        const std::string tail(400, 'y');
        const RunView view = failed("rank 1 ended with exit code 3 at step 170: " + tail, {EndKind::Exited, 1, 170});
        QVERIFY(failureText(view, *failureOf(view), nullptr).headline.contains(QString::fromStdString(tail)));
    }
    void whoFellBecauseOfWhom() {
        RunView view = killed(2, 4);
        const auto failure = failureOf(view);
        QCOMPARE(failure->victims, (std::vector<int>{0, 1, 3}));
        QCOMPARE(failureText(view, *failure, nullptr).facts.front(),
                 QStringLiteral("Ranks 0, 1, 3 ended because rank 2 did."));
    }
    void howToFindOut() {
        const RunView view = killed();
        const QString command = failureText(view, *failureOf(view), nullptr).command;
        QVERIFY2(command.contains(QLatin1String("journalctl -k --since '2026-")), qPrintable(command));
        const RunView crash = failed("rank 1 ended with SIGSEGV at step 170", {EndKind::Crashed, 1, 170});
        QCOMPARE(failureText(crash, *failureOf(crash), nullptr).command, QStringLiteral("coredumpctl info 4712"));
    }
    /// A user who requested the failure is not sent to look for its cause.
    void anEndThatWasAskedFor() {
        RunView view = killed();
        view.incidents.push_back(death(3, 1, 170));
        view.incidents.back().evidence.signalName = "SIGKILL";
        view.info.faults = {"data_loading on rank 1 at step 170, 60 s"};
        QVERIFY(!failureText(view, *failureOf(view), nullptr).command.isEmpty()); // this fault kills no rank
        view.info.faults = {"dead on rank 1 at step 90, signal SIGKILL"};
        QVERIFY(!failureText(view, *failureOf(view), nullptr).command.isEmpty()); // a fault at another step
        view.info.faults = {"dead on rank 1 at step 170, signal SIGKILL"};
        const FailureText text = failureText(view, *failureOf(view), nullptr);
        QCOMPARE(text.meaning,
                 QStringLiteral("This fault was injected by rankscope.faults (dead on rank 1 at step 170, signal "
                                "SIGKILL). Remove it for real training."));
        QVERIFY(text.command.isEmpty());
    }
    void faultsHaveTheirChinese() {
        const std::pair<const char*, const char*> all[] = {
            {"dead on rank 1 at step 30, signal SIGKILL", "rank 1 第 30 步的 dead，signal SIGKILL"},
            {"never_joined on rank 0, 5 s", "rank 0 的 never_joined，5 s"},
            {"slow_rank on rank 2 at step 10 and all that follow, factor 3",
             "rank 2 自第 10 步起的 slow_rank，factor 3"},
            {"slow_reader on rank 1 at step 4 to 9, 2 s", "rank 1 第 4–9 步的 slow_reader，2 s"}};
        for (const auto& [english, chinese] : all) {
            QCOMPARE(faultText(QString::fromUtf8(english)), QString::fromUtf8(english));
            setLanguage(QStringLiteral("zh"));
            QCOMPARE(faultText(QString::fromUtf8(english)), QString::fromUtf8(chinese));
            setLanguage(QStringLiteral("en"));
        }
    }
    void aChineseHeadlineBeginsAsRanksAreWritten() {
        setLanguage(QStringLiteral("zh"));
        const RunView view = killed(1, 3);
        const FailureText text = failureText(view, *failureOf(view), nullptr);
        setLanguage(QStringLiteral("en"));
        QVERIFY2(text.headline.startsWith(QStringLiteral("rank 1 ")), qPrintable(text.headline));
        QVERIFY2(text.facts.front().startsWith(QStringLiteral("rank 0")), qPrintable(text.facts.front()));
    }
    void memoryAndCheckpoint() {
        const RunView view = killed();
        EndingFacts facts;
        facts.memory = {{0, 3 << 20}, {1, 280 << 20}};
        facts.usedBytes = 1LL << 30;
        facts.limitBytes = 4LL << 30;
        facts.memoryNs = 12'000'000'000;
        facts.checkpoints.files = {{"last.safetensors", 4 << 20, 0, 160, 32, {}, true, false, {}}};
        const FailureText text = failureText(view, *failureOf(view), &facts);
        const QString all = text.facts.join(u'\n');
        QVERIFY2(all.contains(QLatin1String("rank 1 had 294 MB")) && !all.contains(QLatin1String("rank 0 had")),
                 qPrintable(all));
        QVERIFY2(all.contains(QLatin1String("3.22 GB of 4.29 GB were free")), qPrintable(all));
        QVERIFY2(all.contains(QLatin1String("last.safetensors, after step 159")), qPrintable(all));
        QVERIFY2(all.contains(QLatin1String("after it (10) are repeated")), qPrintable(all));
        facts.checkpoints.files.clear();
        QVERIFY(failureText(view, *failureOf(view), &facts).facts.join(u'\n').contains(QLatin1String("no checkpoint")));
    }
    /// All ranks of a watched program write to one log, which torchrun ends with a summary.
    void theLastWordsOfAWatchedRank() {
        const QTemporaryDir home;
        EndingRequest request;
        request.run = {home.path().toStdString()};
        request.logRank = 1;
        request.watched = true;
        std::ofstream log(request.run.commandLog());
        for (const int rank : {1, 0})
            log << fmt::format("[rank{0}]: Traceback (most recent call last):\n[rank{0}]: ValueError: of {0}\n", rank);
        for (int i = 0; i < 20; ++i)
            log << "summary " << i << std::endl;
        QCOMPARE(readEnding(request)->logLines.last(), QStringLiteral("[rank1]: ValueError: of 1"));
        QCOMPARE(readEnding(request)->logLines.size(), 2);
        request.logRank = 2; // torch has marked nothing of it
        QCOMPARE(readEnding(request)->logLines.last(), QStringLiteral("summary 19"));
    }
    /// The panel does not mention checkpoints, which were not looked for, and does not announce an empty log.
    void aWatchedProgramThatFailed() {
        RunView view = failed("rank 1 exited with code 1 at step 170", {EndKind::Exited, 1, 170});
        view.info.command = {"python", "train.py"};
        EndingFacts facts;
        facts.logRank = 1;
        FailureText text = failureText(view, *failureOf(view), &facts);
        QVERIFY2(!text.facts.join(u'\n').contains(QLatin1String("checkpoint")), qPrintable(text.facts.join(u'\n')));
        QCOMPARE(text.meaning, QStringLiteral("It wrote nothing to its log."));
        facts.logLines = QStringList{QStringLiteral("[rank1]: ValueError: no speech")};
        text = failureText(view, *failureOf(view), &facts);
        QCOMPARE(text.meaning, QStringLiteral("Its log shows why:"));
        QCOMPARE(text.log, facts.logLines);
    }
    /// A full disk is noticed at the last checkpoint, when the other ranks are done.
    void aRankThatFinishedIsNoVictim() {
        RunView view =
            failed("rank 0 ended at step 199 because the disk or quota is full", {EndKind::DiskFull, 0, 199}, 3, 199);
        for (int r = 0; r < 3; ++r) {
            store::RankSummary summary;
            summary.rank = r;
            summary.lastStep = 199;
            summary.ended = r != 2;
            summary.endCause = r == 0 ? telemetry::EndCause::Failed : telemetry::EndCause::Finished;
            view.summaries.push_back(summary);
        }
        QCOMPARE(failureOf(view)->victims, std::vector<int>{2});
        diagnosis::Incident in = death(4, 0, 199);
        in.evidence = diagnosis::evidenceFromJson({{"exit_code", 3}, {"disk_full", true}});
        const auto words = [&](std::size_t rank) {
            return QString::fromStdString(endedStatus(view.summaries[rank], RunState::Failed, {in}, 0).words.english());
        };
        QCOMPARE(words(0), QStringLiteral("disk full at step 199"));
        // no incident, because the disk was full: the rank's last text is a path, followed by the reason
        view.summaries[0].endText = "/runs/x/checkpoints/last.safetensors: cannot write: No space left on device";
        QCOMPARE(QString::fromStdString(endedStatus(view.summaries[0], RunState::Failed, {}, 0).words.english()),
                 QStringLiteral("disk full at step 199"));
        QCOMPARE(words(1), QStringLiteral("200 steps"));
        QCOMPARE(words(2), QStringLiteral("ended because rank 0 did"));
    }
    /// Resume is mentioned only if there is something to resume from.
    void whatToDoOnAFullDisk() {
        RunView view =
            failed("rank 0 ended at step 199 because the disk or quota is full", {EndKind::DiskFull, 0, 199});
        EndingFacts facts;
        const auto meaning = [&] { return failureText(view, *failureOf(view), &facts).meaning; };
        QVERIFY2(!meaning().contains(QLatin1String("resume")) && meaning().contains(QLatin1String("start it again")),
                 qPrintable(meaning()));
        view.resumable = true;
        facts.checkpoints.files = {{"last.safetensors", 4 << 20, 0, 160, 32, {}, true, false, {}}};
        QVERIFY2(meaning().contains(QLatin1String("then resume")), qPrintable(meaning()));
    }
    void aLossThatStaysNaN() {
        RunView view = failed("the loss has been NaN since step 20, and the weights are useless",
                              {EndKind::NotFinite, -1, 20}, 2, 79);
        view.resumable = true;
        diagnosis::Incident recovered = death(1, 0, 5), in = death(2, 1, 20);
        recovered.cause = in.cause = diagnosis::Cause::NotFinite;
        recovered.closed = diagnosis::CloseReason::Recovered;
        view.incidents = {recovered, in};
        const auto failure = failureOf(view);
        QCOMPARE(failure->incident, std::int64_t(2));
        EndingFacts facts;
        facts.checkpoints.files = {
            {"last.safetensors", 4 << 20, 0, 60, 32, {}, true, false, "its weights are not finite"},
            {"a.safetensors", 4 << 20, 0, 16, 32, {}, false, false, {}}};
        QString all = failureText(view, *failure, &facts).facts.join(u'\n');
        QVERIFY2(all.contains(QLatin1String("from before that: a.safetensors, after step 15")), qPrintable(all));
        facts.checkpoints.files.pop_back();
        all = failureText(view, *failure, &facts).facts.join(u'\n');
        QVERIFY2(all.contains(QLatin1String("no checkpoint from before that")), qPrintable(all));
        store::RankSummary summary;
        summary.lastStep = 79;
        summary.lastLoss = std::nan("");
        summary.ended = true;
        const auto tile = endedStatus(summary, RunState::Failed, view.incidents, -1);
        QCOMPARE(tile.state, diagnosis::RankState::Dead);
        QCOMPARE(QString::fromStdString(tile.words.english()), QStringLiteral("loss NaN at step 79"));
        summary.lastLoss.reset(); // not known
        QCOMPARE(endedStatus(summary, RunState::Failed, {}, -1).state, diagnosis::RankState::Finished);
    }
    void theFatalIncident() {
        diagnosis::Incident old = death(1, 0, 60);
        old.cause = diagnosis::Cause::DataLoading;
        old.closed = diagnosis::CloseReason::Recovered;
        RunView view = killed();
        view.incidents = {old, death(2, 0, 170), death(3, 1, 170)};
        QCOMPARE(fatalIncident(view)->id, 3);
        view.info.reason = {EndKind::Other};
        QCOMPARE(fatalIncident(view)->id, 2);
        view.incidents = {old};
        QVERIFY(!fatalIncident(view));
        view.incidents = {death(2, 0, 170)};
        view.info.state = RunState::Running;
        QVERIFY(!fatalIncident(view));
    }
    void aRunThatDidNotFail() {
        for (const RunState state : {RunState::Running, RunState::Finished, RunState::Stopped, RunState::Imported}) {
            RunView view = failed("finished", {});
            view.info.state = state;
            QVERIFY(!failureOf(view));
        }
    }
};

RANKSCOPE_CORE_TEST(RunFailureTest)
#include "tst_run_failure.moc"
