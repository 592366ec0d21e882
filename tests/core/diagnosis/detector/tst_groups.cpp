// SPDX-License-Identifier: Apache-2.0
// Process groups of some of the ranks: who waits for whom in them, and who is compared with whom.
#include "core/diagnosis/evidence/rank_status.h"
#include "core/diagnosis/stalls/stall_scan.h"
#include "core/diagnosis/statistics/slow_rank_test.h"
#include "core/diagnosis/statistics/step_window.h"
#include "tests/core/diagnosis/stage.h"
#include "tests/support/test_runner.h"

#include <QTest>

#include <csignal>

using namespace rankscope::diagnosis;
using namespace rankscope::diagnosis::test;

namespace {

constexpr std::uint32_t kLeft = 70, kRight = 71, kAcross = 72;

GroupRecord groupOf(std::uint32_t number, int size, int firstRank, const std::vector<int>& bits) {
    GroupRecord record;
    record.group = number;
    record.size = size;
    record.firstRank = firstRank;
    for (const int bit : bits)
        record.members[static_cast<std::size_t>(bit) / 8] |= static_cast<std::uint8_t>(1u << bit % 8);
    return record;
}

} // namespace

class TestGroups : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void membersAreKnownOnceAllOfThemWereSaid() {
        ProcessGroups groups;
        QCOMPARE(groups.membersOf(5, 3), (Ranks{0, 1, 2}));
        QVERIFY(groups.contains(5, 2));
        groups.add(groupOf(5, 3, 0, {1, 2}));
        QCOMPARE(groups.sizeOf(5, 2000), -1);
        QVERIFY(groups.membersOf(5, 2000).empty());
        groups.add(groupOf(5, 3, 1024, {6}));
        QCOMPARE(groups.membersOf(5, 2000), (Ranks{1, 2, 1030}));
        QCOMPARE(groups.membersOf(5, 100), (Ranks{1, 2})); // a rank that the run does not have
        QVERIFY(!groups.contains(5, 0));
        QCOMPARE(groups.membersOf(5 | kMessagesOfGroup, 2000), (Ranks{1, 2, 1030}));
        QCOMPARE(groups.membersOf(kMessagesOfGroup, 2), (Ranks{0, 1}));
        groups.add(groupOf(0, 1, 0, {0})); // the default group has all ranks, whatever a record says
        QCOMPARE(groups.membersOf(0, 2), (Ranks{0, 1}));
        groups.add(groupOf(6, 2, -7, {0, 1}));
        QCOMPARE(groups.sizeOf(6, 4), 4);
        rankscope::ByteEncoder saved;
        groups.save(saved);
        ProcessGroups again;
        rankscope::ByteDecoder in(saved.bytes());
        QVERIFY(again.load(in) && in.atEnd());
        QCOMPARE(again.membersOf(5, 2000), (Ranks{1, 2, 1030}));
        for (std::size_t size = 0; size < saved.size(); ++size) {
            rankscope::ByteDecoder cut(std::string_view(saved.bytes()).substr(0, size));
            QVERIFY(!ProcessGroups().load(cut));
        }
    }
    /// The two halves shard the model among themselves: only the other rank of a half waits.
    void onlyMembersWait() {
        Stage s(4);
        s.group(kLeft, {0, 1});
        s.group(kRight, {2, 3});
        s.warmUp();
        s.enter(1, 9, "train.py:30", 8, kLeft);
        for (const int r : {2, 3}) {
            s.enter(r, 9, "train.py:30", 8, kRight);
            s.leave(r, kRight);
        }
        s.pass(3 * kSecond, [&] {
            for (const int r : {2, 3})
                s.phase(r, Phase::Forward);
        });
        QCOMPARE(s.only().cause, Cause::SlowCompute);
        QCOMPARE(s.only().holders, Ranks{0});
        QCOMPARE(s.only().waiters, Ranks{1});
        QCOMPARE(s.only().collective.group, kLeft);
        const auto words = rankStatuses(s.seen, {}, s.detector.groups())[1].words.english();
        QVERIFY2(words.find("for rank 0 in") != std::string::npos, words.c_str());
        const auto waits = openWaits(s.seen, 0, s.detector.groups());
        QCOMPARE(waits.size(), std::size_t{1});
        QCOMPARE(waits.front().holder, 0);
    }
    /// Rank 1 waits for rank 0, rank 3 for rank 1 in a group across, and rank 2 for rank 3: rank 0 is the cause of all.
    void whoWaitsForAWaiterWaitsForItsHolder() {
        Stage s(4);
        s.group(kLeft, {0, 1});
        s.group(kRight, {2, 3});
        s.group(kAcross, {1, 3});
        s.warmUp();
        s.phase(0, Phase::DataWait);
        s.enter(1, 4, "model.py:12", 8, kLeft);
        s.enter(3, 6, "gradient:0", 8, kAcross);
        s.enter(2, 4, "model.py:12", 8, kRight);
        s.pass(3 * kSecond);
        QCOMPARE(s.only().cause, Cause::DataLoading);
        QCOMPARE(s.only().holders, Ranks{0});
        QCOMPARE(s.only().waiters, (Ranks{1, 2, 3}));
        const auto waits = openWaits(s.seen, 0, s.detector.groups());
        QCOMPARE(waits.size(), std::size_t{3});
        QCOMPARE(waits[2].holder, 0);
        QCOMPARE(waits[2].collective.tag, std::string("gradient:0"));
    }
    void aReceiverWaitsForItsSender() {
        Stage s(3);
        s.group(kLeft, {0, 1});
        s.warmUp();
        constexpr std::uint32_t kMessages = kLeft | kMessagesOfGroup;
        s.enter(1, 4, "pipeline.py:8", 8, kMessages);
        s.newest(1, kMessages).op = CollectiveOp::Recv;
        s.pass(3 * kSecond, [&] { s.phase(2, Phase::Forward); });
        QCOMPARE(s.only().holders, Ranks{0});
        QCOMPARE(s.only().waiters, Ranks{1});
        s.enter(0, 4, "pipeline.py:5", 8, kMessages); // another line, another operation: they belong together
        s.newest(0, kMessages).op = CollectiveOp::Send;
        s.pass(kSecond / 2);
        for (const int r : {0, 1})
            s.leave(r, kMessages);
        s.pass(2 * kSecond, [&] {
            for (int r = 0; r < 3; ++r)
                s.phase(r, Phase::Forward);
        });
        QCOMPARE(s.only().closed, CloseReason::Recovered);
    }
    /// The others make no such call, so that the numbers say nothing about them.
    void messagesInAGroupOfManyAreNotJudged() {
        Stage s(3);
        s.warmUp();
        s.enter(1, 4, "pipeline.py:8");
        s.newest(1, 0).op = CollectiveOp::Recv;
        s.pass(10 * kSecond, [&] {
            for (const int r : {0, 2})
                s.phase(r, Phase::Forward);
        });
        QVERIFY(s.incidents.empty());
    }
    void ranksThatWaitForEachOtherInTwoGroups() {
        Stage s(4);
        s.group(kLeft, {0, 1});
        s.group(kAcross, {0, 1, 2});
        s.warmUp();
        s.enter(0, 4, "a.py:1", 8, kLeft);
        s.enter(1, 6, "b.py:1", 8, kAcross);
        s.enter(2, 6, "b.py:1", 8, kAcross);
        s.pass(4 * kSecond, [&] { s.phase(3, Phase::Forward); });
        QCOMPARE(s.only().cause, Cause::MismatchedCollective);
        QCOMPARE(s.only().holders, (Ranks{0, 1}));
    }
    void insideACollectiveOfTheGroup() {
        Stage s(4);
        s.group(kRight, {2, 3});
        s.warmUp();
        for (const int r : {2, 3})
            s.enter(r, 4, "gradient:0", 8, kRight);
        s.pass(4 * kSecond, [&] {
            for (const int r : {0, 1})
                s.phase(r, Phase::Forward);
        });
        QCOMPARE(s.only().cause, Cause::InsideCollective);
        QCOMPARE(s.only().holders, (Ranks{2, 3}));
    }
    void aStoppedRankOfAnotherGroupIsNoExcuse() {
        Stage s(4);
        s.group(kLeft, {0, 1});
        s.warmUp();
        s.process(3) = {ProcessView::State::Stopped, 0, SIGSTOP, s.now, false, {}};
        s.enter(0, 4, "a.py:1", 8, kLeft);
        s.enter(1, 4, "a.py:1", 8, kLeft);
        s.leave(0, kLeft);
        s.enter(0, 5, "a.py:2", 8, kLeft);
        s.leave(1, kLeft);
        s.pass(4 * kSecond, [&] { s.phase(2, Phase::Forward); });
        QCOMPARE(s.incidents.size(), std::size_t{2});
        QCOMPARE(s.incidents.at(1).holders, Ranks{1});
        QCOMPARE(s.incidents.at(1).waiters, Ranks{0});
        QCOMPARE(s.incidents.at(2).cause, Cause::Stopped);
    }
    /// The records of a group's collective are complete when its members have reported.
    void aMismatchInAGroup() {
        Stage s(4);
        s.group(kRight, {1, 2, 3});
        s.warmUp();
        for (const int r : {1, 2, 3}) {
            CollectiveRecord c;
            c.group = kRight;
            c.sequence = 3;
            c.op = CollectiveOp::AllReduce;
            c.count = r == 2 ? 5 : 4;
            c.arrivedNs = s.now;
            putText(c.tag, sizeof c.tag, "metrics");
            s.tell(r, c, 10);
        }
        s.look();
        QCOMPARE(s.only().cause, Cause::MismatchedCollective);
        QCOMPARE(s.only().holders, Ranks{2});
        QCOMPARE(s.only().waiters, (Ranks{1, 3}));
    }
    /// Stages of a pipeline do different work; only the ranks of one stage exchange gradients.
    void onlyRanksThatDoTheSameWorkAreCompared() {
        StepWindow window(4, 50);
        window.add(0, AnyRecord::of(groupOf(kLeft, 2, 0, {0, 1})));
        window.add(2, AnyRecord::of(groupOf(kRight, 2, 0, {2, 3})));
        QCOMPARE(window.peers(), (Ranks{0, 0, 0, 0}));
        for (const std::uint32_t group : {kLeft, kRight}) {
            CollectiveRecord c;
            c.group = group;
            c.arrivedNs = 1;
            putText(c.tag, sizeof c.tag, "gradient:0");
            window.add(group == kLeft ? 0 : 3, AnyRecord::of(c));
        }
        QCOMPARE(window.peers(), (Ranks{0, 0, 2, 2}));
        const auto slowest = [&](std::vector<double> milliseconds) {
            SlowRankTest slow(4, 0.25);
            for (int i = 0; i < 60; ++i) {
                StepStats step{std::vector<RankStep>(4), 4};
                for (std::size_t r = 0; r < 4; ++r)
                    step.ranks[r].stepNs = static_cast<std::int64_t>((milliseconds[r] + i % 3) * 1e6);
                slow.add(step, window.peers());
            }
            for (int r = 0; r < 4; ++r)
                if (slow.confirmedSteps(r, 24) > 0)
                    return r;
            return -1;
        };
        QCOMPARE(slowest({100, 100, 300, 300}), -1);
        QCOMPARE(slowest({100, 100, 300, 600}), 3);
        QCOMPARE(slowest({200, 100, 300, 300}), 0);
    }
    /// With shards in one direction and copies in the other, all ranks do the same work.
    void groupsAcrossJoinTheRanks() {
        StepWindow window(4, 50);
        const std::vector<std::pair<std::uint32_t, std::vector<int>>> groups{
            {1, {0, 1}}, {2, {2, 3}}, {3, {0, 2}}, {4, {1, 3}}};
        for (const auto& [number, ranks] : groups) {
            window.add(0, AnyRecord::of(groupOf(number, 2, 0, ranks)));
            CollectiveRecord c;
            c.group = number;
            c.arrivedNs = 1;
            putText(c.tag, sizeof c.tag, "gradient:0");
            window.add(ranks.front(), AnyRecord::of(c));
        }
        QCOMPARE(window.peers(), (Ranks{0, 0, 0, 0}));
    }
};

RANKSCOPE_TEST(TestGroups)
#include "tst_groups.moc"
