// SPDX-License-Identifier: Apache-2.0
#include "core/diagnosis/statistics/memory_trend.h"
#include "tests/support/test_runner.h"

#include <QTest>

#include <cmath>
#include <functional>
#include <random>

using namespace rankscope::diagnosis;

static constexpr double kGiB = 1073741824.0;

class TestMemoryTrend : public QObject {
    Q_OBJECT

    /// Used memory in GiB, of 16, for each second.
    using Curve = std::function<double(double)>;
    struct Told {
        double atSeconds;
        bool warns;
        double secondsLeft;
    };
    static std::vector<Told> run(const Curve& used, double seconds, double limitGiB = 16) {
        MemoryTrend trend;
        std::vector<Told> told;
        for (int s = 0; s < static_cast<int>(seconds); ++s) {
            const auto bytes = static_cast<std::int64_t>(used(s) * kGiB);
            if (trend.add({s * 1'000'000'000ll, bytes, static_cast<std::int64_t>(limitGiB * kGiB)}) !=
                MemoryTrend::TrendChange::None)
                told.push_back({double(s), trend.warns(), trend.forecast() ? trend.forecast()->secondsLeft : -1});
        }
        return told;
    }
    static std::vector<MemorySample> line(int count, double perSecond) {
        std::vector<MemorySample> samples;
        for (int i = 0; i < count; ++i)
            samples.push_back(
                {i * 5'000'000'000ll, 1'000'000 + static_cast<std::int64_t>(5.0 * i * perSecond), 2'000'000});
        return samples;
    }

private Q_SLOTS:
    void aStraightLine() {
        const auto samples = line(40, 1000);
        QCOMPARE(memoryGrowth(samples), 1000.0);
        const auto f = forecastMemory(samples);
        QVERIFY(f);
        QCOMPARE(f->bytesPerSecond, 1000.0);
        QCOMPARE(f->secondsLeft, (2'000'000.0 - 1'195'000.0) / 1000);
        QCOMPARE(f->confidence, 1.0);
    }
    void peaksChangeLittle() {
        auto samples = line(60, 1000);
        for (std::size_t i = 0; i < samples.size(); i += 7)
            samples[i].usedBytes += 500'000; // a validation
        QVERIFY(std::abs(memoryGrowth(samples) - 1000) < 150);
    }
    void noForecast() {
        QVERIFY(!forecastMemory({}));
        QVERIFY(!forecastMemory(line(MemoryTrend::kFewest - 1, 1000)));
        QVERIFY(!forecastMemory(line(40, 0)));
        QVERIFY(!forecastMemory(line(40, -10)));
        auto unlimited = line(40, 1000);
        for (auto& s : unlimited)
            s.limitBytes = 0;
        QVERIFY(!forecastMemory(unlimited));
        QCOMPARE(memoryGrowth({}), 0.0);
        const std::vector<MemorySample> sameMoment(5, MemorySample{1, 2, 3});
        QCOMPARE(memoryGrowth(sameMoment), 0.0);
    }
    void beyondTheLimitThereIsNoTimeLeft() {
        auto samples = line(40, 1000);
        for (auto& s : samples)
            s.limitBytes = 5;
        QCOMPARE(forecastMemory(samples)->secondsLeft, 0.0);
    }

    /// 6 GiB per hour, from 10 of 16 GiB: one hour is left, and the warning comes when half an hour is left.
    void aLeakIsForeseenOnce() {
        const auto told = run([](double s) { return 10 + s / 600; }, 3600);
        QCOMPARE(told.size(), std::size_t(1));
        QVERIFY(told[0].warns);
        QVERIFY2(told[0].atSeconds > 1790 && told[0].atSeconds < 1850, qPrintable(QString::number(told[0].atSeconds)));
        QVERIFY(std::abs(told[0].secondsLeft - (3600 - told[0].atSeconds)) < 30);
    }
    void aFastLeakIsForeseenInTime() {
        const auto told = run([](double s) { return 2 + s * 14 / 400; }, 400); // full after 400 s
        QCOMPARE(told.size(), std::size_t(1));
        QVERIFY2(told[0].atSeconds <= 240, qPrintable(QString::number(told[0].atSeconds)));
    }
    void noise() {
        std::mt19937 random(3);
        std::normal_distribution<double> wobble(0, 0.02);
        const auto told = run([&](double s) { return 12 + s / 900 + wobble(random); }, 3600);
        QCOMPARE(told.size(), std::size_t(1));
        QVERIFY(told[0].warns && told[0].atSeconds > 1500 && told[0].atSeconds < 2400);
    }
    void noAlarm_data() {
        QTest::addColumn<int>("curve");
        QTest::newRow("the first minute's growth") << 0;
        QTest::newRow("a cache that fills and is full") << 1;
        QTest::newRow("growth that levels off") << 2;
        QTest::newRow("a wave") << 3;
        QTest::newRow("steps at epochs") << 4;
        QTest::newRow("nearly full and still") << 5;
        QTest::newRow("slow growth in empty memory") << 6;
        QTest::newRow("noise alone") << 7;
    }
    void noAlarm() {
        QFETCH(int, curve);
        std::mt19937 random(11);
        std::normal_distribution<double> wobble(0, 0.3);
        const std::vector<Curve> curves{
            [](double s) { return s < 60 ? s / 5 : 12.0; },
            [](double s) { return std::min(3 + s / 120, 7.0); },
            [](double s) { return 13 - 9 * std::exp(-s / 100); },
            [](double s) { return 12 + 2 * std::sin(s / 40); },
            [](double s) { return 10 + 0.5 * std::floor(s / 2000); },
            [](double) { return 15.7; },
            [](double s) { return 1 + s / 1000; },
            [&](double) { return 14 + wobble(random); },
        };
        const auto told = run(curves[static_cast<std::size_t>(curve)], 6000);
        QVERIFY2(told.empty(), told.empty() ? "" : qPrintable(QString("at %1 s").arg(told[0].atSeconds)));
    }
    void itIsOverWhenGrowthStops() {
        const auto told = run([](double s) { return s < 2400 ? 10 + s / 600 : 14.0; }, 6000);
        QCOMPARE(told.size(), std::size_t(2));
        QVERIFY(told[0].warns && !told[1].warns);
        QVERIFY(told[1].atSeconds > 2430 && told[1].atSeconds < 3100);
    }
};

RANKSCOPE_CORE_TEST(TestMemoryTrend)
#include "tst_memory_trend.moc"
