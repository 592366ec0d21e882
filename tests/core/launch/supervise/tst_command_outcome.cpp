// SPDX-License-Identifier: Apache-2.0
// How the run of a command ended, from the command's end and those of its ranks.
#include "core/launch/supervise/command_outcome.h"
#include "tests/support/test_runner.h"

#include <QTest>

#include <csignal>
#include <utility>

using namespace rankscope;
using namespace rankscope::launch;
using telemetry::EndCause;

static RankEnd endOfRank(int rank, const ProcessEnd& process, std::optional<EndCause> said, std::string text = {}) {
    RankEnd end;
    end.rank = rank;
    end.foreign = true;
    end.process = process;
    end.said = said;
    end.text = std::move(text);
    end.step = 12;
    end.done = 12;
    end.phase = telemetry::Phase::Forward;
    return end;
}

class TestCommandOutcome : public QObject {
    Q_OBJECT

    const ProcessEnd m_well{false, 0, 10}, m_killed{true, SIGKILL, 10};
    const RankEnd m_finished = endOfRank(0, m_well, EndCause::Finished);

private Q_SLOTS:
    void verdict_data() {
        QTest::addColumn<int>("code");
        QTest::addColumn<bool>("signalled");
        QTest::addColumn<bool>("stopping");
        QTest::addColumn<int>("exitCode");
        QTest::addColumn<QString>("state");
        QTest::addColumn<QString>("cause");
        QTest::newRow("finished") << 0 << false << false << 0 << "finished"
                                  << "finished";
        QTest::newRow("failed after the training")
            << 9 << false << false << 9 << "failed"
            << "the command ended with exit code 9; its output ends with: no luck";
        QTest::newRow("killed") << int(SIGKILL) << true << false << 137 << "failed"
                                << "the command ended with SIGKILL; its output ends with: no luck";
        QTest::newRow("stopped") << int(SIGTERM) << true << true << 143 << "stopped"
                                 << "stopped by the user after 12 steps; the command ended with SIGTERM";
        QTest::newRow("stopped too late") << 0 << false << true << 0 << "finished"
                                          << "finished";
    }
    void verdict() {
        QFETCH(int, code);
        QFETCH(bool, signalled);
        QFETCH(bool, stopping);
        QFETCH(int, exitCode);
        QFETCH(QString, state);
        QFETCH(QString, cause);
        const CommandEnd command{{signalled, code, 10},
                                 code == 0 ? std::vector<std::string>() : std::vector<std::string>{"no luck"}};
        const auto outcome = commandOutcome(command, std::vector{m_finished}, stopping);
        QCOMPARE(outcome.exitCode, exitCode);
        QCOMPARE(QString::fromStdString(std::string(runStateName(outcome.state))), state);
        QCOMPARE(QString::fromStdString(outcome.cause.english()), cause);
    }
    void theRankThatFailedIsNamed() {
        const auto failed = endOfRank(1, {false, 1, 20}, EndCause::Failed, "ValueError: bad batch (train.py:88)");
        const auto outcome = commandOutcome({{false, 1, 30}, {}}, std::vector{m_finished, failed}, false);
        QCOMPARE(outcome.cause.english(),
                 std::string("rank 1 ended with exit code 1 at step 12 while in forward: ValueError: bad batch "
                             "(train.py:88); the command ended with exit code 1"));
    }
    /// The program may have caught the failure, or started the rank again.
    void theCommandDecidesWhetherTheRunFailed() {
        const auto outcome = commandOutcome({m_well, {}}, std::vector{m_finished, endOfRank(1, m_killed, {})}, false);
        QCOMPARE(outcome.state, RunState::Finished);
        QCOMPARE(outcome.exitCode, 0);
        QCOMPARE(outcome.cause.english(),
                 std::string("the command ended with exit code 0, but rank 1 ended with SIGKILL "
                             "at step 12 while in forward"));
    }
    void uselessTrainingIsAFailureWithTheCommandsCode() {
        RankEnd useless = m_finished;
        useless.notFinite.addStep(5, 1);
        for (std::int64_t step = 6; step < 40; ++step)
            useless.notFinite.addStep(step, 1);
        const auto outcome = commandOutcome({m_well, {}}, std::vector{useless}, false);
        QCOMPARE(outcome.state, RunState::Failed);
        QCOMPARE(outcome.exitCode, 0);
        QVERIFY(outcome.cause.english().find("the loss has been NaN since step 5") == 0);
    }
    void noRank() {
        const std::vector<RankEnd> none;
        QVERIFY(commandOutcome({m_well, {}}, none, false).cause.english().find("no rank was seen: ") == 0);
        QCOMPARE(commandOutcome({m_well, {}, false}, none, false).cause.english(),
                 std::string("no rank was seen, because RANKSCOPE_OBSERVER is off"));
        const auto failed = commandOutcome({{false, 2, 10}, {"usage: train.py"}}, none, false);
        QVERIFY(
            failed.cause.english().find("the command ended with exit code 2; its output ends with: usage: train.py; "
                                        "no rank was seen") == 0);
        QCOMPARE(commandOutcome({m_killed, {}}, none, true).cause.english(),
                 std::string("stopped by the user before the first step; the command ended with SIGKILL"));
    }
    void theGuard() {
        CommandEnd command{m_killed, {}};
        command.guardLost = true;
        const auto outcome = commandOutcome(command, std::vector{endOfRank(0, m_killed, {})}, false);
        QVERIFY(outcome.cause.english().find("rankscope-guard") != std::string::npos);
        QVERIFY(outcome.reason == (EndReason{EndKind::Killed, -1, 12}));
    }

    void reasonOfTheCommand_data() {
        QTest::addColumn<int>("code");
        QTest::addColumn<bool>("signalled");
        QTest::addColumn<QString>("kind");
        QTest::newRow("exit code") << 9 << false << "exited";
        QTest::newRow("SIGKILL") << int(SIGKILL) << true << "killed";
        QTest::newRow("SIGSEGV") << int(SIGSEGV) << true << "crashed";
        QTest::newRow("SIGXCPU") << int(SIGXCPU) << true << "crashed";
        for (const int request : {SIGTERM, SIGINT, SIGHUP})
            QTest::newRow(signalName(request).c_str()) << request << true << "exited";
        QTest::newRow("well") << 0 << false << "none";
    }
    void reasonOfTheCommand() {
        QFETCH(int, code);
        QFETCH(bool, signalled);
        QFETCH(QString, kind);
        const CommandEnd command{{signalled, code, 10}, {}};
        const auto reason = commandOutcome(command, std::vector{m_finished}, false).reason;
        QCOMPARE(QString::fromStdString(std::string(endKindName(reason.kind))), kind);
        QCOMPARE(reason.rank, -1);
        QCOMPARE(reason.step, std::int64_t(code == 0 ? -1 : 12));
        const auto unseen = commandOutcome(command, std::vector<RankEnd>(), false).reason;
        QVERIFY(unseen == (EndReason{reason.kind, -1, -1}));
        QVERIFY(commandOutcome(command, std::vector<RankEnd>(), true).reason == EndReason());
    }
    void anUnknownEndIsNoCrash() {
        const CommandEnd command{{false, 0, 10, false}, {}};
        QVERIFY(commandOutcome(command, std::vector<RankEnd>(), false).reason == (EndReason{EndKind::Other}));
    }
    void reasonOfARank_data() {
        QTest::addColumn<int>("code");
        for (const int code : {1, 2, 3, 4}) // of our trainer, some of these mean something
            QTest::addRow("%d", code) << code;
    }
    void reasonOfARank() {
        QFETCH(int, code);
        auto first = endOfRank(1, {false, code, 20}, EndCause::Failed, "ValueError: bad batch (train.py:88)");
        const auto outcome = commandOutcome({{false, code, 30}, {}}, std::vector{m_finished, first}, false);
        QVERIFY(outcome.reason == (EndReason{EndKind::Exited, 1, 12}));
        first.text = "OSError: [Errno 28] No space left on device (train.py:88)";
        const auto full = commandOutcome({{false, code, 30}, {}}, std::vector{m_finished, first}, false);
        QVERIFY(full.reason == (EndReason{EndKind::DiskFull, 1, 12}));
    }
    void uselessTrainingIsAReason() {
        RankEnd useless = m_finished;
        for (std::int64_t step = 6; step < 40; ++step)
            useless.notFinite.addStep(step, 1);
        for (const bool stopping : {false, true})
            QVERIFY(commandOutcome({m_well, {}}, std::vector{useless}, stopping).reason ==
                    (EndReason{EndKind::NotFinite, -1, 6}));
    }

    /// torchrun ends the remaining ranks by SIGTERM, and by SIGKILL those that are left after 30 s.
    void aLaunchersSignalIsNoReason() {
        const auto failed = endOfRank(1, {false, 1, 20}, EndCause::Failed, "ValueError: bad batch (train.py:88)");
        for (const auto& [signal, atNs] : {std::pair{SIGTERM, std::int64_t{25}}, {SIGKILL, 30'000'000'000}}) {
            const auto ended = endOfRank(0, {true, signal, atNs}, {});
            const auto outcome = commandOutcome({{false, 1, 30}, {}}, std::vector{ended, failed}, false);
            QVERIFY(outcome.reason == (EndReason{EndKind::Exited, 1, 12}));
            QVERIFY(outcome.cause.english().starts_with("rank 1 ended with exit code 1"));
        }
    }
    /// A rank whose peer was killed fails with an exception, and its end may be seen first.
    void aBrokenConnectionIsNoReason() {
        const auto broken = endOfRank(0, {false, 1, 20}, EndCause::Failed,
                                      "RuntimeError: [..] Connection closed by peer [127.0.0.1]:1234 (train.py:9)");
        for (const int signal : {SIGKILL, SIGSEGV}) {
            const auto dead = endOfRank(1, {true, signal, 25}, {});
            QCOMPARE(commandOutcome({{false, 1, 30}, {}}, std::vector{broken, dead}, false).reason.rank, 1);
        }
        QCOMPARE(commandOutcome({{false, 1, 30}, {}}, std::vector{broken}, false).reason.rank, 0); // better than none
    }
    void exitCodesOfOurTrainerHaveNoMeaning() {
        const auto three = endOfRank(0, {false, 3, 20}, EndCause::Failed, "ValueError: first (train.py:88)");
        const auto one = endOfRank(1, {false, 1, 25}, EndCause::Failed, "ValueError: second (train.py:88)");
        QCOMPARE(commandOutcome({{false, 3, 30}, {}}, std::vector{three, one}, false).reason.rank, 0);
    }
};

RANKSCOPE_CORE_TEST(TestCommandOutcome)
#include "tst_command_outcome.moc"
