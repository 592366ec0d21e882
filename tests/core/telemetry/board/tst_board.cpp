// SPDX-License-Identifier: Apache-2.0
#include "core/base/files/atomic_file.h"
#include "core/base/files/file.h"
#include "core/base/process/process_identity.h"
#include "core/telemetry/board/board.h"
#include "tests/support/test_runner.h"

#include <QTemporaryDir>
#include <QTest>

#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <csignal>
#include <fstream>
#include <map>
#include <random>
#include <thread>

using namespace rankscope;
using namespace rankscope::telemetry;

class TestBoard : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void everyFieldArrives();
    void threadsThatEnterTogetherTakeTurns();
    void aFifthGroupIsLeftOut();
    void doneCountsNeverGoBack();
    void copiesAreConsistentWhileItIsWritten();
    void loadersTakeTurns();
    void aLongPathKeepsItsEnd();
    void readableAfterItsWriterWasKilled();
    void aWriteThatNeverEndsIsNotWaitedForTwice();
    void foreignFilesAreRefused();
    void garbageIsMadeSafe();
    void aBoardCutShortKeepsItsLastWord();
    void aLinkIsReplacedNotFollowed();
    void aLinkedFolderIsNotWritten();
    void detachedTakesEverything();
};

static std::filesystem::path at(const QTemporaryDir& dir, const char* name) {
    return std::filesystem::path(dir.path().toStdString()) / name;
}

void TestBoard::everyFieldArrives() {
    QTemporaryDir dir;
    const auto path = at(dir, "board");
    auto writer = BoardWriter::create(path);
    QVERIFY(writer);
    struct stat st {};
    QCOMPARE(::stat(path.c_str(), &st), 0);
    QCOMPARE(st.st_mode & 0777, 0600u);
    QCOMPARE(st.st_size, 4096);
    auto reader = BoardReader::open(path);
    QVERIFY(reader);
    QCOMPARE(reader->snapshot().rank, -1);
    QCOMPARE(reader->snapshot().stage, RankStage::Starting);
    for (const EndCause cause : {EndCause::Finished, EndCause::Stopped, EndCause::Failed}) {
        writer->stage(stageAfter(cause));
        QVERIFY(endCauseOf(reader->snapshot().stage) == cause);
    }
    QVERIFY(!endCauseOf(RankStage::Running) && hasLeft(RankStage::Stopped) && !hasLeft(RankStage::Failed));

    writer->identify(3, 8, 0xfeedfacecafebeef, "cuda:1", 500, 60);
    writer->stage(RankStage::Running);
    writer->step(41, 2);
    writer->phase(Phase::Forward, 123456);
    writer->place(ForwardSite::Layer, 7);
    writer->batch(16, 320000, 2001);
    writer->inputShape({16, 80, 2001, 0});
    writer->arrived(0, 99, CollectiveOp::AllReduce, 6, 1024, "gradient:3", 777);
    writer->done(0, 99, 700);
    writer->started(0, 100);
    writer->started(0, 98); // the value never decreases
    writer->reading("/data/a.wav", 888);
    writer->queue(2, 4);
    writer->dropped(5);

    const BoardSnapshot s = reader->snapshot();
    QCOMPARE(s.rank, 3);
    QCOMPARE(s.worldSize, 8);
    QCOMPARE(s.pid, ::getpid());
    QVERIFY(isSameProcess(s.pid, s.startTicks));
    QCOMPARE(s.configHash, 0xfeedfacecafebeefull);
    QCOMPARE(s.device, std::string("cuda:1"));
    QCOMPARE(s.totalSteps, 500);
    QCOMPARE(s.stepsPerEpoch, 60);
    QCOMPARE(s.stage, RankStage::Running);
    QCOMPARE(s.step, 41);
    QCOMPARE(s.epoch, 2);
    QCOMPARE(s.phase, Phase::Forward);
    QCOMPARE(s.phaseSinceNs, 123456);
    QCOMPARE(s.place, ForwardSite::Layer);
    QCOMPARE(s.collectives[0].started, 100u);
    QCOMPARE(s.layer, 7);
    QCOMPARE(s.batchSize, 16);
    QCOMPARE(s.longestSamples, 320000);
    QCOMPARE(s.longestFrames, 2001);
    QCOMPARE(s.inputShape[1], 80);
    QVERIFY(s.updatedNs > 0);
    const BoardCollective& c = s.collectives[0];
    QVERIFY(c.used && c.open());
    QCOMPARE(c.group, 0u);
    QCOMPARE(c.sequence, 99u);
    QCOMPARE(c.op, CollectiveOp::AllReduce);
    QCOMPARE(c.dtype, 6);
    QCOMPARE(c.count, 1024);
    QCOMPARE(c.arrivedNs, 777);
    QCOMPARE(c.tag, std::string("gradient:3"));
    QCOMPARE(c.done, 99u);
    QVERIFY(!s.collectives[1].used);
    QCOMPARE(s.reading, std::string("/data/a.wav"));
    QCOMPARE(s.readingSinceNs, 888);
    QCOMPARE(s.queueDepth, 2);
    QCOMPARE(s.queueCapacity, 4);
    QCOMPARE(s.droppedRecords, 5u);
    writer->done(0, 100, 900);
    QVERIFY(!reader->snapshot().collectives[0].open());
    QCOMPARE(reader->snapshot().collectives[0].doneNs, 900);
    writer->reading("", 0);
    QVERIFY(reader->snapshot().reading.empty());
    writer->batch(-1, -1, -1); // not known
    QCOMPARE(reader->snapshot().batchSize, -1);
    QCOMPARE(reader->snapshot().longestSamples, -1);
    QCOMPARE(reader->snapshot().longestFrames, -1);
}

void TestBoard::threadsThatEnterTogetherTakeTurns() {
    QTemporaryDir dir;
    auto writer = BoardWriter::create(at(dir, "board"));
    auto reader = BoardReader::open(at(dir, "board"));
    QVERIFY(writer && reader);
    constexpr std::uint64_t kAll = 80'000;
    std::atomic<std::uint64_t> next{0};
    std::vector<std::thread> threads;
    for (int t = 0; t < 4; ++t)
        threads.emplace_back([&] {
            for (std::uint64_t i = next++; i < kAll; i = next++)
                writer->arrived(0, i, CollectiveOp::AllReduce, 6, static_cast<std::int64_t>(i), "metrics", 1);
        });
    std::uint64_t last = 0;
    int torn = 0, fell = 0;
    while (next < kAll) {
        const BoardCollective c = reader->snapshot().collectives[0];
        torn += c.used && c.count != static_cast<std::int64_t>(c.sequence);
        fell += c.sequence < last;
        last = c.sequence;
    }
    for (auto& thread : threads)
        thread.join();
    QCOMPARE(torn, 0);
    QCOMPARE(fell, 0);
    QCOMPARE(reader->snapshot().collectives[0].sequence, kAll - 1);
}

void TestBoard::aFifthGroupIsLeftOut() {
    QTemporaryDir dir;
    auto writer = BoardWriter::create(at(dir, "board"));
    auto reader = BoardReader::open(at(dir, "board"));
    QVERIFY(writer && reader);
    for (std::uint32_t group = 10; group < 15; ++group) {
        writer->arrived(group, group * 2, CollectiveOp::Barrier, 0, 0, "barrier:x", 1);
        writer->done(group, group * 2 + 1, 2);
    }
    const BoardSnapshot s = reader->snapshot();
    for (int i = 0; i < kBoardGroups; ++i) {
        QCOMPARE(s.collectives[i].group, static_cast<std::uint32_t>(10 + i));
        QCOMPARE(s.collectives[i].sequence, static_cast<std::uint64_t>(20 + 2 * i));
    }
}

void TestBoard::doneCountsNeverGoBack() {
    QTemporaryDir dir;
    auto writer = BoardWriter::create(at(dir, "board"));
    auto reader = BoardReader::open(at(dir, "board"));
    QVERIFY(writer && reader);
    writer->arrived(0, 9, CollectiveOp::AllReduce, 0, 1, "metrics", 1);
    std::vector<std::thread> threads;
    for (int t = 0; t < 4; ++t)
        threads.emplace_back([&, t] {
            for (std::uint64_t i = 0; i < 2000; ++i)
                writer->done(0, i * 4 + static_cast<std::uint64_t>(t), static_cast<std::int64_t>(i));
        });
    std::uint64_t last = 0;
    bool fell = false;
    for (int i = 0; i < 200; ++i) {
        const std::uint64_t now = reader->snapshot().collectives[0].done;
        fell |= now < last;
        last = now;
    }
    for (auto& thread : threads)
        thread.join();
    QVERIFY(!fell);
    QCOMPARE(reader->snapshot().collectives[0].done, 1999u * 4 + 3);
}

/// All words of a section are written with matching values; a torn copy would mix two sets.
void TestBoard::copiesAreConsistentWhileItIsWritten() {
    QTemporaryDir dir;
    auto writer = BoardWriter::create(at(dir, "board"));
    auto reader = BoardReader::open(at(dir, "board"));
    QVERIFY(writer && reader);
    std::atomic<bool> stop{false};
    writer->arrived(1, 0, CollectiveOp::AllReduce, 0, 0, "t:0", 0);
    std::thread training([&] {
        for (std::int64_t i = 1; !stop; ++i) {
            const auto k = static_cast<std::int32_t>(i & 0xffffff);
            writer->inputShape({k, k, k, k});
            writer->arrived(1, static_cast<std::uint64_t>(i), CollectiveOp::AllReduce, 0, i, "t:" + std::to_string(i),
                            i);
            // about the pace of a fast trainer: a reader that ignored the sequences would still see torn copies
            std::this_thread::sleep_for(std::chrono::microseconds(5));
        }
    });
    int torn = 0, moved = 0;
    std::uint64_t last = 0;
    for (int i = 0; i < 20'000'000 && moved < 5000; ++i) {
        const BoardSnapshot s = reader->snapshot();
        const BoardCollective& c = s.collectives[0];
        torn += c.count != static_cast<std::int64_t>(c.sequence) || c.arrivedNs != c.count ||
                c.tag != "t:" + std::to_string(c.sequence);
        torn += s.inputShape[0] != s.inputShape[1] || s.inputShape[0] != s.inputShape[2] ||
                s.inputShape[0] != s.inputShape[3];
        moved += c.sequence != last;
        last = c.sequence;
    }
    stop = true;
    training.join();
    QCOMPARE(moved, 5000); // it was written in the meantime
    QCOMPARE(torn, 0);
}

void TestBoard::loadersTakeTurns() {
    QTemporaryDir dir;
    auto writer = BoardWriter::create(at(dir, "board"));
    auto reader = BoardReader::open(at(dir, "board"));
    QVERIFY(writer && reader);
    std::atomic<bool> stop{false};
    std::vector<std::thread> loaders;
    for (int t = 0; t < 3; ++t)
        loaders.emplace_back([&, t] {
            for (int i = 0; !stop; ++i) {
                const std::string path(static_cast<std::size_t>(40 + t * 100), static_cast<char>('a' + t));
                writer->reading(path, t);
                writer->queue(t, t + 10);
                std::this_thread::sleep_for(std::chrono::microseconds(5));
            }
        });
    int torn = 0;
    std::map<int, int> seen;
    for (int i = 0; i < 20'000'000 && (seen[0] < 500 || seen[1] < 500 || seen[2] < 500); ++i) {
        const BoardSnapshot s = reader->snapshot();
        if (s.reading.empty())
            continue;
        const int t = s.reading[0] - 'a';
        ++seen[t];
        torn += s.reading.size() != static_cast<std::size_t>(40 + t * 100) || s.readingSinceNs != t ||
                s.reading.find_first_not_of(s.reading[0]) != std::string::npos || s.queueCapacity - s.queueDepth != 10;
    }
    stop = true;
    for (auto& loader : loaders)
        loader.join();
    QCOMPARE(torn, 0);
}

void TestBoard::aLongPathKeepsItsEnd() {
    QTemporaryDir dir;
    auto writer = BoardWriter::create(at(dir, "board"));
    auto reader = BoardReader::open(at(dir, "board"));
    QVERIFY(writer && reader);
    writer->reading("/" + std::string(2000, 'x') + "/utterance.wav", 1);
    const std::string shown = reader->snapshot().reading;
    QVERIFY(shown.size() < 1008);
    QVERIFY(shown.ends_with("x/utterance.wav"));
}

void TestBoard::readableAfterItsWriterWasKilled() {
    QTemporaryDir dir;
    const auto path = at(dir, "board");
    int ready[2];
    QCOMPARE(::pipe(ready), 0);
    const pid_t child = ::fork();
    if (child == 0) {
        auto writer = BoardWriter::create(path);
        writer->identify(1, 2, 1, "cpu", 10);
        writer->step(7, 0);
        writer->phase(Phase::Backward, 5);
        (void)!::write(ready[1], "x", 1);
        ::pause();
        ::_exit(0);
    }
    char byte = 0;
    QCOMPARE(::read(ready[0], &byte, 1), 1);
    auto reader = BoardReader::open(path);
    ::kill(child, SIGKILL);
    ::waitpid(child, nullptr, 0);
    QVERIFY(reader);
    const BoardSnapshot s = reader->snapshot();
    QCOMPARE(s.step, 7);
    QCOMPARE(s.phase, Phase::Backward);
    QCOMPARE(s.pid, child);
    QVERIFY(!isSameProcess(s.pid, s.startTicks));
    ::close(ready[0]);
    ::close(ready[1]);
}

/// A writer has died inside a write: the board's other sections stay current, and the torn section is shown as it is.
void TestBoard::aWriteThatNeverEndsIsNotWaitedForTwice() {
    QTemporaryDir dir;
    auto writer = BoardWriter::create(at(dir, "board"));
    auto reader = BoardReader::open(at(dir, "board"));
    QVERIFY(writer && reader);
    writer->step(5, 0);
    {
        std::fstream file(at(dir, "board"), std::ios::in | std::ios::out | std::ios::binary);
        file.seekp(64); // the sequence of section training
        file.put(1);
    }
    for (int i = 0; i < 2000; ++i) { // at 20 ms each, this would take 40 s
        writer->reading("file" + std::to_string(i), i);
        const BoardSnapshot s = reader->snapshot();
        QCOMPARE(s.step, 5);
        QCOMPARE(s.reading, "file" + std::to_string(i));
    }
}

void TestBoard::foreignFilesAreRefused() {
    QTemporaryDir dir;
    QCOMPARE(BoardReader::open(at(dir, "none")).error().code, Errc::NotFound);
    QVERIFY(writeFileAtomic(at(dir, "empty"), ""));
    QCOMPARE(BoardReader::open(at(dir, "empty")).error().code, Errc::Malformed);
    QVERIFY(writeFileAtomic(at(dir, "zeros"), std::string(4096, '\0')));
    QCOMPARE(BoardReader::open(at(dir, "zeros")).error().code, Errc::Malformed);
    QVERIFY(BoardWriter::create(at(dir, "board")));
    auto bytes = readFile(at(dir, "board"));
    QVERIFY(bytes);
    (*bytes)[8] = 99; // the version
    QVERIFY(writeFileAtomic(at(dir, "newer"), *bytes));
    const Error newer = BoardReader::open(at(dir, "newer")).error();
    QCOMPARE(newer.code, Errc::Unsupported);
    QVERIFY(newer.message().find("99") != std::string::npos);
    QCOMPARE(::mkfifo(at(dir, "fifo").c_str(), 0600), 0);
    QCOMPARE(BoardReader::open(at(dir, "fifo")).error().code, Errc::Malformed);
    std::filesystem::create_symlink(at(dir, "board"), at(dir, "link"));
    QCOMPARE(BoardReader::open(at(dir, "link")).error().code, Errc::Malformed);
    QCOMPARE(BoardWriter::create(at(dir, "no/folder/board")).error().code, Errc::NotFound);
}

void TestBoard::garbageIsMadeSafe() {
    QTemporaryDir dir;
    QVERIFY(BoardWriter::create(at(dir, "board")));
    auto sound = readFile(at(dir, "board"));
    QVERIFY(sound);
    std::mt19937 random(7);
    for (int round = 0; round < 300; ++round) {
        std::string bytes = *sound;
        for (std::size_t i = 16; i < bytes.size(); ++i)
            bytes[i] = static_cast<char>(round % 2 ? random() : (random() % 4 ? 0xff : random()));
        if (round % 3 == 0) // a request to leave
            bytes.replace(1600, 8, std::string(1, '\2') + std::string(7, '\0'));
        QVERIFY(writeFileAtomic(at(dir, "garbage"), bytes));
        auto reader = BoardReader::open(at(dir, "garbage"));
        QVERIFY(reader);
        const BoardSnapshot s = reader->snapshot();
        QVERIFY(s.stage < RankStage::Count && s.phase < Phase::Count && s.place < ForwardSite::Count);
        QVERIFY(s.rank >= -1 && s.rank < kMaxRanks && s.worldSize >= 0 && s.worldSize <= kMaxRanks);
        QVERIFY(s.device.size() <= 32 && s.reading.size() <= 1008 && s.step >= -1);
        QVERIFY(s.asked.signal >= 0 && s.asked.signal < NSIG && s.asked.pid >= 0);
        QVERIFY(s.asked.sender < LeaveRequest::Sender::Count && s.asked.programName().size() <= 32);
        for (const BoardCollective& c : s.collectives)
            QVERIFY(c.op < CollectiveOp::Count && c.tag.size() <= kTagBytes);
    }
}

void TestBoard::aBoardCutShortKeepsItsLastWord() {
    QTemporaryDir dir;
    auto writer = BoardWriter::create(at(dir, "board"));
    auto reader = BoardReader::open(at(dir, "board"));
    QVERIFY(writer && reader);
    writer->step(12, 0);
    QCOMPARE(reader->snapshot().step, 12);
    QCOMPARE(::truncate(at(dir, "board").c_str(), 100), 0);
    QCOMPARE(reader->snapshot().step, 12);
}

void TestBoard::aLinkIsReplacedNotFollowed() {
    QTemporaryDir dir;
    QVERIFY(writeFileAtomic(at(dir, "precious"), "text"));
    std::filesystem::create_symlink(at(dir, "precious"), at(dir, "board"));
    QVERIFY(BoardWriter::create(at(dir, "board")));
    QCOMPARE(*readFile(at(dir, "precious")), std::string("text"));
    QVERIFY(BoardReader::open(at(dir, "board")));
}

void TestBoard::aLinkedFolderIsNotWritten() {
    QTemporaryDir dir;
    std::filesystem::create_directories(at(dir, "elsewhere"));
    std::filesystem::create_directories(at(dir, "run/ranks"));
    std::filesystem::create_directory_symlink(at(dir, "elsewhere"), at(dir, "run/ranks/0"));
    QCOMPARE(BoardWriter::create(at(dir, "run/ranks/0/board")).error().code, Errc::Malformed);
    QVERIFY(std::filesystem::is_empty(at(dir, "elsewhere")));
}

void TestBoard::detachedTakesEverything() {
    auto writer = BoardWriter::detached();
    writer.identify(0, 1, 0, "cpu", 0);
    writer.reading("a", 1);
    for (std::uint32_t group = 0; group < 10; ++group)
        writer.arrived(group, 1, CollectiveOp::Other, 0, 0, "x", 1);
    auto moved = std::move(writer);
    moved.step(1, 0);
}

RANKSCOPE_TEST(TestBoard)
#include "tst_board.moc"
