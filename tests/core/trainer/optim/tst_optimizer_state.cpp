// SPDX-License-Identifier: Apache-2.0
#include "core/trainer/optim/optimizers.h"
#include "tests/support/test_runner.h"

#include <torch/optim/rmsprop.h>

#include <QTest>

#include <set>

using namespace rankscope;
using namespace rankscope::trainer;

namespace {

config::OptimConfig configOf(const std::string& kind) {
    config::OptimConfig c;
    c.name = kind.substr(0, kind.find(' '));
    c.amsgrad = kind == "adamw amsgrad";
    c.momentum = kind == "sgd momentum" ? 0.9 : 0;
    c.lr = 0.05;
    return c;
}

/// The second one is not contiguous; the third never gets a gradient, and the fourth only from the second step on.
std::vector<torch::Tensor> parameters() {
    torch::manual_seed(5);
    return {torch::randn({3, 4}).requires_grad_(), torch::randn({5, 2}).t().requires_grad_(),
            torch::randn({3}).requires_grad_(), torch::randn({2}).requires_grad_()};
}

void train(torch::optim::Optimizer& optimizer, int from, int to) {
    auto& ps = optimizer.param_groups()[0].params();
    for (int step = from; step < to; ++step) {
        torch::manual_seed(static_cast<std::uint64_t>(100 + step));
        for (std::size_t i : {0, 1, 3})
            if (i < 3 || step > 0)
                ps[i].mutable_grad() = torch::randn_like(ps[i]);
        optimizer.step();
    }
}

NamedTensors copied(const NamedTensors& state) {
    NamedTensors out;
    for (const auto& [name, tensor] : state)
        out.emplace_back(name, tensor.clone(torch::MemoryFormat::Contiguous)); // as read back from a file
    return out;
}

bool same(const NamedTensors& a, const NamedTensors& b) {
    return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](const auto& x, const auto& y) {
        return x.first == y.first && torch::equal(x.second, y.second);
    });
}

torch::Tensor& tensorOf(NamedTensors& state, const std::string& name) {
    for (auto& [key, tensor] : state)
        if (key == name)
            return tensor;
    qFatal("no %s", name.c_str());
}

} // namespace

class TestOptimizerState : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void kinds_data() {
        QTest::addColumn<QString>("kind");
        QTest::addColumn<QStringList>("names");
        const QStringList adam{"exp_avg", "exp_avg_sq", "step"};
        QTest::newRow("adamw") << "adamw" << adam;
        QTest::newRow("adam") << "adam" << adam;
        QTest::newRow("adamw amsgrad") << "adamw amsgrad" << adam + QStringList{"max_exp_avg_sq"};
        QTest::newRow("sgd momentum") << "sgd momentum" << QStringList{"momentum_buffer"};
        QTest::newRow("sgd") << "sgd" << QStringList{};
    }
    void kinds() {
        QFETCH(QString, kind);
        QFETCH(QStringList, names);
        const auto c = configOf(kind.toStdString());
        const auto unbroken = makeOptimizer(c, parameters());
        QVERIFY(optimizerState(*unbroken).empty());
        train(*unbroken, 0, 3);
        const auto saved = copied(optimizerState(*unbroken));
        std::set<QString> expected, got;
        for (const char* index : {"0", "1", "3"})
            for (const QString& name : names)
                expected.insert(QString(index) + "." + name);
        for (const auto& [name, tensor] : saved)
            got.insert(QString::fromStdString(name));
        QCOMPARE(got, expected);
        QCOMPARE(saved.size(), expected.size());

        // continues bit for bit as if it had not been interrupted
        auto ps = parameters();
        {
            torch::NoGradGuard noGrad;
            for (std::size_t i = 0; i < ps.size(); ++i)
                ps[i].copy_(unbroken->parameters()[i]);
        }
        const auto resumed = makeOptimizer(c, ps);
        const auto loaded = loadOptimizerState(*resumed, saved);
        QVERIFY2(loaded, loaded ? "" : loaded.error().message().c_str());
        QVERIFY(same(optimizerState(*resumed), saved));
        train(*unbroken, 3, 9);
        train(*resumed, 3, 9);
        for (std::size_t i = 0; i < ps.size(); ++i)
            QVERIFY(torch::equal(ps[i], unbroken->parameters()[i]));
        QVERIFY(same(optimizerState(*resumed), optimizerState(*unbroken)));
    }

    void stepsAreCountedByParameter() {
        const auto optimizer = makeOptimizer(configOf("adamw"), parameters());
        train(*optimizer, 0, 3);
        auto state = optimizerState(*optimizer);
        const auto step = tensorOf(state, "0.step");
        QVERIFY(step.scalar_type() == torch::kFloat32 && step.dim() == 0);
        QCOMPARE(step.item<double>(), 3.0);
        QCOMPARE(tensorOf(state, "3.step").item<double>(), 2.0);
    }

    void loadingCopiesAndReplaces() {
        const auto a = makeOptimizer(configOf("adam"), parameters()), b = makeOptimizer(configOf("adam"), parameters());
        train(*a, 0, 2);
        train(*b, 0, 5);
        const auto saved = copied(optimizerState(*a));
        QVERIFY(loadOptimizerState(*b, optimizerState(*a)));
        train(*b, 2, 4);
        QVERIFY(same(optimizerState(*a), saved)); // not shared with b
        QVERIFY(loadOptimizerState(*b, {}));
        QVERIFY(optimizerState(*b).empty());
    }

    void severalGroupsCountOn() {
        auto ps = parameters();
        FusedAdam optimizer({ps[0]}, torch::optim::AdamWOptions(0.1), {});
        optimizer.add_param_group(torch::optim::OptimizerParamGroup({ps[1]}));
        ps[1].mutable_grad() = torch::ones_like(ps[1]);
        optimizer.step();
        const auto state = optimizerState(optimizer);
        QCOMPARE(state.size(), std::size_t{3});
        QCOMPARE(state[0].first, std::string("1.exp_avg"));
    }

    void whatDoesNotFitIsNamed_data() {
        QTest::addColumn<QString>("change");
        QTest::addColumn<QString>("where");
        QTest::addColumn<QString>("says");
        const auto row = [](const char* change, const char* where, const char* says) {
            QTest::newRow(change) << change << where << says;
        };
        row("shape", "1.exp_avg", "has shape [5, 2]; expected [2, 5]");
        row("step shape", "0.step", "has shape [1]; expected one number");
        row("dtype", "0.exp_avg_sq", "has type Double; expected Float");
        row("step dtype", "0.step", "has type Long; expected Float");
        row("undefined", "0.exp_avg", "is not a dense tensor");
        row("sparse", "0.exp_avg", "is not a dense tensor");
        row("missing", "3.exp_avg_sq", "is missing");
        row("twice", "0.exp_avg", "occurs twice");
        row("too many", "4.exp_avg", "belongs to parameter 4, but the optimizer has 4");
        row("huge index", "99999999999999999999.exp_avg", "is not one of its names");
        row("another kind", "0.momentum_buffer",
            "is not part of this optimizer's state (exp_avg, exp_avg_sq, step)");
        row("no index", "exp_avg", "is not one of its names");
        row("padded index", "00.exp_avg", "is not one of its names");
        row("negative step", "0.step", "is -1, which is not a number of steps");
        row("half a step", "0.step", "is 1.5, which is not a number of steps");
        row("no step", "0.step", "is nan, which is not a number of steps");
    }
    void whatDoesNotFitIsNamed() {
        QFETCH(QString, change);
        QFETCH(QString, where);
        QFETCH(QString, says);
        const auto optimizer = makeOptimizer(configOf("adamw"), parameters());
        train(*optimizer, 0, 3);
        const auto before = copied(optimizerState(*optimizer));
        auto state = copied(before);
        const auto name = where.toStdString();
        const auto number = [](double value) { return torch::full({}, value, torch::kFloat32); };
        if (change == "shape")
            tensorOf(state, name) = torch::zeros({5, 2});
        else if (change == "step shape")
            tensorOf(state, name) = torch::ones({1});
        else if (change == "dtype")
            tensorOf(state, name) = tensorOf(state, name).to(torch::kFloat64);
        else if (change == "step dtype")
            tensorOf(state, name) = tensorOf(state, name).to(torch::kInt64);
        else if (change == "undefined")
            tensorOf(state, name) = torch::Tensor();
        else if (change == "sparse")
            tensorOf(state, name) = tensorOf(state, name).to_sparse();
        else if (change == "missing")
            std::erase_if(state, [&](const auto& one) { return one.first == name; });
        else if (change == "negative step")
            tensorOf(state, name) = number(-1);
        else if (change == "half a step")
            tensorOf(state, name) = number(1.5);
        else if (change == "no step")
            tensorOf(state, name) = number(NAN);
        else
            state.emplace_back(name, torch::zeros({3, 4}));
        const auto loaded = loadOptimizerState(*optimizer, state);
        QVERIFY(!loaded);
        QCOMPARE(QString::fromStdString(loaded.error().where), "optimizer state " + where);
        QVERIFY2(QString::fromStdString(loaded.error().what.english()).startsWith(says),
                 loaded.error().what.english().c_str());
        QVERIFY(same(optimizerState(*optimizer), before)); // nothing has changed
    }

    void sgdWithoutMomentumKeepsNothing() {
        const auto optimizer = makeOptimizer(configOf("sgd"), parameters());
        const auto loaded = loadOptimizerState(*optimizer, {{"0.momentum_buffer", torch::zeros({3, 4})}});
        QVERIFY(!loaded);
        QVERIFY(QString::fromStdString(loaded.error().what.english()).contains("(nothing)"));
    }

    void otherOptimizersAreRefused() {
        torch::optim::RMSprop optimizer(parameters(), torch::optim::RMSpropOptions(0.1));
        QVERIFY_THROWS_EXCEPTION(std::invalid_argument, optimizerState(optimizer));
        QVERIFY(!loadOptimizerState(optimizer, {}));
    }
};

RANKSCOPE_CORE_TEST(TestOptimizerState)
#include "tst_optimizer_state.moc"
