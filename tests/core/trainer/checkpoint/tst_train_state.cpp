// SPDX-License-Identifier: Apache-2.0
// The file that training resumes from, and the state of the random number generators in it.
#include "core/trainer/checkpoint/train_state.h"
#include "core/trainer/checkpoint/weights.h"
#include "tests/core/trainer/checkpoint/support.h"
#include "tests/support/test_runner.h"

#include <QTemporaryDir>
#include <QTest>

#include <cmath>
#include <limits>

using namespace rankscope;
using namespace rankscope::trainer;
using namespace rankscope::trainer::test;

namespace {

TrainState sample() {
    TrainState s;
    s.progress.step = 123456789012345;
    s.progress.epoch = 7;
    s.progress.batchInEpoch = 41;
    s.progress.seed = -5;
    s.progress.configHash = 0xfedcba9876543210;
    s.progress.metrics = {{"val_loss", 0.1}, {"tiny", 5e-324}, {"inf", std::numeric_limits<double>::infinity()}};
    s.progress.extras = {{"scaler", "{\"scale\": 65536}"}, {"naïve \"key\"", "line\nbreak"}};
    // neither in alphabetical order nor in that of the data in the file
    s.model = {{"z", torch::arange(6, torch::kFloat32).reshape({2, 3})},
               {"a", torch::full({}, 3, torch::kInt64)},
               {"m", torch::arange(4, torch::kFloat64)},
               {"half", torch::arange(3).to(torch::kBFloat16)}};
    s.optimizer = {{"z.exp_avg", torch::randn({2, 3})}, {"a.step", torch::full({}, 9.0)}};
    s.rng = {captureRng(torch::kCPU), captureRng(torch::kCPU)};
    s.buffers = {{{"running_mean", torch::randn({3})}, {"a", torch::randn({2})}},
                 {{"running_mean", torch::randn({3})}}};
    return s;
}

/// Returns a state small enough to damage each byte of its file.
TrainState tiny() {
    TrainState s;
    s.progress.step = 3;
    s.progress.metrics = {{"val_loss", std::numeric_limits<double>::quiet_NaN()}};
    s.model = {{"w", torch::arange(3, torch::kFloat32)}};
    s.optimizer = {{"w.m", torch::arange(3, torch::kFloat32)}};
    return s;
}

} // namespace

class TestTrainState : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void everythingComesBack();
    void progressAlone();
    void everyTruncationIsAnError();
    void everyFlippedBitIsAnError();
    void wrongFields_data();
    void wrongFields();
    void tensorsThatDoNotFit();
    void otherFiles();
    void weightsOfACheckpoint();
    void randomNumbersGoOn();
    void rngStatesThatCannotBeUsed();

private:
    std::string path(const char* name) const { return m_dir.filePath(name).toStdString(); }
    QTemporaryDir m_dir;
};

void TestTrainState::everythingComesBack() {
    const TrainState s = sample();
    const auto written = writeTrainState(path("a.safetensors"), s);
    QVERIFY2(written.has_value(), written ? "" : written.error().message().c_str());
    const auto back = readTrainState(path("a.safetensors"));
    QVERIFY2(back.has_value(), back ? "" : back.error().message().c_str());
    const TrainProgress &a = back->progress, &b = s.progress;
    QCOMPARE(a.step, b.step);
    QCOMPARE(a.epoch, b.epoch);
    QCOMPARE(a.batchInEpoch, b.batchInEpoch);
    QCOMPARE(a.seed, b.seed);
    QCOMPARE(a.configHash, b.configHash);
    QCOMPARE(a.metrics, b.metrics);
    QCOMPARE(a.extras, b.extras);
    QVERIFY(sameState(back->model, s.model));
    QVERIFY(sameState(back->optimizer, s.optimizer));
    QCOMPARE(back->rng.size(), std::size_t(2));
    for (std::size_t r = 0; r < 2; ++r) {
        QVERIFY(torch::equal(back->rng[r].cpu, s.rng[r].cpu));
        QVERIFY(!back->rng[r].device.defined());
    }
    QCOMPARE(back->buffers.size(), std::size_t(2));
    for (std::size_t r = 0; r < 2; ++r)
        QVERIFY(sameState(back->buffers[r], s.buffers[r]));
    QVERIFY(writeTrainState(path("nothing.safetensors"), {}).has_value());
    QVERIFY(readTrainState(path("nothing.safetensors")).has_value());
}

void TestTrainState::progressAlone() {
    QVERIFY(writeTrainState(path("p.safetensors"), tiny()).has_value());
    const auto progress = readTrainProgress(path("p.safetensors"));
    QVERIFY2(progress.has_value(), progress ? "" : progress.error().message().c_str());
    QCOMPARE(progress->step, 3);
    QVERIFY(std::isnan(progress->metrics.at("val_loss")));
}

void TestTrainState::everyTruncationIsAnError() {
    QVERIFY(writeTrainState(path("whole"), tiny()).has_value());
    const std::string whole = bytesOf(path("whole"));
    for (std::size_t size = 0; size < whole.size(); ++size) {
        putBytes(path("cut"), whole.substr(0, size));
        const auto read = readTrainState(path("cut"));
        QVERIFY2(!read && read.error().code == Errc::Malformed, std::to_string(size).c_str());
        QVERIFY2(!readTrainProgress(path("cut")), std::to_string(size).c_str());
    }
}

void TestTrainState::everyFlippedBitIsAnError() {
    QVERIFY(writeTrainState(path("whole"), tiny()).has_value());
    const std::string whole = bytesOf(path("whole"));
    for (std::size_t i = 0; i < whole.size(); ++i)
        for (int bit = 0; bit < 8; ++bit) {
            std::string damaged = whole;
            damaged[i] = static_cast<char>(damaged[i] ^ (1 << bit));
            putBytes(path("flipped"), damaged);
            const auto read = readTrainState(path("flipped"));
            QVERIFY2(!read, QByteArray::number(static_cast<qulonglong>(i)) + " bit " + QByteArray::number(bit));
            QCOMPARE(read.error().code, Errc::Malformed);
        }
}

void TestTrainState::wrongFields_data() {
    QTest::addColumn<QByteArray>("from");
    QTest::addColumn<QByteArray>("to");
    QTest::addColumn<QString>("complaint");
    const auto row = [](const char* name, const char* from, const char* to, const char* complaint) {
        QTest::newRow(name) << QByteArray(from) << QByteArray(to) << complaint;
    };
    row("missing", R"("step":3)", R"("stop":3)", "step is missing or wrong");
    row("negative", R"("epoch":0)", R"("epoch":-1)", "epoch is missing or wrong");
    row("a real", R"("step":3)", R"("step":3.5)", "step is missing or wrong");
    row("too large", R"("step":3)", R"("step":9223372036854775808)", "step is missing or wrong");
    row("hash", R"("config_hash":0)", R"("config_hash":"x")", "config_hash is missing or wrong");
    row("metric", R"("val_loss":"nan")", R"("val_loss":"good")", "metrics is missing or wrong");
    row("metrics", R"("metrics":{"val_loss":"nan"})", R"("metrics":[])", "metrics is missing or wrong");
    row("extras", R"("extras":{})", R"("extras":{"a":1})", "extras is missing or wrong");
    row("names", R"("model":["w"])", R"("model":[1])", "model is missing or wrong");
    row("no list", R"("model":["w"])", R"("model":"w")", "model is missing or wrong");
    row("ranks", R"("rng_on_device":[])", R"("rng_on_device":[1])", "rng_on_device is missing or wrong");
    row("no object", "{", "[", "not a JSON object");
}

/// Only one field of the file is wrong, and the checksum matches it: the reader's own checks must find it.
void TestTrainState::wrongFields() {
    QFETCH(QByteArray, from);
    QFETCH(QByteArray, to);
    QFETCH(QString, complaint);
    QVERIFY(writeTrainState(path("good"), tiny()).has_value());
    SafeTensors file = *readSafetensors(path("good"));
    QByteArray text = QByteArray::fromStdString(file.metadata.at("state"));
    QVERIFY2(text.contains(from), text.constData());
    file.metadata["state"] = text.replace(from, to).toStdString();
    file.metadata["checksum"] = trainStateChecksum(file.metadata["state"], file.tensors);
    const auto read = trainStateOf(file, "here");
    QVERIFY(!read);
    QVERIFY2(QString::fromStdString(read.error().message()).contains(complaint), read.error().message().c_str());
}

void TestTrainState::tensorsThatDoNotFit() {
    QVERIFY(writeTrainState(path("good"), tiny()).has_value());
    const SafeTensors good = *readSafetensors(path("good"));
    const auto with = [&](auto change) {
        SafeTensors file = good;
        change(file.tensors);
        file.metadata["checksum"] = trainStateChecksum(file.metadata["state"], file.tensors);
        return trainStateOf(file, "here");
    };
    QVERIFY(with([](StateDict&) {}).has_value());
    const auto less = with([](StateDict& t) { t.pop_back(); });
    QVERIFY(!less && says(less.error(), "is missing"));
    const auto more = with([](StateDict& t) { t.emplace_back("model.x", torch::ones({1})); });
    QVERIFY(!more && says(more.error(), "tensor model.x is not expected"));
}

void TestTrainState::otherFiles() {
    QVERIFY(writeSafetensors(path("plain"), {{"w", torch::ones({2})}}).has_value());
    const auto plain = readTrainState(path("plain"));
    QVERIFY(!plain && says(plain.error(), "not a Rankscope checkpoint"));
    QVERIFY(writeSafetensors(path("newer"), {}, {{"format", "rankscope-train-state"}, {"version", "2"}}).has_value());
    const auto newer = readTrainState(path("newer"));
    QVERIFY(!newer && says(newer.error(), "version 2, but this program reads version 1"));
    QCOMPARE(readTrainState(path("none")).error().code, Errc::NotFound);
    TrainState broken = tiny();
    broken.model.emplace_back("empty", torch::Tensor());
    const auto undefined = writeTrainState(path("undefined"), broken);
    QVERIFY(!undefined && says(undefined.error(), "model.empty has no value"));
    QVERIFY(!std::filesystem::exists(path("undefined")));
}

void TestTrainState::weightsOfACheckpoint() {
    const TrainState s = sample();
    QVERIFY(writeTrainState(path("w.safetensors"), s).has_value());
    const auto weights = readWeights(path("w.safetensors"));
    QVERIFY2(weights.has_value(), weights ? "" : weights.error().message().c_str());
    QVERIFY(sameState(weights->tensors, s.model));
}

void TestTrainState::randomNumbersGoOn() {
    torch::manual_seed(99);
    (void)torch::randn({7}); // an odd count leaves a cached normal value, which is part of the state
    const RngState state = captureRng(torch::kCPU);
    const auto normal = torch::randn({5}), order = torch::randperm(50), uniform = torch::rand({5});
    torch::manual_seed(1);
    QVERIFY(!torch::equal(torch::randn({5}), normal));
    const auto restored = restoreRng(state, torch::kCPU);
    QVERIFY2(restored.has_value(), restored ? "" : restored.error().message().c_str());
    QVERIFY(torch::equal(torch::randn({5}), normal));
    QVERIFY(torch::equal(torch::randperm(50), order));
    QVERIFY(torch::equal(torch::rand({5}), uniform));
}

void TestTrainState::rngStatesThatCannotBeUsed() {
    torch::manual_seed(5);
    const RngState good = captureRng(torch::kCPU);
    const auto next = torch::rand({3});
    QVERIFY(restoreRng(good, torch::kCPU).has_value());
    const RngState bad[] = {{torch::zeros({10}, torch::kUInt8), {}},
                            {torch::zeros_like(good.cpu), {}},
                            {good.cpu.to(torch::kFloat32), {}},
                            {torch::Tensor(), {}}};
    for (const RngState& state : bad) {
        const auto restored = restoreRng(state, torch::kCPU);
        QVERIFY(!restored);
        QCOMPARE(restored.error().code, Errc::Malformed);
    }
    const auto fromGpu = restoreRng({good.cpu, good.cpu}, torch::kCPU);
    QVERIFY(!fromGpu && says(fromGpu.error(), "drawn on a GPU, but training now runs on cpu"));
    QVERIFY(torch::equal(torch::rand({3}), next)); // nothing of the bad state was used
}

RANKSCOPE_CORE_TEST(TestTrainState)
#include "tst_train_state.moc"
