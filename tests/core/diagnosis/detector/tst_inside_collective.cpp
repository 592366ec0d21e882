// SPDX-License-Identifier: Apache-2.0
// Ranks that are stopped, or kept inside a collective, set on the boards by hand: which rank is blamed, and why.
#include "core/diagnosis/evidence/incident_sentence.h"
#include "tests/core/diagnosis/stage.h"
#include "tests/support/test_runner.h"

#include <QTest>

#include <csignal>

using namespace rankscope::diagnosis;
using namespace rankscope::diagnosis::test;

class TestInsideCollective : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void allStopped() {
        Stage s(3);
        s.warmUp();
        for (int r = 0; r < 3; ++r) {
            s.enter(r, 40, "gradient:0");
            s.process(r) = {ProcessView::State::Stopped, 0, SIGSTOP, s.now, false, {}};
        }
        s.pass(4 * kSecond);
        QCOMPARE(s.only().cause, Cause::Paused);
        QCOMPARE(s.only().holders, Ranks{});
        QCOMPARE(sentence(s.only(), s.now).english(),
                 std::string("All ranks have been stopped from outside by SIGSTOP for 4.0 s. Continue them with kill "
                             "-CONT 1000 1001 1002."));
        for (int r = 0; r < 3; ++r)
            s.process(r) = {ProcessView::State::Running, 0, 0, s.now, false, {}};
        s.pass(kSecond);
        QCOMPARE(s.only().closed, CloseReason::Recovered);
        QCOMPARE(sentence(s.only(), s.now).english(),
                 std::string("All ranks were stopped from outside by SIGSTOP for 4.0 s."));
    }
    /// The stopped rank had arrived, but no rank can leave without it.
    void stoppedInsideACollective() {
        Stage s(3);
        s.warmUp();
        for (int r = 0; r < 3; ++r)
            s.enter(r, 40, "gradient:0");
        s.process(1) = {ProcessView::State::Stopped, 0, SIGSTOP, s.now, false, {}};
        s.pass(4 * kSecond);
        QCOMPARE(s.only().cause, Cause::Stopped);
        QCOMPARE(s.only().holders, Ranks{1});
        QCOMPARE(s.only().waiters, (Ranks{0, 2}));
        QCOMPARE(s.only().collective.sequence, std::uint64_t{40});
    }
    /// After the rank is continued, the others need a moment to leave: that is not another stuck collective.
    void stoppedInsideACollectiveAndContinued() {
        Stage s(3);
        s.warmUp();
        for (int r = 0; r < 3; ++r)
            s.enter(r, 40, "gradient:0");
        s.process(1) = {ProcessView::State::Stopped, 0, SIGSTOP, s.now, false, {}};
        s.pass(6 * kSecond);
        s.process(1) = {ProcessView::State::Running, 0, 0, s.now, false, {}};
        s.pass(kSecond / 2);
        for (int r = 0; r < 3; ++r) {
            s.board(r).collectives[0].done = 41;
            s.board(r).collectives[0].doneNs = s.now;
        }
        s.pass(2 * kSecond, [&] {
            for (int r = 0; r < 3; ++r)
                s.phase(r, Phase::Optimizer);
        });
        QCOMPARE(s.only().cause, Cause::Stopped);
        QCOMPARE(s.only().holders, Ranks{1});
        QCOMPARE(s.only().closed, CloseReason::Recovered);
    }
    /// If the rank seems to run once (a debugger let it run), the incident stays open and no other rank is blamed.
    void stoppedInsideACollectiveWithAGlanceOfRunning() {
        Stage s(3);
        s.warmUp();
        for (int r = 0; r < 3; ++r)
            s.enter(r, 40, "gradient:0");
        s.process(1) = {ProcessView::State::Stopped, 0, SIGSTOP, s.now, false, {}};
        s.pass(4 * kSecond);
        s.process(1).state = ProcessView::State::Running;
        s.look();
        s.process(1).state = ProcessView::State::Stopped;
        s.pass(4 * kSecond);
        QCOMPARE(s.only().cause, Cause::Stopped);
        QCOMPARE(s.only().waiters, (Ranks{0, 2}));
    }
    /// Rank 4 left before the stop and waits in the next collective, for ranks that the stopped one keeps inside the
    /// first.
    void whomAStoppedRankKeepsInsideHoldsNobody() {
        Stage s(6);
        s.warmUp();
        for (int r = 0; r < 6; ++r)
            s.enter(r, 40, "gradient:0");
        s.board(4).collectives[0].done = 41;
        s.board(4).collectives[0].doneNs = s.now;
        s.enter(4, 41, "sync_max_audio_length");
        s.board(4).step = 11;
        s.process(1) = {ProcessView::State::Stopped, 0, SIGSTOP, s.now, false, {}};
        s.pass(8 * kSecond);
        QCOMPARE(s.only().cause, Cause::Stopped);
        QCOMPARE(s.only().holders, Ranks{1});
        QCOMPARE(s.only().waiters, (Ranks{0, 2, 3, 4, 5}));
        s.process(1) = {ProcessView::State::Running, 0, 0, s.now, false, {}};
        for (const int r : {1, 0, 5, 3, 2}) { // they leave one by one, and enter the collective in which rank 4 waits
            s.pass(kSecond / 5);
            s.board(r).collectives[0].done = 41;
            s.board(r).collectives[0].doneNs = s.now;
            s.board(r).step = 11;
            s.enter(r, 41, "sync_max_audio_length");
        }
        for (int r = 0; r < 6; ++r)
            s.board(r).collectives[0].done = 42;
        s.pass(5 * kSecond, [&] {
            for (int r = 0; r < 6; ++r)
                s.phase(r, Phase::Forward);
        });
        QCOMPARE(s.incidents.size(), std::size_t{1});
        QCOMPARE(s.only().closed, CloseReason::Recovered);
    }
    void insideTheCollective() {
        Stage s(3);
        s.warmUp();
        for (int r = 0; r < 3; ++r)
            s.enter(r, 40, "gradient:0");
        s.pass(4 * kSecond);
        QCOMPARE(s.only().cause, Cause::InsideCollective);
        QCOMPARE(s.only().holders, (Ranks{0, 1, 2}));
        const auto states = s.only().evidence.collectives.value_or("");
        for (const char* part : {"rank 0: all-reduce 40 (gradient:0)", "rank 2: ", "in forward"})
            QVERIFY2(states.find(part) != std::string::npos, states.c_str());
        QVERIFY(sentence(s.only(), s.now).english().find("All ranks entered all-reduce 40 (gradient:0)") !=
                std::string::npos);
    }
    /// One rank entered but never handed its part to the transport: it keeps the others inside.
    void aCollectiveThatOneRankKeepsBack() {
        Stage s(3);
        s.warmUp();
        for (int r = 0; r < 3; ++r) {
            s.enter(r, 40, "gradient:0");
            s.board(r).collectives[0].started = r == 1 ? 40 : 41;
        }
        s.pass(4 * kSecond);
        QCOMPARE(s.only().cause, Cause::InsideCollective);
        QCOMPARE(s.only().holders, Ranks{1});
        QCOMPARE(s.only().waiters, (Ranks{0, 2}));
        QVERIFY(sentence(s.only(), s.now).english().find("not handed it to the transport") != std::string::npos);
    }
    /// Ranks leave a broadcast one by one: a rank still inside does not hold up those already waiting in the next one.
    void whoIsKeptInsideHoldsNobody() {
        Stage s(4);
        s.warmUp();
        for (int r : {0, 1, 3})
            s.enter(r, 44, "broadcast:buffers");
        for (int r : {1, 3}) {
            s.board(r).collectives[0].done = 45;
            s.enter(r, 45, "broadcast:buffers");
            s.board(r).collectives[0].done = 45;
        }
        s.phase(2, Phase::DataWait);
        s.pass(5 * kSecond);
        QCOMPARE(s.only().cause, Cause::DataLoading);
        s.phase(2, Phase::Forward);
        s.enter(2, 44, "broadcast:buffers"); // rank 0 leaves the broadcast a moment later
        s.pass(kSecond / 2);
        s.board(0).collectives[0].done = 45;
        s.board(0).collectives[0].doneNs = s.now;
        s.pass(kSecond / 2);
        for (int r : {0, 2}) {
            s.enter(r, 45, "broadcast:buffers");
            s.board(r).collectives[0].done = 46;
        }
        s.pass(2 * kSecond, [&] {
            for (int r = 0; r < 4; ++r)
                s.phase(r, Phase::Backward), s.board(r).collectives[0].done = 46;
        });
        QCOMPARE(s.only().holders, Ranks{2});
        QCOMPARE(s.only().cause, Cause::DataLoading);
        QCOMPARE(s.only().closed, CloseReason::Recovered);
    }
};

RANKSCOPE_TEST(TestInsideCollective)
#include "tst_inside_collective.moc"
