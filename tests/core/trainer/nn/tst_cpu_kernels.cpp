// SPDX-License-Identifier: Apache-2.0
// The hand-written kernels compared with the same mathematics in plain ATen operations.
#include "core/trainer/features/mel_features.h"
#include "core/trainer/features/mel_kernels.h"
#include "core/trainer/nn/cpu_kernels/depthwise_conv_kernels.h"
#include "core/trainer/nn/relative_attention.h"
#include "core/trainer/nn/subsampling.h"
#include "core/trainer/ssl/quantizer.h"
#include "tests/support/test_runner.h"

#include <torch/autograd.h>

#include <QTest>

#include <cmath>

using namespace rankscope;
using namespace rankscope::trainer;

class TestNnKernels : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void depthwiseConvolution_data();
    void depthwiseConvolution();
    void attention_data();
    void attention();
    void subsampling_data();
    void subsampling();
    void subsamplingPassesNan();
    void normalisation();
    void filterbank();
    void nearestCode();
};

namespace {

bool near(const torch::Tensor& a, const torch::Tensor& b, double tolerance = 1e-5) {
    return a.sizes() == b.sizes() && torch::allclose(a, b, tolerance, tolerance);
}

torch::Tensor leaf(std::vector<std::int64_t> shape) {
    return torch::randn(shape).requires_grad_();
}

/// Returns the gradients of sum(y * weights) with respect to the leaves, with fixed weights.
std::vector<torch::Tensor> gradients(const torch::Tensor& y, const std::vector<torch::Tensor>& leaves) {
    torch::manual_seed(99);
    return torch::autograd::grad({(y * torch::randn(y.sizes())).sum()}, leaves);
}

/// Computes NeMo's attention as its Python code does: pad, reshape and drop for the shift, and masks instead of
/// intervals.
torch::Tensor plainAttention(const std::vector<torch::Tensor>& in, const AttentionSpan& span, std::int64_t heads) {
    const auto b = in[0].size(0), t = in[0].size(1), d = in[0].size(2) / heads;
    const auto split = [&](const torch::Tensor& x) { return x.view({b, t, heads, d}); };
    const auto q = split(in[0]), k = split(in[1]).transpose(1, 2), v = split(in[2]).transpose(1, 2);
    const auto p = in[3].view({1, 2 * t - 1, heads, d}).transpose(1, 2);
    const auto ac = torch::matmul((q + in[4]).transpose(1, 2), k.transpose(-2, -1));
    auto bd = torch::matmul((q + in[5]).transpose(1, 2), p.transpose(-2, -1));
    bd = torch::constant_pad_nd(bd, {1, 0})
             .view({b, heads, 2 * t, t})
             .narrow(2, 1, 2 * t - 1)
             .reshape({b, heads, t, 2 * t - 1});
    auto hidden = torch::ones({b, 1, t, t}, torch::kBool);
    for (std::int64_t n = 0; n < b; ++n)
        for (std::int64_t i = 0; i < span.lengths[static_cast<std::size_t>(n)]; ++i)
            for (std::int64_t j = 0; j < span.lengths[static_cast<std::size_t>(n)]; ++j) {
                bool seen = true;
                if (span.chunk > 0) {
                    const auto diff = i / span.chunk - j / span.chunk;
                    seen = diff >= 0 && diff <= (span.context[0] >= 0 ? span.context[0] / span.chunk : 10000);
                } else {
                    seen = (span.context[0] < 0 || j >= i - span.context[0]) &&
                           (span.context[1] < 0 || j <= i + span.context[1]);
                }
                hidden[n][0][i][j] = !seen;
            }
    const auto scores = ((ac + bd.narrow(3, 0, t)) / std::sqrt(static_cast<double>(d))).masked_fill(hidden, -10000.0);
    const auto weights = torch::softmax(scores, -1).masked_fill(hidden, 0.0);
    return torch::matmul(weights, v).transpose(1, 2).reshape({b, t, heads * d});
}

} // namespace

void TestNnKernels::depthwiseConvolution_data() {
    QTest::addColumn<int>("channels");
    QTest::addColumn<int>("left");
    QTest::addColumn<int>("right");
    QTest::newRow("symmetric") << 32 << 4 << 4;
    QTest::newRow("causal, odd width") << 13 << 6 << 0;
    QTest::newRow("longer than the input") << 8 << 15 << 15;
}

void TestNnKernels::depthwiseConvolution() {
    QFETCH(int, channels);
    QFETCH(int, left);
    QFETCH(int, right);
    torch::manual_seed(3);
    const std::vector<std::int64_t> lengths{11, 7, 0};
    const auto x = leaf({3, 11, channels}), w = leaf({channels, 1, left + right + 1}), b = leaf({channels});
    const auto y = depthwiseConv(x, w, b, left, right, lengths);
    const auto masked = x.masked_fill(paddedFrames(lengths, 11, x.device()).unsqueeze(-1), 0).transpose(1, 2);
    const std::int64_t none = 0;
    const auto plain =
        torch::conv1d(torch::constant_pad_nd(masked, {left, right}), w, b, 1, none, 1, channels).transpose(1, 2);
    QVERIFY(near(y, plain));
    const auto ours = gradients(y, {x, w, b}), theirs = gradients(plain, {x, w, b});
    for (std::size_t i = 0; i < ours.size(); ++i)
        QVERIFY(near(ours[i], theirs[i], 1e-4));
    QVERIFY(near(depthwiseConv(x, w, {}, left, right, lengths), plain - b));
}

void TestNnKernels::attention_data() {
    QTest::addColumn<int>("left");
    QTest::addColumn<int>("right");
    QTest::addColumn<int>("chunk");
    QTest::newRow("everything") << -1 << -1 << 0;
    QTest::newRow("sliding") << 3 << 2 << 0;
    QTest::newRow("only the past") << -1 << 0 << 0;
    QTest::newRow("chunks") << 4 << 1 << 2;
}

void TestNnKernels::attention() {
    QFETCH(int, left);
    QFETCH(int, right);
    QFETCH(int, chunk);
    torch::manual_seed(4);
    const std::int64_t batch = 3, time = 9, heads = 2, width = 6;
    const std::vector<torch::Tensor> in{leaf({batch, time, heads * width}),
                                        leaf({batch, time, heads * width}),
                                        leaf({batch, time, heads * width}),
                                        leaf({2 * time - 1, heads * width}),
                                        leaf({heads, width}),
                                        leaf({heads, width})};
    const AttentionSpan span{{9, 5, 1}, {left, right}, chunk};
    const auto y = relativeAttention(in[0], in[1], in[2], in[3], in[4], in[5], span, 0);
    const auto plain = plainAttention(in, span, heads);
    QVERIFY(near(y, plain));
    const auto ours = gradients(y, in), theirs = gradients(plain, in);
    for (std::size_t i = 0; i < ours.size(); ++i)
        QVERIFY(near(ours[i], theirs[i], 1e-4));
}

void TestNnKernels::subsampling_data() {
    QTest::addColumn<QString>("kind");
    QTest::addColumn<bool>("causal");
    QTest::addColumn<bool>("trainedInput");
    QTest::newRow("dw_striding") << "dw_striding" << false << false;
    QTest::newRow("dw_striding, input with gradient") << "dw_striding" << false << true;
    QTest::newRow("dw_striding, causal") << "dw_striding" << true << true;
    QTest::newRow("striding") << "striding" << false << true;
}

/// NaN must reach the loss, or it goes unnoticed: once with the kernels, once with ATen.
void TestNnKernels::subsamplingPassesNan() {
    torch::manual_seed(5);
    config::EncoderConfig c;
    c.featIn = 20;
    c.dModel = 6;
    c.subsampling = "dw_striding";
    c.subsamplingFactor = 8;
    c.subsamplingConvChannels = 5;
    ConvSubsampling module(c);
    auto x = torch::randn({2, 37, 20});
    x[0][17][3] = std::nan("");
    const std::vector<std::int64_t> lengths{37, 37};
    std::vector<torch::Tensor> leaves;
    for (const auto& item : module->named_parameters())
        leaves.push_back(item.value());
    const auto kernels = module(x, lengths).first, plain = module(x.clone().requires_grad_(), lengths).first;
    QVERIFY(torch::isnan(kernels[0]).any().item<bool>());
    QVERIFY(torch::isfinite(kernels[1]).all().item<bool>());
    QVERIFY(torch::isnan(kernels).equal(torch::isnan(plain)));
    const auto ours = gradients(kernels, leaves), theirs = gradients(plain, leaves);
    for (std::size_t i = 0; i < ours.size(); ++i)
        QVERIFY2(torch::isnan(ours[i]).any().item<bool>() == torch::isnan(theirs[i]).any().item<bool>(),
                 qPrintable(QString::number(i)));
}

/// Compares with each layer applied separately and masked before and after, as NeMo's MaskedConvSequential does.
void TestNnKernels::subsampling() {
    QFETCH(QString, kind);
    QFETCH(bool, causal);
    QFETCH(bool, trainedInput);
    torch::manual_seed(5);
    config::EncoderConfig c;
    c.featIn = 20;
    c.dModel = 6;
    c.subsampling = kind.toStdString();
    c.subsamplingFactor = 8;
    c.subsamplingConvChannels = 5;
    c.causalDownsampling = causal;
    ConvSubsampling module(c);
    std::map<std::string, torch::Tensor> w;
    for (const auto& item : module->named_parameters())
        w[item.key()] = item.value();

    std::vector<std::int64_t> lengths{37, 20, 5};
    const auto x = torch::randn({3, 37, 20}).set_requires_grad(trainedInput);
    const auto [y, outLengths] = module(x, lengths);
    auto plain = x.unsqueeze(1);
    const auto masked = [&](const torch::Tensor& v) {
        return v.masked_fill(paddedFrames(lengths, v.size(2), v.device()).view({3, 1, v.size(2), 1}), 0);
    };
    const auto conv = [&](const torch::Tensor& v, int index, std::int64_t stride, std::int64_t groups) {
        const std::string name = "conv." + std::to_string(index);
        const std::vector<std::int64_t> around =
            causal ? std::vector<std::int64_t>{2, 1, 2, 1} : std::vector<std::int64_t>{1, 1, 1, 1};
        const auto in = stride == 1 ? v : torch::constant_pad_nd(v, around);
        const std::vector<std::int64_t> strides{stride, stride}, none{0, 0}, one{1, 1};
        return torch::conv2d(in, w.at(name + ".weight"), w.at(name + ".bias"), strides, none, one, groups);
    };
    const bool depthwise = kind == "dw_striding";
    int index = 0;
    for (int stage = 0; stage < 3; ++stage) {
        plain = conv(masked(plain), index++, 2, depthwise && stage > 0 ? 5 : 1);
        for (auto& n : lengths)
            n = (n + (causal ? 3 : 2) - 3) / 2 + 1;
        if (depthwise && stage > 0)
            plain = conv(masked(plain), index++, 1, 1);
        plain = torch::relu(masked(plain));
        ++index;
    }
    plain = torch::linear(masked(plain).transpose(1, 2).flatten(2), w.at("out.weight"), w.at("out.bias"));
    QVERIFY(outLengths == lengths);
    QVERIFY(near(y, plain));
    std::vector<torch::Tensor> leaves;
    if (trainedInput)
        leaves.push_back(x);
    for (const auto& item : w)
        leaves.push_back(item.second);
    const auto ours = gradients(y, leaves), theirs = gradients(plain, leaves);
    for (std::size_t i = 0; i < ours.size(); ++i)
        QVERIFY(near(ours[i], theirs[i], 1e-4));
}

void TestNnKernels::normalisation() {
    torch::manual_seed(6);
    const auto mel = torch::randn({3, 12, 4}) * 3 - 8;
    const auto len = torch::tensor({12, 5, 1}, torch::kInt64);
    for (const auto kind : {MelNormalisation::None, MelNormalisation::PerFeature, MelNormalisation::AllFeatures}) {
        const auto ours = normalisedCpu(mel, len, kind, 16, 0.25), any = normalisedAny(mel, len, kind, 16, 0.25);
        QVERIFY(near(ours, any, 1e-4));
        QVERIFY(ours.narrow(2, 12, 4).eq(0.25).all().item<bool>());
        QVERIFY(ours[1].narrow(1, 5, 7).eq(0.25).all().item<bool>());
    }
    const auto first = normalisedCpu(mel, len, MelNormalisation::PerFeature, 16, 0)[0].narrow(1, 0, 12);
    QVERIFY(near(first.mean(1), torch::zeros({4})));
    QVERIFY(near(first.std(1), torch::ones({4}), 1e-4));
}

void TestNnKernels::filterbank() {
    const auto fb = melFilterbank({16000, 512, 80});
    QVERIFY(fb.sizes() == (std::vector<std::int64_t>{1, 80, 257}));
    QVERIFY(fb.ge(0).all().item<bool>());
    // unit area: the sum over bins times their width is 1, except for the sampling of narrow triangles
    const auto area = fb[0].sum(1) * (16000.0 / 512);
    QVERIFY(near(area.narrow(0, 40, 40), torch::ones({40}), 2e-2));
    const auto peaks = fb[0].argmax(1);
    QVERIFY(peaks.narrow(0, 1, 79).ge(peaks.narrow(0, 0, 79)).all().item<bool>());
}

void TestNnKernels::nearestCode() {
    torch::manual_seed(8);
    auto codes = torch::randn({300, 7}, torch::kFloat64);
    codes = codes / codes.norm(2, {1}, true);
    codes[200] = codes[17]; // a tie: the first one wins
    auto x = torch::randn({150, 7});
    x[3] = codes[17].to(torch::kFloat32);
    x[4].zero_();
    const auto apart = (x.unsqueeze(1).to(torch::kFloat64) - codes.unsqueeze(0)).norm(2, -1);
    const auto l2 = nearestCodes(x, codes, true);
    const auto notZero = torch::arange(150).ne(4);
    QVERIFY(torch::equal(l2.masked_select(notZero), apart.argmin(1).masked_select(notZero)));
    QCOMPARE(l2[3].item<std::int64_t>(), std::int64_t(17));
    const auto cosine = nearestCodes(x, codes * 3, false);
    QVERIFY(torch::equal(cosine, torch::matmul(x.to(torch::kFloat64), codes.t()).argmax(1)));
}

RANKSCOPE_CORE_TEST(TestNnKernels)
#include "tst_cpu_kernels.moc"
