// SPDX-License-Identifier: Apache-2.0
#include "core/base/files/atomic_file.h"
#include "core/base/files/file.h"
#include "core/base/process/process_identity.h"
#include "core/launch/host/host_facts.h"
#include "core/launch/process/child_process.h"
#include "tests/support/test_runner.h"

#include <QTemporaryDir>
#include <QTest>

#include <sys/wait.h>
#include <unistd.h>

#include <csignal>

using namespace rankscope;
using launch::ChildProcess;
using launch::ProcessEnd;

class TestChildProcess : public QObject {
    Q_OBJECT
    std::unique_ptr<QTemporaryDir> m_dir;

    std::filesystem::path log() const { return (m_dir->path() + "/log.txt").toStdString(); }
    ChildProcess shell(const std::string& script) const {
        auto child = ChildProcess::start({{"/bin/sh", "-c", script}, {{"TOLD", "so"}, {"HOME", "/changed"}}, log()});
        if (!child)
            qFatal("%s", child.error().message().c_str());
        return std::move(*child);
    }
    static std::optional<ProcessEnd> waitFor(ChildProcess& child) {
        std::optional<ProcessEnd> end;
        (void)QTest::qWaitFor([&] { return (end = child.poll()).has_value(); }, 20'000);
        return end;
    }

private Q_SLOTS:
    void init() { m_dir = std::make_unique<QTemporaryDir>(); }

    void endsExactlyOnce() {
        auto child = shell("exit 7");
        const auto end = waitFor(child);
        QVERIFY(end);
        QVERIFY(!end->signalled);
        QCOMPARE(end->code, 7);
        QVERIFY(child.ended());
        QVERIFY(!child.poll());
        child.signal(SIGKILL); // must not be sent: the pid may belong to another process now
    }
    void signalIsToldFromExitCode() {
        auto child = shell("kill -SEGV $$");
        const auto end = waitFor(child);
        QVERIFY(end && end->signalled);
        QCOMPARE(end->code, SIGSEGV);
    }
    void outputGoesToTheLog() {
        auto child = shell("echo out $TOLD $HOME; echo err >&2; read x; echo \"read: $?\"");
        QVERIFY(waitFor(child));
        QCOMPARE(readFile(log()).value_or(""), std::string("out so /changed\nerr\nread: 1\n"));
        QCOMPARE(std::filesystem::status(log()).permissions(), std::filesystem::perms(0600));
    }
    void theGroupGoesWithIt() {
        auto child = shell("sleep 1000 & echo $!; exit 0");
        QVERIFY(waitFor(child));
        const pid_t left = std::stoi(launch::lastLogLines(log().string(), 1).at(0));
        QTRY_VERIFY(!processStat(left) || processStat(left)->state == 'Z');
    }
    void leadsItsOwnGroup() {
        auto child = shell("sleep 1000");
        QCOMPARE(::getpgid(child.pid()), child.pid());
        QVERIFY(isSameProcess(child.pid(), child.startTicks()));
        child.signal(SIGTERM);
        QVERIFY(waitFor(child));
    }
    void blockedSignalsAreNotInherited() {
        sigset_t set;
        sigemptyset(&set);
        sigaddset(&set, SIGTERM);
        ::sigprocmask(SIG_BLOCK, &set, nullptr);
        auto child = shell("sleep 1000");
        ::sigprocmask(SIG_UNBLOCK, &set, nullptr);
        child.signal(SIGTERM);
        const auto end = waitFor(child);
        QVERIFY(end && end->signalled);
        QCOMPARE(end->code, SIGTERM);
    }
    void anEndThatSomebodyElseTookIsAnEnd() {
        auto child = shell("exit 7");
        QCOMPARE(::waitpid(child.pid(), nullptr, 0), child.pid());
        const auto end = waitFor(child);
        QVERIFY(end && !end->known && !end->signalled);
        QVERIFY(child.ended());
    }
    void whatIsWithheldIsNotInherited() {
        ::setenv("TORCHELASTIC_USE_AGENT_STORE", "True", 1);
        ::setenv("TORCH_OTHER", "kept", 1);
        auto child = ChildProcess::start({{"/usr/bin/env"}, {}, log(), {"TORCHELASTIC_*"}});
        ::unsetenv("TORCHELASTIC_USE_AGENT_STORE");
        ::unsetenv("TORCH_OTHER");
        QVERIFY(child && waitFor(*child));
        const std::string variables = readFile(log()).value_or("");
        QVERIFY(variables.find("TORCHELASTIC") == std::string::npos);
        QVERIFY(variables.find("TORCH_OTHER=kept") != std::string::npos);
    }
    /// Warning signals of a batch system are for the supervisor, and exceeding the file size limit is an error of
    /// write().
    void warningsDoNotEndIt() {
        auto child = shell("for s in USR1 USR2 ALRM XFSZ; do kill -$s $$; done; exit 5");
        const auto end = waitFor(child);
        QVERIFY(end && !end->signalled);
        QCOMPARE(end->code, 5);
    }
    void stopSignalIsKnown() {
        auto child = shell("kill -STOP $$; exit 0");
        QTRY_COMPARE(processStat(child.pid())->state, 'T');
        QCOMPARE(child.stopSignal(), SIGSTOP);
        QVERIFY(!child.poll());
        child.signal(SIGCONT);
        QVERIFY(waitFor(child));
    }
    void whatCannotStartSaysWhy() {
        const auto none = ChildProcess::start({{"/nonexistent/program"}, {}, log()});
        QVERIFY(!none);
        QCOMPARE(none.error().code, Errc::NotFound);
        QVERIFY(writeFileAtomic(log(), "in the way"));
        const auto noLog = ChildProcess::start({{"/bin/true"}, {}, log() / "log.txt"});
        QVERIFY(!noLog);
        const auto noProgram = ChildProcess::start({{"/etc/hostname"}, {}, log()});
        QVERIFY(!noProgram);
    }
    void aLogBehindALinkIsNotWritten() {
        namespace fs = std::filesystem;
        const fs::path base = m_dir->path().toStdString();
        fs::create_directories(base / "run/ranks/0");
        fs::create_directory(base / "elsewhere");
        fs::create_directory_symlink(base / "elsewhere", base / "run/ranks/1");
        fs::create_symlink(base / "elsewhere/log.txt", base / "run/ranks/0/log.txt");
        for (const char* rank : {"run/ranks/0/log.txt", "run/ranks/1/log.txt"}) {
            const auto refused = ChildProcess::start({{"/bin/echo", "text"}, {}, base / rank});
            QVERIFY2(!refused, rank);
            QCOMPARE(refused.error().code, Errc::Malformed);
        }
        QVERIFY(fs::is_empty(base / "elsewhere"));
    }
    void goesWithItsOwner() {
        pid_t pid = 0;
        {
            auto child = shell("sleep 1000");
            pid = child.pid();
        }
        QVERIFY(!processStat(pid));
    }
    void diesWithItsParent() {
        int ends[2];
        QCOMPARE(::pipe(ends), 0);
        const pid_t parent = ::fork();
        if (parent == 0) {
            auto child = shell("trap '' TERM INT HUP; sleep 1000");
            const pid_t pid = child.pid();
            (void)!::write(ends[1], &pid, sizeof pid);
            ::pause();
        }
        pid_t child = 0;
        QCOMPARE(::read(ends[0], &child, sizeof child), ssize_t(sizeof child));
        const auto stat = processStat(child);
        QVERIFY(stat);
        ::kill(parent, SIGKILL);
        ::waitpid(parent, nullptr, 0);
        QTRY_VERIFY(!isSameProcess(child, stat->startTicks));
        ::close(ends[0]), ::close(ends[1]);
    }
};

RANKSCOPE_CORE_TEST(TestChildProcess)
#include "tst_child_process.moc"
