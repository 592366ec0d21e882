// SPDX-License-Identifier: Apache-2.0
// Collecting journals with impossible contents gives an error, or a run that every reader accepts as sound.
#include "core/base/files/atomic_file.h"
#include "core/base/files/file.h"
#include "core/launch/recovery/rank_collection.h"
#include "core/store/read/run_reader.h"
#include "core/telemetry/format/limits.h"
#include "core/telemetry/journal/journal_writer.h"
#include "tests/support/test_runner.h"

#include <QTemporaryDir>
#include <QTest>

#include <algorithm>

using namespace rankscope;
using namespace rankscope::launch;
using namespace rankscope::telemetry;
namespace fs = std::filesystem;

static constexpr std::int64_t kSecond = 1'000'000'000, kToday = 1'795'000'000 * kSecond;

class TestCollect : public QObject {
    Q_OBJECT
    std::unique_ptr<QTemporaryDir> m_dir;
    fs::path at(const std::string& name) const { return fs::path(m_dir->path().toStdString()) / name; }

    struct Rank {
        int rank = 0, world = 1;
        std::int64_t monotonicNs = kSecond, realtimeNs = kToday;
        std::string host = "a";
        std::int64_t stepEndNs = 0; ///< 0: one second after its begin
    };
    void write(const Rank& r) const {
        const fs::path dir = at("job/ranks/" + std::to_string(r.rank));
        QVERIFY(makePrivateDirs(dir));
        QVERIFY(writeFileAtomic(at("job/effective.yaml"), "name: collected\n"));
        auto journal = JournalWriter::create(dir, {16});
        QVERIFY(journal);
        AnchorRecord anchor;
        anchor.monotonicNs = r.monotonicNs;
        anchor.realtimeNs = r.realtimeNs;
        anchor.rank = r.rank;
        anchor.worldSize = r.world;
        putText(anchor.host, sizeof anchor.host, r.host);
        QVERIFY(journal->append(anchor));
        for (int i = 0; i < 2; ++i) {
            StepRecord step;
            step.header.step = i;
            step.beginNs = r.monotonicNs + (i + 1) * kSecond;
            step.endNs = i == 1 && r.stepEndNs != 0 ? r.stepEndNs : step.beginNs + kSecond;
            QVERIFY(journal->append(step));
        }
        EndRecord end;
        QVERIFY(journal->append(end));
    }
    Result<Collected> collected() const { return collect({{at("job")}, {}, at("runs"), {"rankscopectl", "collect"}}); }

    /// Checks that every reader accepts the run as sound; returns the value of a counter of rank 0.
    std::int64_t soundWith(const Result<Collected>& run, const char* counter) const {
        if (!run)
            return -1;
        const auto info = readRunInfo(run->run);
        auto reader = store::RunReader::open(run->run.store());
        if (!info || !reader)
            return -2;
        for (int r = 0; r < std::min(info->worldSize, 4); ++r)
            (void)reader->series(store::Metric::StepTime, r, 0, 1000, 100);
        if (!reader->ranks() || !reader->condition().sound())
            return -3;
        const auto counters = reader->counters();
        for (const auto& c : *counters)
            if (c.name == counter && c.rank == 0)
                return c.value;
        return 0;
    }

private Q_SLOTS:
    void init() { m_dir = std::make_unique<QTemporaryDir>(); }

    void aSoundOne() {
        write({});
        const auto run = collected();
        QVERIFY2(run.has_value(), run ? "" : run.error().message().c_str());
        QCOMPARE(soundWith(run, "implausible"), std::int64_t(0));
        QCOMPARE(run->info.startRealtimeNs, kToday);
        QCOMPARE(run->info.state, RunState::Finished);
    }
    void clocksThatCannotBe_data() {
        QTest::addColumn<qint64>("monotonicNs");
        QTest::addColumn<qint64>("realtimeNs");
        QTest::newRow("before the machine") << qint64(-5) << qint64(kToday);
        QTest::newRow("after 31 years") << qint64(kMostNs + 1) << qint64(kToday);
        QTest::newRow("before 1970") << qint64(kSecond) << qint64(-1);
        QTest::newRow("after 2096") << qint64(kSecond) << qint64(kLatestRealtimeNs + 1);
    }
    void clocksThatCannotBe() {
        QFETCH(qint64, monotonicNs);
        QFETCH(qint64, realtimeNs);
        write({0, 1, monotonicNs, realtimeNs});
        const auto run = collected();
        QVERIFY(!run);
        QCOMPARE(run.error().code, Errc::Malformed);
        QVERIFY(!fs::exists(at("runs")) || fs::is_empty(at("runs")));
    }
    void theEdgesAreSound() {
        const std::vector<std::pair<std::int64_t, std::int64_t>> edges{
            {0, 0}, {kMostNs, 0}, {kMostNs, kLatestRealtimeNs}};
        for (const auto& [monotonicNs, realtimeNs] : edges) {
            write({0, 1, monotonicNs, realtimeNs});
            const auto run = collected();
            QVERIFY2(run.has_value(), run ? "" : run.error().message().c_str());
            QVERIFY(soundWith(run, "implausible") >= 0);
            fs::remove_all(at("job"));
        }
    }
    /// On the clock of a host that was started later, the other ranks began before 0.
    void noRunBeginsBeforeItsClock() {
        write({0, 2, 1000, kToday, "late"});
        write({1, 2, 5 * kSecond, kToday - 10 * kSecond, "early"});
        const auto run = collected();
        QVERIFY2(run.has_value(), run ? "" : run.error().message().c_str());
        QCOMPARE(soundWith(run, "implausible"), std::int64_t(0));
        QVERIFY(run->info.startNs >= 0 && run->info.startNs < kSecond);
        QCOMPARE(run->info.startRealtimeNs, kToday - 10 * kSecond);
    }
    void aStepOfDecadesIsLeftOut() {
        write({0, 1, kSecond, kToday, "a", (std::int64_t{1} << 61) - 1});
        const auto run = collected();
        QVERIFY2(run.has_value(), run ? "" : run.error().message().c_str());
        QCOMPARE(soundWith(run, "implausible"), std::int64_t(1));
    }
    void aNumberOfRanksIsNotBelieved() {
        write({0, 65536});
        const auto run = collected();
        QVERIFY(!run);
        QVERIFY2(run.error().what.english().find("65536 ranks") != std::string::npos,
                 run.error().what.english().c_str());
        QVERIFY(!fs::exists(at("runs")) || fs::is_empty(at("runs")));
    }
    /// Only one of several hosts: folders are created for the ranks that exist.
    void someRanksMayBeMissing() {
        write({3, 512});
        const auto run = collected();
        QVERIFY2(run.has_value(), run ? "" : run.error().message().c_str());
        QCOMPARE(run->info.worldSize, 512);
        QVERIFY(fs::exists(run->run.rank(3)) && !fs::exists(run->run.rank(0)));
        QVERIFY(soundWith(run, "records") >= 0);
    }
    void linksAreNotFollowed() {
        write({0, 2});
        write({1, 2});
        fs::rename(at("job/ranks/1"), at("elsewhere"));
        fs::create_directory_symlink(at("elsewhere"), at("job/ranks/1"));
        auto run = collected();
        QVERIFY(!run && run.error().what.english().find("is a link") != std::string::npos);
        fs::remove(at("job/ranks/1"));
        fs::rename(at("job/ranks"), at("ranks"));
        fs::create_directory_symlink(at("ranks"), at("job/ranks"));
        run = collected();
        QVERIFY(!run && run.error().what.english().find("is a link") != std::string::npos);
    }
};

RANKSCOPE_TEST(TestCollect)
#include "tst_rank_collection.moc"
