// SPDX-License-Identifier: Apache-2.0
// The dropout kernels: their random bits, and their arithmetic compared with torch's operations with the same mask.
#include "core/trainer/nn/cpu_kernels/dropout_kernels.h"
#include "tests/support/test_runner.h"

#include <torch/autograd.h>

#include <QTest>

#include <cmath>

using namespace rankscope::trainer;

class TestDropout : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void share_data();
    void share();
    void elementsAreIndependent();
    void callsDiffer();
    void generatorStateRestoresMasks();
    void threadsDoNotMatter();
    void gradients_data();
    void gradients();
    void withoutDropout();
    void otherTypes();
    void refused();
};

namespace {

torch::Tensor factors(std::int64_t n, double p) {
    return dropped(torch::ones({n}), p);
}

bool same(const torch::Tensor& a, const torch::Tensor& b) {
    return a.sizes() == b.sizes() && torch::allclose(a, b, 1e-5, 1e-6);
}

} // namespace

void TestDropout::share_data() {
    QTest::addColumn<double>("p");
    for (const double p : {0.01, 0.1, 0.5, 0.9})
        QTest::addRow("%g", p) << p;
}

/// The share of zeros is that of a biased coin (within 5 standard deviations), and all other values equal the scale.
void TestDropout::share() {
    QFETCH(double, p);
    torch::manual_seed(11);
    const std::int64_t n = 2'000'000;
    const auto y = factors(n, p);
    const auto zeros = static_cast<double>((y == 0).sum().item<std::int64_t>());
    QVERIFY(std::abs(zeros - p * n) < 5 * std::sqrt(p * (1 - p) * n));
    const float scale = y.max().item<float>();
    QVERIFY(std::abs(scale - 1 / (1 - p)) < 1e-3 / (1 - p));
    QCOMPARE(((y == 0) | (y == scale)).all().item<bool>(), true);
}

/// Pairs at any distance at which the generator could have correlated them agree as often as independent ones do.
void TestDropout::elementsAreIndependent() {
    torch::manual_seed(12);
    const std::int64_t n = 1 << 20;
    const auto y = (factors(n, 0.5) != 0).to(torch::kFloat64) * 2 - 1;
    for (const std::int64_t lag : {1, 2, 4, 8, 15, 16, 17, 32, 64, 128, 256, 512, 1024, 8192, 65536}) {
        const double sum = (y.narrow(0, 0, n - lag) * y.narrow(0, lag, n - lag)).sum().item<double>();
        QVERIFY2(std::abs(sum) < 5 * std::sqrt(static_cast<double>(n - lag)), qPrintable(QString::number(lag)));
    }
    // no position within a chunk is favored either
    const auto perPosition = y.view({-1, kDropoutChunk}).sum(0).abs().max().item<double>();
    QVERIFY(perPosition < 6 * std::sqrt(static_cast<double>(n / kDropoutChunk)));
}

void TestDropout::callsDiffer() {
    torch::manual_seed(13);
    const auto a = factors(10'000, 0.5), b = factors(10'000, 0.5);
    const auto equal = (a == b).sum().item<std::int64_t>();
    QVERIFY(std::abs(static_cast<double>(equal) - 5000) < 5 * 50);
}

void TestDropout::generatorStateRestoresMasks() {
    torch::manual_seed(14);
    auto generator = at::detail::getDefaultCPUGenerator();
    const auto state = generator.get_state();
    const auto a = factors(5000, 0.3), b = factors(5000, 0.3);
    generator.set_state(state);
    QVERIFY(torch::equal(a, factors(5000, 0.3)));
    QVERIFY(torch::equal(b, factors(5000, 0.3)));
    torch::manual_seed(14);
    QVERIFY(torch::equal(a, factors(5000, 0.3)));
}

void TestDropout::threadsDoNotMatter() {
    const int before = at::get_num_threads();
    std::vector<torch::Tensor> results;
    for (const int threads : {1, 2, 3}) {
        at::set_num_threads(threads);
        torch::manual_seed(15);
        results.push_back(factors(700'001, 0.2));
    }
    at::set_num_threads(before);
    QVERIFY(torch::equal(results[0], results[1]) && torch::equal(results[0], results[2]));
}

void TestDropout::gradients_data() {
    QTest::addColumn<int>("rows");
    QTest::addColumn<int>("columns");
    QTest::newRow("less than a chunk") << 3 << 7;
    QTest::newRow("a chunk") << 4 << 128;
    QTest::newRow("many and a rest") << 77 << 176;
}

/// Value and gradient, compared with torch's operations with the mask that the same seed gives.
void TestDropout::gradients() {
    QFETCH(int, rows);
    QFETCH(int, columns);
    const double p = 0.25;
    torch::manual_seed(16);
    const auto x = torch::randn({rows, columns}).requires_grad_(), r = torch::randn({rows, columns}).requires_grad_();
    const auto weight = torch::randn({rows, columns});
    const auto seeded = [&](auto&& f) {
        torch::manual_seed(17);
        return f();
    };
    const auto mask = seeded([&] { return dropped(torch::ones({rows, columns}), p); });
    const auto compare = [&](const torch::Tensor& ours, const torch::Tensor& plain) {
        if (!same(ours, plain))
            return false;
        const auto a = torch::autograd::grad({(ours * weight).sum()}, {x, r}, {}, {}, false, true);
        const auto b = torch::autograd::grad({(plain * weight).sum()}, {x, r}, {}, {}, false, true);
        for (std::size_t i = 0; i < a.size(); ++i)
            if (a[i].defined() != b[i].defined() || (a[i].defined() && !same(a[i], b[i])))
                return false;
        return true;
    };
    QVERIFY(compare(seeded([&] { return dropped(x, p); }), x * mask));
    QVERIFY(compare(seeded([&] { return addDropped(r, x, p, 0.5); }), r + 0.5 * (x * mask)));
    QVERIFY(compare(seeded([&] { return siluDropped(x, p); }), torch::silu(x) * mask));
}

/// With p = 0, the values are torch's, even for extreme inputs, and no random number is drawn.
void TestDropout::withoutDropout() {
    torch::manual_seed(18);
    const auto before = at::detail::getDefaultCPUGenerator().get_state();
    const auto x =
        torch::tensor({-1e30f, -200.0f, -88.0f, -20.0f, -1.0f, 0.0f, 1.0f, 20.0f, 90.0f, 1e30f}).requires_grad_();
    const auto ours = siluDropped(x, 0), plain = torch::silu(x);
    QVERIFY(same(ours, plain));
    const auto a = torch::autograd::grad({ours.sum()}, {x}), b = torch::autograd::grad({plain.sum()}, {x});
    QVERIFY(same(a[0], b[0]));
    QVERIFY(siluDropped(torch::tensor({NAN}), 0).isnan().item<bool>());
    QVERIFY(torch::equal(dropped(x, 0), x));
    QVERIFY(same(addDropped(x, x, 0, 0.5), x * 1.5));
    QVERIFY(torch::equal(before, at::detail::getDefaultCPUGenerator().get_state()));
}

void TestDropout::otherTypes() {
    torch::manual_seed(19);
    const auto x = torch::ones({1000}, torch::kFloat64);
    for (const auto& y : {dropped(x, 0.5), siluDropped(x, 0.5), addDropped(torch::zeros_like(x), x, 0.5, 1.0)}) {
        QVERIFY(y.scalar_type() == torch::kFloat64);
        const auto zeros = (y == 0).sum().item<std::int64_t>();
        QVERIFY(zeros > 350 && zeros < 650);
    }
}

void TestDropout::refused() {
    QVERIFY_EXCEPTION_THROWN(drawDropout(1.0), c10::Error);
    QVERIFY_EXCEPTION_THROWN(drawDropout(-0.1), c10::Error);
}

RANKSCOPE_TEST(TestDropout)
#include "tst_dropout.moc"
