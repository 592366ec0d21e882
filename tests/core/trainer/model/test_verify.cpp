// SPDX-License-Identifier: Apache-2.0
// The model against what NeMo computed.
#include "app/trainer/verify.h"
#include "app/trainer/verify_model.h"
#include "tests/core/trainer/model/reference_configs.h"
#include "tests/support/test_runner.h"

#include <QTemporaryDir>
#include <QTest>

#include <filesystem>
#include <fstream>

using namespace rankscope;
using namespace rankscope::trainer;

class TestVerify : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void everyReferencePasses_data();
    void everyReferencePasses();
    void aChangedWeightFails();
    void anotherSeedFails();
    void exitCodes();
    void missingTensorIsNamed();
};

namespace {

Reference load(const std::string& variant) {
    auto reference = readReference(referencePath(variant + ".safetensors"));
    if (!reference)
        throw std::runtime_error(reference.error().message());
    return std::move(*reference);
}

/// A copy of the pre_conv reference without the tensors whose name starts with `prefix`.
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
    QVERIFY2(checks.has_value(), checks ? "" : checks.error().what.c_str());
    QCOMPARE(checks->size(), std::size_t(10));
    for (const auto& c : *checks)
        QVERIFY2(c.passed(), qPrintable(QString("%1: worst %2, allowed %3, %4")
                                            .arg(QString::fromStdString(c.name))
                                            .arg(c.worst)
                                            .arg(c.limit)
                                            .arg(QString::fromStdString(c.tensor))));
}

void TestVerify::aChangedWeightFails() {
    Reference reference = load("pre_conv");
    reference.file.find("state.encoder.layers.1.feed_forward1.linear1.weight")[3][5] += 0.5;
    const auto checks = verifyModel(referenceConfig("pre_conv"), reference);
    QVERIFY(checks.has_value());
    std::set<std::string> failed;
    for (const auto& c : *checks)
        if (!c.passed())
            failed.insert(c.name);
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
            QCOMPARE(c.tensor, std::string("step2.mask"));
        }
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
    QVERIFY(reference.error().what.find("eval.log_probs") != std::string::npos);
    const auto noGradient = readReference(without("grad.decoder.decoder_layers.0.bias", dir));
    QVERIFY(noGradient.has_value());
    const auto checks = verifyModel(referenceConfig("pre_conv"), *noGradient);
    QVERIFY(!checks.has_value());
    QVERIFY(checks.error().what.find("grad.decoder.decoder_layers.0.bias") != std::string::npos);
}

RANKSCOPE_CORE_TEST(TestVerify)
#include "test_verify.moc"
