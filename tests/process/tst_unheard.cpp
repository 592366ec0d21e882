// SPDX-License-Identifier: Apache-2.0
// Nothing reads rankscopectl's output: its reader has exited, or there is no space. The run continues regardless.
#include "tests/process/launched_run.h"
#include "tests/support/test_runner.h"

#include <QJsonArray>
#include <QTest>

#include <fcntl.h>
#include <unistd.h>

#include <csignal>

using namespace rankscope;
using namespace rankscope::test;
using launch::RunState;

enum class Ear { Left, Full };

class TestUnheard : public QObject {
    Q_OBJECT
    std::unique_ptr<Workplace> w;

    std::unique_ptr<QProcess> start(const QStringList& args, Ear ear, bool errorsToo = false) const {
        auto process = std::make_unique<QProcess>();
        process->setProcessEnvironment(w->environment());
        process->setWorkingDirectory(w->path(QStringLiteral(".")));
        int fds[2]{-1, -1};
        if (ear == Ear::Full)
            fds[1] = ::open("/dev/full", O_WRONLY | O_CLOEXEC);
        else if (::pipe2(fds, O_CLOEXEC) == 0)
            ::close(fds[0]);
        process->setChildProcessModifier([out = fds[1], errorsToo] {
            ::dup2(out, STDOUT_FILENO);
            if (errorsToo)
                ::dup2(out, STDERR_FILENO);
        });
        process->start(QStringLiteral(RANKSCOPE_BIN_DIR "/rankscopectl"), args);
        process->waitForStarted();
        ::close(fds[1]);
        return process;
    }

    /// Returns the exit code; -1: a signal ended the process, or it is still running.
    static int end(QProcess& process, int timeoutMs = 60'000) {
        return process.waitForFinished(timeoutMs) && process.exitStatus() == QProcess::NormalExit ? process.exitCode()
                                                                                                  : -1;
    }

private Q_SLOTS:
    void init() {
        w = std::make_unique<Workplace>();
        w->setTarget("steps=400 ms=5 do=stall at=20 seconds=3");
    }

    void aRunGoesOn_data() {
        QTest::addColumn<int>("ear");
        QTest::newRow("reader left") << int(Ear::Left);
        QTest::newRow("no room") << int(Ear::Full);
    }
    void aRunGoesOn() {
        QFETCH(int, ear);
        const auto process = start(w->launchArgs({}), static_cast<Ear>(ear), true);
        QCOMPARE(end(*process), 0);
        QCOMPARE(w->info().state, RunState::Finished);
        QCOMPARE(w->incidents().size(), 1); // the supervisor was alive to see it
        for (int r = 0; r < 2; ++r)
            QCOMPARE(w->counter("records", r), w->appended(r).done);
    }

    void itCanBeStopped() {
        w->setTarget("steps=100000 ms=1");
        const auto process = start(w->launchArgs({}), Ear::Left, true);
        QTRY_VERIFY_WITH_TIMEOUT(w->info().state == RunState::Running && w->reachesStep(50), 20'000);
        ::kill(static_cast<pid_t>(process->processId()), SIGHUP); // as a closing terminal does
        QCOMPARE(end(*process), 4);
        QCOMPARE(w->info().state, RunState::Stopped);
    }

    void aTableHasItsReader() {
        QCOMPARE(end(*start({"list", "--runs", w->runsDir()}, Ear::Left)), 0); // as with `| head`
        for (const QStringList& args :
             {QStringList{"list", "--runs", w->runsDir()}, QStringList{"--help"}, QStringList{"--version"}}) {
            const auto process = start(args, Ear::Full);
            QCOMPARE(end(*process), 3);
            QCOMPARE(QString::fromUtf8(process->readAllStandardError()),
                     QStringLiteral("rankscopectl: standard output: No space left on device\n"));
        }
    }

    void whoWatchesForNobodyEnds() {
        w->setTarget("steps=100000 ms=1");
        const auto run = w->start();
        QTRY_VERIFY_WITH_TIMEOUT(w->info().state == RunState::Running && w->reachesStep(10), 20'000);
        const QString path = QString::fromStdString(w->run().dir.string());
        QCOMPARE(end(*start({"watch", path, "--json"}, Ear::Left), 10'000), 0);
        QCOMPARE(w->info().state, RunState::Running);
        ::kill(static_cast<pid_t>(run->processId()), SIGQUIT);
        QVERIFY(run->waitForFinished(20'000));
    }
};

RANKSCOPE_CORE_TEST(TestUnheard)
#include "tst_unheard.moc"
