// SPDX-License-Identifier: Apache-2.0
// The figures of a whole run are those of its single steps, also where a part of the store is damaged.
#include "core/store/figures/training_figures.h"
#include "tests/core/store/damaged_store.h"
#include "tests/support/test_runner.h"

#include <QTest>

#include <array>
#include <cmath>

using namespace rankscope;
using namespace rankscope::store;
using namespace synthetic;

static constexpr std::array kMetrics{Metric::Loss, Metric::StepTime, Metric::WaitTotal};

/// Returns the metric's single steps up to `last`, merged.
static SeriesPoint ofSingleSteps(RunReader& reader, Metric metric, int rank, std::int64_t last) {
    SeriesPoint whole = emptyPoint();
    for (const SeriesPoint& step : take(reader.series(metric, rank, 0, last, 1'000'000)))
        merge(whole, step);
    return whole;
}

static bool near(double a, double b) {
    return std::isnan(a) ? std::isnan(b) : std::abs(a - b) <= 1e-9 * std::max(1.0, std::abs(b));
}

class TestTrainingFigures : public QObject, protected damage::DamagedStore {
    Q_OBJECT

    static void compare(const SeriesPoint& is, const SeriesPoint& wanted) {
        QCOMPARE(is.count, wanted.count);
        QCOMPARE(is.notFinite, wanted.notFinite);
        QCOMPARE(is.firstStep, wanted.firstStep);
        QCOMPARE(is.lastStep, wanted.lastStep);
        QCOMPARE(is.beginNs, wanted.beginNs);
        QCOMPARE(is.endNs, wanted.endNs);
        QVERIFY(near(is.min, wanted.min) && near(is.max, wanted.max) && near(is.mean, wanted.mean));
    }

private Q_SLOTS:
    void initTestCase() { makeSound(); }

    void seriesAreThoseOfTheSteps_data() {
        QTest::addColumn<qint64>("last");
        for (const qint64 last : {0, 1, 15, 16, 17, 255, 256, 300, 511, 699, 1'000'000})
            QTest::addRow("%lld", last) << last;
    }
    void seriesAreThoseOfTheSteps() {
        QFETCH(const qint64, last);
        put(m_sound);
        auto reader = RunReader::open(m_file);
        for (const RankSummary& rank : take(reader->ranks())) {
            const auto points = take(reader->overall(kMetrics, rank, last));
            QCOMPARE(points.size(), kMetrics.size());
            for (std::size_t i = 0; i < kMetrics.size(); ++i)
                compare(points[i], ofSingleSteps(*reader, kMetrics[i], rank.rank, last));
            QCOMPARE(points[1].count, std::min<qint64>(last + 1, 700));
        }
        QVERIFY(reader->condition().sound());
    }

    void aRankWithoutStepsHasNone() {
        put(m_sound);
        auto reader = RunReader::open(m_file);
        for (const SeriesPoint& point : take(reader->overall(kMetrics, RankSummary{1}, 1'000'000)))
            compare(point, emptyPoint());
    }

    void figures() {
        put(m_sound);
        auto reader = RunReader::open(m_file);
        const auto figures = take(readTrainingFigures(*reader, take(reader->ranks())));
        const SeriesPoint loss = ofSingleSteps(*reader, Metric::Loss, 0, 699),
                          time = ofSingleSteps(*reader, Metric::StepTime, 0, 699);
        const double seconds = time.mean * static_cast<double>(time.count) * 1e-9;
        QVERIFY(seconds > 0);
        QCOMPARE(figures.bestLoss, loss.min);
        QVERIFY(near(figures.rate.perSecond(), 700 / seconds));
    }

    /// Whatever page is damaged, no step is lost that a series has.
    void damageCostsNoMoreThanInASeries() {
        std::size_t opened = 0, less = 0;
        for (std::size_t page = 1; page < m_sound.size() / 8192; ++page) {
            std::string bytes = m_sound;
            damage::spoilPage(bytes, page);
            put(bytes);
            auto reader = RunReader::open(m_file);
            const auto ranks = reader ? reader->ranks() : std::vector<RankSummary>();
            if (!ranks || ranks->empty() || ranks->front().lastStep < 0)
                continue;
            ++opened;
            const auto points = take(reader->overall(kMetrics, ranks->front(), 1'000'000));
            for (std::size_t i = 0; i < kMetrics.size(); ++i) {
                SeriesPoint wanted = emptyPoint();
                for (const SeriesPoint& point : take(reader->series(kMetrics[i], 0, 0, 1'000'000, 1)))
                    merge(wanted, point);
                compare(points[i], wanted);
            }
            QVERIFY(points[1].count == 700 || !reader->condition().sound());
            less += points[1].count < 700;
        }
        QVERIFY2(opened > 90 && less > 0, qPrintable(QStringLiteral("%1 opened, %2 with less").arg(opened).arg(less)));
    }
};

RANKSCOPE_CORE_TEST(TestTrainingFigures)
#include "tst_training_figures.moc"
