// SPDX-License-Identifier: Apache-2.0
// How a command is started and ends when something is in the way.
#include "core/launch/command/guarded_command.h"
#include "tests/support/test_runner.h"

#include <QTemporaryDir>
#include <QTest>

#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <string>

using namespace rankscope;
using namespace rankscope::launch;

class TestGuardedCommand : public QObject {
    Q_OBJECT
    QTemporaryDir m_dir;

    CommandLine shell(const std::string& script) const {
        CommandLine command;
        command.argv = {"sh", "-c", script};
        command.log = m_dir.filePath("command.log").toStdString();
        command.forwards = false;
        return command;
    }
    std::string doneFile() const { return m_dir.filePath("done").toStdString(); }
    std::string mark() const { return "RANKSCOPE_TEST_MARK=" + m_dir.path().toStdString(); }

private Q_SLOTS:
    void initTestCase() { ::signal(SIGPIPE, SIG_IGN); }

    void theEndIsReported() {
        auto command = GuardedCommand::start(shell("exit 7"), mark());
        QVERIFY(command);
        QTRY_VERIFY_WITH_TIMEOUT((command->poll(), command->allEnded()), 60'000);
        QCOMPARE(command->end().value().code, 7);
        QVERIFY(!command->isGuardLost());
    }
    /// Children that the caller has already, as after `sleep 100 & exec rankscopectl run …`, are none of its business.
    void aGuardThatCannotBeginIsNotWaitedForLong() {
        const pid_t inherited = ::fork();
        if (inherited == 0) {
            ::pause();
            ::_exit(0);
        }
        CommandLine command = shell("true");
        command.log = m_dir.filePath("no/such/folder/command.log").toStdString();
        ::alarm(60); // it would wait for the child
        const bool started = GuardedCommand::start(command, mark()).has_value();
        ::alarm(0);
        ::kill(inherited, SIGKILL);
        QCOMPARE(::waitpid(inherited, nullptr, 0), inherited);
        QVERIFY(!started);
    }
    /// While the caller was stopped, more processes ended than the pipe has room for.
    void theEndIsReportedAfterManyOthers() {
        const std::string many = "i=0; while [ $i -lt 4200 ]; do (: & :); i=$((i + 1)); done; : > ";
        auto command = GuardedCommand::start(shell(many + doneFile() + "; exit 7"), mark());
        QVERIFY(command);
        QTRY_VERIFY_WITH_TIMEOUT(::access(doneFile().c_str(), F_OK) == 0, 120'000);
        QTest::qSleep(500);
        QTRY_VERIFY_WITH_TIMEOUT((command->poll(), command->allEnded()), 60'000);
        QCOMPARE(command->end().value().code, 7);
    }
};

RANKSCOPE_CORE_TEST(TestGuardedCommand)
#include "tst_guarded_command.moc"
