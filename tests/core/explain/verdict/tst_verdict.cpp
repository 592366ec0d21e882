// SPDX-License-Identifier: Apache-2.0
// The rules of evidence, each with its opposite.
#include "core/explain/verdict/verdict.h"
#include "tests/core/explain/hand_made.h"
#include "tests/support/test_runner.h"

#include <QTest>

#include <algorithm>
#include <csignal>

using namespace rankscope;
using namespace rankscope::explain;
using namespace rankscope::explain::test;
using Presence = RankRow::Presence;
using Ints = std::vector<int>;

static Explanation judged(const HangEvidence& evidence) {
    return judge(evidence, {});
}
static Presence of(const Explanation& explanation, int rank) {
    const auto row = std::ranges::find(explanation.ranks, rank, &RankRow::rank);
    return row == explanation.ranks.end() ? Presence::Unknown : row->presence;
}
static const ProbableCause* cause(const Explanation& explanation, const std::string& id) {
    const auto found = std::ranges::find(explanation.causes, id, &ProbableCause::id);
    return found == explanation.causes.end() ? nullptr : &*found;
}
static RankEnd endOf(int rank, RankEnd::Kind kind, int code, bool ofCollective = false) {
    RankEnd end;
    end.rank = rank;
    end.kind = kind;
    end.code = code;
    end.ofCollective = ofCollective;
    end.text = "ValueError: bad file";
    end.place = {"train.log", 99};
    return end;
}
static CollectiveCall reduce(std::int64_t sequence, std::int64_t elements = 1, std::string group = {}) {
    return callOf(CollectiveOp::AllReduce, sequence, elements, std::move(group));
}

class TestVerdict : public QObject {
    Q_OBJECT

private Q_SLOTS:
    // -- a rank that never came

    void silentRankOfAJoinedLogIsAbsent() {
        const auto found = judged(waiting({0, 2, 3}));
        QCOMPARE(found.verdict, Verdict::RankMissing);
        QCOMPARE(of(found, 1), Presence::Absent);
        QCOMPARE(found.causes.at(0).ranks, Ints{1});
    }
    void rankBeyondTheLogIsNotListed() {
        const auto found = judged(waiting({0, 1, 2}));
        QCOMPARE(found.ranks.size(), std::size_t{3});
        QCOMPARE(found.verdict, Verdict::NotEnoughData); // more ranks may exist
    }
    void withheldLogIsUnknown() {
        auto evidence = waiting({0, 2});
        evidence.files = {logOf("rank_0.log", {0}), logOf("rank_2.log", {2})};
        evidence.worldSize = 3;
        auto found = judged(evidence);
        QCOMPARE(of(found, 1), Presence::Unknown);
        QCOMPARE(found.verdict, Verdict::NotEnoughData);
        QVERIFY(found.causes.empty() || found.causes[0].ranks.empty());
        evidence.files.push_back(logOf("rank_1.log", {1}));
        found = judged(evidence);
        QCOMPARE(of(found, 1), Presence::Absent);
        QCOMPARE(found.verdict, Verdict::RankMissing);
    }
    void cutLogIsUnknownUnlessItSaysHowFarTheRankCame() {
        auto evidence = waiting({0, 2});
        evidence.files = {logOf("rank_0.log", {0}), logOf("rank_1.log", {1}), logOf("rank_2.log", {2})};
        evidence.files[1].startsLate = true;
        QCOMPARE(of(judged(evidence), 1), Presence::Unknown);
        evidence.progress = {{1, 0, 30, 40, {"rank_1.log", 3}}};
        QCOMPARE(of(judged(evidence), 1), Presence::Absent);
        evidence.files[1].problem = "cannot be read beyond byte 100";
        QCOMPARE(of(judged(evidence), 1), Presence::Unknown);
    }
    void joinedLogWithoutItsBeginningSaysNothingOfSilentRanks() {
        auto evidence = waiting({0, 2, 3});
        evidence.files[0].startsLate = true;
        auto found = judged(evidence);
        QCOMPARE(of(found, 1), Presence::Unknown); // its lines may be above
        QCOMPARE(found.verdict, Verdict::NotEnoughData);
        QVERIFY(std::ranges::any_of(found.lacking, [](const Message& one) {
            return one.english().find("beginning of train.log") != std::string::npos;
        }));
        evidence.files[0].ranks = {0, 1, 2, 3}; // it has lines, and no timeout
        QCOMPARE(of(judged(evidence), 1), Presence::Absent);
        evidence.files[0].ranks = {0, 2, 3};
        evidence.files[0].isExcerpt = true; // somebody chose the lines of the failure
        QCOMPARE(of(judged(evidence), 1), Presence::Absent);
    }
    void lastRankOfAJoinedLog() {
        auto evidence = waiting({0, 1, 2});
        evidence.worldSize = 4; // --ranks 4
        auto found = judged(evidence);
        QCOMPARE(found.verdict, Verdict::RankMissing);
        QCOMPARE(found.causes.at(0).ranks, Ints{3});
        evidence.files[0].startsLate = true;
        QCOMPARE(of(judged(evidence), 3), Presence::Unknown);
    }
    void logOfOneHostSaysNothingOfOtherHosts() {
        auto evidence = waiting({0, 1, 2, 3});
        evidence.worldSize = 8; // two hosts of four
        auto found = judged(evidence);
        QCOMPARE(found.verdict, Verdict::NotEnoughData);
        QCOMPARE(of(found, 4), Presence::Unknown);
        evidence = waiting({4, 5, 6, 7}); // of the other host
        evidence.worldSize = 8;
        QCOMPARE(of(judged(evidence), 0), Presence::Unknown);
        evidence = waiting({0, 1, 2, 3, 4}); // no host of any size has the other three alone
        evidence.worldSize = 8;
        QCOMPARE(of(judged(evidence), 6), Presence::Absent);
    }
    void factsThatWereLeftOutMakeItUnknown() {
        auto evidence = waiting({0, 2, 3});
        evidence.leftOut = 1;
        QCOMPARE(of(judged(evidence), 1), Presence::Unknown);
    }
    void nobodyReportsNobodyIsAbsent() {
        HangEvidence evidence;
        evidence.files = {logOf("train.log", {0, 1, 2})};
        evidence.worldSize = 3;
        const auto found = judged(evidence);
        QCOMPARE(found.verdict, Verdict::NotEnoughData);
        QCOMPARE(of(found, 1), Presence::Unknown);
    }
    void watchdogCountsProveAbsence() {
        auto evidence = waiting({0, 2});
        evidence.files = {logOf("rank_0.log", {0}), logOf("rank_2.log", {2})};
        CollectiveTimeout counts;
        counts.rank = 1;
        counts.countsOnly = true;
        counts.lastEnqueued = counts.lastCompleted = 4186;
        evidence.timeouts.push_back(counts);
        QCOMPARE(of(judged(evidence), 1), Presence::Absent);
        evidence.timeouts.back().lastEnqueued = evidence.timeouts.back().lastCompleted = 4187;
        QCOMPARE(of(judged(evidence), 1), Presence::Done);
    }
    void heardOfATimeoutIsNoTimeout() {
        HangEvidence evidence = waiting({0, 2, 3});
        CollectiveTimeout heard;
        heard.rank = 1;
        heard.countsOnly = true;
        heard.lastEnqueued = heard.lastCompleted = 4186;
        evidence.timeouts.push_back(heard);
        evidence.ends.push_back(endOf(1, RankEnd::Kind::Signal, SIGABRT)); // by its watchdog, after the others
        auto found = judged(evidence);
        QCOMPARE(found.verdict, Verdict::RankMissing);
        QCOMPARE(of(found, 1), Presence::Absent);
        evidence.ends.back() = endOf(1, RankEnd::Kind::Signal, SIGKILL);
        found = judged(evidence);
        QCOMPARE(found.verdict, Verdict::RankDead);
        QCOMPARE(of(found, 1), Presence::Dead);
    }
    void aStuckWatchdogCannotReport() {
        HangEvidence evidence = waiting({0, 2, 3});
        QCOMPARE(of(judged(evidence), 1), Presence::Absent);
        evidence.monitors = {{MonitorReport::Kind::Stuck, 1, 480, {"train.log", 5}},
                             {MonitorReport::Kind::PythonLock, 1, 0, {"train.log", 6}},
                             {MonitorReport::Kind::Terminates, 1, 0, {"train.log", 7}}};
        evidence.ends = {endOf(1, RankEnd::Kind::Signal, SIGABRT)}; // by the monitor
        auto found = judged(evidence);
        QCOMPARE(of(found, 1), Presence::Unknown);
        QCOMPARE(found.verdict, Verdict::NotEnoughData);
        QCOMPARE(found.causes.at(0).id, std::string("watchdog_stuck"));
        QCOMPARE(found.causes[0].ranks, Ints{1});
        QVERIFY(found.summary.english().find("watchdog") != std::string::npos);

        evidence.monitors[0].rank = evidence.monitors[1].rank = evidence.monitors[2].rank = 0;
        found = judged(evidence); // rank 0 timed out before: its watchdog hangs in the clean-up
        QVERIFY(!cause(found, "watchdog_stuck"));
    }
    void ranksWhoseWatchdogsAreAllStuckAreNotTold() {
        HangEvidence evidence;
        evidence.files = {logOf("train.log", {0, 1})};
        for (const int rank : {0, 1})
            evidence.monitors.push_back({MonitorReport::Kind::Stuck, rank, 480, {"train.log", rank + 1}});
        RankEnd abort = endOf(0, RankEnd::Kind::Signal, SIGABRT);
        abort.rank.reset(); // torchrun's line without its table
        evidence.ends = {abort};
        const auto found = judged(evidence);
        QCOMPARE(found.verdict, Verdict::NotEnoughData);
        QCOMPARE(found.causes.at(0).id, std::string("watchdog_stuck"));
        QVERIFY(found.causes[0].ranks.empty());
        QVERIFY(std::ranges::any_of(found.nextTime, [](const Action& action) {
            return action.text.english().find("HEARTBEAT_TIMEOUT") != std::string::npos;
        }));
        evidence.monitors.clear();
        QCOMPARE(judged(evidence).verdict, Verdict::RankDead); // nothing says that its abort is a consequence
    }
    void dumpsThatRanksWroteAreAskedFor() {
        const auto asks = [](const HangEvidence& evidence, const std::string& what) {
            return std::ranges::any_of(judged(evidence).now, [&](const Action& action) {
                return action.text.english().find(what) != std::string::npos;
            });
        };
        HangEvidence evidence = waiting({0, 2, 3});
        QVERIFY(!asks(evidence, "Flight Recorder"));
        evidence.dumpNotices = {{0, "", false, {}}};
        QVERIFY(asks(evidence, "comm_lib_trace_rank_N"));
        evidence.dumpNotices.push_back({2, "/data/trace_2", false, {}});
        QVERIFY(asks(evidence, "rank 2 wrote the Flight Recorder dump /data/trace_2"));
        evidence.dumpNotices = {{0, "", false, {}}, {0, "", true, {}}};
        QVERIFY(!asks(evidence, "Flight Recorder"));
    }
    void watchdogNamesTheRank() {
        HangEvidence evidence = waiting({0, 1, 3});
        evidence.files = {logOf("rank_0.log", {0}), logOf("rank_1.log", {1}), logOf("rank_3.log", {3})};
        QCOMPARE(of(judged(evidence), 2), Presence::Unknown);
        RanksMissing missing;
        missing.where = RanksMissing::Where::Watchdog;
        missing.rank = 0;
        missing.missing = {2};
        evidence.missing.push_back(missing);
        const auto found = judged(evidence);
        QCOMPARE(found.verdict, Verdict::RankMissing);
        QCOMPARE(of(found, 2), Presence::Absent);
        const auto& seen = found.causes.at(0).evidence;
        QVERIFY(std::ranges::any_of(seen, [](const Statement& one) {
            return one.certainty == Certainty::Seen &&
                   one.text.english().find("rank 2 did not join") != std::string::npos;
        }));
    }
    void monitoredBarrierNamesTheRank() {
        HangEvidence evidence;
        evidence.files = {logOf("rank_0.log", {0})};
        evidence.missing.push_back({RanksMissing::Where::MonitoredBarrier, 0, {2}, {}, {}, "", {"rank_0.log", 7}});
        const auto found = judged(evidence);
        QCOMPARE(found.verdict, Verdict::RankMissing);
        QCOMPARE(of(found, 2), Presence::Absent);
        QCOMPARE(of(found, 1), Presence::Unknown);
    }
    void progressBarIsOfRankZero() {
        auto evidence = waiting({1});
        QCOMPARE(of(judged(evidence), 0), Presence::Unknown);
        evidence.progress = {{{}, 0, 64'809, 83'556, {"train.log", 1}}};
        QCOMPARE(of(judged(evidence), 0), Presence::Absent);
    }
    void firstCollectiveIsNamedAsSuch() {
        QVERIFY(cause(judged(waiting({0, 2, 3}, 1)), "first_collective"));
        QVERIFY(!cause(judged(waiting({0, 2, 3}, 2)), "first_collective"));
    }

    // -- dumps

    void dumpWithoutTheCallIsAbsent() {
        HangEvidence evidence;
        evidence.worldSize = 3;
        for (const int rank : {0, 2})
            addDump(evidence, dumpOf(rank, {reduce(1), reduce(2), reduce(3)}, true));
        auto found = judged(evidence);
        QCOMPARE(of(found, 1), Presence::Unknown); // it may have been withheld
        QCOMPARE(found.verdict, Verdict::NotEnoughData);
        QCOMPARE(found.causes.at(0).id, std::string("no_record"));
        QCOMPARE(found.causes[0].ranks, Ints{1});
        addDump(evidence, dumpOf(1, {reduce(1), reduce(2)}, false));
        found = judged(evidence);
        QCOMPARE(found.verdict, Verdict::RankMissing);
        QCOMPARE(of(found, 1), Presence::Absent);
    }
    void retiredCallsThatFailedAreOpen() {
        HangEvidence evidence;
        evidence.worldSize = 2;
        addDump(evidence, dumpOf(0, {reduce(1), reduce(2)}, false));
        addDump(evidence, dumpOf(1, {reduce(1)}, false));
        QCOMPARE(judged(evidence).verdict, Verdict::RankMissing);
    }
    void allRanksInsideNeedsTheWorldSize() {
        auto evidence = waiting({0, 1, 2});
        evidence.worldSize = 3;
        QCOMPARE(judged(evidence).verdict, Verdict::EveryoneInside);
        evidence.worldSize = 4;
        QCOMPARE(judged(evidence).verdict, Verdict::RankMissing);
    }

    // -- mismatches

    void mismatchOutranksAMissingRank() {
        auto evidence = waiting({0, 2, 3});
        QCOMPARE(judged(evidence).verdict, Verdict::RankMissing);
        evidence.timeouts[1].call.op = CollectiveOp::Broadcast;
        const auto found = judged(evidence);
        QCOMPARE(found.verdict, Verdict::Mismatch);
        QCOMPARE(found.causes.at(0).ranks, Ints{2});
    }
    void sizesOfABufferBroadcast() {
        HangEvidence evidence;
        evidence.worldSize = 3;
        for (const int rank : {0, 1, 2})
            addDump(evidence, dumpOf(rank, {callOf(CollectiveOp::Broadcast, 5, rank == 1 ? 900 : 800)}, true));
        const auto found = judged(evidence);
        QCOMPARE(found.verdict, Verdict::Mismatch);
        QCOMPARE(found.causes.at(0).id, std::string("buffers_differ"));
        QCOMPARE(found.causes[0].ranks, Ints{1});
        QVERIFY(std::ranges::any_of(found.causes[0].actions, [](const Action& a) {
            return a.value.find("broadcast_buffers: false") != std::string::npos;
        }));
    }
    void sizesOfAnAllToAllMayDiffer() {
        HangEvidence evidence;
        evidence.worldSize = 2;
        for (const int rank : {0, 1})
            addDump(evidence, dumpOf(rank, {callOf(CollectiveOp::AllToAll, 5, 100 + rank)}, true));
        QCOMPARE(judged(evidence).verdict, Verdict::EveryoneInside);
    }
    void saidByOneRank() {
        HangEvidence evidence;
        CollectiveMismatch mismatch;
        mismatch.sides.push_back({0, callOf(CollectiveOp::Broadcast, 0, 0), {34'112}});
        mismatch.sides[0].call.sequence.reset();
        evidence.mismatches = {mismatch};
        const auto found = judged(evidence);
        QCOMPARE(found.verdict, Verdict::Mismatch);
        QVERIFY(found.summary.english().find("34,112 elements") != std::string::npos);
    }
    void saidByGloo() {
        HangEvidence evidence = waiting({0, 2});
        evidence.timeouts.clear();
        RankEnd end = endOf(0, RankEnd::Kind::Exception, 0, true);
        end.text = "gloo: op.preamble.length <= op.nbytes: 3072 vs 2732";
        evidence.ends = {end, endOf(0, RankEnd::Kind::Signal, SIGABRT)};
        const auto found = judged(evidence);
        QCOMPARE(found.verdict, Verdict::Mismatch);
        QVERIFY(found.causes.at(0).ranks.empty()); // Gloo does not say which rank
    }
    void crossedGroupsAreAMismatch() {
        HangEvidence evidence;
        evidence.worldSize = 3;
        for (const int rank : {0, 1})
            addDump(evidence, dumpOf(rank, {reduce(3, 257, "1"), reduce(7, 257)}, true));
        addDump(evidence, dumpOf(2, {reduce(6, 257), reduce(3, 257, "1"), reduce(4, 257, "1")}, true));
        const auto found = judged(evidence);
        QCOMPARE(found.verdict, Verdict::Mismatch);
        QCOMPARE(found.causes.at(0).id, std::string("groups_crossed"));
        QCOMPARE(found.causes[0].ranks, Ints{2});
    }
    void groupThatExplainsTheOtherIsChosen() {
        HangEvidence evidence; // ranks 0 and 1 wait for rank 2, which waits for rank 3 in another group
        evidence.worldSize = 4;
        for (const int rank : {0, 1})
            addDump(evidence, dumpOf(rank, {reduce(6), reduce(7)}, true));
        addDump(evidence, dumpOf(2, {reduce(6), reduce(3, 8, "1"), reduce(4, 8, "1")}, true));
        addDump(evidence, dumpOf(3, {reduce(6), reduce(3, 8, "1")}, false));
        const auto found = judged(evidence);
        QCOMPARE(found.verdict, Verdict::RankMissing);
        QCOMPARE(found.group, std::string("1"));
        QCOMPARE(found.causes.at(0).ranks, Ints{3});
    }

    // -- ends

    void deadOnlyByPositiveEvidence() {
        auto evidence = waiting({0, 2, 3});
        evidence.ends = {endOf(0, RankEnd::Kind::Exception, 0, true), endOf(0, RankEnd::Kind::Signal, SIGABRT),
                         endOf(2, RankEnd::Kind::ExitCode, 1)};
        QCOMPARE(judged(evidence).verdict, Verdict::RankMissing); // consequences
        evidence.ends.push_back(endOf(1, RankEnd::Kind::Signal, SIGKILL));
        const auto found = judged(evidence);
        QCOMPARE(found.verdict, Verdict::RankDead);
        QCOMPARE(of(found, 1), Presence::Dead);
        QCOMPARE(found.causes.at(0).id, std::string("killed"));
    }
    void lostConnectionsDoNotSayWhoEnded() {
        HangEvidence evidence;
        evidence.files = {logOf("rank_0.log", {0}), logOf("rank_2.log", {2})};
        evidence.worldSize = 3;
        for (const int rank : {0, 2})
            evidence.connections.push_back({rank, "[10.0.0.2]:34811", {"rank_0.log", 5}});
        auto found = judged(evidence);
        QCOMPARE(found.verdict, Verdict::NotEnoughData);
        QCOMPARE(found.causes.at(0).id, std::string("peer_ended"));
        QVERIFY(found.causes[0].ranks.empty());
        evidence.ends = {endOf(1, RankEnd::Kind::OutOfMemory, 0)};
        evidence.ends[0].text.clear();
        found = judged(evidence);
        QCOMPARE(found.verdict, Verdict::RankDead);
        QCOMPARE(found.causes.at(0).ranks, Ints{1});
        QCOMPARE(found.causes[0].evidence.at(0).text.english(), std::string("rank 1 ran out of memory"));
    }
    void memoryIsNamedBeforeASignal() {
        auto evidence = waiting({2, 3});
        evidence.ends = {endOf(0, RankEnd::Kind::Signal, SIGKILL), endOf(1, RankEnd::Kind::OutOfMemory, 0)};
        const auto found = judged(evidence);
        QCOMPARE(found.causes.at(0).id, std::string("out_of_memory"));
        QCOMPARE(found.causes.at(1).id, std::string("killed"));
    }
    void ranksThatALauncherEndedAreNotTheCause() {
        auto evidence = waiting({0, 2, 3});
        evidence.ends = {endOf(1, RankEnd::Kind::Signal, SIGTERM), endOf(0, RankEnd::Kind::ExitCode, 1)};
        QCOMPARE(judged(evidence).verdict, Verdict::RankMissing);
        evidence.ends.pop_back();
        QCOMPARE(judged(evidence).verdict, Verdict::RankDead);
    }
    void exceptionBeforeABarrier() {
        auto evidence = waiting({0, 1, 2});
        evidence.worldSize = 3;
        evidence.ends = {endOf(1, RankEnd::Kind::Exception, 0)};
        auto found = judged(evidence);
        QCOMPARE(found.verdict, Verdict::RankDead);
        QCOMPARE(found.causes.at(0).id, std::string("exception"));
        evidence.timeouts[1].call = callOf(CollectiveOp::Barrier, 4187, 0);
        found = judged(evidence);
        QCOMPARE(found.verdict, Verdict::Mismatch);
        QCOMPARE(found.causes.at(0).id, std::string("exception"));
    }

    // -- behind

    void earlierCollectiveAndFewerBatches() {
        HangEvidence evidence;
        evidence.files = {logOf("train.log", {0, 1, 4, 6})};
        evidence.timeouts = {timeoutOf(4, callOf(CollectiveOp::AllToAll, 4190, 0)),
                             timeoutOf(1, callOf(CollectiveOp::AllToAll, 4188, 0))};
        evidence.progress = {{0, 9, 35, 0, {"train.log", 1}}, {6, 9, 16, 0, {"train.log", 2}}};
        const auto found = judged(evidence);
        QCOMPARE(found.verdict, Verdict::RankBehind);
        QCOMPARE(found.causes.at(0).ranks, Ints{1});
        QVERIFY(cause(found, "uneven_batches"));
        QCOMPARE(cause(found, "uneven_batches")->ranks, Ints{6});
        QCOMPARE(of(found, 0), Presence::Unknown); // which of the two did it not enter?
    }
    void endOfAnEpochSuggestsUnevenBatches() {
        auto evidence = waiting({0, 2, 3});
        evidence.progress = {{0, 3, 399, 400, {"train.log", 1}}};
        const auto found = judged(evidence);
        const auto* uneven = cause(found, "uneven_batches");
        QVERIFY(uneven);
        QCOMPARE(uneven->actions.at(0).key, std::string("model.train_ds.drop_last"));
        evidence.progress[0].batch = 200;
        QVERIFY(!cause(judged(evidence), "uneven_batches"));
    }

    void ranksThatNeverMet() {
        HangEvidence evidence;
        evidence.missing.push_back({RanksMissing::Where::Rendezvous, 0, {}, 3, 4, "", {"train.log", 2}});
        QCOMPARE(judged(evidence).verdict, Verdict::NeverStarted);
        evidence.timeouts = waiting({0, 2, 3}).timeouts;
        QVERIFY(judged(evidence).verdict != Verdict::NeverStarted);
    }

    void absurdNumbersAreBounded() {
        auto evidence = waiting({0, 2});
        evidence.worldSize = INT32_MAX;
        evidence.timeouts.push_back(timeoutOf(INT32_MAX, callOf(CollectiveOp::AllReduce, INT64_MAX, INT64_MAX)));
        evidence.timeouts.back().waitedMs = INT64_MAX;
        QVERIFY(judged(evidence).ranks.size() <= 65'536);
    }
    void oneAbsurdRankDoesNotAccuseThousands() {
        auto evidence = waiting({0, 2, 3});
        QCOMPARE(of(judged(evidence), 1), Presence::Absent);
        evidence.files[0].ranks.push_back(65'535);
        evidence.timeouts.push_back(timeoutOf(65'535, callOf(CollectiveOp::AllReduce, 4187, 1)));
        const auto found = judged(evidence);
        QCOMPARE(found.verdict, Verdict::NotEnoughData);
        QCOMPARE(of(found, 40'000), Presence::Unknown);
    }
};

RANKSCOPE_CORE_TEST(TestVerdict)
#include "tst_verdict.moc"
