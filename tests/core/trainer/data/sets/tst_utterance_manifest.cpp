// SPDX-License-Identifier: Apache-2.0
#include "core/trainer/data/sets/utterance.h"
#include "tests/core/trainer/data/synthetic_audio.h"
#include "tests/support/test_runner.h"

#include <QDir>
#include <QTemporaryDir>
#include <QTest>

using namespace rankscope;
using namespace rankscope::trainer;
using namespace rankscope::test;

class TestManifest : public QObject {
    Q_OBJECT

    QTemporaryDir m_dir;
    std::string at(const char* name) const { return m_dir.filePath(QString::fromUtf8(name)).toStdString(); }

private Q_SLOTS:
    void readsWhatNeMoWrites() {
        writeText(at("a.json"),
                  "\xEF\xBB\xBF{\"audio_filepath\": \"sub/../x.wav\", \"duration\": 1.5, \"text\": \"hi\"}\r\n"
                  "\n"
                  "{\"audio_filename\": \"/abs/\xC3\xA9t\xC3\xA9.flac\", \"duration\": 2, \"offset\": 0.25, "
                  "\"speaker\": 7, \"text\": null}\n");
        writeText(at("b.json"), "{\"audio_filepath\": \"y.wav\", \"duration\": 3, \"offset\": null}");
        const auto rows = readManifests({at("a.json"), at("b.json")}, DurationKey::Required);
        QVERIFY2(rows, rows ? "" : rows.error().message().c_str());
        QCOMPARE(rows->size(), std::size_t{3});
        QCOMPARE((*rows)[0].path, at("x.wav"));
        QCOMPARE((*rows)[0].duration, 1.5);
        QCOMPARE((*rows)[0].offset, 0.0);
        QCOMPARE((*rows)[1].path, std::string("/abs/\xC3\xA9t\xC3\xA9.flac"));
        QCOMPARE((*rows)[1].offset, 0.25);
        QCOMPARE((*rows)[2].path, at("y.wav"));
        for (std::int64_t i = 0; i < 3; ++i)
            QCOMPARE((*rows)[static_cast<std::size_t>(i)].row, i);
    }

    void relativeManifestKeepsPathsRelative() {
        const QString before = QDir::currentPath();
        QVERIFY(QDir::setCurrent(m_dir.path()));
        QVERIFY(QDir().mkpath("deep"));
        writeText("deep/m.json", "{\"audio_filepath\": \"x.wav\", \"duration\": 1}\n");
        const auto rows = readManifests({"deep/m.json"}, DurationKey::Required);
        QVERIFY(QDir::setCurrent(before));
        QVERIFY(rows);
        QCOMPARE(rows->front().path, std::string("deep/x.wav"));
    }

    /// First the manifest's folder, then the working folder; ~ is the home folder. As in NeMo's get_full_path.
    void whereAudioLies() {
        const QString before = QDir::currentPath();
        QVERIFY(QDir(m_dir.path()).mkpath("place/lists/both") && QDir(m_dir.path()).mkpath("place/both") &&
                QDir(m_dir.path()).mkpath("place/work") && QDir(m_dir.path()).mkpath("home"));
        QVERIFY(QDir::setCurrent(m_dir.path() + "/place"));
        for (const char* file : {"lists/both/1.wav", "both/1.wav", "both/2.wav", "work/3.wav", "4.wav", "lists/5.wav",
                                 "5.wav", "../home/6.wav"})
            writeText(file, "x");
        const QByteArray home = qgetenv("HOME");
        qputenv("HOME", m_dir.path().toUtf8() + "/home/");
        const std::pair<const char*, std::string> cases[] = {
            {"both/1.wav", "lists/both/1.wav"},                                           // both folders have it
            {"both/2.wav", "both/2.wav"},       {"both/none.wav", "lists/both/none.wav"}, // neither has it
            {"work/3.wav", "work/3.wav"},       {"./4.wav", "4.wav"},
            {"5.wav", "lists/5.wav"},           {"none/7.wav", "lists/none/7.wav"},
            {"~/6.wav", at("home/6.wav")},      {"~nobody-of-that-name/6.wav", "lists/~nobody-of-that-name/6.wav"},
            {"/abs/x.wav", "/abs/x.wav"},
        };
        std::string text;
        for (const auto& [written, found] : cases)
            text += std::string("{\"audio_filepath\": \"") + written + "\", \"duration\": 1}\n";
        writeText("lists/m.json", text);
        const auto rows = readManifests({"lists/m.json"}, DurationKey::Required);
        qputenv("HOME", home);
        QVERIFY(QDir::setCurrent(before));
        QVERIFY2(rows, rows ? "" : rows.error().message().c_str());
        for (std::size_t i = 0; i < std::size(cases); ++i)
            QCOMPARE((*rows)[i].path, cases[i].second);
    }

    void namesLineAndProblem_data() {
        QTest::addColumn<QByteArray>("line");
        QTest::addColumn<QString>("says");
        QTest::newRow("no json") << QByteArray("audio.wav 3.2") << "is not JSON";
        QTest::newRow("cut off") << QByteArray("{\"audio_filepath\": \"x.wav\", \"dura") << "is not JSON";
        QTest::newRow("an array") << QByteArray("[1, 2]") << "is not a JSON object";
        QTest::newRow("bad utf-8") << QByteArray("{\"audio_filepath\": \"\xFF\xFE.wav\", \"duration\": 1}")
                                   << "is not JSON";
        QTest::newRow("no path") << QByteArray("{\"duration\": 1}") << "has no audio_filepath";
        QTest::newRow("list") << QByteArray("{\"audio_filepath\": [\"a\", \"b\"], \"duration\": 1}") << "not a string";
        QTest::newRow("empty path") << QByteArray("{\"audio_filepath\": \"\", \"duration\": 1}")
                                    << "audio_filepath is empty";
        QTest::newRow("no duration") << QByteArray("{\"audio_filepath\": \"x.wav\"}") << "has no duration";
        QTest::newRow("null") << QByteArray("{\"audio_filepath\": \"x.wav\", \"duration\": null}") << "has no duration";
        QTest::newRow("negative") << QByteArray("{\"audio_filepath\": \"x.wav\", \"duration\": -1}")
                                  << "duration is -1 s";
        QTest::newRow("NaN") << QByteArray("{\"audio_filepath\": \"x.wav\", \"duration\": NaN}") << "NaN";
        QTest::newRow("text") << QByteArray("{\"audio_filepath\": \"x.wav\", \"duration\": \"3.2\"}")
                              << "duration is not a number of seconds: \"3.2\"";
        QTest::newRow("huge") << QByteArray("{\"audio_filepath\": \"x.wav\", \"duration\": 1e300}")
                              << "duration is 1e+300 s";
        QTest::newRow("overflow") << QByteArray("{\"audio_filepath\": \"x.wav\", \"duration\": 1e999}")
                                  << "is not JSON";
        QTest::newRow("offset") << QByteArray("{\"audio_filepath\": \"x.wav\", \"duration\": 1, \"offset\": -2}")
                                << "offset is -2 s";
        QTest::newRow("long line") << QByteArray(2 << 20, 'x') << "is longer than";
    }
    void namesLineAndProblem() {
        QFETCH(QByteArray, line);
        QFETCH(QString, says);
        writeText(at("bad.json"), "{\"audio_filepath\": \"x.wav\", \"duration\": 1}\n\n" + line.toStdString() + "\n");
        const auto rows = readManifests({at("bad.json")}, DurationKey::Required);
        QVERIFY(!rows);
        QCOMPARE(rows.error().code, Errc::BadInput);
        QCOMPARE(rows.error().where, at("bad.json") + ":3");
        const QString what = QString::fromStdString(rows.error().what.english());
        QVERIFY2(what.contains(says), qPrintable(what));
        QVERIFY(what.size() < 400);
    }

    void durationIsOptionalForNoise() {
        writeText(at("noise.json"), "{\"audio_filepath\": \"n.wav\"}\n");
        const auto rows = readManifests({at("noise.json")}, DurationKey::Optional);
        QVERIFY(rows);
        QCOMPARE(rows->front().duration, 0.0);
    }

    void saysWhatIsWrongWithTheFile() {
        writeText(at("empty.json"), "\n \n");
        QVERIFY(QDir(m_dir.path()).mkpath("folder"));
        const std::pair<std::string, QString> cases[] = {{at("empty.json"), "the manifest is empty"},
                                                         {at("none.json"), "No such file"},
                                                         {at("folder"), "is a folder"}};
        for (const auto& [file, says] : cases) {
            const auto rows = readManifests({file}, DurationKey::Required);
            QVERIFY(!rows);
            QCOMPARE(rows.error().where, file);
            QVERIFY2(QString::fromStdString(rows.error().what.english()).contains(says),
                     rows.error().what.english().c_str());
        }
    }

    void filterCounts() {
        std::vector<Utterance> rows;
        for (const double seconds : {0.5, 1.0, 5.0, 10.0, 10.5, 20.0})
            rows.push_back({"x.wav", 0, seconds, static_cast<std::int64_t>(rows.size())});
        const auto all = std::make_shared<ManifestSet>(rows);
        const DurationFilter filter(all, 1.0, 10.0);
        QCOMPARE(filter.size(), 3);
        QCOMPARE(filter.tooShort(), 1);
        QCOMPARE(filter.tooLong(), 2);
        QCOMPARE(filter.get(0).row, 1);
        QCOMPARE(filter.get(2).row, 3);
        QCOMPARE(DurationFilter(all, 0, 0).size(), 6);
    }
};

RANKSCOPE_CORE_TEST(TestManifest)
#include "tst_utterance_manifest.moc"
