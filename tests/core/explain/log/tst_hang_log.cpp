// SPDX-License-Identifier: Apache-2.0
// Whole logs: what many lines say together, logs in parts of any size, and logs that nobody should have written.
#include "core/base/files/file.h"
#include "tests/core/explain/log/scanned.h"
#include "tests/support/test_runner.h"

#include <QTest>

#include <sys/resource.h>

#include <csignal>
#include <ctime>

using namespace rankscope;
using namespace rankscope::explain;

namespace {

std::string dataLog(const std::string& name) {
    const auto text = readFile(std::filesystem::path(RANKSCOPE_SOURCE_DIR) / "tests/data/explain/logs" / name);
    return text ? *text : std::string();
}

std::string watchdogLine(int rank, int sequence) {
    return "[rank" + std::to_string(rank) + "]:[E602 11:17:52.185053341 ProcessGroupNCCL.cpp:632] [Rank " +
           std::to_string(rank) +
           "] Watchdog caught collective operation timeout: WorkNCCL(SeqNum=" + std::to_string(sequence) +
           ", OpType=ALLREDUCE, NumelIn=1, NumelOut=1, Timeout(ms)=600000) ran for " +
           std::to_string(600'000 + sequence) + " milliseconds before timing out.\n";
}

/// What two readings of the same log must agree on.
std::string summary(const HangEvidence& found) {
    std::string text;
    for (const auto& one : found.timeouts)
        text += "t" + std::to_string(one.rank.value_or(-1)) + ":" + std::to_string(one.call.sequence.value_or(-1)) +
                "@" + std::to_string(one.place.line);
    for (const auto& one : found.progress)
        text += "p" + std::to_string(one.rank.value_or(-1)) + ":" + std::to_string(one.batch) + "@" +
                std::to_string(one.place.line);
    for (const auto& one : found.ends)
        text += "e" + std::to_string(one.rank.value_or(-1)) + ":" + one.text + "@" + std::to_string(one.place.line);
    text += " " + std::to_string(found.files.front().lines) + " " + std::to_string(found.files.front().bytes);
    for (const int rank : found.files.front().ranks)
        text += " " + std::to_string(rank);
    return text;
}

long residentKib() {
    rusage usage{};
    getrusage(RUSAGE_SELF, &usage);
    return usage.ru_maxrss;
}

} // namespace

class TestHangLog : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void aBarAndAWrappedMessageOnOneLine() {
        const HangEvidence found = scanned(dataLog("wrapped_bar.log"));
        QCOMPARE(found.timeouts.size(), std::size_t(1));
        const CollectiveTimeout& timeout = found.timeouts.front();
        QVERIFY(timeout.rank == 1 && timeout.globalRank == 1 && timeout.call.op == CollectiveOp::Broadcast);
        QCOMPARE(timeout.call.elementsIn.value_or(0), std::int64_t(5'158'880));
        QCOMPARE(timeout.waitedMs, std::int64_t(1'800'047));
        QCOMPARE(found.progress.size(), std::size_t(1));
        QCOMPARE(found.progress.front().batch, std::int64_t(51'200));
        QVERIFY(!found.progress.front().rank); // the bar does not say whose it is
        QVERIFY(found.files.front().startsLate);
    }
    void torchrunsTableNamesTheRankThatWasKilled() {
        const HangEvidence found = scanned(watchdogLine(2, 7) + dataLog("torchrun_table.log"));
        QCOMPARE(found.ends.size(), std::size_t(3));
        QVERIFY(found.ends[0].rank == 2 && found.ends[0].code == SIGABRT && found.ends[0].ofCollective);
        QVERIFY(found.ends[1].rank == 3 && found.ends[1].code == SIGKILL && !found.ends[1].ofCollective);
        QVERIFY(found.ends[2].rank == 3 && found.ends[2].kind == RankEnd::Kind::OutOfMemory);
        QCOMPARE(found.ends[1].place.line, std::int64_t(20));
    }
    void aStartSaysTheNumberOfRanks() {
        const HangEvidence found = scanned(dataLog("lightning_start.log") + watchdogLine(0, 7));
        QVERIFY(found.worldSize == 4 && found.backend == "nccl" && !found.files.front().startsLate);
        QCOMPARE(found.worldSizePlace->line, std::int64_t(1));
        QVERIFY((found.files.front().ranks == std::vector<int>{0, 1}));
    }
    void anExcerptIsToldFromARotatedLog() {
        const std::string lines = watchdogLine(0, 7) + watchdogLine(2, 7);
        HangEvidence found = scanned(lines);
        QVERIFY(found.files.front().startsLate && found.files.front().isExcerpt);
        found = scanned(wrapped(lines, 80)); // of a terminal
        QVERIFY(found.files.front().startsLate && found.files.front().isExcerpt);
        std::string stack;
        for (int i = 0; i < 12; ++i)
            stack += "[rank0]: frame #" + std::to_string(i) + ": c10d::ProcessGroupNCCL::watchdogHandler()\n";
        found = scanned(lines + stack);
        QVERIFY(found.files.front().startsLate && !found.files.front().isExcerpt);
        found = scanned("Epoch 3:  45%|#### | 450/1000 [10:00<12:13,  1.33s/it]\n" + stack + lines);
        QVERIFY(found.files.front().startsLate && !found.files.front().isExcerpt);
    }
    void repeatedMessagesAreOneFact() {
        const std::string line = watchdogLine(2, 7);
        const HangEvidence found = scanned(
            line +
            "[rank2]:[E602 11:17:53.1 ProcessGroupNCCL.cpp:1595] [PG ID 0 PG GUID 0(default_pg) Rank 2] Process "
            "group watchdog thread terminated with exception: " +
            line.substr(line.find("[Rank 2]")));
        QCOMPARE(found.timeouts.size(), std::size_t(1));
        QCOMPARE(found.timeouts.front().place.line, std::int64_t(1));
    }
    void theFirstAndLastFactsOfARankStay() {
        std::string text;
        for (int i = 1; i <= 1'000; ++i)
            text += watchdogLine(1, i);
        const HangEvidence found = scanned(text);
        QCOMPARE(found.timeouts.size(), std::size_t(128));
        QCOMPARE(found.leftOut, std::int64_t(872));
        QCOMPARE(found.timeouts.front().call.sequence.value_or(0), std::int64_t(1));
        QCOMPARE(found.timeouts.back().call.sequence.value_or(0), std::int64_t(1'000));
    }
    void partsOfAnySizeGiveTheSame() {
        std::string text = dataLog("lightning_start.log");
        for (int i = 0; i < 9'000; ++i) {
            text += "\r[rank" + std::to_string(i % 3) + "]: Epoch 0:  1%|# | " + std::to_string(i) +
                    "/90000 [00:01<00:09, 9.50it/s]" + (i % 5 == 0 ? "\n" : "");
            if (i % 700 == 0)
                text += "\n" + watchdogLine(i % 4, i);
        }
        const std::string whole = summary(scanned(text));
        QVERIFY(whole.find("p2:8999@") != std::string::npos);
        for (const std::size_t atOnce : {1u, 7u, 4'096u, 65'536u, 100'003u})
            QCOMPARE(QString::fromStdString(summary(scanned(text, atOnce))), QString::fromStdString(whole));
    }
    void hostileLogsAreHarmless_data() {
        QTest::addColumn<QByteArray>("noise");
        QTest::newRow("a line of 10 MB") << QByteArray(10'000'000, 'x');
        QTest::newRow("10 MB of words") << QByteArray("SeqNum=").repeated(1'400'000);
        QTest::newRow("10 MB of tracebacks") << QByteArray("Traceback (most recent call last)\n").repeated(60'000);
        QTest::newRow("zeros") << QByteArray(3'000'000, '\0');
        QTest::newRow("escapes") << QByteArray("\x1b]0;title\x07\x1b[31m\x1b[").repeated(100'000);
        QTest::newRow("an escape without an end") << QByteArray("\x1b]52;c;") + QByteArray(200'000, 'A');
        QTest::newRow("CR only") << QByteArray("\rEpoch 1: 10%|# | 1/10 [00:01<00:09, 9.50it/s]").repeated(60'000);
        QTest::newRow("brackets") << QByteArray("[rank[rank1]:[E ").repeated(100'000);
        QByteArray binary;
        for (int i = 0; i < 1'000'000; ++i)
            binary += static_cast<char>(i * 2654435761u >> 13);
        QTest::newRow("binary") << binary;
    }
    void hostileLogsAreHarmless() {
        QFETCH(QByteArray, noise);
        const long before = residentKib();
        const std::clock_t begin = std::clock();
        const HangEvidence found = scanned(noise.toStdString() + "\n" + watchdogLine(2, 7) + noise.toStdString());
        QVERIFY(static_cast<double>(std::clock() - begin) / CLOCKS_PER_SEC < 20);
        QVERIFY2(residentKib() - before < 64 * 1024, qPrintable(QString::number(residentKib() - before)));
        QVERIFY(std::any_of(found.timeouts.begin(), found.timeouts.end(),
                            [](const auto& one) { return one.rank == 2 && one.call.sequence == 7; }));
    }
    void textForPeopleIsSafeToPrint() {
        const HangEvidence found =
            scanned("Traceback (most recent call last):\nValueError: \x1b]0;t\x07\xC2\x9B \xE2\x80\xAE"
                    "x\n"
                    "Connection closed by peer [\x1b[31m\x07"
                    "10.0.0.2]:123\n");
        QCOMPARE(found.ends.size(), std::size_t(1));
        for (const char c : found.ends.front().text + (found.connections.empty() ? "" : found.connections.front().peer))
            QVERIFY(static_cast<unsigned char>(c) >= 0x20 && c != '\x7f');
        QVERIFY(found.ends.front().text.find("\xE2\x80\xAE") == std::string::npos);
    }
    void anotherEncodingIsSaid() {
        const HangEvidence found = scanned(std::string("\xFF\xFE[\0r\0", 6));
        QVERIFY(found.files.front().problem.english().find("UTF-16") != std::string::npos);
        QVERIFY(scanned("\x1F\x8B\x08").files.front().problem.english().find("gzip; unpack it") != std::string::npos);
        for (const char* form : {"\x28\xB5\x2F\xFD",
                                 "\xFD"
                                 "7zXZ",
                                 "BZh91AY", "PK\x03\x04"}) {
            const HangEvidence packed = scanned(form + watchdogLine(0, 7));
            QVERIFY(packed.timeouts.empty() && packed.files.front().lines == 0);
            QVERIFY(packed.files.front().problem.english().find("compressed with") != std::string::npos);
        }
        QVERIFY(scanned("").files.front().problem.empty());
    }
};

RANKSCOPE_TEST(TestHangLog)
#include "tst_hang_log.moc"
