// SPDX-License-Identifier: Apache-2.0
// The options of DistributedDataParallel and its communication hooks: each has an effect.
#include "tests/core/trainer/distributed/two_ranks.h"
#include "tests/support/test_runner.h"

#include <QTemporaryDir>
#include <QTest>

#include <algorithm>
#include <cmath>
#include <map>

using namespace rankscope;
using namespace rankscope::test;
using telemetry::CollectiveRecord;

namespace {

constexpr std::uint8_t kFloat = 6, kHalf = 5, kBFloat16 = 15; // c10::ScalarType
constexpr std::int64_t kParameters = 2 * (600 * 600 + 600) + 2 * 600;

QString tagOf(const CollectiveRecord& record) {
    const auto text = telemetry::getText(record.tag, sizeof record.tag);
    return QString::fromUtf8(text.data(), static_cast<qsizetype>(text.size()));
}

/// Returns the number of elements per bucket that were exchanged in a step, by tag.
std::map<QString, std::int64_t> bucketsOf(const RankResult& rank, std::int64_t step) {
    std::map<QString, std::int64_t> buckets;
    for (const auto& record : rank.collectives) {
        if (record.header.step == step && tagOf(record).startsWith("gradient:")) {
            buckets[tagOf(record)] += record.count;
        }
    }
    return buckets;
}

std::int64_t gradientBytes(const RankResult& rank, std::int64_t step, std::uint8_t dtype) {
    std::int64_t bytes = 0;
    for (const auto& record : rank.collectives) {
        if (record.header.step == step && tagOf(record).startsWith("gradient:")) {
            bytes += record.dtype == dtype ? record.count * (dtype == kFloat ? 4 : 2) : -1'000'000'000;
        }
    }
    return bytes;
}

int countOf(const RankResult& rank, const QString& tag) {
    return static_cast<int>(std::count_if(rank.collectives.begin(), rank.collectives.end(),
                                          [&](const auto& record) { return tagOf(record) == tag; }));
}

/// Returns the norm of the difference divided by the norm of `expected`.
double apart(const std::vector<float>& actual, const std::vector<float>& expected) {
    double difference = 0, length = 0;
    for (std::size_t i = 0; i < expected.size(); ++i) {
        difference += std::pow(static_cast<double>(actual.at(i)) - expected[i], 2);
        length += std::pow(static_cast<double>(expected[i]), 2);
    }
    return std::sqrt(difference / length);
}

} // namespace

class TestDataParallel : public QObject {
    Q_OBJECT

    QTemporaryDir m_dir;
    int m_runs = 0;

    RankResults train(const TrainScene& scene) {
        return trainSmallNet(scene, m_dir.filePath(QString::number(++m_runs)).toStdString());
    }
    void sound(const RankResults& ranks) {
        for (const auto& rank : ranks) {
            QCOMPARE(QString::fromStdString(rank.thrown), QString());
            QCOMPARE(QString::fromStdString(rank.failure), QString());
        }
        QCOMPARE(ranks[0].weightsHash, ranks[1].weightsHash);
    }

private Q_SLOTS:
    void bucketCapSetsTheBuckets_data() {
        QTest::addColumn<double>("mb");
        QTest::addColumn<int>("buckets");
        QTest::newRow("default: 1, then 25") << 0.0 << 2; // the last layer's weight alone fills the first bucket
        QTest::newRow("all in one") << 100.0 << 1;
        QTest::newRow("each its own") << 0.001 << 6;
    }
    void bucketCapSetsTheBuckets() {
        QFETCH(double, mb);
        QFETCH(int, buckets);
        TrainScene scene;
        scene.bucketCapMb = mb;
        const auto ranks = train(scene);
        sound(ranks);
        QCOMPARE(int(ranks[0].buckets), buckets);
        const auto first = bucketsOf(ranks[0], 0), later = bucketsOf(ranks[0], 2);
        QCOMPARE(int(first.size()), 1); // the buckets are rebuilt after the first backward
        QCOMPARE(int(later.size()), buckets);
        std::int64_t elements = 0;
        for (const auto& [tag, count] : later) {
            elements += count;
        }
        QCOMPARE(elements, kParameters);
    }

    void staticGraphLearnsTheSame_data() {
        QTest::addColumn<int>("accumulate");
        QTest::newRow("every batch") << 1;
        QTest::newRow("accumulated") << 2;
    }
    void staticGraphLearnsTheSame() {
        QFETCH(int, accumulate);
        TrainScene scene;
        scene.steps = 4;
        scene.accumulate = accumulate;
        const auto plain = train(scene);
        sound(plain);
        scene.staticGraph = true;
        const auto ranks = train(scene);
        sound(ranks);
        for (std::size_t rank = 0; rank < 2; ++rank) {
            if (accumulate == 1) {
                QCOMPARE(ranks[rank].values, plain[rank].values);
                QCOMPARE(ranks[rank].weightsHash, plain[rank].weightsHash);
            } else { // the first batch is exchanged separately: the same sum in a different order
                QVERIFY(apart(ranks[rank].values, plain[rank].values) < 1e-6);
                QVERIFY(apart(ranks[rank].gradient, plain[rank].gradient) < 1e-5);
            }
            QCOMPARE(bucketsOf(ranks[rank], 3), bucketsOf(plain[rank], 3));
            QCOMPARE(countOf(ranks[rank], "ddp:used_parameters"), 1); // exchanged once, in the first step
            QCOMPARE(ranks[rank].buckets, plain[rank].buckets);
        }
        QCOMPARE(countOf(plain[0], "ddp:used_parameters"), 0);
    }

    void anUnusedParameter_data() {
        QTest::addColumn<bool>("findUnused");
        QTest::addColumn<bool>("staticGraph");
        QTest::newRow("found in every step") << true << false;
        QTest::newRow("found once") << false << true;
        QTest::newRow("both") << true << true;
    }
    void anUnusedParameter() {
        QFETCH(bool, findUnused);
        QFETCH(bool, staticGraph);
        TrainScene scene;
        const auto plain = train(scene);
        scene.unusedParameter = true;
        scene.findUnused = findUnused;
        scene.staticGraph = staticGraph;
        const auto ranks = train(scene);
        sound(ranks);
        QCOMPARE(ranks[0].weightsHash, plain[0].weightsHash); // the other parameters learn as without it
        QCOMPARE(ranks[0].values, plain[0].values);
    }

    // As in torch: reported on every rank when the next step begins, instead of waiting forever.
    void anUnusedParameterNotLookedFor() {
        TrainScene scene;
        scene.unusedParameter = true;
        for (const auto& rank : train(scene)) {
            QCOMPARE(QString::fromStdString(rank.thrown),
                     QString("Expected to have finished reduction in the prior iteration: no gradient came for "
                             "unused. Set trainer.strategy: ddp_find_unused_parameters_true"));
            QCOMPARE(int(rank.values.size()), 1);
        }
    }

    void hooksCompress_data() {
        QTest::addColumn<QString>("hook");
        QTest::addColumn<int>("dtype");
        QTest::addColumn<double>("tolerance");
        QTest::newRow("allreduce") << "allreduce_hook" << int(kFloat) << 0.0;
        QTest::newRow("float16") << "fp16_compress_hook" << int(kHalf) << 5e-2; // values this small are subnormal
        QTest::newRow("bfloat16") << "bf16_compress_hook" << int(kBFloat16) << 1e-2;
    }
    void hooksCompress() {
        QFETCH(QString, hook);
        QFETCH(int, dtype);
        QFETCH(double, tolerance);
        TrainScene scene;
        scene.steps = 1;
        const auto plain = train(scene);
        scene.hook = hook.toStdString();
        const auto one = train(scene);
        sound(one);
        const double distance = apart(one[0].gradient, plain[0].gradient);
        QVERIFY2(distance <= tolerance, qPrintable(QString::number(distance)));
        QVERIFY(tolerance == 0 || distance > tolerance / 100); // the gradient was rounded
        const std::int64_t full = gradientBytes(plain[0], 0, kFloat);
        QCOMPARE(full, 4 * kParameters);
        QCOMPARE(gradientBytes(one[0], 0, static_cast<std::uint8_t>(dtype)), dtype == kFloat ? full : full / 2);
        // a type that the backend does not support is found before the first step
        QCOMPARE(countOf(one[0], "check:comm_hook"), dtype == kFloat ? 0 : 1);
        scene.steps = 4;
        sound(train(scene));
    }

    void noopExchangesNothing() {
        TrainScene scene;
        scene.hook = "noop_hook";
        const auto ranks = train(scene);
        for (const auto& rank : ranks) {
            QCOMPARE(QString::fromStdString(rank.thrown), QString());
            QCOMPARE(int(bucketsOf(rank, 1).size()), 0);
            QCOMPARE(rank.exposedNs, (std::vector<std::int64_t>{0, 0, 0}));
        }
        QVERIFY(ranks[0].weightsHash != ranks[1].weightsHash);
    }
};

RANKSCOPE_CORE_TEST(TestDataParallel)
#include "tst_data_parallel.moc"
