// SPDX-License-Identifier: Apache-2.0
// PyTorch's checkpoint files: files from Python are read, written files are complete, and all damage is noticed.
#include "core/trainer/formats/pickle/pickled_state.h"
#include "core/trainer/tensor_files/torch_checkpoint.h"
#include "tests/core/trainer/checkpoint/support.h"
#include "tests/support/test_runner.h"

#include <QDir>
#include <QTemporaryDir>
#include <QTest>

#include <caffe2/serialize/inline_container.h>
#include <fmt/format.h>

#include <random>

using namespace rankscope;
using namespace rankscope::trainer;
using namespace rankscope::trainer::test;

namespace {

const std::string kPython = std::string(RANKSCOPE_TEST_DATA) + "/checkpoint/";

torch::Tensor tensorIn(const StateDict& state, const std::string& name) {
    for (const auto& [key, tensor] : state)
        if (key == name)
            return tensor;
    throw std::runtime_error("there is no tensor " + name);
}

/// Returns a zip file as torch.save writes it, with these records.
std::string zipOf(const std::vector<std::pair<std::string, std::string>>& records, bool compress = false) {
    std::string out;
    caffe2::serialize::PyTorchStreamWriter zip([&](const void* data, std::size_t size) {
        out.append(static_cast<const char*>(data), size);
        return size;
    });
    for (const auto& [name, bytes] : records)
        zip.writeRecord(name, bytes.data(), bytes.size(), compress);
    zip.writeEndOfFile();
    return out;
}

std::string pickleOf(std::int64_t elements, const std::string& key = "0", ElementType type = ElementType::F32) {
    return writePickledState({{"w", {key, type, elements}, 0, {elements}, {1}}});
}

/// Returns two tensors with the same storage, for which they give different types.
std::string pickleOfTwoTypes() {
    std::vector<TensorSpec> specs(2);
    for (TensorSpec& spec : specs) {
        spec.storage.key = std::string(1, '0');
        spec.storage.elements = 4;
        spec.shape = {4};
        spec.strides = {1};
    }
    specs[0].name = std::string(1, 'a');
    specs[1].name = std::string(1, 'b');
    specs[1].storage.type = ElementType::I32;
    return writePickledState(specs);
}

StateDict smallState() {
    return {{"a", torch::arange(6, torch::kFloat32).reshape({2, 3})},
            {"b", torch::arange(3, torch::kInt64)},
            {"flags", torch::tensor({true, false, true})}};
}

} // namespace

class TestTorchCheckpoint : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void pythonsFiles_data();
    void pythonsFiles();
    void lightningsFile();
    void randomStatesComeBack();
    void tiedTensorsAreWrittenOnce();
    void equalStatesMakeEqualFiles();
    void whatCannotBeWritten();
    void everyTruncationIsAnError();
    void everyFlippedBitIsSeen();
    void hostileFiles_data();
    void hostileFiles();
    void missingFile();

private:
    std::string path(const char* name) const { return m_dir.filePath(name).toStdString(); }
    QTemporaryDir m_dir;
};

void TestTorchCheckpoint::pythonsFiles_data() {
    QTest::addColumn<QString>("file");
    QTest::newRow("protocol 2") << "protocol2.ckpt";
    QTest::newRow("protocol 4, a dict with state_dict") << "protocol4.ckpt";
}

void TestTorchCheckpoint::pythonsFiles() {
    QFETCH(QString, file);
    const auto read = readTorchCheckpoint(std::filesystem::path(kPython + file.toStdString()));
    QVERIFY2(read.has_value(), read ? "" : read.error().message().c_str());
    QCOMPARE(read->size(), std::size_t(16));
    QCOMPARE(read->front().first, std::string("plain"));
    QCOMPARE(read->back().first, std::string("flags"));
    const auto base = torch::arange(24, torch::kFloat32).reshape({4, 6});
    QVERIFY(torch::equal(tensorIn(*read, "plain"), torch::arange(6, torch::kFloat32).reshape({2, 3})));
    QVERIFY(torch::equal(tensorIn(*read, "transposed"), base.t()));
    QVERIFY(torch::equal(tensorIn(*read, "window"), base.slice(0, 1, 3).slice(1, 2, 5)));
    QVERIFY(torch::equal(tensorIn(*read, "tied"), base));
    QCOMPARE(tensorIn(*read, "tied").const_data_ptr(),
             tensorIn(*read, "transposed").const_data_ptr()); // one storage, as in the file
    QVERIFY(torch::equal(tensorIn(*read, "parameter"), torch::tensor({1.5f, -2.0f})));
    QVERIFY(torch::equal(tensorIn(*read, "scalar"), torch::full({}, 7, torch::kInt64)));
    QVERIFY(tensorIn(*read, "none").sizes() == torch::IntArrayRef({0, 3}));
    const std::pair<const char*, torch::ScalarType> types[] = {
        {"f64", torch::kFloat64}, {"f16", torch::kFloat16}, {"bf16", torch::kBFloat16}, {"i64", torch::kInt64},
        {"i32", torch::kInt32},   {"i16", torch::kInt16},   {"i8", torch::kInt8},       {"u8", torch::kUInt8}};
    for (const auto& [name, type] : types) {
        QCOMPARE(tensorIn(*read, name).scalar_type(), type);
        QVERIFY2(torch::equal(tensorIn(*read, name), torch::arange(5).to(type)), name);
    }
    QVERIFY(torch::equal(tensorIn(*read, "flags"), torch::tensor({true, false, true})));
}

/// A file with OmegaConf's classes, callbacks, an optimizer and much else in addition to the weights.
void TestTorchCheckpoint::lightningsFile() {
    const auto read = readTorchCheckpoint(std::filesystem::path(kPython + "lightning.ckpt"));
    QVERIFY2(read.has_value(), read ? "" : read.error().message().c_str());
    QCOMPARE(read->size(), std::size_t(10));
    const auto filled = [](std::int64_t number, torch::IntArrayRef shape) {
        const std::int64_t count = c10::multiply_integers(shape);
        return torch::arange(count, torch::kFloat32).reshape(shape) / 8 + number;
    };
    QVERIFY(torch::equal(tensorIn(*read, "decoder.weight"), filled(0, {5, 3, 1})));
    QVERIFY(torch::equal(tensorIn(*read, "encoder.weight"), filled(1, {3, 4})));
    QVERIFY(torch::equal(tensorIn(*read, "decoder.bias"), filled(5, {5})));
    QCOMPARE(tensorIn(*read, "tied").const_data_ptr(), tensorIn(*read, "decoder.weight").const_data_ptr());
    QVERIFY(torch::equal(tensorIn(*read, "norm.num_batches_tracked"), torch::full({}, 2, torch::kInt64)));
}

void TestTorchCheckpoint::randomStatesComeBack() {
    std::mt19937 random(11);
    torch::manual_seed(11);
    const torch::ScalarType types[] = {torch::kFloat64, torch::kFloat32, torch::kFloat16, torch::kBFloat16,
                                       torch::kInt64,   torch::kInt32,   torch::kInt16,   torch::kInt8,
                                       torch::kUInt8,   torch::kBool};
    const auto below = [&](std::uint32_t n) { return static_cast<std::int64_t>(random() % n); };
    for (int round = 0; round < 60; ++round) {
        StateDict state;
        for (std::int64_t n = below(8); n >= 0; --n) {
            std::vector<std::int64_t> shape;
            for (std::int64_t d = below(5); d > 0; --d)
                shape.push_back(below(6));
            auto t = torch::randn(shape).mul(50).to(types[below(std::size(types))]);
            if (below(3) == 0 && t.dim() > 1)
                t = t.transpose(0, 1);
            if (below(3) == 0 && t.dim() > 0 && t.size(0) > 2)
                t = t.slice(0, 1, t.size(0), 2);
            if (below(4) == 0 && !state.empty())
                t = state.back().second;
            state.emplace_back(fmt::format("{}.naïve name", n), t);
        }
        const auto file = path("random.ckpt");
        const auto written = writeTorchCheckpoint(file, state);
        QVERIFY2(written.has_value(), written ? "" : written.error().message().c_str());
        const auto read = readTorchCheckpoint(std::filesystem::path(file));
        QVERIFY2(read.has_value(), read ? "" : read.error().message().c_str());
        QVERIFY2(sameState(*read, state), std::to_string(round).c_str());
    }
}

void TestTorchCheckpoint::tiedTensorsAreWrittenOnce() {
    const auto big = torch::randn({1000});
    QVERIFY(writeTorchCheckpoint(path("one.ckpt"), {{"a", big}}).has_value());
    QVERIFY(writeTorchCheckpoint(path("tied.ckpt"), {{"a", big}, {"b", big}}).has_value());
    const auto one = bytesOf(path("one.ckpt")).size(), tied = bytesOf(path("tied.ckpt")).size();
    QVERIFY2(tied < one + 1000, std::to_string(tied - one).c_str());
    const auto read = readTorchCheckpoint(std::filesystem::path(path("tied.ckpt")));
    QCOMPARE(tensorIn(*read, "a").const_data_ptr(), tensorIn(*read, "b").const_data_ptr());
    // two different views of the same memory are stored as two tensors
    QVERIFY(writeTorchCheckpoint(path("views.ckpt"), {{"a", big}, {"b", big.slice(0, 0, 10)}}).has_value());
    QVERIFY(sameState(*readTorchCheckpoint(std::filesystem::path(path("views.ckpt"))),
                      {{"a", big}, {"b", big.slice(0, 0, 10)}}));
}

void TestTorchCheckpoint::equalStatesMakeEqualFiles() {
    QVERIFY(writeTorchCheckpoint(path("1.ckpt"), smallState()).has_value());
    QVERIFY(writeTorchCheckpoint(path("2.ckpt"), smallState()).has_value());
    QVERIFY(bytesOf(path("1.ckpt")) == bytesOf(path("2.ckpt")));
}

void TestTorchCheckpoint::whatCannotBeWritten() {
    const QTemporaryDir dir;
    const std::string file = dir.filePath("x.ckpt").toStdString();
    QVERIFY(writeTorchCheckpoint(file, smallState()).has_value());
    const std::string before = bytesOf(file);
    const auto complex = writeTorchCheckpoint(file, {{"z", torch::zeros({2}, torch::kComplexFloat)}});
    QVERIFY(!complex && says(complex.error(), "tensor z: this type cannot be written"));
    const auto twice = writeTorchCheckpoint(file, {{"a", torch::ones({1})}, {"a", torch::ones({1})}});
    QVERIFY(!twice && says(twice.error(), "tensor a occurs twice"));
    QVERIFY(!writeTorchCheckpoint(file, {{"u", torch::Tensor()}}));
    QVERIFY(bytesOf(file) == before);
    const auto lost = writeTorchCheckpoint(dir.filePath("no/x.ckpt").toStdString(), smallState());
    QVERIFY(!lost && lost.error().code == Errc::NotFound);
    const auto folder = writeTorchCheckpoint(dir.path().toStdString(), smallState());
    QVERIFY(!folder && says(folder.error(), "is a folder"));
    QCOMPARE(QDir(dir.path()).entryList(QDir::Files | QDir::Hidden), QStringList{"x.ckpt"}); // nothing else left
}

void TestTorchCheckpoint::everyTruncationIsAnError() {
    QVERIFY(writeTorchCheckpoint(path("whole.ckpt"), smallState()).has_value());
    const std::string whole = bytesOf(path("whole.ckpt"));
    QVERIFY(readTorchCheckpoint(whole, "whole").has_value());
    for (std::size_t size = 0; size < whole.size(); ++size) {
        const auto read = readTorchCheckpoint(std::string_view(whole).substr(0, size), "cut");
        QVERIFY2(!read.has_value(), std::to_string(size).c_str());
        QCOMPARE(read.error().code, Errc::Malformed);
        QCOMPARE(read.error().where, std::string("cut"));
    }
}

void TestTorchCheckpoint::everyFlippedBitIsSeen() {
    QVERIFY(writeTorchCheckpoint(path("whole.ckpt"), smallState()).has_value());
    const std::string whole = bytesOf(path("whole.ckpt"));
    std::size_t refused = 0;
    for (std::size_t i = 0; i < whole.size(); ++i) {
        std::string damaged = whole;
        damaged[i] = static_cast<char>(damaged[i] ^ (1 << (i % 8)));
        const auto read = readTorchCheckpoint(damaged, "flipped");
        refused += !read;
        // padding, times and unused records do not matter; if it can be read, the state must be the one written
        QVERIFY2(!read || sameState(*read, smallState()), std::to_string(i).c_str());
    }
    QVERIFY2(refused > whole.size() / 4, std::to_string(refused).c_str());
}

void TestTorchCheckpoint::hostileFiles_data() {
    QTest::addColumn<QByteArray>("bytes");
    QTest::addColumn<QString>("complaint");
    const auto row = [](const char* name, const std::string& bytes, const char* complaint) {
        QTest::newRow(name) << QByteArray::fromStdString(bytes) << complaint;
    };
    const std::string four(16, '\x01'), order = "little";
    row("os.system", zipOf({{"data.pkl", "cos\nsystem\n\x8c\x02id\x85R."}, {"data/0", four}}),
        "data.pkl: os.system is not part of a state dict");
    row("no pickle", zipOf({{"data/0", four}}), "no record data.pkl");
    row("no record", zipOf({{"data.pkl", pickleOf(4)}}), "tensor w: record data/0 is missing");
    row("another key", zipOf({{"data.pkl", pickleOf(4, "../../etc/passwd")}, {"data/0", four}}), "is missing");
    row("too short", zipOf({{"data.pkl", pickleOf(5)}, {"data/0", four}}), "5 elements of FloatStorage do not fit");
    row("too long", zipOf({{"data.pkl", pickleOf(3)}, {"data/0", four}}), "3 elements of FloatStorage do not fit");
    row("absurd", zipOf({{"data.pkl", pickleOf(INT64_MAX / 2)}, {"data/0", four}}), "do not fit record");
    row("odd bytes", zipOf({{"data.pkl", pickleOf(4)}, {"data/0", four.substr(0, 15)}}), "do not fit record");
    row("two types", zipOf({{"data.pkl", pickleOfTwoTypes()}, {"data/0", four}}),
        "tensor b: another tensor uses its storage");
    row("big-endian", zipOf({{"data.pkl", pickleOf(4)}, {"byteorder", "big"}, {"data/0", four}}), "big-endian");
    row("long byte order", zipOf({{"data.pkl", pickleOf(4)}, {"byteorder", std::string(100, 'x')}, {"data/0", four}}),
        "at most 16 are possible");
    // a compressed record that would fill memory: no record may be larger than the file
    row("zip bomb", zipOf({{"data.pkl", pickleOf(4)}, {"data/0", std::string(50u << 20, '\0')}}, true),
        "bytes; at most");
    row("pickle bomb", zipOf({{"data.pkl", std::string(50u << 20, 'N')}}, true), "bytes; at most");
    row("no zip", "PK\x03\x04 this is not a zip", "is not a zip file");
    row("an empty zip", "PK\x05\x06" + std::string(18, '\0'), "is not a zip file");
    row("empty", "", "is not a zip file");
}

void TestTorchCheckpoint::hostileFiles() {
    QFETCH(QByteArray, bytes);
    QFETCH(QString, complaint);
    const auto read = readTorchCheckpoint(bytes.toStdString(), "evil.ckpt");
    QVERIFY(!read.has_value());
    QVERIFY2(QString::fromStdString(read.error().message()).contains(complaint), read.error().message().c_str());
    QCOMPARE(read.error().where, std::string("evil.ckpt"));
}

void TestTorchCheckpoint::missingFile() {
    QCOMPARE(readTorchCheckpoint(std::filesystem::path(path("none"))).error().code, Errc::NotFound);
    QCOMPARE(readTorchCheckpoint(std::filesystem::path(m_dir.path().toStdString())).error().code, Errc::BadInput);
}

RANKSCOPE_CORE_TEST(TestTorchCheckpoint)
#include "tst_torch_checkpoint.moc"
