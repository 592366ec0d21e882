// SPDX-License-Identifier: Apache-2.0
// rankscopectl explain: its exit codes, forms and sources, and files that mean harm.
#include "core/launch/run/launch_spec.h"
#include "tests/process/launched_run.h"
#include "tests/support/test_runner.h"

#include <QDir>
#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>
#include <QProcess>
#include <QTest>

using namespace rankscope;
using namespace rankscope::test;

static QString hang(const QString& name) {
    return QStringLiteral(RANKSCOPE_TEST_DIR "/../data/explain/hangs/2.11.0/") + name;
}
static QJsonObject json(const Outcome& o) {
    return QJsonDocument::fromJson(o.out.toUtf8()).object();
}

class TestExplain : public QObject {
    Q_OBJECT
    std::unique_ptr<Workplace> w;

    Outcome explain(QStringList args) const { return w->ctl(QStringList{"explain"} + std::move(args)); }

private Q_SLOTS:
    void init() { w = std::make_unique<Workplace>(); }

    void dumpsSayWhichRankAndWhere() {
        const auto o = explain({hang("extra_collective/dumps/end")});
        QVERIFY2(o.exitCode == launch::kDone, qPrintable(o.err));
        QVERIFY2(o.out.startsWith("ranks 0, 1 called all-reduce 9, but rank 2 called broadcast 9\n"),
                 qPrintable(o.out));
        for (const char* part : {"train.py:56 log_metric", "look at rank 2", "sync_dist=True"})
            QVERIFY2(o.out.contains(part), qPrintable(o.out));
        QVERIFY(o.err.isEmpty()); // progress is for terminals
    }
    void notEnoughDataIsExitCode1() {
        const auto o = explain({hang("rank_sleeps/rank_0.log")}); // the logs of the others are withheld
        QVERIFY2(o.exitCode == launch::kCheckFailed, qPrintable(o.err));
        QVERIFY2(o.out.startsWith("not enough data") && o.out.contains("--ranks N"), qPrintable(o.out));
    }
    void whatCannotBeReadIsExitCode2_data() {
        QTest::addColumn<QStringList>("args");
        QTest::addColumn<QString>("named");
        w = std::make_unique<Workplace>();
        QTest::newRow("no file") << QStringList{} << "FILES";
        QTest::newRow("not there") << QStringList{"none.log"} << "none.log";
        QTest::newRow("ranks") << QStringList{hang("rank_sleeps/joined.log"), "--ranks", "0"} << "--ranks";
        QTest::newRow("recipe") << QStringList{hang("rank_sleeps/joined.log"), "--recipe", "none.yaml"} << "none.yaml";
    }
    void whatCannotBeReadIsExitCode2() {
        QFETCH(QStringList, args);
        QFETCH(QString, named);
        const auto o = explain(args);
        QVERIFY2(o.exitCode == launch::kBadInput, qPrintable(o.out));
        QVERIFY2(o.err.contains(named) && o.out.isEmpty(), qPrintable(o.err));
    }
    void anEmptyFolderHasNothing() {
        QVERIFY(QDir(w->path(".")).mkdir("empty"));
        const auto o = explain({w->path("empty")});
        QCOMPARE(o.exitCode, int(launch::kBadInput));
        QVERIFY2(o.err.contains("has no log and no dump"), qPrintable(o.err));
    }

    void jsonHasTheSame() {
        const auto o = explain({hang("rank_sleeps/dumps/live"), "--json"});
        QVERIFY2(o.exitCode == launch::kDone, qPrintable(o.err));
        QCOMPARE(json(o)["verdict"].toString(), QString("rank_missing"));
        QCOMPARE(json(o)["ranks"].toArray().size(), 3);
        QCOMPARE(json(o)["ranks"].toArray()[1].toObject()["state"].toString(), QString("absent"));
        QCOMPARE(json(o)["causes"].toArray()[0].toObject()["ranks"].toArray(), QJsonArray{1});
        const auto little = explain({hang("rank_sleeps/rank_0.log"), "--json"});
        QCOMPARE(little.exitCode, int(launch::kCheckFailed));
        QCOMPARE(json(little)["verdict"].toString(), QString("not_enough_data"));
    }
    void theNumberOfRanksTellsWhetherAllAreInside() {
        const QByteArray row = "[rank%1]: [Rank %1] Watchdog caught collective operation timeout: WorkNCCL(SeqNum=42, "
                               "OpType=ALLREDUCE, NumelIn=1, NumelOut=1, Timeout(ms)=600000) ran for 600019 "
                               "milliseconds before timing out.\n";
        QByteArray text("[rank0]: starts\n[rank1]: starts\n" + QByteArray(20, '\n'));
        for (const char* rank : {"0", "1"})
            text += QByteArray(row).replace("%1", rank);
        const QString file = w->file("train.log", text);
        const auto verdict = [&](const QStringList& more) {
            return json(explain(QStringList{file, "--json"} + more))["verdict"].toString();
        };
        QCOMPARE(verdict({}), QString("not_enough_data")); // there may be more ranks
        QCOMPARE(verdict({"--ranks", "2"}), QString("everyone_inside"));
        QCOMPARE(verdict({"--ranks", "3"}), QString("rank_missing")); // it exists, and the log is that of all
    }
    void aRecipeNamesTheCollective() {
        const auto collective = [&](const QStringList& more) {
            const QByteArray row = "[Rank 0] Watchdog caught collective operation timeout: WorkNCCL(SeqNum=42, "
                                   "OpType=ALLGATHER, NumelIn=1025, NumelOut=4100, Timeout(ms)=600000) ran for 600019 "
                                   "milliseconds before timing out.\n";
            const auto o = explain(QStringList{w->file("train.log", row), "--json"} + more);
            return json(o)["collective"].toArray()[0].toObject();
        };
        const auto known = collective({});
        QCOMPARE(known["tag"].toString(), QString("sync_batchnorm"));
        const QString recipe = QStringLiteral(RANKSCOPE_TEST_DIR "/../../configs/nest_large.yaml");
        const auto named = collective({"--recipe", recipe});
        QCOMPARE(named["recipe"].toString(), QString("nest_large.yaml"));
        QVERIFY(named["arithmetic"].toString().contains("2 x 512"));
    }
    void aPipeIsRead() {
        QProcess process;
        process.setProcessEnvironment(w->environment());
        process.setStandardInputFile(hang("rank_sleeps/joined.log"));
        process.start(QStringLiteral(RANKSCOPE_BIN_DIR "/rankscopectl"), {"explain", "/dev/stdin", "--json"});
        QVERIFY(process.waitForFinished(20'000));
        const auto fromFile = QJsonDocument::fromJson(process.readAllStandardOutput()).object();
        QCOMPARE(fromFile["verdict"].toString(), QString("rank_missing"));
        QFile log(hang("rank_sleeps/joined.log"));
        QVERIFY(log.open(QIODevice::ReadOnly));
        process.setStandardInputFile({});
        process.start(QStringLiteral(RANKSCOPE_BIN_DIR "/rankscopectl"), {"explain", "/dev/stdin", "--json"});
        QVERIFY(process.waitForStarted());
        const QByteArray text = log.readAll();
        process.write(text.left(1'000)); // in parts, as a program writes it
        QVERIFY(process.waitForBytesWritten(20'000));
        process.write(text.mid(1'000));
        process.closeWriteChannel();
        QVERIFY(process.waitForFinished(20'000));
        const auto fromPipe = QJsonDocument::fromJson(process.readAllStandardOutput()).object();
        QCOMPARE(fromPipe["verdict"], fromFile["verdict"]);
        QCOMPARE(fromPipe["ranks"], fromFile["ranks"]);
    }

    void aHostileLogIsHarmless() {
        QByteArray text =
            "\x1b]0;title\x07\x1b[2J[Rank 99999999999] Watchdog caught collective operation timeout: "
            "WorkNCCL(SeqNum=99999999999999999999, OpType=ALLREDUCE, NumelIn=-5, Timeout(ms)=1) ran for 1 "
            "milliseconds\n";
        text += "Traceback (most recent call last):\nValueError: \x1b[31m\xe2\x80\xae<script>\x1b[2J\n";
        text += "world_size=2147483647\n" + QByteArray(4 << 20, 'x') + "\n";
        const QString file = w->file("a\x1b[2J.log", text);
        for (const QStringList& form : {QStringList{}, QStringList{"--json"}}) {
            const auto o = explain(QStringList{file} + form);
            QVERIFY2(o.exitCode == launch::kDone || o.exitCode == launch::kCheckFailed, qPrintable(o.err));
            QVERIFY(!o.out.contains(QChar(0x1b)) && !o.err.contains(QChar(0x1b)) && !o.out.contains(QChar(0x202e)));
            QVERIFY(o.out.size() < 100'000);
        }
    }
    void aHostileDumpRunsNothing() {
        const QString ran = w->path("ran");
        const QString dump = w->file("nccl_trace_rank_0", "\x80\x02"
                                                          "cos\nsystem\nX" +
                                                              QByteArray(1, char(6 + ran.size())) +
                                                              QByteArray(3, '\0') + "touch " + ran.toUtf8() + "\x85R.");
        const auto o = explain({dump});
        QCOMPARE(o.exitCode, int(launch::kBadInput));
        QVERIFY2(o.err.contains("nccl_trace_rank_0") && o.err.count('\n') == 1, qPrintable(o.err));
        QVERIFY(!QFile::exists(ran));
        // next to a log that can be read, it is named as what is missing
        const auto both = explain({dump, hang("rank_sleeps/rank_0.log")});
        QCOMPARE(both.exitCode, int(launch::kCheckFailed));
        QVERIFY2(both.out.contains("nccl_trace_rank_0"), qPrintable(both.out));
    }
};

RANKSCOPE_CORE_TEST(TestExplain)
#include "tst_explain.moc"
