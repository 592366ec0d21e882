// SPDX-License-Identifier: Apache-2.0
// What Python's faulthandler writes, and how it is put together with native stacks.
#include "core/launch/stacks/python_stacks.h"
#include "tests/support/test_runner.h"

#include <QTest>

#include <unistd.h>

#include <csignal>

using namespace rankscope;
using namespace rankscope::launch;

static constexpr char kWritten[] = "Thread 0x00007f0000000001 (most recent call first):\n"
                                   "  File \"/usr/lib/python3.11/threading.py\", line 320 in wait\n"
                                   "  File \"/home/me/my in data.py\", line 7 in __next__\n"
                                   "\n"
                                   "Current thread 0x00007f0000000002 [MainThread] (most recent call first):\n"
                                   "  File \"/home/me/train.py\", line 88 in train_step\n"
                                   "  File \"/home/me/train.py\", line 120 in <module>\n"
                                   "  ...\n"
                                   "\n"
                                   "Current thread's C stack trace (most recent call first):\n"
                                   "  Binary file \"/usr/bin/python\", at _PyEval+0x1 [0x1]\n";

class TestPythonStacks : public QObject {
    Q_OBJECT
private Q_SLOTS:
    /// The signal is sent only to a process that does not end by it.
    void aSignalThatIsCaught() {
        const int number = SIGRTMIN + 7;
        QVERIFY(!catchesSignal(::getpid(), number));
        std::signal(number, [](int) {});
        QVERIFY(catchesSignal(::getpid(), number));
        QVERIFY(!catchesSignal(::getpid(), number + 1));
        std::signal(number, SIG_IGN);
        QVERIFY(!catchesSignal(::getpid(), number));
        std::signal(number, SIG_DFL);
        QVERIFY(!catchesSignal(::getpid(), 0) && !catchesSignal(-1, number));
    }
    void framesOfAllThreads() {
        const auto threads = pythonThreadsOf(kWritten);
        QCOMPARE(threads.size(), std::size_t(2));
        QVERIFY(!threads[0].current);
        const std::vector<std::string> other{"wait (/usr/lib/python3.11/threading.py:320)",
                                             "__next__ (/home/me/my in data.py:7)"};
        QCOMPARE(threads[0].frames, other);
        QVERIFY(threads[1].current);
        const std::vector<std::string> main{"train_step (/home/me/train.py:88)", "<module> (/home/me/train.py:120)",
                                            "..."};
        QCOMPARE(threads[1].frames, main); // without the C stack, which the native ones have
    }
    void nothingInItIsTrusted() {
        QVERIFY(pythonThreadsOf("").empty());
        QVERIFY(pythonThreadsOf("  File \"a\", line 1 in f\n").empty());
        const auto odd = pythonThreadsOf("Thread 0x1\n  File \"\033[2Ja\", line\n" + std::string(5000, 'x') + "\n");
        QCOMPARE(odd.size(), std::size_t(1));
        QVERIFY(odd[0].frames.front().find('\033') == std::string::npos);
        std::string many;
        for (int i = 0; i < 1000; ++i)
            many += "Thread 0x1 (most recent call first):\n  File \"a\", line 1 in f\n";
        QCOMPARE(pythonThreadsOf(many).size(), std::size_t(StackLimits().threads));
        std::string deep = "Thread 0x1 (most recent call first):\n";
        for (int i = 0; i < 1000; ++i)
            deep += "  File \"a\", line 1 in f\n";
        QCOMPARE(pythonThreadsOf(deep).front().frames.size(), std::size_t(StackLimits().frames));
    }
    void beforeTheNativeFramesOfTheMainThread() {
        std::vector<NativeThread> threads{{11, "loader", "", {"poll"}, ""}, {10, "python", "", {"futex"}, ""}};
        addPythonThreads(threads, pythonThreadsOf(kWritten), 10);
        QCOMPARE(threads.size(), std::size_t(3));
        QCOMPARE(threads[1].frames.front(), std::string("train_step (/home/me/train.py:88)"));
        QCOMPARE(threads[1].frames.back(), std::string("futex"));
        QVERIFY(threads[2].tid < 0);
        QCOMPARE(threads[2].frames.size(), std::size_t(2));
    }
    void aloneIfThereAreNoNativeOnes() {
        std::vector<NativeThread> threads;
        addPythonThreads(threads, pythonThreadsOf(kWritten), 10);
        QCOMPARE(threads.size(), std::size_t(2));
        QCOMPARE(threads.front().tid, 10);
    }
};

RANKSCOPE_CORE_TEST(TestPythonStacks)
#include "tst_python_stacks.moc"
