// SPDX-License-Identifier: Apache-2.0
#include "core/trainer/ssl/optim.h"
#include "tests/core/trainer/model/reference_configs.h"

#include <QtTest/QtTest>

using namespace rankscope;
using namespace rankscope::trainer;

class TestOptim : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void noamAsNeMo();
    void noamFloorsAfterWarmup();
    void constantWithoutSchedule();
    void fusedStepEqualsAdamW();
    void stateIsAdamWs();
    void gradientsStayWhereTheyLie();
    void unsupportedValuesAreNamed();
};

namespace {

std::vector<torch::Tensor> parameters() {
    torch::manual_seed(3);
    return {torch::randn({17, 5}).requires_grad_(), torch::randn({4}).requires_grad_(),
            torch::randn({3}).requires_grad_()};
}

void setGradients(std::vector<torch::Tensor>& ps, int step) {
    torch::manual_seed(static_cast<std::uint64_t>(100 + step));
    ps[0].mutable_grad() = torch::randn({17, 5});
    ps[1].mutable_grad() = torch::randn({4}) * 1e-3; // the third never gets one
}

} // namespace

void TestOptim::noamAsNeMo() {
    const LearningRateSchedule schedule(referenceConfig("pre_conv").optim);
    const double expected[] = {0.011048543456039806, 0.011048543456039806, 0.02209708691207961, 0.03314563036811942};
    for (int i = 0; i < 4; ++i)
        QVERIFY(std::abs(schedule.at(i) - expected[i]) < 1e-15);
    QVERIFY(schedule.at(16) < schedule.at(4));
    QVERIFY(std::abs(schedule.at(16) - schedule.at(4) / 2) < 1e-15);
}

void TestOptim::noamFloorsAfterWarmup() {
    auto c = referenceConfig("pre_conv").optim;
    c.sched.minLr = 0.03;
    const LearningRateSchedule schedule(c);
    QVERIFY(schedule.at(1) < 0.03); // not while warming up
    QCOMPARE(schedule.at(100000), 0.03);
    c.sched.warmupSteps = 0;
    c.sched.warmupRatio = 0.1;
    c.sched.maxSteps = 40;
    QCOMPARE(LearningRateSchedule(c).at(2), schedule.at(2));
}

void TestOptim::constantWithoutSchedule() {
    auto c = referenceConfig("pre_conv").optim;
    c.sched.name.clear();
    QCOMPARE(LearningRateSchedule(c).at(0), 0.5);
    QCOMPARE(LearningRateSchedule(c).at(12345), 0.5);
}

void TestOptim::fusedStepEqualsAdamW() {
    auto c = referenceConfig("pre_conv").optim;
    auto ours = parameters(), theirs = parameters();
    const auto fused = makeOptimizer(c, ours);
    torch::optim::AdamW plain(theirs, torch::optim::AdamWOptions(c.lr).betas({0.9, 0.98}).weight_decay(0.001));
    for (int i = 0; i < 5; ++i) {
        setGradients(ours, i);
        setGradients(theirs, i);
        for (torch::optim::Optimizer* o :
             {static_cast<torch::optim::Optimizer*>(fused.get()), static_cast<torch::optim::Optimizer*>(&plain)}) {
            setLearningRate(*o, 0.01 * (i + 1));
            o->step();
        }
        for (std::size_t p = 0; p < ours.size(); ++p)
            QVERIFY(torch::allclose(ours[p], theirs[p], 1e-5, 1e-6));
    }
    QVERIFY(torch::equal(ours[2], parameters()[2]));
}

void TestOptim::stateIsAdamWs() {
    const auto c = referenceConfig("pre_conv").optim;
    auto first = parameters(), second = parameters();
    const auto a = makeOptimizer(c, first);
    for (int i = 0; i < 2; ++i) {
        setGradients(first, i);
        a->step();
    }
    std::stringstream bytes;
    torch::save(*a, bytes);
    const auto b = makeOptimizer(c, second);
    torch::load(*b, bytes);
    {
        torch::NoGradGuard noGrad;
        for (std::size_t p = 0; p < first.size(); ++p)
            second[p].copy_(first[p]);
    }
    setGradients(first, 2);
    setGradients(second, 2);
    a->step();
    b->step();
    for (std::size_t p = 0; p < first.size(); ++p)
        QVERIFY(torch::equal(first[p], second[p]));
}

void TestOptim::gradientsStayWhereTheyLie() {
    auto ps = parameters();
    const auto bucket = torch::ones({89});
    ps[0].mutable_grad() = bucket.narrow(0, 0, 85).view({17, 5});
    ps[1].mutable_grad() = bucket.narrow(0, 85, 4);
    zeroGradients(ps);
    QCOMPARE(bucket.sum().item<float>(), 0.0f);
    QVERIFY(ps[0].grad().is_alias_of(bucket));
    QVERIFY(!ps[2].grad().defined());
}

void TestOptim::unsupportedValuesAreNamed() {
    const auto refusal = [](const std::function<void(config::OptimConfig&)>& change) {
        auto c = referenceConfig("pre_conv").optim;
        change(c);
        try {
            makeOptimizer(c, parameters());
            LearningRateSchedule schedule(c);
        } catch (const std::invalid_argument& e) {
            return QString(e.what());
        }
        return QString("accepted");
    };
    QVERIFY(refusal([](auto& c) { c.name = "novograd"; }).startsWith("model.optim.name: novograd"));
    QVERIFY(refusal([](auto& c) { c.sched.name = "CosineAnnealing"; }).startsWith("model.optim.sched.name: Cosine"));
    QVERIFY(refusal([](auto& c) { c.betas[1] = 1; }).startsWith("model.optim.betas"));
    QVERIFY(refusal([](auto& c) { c.sched.minLr = 1; }).startsWith("model.optim.sched.min_lr: 1"));
}

QTEST_GUILESS_MAIN(TestOptim)
#include "test_optim.moc"
