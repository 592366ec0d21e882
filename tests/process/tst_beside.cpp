// SPDX-License-Identifier: Apache-2.0
// What happens alongside a run: stacks of an incident, the incident command, watching, and the ranks' resource usage.
#include "tests/process/launched_run.h"
#include "tests/support/test_runner.h"

#include <QFile>
#include <QJsonArray>
#include <QJsonDocument>
#include <QTest>

#include <unistd.h>

#include <algorithm>
#include <csignal>

using namespace rankscope;
using namespace rankscope::test;
using launch::RunState;

class TestBeside : public QObject {
    Q_OBJECT
    std::unique_ptr<Workplace> w;

    QString path() const { return QString::fromStdString(w->run().dir.string()); }
    QJsonArray stacks() const {
        const auto o = w->ctl({"diagnose", path(), "--json"});
        return QJsonDocument::fromJson(o.out.toUtf8()).object()["stacks"].toArray();
    }
    static QList<QJsonObject> lines(const QString& text) {
        QList<QJsonObject> all;
        for (const auto& line : text.split('\n', Qt::SkipEmptyParts))
            all.push_back(QJsonDocument::fromJson(line.toUtf8()).object());
        return all;
    }
    static QString frames(const QJsonObject& rank) {
        QString text;
        for (const auto& frame : rank["threads"].toArray().first().toObject()["frames"].toArray())
            text += frame.toString() + '\n';
        return text;
    }
    QStringList notes() const {
        QStringList texts;
        auto reader = store::RunReader::open(w->run().store());
        if (reader)
            for (const auto& note : reader->notes(0, 1000).value_or(std::vector<store::Note>{}))
                texts.push_back(QString::fromStdString(note.text));
        return texts;
    }
    QString hook(const QByteArray& script) const {
        const QString file = w->file("hook.sh", "#!/bin/sh\n" + script);
        QFile::setPermissions(file, QFile::ReadOwner | QFile::WriteOwner | QFile::ExeOwner);
        return file;
    }

private Q_SLOTS:
    void init() { w = std::make_unique<Workplace>(); }

    void stacksOfHolderAndWaiter() {
        w->setTarget("do=stall at=10 seconds=2.5");
        const auto o = w->launch();
        QVERIFY2(o.exitCode == 0, qPrintable(o.err));
        const auto incidents = w->incidents();
        QCOMPARE(incidents.size(), 1); // a rank that is being inspected is not reported as stopped
        QCOMPARE(incidents[0].toObject()["cause"].toString(), QString("data_loading"));
        const auto all = stacks();
        QCOMPARE(all.size(), 2);
        const auto holder = all[0].toObject(), waiter = all[1].toObject();
        QCOMPARE(holder["role"].toString(), QString("holder"));
        QCOMPARE(holder["rank"].toInt(), 1);
        QCOMPARE(holder["incident"].toInt(), incidents[0].toObject()["id"].toInt());
        QCOMPARE(waiter["rank"].toInt(), 0);
        QVERIFY2(frames(holder).contains("::misbehave("), qPrintable(frames(holder)));
        QVERIFY2(frames(holder).contains("nanosleep"), qPrintable(frames(holder)));
        QVERIFY2(frames(waiter).contains("nanosleep") && frames(waiter).contains("main+0x"),
                 qPrintable(frames(waiter)));
        const double taken = holder["taken_s"].toDouble();
        QVERIFY(taken >= incidents[0].toObject()["opened_s"].toDouble());
        QVERIFY(taken <= incidents[0].toObject()["closed_s"].toDouble());
        const auto text = w->ctl({"diagnose", path()}).out;
        QVERIFY2(text.contains("stack of rank 1 (holder)") && text.contains("::misbehave("), qPrintable(text));
    }
    void aStoppedRankIsLookedIntoAndStaysStopped() {
        w->setTarget("do=stop_itself at=10");
        const auto o = w->launch({"rankscope.faults=[{kind: stopped, rank: 1, step: 10, seconds: 2.5}]"});
        QVERIFY2(o.exitCode == 0, qPrintable(o.err));
        const auto incidents = w->incidents();
        QCOMPARE(incidents.size(), 1);
        const auto incident = incidents[0].toObject();
        QCOMPARE(incident["cause"].toString(), QString("stopped"));
        QVERIFY(incident["closed_s"].toDouble() - incident["opened_s"].toDouble() >= 2.4);
        const auto holder = stacks()[0].toObject();
        QCOMPARE(holder["threads"].toArray()[0].toObject()["doing"].toString(), QString("stopped"));
        QVERIFY2(frames(holder).contains("raise"), qPrintable(frames(holder)));
    }
    void byHand() {
        QFile scope("/proc/sys/kernel/yama/ptrace_scope");
        if (::geteuid() != 0 && scope.open(QIODevice::ReadOnly) && scope.readAll().trimmed() != "0")
            QSKIP("kernel.yama.ptrace_scope lets nobody but the supervisor look into ranks");
        w->setTarget("steps=100000 do=stall at=5 seconds=1000");
        auto process = w->start();
        QTRY_VERIFY_WITH_TIMEOUT(w->info().state == RunState::Running && w->reachesStep(5), 20'000);
        const auto one = w->ctl({"stacks", path(), "--rank", "1", "--json"});
        QVERIFY2(one.exitCode == 0, qPrintable(one.err));
        const auto ranks = QJsonDocument::fromJson(one.out.toUtf8()).object()["ranks"].toArray();
        QCOMPARE(ranks.size(), 1);
        QCOMPARE(ranks[0].toObject()["rank"].toInt(), 1);
        QVERIFY2(frames(ranks[0].toObject()).contains("::misbehave("), qPrintable(one.out));
        const auto text = w->ctl({"stacks", path()});
        QVERIFY(text.exitCode == 0 && text.out.contains("rank 0\n") && text.out.contains("rank 1\n"));
        const auto none = w->ctl({"stacks", path(), "--rank", "7"});
        QCOMPARE(none.exitCode, 2);
        QVERIFY2(none.err.contains("there is no rank 7; the run has 2"), qPrintable(none.err));
        QCOMPARE(w->ctl({"stop", path(), "--now"}).exitCode, 0);
        process->waitForFinished(20'000);
        const auto ended = w->ctl({"stacks", path()});
        QCOMPARE(ended.exitCode, 2);
        QVERIFY2(ended.err.contains("has ended"), qPrintable(ended.err));
        QCOMPARE(w->ctl({"stacks"}).exitCode, 2);
        QCOMPARE(w->ctl({"stacks", path(), "--pid", "1"}).exitCode, 2);
    }

    void theCommandIsToldOfBothEnds() {
        w->setTarget("do=stall at=10 seconds=1.5");
        const QString out = w->path("told");
        const auto o = w->launch({"rankscope.on_incident=[" + hook("cat >> \"$1\"\n") + ", " + out + "]"});
        QVERIFY2(o.exitCode == 0, qPrintable(o.err));
        QFile file(out);
        QVERIFY(file.open(QIODevice::ReadOnly));
        const auto told = lines(QString::fromUtf8(file.readAll()));
        QCOMPARE(told.size(), 2);
        QCOMPARE(told[0]["event"].toString(), QString("opened"));
        QCOMPARE(told[1]["event"].toString(), QString("closed"));
        QCOMPARE(told[1]["run"].toObject()["path"].toString(), path());
        QCOMPARE(told[1]["incident"].toObject(), w->incidents()[0].toObject());
        const auto sent = notes().filter("and ended with exit code 0");
        QCOMPARE(sent.size(), 2);
        QVERIFY2(sent[1].contains("was run for incident 1 (closed)"), qPrintable(sent[1]));
        const auto shown = w->ctl({"show", path()});
        QVERIFY2(shown.out.contains("was run for incident 1 (opened)"), qPrintable(shown.out));
        const auto object = QJsonDocument::fromJson(w->ctl({"show", path(), "--json"}).out.toUtf8()).object();
        QCOMPARE(object["alerts"].toArray().size(), 2);
    }
    void aCommandThatFailsIsNoted() {
        w->setTarget("do=stall at=10 seconds=1.5");
        const auto o = w->launch({"rankscope.on_incident=[" + hook("echo no route to pager >&2; exit 5\n") + "]"});
        QVERIFY2(o.exitCode == 0, qPrintable(o.err));
        const auto all = notes().filter("rankscope.on_incident");
        QCOMPARE(all.size(), 2);
        QVERIFY2(all[0].contains("ended with exit code 5: no route to pager"), qPrintable(all[0]));
    }
    /// The run is not affected while the command hangs, and ends without it.
    void aCommandThatHangsHoldsNothingUp() {
        w->setTarget("do=stall at=10 seconds=1.5");
        const auto o = w->launch({"rankscope.on_incident=[" + hook("exec sleep 100\n") + "]"}, 60'000);
        QVERIFY2(o.exitCode == 0, qPrintable(o.err));
        QCOMPARE(w->incidents().size(), 1);
        const auto info = w->info();
        QVERIFY((info.endRealtimeNs - info.startRealtimeNs) < 9'000'000'000); // its time limit is 10 s
        QVERIFY2(notes().filter("took too long and was ended").size() == 1, qPrintable(notes().join('\n')));
    }
    void aCommandThatIsNotThereIsRefusedBeforeTheStart() {
        const auto o = w->launch({"rankscope.on_incident=[/no/such/program]"});
        QCOMPARE(o.exitCode, 2);
        QVERIFY2(o.err.contains("rankscope.on_incident") && o.err.contains("/no/such/program"), qPrintable(o.err));
        QVERIFY(w->leftovers().empty());
    }

    void watchingARun_data() {
        QTest::addColumn<QString>("target");
        QTest::addColumn<int>("code");
        QTest::addColumn<QString>("state");
        QTest::newRow("that finishes") << "do=stall at=10 seconds=1.5 steps=200" << 0 << "finished";
        QTest::newRow("that fails") << "do=kill at=100" << 3 << "failed";
    }
    void watchingARun() {
        QFETCH(QString, target);
        QFETCH(int, code);
        QFETCH(QString, state);
        w->setTarget(target + (target.contains("steps") ? "" : " steps=200"));
        auto process = w->start();
        QTRY_VERIFY_WITH_TIMEOUT(w->info().state == RunState::Running, 20'000);
        const auto live = w->ctl({"watch", path(), "--json"});
        QCOMPARE(live.exitCode, code);
        QVERIFY(process->waitForFinished(20'000));
        for (const auto& o : {live, w->ctl({"watch", path(), "--json"})}) { // while the run is live, and afterwards
            QCOMPARE(o.exitCode, code);
            const auto events = lines(o.out);
            QCOMPARE(events.last()["event"].toString(), QString("end"));
            QCOMPARE(events.last()["state"].toString(), state);
            QCOMPARE(events.last()["exit_code"].toInt(), code);
            QStringList incident;
            qint64 step = 0;
            for (const auto& e : events) {
                if (e.contains("incident"))
                    incident.push_back(e["event"].toString());
                if (e["event"] == "progress") {
                    QVERIFY(e["step"].toInteger() >= step);
                    step = e["step"].toInteger();
                    QCOMPARE(e["total_steps"].toInt(), 30); // as the recipe says
                }
            }
            QCOMPARE(incident, (QStringList{"opened", "closed"}));
            QVERIFY(step > 0);
        }
        const auto text = w->ctl({"watch", path()});
        QCOMPARE(text.exitCode, code);
        const QString end = text.out.trimmed().section(u'\n', -1); // a cause that adds nothing is not printed
        QVERIFY2(code == 0 ? end == state : end.startsWith(state + ": "), qPrintable(text.out));
        QVERIFY2(text.out.contains(" over after "), qPrintable(text.out));
    }
    void watchingARunThatIsStopped() {
        w->setTarget("steps=100000");
        auto process = w->start();
        QTRY_VERIFY_WITH_TIMEOUT(w->info().state == RunState::Running && w->reachesStep(5), 20'000);
        QProcess watching;
        watching.start(QStringLiteral(RANKSCOPE_BIN_DIR "/rankscopectl"), {"watch", path()});
        QByteArray said;
        QVERIFY(QTest::qWaitFor([&] { return (said += watching.readAllStandardError()).contains("step "); }, 20'000));
        QCOMPARE(w->ctl({"stop", path()}).exitCode, 0);
        QVERIFY(watching.waitForFinished(20'000));
        QCOMPARE(watching.exitCode(), 4);
        process->waitForFinished(20'000);
    }
    /// The supervisor is killed: `watch` records the true end of the run and prints it.
    void watchingARunWhoseSupervisorDies() {
        w->setTarget("steps=100000");
        auto process = w->start();
        QTRY_VERIFY_WITH_TIMEOUT(w->info().state == RunState::Running && w->reachesStep(5), 20'000);
        QProcess watching;
        watching.start(QStringLiteral(RANKSCOPE_BIN_DIR "/rankscopectl"), {"watch", path(), "--json"});
        QVERIFY(watching.waitForReadyRead(20'000));
        QCOMPARE(::kill(pid_t(process->processId()), SIGKILL), 0);
        QVERIFY(watching.waitForFinished(30'000));
        QCOMPARE(watching.exitCode(), 3);
        process->waitForFinished(20'000);
    }

    void whatTheRanksTook() {
        w->setTarget("steps=350 ms=10"); // one measurement per second: at least two while the ranks train
        QCOMPARE(w->launch().exitCode, 0);
        auto reader = store::RunReader::open(w->run().store());
        QVERIFY(reader);
        for (int rank = 0; rank < 2; ++rank) {
            const auto rows = reader->facts(rank, 0, INT64_MAX, 100);
            QVERIFY(rows && !rows->empty());
            // the first may be of a process that has barely started, the last of one that is exiting
            const auto& most = *std::max_element(rows->begin(), rows->end(), [](const auto& a, const auto& b) {
                return a.view.rssBytes < b.view.rssBytes;
            });
            QVERIFY2(most.view.rssBytes > 100'000, qPrintable(QString::number(most.view.rssBytes)));
            QVERIFY(most.view.memoryLimitBytes > most.view.memoryUsedBytes);
            QVERIFY(most.view.gpuUsedBytes == -1);
        }
        const auto o = w->ctl({"show", path(), "--json"});
        const auto memory = QJsonDocument::fromJson(o.out.toUtf8()).object()["memory"].toArray();
        QCOMPARE(memory.size(), 2);
        QVERIFY(memory[0].toObject()["rss_bytes"].toInteger() > 100'000);
        QCOMPARE(memory[0].toObject()["longest_frames"].toInteger(), 100);
        QCOMPARE(memory[0].toObject()["positions_alone_bytes"].toInteger(), 9999 * 32 * 4);
        QVERIFY(memory[0].toObject()["gpu_bytes"].isNull());
        QVERIFY(w->ctl({"show", path()}).out.contains("position tables across all ranks"));
    }
};

RANKSCOPE_CORE_TEST(TestBeside)
#include "tst_beside.moc"
