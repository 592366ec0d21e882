// SPDX-License-Identifier: Apache-2.0
// TFRecord and the messages in it: golden bytes, and damage anywhere.
#include "core/base/files/file.h"
#include "core/exchange/tensorboard/event.h"
#include "core/exchange/tensorboard/tfrecord.h"
#include "tests/support/test_runner.h"

#include <QTemporaryDir>
#include <QTest>

#include <cmath>
#include <fstream>
#include <random>

using namespace rankscope;
using namespace rankscope::exchange;

class TestRecordFile : public QObject {
    Q_OBJECT

    QTemporaryDir m_dir;

    std::filesystem::path write(const std::string& bytes) const {
        const std::filesystem::path path = m_dir.filePath("records").toStdString();
        if (!std::ofstream(path, std::ios::binary).write(bytes.data(), static_cast<std::streamsize>(bytes.size())))
            qFatal("cannot write");
        return path;
    }
    struct Read {
        std::vector<std::string> records;
        std::optional<Damage> damage;
        std::uint64_t skipped = 0, firstSkipped = 0;
    };
    Read read(const std::string& bytes) const {
        auto reader = RecordReader::open(write(bytes));
        if (!reader)
            qFatal("%s", reader.error().message().c_str());
        Read all;
        for (;;) {
            auto record = reader->next();
            if (!record)
                qFatal("%s", record.error().message().c_str());
            if (!*record)
                break;
            all.records.push_back(**record);
        }
        all.damage = reader->damage();
        all.skipped = reader->skipped();
        all.firstSkipped = reader->firstSkipped();
        return all;
    }

private Q_SLOTS:
    /// RFC 3720, B.4.
    void checksums() {
        QCOMPARE(crc32c("123456789"), 0xE3069283u);
        QCOMPARE(crc32c(std::string(32, '\0')), 0x8A9136AAu);
        QCOMPARE(crc32c(std::string(32, '\xFF')), 0x62A8AB43u);
        QCOMPARE(crc32c(""), 0u);
    }

    /// The output of TensorBoard's own writer for the same data (tensorboard 2.20: RecordWriter,
    /// Event(file_version=...)).
    void goldenBytes() {
        QCOMPARE(QByteArray::fromStdString(framed("rank")).toHex(),
                 QByteArray("04000000000000004245520472616e6bf7c5658b"));
        QCOMPARE(QByteArray::fromStdString(firstEvent(1.5, "w")).toHex(),
                 QByteArray("09000000000000f83f1a0d627261696e2e4576656e743a3252030a0177"));
        QCOMPARE(QByteArray::fromStdString(scalarEvent(2.25, 300, {{"a/b", 0.5}, {"c", -3}})).toHex(),
                 QByteArray("09000000000000024010ac022a160a0a0a03612f62150000003f0a080a016315000040c0"));
        QCOMPARE(
            QByteArray::fromStdString(textEvent(2.25, 7, "t", "**x**")).toHex(),
            QByteArray("09000000000000024010072a200a1e0a0174420f080712041202080142052a2a782a2a4a080a060a0474657874"));
    }

    void aFileOfManyRecords() {
        const std::filesystem::path path = m_dir.filePath("many").toStdString();
        auto writer = RecordWriter::create(path);
        std::vector<std::string> wanted;
        for (int i = 0; i < 20'000; ++i) {
            wanted.push_back(std::string(static_cast<std::size_t>(i * 7 % 100), static_cast<char>(i)));
            writer->write(wanted.back());
        }
        QVERIFY(!std::filesystem::exists(path));
        QVERIFY(writer->commit());
        QVERIFY(read(*readFile(path)).records == wanted);
    }

    /// Cut anywhere: everything before the cut is read, and the damage is reported at the start of the cut record.
    void cutAnywhere() {
        std::string bytes;
        std::vector<std::size_t> begins;
        for (const char* record : {"first", "", "the third one"}) {
            begins.push_back(bytes.size());
            bytes += framed(record);
        }
        for (std::size_t size = 0; size < bytes.size(); ++size) {
            const Read all = read(bytes.substr(0, size));
            std::size_t whole = 0;
            while (whole < begins.size() && (whole + 1 == begins.size() ? bytes.size() : begins[whole + 1]) <= size)
                ++whole;
            QCOMPARE(all.records.size(), whole);
            const bool atBorder = whole < begins.size() && begins[whole] == size;
            QCOMPARE(all.damage.has_value(), !atBorder);
            if (all.damage) {
                QCOMPARE(all.damage->offset, std::uint64_t{begins[whole]});
                QCOMPARE(all.damage->lostBytes, std::uint64_t{size - begins[whole]});
            }
        }
    }

    /// Any single flipped bit: no record is read that was not written, and the damage is always reported.
    void turnedBits() {
        const std::vector<std::string> written{"first", "second", "the third one"};
        std::string bytes;
        for (const auto& record : written)
            bytes += framed(record);
        for (std::size_t bit = 0; bit < bytes.size() * 8; ++bit) {
            std::string damaged = bytes;
            damaged[bit / 8] = static_cast<char>(damaged[bit / 8] ^ (1 << bit % 8));
            const Read all = read(damaged);
            QVERIFY(all.records.size() < written.size());
            QVERIFY(all.damage.has_value() != (all.skipped > 0));
            for (const auto& record : all.records)
                QVERIFY(std::find(written.begin(), written.end(), record) != written.end());
            if (all.skipped > 0)
                QCOMPARE(all.records.size(), written.size() - 1);
        }
    }

    /// A length beyond the end of the file must not be allocated.
    void impossibleLength() {
        std::string head(8, '\xFF');
        head[7] = '\x0F';
        const std::uint32_t crc = maskedCrc(head);
        head.append(reinterpret_cast<const char*>(&crc), sizeof crc);
        const Read all = read(framed("good") + head + "rest");
        QCOMPARE(all.records.size(), std::size_t{1});
        QVERIFY(all.damage && all.damage->what.english().find("cut off") != std::string::npos);
        QCOMPARE(all.damage->lostBytes, std::uint64_t{16});
    }

    void aHugeRecordIsPassedOver() {
        const Read all = read(framed("a") + framed(std::string(65u << 20, 'x')) + framed("b"));
        QCOMPARE(all.records, (std::vector<std::string>{"a", "b"}));
        QCOMPARE(all.skipped, std::uint64_t{1});
        QCOMPARE(all.firstSkipped, std::uint64_t{framed("a").size()});
    }

    void notARegularFile() {
        const auto folder = RecordReader::open(m_dir.path().toStdString());
        QVERIFY(!folder && folder.error().where == m_dir.path().toStdString());
    }

    void events() {
        const auto event = readEvent(scalarEvent(2.25, 300, {{"a/b", 0.5}, {"c", -3}}));
        QVERIFY(event && event->wallTime == 2.25 && event->step == 300);
        QCOMPARE(event->scalars.size(), std::size_t{2});
        QVERIFY(event->scalars[0].tag == "a/b" && event->scalars[0].value == 0.5 && event->scalars[1].value == -3);
        const auto first = readEvent(firstEvent(1.5, "w"));
        QVERIFY(first && first->fileVersion == "brain.Event:2" && first->writer == "w");
        const auto text = readEvent(textEvent(0, 1, "t", "x"));
        QVERIFY(text && text->scalars.empty() && text->otherValues == 1);
        const auto nan = readEvent(scalarEvent(0, 0, {{"n", std::nan("")}, {"i", 1e300}, {"m", -INFINITY}}));
        QVERIFY(std::isnan(nan->scalars[0].value) && nan->scalars[1].value == INFINITY &&
                nan->scalars[2].value == -INFINITY);
    }

    /// Any bytes give an event or none, and nothing beyond them is read.
    void eventsOfAnyBytes() {
        const std::string sound = scalarEvent(2.25, 300, {{"a/b", 0.5}, {"c", -3}}) + textEvent(1, 2, "t", "u");
        for (std::size_t size = 0; size < sound.size(); ++size)
            (void)readEvent(sound.substr(0, size));
        int events = 0, none = 0;
        std::mt19937 random(1);
        for (int i = 0; i < 200'000; ++i) {
            std::string bytes = sound.substr(0, random() % sound.size());
            for (int k = 0; k < 3 && !bytes.empty(); ++k)
                bytes[random() % bytes.size()] = static_cast<char>(random());
            ++(readEvent(bytes) ? events : none);
        }
        QVERIFY(events > 1000 && none > 1000);
    }
};

RANKSCOPE_TEST(TestRecordFile)
#include "tst_tfrecord.moc"
