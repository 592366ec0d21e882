// SPDX-License-Identifier: Apache-2.0
// The commands use the language of --lang; without it, that of the locale on a terminal, and English in a pipe.
#include "core/base/files/unique_fd.h"
#include "core/launch/run/launch_spec.h"
#include "tests/process/launched_run.h"
#include "tests/support/test_runner.h"

#include <QDeadlineTimer>
#include <QTest>

#include <fcntl.h>
#include <pty.h>
#include <unistd.h>

#include <algorithm>

using namespace rankscope;
using namespace rankscope::test;

class TestLanguage : public QObject {
    Q_OBJECT
    static inline std::unique_ptr<Workplace> w;

    static QString printed(const QStringList& args, int exitCode = 0) {
        const auto o = w->ctl(args + QStringList{"--runs", w->runsDir()});
        if (o.exitCode != exitCode)
            qWarning("exit code %d: %s", o.exitCode, qPrintable(o.err));
        return o.exitCode == exitCode ? o.out : QString();
    }
    static bool isChinese(const QString& text) {
        return std::any_of(text.begin(), text.end(), [](QChar c) { return c.script() == QChar::Script_Han; });
    }
    /// Returns the terminal columns before `part`; -1: the line does not contain it.
    static int columnOf(const QString& line, const QString& part) {
        const qsizetype at = line.indexOf(part);
        int column = at < 0 ? -1 : 0;
        for (qsizetype i = 0; i < at; ++i)
            column += line[i].unicode() >= 0x2e80 ? 2 : 1;
        return column;
    }
    static QString onTerminal(const QStringList& args) {
        int master = -1, slave = -1;
        if (::openpty(&master, &slave, nullptr, nullptr, nullptr) != 0)
            return {};
        const UniqueFd ours(master);
        const UniqueFd theirs(slave); // kept open until everything has been read
        ::fcntl(master, F_SETFL, O_NONBLOCK);
        QProcess process;
        process.setProcessEnvironment(w->environment());
        process.setChildProcessModifier([slave] { ::dup2(slave, STDOUT_FILENO); });
        process.start(QStringLiteral(RANKSCOPE_BIN_DIR "/rankscopectl"), args + QStringList{"--runs", w->runsDir()});
        QByteArray all;
        bool ended = false;
        for (QDeadlineTimer limit(20'000); !ended && !limit.hasExpired();) { // it writes more than a terminal buffers
            ended = process.waitForFinished(20);
            char bytes[4096];
            for (ssize_t n = 0; (n = ::read(master, bytes, sizeof bytes)) > 0;)
                all.append(bytes, n);
        }
        return QString::fromUtf8(all);
    }

private Q_SLOTS:
    void initTestCase() {
        qunsetenv("LC_ALL");
        qputenv("LC_MESSAGES", "C");
        w = std::make_unique<Workplace>();
        w->setTarget("do=stall at=10 seconds=1.2");
        const auto o = w->launch({"--json"});
        QVERIFY2(o.exitCode == 0, qPrintable(o.err));
    }
    void cleanupTestCase() { w.reset(); }
    void cleanup() { qunsetenv("LC_ALL"); }

    void reports_data() {
        QTest::addColumn<QStringList>("args");
        QTest::addColumn<QStringList>("parts");
        QTest::newRow("show") << QStringList{"show", "last"}
                              << QStringList{"任务     20", "状态     已完成", "步数     30 / 30", "等待     共",
                                             "任务目录 ",   "拖住其他",        "数据加载",         "计数器"};
        QTest::newRow("waits") << QStringList{"waits", "last"}
                               << QStringList{"rank 1 让其他 rank 等了", "data_wait", "各 rank 均衡", "等待耗时",
                                              "等待方"};
        QTest::newRow("diagnose") << QStringList{"diagnose", "last"}
                                  << QStringList{"1. 数据加载，起止：", "已恢复", "rank 1"};
        QTest::newRow("list") << QStringList{"list"} << QStringList{"任务", "状态", "已完成", "前"};
    }
    void reports() {
        QFETCH(QStringList, args);
        QFETCH(QStringList, parts);
        const QString english = printed(args);
        QVERIFY2(!english.isEmpty() && !isChinese(english), qPrintable(english));
        const QString chinese = printed(args + QStringList{"--lang", "zh"});
        for (const QString& part : parts)
            QVERIFY2(chinese.contains(part), qPrintable(part + " is not in:\n" + chinese));
        // scripts read pipes, so the output is English unless --lang says otherwise
        qputenv("LC_ALL", "zh_CN.UTF-8");
        const QString piped = printed(args);
        QVERIFY2(!isChinese(piped), qPrintable(piped));
        QVERIFY(isChinese(onTerminal(args)));
        QVERIFY(!isChinese(onTerminal(QStringList{"--lang=en"} + args)));
    }
    void columnsAreAligned() {
        const QStringList lines = printed({"--lang", "zh", "list"}).split('\n');
        QCOMPARE(columnOf(lines.at(0), "状态"), columnOf(lines.at(1), "已完成"));
        const QStringList waits = printed({"waits", "last", "--lang", "zh"}).split('\n');
        const auto header =
            std::find_if(waits.begin(), waits.end(), [](const QString& l) { return l.contains("阻塞源当时"); });
        QVERIFY(header != waits.end() && header + 1 != waits.end());
        QCOMPARE(columnOf(*header, "集合通信"), columnOf(*(header + 1), "gradient"));
    }
    void jsonIsEnglish() {
        for (const char* command : {"show", "waits", "diagnose"}) {
            const QString json = printed({command, "last", "--json"});
            QVERIFY(!json.isEmpty());
            QCOMPARE(printed({command, "last", "--json", "--lang", "zh"}), json);
        }
    }
    void errors() {
        const auto unknown = w->ctl({"--lang", "zh", "shwo"});
        QCOMPARE(unknown.exitCode, int(launch::kBadInput));
        QCOMPARE(unknown.err, QString("rankscopectl: shwo：没有这个命令；是否指 show？\n"));
        const auto both =
            w->ctl({"waits", "last", "--from-step", "1", "--to", "3", "--lang=zh", "--runs", w->runsDir()});
        QVERIFY2(both.err.contains("步和秒只能给出一种"), qPrintable(both.err));
        const auto other = w->ctl({"list", "--lang", "fr"});
        QCOMPARE(other.exitCode, int(launch::kBadInput));
        QCOMPARE(other.err, QString("rankscopectl: --lang fr: must be en or zh\n"));
        QCOMPARE(w->ctl({"list", "--lang"}).exitCode, int(launch::kBadInput));
        QVERIFY(w->ctl({"--help", "--lang", "zh"}).out.contains("--lang"));
    }
};

RANKSCOPE_CORE_TEST(TestLanguage)
#include "tst_language.moc"
