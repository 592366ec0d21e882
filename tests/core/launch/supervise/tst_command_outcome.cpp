// SPDX-License-Identifier: Apache-2.0
// How the run of a command ended, from the command's end and those of its ranks.
#include "core/launch/supervise/command_outcome.h"
#include "tests/support/test_runner.h"

#include <QTest>

#include <csignal>

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
    }
};

RANKSCOPE_CORE_TEST(TestCommandOutcome)
#include "tst_command_outcome.moc"
