// SPDX-License-Identifier: GPL-3.0-or-later
// Reads a real store and compares the result with what was written.
#include "tests/support/test_runner.h"
#include "tests/widgets/timeline_run.h"
#include "widgets/models/timeline/step_set.h"
#include "widgets/models/timeline/timeline_loader.h"
#include "widgets/models/timeline/timeline_stats.h"

#include <QSignalSpy>
#include <QTest>

#include <memory>
#include <set>

using namespace rankscope;
using namespace rankscope::ui;
using launch::RunState;
using telemetry::Phase;
using test::SyntheticRun;
using test::timelineStep;

namespace {

constexpr std::int64_t kSteps = 120;

template <class T> T must(Result<T> result) {
    if (!result)
        qFatal("%s", result.error().message().c_str());
    return std::move(*result);
}

struct Expected {
    Phase phase;
    std::int64_t begin, end, step;
};

} // namespace

class TestTimelineSource : public QObject {
    Q_OBJECT
private slots:
    void initTestCase();
    void everySpanIsThere();
    void shortOnesAreCounted();
    void windowsGiveWhatTouchesThem();
    void collectivesKnowTheirHolder();
    void whoArrivedWhen();
    void searches();
    void queries();
    void thinnedStepsAreSums();
    void farOutIsSums();
    void stepNumbersMayBeFarApart();
    void stepSetKeepsRuns();
    void newestRequestWins();
    void errorsAreTold();

private:
    TimelineRequest request(std::int64_t from, std::int64_t to, std::int64_t pixel, int first = 0, int last = 2) const {
        return {m_run->paths().store(), from, to, first, last, pixel};
    }
    std::vector<Expected> expected(int rank) const;
    std::int64_t since(std::int64_t step) const { return m_run->stepBegin(step) - m_run->info().startNs; }
    std::int64_t end() const { return since(kSteps - 1) + SyntheticRun::kStepNs; }

    std::unique_ptr<SyntheticRun> m_run;
};

void TestTimelineSource::initTestCase() {
    m_run = std::make_unique<SyntheticRun>(3, RunState::Finished, kSteps);
    m_run->addSteps(kSteps, timelineStep);
    m_run->finishStore();
}

std::vector<Expected> TestTimelineSource::expected(int rank) const {
    std::vector<Expected> all;
    for (std::int64_t step = 0; step < kSteps; ++step)
        for (const auto& phase : timelineStep(rank, step).phases)
            all.push_back({phase.phase, since(step) + phase.beginNs, since(step) + phase.endNs, step});
    return all;
}

void TestTimelineSource::everySpanIsThere() {
    TimelineSource source;
    const auto reply = must(source.read(request(0, end(), 1), {}));
    QVERIFY(!reply.tooMany && !reply.anySums && reply.anySingle);
    QCOMPARE(reply.lanes.size(), std::size_t{3});
    for (const auto& lane : reply.lanes) {
        const auto wanted = expected(lane.rank);
        QCOMPARE(lane.phases.size(), wanted.size());
        for (std::size_t i = 0; i < wanted.size(); ++i) {
            QCOMPARE(lane.phases[i].phase, wanted[i].phase);
            QCOMPARE(lane.phases[i].beginNs, wanted[i].begin);
            QCOMPARE(lane.phases[i].endNs, wanted[i].end);
            QCOMPARE(lane.phases[i].step, wanted[i].step);
        }
        QVERIFY(lane.phaseColumns.empty());
        QCOMPARE(lane.collectives.size(), static_cast<std::size_t>(kSteps));
        QCOMPARE(lane.steps.size(), static_cast<std::size_t>(kSteps));
    }
    QVERIFY(reply.lastNs >= end());
}

void TestTimelineSource::shortOnesAreCounted() {
    TimelineSource source;
    const std::int64_t pixel = 1'000'000; // to_device and checkpoint are shorter
    const auto reply = must(source.read(request(0, end(), pixel), {}));
    const auto* lane = reply.lane(0);
    std::int64_t shorts = 0, checkpoints = 0;
    double checkpointNs = 0;
    for (const auto& column : lane->phaseColumns) {
        shorts += column.count;
        const float ns = column.phaseNs[static_cast<std::size_t>(Phase::Checkpoint)];
        checkpoints += ns > 0;
        checkpointNs += static_cast<double>(ns);
    }
    QCOMPARE(shorts, 8 * kSteps + 1);
    QCOMPARE(checkpoints, 1);
    QCOMPARE(checkpointNs, static_cast<double>(test::kCheckpointNs));
    QCOMPARE(lane->phases.size(), static_cast<std::size_t>(3 * kSteps));
}

void TestTimelineSource::windowsGiveWhatTouchesThem() {
    TimelineSource source;
    for (const auto& [from, to] :
         {std::pair(since(10), since(13)), std::pair(since(60) + 1'000'000'000, since(60) + 1'100'000'000),
          std::pair(since(7) + 40'020'000, since(7) + 40'021'000), std::pair(std::int64_t{-5}, std::int64_t{10})}) {
        const auto reply = must(source.read(request(from, to, 1), {}));
        for (const auto& lane : reply.lanes) {
            std::size_t wanted = 0;
            for (const auto& span : expected(lane.rank))
                wanted += span.end >= from && span.begin <= to;
            QCOMPARE(lane.phases.size(), wanted);
            QVERIFY(wanted > 0 || lane.rank != 1);
        }
    }
    const auto part = must(source.read(request(0, end(), 1, 1, 1), {})); // one lane out of three
    QCOMPARE(part.lanes.size(), std::size_t{1});
    QCOMPARE(part.lanes.front().rank, 1);
    QVERIFY(part.lane(0) == nullptr && part.lane(1) != nullptr);
}

void TestTimelineSource::collectivesKnowTheirHolder() {
    TimelineSource source;
    const auto reply = must(source.read(request(0, end(), 1), {}));
    for (const auto& lane : reply.lanes)
        for (const auto& span : lane.collectives) {
            const std::int64_t late = timelineStep(1, span.step).lateNs;
            QCOMPARE(span.beginNs, since(span.step) + SyntheticRun::kStepNs / 2 + (lane.rank == 1 ? late : 0));
            QCOMPARE(span.waitNs, lane.rank == 1 ? 0 : late);
            if (late > 0)
                QCOMPARE(span.holder, 1);
            QCOMPARE(reply.tag(span), QStringLiteral("gradient:0"));
        }
}

void TestTimelineSource::whoArrivedWhen() {
    TimelineSource source;
    const auto reply = must(source.read(request(since(60), since(61), 1), {}));
    const auto detail = must(source.collective(m_run->paths().store(), reply.lane(0)->collectives.front()));
    QCOMPARE(detail.ranks.size(), std::size_t{3});
    QCOMPARE(detail.ranks.back().rank, 1); // arrived last
    QCOMPARE(detail.ranks.back().waitNs, 0);
    QCOMPARE(detail.ranks.front().waitNs, 3'000'000'000);
}

void TestTimelineSource::searches() {
    TimelineSource source;
    const auto& store = m_run->paths().store();
    const auto find = [&](const char* text) {
        return must(source.search(store, parseTimelineQuery(QLatin1String(text)), {}));
    };
    auto found = find("checkpoint");
    QCOMPARE(found.hits.size(), std::size_t{1});
    QCOMPARE(found.hits.front().rank, 0);
    QCOMPARE(found.hits.front().span.step, 7);
    QCOMPARE(find("data_wait").hits.size(), static_cast<std::size_t>(3 * kSteps));
    QCOMPARE(find("data_wait rank 2").hits.size(), static_cast<std::size_t>(kSteps));
    QCOMPARE(find("DATA_WAIT rank 2 step 5").hits.size(), std::size_t{1});
    QCOMPARE(find("gradient:0").hits.size(), static_cast<std::size_t>(3 * kSteps));
    QCOMPARE(find("step 60").hits.size(), std::size_t{3});
    QCOMPARE(find("60").hits.front().span.beginNs, since(60));
    QCOMPARE(find("rank 1").hits.size(), std::size_t{1});
    QVERIFY(find("nothing_like_it").hits.empty());
    QVERIFY(find("step 4000").hits.empty());
    found = find("forward");
    for (std::size_t i = 1; i < found.hits.size(); ++i)
        QVERIFY(found.hits[i - 1].span.beginNs <= found.hits[i].span.beginNs);
}

void TestTimelineSource::queries() {
    const auto query = parseTimelineQuery(QStringLiteral("  Checkpoint rank 3  step 17 "));
    QCOMPARE(query.text, std::string("checkpoint"));
    QCOMPARE(query.rank.value_or(-1), 3);
    QCOMPARE(query.step.value_or(-1), 17);
    QCOMPARE(parseTimelineQuery(QStringLiteral("412")).step.value_or(-1), 412);
    QCOMPARE(parseTimelineQuery(QStringLiteral("rank")).text, std::string("rank"));
    QCOMPARE(parseTimelineQuery(QStringLiteral("-3")).text, std::string("-3"));
    QVERIFY(parseTimelineQuery(QStringLiteral("   ")).isEmpty());
}

void TestTimelineSource::thinnedStepsAreSums() {
    store::Retention retention;
    retention.newestSteps = 40;
    retention.aroundIncidentSteps = 3;
    SyntheticRun run(2, RunState::Finished, 400, retention);
    for (int i = 0; i < 40; ++i) // each commit thins out a part
        run.addSteps(10, timelineStep);
    run.finishStore();
    TimelineSource source;
    const std::int64_t start = run.info().startNs, last = run.stepBegin(399) - start + SyntheticRun::kStepNs;
    const auto reply = must(source.read({run.paths().store(), 0, last, 0, 1, 1000}, {}));
    QVERIFY(reply.singleFrom > 100);
    QVERIFY(reply.anySums && reply.anySingle && !reply.tooMany);
    const auto* lane = reply.lane(1);
    QVERIFY(!lane->sums.empty());
    std::set<std::int64_t> seen;
    for (const auto& sum : lane->sums) {
        QCOMPARE(sum.firstStep, sum.lastStep); // few enough steps: one sum each
        QVERIFY(sum.firstStep < reply.singleFrom);
        QCOMPARE(sum.beginNs, run.stepBegin(sum.firstStep) - start);
        const auto described = timelineStep(1, sum.firstStep);
        const double lasted = static_cast<double>(sum.endNs - sum.beginNs);
        const double wanted = static_cast<double>(10'000'000 + described.lateNs) / lasted;
        QVERIFY(std::abs(static_cast<double>(sum.share[static_cast<std::size_t>(Phase::DataWait)]) - wanted) < 1e-3);
        seen.insert(sum.firstStep);
    }
    for (const auto& span : lane->phases)
        seen.insert(span.step);
    QCOMPARE(seen.size(), std::size_t{400}); // every step is shown in some form
}

void TestTimelineSource::farOutIsSums() {
    const std::int64_t steps = TimelineSource::kMostRankSteps / 2 + 100;
    SyntheticRun run(2, RunState::Finished, steps);
    run.addSteps(steps, [](int rank, std::int64_t step) {
        auto s = timelineStep(rank, step);
        s.phases.resize(2);
        return s;
    });
    run.finishStore();
    TimelineSource source;
    const std::int64_t last = run.stepBegin(steps - 1) - run.info().startNs + SyntheticRun::kStepNs;
    const auto reply = must(source.read({run.paths().store(), 0, last, 0, 1, last / 1000}, {}));
    QVERIFY(reply.tooMany && reply.anySums && !reply.anySingle);
    for (const auto& lane : reply.lanes) {
        QVERIFY(lane.sums.size() <= 1001 && lane.sums.size() > 200); // limited by the pixels
        QCOMPARE(lane.sums.front().firstStep, 0);
        QCOMPARE(lane.sums.back().lastStep, steps - 1);
        for (std::size_t i = 1; i < lane.sums.size(); ++i)
            QCOMPARE(lane.sums[i].firstStep, lane.sums[i - 1].lastStep + 1); // no gap
    }
    const std::int64_t from = run.stepBegin(steps - 20) - run.info().startNs;
    QVERIFY(!must(source.read({run.paths().store(), from, last, 0, 1, 1000}, {})).tooMany);
}

/// An imported run that counts samples instead of steps: the memory needed depends on the number of points, not on step
/// numbers.
void TestTimelineSource::stepNumbersMayBeFarApart() {
    constexpr std::int64_t kApart = 5'000'000'000;
    QTemporaryDir dir;
    const std::filesystem::path file = dir.filePath(QStringLiteral("run.sqlite")).toStdString();
    std::vector<store::ImportedValue> values;
    for (std::int64_t i = 0; i < 200; ++i) {
        store::ImportedValue value;
        value.kind = store::ImportedValue::ImportedKind::Metric;
        value.step = i * kApart;
        value.timeNs = (i + 1) * 10'000'000'000;
        value.value = 5 - 0.01 * static_cast<double>(i);
        values.push_back(value);
        value.metric = store::Metric::StepTime;
        value.value = 9e9;
        values.push_back(value);
    }
    auto store = must(store::RunWriter::open(file, {"samples", 1, 0, 0, 0}));
    QVERIFY(store.import(values) && store.finishImport());

    TimelineSource source;
    const std::int64_t last = 200 * 10'000'000'000;
    const auto reply = must(source.read({file, 0, last, 0, 0, last / 1000}, {}));
    QVERIFY(!reply.tooMany && !reply.anySingle);
    QCOMPARE(reply.lane(0)->steps.size(), std::size_t{200});
    auto reader = must(store::RunReader::open(file));
    const auto stats = must(readStats(reader, {file, 0, last}, {}));
    QCOMPARE(stats.steps, 200);
    QCOMPARE(stats.summedSteps, 200);
}

void TestTimelineSource::stepSetKeepsRuns() {
    StepSet steps;
    QVERIFY(!steps.containsAll(0, 0));
    QCOMPARE(steps.gaps({3, 5}), (std::vector<store::StepInterval>{{3, 5}}));
    for (const std::int64_t step : std::initializer_list<std::int64_t>{10, 11, 11, 13, 1'000'000'000'000, 12, 9, 20})
        steps.add(step);
    QVERIFY(steps.containsAll(9, 13) && !steps.containsAll(8, 9) && !steps.containsAll(13, 14));
    QCOMPARE(steps.count({11, 20}), 4);
    QCOMPARE(steps.count({0, INT64_MAX}), 7);
    QCOMPARE(steps.gaps({8, 1'000'000'000'000}),
             (std::vector<store::StepInterval>{{8, 8}, {14, 19}, {21, 999'999'999'999}}));
    QVERIFY(steps.gaps({10, 12}).empty());
}

void TestTimelineSource::newestRequestWins() {
    TimelineLoader loader;
    QSignalSpy spy(&loader, &TimelineLoader::read);
    for (int i = 1; i <= 20; ++i)
        loader.request(request(0, since(i), 1));
    QTRY_VERIFY(!loader.isBusy());
    QVERIFY(spy.size() >= 1);
    QCOMPARE(spy.back().front().value<TimelineReplyPtr>()->request.toNs, since(20));
    loader.request(request(0, since(3), 1));
    loader.cancel();
    const auto before = spy.size();
    QTRY_VERIFY(!loader.isBusy());
    QCOMPARE(spy.size(), before);
}

void TestTimelineSource::errorsAreTold() {
    TimelineLoader loader;
    QSignalSpy spy(&loader, &TimelineLoader::read);
    loader.request({"/nowhere/run.sqlite", 0, 100, 0, 0, 1});
    QVERIFY(spy.wait());
    QVERIFY(spy.front().front().value<TimelineReplyPtr>()->error.contains(QLatin1String("/nowhere/run.sqlite")));
}

RANKSCOPE_CORE_TEST(TestTimelineSource)
#include "tst_timeline_source.moc"
