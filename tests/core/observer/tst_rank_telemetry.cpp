// SPDX-License-Identifier: Apache-2.0
#include "core/observer/rank_telemetry.h"
#include "core/telemetry/journal/journal_reader.h"
#include "core/telemetry/journal/journal_writer.h"
#include "tests/support/test_runner.h"

#include <QTemporaryDir>
#include <QTest>

#include <filesystem>
#include <utility>
#include <vector>

using namespace rankscope;
using namespace rankscope::observer;
using telemetry::Phase;

namespace {

/// A device that reaches its n-th mark at n x 1000 ns, whatever the thread does.
class SlowDevice final : public StreamTimer {
public:
    explicit SlowDevice(int& waits) : m_waits(waits) {}
    void mark() override { m_pending.push_back(1000 * ++m_marks); }
    std::vector<std::int64_t> times() override {
        ++m_waits;
        return std::exchange(m_pending, {});
    }

private:
    int& m_waits;
    std::int64_t m_marks = 0;
    std::vector<std::int64_t> m_pending;
};

} // namespace

class TestRankTelemetry : public QObject {
    Q_OBJECT

    QTemporaryDir m_dir;
    std::filesystem::path m_path;
    std::unique_ptr<RankTelemetry> m_telemetry;

    std::vector<telemetry::PhaseRecord> records() {
        std::vector<telemetry::AnyRecord> all;
        telemetry::JournalReader reader(m_path);
        reader.read(all, 1000, true);
        std::vector<telemetry::PhaseRecord> phases;
        for (const auto& any : all) {
            if (const auto* phase = any.as<telemetry::PhaseRecord>()) {
                phases.push_back(*phase);
            }
        }
        return phases;
    }

private Q_SLOTS:
    void init() {
        static int number = 0;
        m_path = m_dir.filePath(QString::number(++number)).toStdString();
        std::filesystem::create_directories(m_path);
        m_telemetry = std::make_unique<RankTelemetry>(telemetry::BoardWriter::create(m_path / "board").value(),
                                                      telemetry::JournalWriter::create(m_path).value());
    }

    void phasesOfTheThread() {
        m_telemetry->beginStep(3, 0);
        m_telemetry->phase(Phase::Forward);
        m_telemetry->phase(Phase::Backward);
        QCOMPARE(records().size(), std::size_t{1});
        m_telemetry->phase(Phase::None);
        const auto phases = records();
        QCOMPARE(phases.size(), std::size_t{2});
        QCOMPARE(phases[0].phase, Phase::Forward);
        QCOMPARE(phases[0].header.step, std::int64_t{3});
        QVERIFY(phases[0].beginNs <= phases[0].endNs);
        QCOMPARE(phases[1].beginNs, phases[0].endNs);
    }

    void phasesOfTheStream() {
        int waits = 0;
        m_telemetry->phase(Phase::Startup); // still timed by the thread
        m_telemetry->timeByStream(std::make_unique<SlowDevice>(waits));
        for (int step = 0; step < 2; ++step) {
            m_telemetry->beginStep(step, 0);
            m_telemetry->phase(Phase::Forward);
            m_telemetry->phase(Phase::Backward);
            QCOMPARE(records().size(), std::size_t(1 + 2 * step)); // the device has not reached its marks yet
            QCOMPARE(waits, step);
            m_telemetry->phase(Phase::None);
        }
        m_telemetry->phase(Phase::None); // has already ended
        const auto phases = records();
        QCOMPARE(phases.size(), std::size_t{5});
        QCOMPARE(phases[0].phase, Phase::Startup);
        const std::vector<std::pair<std::int64_t, std::int64_t>> times{
            {1000, 2000}, {2000, 3000}, {4000, 5000}, {5000, 6000}};
        for (std::size_t i = 0; i < 4; ++i) {
            QCOMPARE(phases[i + 1].phase, i % 2 == 0 ? Phase::Forward : Phase::Backward);
            QCOMPARE(phases[i + 1].header.step, std::int64_t(i / 2));
            QCOMPARE(phases[i + 1].beginNs, times[i].first);
            QCOMPARE(phases[i + 1].endNs, times[i].second);
        }
    }

    void blockedTimeCountsOnce() {
        QCOMPARE(m_telemetry->claimBlocked(100, 200), std::int64_t{100});
        QCOMPARE(m_telemetry->claimBlocked(110, 205), std::int64_t{5}); // began while the first one blocked
        QCOMPARE(m_telemetry->claimBlocked(110, 190), std::int64_t{0});
        QCOMPARE(m_telemetry->claimBlocked(300, 310), std::int64_t{10});
    }

    void boardShowsWhatWasLost() {
        QCOMPARE(m_telemetry->dropped(), std::uint64_t{0});
        m_telemetry->countLost();
        m_telemetry->countLost();
        QCOMPARE(m_telemetry->dropped(), std::uint64_t{2});
        QCOMPARE(telemetry::BoardReader::open(m_path / "board")->snapshot().droppedRecords, std::uint64_t{2});
    }

    void aFailedDeviceIsNotWaitedFor() {
        int waits = 0;
        m_telemetry->timeByStream(std::make_unique<SlowDevice>(waits));
        m_telemetry->beginStep(0, 0);
        m_telemetry->phase(Phase::Forward);
        m_telemetry->phase(Phase::Backward);
        m_telemetry->timeByThread();
        m_telemetry->phase(Phase::None);
        QCOMPARE(waits, 0);
        const auto phases = records();
        QCOMPARE(phases.size(), std::size_t{2});
        QCOMPARE(phases[1].phase, Phase::Backward);
        QVERIFY(phases[0].beginNs > 1'000'000); // the thread's clock
        QCOMPARE(phases[1].beginNs, phases[0].endNs);
    }
};

RANKSCOPE_TEST(TestRankTelemetry)
#include "tst_rank_telemetry.moc"
