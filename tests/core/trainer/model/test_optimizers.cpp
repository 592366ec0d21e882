// SPDX-License-Identifier: Apache-2.0
// The fused optimizers against PyTorch's own results (data/make_optim_references.py) and against the textbook.
#include "core/base/file.h"
#include "core/trainer/ssl/optimizers.h"
#include "tests/core/trainer/model/reference_configs.h"
#include "tests/support/test_runner.h"

#include <QTest>

#include <nlohmann/json.hpp>
#include <rapidcheck.h>

#include <functional>

using namespace rankscope;
using namespace rankscope::trainer;
using Json = nlohmann::json;

namespace {

config::OptimConfig configOf(const std::string& name, const Json& options) {
    config::OptimConfig c;
    c.name = name;
    c.weightDecay = options.value("weight_decay", name == "adamw" ? 0.01 : 0);
    c.betas = options.value("betas", c.betas);
    c.eps = options.value("eps", c.eps);
    c.amsgrad = options.value("amsgrad", false);
    c.maximize = options.value("maximize", false);
    c.decoupledWeightDecay = options.value("decoupled_weight_decay", false);
    c.momentum = options.value("momentum", 0.0);
    c.dampening = options.value("dampening", 0.0);
    c.nesterov = options.value("nesterov", false);
    return c;
}

/// As the textbook writes it, one weight at a time.
class Textbook {
public:
    Textbook(config::OptimConfig c, std::vector<double> weights)
        : m_c(std::move(c)), m_w(std::move(weights)), m_m(m_w.size()), m_v(m_w.size()), m_max(m_w.size()) {}

    void step(const std::vector<double>& gradients, double lr) {
        ++m_t;
        for (std::size_t i = 0; i < m_w.size(); ++i)
            m_c.name == "sgd" ? sgd(i, gradients[i], lr) : adam(i, gradients[i], lr);
    }
    const std::vector<double>& weights() const { return m_w; }

private:
    void sgd(std::size_t i, double g, double lr) {
        g = (m_c.maximize ? -g : g) + m_c.weightDecay * m_w[i];
        if (m_c.momentum != 0) {
            m_m[i] = m_t == 1 ? g : m_c.momentum * m_m[i] + (1 - m_c.dampening) * g;
            g = m_c.nesterov ? g + m_c.momentum * m_m[i] : m_m[i];
        }
        m_w[i] -= lr * g;
    }

    void adam(std::size_t i, double g, double lr) {
        const auto [b1, b2] = m_c.betas;
        if (m_c.maximize)
            g = -g;
        if (m_c.name == "adamw" || m_c.decoupledWeightDecay)
            m_w[i] *= 1 - lr * m_c.weightDecay;
        else
            g += m_c.weightDecay * m_w[i];
        m_m[i] = b1 * m_m[i] + (1 - b1) * g;
        m_v[i] = b2 * m_v[i] + (1 - b2) * g * g;
        m_max[i] = std::max(m_max[i], m_v[i]);
        const double mean = m_m[i] / (1 - std::pow(b1, m_t));
        const double square = (m_c.amsgrad ? m_max[i] : m_v[i]) / (1 - std::pow(b2, m_t));
        m_w[i] -= lr * mean / (std::sqrt(square) + m_c.eps);
    }

    config::OptimConfig m_c;
    int m_t = 0;
    std::vector<double> m_w, m_m, m_v, m_max;
};

double gradientOf(int parameter, int step, int i) { // as in make_optim_references.py
    return std::sin(1.7 * step + i + parameter) * std::pow(1 + step % 4, 2) / 8;
}

torch::Tensor doubles(const std::vector<double>& values) {
    return torch::tensor(values, torch::kFloat64);
}

/// Largest difference relative to the size of the weights.
double distance(const torch::Tensor& ours, const std::vector<double>& theirs) {
    const auto expected = doubles(theirs).view_as(ours);
    return ((ours.detach().to(torch::kFloat64) - expected).abs() / (1 + expected.abs())).max().item<double>();
}

/// Options that makeOptimizer() takes, drawn at random.
config::OptimConfig anyConfig() {
    const auto tenths = [](int from, int to) { return *rc::gen::inRange(from, to) / 10.0; };
    config::OptimConfig c;
    c.name = *rc::gen::elementOf(std::vector<std::string>{"adamw", "adam", "sgd"});
    c.betas = {tenths(0, 10), *rc::gen::elementOf(std::vector<double>{0.5, 0.9, 0.98, 0.999})};
    c.eps = *rc::gen::elementOf(std::vector<double>{1e-8, 1e-3, 1});
    c.weightDecay = tenths(0, 5);
    c.amsgrad = *rc::gen::arbitrary<bool>();
    c.maximize = *rc::gen::arbitrary<bool>();
    c.decoupledWeightDecay = *rc::gen::arbitrary<bool>();
    c.momentum = tenths(0, 10);
    c.nesterov = c.momentum > 0 && *rc::gen::arbitrary<bool>();
    c.dampening = c.nesterov ? 0 : tenths(0, 10);
    return c;
}

std::vector<torch::Tensor> fewParameters() {
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

class TestOptimizers : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void asPyTorch_data() {
        QTest::addColumn<QByteArray>("text");
        const auto text = readFile(std::string(RANKSCOPE_MODEL_TEST_DATA) + "/optimizers_torch.json");
        if (!text)
            qFatal("%s", text.error().message().c_str());
        const Json references = Json::parse(*text);
        for (const Json& one : references.at("cases"))
            QTest::newRow((one.at("name").get<std::string>() + " " + one.at("options").dump()).c_str())
                << QByteArray::fromStdString(one.dump());
    }
    void asPyTorch() {
        QFETCH(QByteArray, text);
        const Json one = Json::parse(text.toStdString());
        std::vector<torch::Tensor> ps{doubles({0.5, -1.25, 2.0}).requires_grad_(),
                                      doubles({1.0, -3.0, 0.25, 0.0}).view({2, 2}).clone().requires_grad_()};
        const auto optimizer = makeOptimizer(configOf(one.at("name"), one.at("options")), ps);
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
        QVERIFY(distance(ps[0], one.at("a").get<std::vector<double>>()) < 1e-12);
        QVERIFY(distance(ps[1], one.at("b").get<std::vector<double>>()) < 1e-12);
    }

    /// 300 steps with options drawn at random, float64 and float32.
    void asTheTextbook() {
        const bool holds = rc::check("weights as the textbook's", [] {
            auto c = anyConfig();
            const auto type = *rc::gen::elementOf(std::vector<torch::ScalarType>{torch::kFloat64, torch::kFloat32});
            // a denominator without memory divides by what cancellation leaves, and throws weights far out and back
            c.betas[1] = std::max(c.betas[1], type == torch::kFloat32 ? 0.9 : 0.5);
            const int size = *rc::gen::inRange(1, 40);
            std::vector<double> weights;
            for (int i = 0; i < size; ++i)
                weights.push_back(std::cos(3.1 * i));
            auto p = doubles(weights).to(type).requires_grad_();
            const auto optimizer = makeOptimizer(c, {p});
            Textbook textbook(c, weights);
            for (int step = 0; step < 300; ++step) {
                std::vector<double> gradients;
                for (int i = 0; i < size; ++i)
                    gradients.push_back(gradientOf(0, step, i));
                const double lr = 0.02 / (1 + 0.1 * step);
                p.mutable_grad() = doubles(gradients).to(type);
                setLearningRate(*optimizer, lr);
                optimizer->step();
                textbook.step(gradients, lr);
            }
            RC_ASSERT(distance(p, textbook.weights()) < (type == torch::kFloat64 ? 1e-9 : 2e-3));
        });
        QVERIFY(holds);
    }

    /// LibTorch's unfused AdamW and SGD agree as well, on shapes as a model has them.
    void asLibTorch() {
        const auto c = referenceConfig("pre_conv").optim;
        const auto s = configOf("sgd", {{"momentum", 0.9}, {"weight_decay", 0.01}, {"nesterov", true}});
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
        const auto optimizer = makeOptimizer(configOf("sgd", Json::object()), {p});
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
        QCOMPARE(bucket.sum().item<float>(), 85.0f); // whoever else holds them keeps them as they were
    }

    void unsupportedValuesAreNamed() {
        const auto refusal = [](const char* name, const std::function<void(config::OptimConfig&)>& change) {
            auto c = configOf(name, Json::object());
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
#include "test_optimizers.moc"
