// SPDX-License-Identifier: Apache-2.0
// How a command is started and ends when something is in the way.
#include "core/launch/command/guarded_command.h"
#include "tests/support/test_runner.h"

#include <QDir>
#include <QFile>
#include <QTemporaryDir>
#include <QTest>

#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstddef>
#include <iterator>
#include <string>

using namespace rankscope;
using namespace rankscope::launch;

/// Makes signalfd(), the first thing that the guard needs, fail in this process and its children.
static bool refuseSignalDescriptors() {
    sock_filter steps[] = {BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, nr)),
                           BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_signalfd4, 0, 1),
                           BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EMFILE),
                           BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW)};
    const sock_fprog filter{static_cast<unsigned short>(std::size(steps)), steps};
    return ::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 && ::prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &filter) == 0;
}

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
    void aLogThatCannotBeWrittenIsNamed() {
        const auto message = [&](const QString& log) {
            CommandLine command = shell("true");
            command.log = m_dir.filePath(log).toStdString();
            const auto started = GuardedCommand::start(command, mark());
            return QString::fromStdString(started ? "started" : started.error().message());
        };
        QVERIFY(QDir(m_dir.path()).mkdir("folder"));
        QVERIFY(QFile::link(m_dir.filePath("other.log"), m_dir.filePath("link.log")));
        QCOMPARE(message("no/command.log"), m_dir.filePath("no") + ": cannot open: No such file or directory");
        QCOMPARE(message("folder"), m_dir.filePath("folder") + ": cannot open: Is a directory");
        QVERIFY2(message("link.log").startsWith(m_dir.filePath("link.log") + ": is a link"), "it is not followed");
    }
    /// Children that the caller has already, as after `sleep 100 & exec rankscopectl run …`, are none of its business.
    void aGuardThatCannotBeginIsNotWaitedForLong() {
        const pid_t caller = ::fork(); // in a process that ends, because a filter of system calls remains
        if (caller == 0) {
            const pid_t inherited = ::fork();
            if (inherited == 0) {
                ::prctl(PR_SET_PDEATHSIG, SIGKILL);
                ::pause();
                ::_exit(0);
            }
            ::alarm(60); // it would wait for the child
            const bool started = !refuseSignalDescriptors() || GuardedCommand::start(shell("true"), mark()).has_value();
            ::kill(inherited, SIGKILL);
            ::_exit(started || ::waitpid(inherited, nullptr, 0) != inherited ? 1 : 0);
        }
        int status = -1;
        QCOMPARE(::waitpid(caller, &status, 0), caller);
        QCOMPARE(status, 0);
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
