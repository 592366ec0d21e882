// SPDX-License-Identifier: Apache-2.0
// Headers from untrusted sources: errors are reported, and reading costs no more than the size of the header justifies.
#include "core/trainer/formats/tensors/safetensors_header.h"
#include "tests/sanitized.h"
#include "tests/support/test_runner.h"

#include <QElapsedTimer>
#include <QTemporaryDir>
#include <QTest>

#include <sys/resource.h>

#include <cstring>
#include <fstream>

using namespace rankscope;
using namespace rankscope::trainer;

class TestSafetensorsHeader : public QObject {
    Q_OBJECT
    QTemporaryDir m_dir;

    Result<SafetensorsFile> opened(const std::string& header, std::size_t dataBytes = 0) const {
        const std::string path = m_dir.filePath("file.safetensors").toStdString();
        const std::uint64_t size = header.size();
        std::string bytes(sizeof size, '\0');
        std::memcpy(bytes.data(), &size, sizeof size);
        std::ofstream(path, std::ios::binary | std::ios::trunc) << bytes << header << std::string(dataBytes, '\0');
        return openSafetensors(path);
    }
    static std::string tensor(const std::string& name, std::size_t begin, std::size_t end) {
        return "\"" + name + "\":{\"dtype\":\"U8\",\"shape\":[" + std::to_string(end - begin) + "],\"data_offsets\":[" +
               std::to_string(begin) + "," + std::to_string(end) + "]}";
    }

private Q_SLOTS:
    void soundOnes() {
        const auto file = opened(R"({"b":{"shape":[1,2],"dtype":"F16","data_offsets":[8,12]},)"
                                 R"("__metadata__":{"format":"pt","other":3,"deep":{"a":["b"]}},)"
                                 R"("a":{"dtype":"F32","shape":[2],"data_offsets":[0,8],"more":[[{"x":[1]}]]},)"
                                 R"("none":{"dtype":"I64","shape":[0,7],"data_offsets":[12,12]}}   )",
                                 12);
        QVERIFY2(file.has_value(), file ? "" : file.error().message().c_str());
        QCOMPARE(file->entries.size(), std::size_t(3));
        QCOMPARE(file->entries[0].name, std::string("a"));
        QCOMPARE(file->entries[1].name, std::string("b"));
        QCOMPARE(file->entries[1].shape, (std::vector<std::int64_t>{1, 2}));
        QCOMPARE(file->entries[1].type, ElementType::F16);
        QCOMPARE(file->metadata, (std::map<std::string, std::string>{{"format", "pt"}}));
        QVERIFY(opened("{}").has_value());
    }
    void wrongOnes_data() {
        QTest::addColumn<QByteArray>("header");
        QTest::addColumn<QString>("says");
        const auto row = [](const char* header, const char* says) {
            QTest::newRow(header) << QByteArray(header) << says;
        };
        const char *no = "not a JSON object with distinct names", *missing = "is missing";
        for (const char* header : {"", "[]", "7", "\"a\"", "{", "{}}", "{\"a\"}", "[[[[", "nul"})
            row(header, no);
        row(R"({"__metadata__":{},"__metadata__":{}})", no);
        row(R"({"a":{"dtype":"U8","shape":[0],"data_offsets":[0,0]},"a":{"dtype":"U8","shape":[0],"data_offsets":[0,0]}})",
            no);
        for (const char* header : {R"({"a":{}})", R"({"a":5})", R"({"a":[]})", R"({"a":null})", R"({"a":"x"})",
                                   R"({"a":{"dtype":"U8","shape":[0]}})"})
            row(header, missing);
        row(R"({"a":{"dtype":7,"shape":[0],"data_offsets":[0,0]}})", "tensor a: dtype 7 is not supported");
        row(R"({"a":{"dtype":{"x":1}}})", "dtype an object is not supported");
        row(R"({"a":{"shape":3}})", "shape is not a list of at most 16 sizes");
        row(R"({"a":{"shape":[1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1]}})", "shape is not a list of at most 16 sizes");
        row(R"({"a":{"shape":[1.5]}})", "shape contains the size 1.5");
        row(R"({"a":{"shape":[[1]]}})", "shape contains the size a list");
        row(R"({"a":{"shape":[18446744073709551615]}})", "shape contains the size 18446744073709551615");
        row(R"({"a":{"dtype":"U8","shape":[0],"data_offsets":[0]}})", "is not a range");
        row(R"({"a":{"dtype":"U8","shape":[0],"data_offsets":[0,0,0]}})", "is not a range");
        row(R"({"a":{"dtype":"U8","shape":[0],"data_offsets":"x"}})", "data_offsets \"x\" is not a range");
    }
    void wrongOnes() {
        QFETCH(QByteArray, header);
        QFETCH(QString, says);
        const auto file = opened(header.toStdString());
        QVERIFY(!file);
        QCOMPARE(file.error().code, Errc::Malformed);
        QVERIFY2(QString::fromStdString(file.error().what.english()).contains(says),
                 file.error().what.english().c_str());
    }
    /// The JSON parser by itself would treat a NUL as the end of the header.
    void aHeaderGoesOnBehindANul() { QVERIFY(!opened(std::string("{}\0{}", 5))); }

    /// Ten times as many tensors take ten times as long, not a hundred times; the bounds are wide because the machine
    /// may be busy.
    void timeGrowsWithTheBytes() {
        const auto msOf = [&](std::size_t tensors) {
            std::string header = "{";
            for (std::size_t i = 0; i < tensors; ++i)
                header +=
                    (i ? "," : "") + tensor("encoder.layers.17.feed_forward." + std::to_string(i), 2 * i, 2 * i + 2);
            QElapsedTimer timer;
            timer.start();
            const auto file = opened(header + "}", 2 * tensors);
            if (!file || file->entries.size() != tensors)
                qFatal("%s", file ? "tensors are missing" : file.error().message().c_str());
            return timer.elapsed();
        };
        msOf(1000);
        const qint64 some = msOf(20'000), many = msOf(200'000);
        QVERIFY2(many < 40 * std::max<qint64>(some, 5), qPrintable(QString("%1 ms, then %2").arg(some).arg(many)));
        QVERIFY2(many < 20'000, qPrintable(QString::number(many)));
    }
    /// No tree is built of values that are not needed.
    void memoryGrowsWithTheBytes() {
        if (kSanitized)
            QSKIP("memory is another allocator's");
        constexpr std::size_t kBytes = 16 << 20;
        const auto filled = [&](const std::string& begin, const std::string& item, const std::string& end) {
            std::string header = begin;
            while (header.size() < kBytes)
                header += item;
            return header + end;
        };
        rusage before{}, after{};
        ::getrusage(RUSAGE_SELF, &before);
        QElapsedTimer timer;
        timer.start();
        (void)opened(filled("{\"a\":", "[", ""));
        (void)opened(filled("{\"__metadata__\":", "[", ""));
        (void)opened(filled("{\"__metadata__\":[0", ",0", "]}"));
        (void)opened(filled("{\"a\":{\"more\":[0", ",{}", "]}}"));
        (void)opened(filled("{\"a\":{\"dtype\":\"U8\",\"shape\":[0],\"data_offsets\":[0,0]}", ",\"b\":{}", "}"));
        QVERIFY2(timer.elapsed() < 30'000, qPrintable(QString::number(timer.elapsed())));
        ::getrusage(RUSAGE_SELF, &after);
        const long grown =
            after.ru_maxrss - before.ru_maxrss; // KiB; text, file and test each hold several copies of the bytes
        QVERIFY2(grown < 12 * static_cast<long>(kBytes >> 10), qPrintable(QString::number(grown)));
    }
};

RANKSCOPE_TEST(TestSafetensorsHeader)
#include "tst_safetensors_header.moc"
