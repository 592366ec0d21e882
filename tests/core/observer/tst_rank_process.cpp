// SPDX-License-Identifier: Apache-2.0
// The process of a rank that uses the C interface: its beginning, its threads, its forked children and its end.
#include "tests/core/observer/rank_process.h"
#include "tests/support/test_runner.h"

#include <QTemporaryDir>
#include <QTest>

#include <cstdlib>
#include <fstream>

using namespace rankscope;
using namespace rankscope::test;

class TestRankProcess : public QObject {
    Q_OBJECT

    QTemporaryDir m_dir;
    fs::path m_run;

private Q_SLOTS:
    void init() {
        static int number = 0;
        m_run = m_dir.filePath(QString::number(++number)).toStdString();
        fs::create_directory(m_run);
    }

    void identityAndSecondOpen();
    void openingFails();
    void aRankHasOneLiveProcess();
    void aForkedChildWritesNothing();
    void aChildOfAProgramThatIsNoRankMayBecomeOne();
    void nothingAfterTheEnd();
    void theExitCodeIsReported();
    void threadsTakeNoSignals();
};

void TestRankProcess::identityAndSecondOpen() {
    QCOMPARE(inChild([&] {
                 const bool first = openRank(m_run, 0, 2).empty();
                 const bool same = openRank(m_run, 0, 2, 500).empty();
                 const std::string other = openRank(m_run, 1, 2);
                 const bool larger = openRank(m_run, 0, 4).empty();
                 return first && same && larger && other == "rank 1: this process already reports as rank 0";
             }),
             0);
    const auto anchors = all<AnchorRecord>(recordsOf(m_run, 0));
    QCOMPARE(anchors.size(), std::size_t{2}); // the same identity with another number of steps needs none
    QCOMPARE(anchors[1].worldSize, 4);
    QCOMPARE(anchors[1].monotonicNs, anchors[0].monotonicNs); // the same process
    QCOMPARE(anchors[1].realtimeNs, anchors[0].realtimeNs);
    QCOMPARE(boardOf(m_run, 0).worldSize, 4);
    QVERIFY(!fs::exists(m_run / "ranks" / "1"));
}

void TestRankProcess::openingFails() {
    QCOMPARE(inChild([&] {
                 const std::string missing = openRank(m_run / "none", 0);
                 std::array<char, 8> cut{};
                 const rs_identity identity{0, 2, 0, 0, 0, nullptr};
                 rs_open((m_run / "none").c_str(), &identity, cut.data(), cut.size());
                 rs_open((m_run / "none").c_str(), &identity, nullptr, 0);
                 return missing.ends_with("No such file or directory") && cut.back() == '\0' &&
                        openRank(m_run, 2, 2) == m_run.string() + ": rank 2 of 2 is not valid" &&
                        openRank(m_run, -1, 2) == m_run.string() + ": rank -1 of 2 is not valid" && rs_is_open() == 0 &&
                        openRank(m_run, 0).empty(); // an error is not the end
             }),
             0);
    const fs::path linked = m_run / "linked";
    fs::create_directory(linked);
    fs::create_directory_symlink(m_run / "ranks", linked / "ranks");
    QCOMPARE(inChild([&] { return openRank(linked, 0) == (linked / "ranks").string() + ": is not a folder"; }), 0);
}

void TestRankProcess::aRankHasOneLiveProcess() {
    const SharedNumber stage;
    const pid_t first = ::fork();
    if (first == 0) {
        *stage = openRank(m_run, 0).empty() ? 1 : -1;
        stage.await(2);
        ::_exit(0); // without an end
    }
    while (*stage == 0)
        std::this_thread::sleep_for(std::chrono::milliseconds(1));
    QCOMPARE(std::int64_t{*stage}, std::int64_t{1});
    const std::string taken =
        (m_run / "ranks" / "0").string() + ": process " + std::to_string(first) + " already reports this rank";
    QCOMPARE(inChild([&] { return openRank(m_run, 0) == taken && openRank(m_run, 1).empty(); }), 0);
    *stage = 2;
    ::waitpid(first, nullptr, 0);
    QCOMPARE(inChild([&] { return openRank(m_run, 0).empty(); }), 0); // it is started again
    QCOMPARE(all<AnchorRecord>(recordsOf(m_run, 0)).size(), std::size_t{2});
}

void TestRankProcess::aForkedChildWritesNothing() {
    QCOMPARE(inChild([&] {
                 openRank(m_run, 0);
                 rs_step_begin(5, 0);
                 rs_phase(7);
                 const std::uint64_t open = rs_enter(0, kAllReduce, kFloat, 1, nullptr, 0);
                 rs_handed(open);
                 const int child = inChild([&] {
                     rs_step_begin(99, 9);
                     rs_phase(1);
                     rs_note(3, "from the child");
                     rs_reading("child.wav");
                     rs_queue(9, 9);
                     rs_done(open, 1);
                     runCollective(0, kAllReduce, nullptr);
                     const std::string again = openRank(m_run, 0), other = openRank(m_run, 1);
                     rs_close(2, 1, "child");
                     std::size_t threads = 0;
                     for ([[maybe_unused]] const auto& entry : fs::directory_iterator("/proc/self/task"))
                         ++threads;
                     return rs_is_open() == 0 && !again.empty() && !other.empty() && threads == 1;
                 });
                 rs_done(open, 0);
                 return child == 0 && rs_is_open() == 1;
             }),
             0);
    const auto records = recordsOf(m_run, 0);
    const auto collectives = all<CollectiveRecord>(records);
    QCOMPARE(collectives.size(), std::size_t{1});
    QCOMPARE(int(collectives[0].failed), 0);
    QVERIFY(all<NoteRecord>(records).empty() && all<EndRecord>(records).empty() && all<PhaseRecord>(records).empty());
    const BoardSnapshot board = boardOf(m_run, 0);
    QCOMPARE(board.step, std::int64_t{5});
    QCOMPARE(board.phase, Phase::Forward);
    QVERIFY(board.reading.empty());
    QCOMPARE(board.queueDepth, 0);
    QVERIFY(!fs::exists(m_run / "ranks" / "1"));
}

void TestRankProcess::aChildOfAProgramThatIsNoRankMayBecomeOne() {
    QCOMPARE(inChild([&] { // as with the start method "fork"
                 rs_is_open();
                 const int first = inChild([&] { return openRank(m_run, 0).empty(); });
                 const int second = inChild([&] { return openRank(m_run, 1).empty(); });
                 return first == 0 && second == 0;
             }),
             0);
    QCOMPARE(boardOf(m_run, 1).rank, 1);
}

void TestRankProcess::nothingAfterTheEnd() {
    QCOMPARE(inChild([&] {
                 openRank(m_run, 0);
                 const std::uint64_t handle = rs_enter(0, kAllReduce, kFloat, 1, nullptr, 0);
                 rs_close(2, 3, "ValueError: no (train.py:3)");
                 rs_close(0, 0, "second");
                 rs_handed(handle);
                 rs_done(handle, 0);
                 rs_note(1, "late");
                 return rs_is_open() == 0 && openRank(m_run, 0) == "the rank has ended";
             }),
             0);
    const auto records = recordsOf(m_run, 0);
    const auto ends = all<EndRecord>(records);
    QCOMPARE(ends.size(), std::size_t{1});
    QCOMPARE(ends[0].cause, EndCause::Failed);
    QCOMPARE(ends[0].exitCode, 3);
    QCOMPARE(getText(ends[0].text, sizeof ends[0].text), std::string_view("ValueError: no (train.py:3)"));
    QVERIFY(all<NoteRecord>(records).empty());
    QCOMPARE(boardOf(m_run, 0).stage, RankStage::Failed);
}

void TestRankProcess::theExitCodeIsReported() {
    const auto endOf = [&](int rank, int code) {
        inChild([&] {
            openRank(m_run, rank, 3);
            rs_at_exit(0, "not this");
            rs_at_exit(1, "SystemExit (train.py:3)");
            inChild([]() -> bool { std::exit(5); }); // a forked child is no rank
            std::exit(code);
            return false;
        });
        return all<EndRecord>(recordsOf(m_run, rank));
    };
    const auto well = endOf(0, 0), badly = endOf(1, 3);
    QCOMPARE(well.size(), std::size_t{1});
    QCOMPARE(well[0].cause, EndCause::Stopped);
    QCOMPARE(well[0].exitCode, 0);
    QVERIFY(getText(well[0].text, sizeof well[0].text).empty());
    QCOMPARE(badly.size(), std::size_t{1});
    QCOMPARE(badly[0].cause, EndCause::Failed);
    QCOMPARE(badly[0].exitCode, 3);
    QCOMPARE(getText(badly[0].text, sizeof badly[0].text), std::string_view("SystemExit (train.py:3)"));
}

void TestRankProcess::threadsTakeNoSignals() {
    QCOMPARE(inChild([&] {
                 openRank(m_run, 0);
                 const std::string self = std::to_string(::getpid());
                 constexpr std::uint64_t kAll = 0xfffffffe7ffbfeff; // but KILL, STOP and two of the C library
                 int ours = 0;
                 for (const auto& entry : fs::directory_iterator("/proc/self/task")) {
                     std::ifstream status(entry.path() / "status");
                     for (std::string line; std::getline(status, line);)
                         if (entry.path().filename() != self && line.starts_with("SigBlk:"))
                             ours += (std::stoull(line.substr(7), nullptr, 16) & kAll) == kAll;
                 }
                 return ours == 2;
             }),
             0);
}

RANKSCOPE_TEST(TestRankProcess)
#include "tst_rank_process.moc"
