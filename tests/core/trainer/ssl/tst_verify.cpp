// SPDX-License-Identifier: Apache-2.0
// The model compared with what NeMo computed.
#include "app/trainer/verify/verify.h"
#include "app/trainer/verify/verify_model.h"
#include "core/trainer/optim/learning_rate_schedule.h"
#include "core/trainer/optim/optimizers.h"
#include "tests/core/trainer/reference_configs.h"
#include "tests/support/test_runner.h"

#include <QTemporaryDir>
#include <QTest>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <map>
#include <set>

using namespace rankscope;
using namespace rankscope::trainer;

class TestVerify : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void everyReferencePasses_data();
    void everyReferencePasses();
    void aChangedWeightFails();
    void anotherSeedFails();
    void otherStatisticsFail();
    void anotherEncodedLengthFails();
    void theNoiseOfAModelIsAllowed();
    void versionOfNemo();
    void anotherVersionFails();
    void exitCodes();
    void missingTensorIsNamed();
    void aStepWithoutAMaskIsNamed();
};

namespace {

Reference load(const std::string& variant) {
    auto reference = readReference(referencePath(variant + ".safetensors"));
    if (!reference)
        throw std::runtime_error(reference.error().message());
    return std::move(*reference);
}

std::map<std::string, VerifyCheck> failuresOf(const Reference& reference) {
    const auto checks = verifyModel(referenceConfig("pre_conv"), reference);
    if (!checks)
        throw std::runtime_error(checks.error().message());
    std::map<std::string, VerifyCheck> failed;
    for (const auto& c : *checks)
        if (!c.passed())
            failed.emplace(c.name.english(), c);
    return failed;
}

/// Returns the output of a program that computes the same with other rounding: our own model, with its weights changed
/// by one bit. `like` provides weights, audio and seeds.
Reference recorded(const config::ModelConfig& config, const Reference& like) {
    NestModel model(config);
    StateDict state = like.file.under("state."), kept;
    std::set<std::string> trained;
    for (const auto& item : model->trainable())
        trained.insert(item.first);
    for (auto& [name, tensor] : state)
        if (trained.contains(name))
            tensor = tensor * (1 + 1.0 / (1 << 23));
    model->loadStateDict(state);
    model->train();
    const auto keep = [&](const std::string& name, const torch::Tensor& tensor) {
        kept.emplace_back(name, tensor.detach().clone().contiguous());
    };
    for (const auto& [name, tensor] : like.file.tensors)
        if (name.starts_with("state.") || name.starts_with("in."))
            keep(name, tensor);
    const auto [mel, melLen] = model->preprocess(like.input.audio, like.input.audioLen);
    const auto [noisy, noisyLen] = model->preprocess(like.input.noisy, like.input.noisyLen);
    keep("out.mel", mel), keep("out.mel_len", melLen), keep("out.noisy_mel", noisy),
        keep("out.noisy_mel_len", noisyLen);
    std::vector<torch::Tensor> parameters;
    for (const auto& item : model->trainable())
        parameters.push_back(item.second);
    const auto optimizer = makeOptimizer(config.optim, parameters);
    const LearningRateSchedule schedule(config.optim);
    ForwardHooks hooks;
    Reference out = like;
    for (std::size_t i = 0; i < like.steps(); ++i) {
        torch::manual_seed(like.seeds[i]);
        const NestOutput step = model->forward(like.input, true, hooks);
        const auto loss = model->loss(step);
        releaseGradients(parameters);
        loss.backward();
        out.losses[i] = loss.item<double>();
        keep(Reference::maskName(i), step.masks.select(1, 0).to(torch::kUInt8));
        if (i == 0) {
            keep("out.tokens", step.tokens), keep("out.log_probs", step.logProbs);
            keep("out.encoded_len", step.encodedLen);
            for (const auto& [name, tensor] : model->trainable())
                keep("grad." + name, tensor.grad());
        }
        setLearningRate(*optimizer, like.rates[i]);
        optimizer->step();
    }
    for (const auto& [name, tensor] : model->stateDict())
        keep("after." + name, tensor);
    model->eval();
    const NestOutput evaluated = model->forward(like.input, false, hooks);
    keep("eval.log_probs", evaluated.logProbs), keep("eval.encoded_len", evaluated.encodedLen);
    out.file.tensors = kept;
    return out;
}

/// Writes a copy of the pre_conv reference without the tensors whose name starts with `prefix`.
std::string without(const std::string& prefix, const QTemporaryDir& dir) {
    SafeTensors file = load("pre_conv").file;
    std::erase_if(file.tensors, [&](const auto& item) { return item.first.starts_with(prefix); });
    const std::string path = dir.filePath("partial.safetensors").toStdString();
    if (auto ok = writeSafetensors(path, file.tensors, file.metadata); !ok)
        throw std::runtime_error(ok.error().message());
    return path;
}

} // namespace

void TestVerify::everyReferencePasses_data() {
    QTest::addColumn<QString>("variant");
    for (const char* variant :
         {"pre_conv", "layer_norm", "local_att", "no_bias", "no_overlap", "post_conv", "squeeze", "two_books_cos"})
        QTest::newRow(variant) << variant;
}

void TestVerify::everyReferencePasses() {
    QFETCH(QString, variant);
    const auto checks = verifyModel(referenceConfig(variant.toStdString()), load(variant.toStdString()));
    QVERIFY2(checks.has_value(), checks ? "" : checks.error().what.english().c_str());
    QCOMPARE(checks->size(), std::size_t(11));
    for (const auto& c : *checks)
        QVERIFY2(c.passed(), qPrintable(QString("%1: worst %2, allowed %3, %4")
                                            .arg(QString::fromStdString(c.name.english()))
                                            .arg(c.worst)
                                            .arg(c.limit)
                                            .arg(QString::fromStdString(c.tensor.english()))));
}

void TestVerify::aChangedWeightFails() {
    Reference reference = load("pre_conv");
    reference.file.find("state.encoder.layers.1.feed_forward1.linear1.weight")[3][5] += 0.5;
    const auto checks = verifyModel(referenceConfig("pre_conv"), reference);
    QVERIFY(checks.has_value());
    std::set<std::string> failed;
    for (const auto& c : *checks)
        if (!c.passed())
            failed.insert(c.name.english());
    QVERIFY(failed.contains("log-probabilities"));
    QVERIFY(failed.contains("loss of every step"));
    QVERIFY(failed.contains("gradients of step 0"));
    QVERIFY(!failed.contains("mel features"));
    QVERIFY(!failed.contains("tokens"));
}

void TestVerify::anotherSeedFails() {
    Reference reference = load("pre_conv");
    reference.seeds[2] += 1;
    const auto checks = verifyModel(referenceConfig("pre_conv"), reference);
    QVERIFY(checks.has_value());
    for (const auto& c : *checks)
        if (c.name == "masks") {
            QVERIFY(!c.passed());
            QCOMPARE(c.tensor.english(), std::string("step2.mask"));
        }
}

/// Some differences show only in the batch norms' running statistics, on which gradients and losses do not depend.
void TestVerify::otherStatisticsFail() {
    const std::string mean = "after.encoder.layers.1.conv.batch_norm.running_mean";
    Reference reference = load("pre_conv");
    reference.file.find(mean)[7] += 0.2;
    const auto failed = failuresOf(reference);
    QCOMPARE(failed.at("running statistics").tensor.english(), mean);
    Reference counted = load("pre_conv");
    counted.file.find("after.encoder.layers.0.conv.batch_norm.num_batches_tracked") += 1;
    QCOMPARE(failuresOf(counted).at("running statistics").worst, 1.0);
}

void TestVerify::anotherEncodedLengthFails() {
    Reference reference = load("pre_conv");
    reference.file.find("eval.encoded_len")[1] += 1;
    const auto failed = failuresOf(reference);
    QCOMPARE(failed.size(), std::size_t(1));
    QCOMPARE(failed.at("lengths").tensor.english(), std::string("eval.encoded_len"));
}

void TestVerify::versionOfNemo() {
    const std::string old = "encoder: {}\n", says = "model: {}\nrankscope: {nemo: 3.0.0}\n";
    const auto of = [](const std::string& asked, const std::string& recipe, const std::string& reference) {
        return verifyVersion(asked, recipe, "r.yaml", reference);
    };
    const auto two = config::NemoVersion::V2_7_3, three = config::NemoVersion::V3_0_0;
    QVERIFY(of("", old, "")->nemo == two && of("", old, "2.7.3")->nemo == two && of("", old, "2.5.0")->nemo == two);
    QVERIFY(of("", old, "3.0.0")->nemo == three && of("", old, "3.1.0rc0")->nemo == three);
    QVERIFY(of("", says, "")->nemo == three && of("", says, "3.0.0")->nemo == three);
    QVERIFY(of("2.7.3", says, "3.0.0")->nemo == two && of("3.0.0", old, "2.7.3")->nemo == three);
    const auto apart = of("", says, "2.7.3");
    QVERIFY(!apart && apart.error().message().find("--nemo") != std::string::npos);
    QVERIFY(apart.error().message().find("r.yaml") != std::string::npos);
    const auto unknown = of("2.8", old, "");
    QVERIFY(!unknown && unknown.error().message().find("3.0.0, 2.7.3") != std::string::npos);
    QVERIFY(of("", old, "3.0.0")->because.english().find("3.0.0") != std::string::npos);
}

/// The gradient of a bias in front of a batch norm consists only of rounding errors. If a convolution gives small
/// values that the batch norm scales up, it is larger than the usual difference between two programs.
void TestVerify::theNoiseOfAModelIsAllowed() {
    const config::ModelConfig config = referenceConfig("pre_conv");
    Reference loud = load("pre_conv");
    for (auto& [name, tensor] : loud.file.tensors)
        if (name.starts_with("state.encoder.layers") && name.ends_with("conv.batch_norm.weight"))
            tensor = tensor * 30;
        else if (name.starts_with("state.encoder.layers") && name.ends_with("conv.depthwise_conv.weight"))
            tensor = tensor * 0.007;
    const Reference reference = recorded(config, loud);
    const auto checks = verifyModel(config, reference);
    QVERIFY2(checks.has_value(), checks ? "" : checks.error().what.english().c_str());
    const auto found =
        std::find_if(checks->begin(), checks->end(), [](const auto& c) { return c.name == "gradients of step 0"; });
    QVERIFY(found != checks->end() && found->noise);
    const double usual = 1e-4 * reference.file.find(found->tensor.english()).abs().max().item<double>() + 1e-5;
    QVERIFY2(found->passed() && found->limit > usual && found->limit <= kVerifyMostNoise * usual,
             qPrintable(QString("worst %1, allowed %2, noise %3, usual %4, %5")
                            .arg(found->worst)
                            .arg(found->limit)
                            .arg(*found->noise)
                            .arg(usual)
                            .arg(QString::fromStdString(found->tensor.english()))));
}

/// References made by 2.7.3 fail if they are checked as 3.0.0, because their masks differ.
void TestVerify::anotherVersionFails() {
    config::ModelConfig config = referenceConfig("no_overlap");
    config.nemo = config::NemoVersion::V3_0_0;
    const auto checks = verifyModel(config, load("no_overlap"));
    QVERIFY(checks.has_value());
    for (const auto& c : *checks)
        QCOMPARE(c.passed(), c.name != "masks" && c.name != "log-probabilities" && c.name != "loss of every step" &&
                                 c.name != "gradients of step 0" && c.name != "% of weights within 1e-3" &&
                                 c.name != "running statistics");
    const std::string file = referencePath("no_overlap.safetensors"), yaml = referencePath("no_overlap.yaml");
    QCOMPARE(runVerify(file, yaml, false), 0);
    QCOMPARE(runVerify(file, yaml, false, {}, "2.7.3"), 0);
    QCOMPARE(runVerify(file, yaml, true, {}, "3.0.0"), 1);
    QCOMPARE(runVerify(file, yaml, false, {}, "1.0"), 2);
}

void TestVerify::exitCodes() {
    const QTemporaryDir dir;
    const std::string good = referencePath("pre_conv.safetensors"), yaml = referencePath("pre_conv.yaml");
    QCOMPARE(runVerify(good, yaml, false), 0);
    QCOMPARE(runVerify(good, yaml, true), 0);
    QCOMPARE(runVerify(dir.filePath("none").toStdString(), yaml, false), 2);
    QCOMPARE(runVerify(good, dir.filePath("none.yaml").toStdString(), false), 2);
    QCOMPARE(runVerify(yaml, yaml, false), 2); // no safetensors file
    QCOMPARE(runVerify(without("out.tokens", dir), yaml, false), 2);
    QCOMPARE(runVerify(without("state.encoder.layers.0.conv", dir), yaml, false), 2);
    QCOMPARE(runVerify(good, referencePath("two_books_cos.yaml"), false), 2); // weights of another shape

    Reference changed = load("pre_conv");
    changed.file.find("out.mel")[0][0][0] += 0.01;
    const std::string path = dir.filePath("changed.safetensors").toStdString();
    QVERIFY(writeSafetensors(path, changed.file.tensors, changed.file.metadata).has_value());
    QCOMPARE(runVerify(path, yaml, false), 1);
}

void TestVerify::missingTensorIsNamed() {
    const QTemporaryDir dir;
    const auto reference = readReference(without("eval.log_probs", dir));
    QVERIFY(!reference.has_value());
    QVERIFY(reference.error().what.english().find("eval.log_probs") != std::string::npos);
    const auto noGradient = readReference(without("grad.decoder.decoder_layers.0.bias", dir));
    QVERIFY(noGradient.has_value());
    const auto checks = verifyModel(referenceConfig("pre_conv"), *noGradient);
    QVERIFY(!checks.has_value());
    QVERIFY(checks.error().what.english().find("grad.decoder.decoder_layers.0.bias") != std::string::npos);
}

/// NeMo 3.0.0 writes this if the audio is so short that a step masks none of it.
void TestVerify::aStepWithoutAMaskIsNamed() {
    const QTemporaryDir dir;
    SafeTensors file = load("pre_conv").file;
    file.metadata["losses"] = "[4.5, NaN, 3.1, 3.2]";
    const std::string path = dir.filePath("short.safetensors").toStdString();
    QVERIFY(writeSafetensors(path, file.tensors, file.metadata).has_value());
    const auto reference = readReference(path);
    QVERIFY(!reference && reference.error().message().find("no masked frame") != std::string::npos);
}

RANKSCOPE_CORE_TEST(TestVerify)
#include "tst_verify.moc"
