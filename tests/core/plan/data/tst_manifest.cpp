// SPDX-License-Identifier: Apache-2.0
// Manifests as a plan reads them: every line is checked, errors are counted and reported, and a million lines are no
// problem.
#include "core/plan/data/manifest.h"
#include "tests/sanitized.h"
#include "tests/support/test_runner.h"

#include <QFile>
#include <QTemporaryDir>
#include <QTest>

#include <sys/resource.h>
#include <sys/stat.h>

using namespace rankscope;
using namespace rankscope::plan;

class TestPlanManifest : public QObject {
    Q_OBJECT

    QTemporaryDir m_dir;
    std::string write(const char* name, const QByteArray& text) const {
        QFile file(m_dir.filePath(name));
        if (!file.open(QIODevice::WriteOnly) || file.write(text) != text.size())
            qFatal("cannot write %s", name);
        return file.fileName().toStdString();
    }
    static config::DatasetConfig dataset(std::vector<std::string> manifests) {
        config::DatasetConfig data;
        data.manifests = std::move(manifests);
        data.minDuration = 1;
        data.maxDuration = 10;
        return data;
    }

private Q_SLOTS:
    void aLaunchAsksForWhatTheTrainerNeeds() {
        const auto check = [&](const QByteArray& text, std::int64_t rows = 1000) {
            const auto checked = checkManifest(write("m.json", text), DurationKey::Required, rows);
            return checked ? std::string() : checked.error().message();
        };
        const QByteArray good = "{\"audio_filepath\": \"a.wav\", \"duration\": 2}\n";
        QCOMPARE(check(good + good), std::string());
        QVERIFY(check("\n \n").ends_with("m.json: the manifest is empty: it lists no utterances"));
        QVERIFY(check(good + "\n{\"audio_filepath\": \"a.wav\"}\n").find("m.json:3: has no duration") !=
                std::string::npos);
        QCOMPARE(check(good + good + "no json\n", 2), std::string()); // the trainer finds errors in later lines
        QCOMPARE(checkManifest(m_dir.filePath("none.json").toStdString(), DurationKey::Required, 9).error().code,
                 Errc::NotFound);
    }
    /// Neither a pipe nor a file without line ends may block a launch or exhaust memory.
    void whatIsNoManifest() {
        const std::string fifo = m_dir.filePath("fifo.json").toStdString();
        QCOMPARE(::mkfifo(fifo.c_str(), 0600), 0);
        for (const std::string& file : {fifo, std::string("/dev/zero")}) {
            const auto checked = checkManifest(file, DurationKey::Required, 1000);
            QVERIFY(!checked);
            QCOMPARE(checked.error().code, Errc::BadInput);
            QVERIFY2(checked.error().what.english().find("regular file") != std::string::npos,
                     checked.error().what.english().c_str());
            QVERIFY(!readDurations(dataset({file}), nullptr));
        }
        QFile endless(m_dir.filePath("endless.json"));
        QVERIFY(endless.open(QIODevice::WriteOnly) && endless.resize(qint64(2) << 30)); // takes no space on disk
        rusage before{}, after{};
        ::getrusage(RUSAGE_SELF, &before);
        const auto checked = checkManifest(endless.fileName().toStdString(), DurationKey::Required, 1000);
        ::getrusage(RUSAGE_SELF, &after);
        QVERIFY(!checked);
        QVERIFY2(checked.error().message().find("endless.json:1: is longer than") != std::string::npos,
                 checked.error().message().c_str());
        QVERIFY(after.ru_maxrss - before.ru_maxrss < 64 << 10); // KiB
    }
    void aLineThatIsTooLongIsSteppedOver() {
        const QByteArray good = "{\"audio_filepath\": \"a.wav\", \"duration\": 2}\n";
        for (const qsizetype length : {(1 << 20) - 1, 1 << 20, (1 << 20) + 1, 3 << 20}) {
            const auto file = write("long.json", good + QByteArray(length, ' ') + "\n" + good);
            const auto found = readDurations(dataset({file}), nullptr);
            QVERIFY(found);
            QCOMPARE(found->facts.used, std::int64_t{2});
            QCOMPARE(found->facts.bad, std::int64_t{length > 1 << 20 ? 1 : 0});
        }
    }
    /// An invalid value is reported in a few words, however large it is.
    void aValueThatIsNestedWithoutEnd() {
        const QByteArray deep = QByteArray(400'000, '[') + QByteArray(400'000, ']');
        const auto file = write("deep.json", "{\"audio_filepath\": \"a.wav\", \"duration\": " + deep + "}\n");
        const auto found = readDurations(dataset({file}), nullptr);
        QVERIFY(found);
        QCOMPARE(found->facts.bad, std::int64_t{1});
        QVERIFY2(found->facts.firstBad[0].english().ends_with("duration is not a number of seconds: a list"),
                 found->facts.firstBad[0].english().c_str());
    }
    void countsAndNames() {
        QByteArray text = "\xEF\xBB\xBF{\"audio_filepath\": \"a.wav\", \"duration\": 2}\n\n"
                          "{\"audio_filepath\": \"b.wav\", \"duration\": 0.5}\n"
                          "{\"audio_filepath\": \"c.wav\", \"duration\": 10}\r\n"
                          "{\"audio_filepath\": \"d.wav\", \"duration\": 10.5}\n"
                          "{\"audio_filepath\": \"e.wav\"}\n"
                          "[1, 2]\n"
                          "{\"audio_filepath\": \"f.wav\", \"duration\": -1}\n";
        text += QByteArray(2 << 20, 'x') + "\n{\"audio_filepath\": \"g.wav\", \"duration\": 4}";
        for (int i = 0; i < 4; ++i)
            text += "\nno json";
        const auto file = write("a.json", text);
        const auto found = readDurations(dataset({file}), nullptr);
        QVERIFY2(found, found ? "" : found.error().message().c_str());
        const auto& f = found->facts;
        QCOMPARE(f.lines, std::int64_t{13});
        QCOMPARE(f.used, std::int64_t{3});
        QCOMPARE(f.tooShort, std::int64_t{1});
        QCOMPARE(f.tooLong, std::int64_t{1});
        QCOMPARE(f.bad, std::int64_t{8});
        QCOMPARE(f.firstBad.size(), std::size_t{5});
        QVERIFY2(f.firstBad[0].english().starts_with(file + ":6: has no duration"), f.firstBad[0].english().c_str());
        QVERIFY2(f.firstBad[3].english().starts_with(file + ":9: is longer than"), f.firstBad[3].english().c_str());
        QCOMPARE(found->seconds, (std::vector<float>{2, 10, 4}));
        QCOMPARE(f.shortest, 2.0);
        QCOMPARE(f.median, 4.0);
        QCOMPARE(f.longest, 10.0);
        QCOMPARE(f.seconds, 16.0);
    }

    /// A sample of the lines is enough to report missing files early.
    void audioThatIsMissing() {
        write("there.wav", "x");
        QByteArray text;
        for (int i = 0; i < 2'000; ++i)
            text += QByteArray("{\"audio_filepath\": \"") + (i % 4 == 1 ? "gone.wav" : "there.wav") +
                    "\", \"duration\": 2}\n";
        const auto file = write("sample.json", text);
        const auto found = readDurations(dataset({file}), nullptr);
        QVERIFY(found);
        QCOMPARE(found->facts.audioLooked, std::int64_t{501});
        QCOMPARE(found->facts.audioMissing, std::int64_t{126});
        QCOMPARE(found->facts.firstMissing, m_dir.filePath("gone.wav").toStdString());
        AudioCheck look;
        std::int64_t row = 0;
        QVERIFY(checkManifest(file, DurationKey::Required, 1'000, [&](const ManifestRow& r) {
            look.look(row++, r.path);
            return false;
        }));
        QCOMPARE(look.looked, std::int64_t{500});
        QCOMPARE(look.missing, std::int64_t{125});
        auto tarred = dataset({file});
        tarred.tarred.enabled = true; // names of tar members, not files
        QCOMPARE(readDurations(tarred, nullptr)->facts.audioLooked, std::int64_t{0});
    }

    void bucketsInOrder() {
        auto data = dataset({});
        for (int i = 1; i <= 3; ++i)
            data.buckets.push_back(
                {write(("b" + std::to_string(i)).c_str(),
                       QByteArray("{\"audio_filepath\": \"x\", \"duration\": ") + QByteArray::number(2 * i) + "}\n")});
        const auto found = readDurations(data, nullptr);
        QVERIFY(found);
        QCOMPARE(found->bucketBegin, (std::vector<std::int64_t>{0, 1, 2, 3}));
        QCOMPARE(found->seconds, (std::vector<float>{2, 4, 6}));
    }

    void whatCannotBeRead() {
        QVERIFY(!readDurations(dataset({m_dir.filePath("none").toStdString()}), nullptr));
        QVERIFY(!readDurations(dataset({m_dir.path().toStdString()}), nullptr));
        QVERIFY(!readDurations(dataset({write("empty", "\n \n")}), nullptr));
        QVERIFY(!readDurations(dataset({"/dev/zero"}), nullptr)); // it would never end
    }

    void leavesWhenTold() {
        QByteArray text;
        for (int i = 0; i < 10'000; ++i)
            text += "{\"audio_filepath\": \"x\", \"duration\": 2}\n";
        int asked = 0;
        const auto found = readDurations(dataset({write("long", text)}), [&] { return ++asked == 2; });
        QVERIFY(!found);
        QCOMPARE(found.error().code, Errc::Busy);
        QCOMPARE(asked, 2);
    }

    /// Four bytes per utterance: 200,000 lines of 1,000 bytes are never all in memory.
    void memoryStaysSmall() {
        if (kSanitized)
            QSKIP("a sanitizer keeps what was freed");
        QFile file(m_dir.filePath("wide"));
        QVERIFY(file.open(QIODevice::WriteOnly));
        const QByteArray line =
            "{\"audio_filepath\": \"x.wav\", \"duration\": 3.5, \"text\": \"" + QByteArray(950, 'y') + "\"}\n";
        for (int i = 0; i < 200'000; ++i)
            file.write(line);
        file.close();
        rusage before{}, after{};
        ::getrusage(RUSAGE_SELF, &before);
        const auto found = readDurations(dataset({file.fileName().toStdString()}), nullptr);
        ::getrusage(RUSAGE_SELF, &after);
        QVERIFY(found);
        QCOMPARE(found->facts.used, std::int64_t{200'000});
        QVERIFY2(after.ru_maxrss - before.ru_maxrss < 20 * 1024,
                 QByteArray::number(qint64(after.ru_maxrss - before.ru_maxrss)));
    }
};

RANKSCOPE_CORE_TEST(TestPlanManifest)
#include "tst_manifest.moc"
