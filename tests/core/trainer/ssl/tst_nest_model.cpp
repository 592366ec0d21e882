// SPDX-License-Identifier: Apache-2.0
#include "core/trainer/checkpoint/train_state.h"
#include "core/trainer/ssl/nest_model.h"
#include "core/trainer/ssl/softmax_decoder.h"
#include "tests/core/trainer/reference_configs.h"
#include "tests/support/test_runner.h"

#include <QTest>

#include <cmath>

using namespace rankscope;
using namespace rankscope::trainer;
using telemetry::ForwardSite;
using telemetry::Phase;

class TestNestModel : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void unsupportedValuesAreNamed_data();
    void unsupportedValuesAreNamed();
    void decoderBeginsAsAsked_data();
    void decoderBeginsAsAsked();
    void stateGoesThroughByName();
    void strictLoading();
    void sharedWeightsTrainOnce();
    void masksFollowTheSeed();
    void decodingOnlyMaskedFramesChangesNothing();
    void nothingMaskedGivesNaN();
    void hooksSeeEveryPlace();
    void backwardIsPlacedWhereItIs();
    void syncedLengthOnlyGrowsTheTable();
    void dropoutAndDitherOnlyInTraining();
    void stochasticDepthTrains();
    void valuesWithoutEffectAreNoted();
};

namespace {

struct Recorder : ForwardHooks {
    bool followsBackward() const override { return backward; }
    void beforeEncoder(const torch::Tensor& mel, const std::vector<std::int64_t>& l) override {
        input = mel.sizes().vec();
        lengths = l;
    }
    void phase(Phase p) override { phases.push_back(p); }
    void place(ForwardSite p, int layer) override { places.emplace_back(p, layer); }
    void inputShape(std::int64_t b, std::int64_t f, std::int64_t t) override { shape = {b, f, t}; }
    std::int64_t syncMaxAudioLength(std::int64_t local) override {
        ++syncs;
        return std::max(local, remote);
    }

    std::vector<Phase> phases;
    std::vector<std::pair<ForwardSite, int>> places;
    std::vector<std::int64_t> shape;
    std::vector<std::int64_t> input, lengths;
    std::int64_t remote = 0;
    int syncs = 0;
    bool backward = false;
};

NestInput input(int batch = 2, int samples = 24000) {
    torch::manual_seed(11);
    NestInput in;
    in.audio = torch::randn({batch, samples}) * 0.1;
    in.noisy = in.audio + torch::randn({batch, samples}) * 0.02;
    in.audioLen = torch::full({batch}, samples, torch::kInt64);
    in.audioLen[0] = samples * 2 / 3;
    in.noisyLen = in.audioLen.clone();
    return in;
}

NestModel model(const config::ModelConfig& c) {
    torch::manual_seed(5);
    return NestModel(c);
}

std::vector<torch::Tensor> gradientsOf(NestModel& m, const NestInput& in) {
    ForwardHooks hooks;
    torch::manual_seed(6);
    for (auto& item : m->trainable())
        item.second.mutable_grad() = torch::Tensor();
    m->loss(m->forward(in, true, hooks)).backward();
    std::vector<torch::Tensor> out;
    for (const auto& item : m->trainable())
        out.push_back(item.second.grad());
    return out;
}

} // namespace

/// Expected is the largest weight for the uniform modes and the standard deviation for the normal ones, with `in` and
/// `out` channels.
void TestNestModel::decoderBeginsAsAsked_data() {
    QTest::addColumn<QString>("mode");
    QTest::addColumn<bool>("uniform");
    QTest::addColumn<double>("expected");
    const double in = 512, out = 300;
    QTest::newRow("xavier_uniform") << "xavier_uniform" << true << std::sqrt(6 / (in + out));
    QTest::newRow("xavier_normal") << "xavier_normal" << false << std::sqrt(2 / (in + out));
    QTest::newRow("kaiming_uniform") << "kaiming_uniform" << true << std::sqrt(6 / in);
    QTest::newRow("kaiming_normal") << "kaiming_normal" << false << std::sqrt(2 / in);
    QTest::newRow("tds_uniform") << "tds_uniform" << true << 2 / std::sqrt(in);
    QTest::newRow("tds_normal") << "tds_normal" << false << 2 / std::sqrt(in);
    QTest::newRow("null") << "null" << true << 1 / std::sqrt(in);
}

void TestNestModel::decoderBeginsAsAsked() {
    QFETCH(QString, mode);
    QFETCH(bool, uniform);
    QFETCH(double, expected);
    config::DecoderConfig c;
    c.featIn = 512;
    c.numClasses = 300;
    c.initMode = mode.toStdString();
    torch::manual_seed(1);
    SoftmaxDecoderImpl decoder(c);
    const torch::Tensor weight = decoder.parameters().front().detach();
    const double found = uniform ? weight.abs().max().item<double>() : weight.std().item<double>();
    QVERIFY2(std::abs(found / expected - 1) < 0.01, std::to_string(found / expected).c_str());
    QVERIFY(weight.mean().abs().item<double>() < 0.01 * expected);
}

void TestNestModel::unsupportedValuesAreNamed_data() {
    QTest::addColumn<QString>("named");
    QTest::addColumn<int>("change");
    int i = 0;
    for (const char* key : {"encoder.self_attention_model: full",
                            "encoder.subsampling: vggnet",
                            "encoder.subsampling_factor: 6",
                            "encoder.conv_norm_type: group_norm",
                            "encoder.n_heads: 5",
                            "decoder.init_mode: tds_cubic",
                            "preprocessor.window: ones",
                            "preprocessor.normalize: fixed",
                            "quantizer.dist_fn: l1",
                            "preprocessor.pad_to: 0",
                            "decoder.num_classes: 63",
                            "mask_position: none",
                            "quantizer.time_ahead: true",
                            "encoder.subsampling_conv_chunking_factor: -1",
                            "masking.feat_in: 81",
                            "encoder.dropout: 1",
                            "encoder.conv_norm_type: group_norm5",
                            "encoder.causal_downsampling: true",
                            "encoder.reduction_position: 2",
                            "encoder.att_context_size: [3, 2]",
                            "preprocessor.window_size: 0.025"})
        QTest::newRow(key) << QString(key) << i++;
}

void TestNestModel::unsupportedValuesAreNamed() {
    QFETCH(QString, named);
    QFETCH(int, change);
    config::ModelConfig c = referenceConfig("pre_conv");
    const std::function<void()> changes[] = {
        [&] { c.encoder.selfAttentionModel = "full"; },
        [&] { c.encoder.subsampling = "vggnet"; },
        [&] { c.encoder.subsamplingFactor = 6; },
        [&] { c.encoder.convNormType = "group_norm"; },
        [&] { c.encoder.nHeads = 5; },
        [&] { c.decoder.initMode = "tds_cubic"; },
        [&] { c.preprocessor.window = "ones"; },
        [&] { c.preprocessor.normalize = "fixed"; },
        [&] { c.quantizer.distFn = "l1"; },
        [&] { c.preprocessor.padTo = 0; },
        [&] { c.decoder.numClasses = 63; },
        [&] { c.maskPosition = "none"; },
        [&] { c.quantizer.timeAhead = true; },
        [&] { c.encoder.subsamplingConvChunkingFactor = -1; },
        [&] { c.masking.featIn = 81; },
        [&] { c.encoder.dropout = 1; },
        [&] { c.encoder.convNormType = "group_norm5"; },
        [&] { c.encoder.causalDownsampling = true; },
        [&] {
            c.encoder.reduction = "pooling";
            c.encoder.reductionFactor = 2;
            c.encoder.reductionPosition = 2;
        },
        [&] {
            c.encoder.selfAttentionModel = "rel_pos_local_attn";
            c.encoder.attContextSize = {3, 2};
        },
        [&] { c.preprocessor.windowSamples = 400; },
    };
    changes[change]();
    try {
        NestModel m(c);
        QFAIL("the model was built");
    } catch (const std::invalid_argument& e) {
        QVERIFY2(QString(e.what()).startsWith("model." + named), e.what());
    }
}

void TestNestModel::stateGoesThroughByName() {
    NestModel a = model(referenceConfig("pre_conv"));
    NestModel b(referenceConfig("pre_conv"));
    QVERIFY(stateHash(a->stateDict()) != stateHash(b->stateDict()));
    b->loadStateDict(a->stateDict());
    QCOMPARE(stateHash(b->stateDict()), stateHash(a->stateDict()));
    {
        torch::NoGradGuard noGrad;
        b->trainable().back().second.view(-1)[0] += 1e-6;
    }
    QVERIFY(stateHash(a->stateDict()) != stateHash(b->stateDict()));
}

void TestNestModel::strictLoading() {
    NestModel m = model(referenceConfig("pre_conv"));
    const auto before = stateHash(m->stateDict());
    const auto refusal = [&](std::vector<std::pair<std::string, torch::Tensor>> state) {
        try {
            m->loadStateDict(state);
        } catch (const std::invalid_argument& e) {
            return std::string(e.what());
        }
        return std::string("accepted");
    };
    NestModel other(referenceConfig("pre_conv"));
    auto missing = other->stateDict(), extra = other->stateDict(), misshapen = other->stateDict();
    const std::string name = missing[4].first;
    missing.erase(missing.begin() + 4);
    extra.emplace_back("encoder.layers.2.norm_out.weight", torch::ones({32}));
    misshapen.back().second = torch::ones({3, 2});
    QVERIFY(refusal(missing).find(name + " is missing") != std::string::npos);
    QVERIFY(refusal(extra).find("encoder.layers.2.norm_out.weight is not part") != std::string::npos);
    QVERIFY(refusal(misshapen).find(misshapen.back().first + " has shape [3, 2]") != std::string::npos);
    QCOMPARE(stateHash(m->stateDict()), before);
}

void TestNestModel::sharedWeightsTrainOnce() {
    NestModel m = model(referenceConfig("no_bias"));
    int trained = 0, stored = 0;
    for (const auto& item : m->trainable())
        trained += item.first.find("pos_bias_u") != std::string::npos;
    for (const auto& item : m->stateDict())
        stored += item.first.find("pos_bias_u") != std::string::npos;
    QCOMPARE(trained, 1);
    QCOMPARE(stored, 2);
    for (const auto& item : m->trainable()) {
        QVERIFY(item.first.find("quantizer") == std::string::npos);
        QVERIFY(item.first.find("mask_embedding") == std::string::npos);
    }
}

void TestNestModel::masksFollowTheSeed() {
    NestModel m = model(referenceConfig("no_overlap"));
    ForwardHooks hooks;
    const NestInput in = input();
    const auto maskOf = [&](int seed) {
        torch::manual_seed(static_cast<std::uint64_t>(seed));
        return m->forward(in, true, hooks).masks;
    };
    QVERIFY(torch::equal(maskOf(1), maskOf(1)));
    QVERIFY(!torch::equal(maskOf(1), maskOf(2)));
    QCOMPARE(m->forward(in, false, hooks).masks.sum().item<float>(), 0.0f);
}

void TestNestModel::decodingOnlyMaskedFramesChangesNothing() {
    for (const char* variant : {"no_overlap", "squeeze", "two_books_cos"}) {
        NestModel m = model(referenceConfig(variant));
        const NestInput in = input();
        ForwardHooks hooks;
        torch::manual_seed(6);
        std::int64_t counted = 0;
        const auto full = m->loss(m->forward(in, true, hooks), &counted);
        const auto expected = gradientsOf(m, in);
        m->setDecodeMaskedOnly(true);
        torch::manual_seed(6);
        const NestOutput out = m->forward(in, true, hooks);
        QCOMPARE(out.logProbs.size(0), counted);
        QVERIFY(counted > 0);
        QVERIFY(torch::allclose(m->loss(out), full));
        const auto ours = gradientsOf(m, in);
        for (std::size_t i = 0; i < ours.size(); ++i)
            QVERIFY(torch::allclose(ours[i], expected[i], 1e-4, 1e-5));
    }
}

void TestNestModel::nothingMaskedGivesNaN() {
    NestModel m = model(referenceConfig("pre_conv"));
    ForwardHooks hooks;
    std::int64_t counted = -1;
    for (const bool only : {false, true}) {
        m->setDecodeMaskedOnly(only);
        QVERIFY(std::isnan(m->loss(m->forward(input(), false, hooks), &counted).item<float>()));
        QCOMPARE(counted, std::int64_t(0));
    }
}

void TestNestModel::backwardIsPlacedWhereItIs() {
    NestModel m = model(referenceConfig("pre_conv"));
    const NestInput in = input();
    const auto gradientsWith = [&](Recorder& hooks) {
        torch::manual_seed(4);
        m->zero_grad();
        const auto loss = m->loss(m->forward(in, true, hooks));
        hooks.places.clear();
        loss.backward();
        std::vector<torch::Tensor> gradients;
        for (const auto& item : m->trainable())
            gradients.push_back(item.second.grad().clone());
        return gradients;
    };
    Recorder silent, follows;
    follows.backward = true;
    const auto without = gradientsWith(silent), with = gradientsWith(follows);
    QVERIFY(silent.places.empty());
    QVERIFY(follows.places == (std::vector<std::pair<ForwardSite, int>>{{ForwardSite::Decoder, -1},
                                                                        {ForwardSite::Layer, 1},
                                                                        {ForwardSite::Layer, 0},
                                                                        {ForwardSite::Subsampling, -1}}));
    QCOMPARE(with.size(), without.size());
    for (std::size_t i = 0; i < with.size(); ++i)
        QVERIFY(torch::equal(with[i], without[i]));
}

void TestNestModel::hooksSeeEveryPlace() {
    NestModel m = model(referenceConfig("pre_conv"));
    Recorder hooks;
    m->forward(input(), true, hooks);
    QVERIFY(hooks.phases == (std::vector<Phase>{Phase::Preprocess, Phase::Augment, Phase::Forward}));
    QVERIFY(hooks.places == (std::vector<std::pair<ForwardSite, int>>{{ForwardSite::LengthSync, -1},
                                                                      {ForwardSite::Subsampling, -1},
                                                                      {ForwardSite::Layer, 0},
                                                                      {ForwardSite::Layer, 1},
                                                                      {ForwardSite::Decoder, -1},
                                                                      {ForwardSite::None, -1}}));
    QVERIFY(hooks.shape == (std::vector<std::int64_t>{2, 80, 160}));
    QVERIFY(hooks.input == hooks.shape);
    QVERIFY(hooks.lengths == (std::vector<std::int64_t>{100, 150}));
    QCOMPARE(hooks.syncs, 1);

    config::ModelConfig c = referenceConfig("pre_conv");
    c.encoder.syncMaxAudioLength = false;
    Recorder silent;
    model(c)->forward(input(), true, silent);
    QCOMPARE(silent.syncs, 0);
    QCOMPARE(silent.places.front().first, ForwardSite::Subsampling);
}

void TestNestModel::syncedLengthOnlyGrowsTheTable() {
    config::ModelConfig c = referenceConfig("pre_conv");
    c.encoder.posEmbMaxLen = 10; // shorter than the input: it must grow anyway
    NestModel m = model(c);
    m->eval();
    torch::NoGradGuard noGrad;
    Recorder alone, together;
    together.remote = 6000;
    const auto before = m->forward(input(), false, alone).logProbs;
    const auto after = m->forward(input(), false, together).logProbs;
    QVERIFY(torch::allclose(before, after));
    QVERIFY(together.places[1].first == ForwardSite::PositionTable);
    Recorder again;
    again.remote = 6000;
    m->forward(input(), false, again);
    QVERIFY(again.places[1].first == ForwardSite::Subsampling);
}

void TestNestModel::dropoutAndDitherOnlyInTraining() {
    config::ModelConfig c = referenceConfig("pre_conv");
    c.preprocessor.dither = 1e-3;
    c.encoder.dropout = c.encoder.dropoutPreEncoder = c.encoder.dropoutEmb = c.encoder.dropoutAtt = 0.2;
    NestModel m = model(c);
    ForwardHooks hooks;
    const NestInput in = input();
    const auto audio = in.audio.clone();
    const auto outputs = [&] {
        return std::pair{m->forward(in, false, hooks).logProbs, m->forward(in, false, hooks).logProbs};
    };
    const auto [a, b] = outputs();
    QVERIFY(!torch::allclose(a, b));
    QVERIFY(torch::equal(in.audio, audio)); // dither is added to a copy
    for (const auto& g : gradientsOf(m, in))
        QVERIFY(g.defined() && torch::isfinite(g).all().item<bool>());
    m->eval();
    const auto [x, y] = outputs();
    QVERIFY(torch::equal(x, y));
}

void TestNestModel::stochasticDepthTrains() {
    config::ModelConfig c = referenceConfig("pre_conv");
    c.encoder.nLayers = 3;
    c.encoder.stochasticDepthDropProb = 0.9;
    NestModel m = model(c);
    for (const auto& g : gradientsOf(m, input()))
        QVERIFY(g.defined() && torch::isfinite(g).all().item<bool>());
}

void TestNestModel::valuesWithoutEffectAreNoted() {
    config::ModelConfig c = referenceConfig("pre_conv");
    QVERIFY(withoutEffect(c).empty());
    c.specAugment.timeMasks = 2;
    QCOMPARE(withoutEffect(c).size(), std::size_t(1));
}

RANKSCOPE_CORE_TEST(TestNestModel)
#include "tst_nest_model.moc"
