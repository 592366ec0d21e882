// SPDX-License-Identifier: Apache-2.0
// Processes that another program started: their ends, their exit statuses, and signals that reach nobody else.
#include "core/base/process/process_identity.h"
#include "core/launch/process/foreign_process.h"
#include "tests/support/test_runner.h"

#include <QElapsedTimer>
#include <QTest>

#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <map>

using namespace rankscope;
using namespace rankscope::launch;

class TestForeignProcess : public QObject {
    Q_OBJECT

    /// Starts a process that sleeps, or ends at once with this exit code.
    static pid_t start(int code = -1) {
        const pid_t pid = ::fork();
        if (pid == 0) {
            if (code < 0)
                ::pause();
            ::_exit(code);
        }
        return pid;
    }
    static std::optional<ForeignProcess> find(pid_t pid, ForeignProcess::CollectedEnds collected = {}) {
        const auto stat = processStat(pid);
        auto found = ForeignProcess::find(pid, stat ? stat->startTicks : 0, std::move(collected));
        return found ? std::optional(std::move(*found)) : std::nullopt;
    }
    static std::optional<ProcessEnd> endOf(ForeignProcess& process) {
        std::optional<ProcessEnd> end;
        QElapsedTimer timer;
        timer.start();
        while (!end && timer.elapsed() < 5000) {
            end = process.poll();
            QTest::qWait(5);
        }
        return end;
    }

private Q_SLOTS:
    void aSignalEndsIt() {
        const pid_t pid = start();
        auto process = find(pid);
        QVERIFY(process);
        QCOMPARE(process->pid(), pid);
        QVERIFY(!process->poll());
        process->signal(SIGKILL);
        const auto end = endOf(*process); // its parent, this test, has not collected its status
        QVERIFY(end && end->known);
        QVERIFY(end->signalled);
        QCOMPARE(end->code, int(SIGKILL));
        QVERIFY(end->seenNs > 0);
        QVERIFY(!process->poll()); // reported once
        ::waitpid(pid, nullptr, 0);
    }
    void anExitCode() {
        const pid_t pid = start(7);
        QTest::qWait(50);
        auto process = find(pid); // a zombie
        QVERIFY(process);
        const auto end = endOf(*process);
        QVERIFY(end && end->known && !end->signalled);
        QCOMPARE(end->code, 7);
        ::waitpid(pid, nullptr, 0);
    }
    void whatAnotherProgramCollectedCounts() {
        std::map<pid_t, ProcessEnd> ends;
        const pid_t pid = start();
        auto process = find(pid, [&](pid_t wanted) {
            const auto found = ends.find(wanted);
            return found == ends.end() ? std::nullopt : std::optional(found->second);
        });
        QVERIFY(process);
        ::kill(pid, SIGKILL);
        ::waitpid(pid, nullptr, 0);
        ends[pid] = {false, 42, 1};
        const auto end = endOf(*process);
        QVERIFY(end && end->known && !end->signalled);
        QCOMPARE(end->code, 42);
    }
    /// Kernels before 6.15 do not keep the status of a process that its parent has collected.
    void itsEndIsSeenEvenWithoutAStatus() {
        const pid_t pid = start();
        auto process = find(pid);
        QVERIFY(process);
        ::kill(pid, SIGKILL);
        ::waitpid(pid, nullptr, 0);
        const auto end = endOf(*process);
        QVERIFY(end);
        QVERIFY(!end->known || (end->signalled && end->code == SIGKILL));
    }
    void anotherProcessWithItsNumberIsNotIt() {
        const pid_t pid = start();
        const auto stat = processStat(pid);
        QVERIFY(stat);
        const auto other = ForeignProcess::find(pid, stat->startTicks + 1, {});
        QCOMPARE(other.has_value(), false);
        QCOMPARE(other.error().code, Errc::NotFound);
        QCOMPARE(ForeignProcess::find(0, 0, {}).has_value(), false);
        QCOMPARE(ForeignProcess::find(-1, 0, {}).has_value(), false);
        ::kill(pid, SIGKILL);
        ::waitpid(pid, nullptr, 0);
    }
    void itIsLeftAlone() {
        const pid_t pid = start();
        find(pid).reset();
        QCOMPARE(::kill(pid, 0), 0);
        ::kill(pid, SIGKILL);
        ::waitpid(pid, nullptr, 0);
    }
};

RANKSCOPE_CORE_TEST(TestForeignProcess)
#include "tst_foreign_process.moc"
