// SPDX-License-Identifier: Apache-2.0
#include "core/trainer/tensor_files/safetensors.h"
#include "tests/support/test_runner.h"

#include <QDir>
#include <QTemporaryDir>
#include <QTest>

#include <cstring>
#include <fstream>

using namespace rankscope;
using namespace rankscope::trainer;

class TestSafetensors : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void everyTypeComesBack();
    void damagedFiles_data();
    void damagedFiles();
    void missingFile();
    void writingIsAtomic();
    void namesMustDiffer();

private:
    std::string write(const std::string& header, const std::string& data, std::uint64_t size);
    QTemporaryDir m_dir;
};

std::string TestSafetensors::write(const std::string& header, const std::string& data, std::uint64_t size) {
    const std::string path = m_dir.filePath("x.safetensors").toStdString();
    std::ofstream out(path, std::ios::binary | std::ios::trunc);
    out.write(reinterpret_cast<const char*>(&size), sizeof size);
    out << header << data;
    return path;
}

void TestSafetensors::everyTypeComesBack() {
    torch::manual_seed(1);
    const std::vector<std::pair<std::string, torch::Tensor>> tensors{
        {"flag", torch::rand({5}) > 0.5},
        {"byte", torch::randint(0, 256, {3, 3}, torch::kUInt8)},
        {"half", torch::randn({3}).to(torch::kFloat16)},
        {"bfloat", torch::randn({2, 2}).to(torch::kBFloat16)},
        {"float", torch::randn({4, 1, 2})},
        {"double", torch::randn({7}, torch::kFloat64)},
        {"long", torch::randint(-9, 9, {2}, torch::kInt64)},
        {"int", torch::randint(-9, 9, {2}, torch::kInt32)},
        {"scalar", torch::full({}, 3, torch::kInt64)},
        {"empty", torch::empty({0, 4})},
        {"a view", torch::randn({6, 6}).t().narrow(0, 1, 3)},
        {"naïve \"name\"", torch::ones({1})}};
    const std::string path = m_dir.filePath("all.safetensors").toStdString();
    QVERIFY(writeSafetensors(path, tensors, {{"format", "pt"}, {"note", "line\nbreak"}}).has_value());
    const auto back = readSafetensors(path);
    QVERIFY2(back.has_value(), back ? "" : back.error().what.english().c_str());
    QCOMPARE(back->tensors.size(), tensors.size());
    QCOMPARE(back->metadata.at("note"), std::string("line\nbreak"));
    for (const auto& [name, tensor] : tensors) {
        const auto found = back->find(name);
        QVERIFY2(found.defined(), name.c_str());
        QCOMPARE(found.scalar_type(), tensor.scalar_type());
        QVERIFY2(torch::equal(found, tensor), name.c_str());
    }
    QVERIFY(!back->find("absent").defined());
}

void TestSafetensors::damagedFiles_data() {
    QTest::addColumn<QByteArray>("header");
    QTest::addColumn<int>("dataBytes");
    QTest::addColumn<qulonglong>("size");
    QTest::addColumn<QString>("complaint");
    const auto row = [](const char* name, const QByteArray& header, int bytes, const char* complaint,
                        qulonglong size = 0) {
        QTest::newRow(name) << header << bytes << (size ? size : static_cast<qulonglong>(header.size())) << complaint;
    };
    const QByteArray good = R"({"a":{"dtype":"F32","shape":[2],"data_offsets":[0,8]}})";
    row("header beyond the file", good, 8, "does not fit", 1000);
    row("absurd header", good, 8, "does not fit", ~0ull);
    row("no JSON", "hello, world", 0, "not a JSON object");
    row("a list", "[1, 2]", 0, "not a JSON object");
    row("data cut off", good, 7, "8 bytes of tensors, but the file has 7");
    row("data too long", good, 9, "8 bytes of tensors, but the file has 9");
    row("unknown type", R"({"a":{"dtype":"F4","shape":[2],"data_offsets":[0,8]}})", 8, "dtype \"F4\"");
    row("shape and bytes", R"({"a":{"dtype":"F32","shape":[3],"data_offsets":[0,8]}})", 8, "disagree");
    row("overflowing shape",
        R"({"a":{"dtype":"F32","shape":[4611686018427387904,4611686018427387904],"data_offsets":[0,0]}})", 0,
        "disagree");
    row("negative size", R"({"a":{"dtype":"F32","shape":[-2],"data_offsets":[0,8]}})", 8, "size -2");
    row("backward range", R"({"a":{"dtype":"F32","shape":[2],"data_offsets":[8,0]}})", 8, "not a range");
    row("overlap",
        R"({"a":{"dtype":"F32","shape":[2],"data_offsets":[0,8]},"b":{"dtype":"F32","shape":[1],"data_offsets":[4,8]}})",
        8, "begin at 4, not at 8");
    row("gap", R"({"a":{"dtype":"F32","shape":[1],"data_offsets":[4,8]}})", 8, "begin at 4, not at 0");
    row("duplicate",
        R"({"a":{"dtype":"F32","shape":[1],"data_offsets":[0,4]},"a":{"dtype":"F32","shape":[1],"data_offsets":[0,4]}})",
        4, "distinct names");
    row("no offsets", R"({"a":{"dtype":"F32","shape":[1]}})", 4, "is missing");
}

void TestSafetensors::damagedFiles() {
    QFETCH(QByteArray, header);
    QFETCH(int, dataBytes);
    QFETCH(qulonglong, size);
    QFETCH(QString, complaint);
    const auto path = write(header.toStdString(), std::string(static_cast<std::size_t>(dataBytes), '\0'), size);
    const auto file = readSafetensors(path);
    QVERIFY(!file.has_value());
    QCOMPARE(file.error().code, Errc::Malformed);
    QCOMPARE(file.error().where, path);
    QVERIFY2(QString::fromStdString(file.error().what.english()).contains(complaint),
             file.error().what.english().c_str());
}

void TestSafetensors::missingFile() {
    const auto none = readSafetensors(m_dir.filePath("none").toStdString());
    QVERIFY(!none.has_value());
    QCOMPARE(none.error().code, Errc::NotFound);
    const auto folder = readSafetensors(m_dir.path().toStdString());
    QVERIFY(!folder.has_value());
    const std::string path = m_dir.filePath("short").toStdString();
    std::ofstream(path) << "abc";
    QCOMPARE(readSafetensors(path).error().code, Errc::Malformed);
}

void TestSafetensors::writingIsAtomic() {
    const QTemporaryDir dir;
    const std::string path = dir.filePath("a.safetensors").toStdString();
    QVERIFY(writeSafetensors(path, {{"a", torch::ones({4})}}).has_value());
    // a type that cannot be written: the old file stays, and no temporary file is left
    QVERIFY(!writeSafetensors(path, {{"a", torch::ones({4}, torch::kComplexFloat)}}).has_value());
    QVERIFY(torch::equal(readSafetensors(path)->find("a"), torch::ones({4})));
    QVERIFY(!writeSafetensors(dir.filePath("no/folder").toStdString(), {{"a", torch::ones({4})}}).has_value());
    QCOMPARE(QDir(dir.path()).entryList(QDir::Files), QStringList{"a.safetensors"});
}

void TestSafetensors::namesMustDiffer() {
    const std::string path = m_dir.filePath("twice").toStdString();
    QVERIFY(!writeSafetensors(path, {{"a", torch::ones({1})}, {"a", torch::ones({1})}}).has_value());
    QVERIFY(!writeSafetensors(path, {{"__metadata__", torch::ones({1})}}).has_value());
}

RANKSCOPE_CORE_TEST(TestSafetensors)
#include "tst_safetensors.moc"
