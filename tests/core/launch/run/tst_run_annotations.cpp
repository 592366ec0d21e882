// SPDX-License-Identifier: Apache-2.0
#include "core/base/files/atomic_file.h"
#include "core/base/files/file.h"
#include "core/launch/run/run_annotations.h"
#include "tests/support/test_runner.h"

#include <QTemporaryDir>
#include <QTest>

#include <nlohmann/json.hpp>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

using namespace rankscope;
using namespace rankscope::launch;

class TestRunMarks : public QObject {
    Q_OBJECT
    std::unique_ptr<QTemporaryDir> m_dir;

    RunPaths run() const { return RunPaths{m_dir->path().toStdString()}; }
    std::filesystem::path file() const { return run().dir / "marks.json"; }

private Q_SLOTS:
    void init() { m_dir = std::make_unique<QTemporaryDir>(); }

    void aRunWithoutMarks() {
        const auto marks = readMarks(run());
        QVERIFY(marks);
        QCOMPARE(*marks, RunMarks{});
        QVERIFY(!std::filesystem::exists(file()));
    }

    void whatIsWrittenIsRead() {
        const auto written = editMarks(run(), [](RunMarks& m) {
            m.tags = {" baseline ", "", "night", "baseline", "\t"};
            m.note = "zwei\nZeilen 二";
            m.favourite = true;
            m.annotate({0, 12, 20, 5'000'000'000, 3, "here", 7});
            m.annotate({0, 4, 4, 1, -1, "before", 8});
        });
        QVERIFY(written);
        QCOMPARE(written->tags, (std::vector<std::string>{"baseline", "night"}));
        QCOMPARE(written->annotations.front().text, std::string("before")); // sorted by step
        QCOMPARE(written->annotations.front().id, 2);
        const auto read = readMarks(run());
        QVERIFY(read);
        QCOMPARE(*read, *written);
        struct stat st {};
        QCOMPARE(::stat(file().c_str(), &st), 0);
        QCOMPARE(st.st_mode & 0777, 0600u);
    }

    /// A title is stored as one line, whichever program wrote it.
    void aTitleIsOneShortLine() {
        const auto title = [this](const std::string& text) {
            const auto written = editMarks(run(), [&text](RunMarks& m) { m.title = text; });
            return written ? written->title : written.error().message();
        };
        QCOMPARE(title("  two\nworkers\t"), std::string("two workers"));
        QCOMPARE(title(" \n "), std::string());
        std::string many;
        while (many.size() < 300)
            many += "二";
        const std::string cut = title(many);
        QVERIFY(cut.size() <= 200 && cut.size() % 3 == 0); // no character is split
        QCOMPARE(readMarks(run())->title, cut);
        QVERIFY(editMarks(run(), [](RunMarks& m) { m.note = "n"; })); // changing other marks keeps it
        QCOMPARE(readMarks(run())->title, cut);
    }

    void idsAreNotGivenAgain() {
        RunMarks m;
        m.annotate({});
        const auto second = m.annotate({});
        m.annotations.erase(m.annotations.begin());
        QVERIFY(m.annotate({}) > second);
    }

    void whatANewerVersionAddedStays() {
        QVERIFY(writeFileAtomic(file(), R"({"format":1,"colour":"red","tags":["a"]})"));
        QVERIFY(editMarks(run(), [](RunMarks& m) { m.note = "n"; }));
        const auto j = nlohmann::json::parse(*readFile(file()));
        QCOMPARE(j.at("colour").get<std::string>(), std::string("red"));
        QCOMPARE(j.at("tags").size(), std::size_t{1});
    }

    void damagedFilesAreNamedAndKept_data() {
        QTest::addColumn<QByteArray>("text");
        QTest::addColumn<QString>("says");
        QTest::newRow("no JSON") << QByteArray("{\"tags\": [") << "not a JSON object";
        QTest::newRow("a list") << QByteArray("[]") << "not a JSON object";
        QTest::newRow("tags") << QByteArray(R"({"tags": 3})") << "'tags'";
        QTest::newRow("favourite") << QByteArray(R"({"favourite": "yes"})") << "'favourite'";
        QTest::newRow("annotations") << QByteArray(R"({"annotations": {}})") << "'annotations'";
        QTest::newRow("an annotation") << QByteArray(R"({"annotations": [{"id": 1}]})") << "'annotations'";
        QTest::newRow("nested without end") << "{\"x\": " + QByteArray(200'000, '[') + QByteArray(200'000, ']') + "}"
                                            << "not a JSON object";
        QTest::newRow("newer") << QByteArray(R"({"format": 9})") << "newer Rankscope (format 9";
    }
    void damagedFilesAreNamedAndKept() {
        QFETCH(QByteArray, text);
        QFETCH(QString, says);
        QVERIFY(writeFileAtomic(file(), text.toStdString()));
        const auto read = readMarks(run());
        QVERIFY(!read);
        const QString message = QString::fromStdString(read.error().message());
        QVERIFY2(message.contains(says) && message.contains("marks.json"), qPrintable(message));
        QVERIFY(!editMarks(run(), [](RunMarks& m) { m.favourite = true; }));
        QCOMPARE(QByteArray::fromStdString(*readFile(file())), text);
    }

    /// Several processes write at the same time: no change is lost.
    void writersTakeTurns() {
        constexpr int kWriters = 4, kEach = 25;
        std::vector<pid_t> children;
        for (int w = 0; w < kWriters; ++w) {
            const pid_t pid = ::fork();
            QVERIFY(pid >= 0);
            if (pid == 0) {
                for (int i = 0; i < kEach; ++i)
                    if (!editMarks(run(), [&](RunMarks& m) { m.annotate({0, w, w, i, -1, "x", 0}); }))
                        ::_exit(1);
                ::_exit(0);
            }
            children.push_back(pid);
        }
        for (const pid_t pid : children) {
            int status = 0;
            QCOMPARE(::waitpid(pid, &status, 0), pid);
            QCOMPARE(status, 0);
        }
        const auto marks = readMarks(run());
        QVERIFY(marks);
        QCOMPARE(marks->annotations.size(), std::size_t{kWriters * kEach});
    }

    void aFolderThatMayNotBeWritten() {
        if (::geteuid() == 0)
            QSKIP("root may write everywhere");
        QVERIFY(QFile::setPermissions(m_dir->path(), QFile::ReadOwner | QFile::ExeOwner));
        const auto edited = editMarks(run(), [](RunMarks& m) { m.favourite = true; });
        QVERIFY(!edited && edited.error().code == Errc::Permission);
        QFile::setPermissions(m_dir->path(), QFile::ReadOwner | QFile::WriteOwner | QFile::ExeOwner);
    }
};

RANKSCOPE_CORE_TEST(TestRunMarks)
#include "tst_run_annotations.moc"
