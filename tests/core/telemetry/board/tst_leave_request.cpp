// SPDX-License-Identifier: Apache-2.0
// Signals that ask a process to leave, sent to this process itself.
#include "core/base/files/file.h"
#include "core/telemetry/board/board.h"
#include "core/telemetry/board/leave_request.h"
#include "tests/support/test_runner.h"

#include <QTemporaryDir>
#include <QTest>

#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <csignal>
#include <ctime>
#include <thread>

using namespace rankscope;
using namespace rankscope::telemetry;
using Sender = LeaveRequest::Sender;

class TestLeaveRequest : public QObject {
    Q_OBJECT

    QTemporaryDir m_dir;
    std::filesystem::path board() const { return std::filesystem::path(m_dir.path().toStdString()) / "board"; }
    static QString self() {
        QFile comm(QStringLiteral("/proc/self/comm"));
        return comm.open(QIODevice::ReadOnly) ? QString::fromUtf8(comm.readAll()).trimmed() : QString();
    }

private Q_SLOTS:
    void cleanup() {
        for (const int s : {SIGTERM, SIGINT, SIGHUP, SIGUSR1, SIGUSR2, SIGALRM, SIGXCPU})
            ::signal(s, SIG_DFL);
    }

    void signalAndSenderAreOnTheBoard_data() {
        QTest::addColumn<int>("signal");
        for (const int s : {SIGTERM, SIGINT, SIGHUP, SIGUSR1, SIGUSR2, SIGALRM, SIGXCPU})
            QTest::newRow(sigabbrev_np(s)) << s;
    }
    void signalAndSenderAreOnTheBoard() {
        QFETCH(int, signal);
        installLeaveSignals(true);
        auto writer = BoardWriter::create(board());
        auto reader = BoardReader::open(board());
        QVERIFY(writer && reader);
        const LeaveRequestOnBoard shown(*writer);
        QCOMPARE(reader->snapshot().asked.signal, 0);
        QCOMPARE(leaveRequestedAtNs(), std::int64_t{0});
        errno = 77;
        ::kill(::getpid(), signal);
        QCOMPARE(errno, 77);
        const LeaveRequest asked = reader->snapshot().asked;
        QCOMPARE(asked.signal, signal);
        QVERIFY(asked.sender == Sender::Process);
        QCOMPARE(asked.pid, ::getpid());
        QCOMPARE(asked.user, ::getuid());
        QCOMPARE(QString::fromUtf8(asked.programName().data(), qsizetype(asked.programName().size())), self());
        QVERIFY(asked.atNs > 0);
        QVERIFY(leaveRequest() == asked);
        ::kill(::getpid(), SIGTERM); // only the first one counts
        QVERIFY(reader->snapshot().asked == asked);
    }
    void oneThatCameBeforeTheBoard() {
        installLeaveSignals(true);
        ::kill(::getpid(), SIGUSR2);
        auto writer = BoardWriter::create(board());
        auto reader = BoardReader::open(board());
        QVERIFY(writer && reader);
        QCOMPARE(reader->snapshot().asked.signal, 0);
        const LeaveRequestOnBoard shown(*writer);
        QCOMPARE(reader->snapshot().asked.signal, SIGUSR2);
    }
    /// Runs in a child, whose single thread receives the signal no sooner than it is ready for it.
    void aSenderThatIsGone() {
        const pid_t asked = ::fork();
        if (asked == 0) {
            installLeaveSignals(true);
            sigset_t one;
            sigemptyset(&one);
            sigaddset(&one, SIGTERM);
            ::sigprocmask(SIG_BLOCK, &one, nullptr);
            const pid_t sender = ::fork();
            if (sender == 0)
                ::_exit(::kill(::getppid(), SIGTERM));
            ::waitpid(sender, nullptr, 0);
            ::sigprocmask(SIG_UNBLOCK, &one, nullptr);
            const LeaveRequest request = leaveRequest();
            ::_exit(request.pid != sender ? 1 : request.programName().empty() ? 0 : 2);
        }
        int status = -1;
        QCOMPARE(::waitpid(asked, &status, 0), asked);
        QCOMPARE(status, 0);
    }
    void theKernelAndTimers() {
        installLeaveSignals(true);
        ::ualarm(1000, 0);
        QTRY_COMPARE(leaveRequest().signal, SIGALRM);
        QVERIFY(leaveRequest().sender == Sender::Kernel);
        QCOMPARE(leaveRequest().pid, 0);
        installLeaveSignals(true);
        QCOMPARE(leaveRequest().signal, 0);
        timer_t timer{};
        sigevent how{};
        how.sigev_notify = SIGEV_SIGNAL;
        how.sigev_signo = SIGUSR1;
        QCOMPARE(::timer_create(CLOCK_MONOTONIC, &how, &timer), 0);
        const itimerspec soon{{}, {0, 1'000'000}};
        QCOMPARE(::timer_settime(timer, 0, &soon, nullptr), 0);
        QTRY_COMPARE(leaveRequest().signal, SIGUSR1);
        QVERIFY(leaveRequest().sender == Sender::Timer);
        ::timer_delete(timer);
    }
    /// Without a supervisor, only the two signals that a launcher sends to all ranks count as requests.
    void withoutASupervisorIgnoredSignalsStayIgnored() {
        ::signal(SIGINT, SIG_IGN);
        ::signal(SIGUSR1, SIG_IGN);
        installLeaveSignals(false);
        ::kill(::getpid(), SIGINT);
        ::kill(::getpid(), SIGUSR1);
        QCOMPARE(leaveRequest().signal, 0);
        struct sigaction action {};
        QCOMPARE(::sigaction(SIGHUP, nullptr, &action), 0);
        QVERIFY(action.sa_handler == SIG_DFL);
        ::kill(::getpid(), SIGTERM);
        QCOMPARE(leaveRequest().signal, SIGTERM);
        ::signal(SIGUSR1, SIG_IGN);
        installLeaveSignals(true); // a supervisor's ranks handle them, whatever they inherited
        ::kill(::getpid(), SIGUSR1);
        QCOMPARE(leaveRequest().signal, SIGUSR1);
    }
    /// Handlers run in any thread while boards are created and destroyed.
    void boardsThatComeAndGo() {
        installLeaveSignals(true);
        std::atomic<bool> done{false};
        std::thread sender([&] {
            while (!done)
                ::kill(::getpid(), SIGUSR1);
        });
        int shown = 0;
        for (int i = 0; i < 300; ++i) {
            auto writer = BoardWriter::create(board());
            auto reader = BoardReader::open(board());
            installLeaveSignals(true);
            {
                const LeaveRequestOnBoard attached(*writer);
                for (int spin = 0; spin < 100 && reader->snapshot().asked.signal == 0; ++spin)
                    std::this_thread::yield();
            }
            shown += reader->snapshot().asked.signal == SIGUSR1 ? 1 : 0;
        }
        done = true;
        sender.join();
        QVERIFY2(shown > 30, qPrintable(QString::number(shown)));
    }
};

RANKSCOPE_TEST(TestLeaveRequest)
#include "tst_leave_request.moc"
