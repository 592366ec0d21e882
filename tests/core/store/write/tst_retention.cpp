// SPDX-License-Identifier: Apache-2.0
#include "core/store/write/retention.h"
#include "tests/core/store/synthetic.h"
#include "tests/support/test_runner.h"

#include <QTemporaryDir>
#include <QTest>

#include <set>

using namespace rankscope;
using namespace rankscope::store;
using namespace synthetic;

class TestRetention : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void rangesWithoutWhatIsKept();
    void stepsAroundIncidents();
    void oldRowsGoAndSumsStay();
};

static std::filesystem::path storeIn(const QTemporaryDir& dir) {
    return std::filesystem::path(dir.path().toStdString()) / "run.sqlite";
}

void TestRetention::rangesWithoutWhatIsKept() {
    using Ranges = std::vector<StepRange>;
    QCOMPARE(without({0, 10}, {}), (Ranges{{0, 10}}));
    QCOMPARE(without({0, 10}, {{7, 8}, {2, 4}, {3, 5}}), (Ranges{{0, 2}, {5, 7}, {8, 10}}));
    QCOMPARE(without({0, 10}, {{-5, 20}}), Ranges{});
    QCOMPARE(without({0, 10}, {{-5, 1}, {9, 12}, {30, 40}}), (Ranges{{1, 9}}));
}

void TestRetention::stepsAroundIncidents() {
    QCOMPARE(keptAround(100, 100, {2000, 20}), (StepRange{80, 121}));
    QCOMPARE(keptAround(100, 150, {2000, 20}), (StepRange{80, 171}));
    QCOMPARE(keptAround(100, 99999, {50, 20}), (StepRange{80, 171})); // a very long incident
}

void TestRetention::oldRowsGoAndSumsStay() {
    QTemporaryDir dir;
    Options options;
    options.steps = 600;
    options.tags = {"gradient:0", "sync_max_audio_length"};
    const Stream stream = makeStream(options);
    const Retention retention{100, 5};
    auto store = RunWriter::open(storeIn(dir), meta(2), retention);
    QVERIFY(store);
    diagnosis::Transition incident;
    incident.incident.id = 1;
    incident.incident.step = 200;
    incident.incident.closed = diagnosis::CloseReason::Recovered;
    const std::size_t perStep = stream.ranks[0].size() / 600;
    for (std::size_t step = 0; step < 600; step += 10) {
        std::vector<RunWriter::Chunk> chunks{chunk(stream, 0, step * perStep, (step + 10) * perStep),
                                             chunk(stream, 1, step * perStep, (step + 10) * perStep)};
        QVERIFY(store->commit(chunks, std::span(&incident, step == 200 ? 1 : 0)));
    }
    auto reader = RunReader::open(storeIn(dir));
    QVERIFY(reader);
    std::set<std::int64_t> expected, collectives, phases;
    for (std::int64_t step = 0; step < 600; ++step)
        if (step >= 500 || (step >= 195 && step <= 214)) // step 209 is the newest when the incident closes
            expected.insert(step);
    for (const auto& row : take(reader->collectives(0, 1000, 100000)))
        collectives.insert(row.step);
    for (const auto& row : take(reader->phases(0, 1000, 100000)))
        phases.insert(row.step);
    QCOMPARE(collectives, expected);
    QCOMPARE(phases, expected);
    std::map<std::string, std::int64_t> counters;
    for (const Counter& c : take(reader->counters()))
        counters[c.name] += c.value;
    QCOMPARE(counters["thinned_collectives"], static_cast<std::int64_t>((600 - expected.size()) * 2 * 2));
    QCOMPARE(counters["thinned_phases"], static_cast<std::int64_t>((600 - expected.size()) * 2));
    QCOMPARE(reader->series(Metric::WaitTotal, 0, 0, 1000, 1000)->size(), std::size_t{600});

    // who waited for whom outlives the individual rows: exact for the newest steps, per 16 steps elsewhere
    const auto sumOf = [&](std::int64_t first, std::int64_t last) {
        std::int64_t sum = 0;
        for (const auto& [key, wait] : stream.pairs)
            if (std::get<3>(key) >= first && std::get<3>(key) <= last)
                sum += wait;
        return sum;
    };
    const auto waitsOf = [&](std::int64_t first, std::int64_t last) {
        std::int64_t sum = 0;
        for (const WaitCell& cell : take(reader->waits(first, last)))
            sum += cell.waitNs;
        return sum;
    };
    QCOMPARE(waitsOf(0, 10000), sumOf(0, 600));
    QCOMPARE(waitsOf(503, 577), sumOf(503, 577));
    QCOMPARE(waitsOf(20, 40), sumOf(16, 47));
    QCOMPARE(waitsOf(20, 577), sumOf(16, 577));
    QCOMPARE(waitsOf(490, 501), sumOf(480, 511));
}

RANKSCOPE_TEST(TestRetention)
#include "tst_retention.moc"
