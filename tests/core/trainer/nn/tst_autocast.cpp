// SPDX-License-Identifier: Apache-2.0
// The model under autocast, compared with NeMo under torch.autocast("cpu", bfloat16); and what must stay float32.
#include "core/trainer/autocast.h"
#include "core/trainer/nn/batch_norm.h"
#include "core/trainer/nn/cpu_kernels/depthwise_conv_kernels.h"
#include "core/trainer/nn/cpu_kernels/dropout_kernels.h"
#include "core/trainer/nn/relative_attention.h"
#include "core/trainer/nn/subsampling.h"
#include "core/trainer/ssl/nest_model.h"
#include "tests/core/trainer/reference_configs.h"
#include "tests/support/test_runner.h"

#include <QTest>

using namespace rankscope;
using namespace rankscope::trainer;

namespace {

SafeTensors read(const std::string& name) {
    auto file = readSafetensors(referencePath(name));
    if (!file)
        throw std::runtime_error(file.error().message());
    return std::move(*file);
}

struct Step {
    double loss = 0;
    NestOutput output;
    std::vector<std::pair<std::string, torch::Tensor>> gradients;
};

/// Runs the first step of a reference.
Step stepOf(NestModel& model, const SafeTensors& reference, std::uint64_t seed, at::ScalarType dtype) {
    Step step;
    model->zero_grad();
    torch::manual_seed(seed);
    ForwardHooks hooks;
    torch::Tensor loss;
    {
        const AutocastScope autocast(at::kCPU, dtype);
        step.output = model->forward({reference.find("in.audio"), reference.find("in.audio_len"),
                                      reference.find("in.noisy_audio"), reference.find("in.noisy_audio_len")},
                                     true, hooks);
        loss = model->loss(step.output);
    }
    loss.backward();
    step.loss = loss.item<double>();
    for (const auto& [name, parameter] : model->trainable())
        step.gradients.emplace_back(name, parameter.grad());
    return step;
}

/// Returns the norm of the difference divided by the norm of `expected`.
double apart(const torch::Tensor& actual, const torch::Tensor& expected) {
    const auto want = expected.to(torch::kFloat64);
    return (actual.detach().to(torch::kFloat64) - want).norm().item<double>() / want.norm().item<double>();
}

bool isFloat(const torch::Tensor& tensor) {
    return tensor.scalar_type() == torch::kFloat32;
}

} // namespace

class TestAutocast : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void asNeMo_data();
    void asNeMo();
    void frontEndStaysFloat32();
    void depthwiseConvolution();
    void subsampling();
    void batchNorm();
    void attention_data();
    void attention();
};

void TestAutocast::asNeMo_data() {
    QTest::addColumn<QString>("variant");
    QTest::newRow("batch norm") << "pre_conv";
    QTest::newRow("layer norm") << "layer_norm";
}

void TestAutocast::asNeMo() {
    QFETCH(QString, variant);
    const std::string name = variant.toStdString();
    const SafeTensors reference = read(name + ".safetensors"), nemo = read(name + ".autocast.safetensors");
    const std::uint64_t seed = std::stoull(nemo.metadata.at("seed"));
    NestModel model(referenceConfig(name));
    model->loadStateDict(reference.under("state."));
    model->train();
    const Step full = stepOf(model, reference, seed, torch::kFloat32);
    model->loadStateDict(reference.under("state.")); // the first step changed the running statistics
    const Step mixed = stepOf(model, reference, seed, torch::kBFloat16);

    QVERIFY(torch::equal(mixed.output.tokens, nemo.find("out.tokens")));
    const double loss = std::stod(nemo.metadata.at("loss"));
    QVERIFY2(std::abs(mixed.loss - loss) < 0.01, qPrintable(QString("%1, NeMo %2").arg(mixed.loss).arg(loss)));
    QVERIFY(mixed.loss != full.loss); // products were rounded
    QVERIFY(isFloat(mixed.output.logProbs));
    const auto logProbs = nemo.find("out.log_probs");
    QVERIFY((mixed.output.logProbs.detach() - logProbs.view_as(mixed.output.logProbs)).abs().max().item<double>() <
            0.1);

    std::vector<torch::Tensor> ours, theirs, exact;
    for (std::size_t i = 0; i < mixed.gradients.size(); ++i) {
        const auto& [parameter, gradient] = mixed.gradients[i];
        QVERIFY2(gradient.defined() && isFloat(gradient), parameter.c_str());
        const auto want = nemo.find("grad." + parameter);
        QVERIFY2(want.defined(), parameter.c_str());
        ours.push_back(gradient.flatten());
        theirs.push_back(want.to(torch::kFloat32).flatten());
        exact.push_back(full.gradients[i].second.flatten());
    }
    for (const auto& [parameter, tensor] : model->trainable())
        QVERIFY2(isFloat(tensor), parameter.c_str());
    // NeMo's own gradients differ from float32 by 0.008 (layer norm) and 0.028 (batch norm)
    const double nemoApart = apart(torch::cat(ours), torch::cat(theirs)),
                 fullApart = apart(torch::cat(ours), torch::cat(exact));
    qInfo("loss %.5f (NeMo %.5f, float32 %.5f), gradients %.4f from NeMo's, %.4f from float32", mixed.loss, loss,
          full.loss, nemoApart, fullApart);
    QVERIFY(nemoApart < 0.05);
    QVERIFY(fullApart < 0.05 && fullApart > 1e-4);
}

void TestAutocast::frontEndStaysFloat32() {
    const SafeTensors reference = read("pre_conv.safetensors");
    NestModel model(referenceConfig("pre_conv"));
    const auto mel = model->preprocess(reference.find("in.audio"), reference.find("in.audio_len")).first;
    const AutocastScope autocast(at::kCPU, torch::kBFloat16);
    const auto under = model->preprocess(reference.find("in.audio"), reference.find("in.audio_len")).first;
    QVERIFY(torch::equal(under, mel));
    QVERIFY(torch::matmul(torch::ones({2, 2}), torch::ones({2, 2})).scalar_type() == torch::kBFloat16); // still on
}

void TestAutocast::depthwiseConvolution() {
    torch::manual_seed(1);
    auto x = torch::randn({2, 20, 8}).to(torch::kBFloat16).requires_grad_(true);
    auto same = x.detach().to(torch::kFloat32).requires_grad_(true);
    auto weight = torch::randn({8, 1, 5}).requires_grad_(true), bias = torch::randn({8}).requires_grad_(true);
    const std::vector<std::int64_t> lengths{20, 13};
    const AutocastScope autocast(at::kCPU, torch::kBFloat16);
    const auto y = depthwiseConv(x, weight, bias, 2, 2, lengths);
    QVERIFY(isFloat(y));
    QVERIFY(torch::equal(y, depthwiseConv(same, weight, bias, 2, 2, lengths)));
    y.square().sum().backward();
    QVERIFY(x.grad().scalar_type() == torch::kBFloat16);
    QVERIFY(isFloat(weight.grad()) && isFloat(bias.grad()));
    const auto dWeight = weight.grad().clone();
    weight.mutable_grad().zero_();
    depthwiseConv(same, weight, bias, 2, 2, lengths).square().sum().backward();
    QVERIFY(torch::equal(weight.grad(), dWeight));
    QVERIFY(torch::equal(x.grad(), same.grad().to(torch::kBFloat16)));
}

void TestAutocast::subsampling() {
    torch::manual_seed(2);
    for (const int factor : {4, 8}) {
        auto config = referenceConfig("pre_conv").encoder;
        config.subsamplingFactor = factor;
        ConvSubsampling net(config);
        const auto x = torch::randn({2, 64, 80});
        const std::vector<std::int64_t> lengths{64, 41};
        const auto full = net(x, lengths).first;
        full.square().sum().backward();
        std::vector<torch::Tensor> gradients;
        for (auto& parameter : net->parameters()) {
            gradients.push_back(parameter.grad().clone());
            parameter.mutable_grad().zero_();
        }
        const AutocastScope autocast(at::kCPU, torch::kBFloat16);
        const auto mixed = net(x, lengths).first;
        QVERIFY(mixed.scalar_type() == torch::kBFloat16); // the linear layer's result
        QVERIFY(apart(mixed, full) < 0.02);
        mixed.to(torch::kFloat32).square().sum().backward();
        std::size_t i = 0;
        double worst = 0;
        for (const auto& item : net->named_parameters()) {
            QVERIFY(isFloat(item.value().grad()));
            const double distance = apart(item.value().grad(), gradients[i++]);
            worst = std::max(worst, distance);
            QVERIFY2(distance < 0.15, qPrintable(QString("%1: %2").arg(item.key().c_str()).arg(distance)));
        }
        qInfo("factor %d: gradients at most %.3f from float32", factor, worst);
    }
}

void TestAutocast::batchNorm() {
    torch::manual_seed(3);
    BatchNorm norm(6), same(6);
    const auto x = torch::randn({2, 10, 6}).to(torch::kBFloat16);
    for (const bool training : {true, false}) {
        norm->train(training);
        same->train(training);
        const AutocastScope autocast(at::kCPU, torch::kBFloat16);
        const auto y = norm(x);
        QVERIFY(isFloat(y));
        QVERIFY(torch::equal(y, same(x.to(torch::kFloat32))));
    }
    QVERIFY(isFloat(norm->runningMean) && torch::equal(norm->runningVar, same->runningVar));
}

void TestAutocast::attention_data() {
    QTest::addColumn<double>("dropout");
    QTest::newRow("no dropout") << 0.0;
    QTest::newRow("dropout") << 0.3; // the same bits as in float32
}

void TestAutocast::attention() {
    QFETCH(double, dropout);
    torch::manual_seed(4);
    const std::int64_t frames = 24, width = 32, heads = 4;
    const AttentionSpan span{{24, 15}, {6, 6}, 0};
    const auto biasU = torch::randn({heads, width / heads}), biasV = torch::randn({heads, width / heads});
    std::vector<torch::Tensor> inputs;
    for (int i = 0; i < 3; ++i)
        inputs.push_back(torch::randn({2, frames, width}).to(torch::kBFloat16).to(torch::kFloat32));
    inputs.push_back(torch::randn({2 * frames - 1, width}).to(torch::kBFloat16).to(torch::kFloat32));
    const auto run = [&](at::ScalarType dtype) {
        std::vector<torch::Tensor> leaves;
        for (const auto& input : inputs)
            leaves.push_back(input.to(dtype).detach().requires_grad_(true));
        leaves.push_back(biasU.clone().requires_grad_(true));
        leaves.push_back(biasV.clone().requires_grad_(true));
        const TorchDropout asTorch; // otherwise float32 draws fewer random numbers
        torch::manual_seed(9);
        const AutocastScope autocast(at::kCPU, dtype);
        const auto y =
            relativeAttention(leaves[0], leaves[1], leaves[2], leaves[3], leaves[4], leaves[5], span, dropout);
        y.to(torch::kFloat32).square().sum().backward();
        std::vector<torch::Tensor> out{y};
        for (const auto& leaf : leaves)
            out.push_back(leaf.grad());
        return out;
    };
    const auto full = run(torch::kFloat32), mixed = run(torch::kBFloat16);
    for (std::size_t i = 0; i < full.size(); ++i) {
        QCOMPARE(mixed[i].scalar_type(), i >= 5 ? torch::kFloat32 : torch::kBFloat16);
        const double distance = apart(mixed[i], full[i]);
        QVERIFY2(distance < 0.03, qPrintable(QString("tensor %1: %2").arg(i).arg(distance)));
    }
}

RANKSCOPE_CORE_TEST(TestAutocast)
#include "tst_autocast.moc"
