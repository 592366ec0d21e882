// SPDX-License-Identifier: Apache-2.0
// Compares the pyramid with brute force over the raw steps.
#include "core/store/tables/pyramid.h"
#include "core/telemetry/format/records.h"
#include "tests/core/store/synthetic.h"
#include "tests/support/test_runner.h"

#include <QTemporaryDir>
#include <QTest>

#include <algorithm>
#include <array>
#include <cmath>
#include <random>

using namespace rankscope;
using namespace rankscope::store;
using namespace synthetic;

class TestPyramid : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void mergingIsTheSameInAnyOrder();
    void coversTouchEveryStepOnce();
    void storedBucketsEqualBruteForce();
    void seriesKeepEveryExtreme();
    void seriesByTimeTakesTheStepsOfThatTime();
    void lateWaitsAreMended();
    void whatIsKeptIsWhatIsStored();
};

static std::filesystem::path storeIn(const QTemporaryDir& dir) {
    return std::filesystem::path(dir.path().toStdString()) / "run.sqlite";
}

/// Returns losses from step 5 on, with gaps, a spike, NaN and infinities.
static std::map<std::int64_t, double> lossesOf(int steps) {
    std::mt19937 random(3);
    std::map<std::int64_t, double> losses;
    for (int step = 5; step < steps; ++step) {
        if (random() % 50 == 0)
            continue;
        double loss = static_cast<double>(random() % 1000) / 7;
        if (random() % 40 == 0)
            loss = random() % 2 ? std::nan("") : INFINITY;
        losses[step] = loss;
    }
    losses[steps / 2] = 1e6;
    return losses;
}

static RunWriter filled(const QTemporaryDir& dir, const std::map<std::int64_t, double>& losses) {
    auto store = RunWriter::open(storeIn(dir), meta(1));
    std::vector<AnyRecord> records;
    std::size_t position = 0;
    for (const auto& [step, loss] : losses) {
        records.push_back(stepRecord(step, loss));
        ++position;
        if (records.size() == 37 || step == losses.rbegin()->first) {
            const RunWriter::Chunk chunk{0, records, {0, position}, {}};
            if (!store->commit({&chunk, 1}, {}))
                qFatal("commit failed");
            records.clear();
        }
    }
    return std::move(*store);
}

static SeriesPoint bruteForce(const std::map<std::int64_t, double>& losses, std::int64_t first, std::int64_t last) {
    SeriesPoint p;
    p.firstStep = -1;
    double sum = 0;
    p.min = INFINITY, p.max = -INFINITY;
    for (auto at = losses.lower_bound(first); at != losses.end() && at->first <= last; ++at) {
        if (p.firstStep < 0)
            p.firstStep = at->first;
        p.lastStep = at->first;
        if (!std::isfinite(at->second)) {
            ++p.notFinite;
            continue;
        }
        ++p.count;
        sum += at->second;
        p.min = std::min(p.min, at->second);
        p.max = std::max(p.max, at->second);
    }
    p.mean = sum / static_cast<double>(p.count);
    return p;
}

static bool same(const SeriesPoint& a, const SeriesPoint& b) {
    return a.firstStep == b.firstStep && a.lastStep == b.lastStep && a.count == b.count && a.notFinite == b.notFinite &&
           (a.count == 0 || (a.min == b.min && a.max == b.max && std::abs(a.mean - b.mean) <= 1e-9 * std::abs(b.mean)));
}

void TestPyramid::mergingIsTheSameInAnyOrder() {
    const SeriesPoint a = pointOf(1, 10, 20, 5, true), bad = pointOf(2, 20, 30, NAN, false),
                      c = pointOf(3, 30, 40, 1, true);
    SeriesPoint left = emptyPoint(), right = emptyPoint();
    for (const SeriesPoint& p : {a, bad, c})
        merge(left, p);
    for (const SeriesPoint& p : {bad, c, a})
        merge(right, p);
    QVERIFY(same(left, right));
    QCOMPARE(left.mean, 3.0);
    QCOMPARE(left.notFinite, 1);
    QCOMPARE(left.beginNs, 10);
    QCOMPARE(left.endNs, 40);
    SeriesPoint onlyBad = emptyPoint();
    merge(onlyBad, bad);
    QVERIFY(onlyBad.count == 0 && std::isnan(onlyBad.min) && std::isnan(onlyBad.mean));
}

void TestPyramid::coversTouchEveryStepOnce() {
    std::mt19937 random(11);
    for (int round = 0; round < 2000; ++round) {
        const std::int64_t first = random() % 9000, end = first + random() % 9000;
        const std::int64_t closed = random() % 18000;
        const int level = static_cast<int>(random() % 4);
        std::int64_t at = first;
        std::size_t lone = 0;
        for (const BucketRun& cover : coverSteps(first, end, level, closed)) {
            QCOMPARE(cover.first * bucketSteps(cover.level), at);
            QVERIFY(cover.first < cover.end && cover.level <= level);
            at = cover.end * bucketSteps(cover.level);
            QVERIFY(cover.level == 0 || at <= closed);
            if (cover.level < level && at <= closed)
                lone += static_cast<std::size_t>(cover.end - cover.first);
        }
        QCOMPARE(at, std::max(first, end));
        if (end <= closed && end - first >= 2 * bucketSteps(level))
            QVERIFY(lone <= static_cast<std::size_t>(2 * 15 * level));
    }
}

void TestPyramid::storedBucketsEqualBruteForce() {
    QTemporaryDir dir;
    const auto losses = lossesOf(9000);
    auto store = filled(dir, losses);
    QVERIFY(store.finish());
    auto db = Database::open(storeIn(dir), OpenMode::ReadOnly);
    auto rows =
        db->prepare("SELECT level, bucket, first_step, last_step, begin_ns, end_ns, count, not_finite, min, max, "
                    "mean FROM pyramid WHERE rank=0 AND metric=0");
    QVERIFY(rows);
    std::map<int, int> perLevel;
    int wrong = 0;
    QVERIFY(forEach(*rows, [&](const Statement& row) {
        const int level = static_cast<int>(row.integer(0));
        const std::int64_t first = row.integer(1) * bucketSteps(level);
        const SeriesPoint point = readPoint(row, 2);
        wrong += !same(point, bruteForce(losses, first, first + bucketSteps(level) - 1));
        wrong += point.beginNs != point.firstStep * 1'000'000'000;
        ++perLevel[level];
    }));
    QCOMPARE(wrong, 0);
    QCOMPARE(perLevel, (std::map<int, int>{{1, 562}, {2, 35}, {3, 2}}));
}

void TestPyramid::seriesKeepEveryExtreme() {
    QTemporaryDir dir;
    const auto losses = lossesOf(9000);
    auto store = filled(dir, losses); // not finished: the newest steps are not in the pyramid yet
    auto reader = RunReader::open(storeIn(dir));
    QVERIFY(reader);
    std::mt19937 random(5);
    for (int round = 0; round < 400; ++round) {
        const std::int64_t first = round == 0 ? 0 : random() % 9000;
        const std::int64_t last = round == 0 ? INT64_MAX - 1 : first + random() % 9000;
        const int maxPoints = round < 5 ? 10 : 1 + static_cast<int>(random() % 600);
        const auto points = reader->series(Metric::Loss, 0, first, last, maxPoints);
        QVERIFY(points);
        QVERIFY(points->size() <= static_cast<std::size_t>(2 * maxPoints + 2));
        const SeriesPoint whole = bruteForce(losses, first, last);
        SeriesPoint sum = emptyPoint();
        std::int64_t before = -1;
        for (const SeriesPoint& p : *points) {
            QVERIFY(p.firstStep > before && p.firstStep <= p.lastStep);
            before = p.lastStep;
            QVERIFY(same(p, bruteForce(losses, p.firstStep, p.lastStep))); // each point has the values of its steps
            merge(sum, p);
        }
        if (whole.firstStep >= 0) {
            QVERIFY(same(sum, whole)); // nothing is left out or counted twice
            const auto available = std::min<std::int64_t>(last, 8999) - std::max<std::int64_t>(first, 5) + 1;
            if (available <= 2 * maxPoints)
                QCOMPARE(points->size(), static_cast<std::size_t>(whole.count + whole.notFinite));
        } else {
            QVERIFY(points->empty());
        }
    }
    QVERIFY(reader->series(Metric::WaitTotal, 0, 0, 9000, 100)->empty());
    QVERIFY(reader->series(Metric::Loss, 7, 0, 9000, 100)->empty());
}

void TestPyramid::seriesByTimeTakesTheStepsOfThatTime() {
    QTemporaryDir dir;
    const auto losses = lossesOf(3000);
    auto store = filled(dir, losses);
    auto reader = RunReader::open(storeIn(dir));
    QVERIFY(reader);
    constexpr std::int64_t kSecond = 1'000'000'000; // step n lasts from n s to n + 0.9 s
    std::mt19937 random(9);
    for (int round = 0; round < 200; ++round) {
        const std::int64_t from = random() % 3000, to = from + random() % 300;
        const auto byTime = reader->seriesByTime(Metric::Loss, 0, from * kSecond - kSecond / 20, to * kSecond, 1000);
        const auto bySteps = reader->series(Metric::Loss, 0, from, to, 1000);
        QVERIFY(byTime && bySteps);
        QCOMPARE(byTime->size(), bySteps->size());
        for (std::size_t i = 0; i < byTime->size(); ++i)
            QCOMPARE((*byTime)[i].firstStep, (*bySteps)[i].firstStep);
    }
    QCOMPARE(reader->seriesByTime(Metric::Loss, 0, INT64_MIN, INT64_MAX, 5000)->size(), losses.size());
    QVERIFY(reader->seriesByTime(Metric::Loss, 0, 4000 * kSecond, 5000 * kSecond, 100)->empty());
}

/// A rank lags so far behind that the other's steps count as final: its arrivals change buckets already written.
void TestPyramid::lateWaitsAreMended() {
    QTemporaryDir dir;
    const Stream stream = makeStream({.steps = 1400, .tags = {"gradient:0"}});
    auto store = RunWriter::open(storeIn(dir), meta(2));
    QVERIFY(store);
    auto ahead = chunk(stream, 0, 0, stream.ranks[0].size());
    QVERIFY(store->commit({&ahead, 1}, {}));
    auto behind = chunk(stream, 1, 0, stream.ranks[1].size());
    QVERIFY(store->commit({&behind, 1}, {}));
    QVERIFY(store->finish());
    auto db = Database::open(storeIn(dir), OpenMode::ReadOnly);
    auto rows = db->prepare("SELECT level, bucket, mean*count, count FROM pyramid WHERE rank=0 AND metric=?1");
    rows->bind(1, static_cast<int>(Metric::WaitGradient));
    int buckets = 0;
    QVERIFY(forEach(*rows, [&](const Statement& row) {
        const int level = static_cast<int>(row.integer(0));
        double expected = 0;
        for (std::int64_t s = row.integer(1) * bucketSteps(level); s < (row.integer(1) + 1) * bucketSteps(level); ++s)
            expected += static_cast<double>(stream.waits.at({0, s, "gradient"}));
        if (std::abs(row.real(2) - expected) > 1e-6 * expected || row.integer(3) != bucketSteps(level))
            qFatal("bucket %lld of level %d is stale", static_cast<long long>(row.integer(1)), level);
        ++buckets;
    }));
    QCOMPARE(buckets, 87 + 5);
}

static bool same(const std::vector<SeriesPoint>& a, const std::vector<SeriesPoint>& b) {
    return std::ranges::equal(a, b, [](const SeriesPoint& x, const SeriesPoint& y) {
        return same(x, y) && x.beginNs == y.beginNs && x.endNs == y.endNs;
    });
}

/// The writer's ranks lag a little or so far that final steps change. A reader that caches points always returns the
/// same ones as a reader without a cache, for windows that grow, move and jump.
void TestPyramid::whatIsKeptIsWhatIsStored() {
    QTemporaryDir dir;
    const Stream stream = makeStream({.steps = 4000, .tags = {"gradient:0"}});
    auto store = RunWriter::open(storeIn(dir), meta(2));
    auto keeping = RunReader::open(storeIn(dir));
    QVERIFY(store && keeping);
    keeping->enableSeriesCache();
    std::mt19937 random(17);
    std::array<std::size_t, 2> done{};
    std::int64_t compared = 0;
    const std::size_t all = stream.ranks[0].size();
    while (done[0] < all || done[1] < all) {
        const std::size_t lag = random() % 4 == 0 ? 4500 : 30; // in records; three make a step
        for (std::size_t r = 0; r < 2; ++r) {
            std::size_t to = std::min(all, done[r] + random() % 600);
            if (r == 1 && done[0] < all)
                to = std::max(done[1], std::min(to, done[0] > lag ? done[0] - lag : 0));
            if (to > done[r]) {
                const auto part = chunk(stream, static_cast<int>(r), done[r], to);
                QVERIFY(store->commit({&part, 1}, {}));
            }
            done[r] = to;
        }
        auto plain = RunReader::open(storeIn(dir));
        QVERIFY(plain);
        const auto steps = static_cast<std::int64_t>(done[0] / 3) + 1;
        for (int look = 0; look < 6; ++look) {
            const int rank = static_cast<int>(random() % 2);
            const Metric metric = random() % 2 ? Metric::WaitTotal : Metric::Loss;
            const std::int64_t first = look < 2 ? 0 : static_cast<std::int64_t>(random()) % steps;
            const std::int64_t last = look < 2 ? steps : first + static_cast<std::int64_t>(random()) % steps;
            const int most = look % 2 ? 2000 : 20 + static_cast<int>(random() % 200);
            const auto kept = keeping->series(metric, rank, first, last, most);
            const auto stored = plain->series(metric, rank, first, last, most);
            QVERIFY(kept && stored);
            QVERIFY2(same(*kept, *stored), qPrintable(QStringLiteral("steps %1 to %2").arg(first).arg(last)));
            compared += static_cast<std::int64_t>(kept->size());
        }
    }
    QVERIFY(compared > 10'000);
    QVERIFY(counter(storeIn(dir), "revised_groups") > 0);
}

RANKSCOPE_TEST(TestPyramid)
#include "tst_pyramid.moc"
