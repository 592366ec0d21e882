// SPDX-License-Identifier: Apache-2.0
#include "tests/core/trainer/distributed/two_ranks.h"
#include "tests/support/test_runner.h"

#include <QTemporaryDir>
#include <QTest>

#include <algorithm>
#include <cmath>

using namespace rankscope;
using namespace rankscope::test;
using telemetry::CollectiveOp;
using telemetry::CollectiveRecord;

namespace {

constexpr std::int64_t kMs = 1'000'000;

QString tagOf(const CollectiveRecord& record) {
    const auto text = telemetry::getText(record.tag, sizeof record.tag);
    return QString::fromUtf8(text.data(), static_cast<qsizetype>(text.size()));
}

QStringList tags(const RankResult& rank) {
    QStringList all;
    for (const auto& record : rank.collectives) {
        all << tagOf(record);
    }
    return all;
}

/// Checks what must be true of any two sound ranks: the same collectives with the same numbers, without a gap.
void compareRanks(const RankResults& ranks) {
    QCOMPARE(ranks.size(), std::size_t{2});
    for (const auto& rank : ranks) {
        QCOMPARE(QString::fromStdString(rank.thrown), QString());
        QCOMPARE(QString::fromStdString(rank.failure), QString());
        for (std::size_t i = 0; i < rank.collectives.size(); ++i) {
            const auto& record = rank.collectives[i];
            QCOMPARE(record.sequence, std::uint64_t{i});
            QCOMPARE(int(record.failed), 0);
            QVERIFY(record.arrivedNs <= record.startedNs);
            QVERIFY(record.startedNs <= record.doneNs);
        }
    }
    QCOMPARE(tags(ranks[0]), tags(ranks[1]));
    for (std::size_t i = 0; i < ranks[0].collectives.size(); ++i) {
        const auto &a = ranks[0].collectives[i], &b = ranks[1].collectives[i];
        QCOMPARE(a.op, b.op);
        QCOMPARE(a.count, b.count);
        QCOMPARE(a.dtype, b.dtype);
        // no rank leaves before the last one has arrived
        QVERIFY(std::min(a.doneNs, b.doneNs) >= std::max(a.arrivedNs, b.arrivedNs) || a.op == CollectiveOp::Broadcast ||
                a.op == CollectiveOp::Reduce || a.op == CollectiveOp::Gather || a.op == CollectiveOp::Scatter);
    }
}

} // namespace

class TestDistributed : public QObject {
    Q_OBJECT

    QTemporaryDir m_dir;
    int m_scenes = 0;
    std::filesystem::path freshDir() { return m_dir.path().toStdString() + "/" + std::to_string(m_scenes++); }

private Q_SLOTS:
    void reducerIsObserved() {
        TrainScene scene;
        const auto ranks = trainSmallNet(scene, freshDir());
        compareRanks(ranks);
        const QStringList seen = tags(ranks[0]);
        QCOMPARE(seen.first(), QString("ddp:verify_parameters"));
        QCOMPARE(seen.last(), QString("barrier:end"));
        QVERIFY(seen.contains("broadcast:parameters"));
        QVERIFY(seen.contains("ddp:bucket_order"));
        QVERIFY(!seen.contains("untagged"));
        // one bucket in the first step, and more once the Reducer knows the order of the gradients
        QVERIFY(ranks[0].find("gradient:0", 0));
        QVERIFY(!ranks[0].find("gradient:1", 0));
        QVERIFY(ranks[0].buckets >= 2);
        for (std::int64_t step = 1; step < scene.steps; ++step) {
            std::int64_t gradients = 0;
            for (std::size_t bucket = 0; bucket < ranks[0].buckets; ++bucket) {
                const auto* record = ranks[0].find("gradient:" + std::to_string(bucket), step);
                QVERIFY(record);
                QCOMPARE(record->op, CollectiveOp::AllReduce);
                QCOMPARE(record->phase, telemetry::Phase::Backward);
                gradients += record->count;
            }
            QCOMPARE(gradients, std::int64_t{2 * (600 * 600 + 600) + 2 * 600}); // every parameter once
        }
        const auto& board = ranks[0].board.collectives[0];
        QVERIFY(board.used && !board.open());
        QCOMPARE(board.done, std::uint64_t(ranks[0].collectives.size()));
        QCOMPARE(board.tag, std::string("barrier:end"));
    }

    void lateRankIsSeen() {
        TrainScene scene;
        scene.lateRank = 1;
        scene.lateStep = 1;
        scene.lateMs = 300;
        const auto ranks = trainSmallNet(scene, freshDir());
        compareRanks(ranks);
        const auto *early = ranks[0].find("gradient:0", 1), *late = ranks[1].find("gradient:0", 1);
        QVERIFY(early && late);
        const std::int64_t difference = late->arrivedNs - early->arrivedNs;
        QVERIFY2(difference > 200 * kMs && difference < 1500 * kMs, qPrintable(QString::number(difference / kMs)));
        // the early rank could not continue before the late one arrived; the late one did not wait
        QVERIFY(early->doneNs >= late->arrivedNs);
        const auto last = "gradient:" + std::to_string(ranks[0].buckets - 1);
        const auto *waited = ranks[0].find(last, 1), *held = ranks[1].find(last, 1);
        QVERIFY(waited && held);
        QCOMPARE(waited->exposedNs, ranks[0].exposedNs.at(1));
        QVERIFY(waited->exposedNs > 200 * kMs);
        QVERIFY(held->exposedNs >= 0);
        QVERIFY(held->exposedNs < waited->exposedNs - 100 * kMs);
    }

    void replicasStayEqual_data() {
        QTest::addColumn<bool>("unused");
        QTest::addColumn<int>("accumulate");
        QTest::newRow("plain") << false << 1;
        QTest::newRow("find unused") << true << 1;
        QTest::newRow("accumulate") << false << 2;
    }

    void replicasStayEqual() {
        QFETCH(bool, unused);
        QFETCH(int, accumulate);
        TrainScene scene;
        scene.steps = 4;
        scene.findUnused = unused;
        scene.accumulate = accumulate;
        const auto ranks = trainSmallNet(scene, freshDir());
        compareRanks(ranks);
        QCOMPARE(ranks[0].weightsHash, ranks[1].weightsHash);
        scene.steps = 3;
        QVERIFY(trainSmallNet(scene, freshDir())[0].weightsHash != ranks[0].weightsHash); // the weights did change
        // gradients are exchanged once per step, however many batches it has
        QCOMPARE(tags(ranks[0]).count("gradient:0"), 4);
        QCOMPARE(
            int(std::count_if(ranks[0].exposedNs.begin(), ranks[0].exposedNs.end(), [](auto ns) { return ns > 0; })),
            4);
    }

    void buffersTravelOnlyWhenAsked() {
        TrainScene scene;
        scene.broadcastBuffers = false;
        const auto ranks = trainSmallNet(scene, freshDir());
        compareRanks(ranks);
        QVERIFY(!ranks[0].find("broadcast:buffers", 1));
        scene.broadcastBuffers = true;
        QVERIFY(trainSmallNet(scene, freshDir())[0].find("broadcast:buffers", 1));
    }

    // The ranks' averaged gradient equals that of the mean over the joined batch, because the halves are equally large.
    void gradientEqualsJoinedBatch() {
        const auto expected = jointGradient();
        const auto ranks = averagedGradient(freshDir());
        compareRanks(ranks);
        float largest = 0;
        for (const float value : expected) {
            largest = std::max(largest, std::abs(value));
        }
        QVERIFY(largest > 0);
        for (const auto& rank : ranks) {
            QCOMPARE(rank.values.size(), expected.size());
            for (std::size_t i = 0; i < expected.size(); ++i) {
                QVERIFY(std::abs(rank.values[i] - expected[i]) <= 1e-5f * largest);
            }
        }
    }

    void everyOperationIsObserved() {
        const auto ranks = everyOperation(freshDir());
        compareRanks(ranks);
        const std::vector<std::tuple<QString, CollectiveOp, std::int64_t>> expected{
            {"allreduce", CollectiveOp::AllReduce, 3},
            {"allreduce_coalesced", CollectiveOp::AllReduce, 3},
            {"broadcast", CollectiveOp::Broadcast, 3},
            {"reduce", CollectiveOp::Reduce, 3},
            {"allgather", CollectiveOp::AllGather, 3},
            {"allgather_base", CollectiveOp::AllGather, 3},
            {"reduce_scatter", CollectiveOp::ReduceScatter, 6},
            {"gather", CollectiveOp::Gather, 3},
            {"scatter", CollectiveOp::Scatter, 3},
            {"barrier:last", CollectiveOp::Barrier, 0},
        };
        for (const auto& rank : ranks) {
            QCOMPARE(rank.collectives.size(), expected.size());
            for (std::size_t i = 0; i < expected.size(); ++i) {
                QCOMPARE(tagOf(rank.collectives[i]), std::get<0>(expected[i]));
                QCOMPARE(rank.collectives[i].op, std::get<1>(expected[i]));
                QCOMPARE(rank.collectives[i].count, std::get<2>(expected[i]));
            }
            QCOMPARE(rank.values, (std::vector<float>{9, 18, 3, 9, 6, 33, 6, 21, 36}));
            QCOMPARE(rank.peerTraffic.size(), std::size_t{1});
            QCOMPARE(rank.peerTraffic[0].count, std::int64_t{4});
            QVERIFY(rank.collectives.back().exposedNs >= 0);
        }
        QCOMPARE(ranks[0].peerTraffic[0].op, CollectiveOp::Send);
        QCOMPARE(ranks[1].peerTraffic[0].op, CollectiveOp::Recv);
    }

    void peerThatLeavesIsNamed() {
        const auto ranks = peerLeaves(freshDir());
        QVERIFY(!ranks[0].thrown.empty());
        const QString failure = QString::fromStdString(ranks[0].failure);
        QVERIFY2(failure.startsWith("all-reduce 1 (metrics) failed: "), qPrintable(failure));
        QVERIFY(!failure.contains('\n'));
        QCOMPARE(ranks[0].collectives.size(), std::size_t{2});
        QCOMPARE(int(ranks[0].collectives[1].failed), 1);
    }

    void modelExchanges() {
        const auto ranks = exchanges(freshDir());
        compareRanks(ranks);
        const std::vector<float> expected{
            1, 1, 1, 1, 1, 2, 2, 2, 2, 2, 3, 101, std::ldexp(1.f, 40), std::ldexp(1.f, 41)};
        QCOMPARE(ranks[0].values, expected);
        QCOMPARE(ranks[1].values, expected);
        QCOMPARE(tags(ranks[0]),
                 (QStringList{"sync_batchnorm:encoder.layers.0.conv", "sync_batchnorm:encoder.layers.0.conv",
                              "sync_max_audio_length", "metrics"}));
        for (const auto& record : ranks[1].collectives) {
            QVERIFY(record.exposedNs > 0);
        }
    }

    void nothingListensBeyondLoopback() {
        const auto scene = joinOverTcp(2, 2, 20'000);
        QCOMPARE(scene.errors, (std::vector<std::string>{"", ""}));
        QVERIFY(!scene.listening.empty());
        for (const auto& address : scene.listening) {
            QCOMPARE(address, std::string("0100007F")); // 127.0.0.1
        }
    }

    void missingRankIsNamed() {
        const auto scene = joinOverTcp(3, 2, 1500);
        const std::string expected = "rank 2 of 3 did not join within 1 s";
        QVERIFY2(scene.errors[0].find(expected) != std::string::npos, scene.errors[0].c_str());
        // rank 0 hosts the store: if it gives up first, rank 1 cannot find out who is missing
        const std::string& other = scene.errors[1];
        QVERIFY2(other.find(expected) != std::string::npos ||
                     other.find("not all 3 ranks joined, and rank 0 has left") != std::string::npos,
                 other.c_str());
    }
};

RANKSCOPE_CORE_TEST(TestDistributed)
#include "tst_distributed.moc"
