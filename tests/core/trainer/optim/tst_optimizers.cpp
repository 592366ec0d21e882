// SPDX-License-Identifier: Apache-2.0
// The fused optimizers compared with PyTorch's own results (data/make_optim_references.py) and with a textbook version.
#include "core/trainer/optim/optimizers.h"
#include "tests/core/trainer/optim/optimizer_cases.h"
#include "tests/core/trainer/optim/textbook_optimizer.h"
#include "tests/core/trainer/reference_configs.h"
#include "tests/support/test_runner.h"

#include <torch/serialize.h>

#include <QTest>

#include <functional>

using namespace rankscope;
using namespace rankscope::trainer;

namespace {

torch::Tensor doubles(const std::vector<double>& values) {
    return torch::tensor(values, torch::kFloat64);
}

/// Returns the largest difference relative to the size of the weights.
double distance(const torch::Tensor& ours, const std::vector<double>& theirs) {
    const auto expected = doubles(theirs).view_as(ours);
    return ((ours.detach().to(torch::kFloat64) - expected).abs() / (1 + expected.abs())).max().item<double>();
}

std::vector<torch::Tensor> fewParameters() {
    torch::manual_seed(3);
    return {torch::randn({17, 5}).requires_grad_(), torch::randn({4}).requires_grad_(),
            torch::randn({3}).requires_grad_()};
}

config::OptimConfig nesterov() {
    auto c = defaultOptions("sgd");
    c.momentum = 0.9;
    c.weightDecay = 0.01;
    c.nesterov = true;
    return c;
}

void setGradients(std::vector<torch::Tensor>& ps, int step) {
    torch::manual_seed(static_cast<std::uint64_t>(100 + step));
    ps[0].mutable_grad() = torch::randn({17, 5});
    ps[1].mutable_grad() = torch::randn({4}) * 1e-3; // the third parameter never gets one
}

} // namespace

class TestOptimizers : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void asPyTorch() {
        const auto references = optimizerReferences(std::string(RANKSCOPE_MODEL_TEST_DATA) + "/optimizers_torch.json");
        QVERIFY(!references.empty());
        for (const auto& reference : references) {
            std::vector<torch::Tensor> ps{doubles({0.5, -1.25, 2.0}).requires_grad_(),
                                          doubles({1.0, -3.0, 0.25, 0.0}).view({2, 2}).clone().requires_grad_()};
            const auto optimizer = makeOptimizer(reference.options, ps);
            for (int step = 0; step < 12; ++step) {
                setLearningRate(*optimizer, 0.1 / (1 + step));
                for (int k = 0; k < 2; ++k) {
                    auto& p = ps[static_cast<std::size_t>(k)];
                    std::vector<double> values;
                    for (int i = 0; i < p.numel(); ++i)
                        values.push_back(gradientOf(k, step, i));
                    p.mutable_grad() = k == 1 && step == 0 ? torch::Tensor() : doubles(values).view_as(p);
                }
                optimizer->step();
            }
            QVERIFY2(distance(ps[0], reference.a) < 1e-12, reference.name.c_str());
            QVERIFY2(distance(ps[1], reference.b) < 1e-12, reference.name.c_str());
        }
    }

    /// 300 steps with randomly drawn options, in float64 and float32.
    void asTheTextbook() {
        QVERIFY(holdsForAnyOptions("weights as the textbook's", [](const OptimizerTrial& trial) {
            std::vector<double> weights;
            for (int i = 0; i < trial.size; ++i)
                weights.push_back(std::cos(3.1 * i));
            const auto type = trial.isFloat32 ? torch::kFloat32 : torch::kFloat64;
            auto p = doubles(weights).to(type).requires_grad_();
            const auto optimizer = makeOptimizer(trial.options, {p});
            TextbookOptimizer textbook(trial.options, weights);
            for (int step = 0; step < 300; ++step) {
                std::vector<double> gradients;
                for (int i = 0; i < trial.size; ++i)
                    gradients.push_back(gradientOf(0, step, i));
                const double lr = 0.02 / (1 + 0.1 * step);
                p.mutable_grad() = doubles(gradients).to(type);
                setLearningRate(*optimizer, lr);
                optimizer->step();
                textbook.step(gradients, lr);
            }
            return distance(p, textbook.weights()) < (trial.isFloat32 ? 2e-3 : 1e-9);
        }));
    }

    /// LibTorch's unfused AdamW and SGD agree as well, for shapes like those in a model.
    void asLibTorch() {
        const auto c = referenceConfig("pre_conv").optim;
        const auto s = nesterov();
        auto a = fewParameters(), b = fewParameters(), d = fewParameters(), e = fewParameters();
        torch::optim::AdamW adamw(b, torch::optim::AdamWOptions(c.lr).betas({0.9, 0.98}).weight_decay(0.001));
        torch::optim::SGD sgd(e, torch::optim::SGDOptions(c.lr).momentum(0.9).weight_decay(0.01).nesterov(true));
        const auto ours = makeOptimizer(c, a), oursToo = makeOptimizer(s, d);
        const std::pair<std::vector<torch::Tensor>*, torch::optim::Optimizer*> runs[] = {
            {&a, ours.get()}, {&b, &adamw}, {&d, oursToo.get()}, {&e, &sgd}};
        for (int i = 0; i < 5; ++i)
            for (const auto& [ps, optimizer] : runs) {
                setGradients(*ps, i);
                setLearningRate(*optimizer, 0.01 * (i + 1));
                optimizer->step();
            }
        for (std::size_t p = 0; p < a.size(); ++p) {
            QVERIFY(torch::allclose(a[p], b[p], 1e-5, 1e-6));
            QVERIFY(torch::allclose(d[p], e[p], 1e-5, 1e-6));
        }
        QVERIFY(torch::equal(a[2], fewParameters()[2])); // never had a gradient
        QVERIFY(!torch::allclose(a[0], fewParameters()[0]));
        QVERIFY(!torch::allclose(d[0], fewParameters()[0]));
    }

    void serialisesAsAdamW() {
        const auto c = referenceConfig("pre_conv").optim;
        auto first = fewParameters(), second = fewParameters();
        const auto a = makeOptimizer(c, first);
        for (int i = 0; i < 2; ++i) {
            setGradients(first, i);
            a->step();
        }
        std::stringstream bytes;
        torch::save(*a, bytes);
        torch::optim::AdamW b(second, torch::optim::AdamWOptions(1));
        torch::load(b, bytes);
        {
            torch::NoGradGuard noGrad;
            for (std::size_t p = 0; p < first.size(); ++p)
                second[p].copy_(first[p]);
        }
        setGradients(first, 2);
        setGradients(second, 2);
        a->step();
        b.step();
        for (std::size_t p = 0; p < first.size(); ++p)
            QVERIFY(torch::allclose(first[p], second[p], 1e-5, 1e-6));
    }

    void closureIsCalledWithGradients() {
        auto p = torch::ones({2}).requires_grad_();
        const auto optimizer = makeOptimizer(defaultOptions("sgd"), {p});
        setLearningRate(*optimizer, 0.5);
        const auto loss = optimizer->step([&] {
            auto value = (p * p).sum();
            value.backward();
            return value;
        });
        QCOMPARE(loss.item<float>(), 2.0f);
        QVERIFY(torch::equal(p, torch::zeros({2})));
    }

    void gradientsAreLetGo() {
        auto ps = fewParameters();
        const auto bucket = torch::ones({85});
        ps[0].mutable_grad() = bucket.view({17, 5});
        releaseGradients(ps);
        QVERIFY(!ps[0].grad().defined());
        QCOMPARE(bucket.sum().item<float>(), 85.0f); // other holders still have the values unchanged
    }

    void unsupportedValuesAreNamed() {
        const auto refusal = [](const char* name, const std::function<void(config::OptimConfig&)>& change) {
            auto c = defaultOptions(name);
            change(c);
            try {
                makeOptimizer(c, fewParameters());
            } catch (const std::invalid_argument& e) {
                return QString(e.what());
            }
            return QString("accepted");
        };
        for (const char* name : {"adamw", "adam", "sgd"}) {
            QCOMPARE(refusal(name, [](auto&) {}), QString("accepted"));
            QVERIFY(refusal(name, [](auto& c) { c.lr = -1; }).startsWith("model.optim.lr: -1"));
            QVERIFY(refusal(name, [](auto& c) { c.weightDecay = NAN; }).startsWith("model.optim.weight_decay: nan"));
        }
        QVERIFY(refusal("novograd", [](auto&) {}).startsWith("model.optim.name: novograd"));
        QVERIFY(refusal("adam", [](auto& c) { c.betas[1] = 1; }).startsWith("model.optim.betas: [0.9, 1]"));
        QVERIFY(refusal("adamw", [](auto& c) { c.eps = -1; }).startsWith("model.optim.eps: -1"));
        QVERIFY(refusal("sgd", [](auto& c) { c.momentum = -0.5; }).startsWith("model.optim.momentum: -0.5"));
        QVERIFY(refusal("sgd", [](auto& c) { c.nesterov = true; }).startsWith("model.optim.nesterov: true"));
    }
};

RANKSCOPE_CORE_TEST(TestOptimizers)
#include "tst_optimizers.moc"
