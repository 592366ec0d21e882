// SPDX-License-Identifier: Apache-2.0
// What a rank records through the C interface: steps, collectives, groups, tags, and that it stops.
#include "core/telemetry/board/control_page.h"
#include "tests/core/observer/rank_process.h"
#include "tests/support/test_runner.h"

#include <QTemporaryDir>
#include <QTest>

#include <sys/resource.h>
#include <sys/stat.h>

#include <cmath>
#include <csignal>
#include <set>

using namespace rankscope;
using namespace rankscope::test;

class TestRankInterface : public QObject {
    Q_OBJECT

    QTemporaryDir m_dir;
    fs::path m_run;

private Q_SLOTS:
    void init() {
        static int number = 0;
        m_run = m_dir.filePath(QString::number(++number)).toStdString();
        fs::create_directory(m_run);
    }

    void nothingHappensWithoutARank() {
        QCOMPARE(inChild([] {
                     rs_stage(2);
                     rs_software("torch", "2.11.0");
                     rs_note(1, nullptr);
                     rs_scalar("x", 1);
                     rs_reading("file");
                     rs_queue(1, 2);
                     rs_step_begin(0, 0);
                     rs_batch(nullptr);
                     rs_step_end(nullptr);
                     rs_validation(nullptr);
                     rs_backward_begin();
                     rs_close(0, 0, nullptr);
                     const std::int32_t member = 0;
                     return rs_interface_version() == RS_INTERFACE_VERSION && rs_is_open() == 0 && rs_phase(7) > 0 &&
                            rs_current_phase() == 0 && rs_backward_end() == 0 && rs_dropped() == 0 &&
                            rs_group("0", "gloo", &member, 1) == 0 && runCollective(0, kAllReduce, nullptr) == 0 &&
                            rs_stop_at_step() == std::numeric_limits<std::int64_t>::max();
                 }),
                 0);
    }

    void twoRanksReadBack();
    void endsOutOfOrder();
    void blockingCollectivesCountOnce();
    void backwardNumbersItsBuckets();
    void tagsAreOfTheirThread();
    void groupsHaveTheSameNumbersOnAllMembers();
    void notKnownIsWrittenAsSuch();
    void manyThreads();
    void withoutSpaceRecordsAreDroppedAndCounted();
    void aStopIsSeen();
};

/// Reports a record of each kind, and two collectives.
static void reportEverything() {
    rs_stage(2);
    rs_software("torch", "2.11.0+cpu");
    rs_step_begin(7, 1);
    rs_phase(3);
    const rs_batch_facts first{2, 2, 100, 180, 280, 10, 18, 28, 36, 5000, 3000, 77};
    rs_batch(&first);
    const rs_batch_facts batch{4, 2, 100, 200, 600, 10, 20, 60, 80, 5000, 6000, 77};
    rs_batch(&batch); // with a second micro-batch
    rs_phase(7);
    runCollective(0, kAllReduce, "sync_max_audio_length", 1);
    const std::int64_t begin = rs_phase(9);
    rs_backward_begin();
    runCollective(0, kAllReduce, nullptr, 0, 1000);
    const std::int64_t exposed = rs_backward_end();
    const rs_step_facts step{7, 1, 0, 2.5, 0.001, kNan, begin, begin + 1'000'000'000, exposed};
    rs_step_end(&step);
    rs_scalar("val_loss_set", 3.5);
    const rs_validation_facts validation{7, 1, 3.25, 3.5, 12, begin, begin + 10};
    rs_validation(&validation);
    rs_note(2, "slow");
}

void TestRankInterface::twoRanksReadBack() {
    for (int rank = 0; rank < 2; ++rank) {
        QCOMPARE(inChild([&] {
                     if (!openRank(m_run, rank).empty())
                         return false;
                     reportEverything();
                     rs_close(0, 0, "all done");
                     return rs_dropped() == 0;
                 }),
                 0);
    }
    for (int rank = 0; rank < 2; ++rank) {
        const auto records = recordsOf(m_run, rank);
        const auto anchor = all<AnchorRecord>(records).at(0);
        QCOMPARE(anchor.rank, rank);
        QCOMPARE(anchor.worldSize, 2);
        QVERIFY(anchor.pid > 0 && anchor.realtimeNs > 0);
        QCOMPARE(getText(anchor.device, sizeof anchor.device), std::string_view("cpu"));
        const auto software = all<SoftwareRecord>(records).at(0);
        QCOMPARE(getText(software.version, sizeof software.version), std::string_view("2.11.0+cpu"));
        const auto collectives = all<CollectiveRecord>(records);
        QCOMPARE(collectives.size(), std::size_t{2});
        for (std::size_t i = 0; i < collectives.size(); ++i) {
            QCOMPARE(collectives[i].sequence, std::uint64_t{i});
            QCOMPARE(collectives[i].header.step, std::int64_t{7});
            QVERIFY(collectives[i].arrivedNs <= collectives[i].startedNs);
            QVERIFY(collectives[i].startedNs <= collectives[i].doneNs);
        }
        QCOMPARE(tagOf(collectives[0]), std::string("sync_max_audio_length"));
        QCOMPARE(collectives[0].phase, Phase::Forward);
        QCOMPARE(tagOf(collectives[1]), std::string("gradient:0"));
        QCOMPARE(collectives[1].count, std::int64_t{1000});
        const auto batch = all<BatchRecord>(records).at(1);
        QCOMPARE(batch.header.step, std::int64_t{7});
        QCOMPARE(batch.size, 4);
        QCOMPARE(batch.paddingShare, 0.25);
        QCOMPARE(batch.indexHash, std::uint64_t{77});
        const auto step = all<StepRecord>(records).at(0);
        QCOMPARE(step.loss, 2.5);
        QCOMPARE(step.samplesPerSecond, 600.0);
        QCOMPARE(step.exposedGradientNs, collectives[1].exposedNs);
        QCOMPARE(all<ScalarRecord>(records).at(0).value, 3.5);
        QCOMPARE(all<ValidationRecord>(records).at(0).batches, std::int64_t{12});
        QCOMPARE(all<NoteRecord>(records).at(0).severity, NoteSeverity::Warning);
        QCOMPARE(all<PhaseRecord>(records).size(), std::size_t{2});
        QVERIFY(!all<ResourceRecord>(records).empty());
        QVERIFY(all<ResourceRecord>(records).at(0).rssBytes > 0);
        QCOMPARE(records.back().type(), RecordType::End); // nothing comes after it
        QCOMPARE(all<EndRecord>(records).at(0).cause, EndCause::Finished);
        const BoardSnapshot board = boardOf(m_run, rank);
        QCOMPARE(board.stage, RankStage::Finished);
        QCOMPARE(board.step, std::int64_t{7});
        QCOMPARE(board.batchSize, 4);
        QCOMPARE(board.longestSamples, std::int64_t{200});
        struct stat st {};
        QCOMPARE(::stat((m_run / "ranks" / std::to_string(rank)).c_str(), &st), 0);
        QCOMPARE(st.st_mode & 0777u, 0700u);
        std::size_t segments = 0;
        for (const auto& entry : fs::directory_iterator(m_run / "ranks" / std::to_string(rank)))
            segments += entry.path().filename().string().starts_with("journal.");
        QCOMPARE(segments, std::size_t{1}); // the one that was kept ready is gone
    }
}

void TestRankInterface::endsOutOfOrder() {
    QCOMPARE(inChild([&] {
                 openRank(m_run, 0);
                 std::array<std::uint64_t, 3> handles{};
                 for (std::uint64_t& handle : handles) {
                     handle = rs_enter(0, kAllReduce, kFloat, 1, nullptr, 0);
                     rs_handed(handle);
                 }
                 const auto done = [&] { return boardOf(m_run, 0).collectives[0].done; };
                 rs_done(handles[2], 0);
                 const auto afterLast = done();
                 rs_done(handles[0], 1);
                 const auto afterFirst = done();
                 rs_done(handles[1], 0);
                 rs_done(handles[1], 1); // a second end changes nothing
                 const std::uint64_t refused = rs_enter(0, kAllReduce, kFloat, 1, nullptr, 0);
                 rs_done(refused, 1); // never handed over
                 return afterLast == 0 && afterFirst == 1 && done() == 4;
             }),
             0);
    const auto collectives = all<CollectiveRecord>(recordsOf(m_run, 0));
    QCOMPARE(collectives.size(), std::size_t{4});
    QCOMPARE(collectives[0].sequence, std::uint64_t{2});
    QCOMPARE(collectives[1].sequence, std::uint64_t{0});
    QCOMPARE(int(collectives[1].failed), 1);
    QCOMPARE(int(collectives[2].failed), 0);
    QCOMPARE(int(collectives[3].failed), 1);
    QVERIFY(collectives[3].startedNs >= collectives[3].arrivedNs);
}

void TestRankInterface::blockingCollectivesCountOnce() {
    QCOMPARE(inChild([&] {
                 openRank(m_run, 0);
                 const std::uint64_t floats = rs_enter(0, kBroadcast, kFloat, 1, "broadcast:buffers", 1);
                 rs_handed(floats);
                 const std::uint64_t integers = rs_enter(0, kBroadcast, kInt, 1, "broadcast:buffers", 1);
                 rs_handed(integers);
                 std::this_thread::sleep_for(std::chrono::milliseconds(50));
                 rs_done(floats, 0);
                 rs_done(integers, 0);
                 return true;
             }),
             0);
    const auto collectives = all<CollectiveRecord>(recordsOf(m_run, 0));
    QCOMPARE(collectives.size(), std::size_t{2});
    QVERIFY(collectives[0].exposedNs >= 50'000'000);
    QVERIFY(collectives[1].exposedNs >= 0);
    QCOMPARE(collectives[0].exposedNs + collectives[1].exposedNs, collectives[1].doneNs - collectives[0].arrivedNs);
}

void TestRankInterface::backwardNumbersItsBuckets() {
    const SharedNumber returned;
    QCOMPARE(inChild([&] {
                 openRank(m_run, 0);
                 const bool none = rs_backward_end() == 0;
                 for (int step = 0; step < 2; ++step) {
                     rs_backward_begin();
                     std::array<std::uint64_t, 3> buckets{};
                     for (std::uint64_t& bucket : buckets) {
                         bucket = rs_enter(0, kAllReduce, kFloat, 9, nullptr, 0);
                         rs_handed(bucket);
                     }
                     runCollective(0, kAllReduce, "mine.py:3", 1);
                     const std::uint64_t used = rs_enter(0, kAllReduce, kInt, 1, nullptr, 0);
                     rs_handed(used);
                     rs_done(used, 0);
                     runCollective(0, kBroadcast, nullptr);
                     std::this_thread::sleep_for(std::chrono::milliseconds(5));
                     for (const std::uint64_t bucket : buckets)
                         rs_done(bucket, 0);
                     *returned = rs_backward_end();
                 }
                 runCollective(0, kAllReduce, nullptr);
                 return none;
             }),
             0);
    std::vector<std::string> tags;
    std::int64_t exposed = -1;
    for (const auto& record : all<CollectiveRecord>(recordsOf(m_run, 0))) {
        tags.push_back(tagOf(record));
        if (tags.back() == "gradient:2")
            exposed = record.exposedNs;
        else if (tags.back().starts_with("gradient"))
            QCOMPARE(record.exposedNs, std::int64_t{-1});
    }
    const std::vector<std::string> once{"mine.py:3", "untagged", "untagged", "gradient:0", "gradient:1", "gradient:2"};
    std::vector<std::string> expected = once;
    expected.insert(expected.end(), once.begin(), once.end());
    expected.push_back("untagged");
    QCOMPARE(tags, expected);
    QVERIFY(exposed >= 5'000'000);
    QCOMPARE(std::int64_t{*returned}, exposed);
}

void TestRankInterface::tagsAreOfTheirThread() {
    QCOMPARE(inChild([&] {
                 openRank(m_run, 0);
                 const bool none = rs_current_tag() == nullptr;
                 rs_untag(); // one too many
                 rs_tag("barrier:outer");
                 rs_tag("metrics:inner");
                 runCollective(0, kAllReduce, nullptr);
                 std::thread([] { runCollective(0, kAllReduce, nullptr); }).join();
                 rs_untag();
                 runCollective(0, kAllReduce, nullptr);
                 runCollective(0, kAllReduce, "explicit");
                 rs_untag();
                 runCollective(0, kAllReduce, nullptr);
                 for (int depth = 0; depth < 100; ++depth)
                     rs_tag(std::to_string(depth).c_str());
                 for (int depth = 0; depth < 99; ++depth)
                     rs_untag();
                 const bool first = std::string_view(rs_current_tag()) == "0";
                 rs_untag();
                 rs_tag("äöü äöü äöü äöü äöü äöü äöü äöü äöü äöü äöü äöü"); // cut at a character
                 return none && first && std::string_view(rs_current_tag()).size() < 64;
             }),
             0);
    std::vector<std::string> tags;
    for (const auto& record : all<CollectiveRecord>(recordsOf(m_run, 0)))
        tags.push_back(tagOf(record));
    QCOMPARE(tags, (std::vector<std::string>{"metrics:inner", "untagged", "barrier:outer", "explicit", "untagged"}));
}

void TestRankInterface::groupsHaveTheSameNumbersOnAllMembers() {
    const std::vector<std::int32_t> world{0, 1, 2, 3}, half{3, 1};
    std::vector<std::int32_t> wide;
    for (std::int32_t rank = 0; rank < 4000; rank += 2)
        wide.push_back(rank);
    const auto number = [](const char* name, const std::vector<std::int32_t>& ranks) {
        return rs_group(name, "gloo", ranks.data(), static_cast<int>(ranks.size()));
    };
    for (const int rank : {1, 3}) {
        QCOMPARE(inChild([&] {
                     openRank(m_run, rank, 4);
                     const bool worldIsZero = number("0", world) == 0;
                     const std::uint32_t second = number("1", world), pair = number("2", half);
                     if (rank == 3) // in any order
                         number("2", {1, 3});
                     number("wide", wide);
                     runCollective(pair, kAllReduce, nullptr);
                     runCollective(0, kAllReduce, nullptr);
                     runCollective(pair, kAllReduce, nullptr);
                     runCollective(pair, kSend, nullptr);
                     const bool unknown = rs_enter(12345, kAllReduce, kFloat, 1, nullptr, 0) == 0 && rs_dropped() == 1;
                     return worldIsZero && number("0", world) == 0 && second > 1 && pair > 1 && pair != second &&
                            (pair & 0x8000'0000u) == 0 && unknown;
                 }),
                 0);
    }
    const auto one = all<GroupRecord>(recordsOf(m_run, 1)), three = all<GroupRecord>(recordsOf(m_run, 3));
    QCOMPARE(one.size(), std::size_t{6}); // the wide group needs four
    QCOMPARE(three.size(), one.size());
    for (std::size_t i = 0; i < one.size(); ++i)
        QCOMPARE(three[i].group, one[i].group);
    QCOMPARE(one[1].size, 2);
    QCOMPARE(one[1].firstRank, 1);
    QCOMPARE(int(one[1].members[0]), 0b101);
    QCOMPARE(getText(one[1].name, sizeof one[1].name), std::string_view("2"));
    QCOMPARE(getText(one[1].backend, sizeof one[1].backend), std::string_view("gloo"));
    std::set<std::int32_t> members;
    for (std::size_t i = 2; i < one.size(); ++i)
        for (std::int32_t bit = 0; bit < 1024; ++bit)
            if ((one[i].members[static_cast<std::size_t>(bit) / 8] >> (bit % 8) & 1) != 0)
                members.insert(one[i].firstRank + bit);
    QCOMPARE(members, std::set<std::int32_t>(wide.begin(), wide.end()));
    const auto collectives = all<CollectiveRecord>(recordsOf(m_run, 1));
    QCOMPARE(collectives.size(), std::size_t{4});
    QCOMPARE(collectives[0].group, one[1].group);
    QCOMPARE(collectives[1].group, 0u);
    QCOMPARE(collectives[1].sequence, std::uint64_t{0});
    QCOMPARE(collectives[2].sequence, std::uint64_t{1});
    QCOMPARE(collectives[3].group, one[1].group | 0x8000'0000u); // numbered by itself
    QCOMPARE(collectives[3].sequence, std::uint64_t{0});
}

void TestRankInterface::notKnownIsWrittenAsSuch() {
    QCOMPARE(inChild([&] {
                 openRank(m_run, 0);
                 rs_step_begin(3, 0);
                 const rs_batch_facts batch{-1, 0, -1, -1, -1, -1, -1, -1, -1, -1, 7, 0};
                 rs_batch(&batch);
                 const std::int64_t now = rs_now();
                 const rs_step_facts step{3, 0, 0, kNan, kNan, kNan, now - 100, now, 0};
                 rs_step_end(&step);
                 return true;
             }),
             0);
    const auto records = recordsOf(m_run, 0);
    const auto batch = all<BatchRecord>(records).at(0);
    QCOMPARE(batch.size, -1);
    QCOMPARE(batch.samplesSum, std::int64_t{-1});
    QCOMPARE(batch.paddedFrames, std::int64_t{-1});
    QVERIFY(std::isnan(batch.paddingShare));
    QCOMPARE(batch.loadNs, std::int64_t{-1});
    QCOMPARE(batch.waitNs, std::int64_t{7});
    const auto step = all<StepRecord>(records).at(0);
    QVERIFY(std::isnan(step.loss) && std::isnan(step.learningRate) && std::isnan(step.samplesPerSecond));
    QCOMPARE(step.flags, 0);
    QCOMPARE(boardOf(m_run, 0).batchSize, -1);
}

void TestRankInterface::manyThreads() {
    constexpr int kThreads = 8;
    constexpr std::uint64_t kEach = 100'000, kAll = kThreads * kEach;
    const SharedNumber dropped;
    QCOMPARE(inChild([&] {
                 openRank(m_run, 0);
                 std::vector<std::thread> threads;
                 for (int t = 0; t < kThreads; ++t)
                     threads.emplace_back([] {
                         for (std::uint64_t i = 0; i < kEach; ++i)
                             runCollective(0, kAllReduce, "metrics");
                     });
                 for (auto& thread : threads)
                     thread.join();
                 *dropped = static_cast<std::int64_t>(rs_dropped());
                 return boardOf(m_run, 0).droppedRecords == rs_dropped();
             }),
             0);
    std::vector<bool> seen(kAll);
    std::uint64_t found = 0;
    JournalReader reader(m_run / "ranks" / "0");
    for (std::vector<AnyRecord> some; some.clear(), reader.read(some, 10'000, true) > 0;) {
        for (const auto& any : some) {
            if (const auto* record = any.as<CollectiveRecord>()) {
                QVERIFY(record->sequence < kAll && !seen[record->sequence]);
                seen[record->sequence] = true;
                ++found;
            }
        }
    }
    QCOMPARE(reader.counters().malformed + reader.counters().torn, std::uint64_t{0});
    QCOMPARE(found + static_cast<std::uint64_t>(*dropped), kAll);
    const BoardCollective shown = boardOf(m_run, 0).collectives[0];
    QCOMPARE(shown.done, kAll);
    QCOMPARE(shown.sequence, kAll - 1); // the newest, not that of the thread that wrote last
    QVERIFY(!shown.open());
}

void TestRankInterface::withoutSpaceRecordsAreDroppedAndCounted() {
    QCOMPARE(inChild([&] {
                 openRank(m_run, 0);
                 const rlimit full{0, 0}; // as on a full disk
                 if (::setrlimit(RLIMIT_FSIZE, &full) != 0)
                     return false;
                 constexpr std::uint64_t kNotes = 10'000; // two segments of 4,096
                 for (std::uint64_t i = 0; i < kNotes; ++i)
                     rs_note(1, "full");
                 rs_close(0, 0, nullptr);
                 const auto notes = all<NoteRecord>(recordsOf(m_run, 0)).size();
                 return notes < kNotes && notes > 4000 && boardOf(m_run, 0).droppedRecords >= kNotes - notes;
             }),
             0);
    QCOMPARE(inChild([&] {
                 const rlimit full{0, 0};
                 std::signal(SIGXFSZ, SIG_IGN); // as Python does
                 return ::setrlimit(RLIMIT_FSIZE, &full) == 0 && !openRank(m_run, 1).empty();
             }),
             0);
}

void TestRankInterface::aStopIsSeen() {
    QCOMPARE(inChild([&] {
                 openRank(m_run, 0);
                 if (rs_stop_at_step() != std::numeric_limits<std::int64_t>::max())
                     return false;
                 auto page = ControlPage::create(m_run / "control"); // the supervisor came later
                 if (!page || !page->setStopAtStep(42))
                     return false;
                 std::this_thread::sleep_for(std::chrono::milliseconds(1100));
                 return rs_stop_at_step() == 42;
             }),
             0);
}

RANKSCOPE_TEST(TestRankInterface)
#include "tst_rank_interface.moc"
