// SPDX-License-Identifier: Apache-2.0
// Stacks of a real process, which must not be disturbed.
#include "core/base/process/process_identity.h"
#include "core/launch/stacks/native_stack.h"
#include "core/launch/stacks/stack_json.h"
#include "tests/support/test_runner.h"

#include <QProcess>
#include <QTest>

#include <sys/ptrace.h>
#include <sys/wait.h>

#include <algorithm>
#include <csignal>

using namespace rankscope;
using namespace rankscope::launch;

class TestNativeStack : public QObject {
    Q_OBJECT
    std::unique_ptr<QProcess> m_target;

    pid_t pid() const { return static_cast<pid_t>(m_target->processId()); }
    NativeStacks take() const {
        auto stacks = takeNativeStacks(pid());
        if (!stacks)
            qFatal("%s", stacks.error().message().c_str());
        return *stacks;
    }
    static const NativeThread& named(const NativeStacks& stacks, const std::string& name) {
        for (const auto& thread : stacks.threads)
            if (thread.name == name)
                return thread;
        qFatal("no thread %s", name.c_str());
    }
    /// Returns the index of the first frame that contains `text`; -1 if none does.
    static int depthOf(const NativeThread& thread, const std::string& text) {
        for (std::size_t i = 0; i < thread.frames.size(); ++i)
            if (thread.frames[i].find(text) != std::string::npos)
                return static_cast<int>(i);
        return -1;
    }
    static QByteArray all(const NativeThread& thread) {
        return QByteArray::fromStdString(stacksText({thread}, 0, "  "));
    }
    /// Returns what the target's threads have counted since the last call, and how many system calls were interrupted.
    std::pair<long, long> ask() const {
        m_target->write("?\n");
        if (!QTest::qWaitFor([&] { return m_target->canReadLine(); }, 10'000))
            return {-1, -1};
        const auto words = m_target->readLine().trimmed().split(' ');
        return {words.at(0).toLong(), words.at(1).toLong()};
    }

private Q_SLOTS:
    void init() {
        m_target = std::make_unique<QProcess>();
        m_target->start(QStringLiteral(RANKSCOPE_BIN_DIR "/target_stacks"), QStringList{});
        QVERIFY(QTest::qWaitFor([&] { return m_target->canReadLine(); }, 20'000));
        QCOMPARE(m_target->readLine(), QByteArray("ready\n"));
    }
    void cleanup() {
        m_target->kill();
        m_target->waitForFinished();
    }

    void functionsInOrder() {
        const auto stacks = take();
        const NativeThread& main = stacks.threads.front();
        QCOMPARE(main.tid, int(pid()));
        QVERIFY2(main.doing.find("sleeps") == 0, main.doing.c_str());
        int depth = depthOf(main, "descend<0>");
        QVERIFY2(depth > 0, all(main)); // inside fgets
        for (int i = 1; i <= 5; ++i) {
            const int next = depthOf(main, "void target::descend<" + std::to_string(i) + ">()+0x");
            QVERIFY2(next == depth + 1, all(main));
            depth = next;
        }
        QVERIFY2(depthOf(main, "main+0x") > depth, all(main));
        QVERIFY2(main.frames[static_cast<std::size_t>(depth)].find("(target_stacks)") != std::string::npos, all(main));
        QVERIFY2(main.remark.empty(), main.remark.c_str());
        QCOMPARE(stacks.threads.size(), std::size_t(5));
        QCOMPARE(stacks.threadsLeftOut, 0);
        QVERIFY2(depthOf(named(stacks, "reading"), "target::waitsForData(int)") > 0, all(named(stacks, "reading")));
    }
    void aLeafWithoutTables() {
        const NativeThread bare = named(take(), "bare");
        QVERIFY2(depthOf(bare, "bare_leaf") == 0, all(bare));
        QVERIFY2(depthOf(bare, "target::callsBareLeaf()") == 1, all(bare));
        QVERIFY2(bare.remark.find("target_stacks has no unwind tables") == 0, bare.remark.c_str());
        QVERIFY2(bare.remark.find("searching the stack") != std::string::npos, bare.remark.c_str());
        QCOMPARE(bare.doing, std::string("runs"));
    }
    void aLeafWithAFramePointer() {
        const NativeThread framed = named(take(), "framed");
        QVERIFY2(depthOf(framed, "framed_leaf") == 0, all(framed));
        QVERIFY2(depthOf(framed, "target::callsFramedLeaf()") == 1, all(framed));
        QVERIFY2(framed.remark.find("frame pointers") != std::string::npos, framed.remark.c_str());
    }
    void itGoesOnUnharmed() {
        for (int i = 0; i < 20; ++i)
            take();
        ask();
        QTest::qWait(50);
        const auto [counted, interrupted] = ask();
        QVERIFY(counted > 0);
        QCOMPARE(interrupted, 0l);
        const auto stat = processStat(pid());
        QVERIFY(stat && stat->state != 'T' && stat->state != 't');
    }
    void aStoppedOneStaysStopped() {
        const auto state = [&] { return processStat(pid()).value_or(ProcessStat{}).state; };
        QCOMPARE(::kill(pid(), SIGSTOP), 0);
        QTRY_COMPARE(state(), 'T');
        for (int i = 0; i < 3; ++i) {
            const auto stacks = take();
            QCOMPARE(stacks.threads.front().doing, std::string("stopped"));
            QVERIFY2(depthOf(stacks.threads.front(), "descend<5>") > 0, all(stacks.threads.front()));
            QVERIFY2(depthOf(named(stacks, "counting"), "target::counts()") > 0, all(named(stacks, "counting")));
            QTRY_COMPARE(state(), 'T');
        }
        QCOMPARE(::kill(pid(), SIGCONT), 0);
        QVERIFY(ask().first >= 0);
    }
    void boundsAreKept() {
        const auto few = takeNativeStacks(pid(), {2, 3, 5});
        QVERIFY(few);
        QCOMPARE(few->threads.size(), std::size_t(2));
        QCOMPARE(few->threadsLeftOut, 3);
        QCOMPARE(few->threads.front().frames.size(), std::size_t(3));
        const auto none = takeNativeStacks(pid(), {32, 64, 0});
        QVERIFY(none && none->threads.empty());
    }
    void nobodyThere() {
        const auto gone = takeNativeStacks(0x3ffffff);
        QVERIFY(!gone);
        QCOMPARE(gone.error().code, Errc::NotFound);
    }
    /// A debugger is already attached.
    void refusedWithTheReason() {
        QCOMPARE(::ptrace(PTRACE_SEIZE, pid(), nullptr, nullptr), 0l);
        QProcess ctl;
        ctl.start(QStringLiteral(RANKSCOPE_BIN_DIR "/rankscopectl"),
                  {"stacks", "--pid", QString::number(pid()), "--json"});
        QVERIFY(ctl.waitForFinished(20'000));
        QCOMPARE(ctl.exitCode(), 2);
        const QByteArray said = ctl.readAllStandardError();
        QVERIFY2(said.contains("a debugger is already attached to it"), said);
        QVERIFY(ctl.readAllStandardOutput().isEmpty());
    }
    void asJsonAndBack() {
        const auto stacks = take();
        const auto again = stacksFromJson(toJson(stacks).dump());
        QVERIFY(again);
        QCOMPARE(again->threads.size(), stacks.threads.size());
        QCOMPARE(again->threads.front().frames, stacks.threads.front().frames);
        QCOMPARE(stacksText(again->threads, 0, ""), stacksText(stacks.threads, 0, ""));
    }
};

RANKSCOPE_CORE_TEST(TestNativeStack)
#include "tst_native_stack.moc"
