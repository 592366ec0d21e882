// SPDX-License-Identifier: Apache-2.0
// Tests completion as bash does it: sources the script, puts the words where bash puts them, and calls its function.
#include "tests/packaging/ran.h"
#include "tests/support/test_runner.h"

#include <QDir>
#include <QFile>
#include <QIODevice>
#include <QLatin1Char>
#include <QProcessEnvironment>
#include <QTemporaryDir>
#include <QTest>

using namespace rankscope::test;

class TestCompletion : public QObject {
    Q_OBJECT
    QTemporaryDir m_dir;

    /// Returns the completions for TAB after the last of `words`.
    QStringList completed(const QStringList& words) {
        const QString script = QStringLiteral("source \"$1\"; shift; COMP_WORDS=(\"$@\"); COMP_CWORD=$(($# - 1)); "
                                              "spec=$(complete -p \"$1\"); fn=${spec#*-F }; ${fn%% *} 2>&1; "
                                              "printf '%s\\n' \"${COMPREPLY[@]}\"");
        auto environment = QProcessEnvironment::systemEnvironment();
        environment.insert("PATH", QStringLiteral(RANKSCOPE_BIN_DIR ":") + environment.value("PATH"));
        environment.insert("RANKSCOPE_RUNS", m_dir.filePath("runs"));
        const QString file = QStringLiteral(RANKSCOPE_SOURCE_DIR "/packaging/completion/%1.bash").arg(words.front());
        const Ran one =
            ran("bash", QStringList{"--norc", "-c", script, "bash", file} + words, environment, m_dir.path());
        if (one.code != 0 || !one.err.isEmpty())
            qWarning("%s", qPrintable(one.err));
        return one.code == 0 ? one.out.split(QLatin1Char('\n'), Qt::SkipEmptyParts) : QStringList{"failed"};
    }

private Q_SLOTS:
    void initTestCase() {
        QDir dir(m_dir.path());
        for (const char* run : {"20260101-120000-one-1a2b", "20260102-120000-two-3c4d"})
            QVERIFY(dir.mkpath(QStringLiteral("runs/%1").arg(QLatin1String(run))));
        QVERIFY(dir.mkpath("runs/no-run") && dir.mkpath("a folder"));
        for (const char* name : {"runs/20260101-120000-one-1a2b/run.json", "runs/20260102-120000-two-3c4d/run.json",
                                 "mine.yaml", "notes.txt", "weights.nemo"}) {
            QFile file(dir.filePath(QLatin1String(name)));
            QVERIFY(file.open(QIODevice::WriteOnly));
        }
    }

    void commands() {
        const auto all = completed({"rankscopectl", ""});
        for (const char* one : {"launch", "list", "diagnose", "import", "convert", "--help", "--version"})
            QVERIFY2(all.contains(QLatin1String(one)), one);
        QCOMPARE(completed({"rankscopectl", "sca"}), QStringList{"scaling"});
        QCOMPARE(completed({"rankscopectl", "nothing"}), QStringList{});
        QCOMPARE(completed({"rankscopectl", "list", "--lang", "z"}), QStringList{"zh"});
    }
    void options() {
        const auto all = completed({"rankscopectl", "launch", "--"});
        for (const char* one : {"--ranks", "--runs", "--resume", "--fault", "--detach"})
            QVERIFY2(all.contains(QLatin1String(one)), one);
        QCOMPARE(completed({"rankscopectl", "diagnose", "--rep"}), QStringList{"--replay"});
        QCOMPARE(completed({"rankscopectl", "export", "last", "--format", ""}),
                 (QStringList{"csv", "tensorboard", "chrome-trace", "html"}));
        QCOMPARE(completed({"rankscopectl", "export", "last", "--format", "te"}), QStringList{"tensorboard"});
        QVERIFY(completed({"rankscopectl", "launch", "mine.yaml", "--fault", "data"}).contains("data_loading"));
    }
    void runs() {
        const QStringList both{"20260101-120000-one-1a2b", "20260102-120000-two-3c4d", "last"};
        QCOMPARE(completed({"rankscopectl", "show", ""}), both);
        QCOMPARE(completed({"rankscopectl", "launch", "--resume", "20260102"}), QStringList{both[1]});
        QCOMPARE(completed({"rankscopectl", "show", "--runs", "a folder", ""}), QStringList{"last"});
    }
    void files() {
        QCOMPARE(completed({"rankscopectl", "plan", "m"}), QStringList{"mine.yaml"});
        QCOMPARE(completed({"rankscopectl", "weights", "w"}), QStringList{"weights.nemo"});
        QCOMPARE(completed({"rankscopectl", "plan", "n"}), QStringList{});
        QCOMPARE(completed({"rankscopectl", "import", "a"}), QStringList{"a folder"});
    }
    void window() {
#ifdef RANKSCOPE_HAS_WINDOW
        const auto all = completed({"rankscope", "--"});
        for (const char* one : {"--help", "--runs", "--screenshot", "--startup-time"})
            QVERIFY2(all.contains(QLatin1String(one)), one);
        QCOMPARE(completed({"rankscope", "--theme", "d"}), QStringList{"dark"});
        QCOMPARE(completed({"rankscope", "--page", "time"}), QStringList{"timeline"});
        QCOMPARE(completed({"rankscope", "m"}), QStringList{"mine.yaml"});
        QCOMPARE(completed({"rankscope", "--explain", "n"}), QStringList{"notes.txt"});
        QVERIFY(completed({"rankscope", "--run", ""}).contains("20260101-120000-one-1a2b"));
#else
        QSKIP("built without the window");
#endif
    }
};

RANKSCOPE_CORE_TEST(TestCompletion)
#include "tst_completion.moc"
