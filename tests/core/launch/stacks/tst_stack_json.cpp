// SPDX-License-Identifier: Apache-2.0
// Stacks reported by another process are not trusted; and which ranks are inspected.
#include "core/diagnosis/model/incident.h"
#include "core/launch/monitors/stack_capture.h"
#include "core/launch/stacks/stack_json.h"
#include "tests/support/test_runner.h"

#include <QTest>

using namespace rankscope;
using namespace rankscope::launch;
using diagnosis::Cause;
using diagnosis::ProcessView;

class TestStackText : public QObject {
    Q_OBJECT

    static NativeStacks sample() {
        NativeStacks stacks;
        stacks.threads.push_back({7, "trainer", "runs", {"a()+0x1 (x.so)", "b()+0x2 (x.so)"}, ""});
        stacks.threads.push_back({8, "pool", "sleeps", {"futex+0x3 (libc.so.6)"}, "odd"});
        stacks.threads.push_back({9, "pool", "sleeps", {"futex+0x3 (libc.so.6)"}, "odd"});
        stacks.threads.push_back({10, "pool", "sleeps", {}, "left out"});
        stacks.threadsLeftOut = 4;
        return stacks;
    }
    static diagnosis::Incident incident(Cause cause, std::vector<int> holders, std::vector<int> waiters) {
        diagnosis::Incident i;
        i.cause = cause;
        i.holders = std::move(holders);
        i.waiters = std::move(waiters);
        return i;
    }
    static std::vector<ProcessView> processes(std::initializer_list<ProcessView::State> states) {
        std::vector<ProcessView> all;
        for (const auto state : states) {
            all.emplace_back();
            all.back().state = state;
        }
        return all;
    }
    using Chosen = std::vector<std::pair<int, std::string>>;

private Q_SLOTS:
    void likeThreadsAreToldOnce() {
        QCOMPARE(stacksText(sample().threads, 4, "> "),
                 std::string("> thread 7 trainer, runs\n>   #0  a()+0x1 (x.so)\n>   #1  b()+0x2 (x.so)\n"
                             "> thread 8 pool, sleeps; the same in threads 9\n>   (odd)\n"
                             ">   #0  futex+0x3 (libc.so.6)\n> thread 10 pool, sleeps\n>   (left out)\n"
                             "> and 4 more threads\n"));
    }
    /// Each prefix of the text, and the text with one byte changed: an error or a bounded result, never a crash.
    void damagedText() {
        const std::string text = toJson(sample()).dump();
        for (std::size_t n = 0; n < text.size(); ++n) {
            QVERIFY(!stacksFromJson(text.substr(0, n)));
            std::string changed = text;
            changed[n] = static_cast<char>(changed[n] ^ 0x15);
            const auto read = stacksFromJson(changed);
            QVERIFY(!read || read->threads.size() <= 4);
        }
        QVERIFY(stacksFromJson(text));
    }
    void otherShapes_data() {
        QTest::addColumn<QByteArray>("text");
        QTest::addColumn<int>("threads");
        QTest::newRow("no object") << QByteArray("[1,2]") << -1;
        QTest::newRow("no list") << QByteArray(R"({"threads": {"a": 1}})") << -1;
        QTest::newRow("threads of other types") << QByteArray(R"({"threads": [1, null, "x", [], {}]})") << 1;
        QTest::newRow("fields of other types")
            << QByteArray(R"({"threads": [{"tid": "7", "name": 3, "frames": [1, {"a": 2}, "f"]}]})") << 1;
        QTest::newRow("huge figures") << QByteArray(R"({"threads": [{"tid": 1e300}], "threads_left_out": -5})") << 1;
        QTest::newRow("more than asked for")
            << QByteArray(R"({"threads": [)") + QByteArray("{},").repeated(500) + QByteArray("{}]}") << 32;
    }
    void otherShapes() {
        QFETCH(QByteArray, text);
        QFETCH(int, threads);
        const auto read = stacksFromJson(text.toStdString());
        QCOMPARE(read ? int(read->threads.size()) : -1, threads);
        if (read)
            QVERIFY(read->threadsLeftOut >= 0);
    }
    void holderAndOneWaiter() {
        using S = ProcessView::State;
        const auto living = processes({S::Running, S::Running, S::Stopped, S::Running});
        QCOMPARE(ranksToLookInto(incident(Cause::DataLoading, {2}, {0, 1, 3}), living),
                 (Chosen{{2, "holder"}, {0, "waiter"}}));
        QCOMPARE(ranksToLookInto(incident(Cause::InsideCollective, {}, {0, 1}), living), (Chosen{{0, "waiter"}}));
        QCOMPARE(ranksToLookInto(incident(Cause::InsideCollective, {0, 1}, {0, 1}), living),
                 (Chosen{{0, "holder"}, {1, "waiter"}}));
        QCOMPARE(ranksToLookInto(incident(Cause::DataLoading, {7, -1}, {}), living), Chosen{});
    }
    void theDeadAreLeftAlone() {
        using S = ProcessView::State;
        const auto some = processes({S::Exited, S::Running, S::Signalled, S::Running});
        QCOMPARE(ranksToLookInto(incident(Cause::UnevenBatches, {0}, {1, 3}), some), (Chosen{{1, "waiter"}}));
        QCOMPARE(ranksToLookInto(incident(Cause::NeverJoined, {2, 3}, {1}), some),
                 (Chosen{{3, "holder"}, {1, "waiter"}}));
        QCOMPARE(ranksToLookInto(incident(Cause::Dead, {2}, {1}), some), Chosen{});
        QCOMPARE(ranksToLookInto(incident(Cause::NotFinite, {1}, {}), some), Chosen{});
    }
};

RANKSCOPE_CORE_TEST(TestStackText)
#include "tst_stack_json.moc"
