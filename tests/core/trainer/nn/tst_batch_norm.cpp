// SPDX-License-Identifier: Apache-2.0
// Batch norm compared with ATen's, and with two ranks compared with one process that sees both batches.
#include "core/trainer/nn/batch_norm.h"
#include "tests/support/test_runner.h"

#include <QTest>

#include <condition_variable>
#include <mutex>
#include <thread>

using namespace rankscope::trainer;

class TestBatchNorm : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void equalsAten();
    void evaluationUsesRunningStatistics();
    void twoRanksEqualTheJoinedBatch_data();
    void twoRanksEqualTheJoinedBatch();
};

namespace {

/// Lets ranks, which are threads, exchange data; every exchange waits for all of them.
class Meeting {
public:
    explicit Meeting(int ranks) : m_parts(static_cast<std::size_t>(ranks)) {}

    std::vector<torch::Tensor> join(int rank, const torch::Tensor& mine) {
        std::unique_lock lock(m_mutex);
        const int round = m_round;
        m_parts[static_cast<std::size_t>(rank)] = mine.clone();
        if (++m_arrived == static_cast<int>(m_parts.size())) {
            m_result = m_parts;
            m_arrived = 0;
            ++m_round;
            m_changed.notify_all();
        } else {
            m_changed.wait(lock, [&] { return m_round != round; });
        }
        return m_result;
    }

private:
    std::mutex m_mutex;
    std::condition_variable m_changed;
    std::vector<torch::Tensor> m_parts, m_result;
    int m_arrived = 0, m_round = 0;
};

class MemoryExchange : public StatsExchange {
public:
    MemoryExchange(Meeting& meeting, int ranks, int rank) : m_meeting(meeting), m_ranks(ranks), m_rank(rank) {}

    int worldSize() const override { return m_ranks; }
    torch::Tensor allGather(const torch::Tensor& local, const std::string& layer) override {
        layers.push_back("gather " + layer);
        return torch::stack(m_meeting.join(m_rank, local));
    }
    void allReduceSum(torch::Tensor& values, const std::string& layer) override {
        layers.push_back("sum " + layer);
        values.copy_(torch::stack(m_meeting.join(m_rank, values)).sum(0));
    }

    std::vector<std::string> layers;

private:
    Meeting& m_meeting;
    int m_ranks, m_rank;
};

struct Outcome {
    torch::Tensor y, dx, dWeight, dBias, runningMean, runningVar;
    std::int64_t tracked = 0;
};

BatchNorm freshNorm(int channels) {
    torch::manual_seed(7);
    BatchNorm norm(channels);
    torch::NoGradGuard noGrad;
    norm->weight.normal_();
    norm->bias.normal_();
    norm->runningMean.normal_();
    return norm;
}

Outcome run(BatchNorm norm, const torch::Tensor& x, const torch::Tensor& dy) {
    const auto input = x.clone().requires_grad_();
    const auto y = norm(input);
    y.backward(dy);
    return {y.detach(),
            input.grad(),
            norm->weight.grad(),
            norm->bias.grad(),
            norm->runningMean,
            norm->runningVar,
            norm->numBatchesTracked.item<std::int64_t>()};
}

bool closeTo(const torch::Tensor& a, const torch::Tensor& b) {
    return torch::allclose(a, b, 1e-5, 1e-5);
}

} // namespace

void TestBatchNorm::equalsAten() {
    torch::manual_seed(1);
    const auto x = torch::randn({3, 50, 37}) * 3 + 5, dy = torch::randn({3, 50, 37});
    const Outcome ours = run(freshNorm(37), x, dy);

    const BatchNorm norm = freshNorm(37);
    const auto input = x.clone().requires_grad_();
    const auto y = torch::batch_norm(input.view({150, 37}), norm->weight, norm->bias, norm->runningMean,
                                     norm->runningVar, true, 0.1, 1e-5, false);
    y.backward(dy.view({150, 37}));
    QVERIFY(closeTo(ours.y.view({150, 37}), y));
    QVERIFY(closeTo(ours.dx, input.grad()));
    QVERIFY(closeTo(ours.dWeight, norm->weight.grad()));
    QVERIFY(closeTo(ours.dBias, norm->bias.grad()));
    QVERIFY(closeTo(ours.runningMean, norm->runningMean));
    QVERIFY(closeTo(ours.runningVar, norm->runningVar));
    QCOMPARE(ours.tracked, std::int64_t(1));
}

void TestBatchNorm::evaluationUsesRunningStatistics() {
    BatchNorm norm = freshNorm(5);
    norm->eval();
    const auto x = torch::randn({2, 3, 5}), before = norm->runningMean.clone();
    const auto expected = (x - norm->runningMean) / (norm->runningVar + 1e-5).sqrt() * norm->weight + norm->bias;
    QVERIFY(closeTo(norm(x), expected));
    QVERIFY(torch::equal(norm->runningMean, before));
    QCOMPARE(norm->numBatchesTracked.item<std::int64_t>(), std::int64_t(0));
}

void TestBatchNorm::twoRanksEqualTheJoinedBatch_data() {
    QTest::addColumn<int>("first");
    QTest::addColumn<int>("second");
    QTest::newRow("equal") << 4 << 4;
    QTest::newRow("uneven") << 5 << 2;
}

void TestBatchNorm::twoRanksEqualTheJoinedBatch() {
    QFETCH(int, first);
    QFETCH(int, second);
    torch::manual_seed(2);
    const auto x = torch::randn({first + second, 21, 33}) * 2 + 1, dy = torch::randn_like(x);
    const Outcome joined = run(freshNorm(33), x, dy);

    const std::vector<torch::Tensor> xs = x.split_with_sizes({first, second}),
                                     dys = dy.split_with_sizes({first, second});
    std::vector<BatchNorm> norms{freshNorm(33), freshNorm(33)};
    std::vector<Outcome> outcomes(2);
    Meeting meeting(2);
    std::vector<std::shared_ptr<MemoryExchange>> exchanges;
    std::vector<std::thread> ranks;
    for (int r = 0; r < 2; ++r) {
        exchanges.push_back(std::make_shared<MemoryExchange>(meeting, 2, r));
        norms[static_cast<std::size_t>(r)]->setStatsExchange(exchanges.back(), "layers.3");
    }
    for (std::size_t r = 0; r < 2; ++r)
        ranks.emplace_back([&, r] { outcomes[r] = run(norms[r], xs[r], dys[r]); });
    for (auto& rank : ranks)
        rank.join();

    QVERIFY(closeTo(torch::cat({outcomes[0].y, outcomes[1].y}), joined.y));
    QVERIFY(closeTo(torch::cat({outcomes[0].dx, outcomes[1].dx}), joined.dx));
    // each rank keeps the gradient of its own rows: the reducer adds them
    QVERIFY(closeTo(outcomes[0].dWeight + outcomes[1].dWeight, joined.dWeight));
    QVERIFY(closeTo(outcomes[0].dBias + outcomes[1].dBias, joined.dBias));
    for (const Outcome& o : outcomes) {
        QVERIFY(closeTo(o.runningMean, joined.runningMean));
        QVERIFY(closeTo(o.runningVar, joined.runningVar));
    }
    QVERIFY(torch::equal(outcomes[0].runningVar, outcomes[1].runningVar));
    const std::vector<std::string> calls{"gather layers.3", "sum layers.3"};
    QVERIFY(exchanges[0]->layers == calls && exchanges[1]->layers == calls);
}

RANKSCOPE_CORE_TEST(TestBatchNorm)
#include "tst_batch_norm.moc"
