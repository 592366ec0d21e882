// SPDX-License-Identifier: Apache-2.0
// A run launched again with changes: it names the run that it repeats, and inherits that run's changes.
#include "core/base/files/atomic_file.h"
#include "core/base/files/file.h"
#include "core/launch/prepare/prepare_launch.h"
#include "core/launch/run/launch_spec.h"
#include "tests/process/launched_run.h"
#include "tests/support/test_runner.h"

#include <QJsonArray>
#include <QJsonDocument>
#include <QRegularExpression>
#include <QTest>

using namespace rankscope;
using namespace rankscope::test;

class TestRelaunch : public QObject {
    Q_OBJECT
    static inline std::unique_ptr<Workplace> w;
    static inline QString first;

    static QJsonObject json(const Outcome& o) { return QJsonDocument::fromJson(o.out.toUtf8()).object(); }
    static Outcome relaunch(const QStringList& more) {
        return w->ctl(QStringList{"launch", "--runs", w->runsDir(), "--json"} + more);
    }
    static QString effective(const QString& id) {
        const auto text = readFile((w->runsDir() + '/' + id + "/effective.yaml").toStdString());
        return text ? QString::fromStdString(*text) : QString();
    }
    static void replaceIn(const QString& name, const char* what, const char* by) {
        const auto path = (w->runsDir() + '/' + name).toStdString();
        const auto text = readFile(path);
        QVERIFY(text);
        QString changed = QString::fromStdString(*text);
        changed.replace(QRegularExpression(what), by);
        QVERIFY2(changed != QString::fromStdString(*text), path.c_str());
        QVERIFY(writeFileAtomic(path, changed.toStdString(), 0600));
    }
    /// Returns whether trainer.devices is 1; a comment after it may say where the value comes from.
    static bool namesOneDevice(const QString& effective) {
        static const QRegularExpression line("^  devices: ['\"]?1['\"]?( +#.*)?$", QRegularExpression::MultilineOption);
        return line.match(effective).hasMatch();
    }

private Q_SLOTS:
    void initTestCase() {
        w = std::make_unique<Workplace>();
        const auto o = w->launch({"trainer.max_steps=12", "--json"});
        QVERIFY2(o.exitCode == 0, qPrintable(o.err));
        first = json(o)["id"].toString();
        QCOMPARE(json(o)["overrides"].toArray(), QJsonArray{"trainer.max_steps=12"});
        QVERIFY(json(o)["relaunched_from"].toString().isEmpty());
    }
    void cleanupTestCase() { w.reset(); }

    void withAChange() {
        const auto o = relaunch({"--relaunch", first, "model.optim.lr=0.002"});
        QVERIFY2(o.exitCode == 0, qPrintable(o.err));
        QCOMPARE(json(o)["relaunched_from"].toString(), first);
        QCOMPARE(json(o)["total_steps"].toInt(), 12); // as in the run that it repeats
        QCOMPARE(json(o)["overrides"].toArray(), (QJsonArray{"trainer.max_steps=12", "model.optim.lr=0.002"}));
        const QString id = json(o)["id"].toString();
        QVERIFY2(effective(id).contains("lr: 0.002"), qPrintable(effective(id)));
        QVERIFY(!effective(first).contains("lr: 0.002"));
        QVERIFY(w->ctl({"show", id, "--runs", w->runsDir()}).out.contains("repeats  " + first));

        const auto again = relaunch({"--relaunch", id});
        QVERIFY2(again.exitCode == 0, qPrintable(again.err));
        QCOMPARE(json(again)["relaunched_from"].toString(), id);
        QCOMPARE(json(again)["overrides"].toArray(), json(o)["overrides"].toArray());
        QCOMPARE(json(again)["total_steps"].toInt(), 12);
    }
    void withAnotherRecipe() {
        const auto o = relaunch({w->config(), "trainer.max_steps=9", "--relaunch", first});
        QVERIFY2(o.exitCode == 0, qPrintable(o.err));
        QCOMPARE(json(o)["relaunched_from"].toString(), first);
        QCOMPARE(json(o)["total_steps"].toInt(), 9);
        QCOMPARE(json(o)["overrides"].toArray(), QJsonArray{"trainer.max_steps=9"});
    }
    void asManyRanksAsAskedFor() {
        const auto o = relaunch({w->config(), "trainer.max_steps=5", "--ranks", "1"});
        QVERIFY2(o.exitCode == 0, qPrintable(o.err));
        const auto again = relaunch({"--relaunch", json(o)["id"].toString()});
        QVERIFY2(again.exitCode == 0, qPrintable(again.err));
        QCOMPARE(json(again)["world_size"].toInt(), 1);
        const auto two = relaunch({"--relaunch", json(o)["id"].toString(), "trainer.devices=2"});
        QVERIFY2(two.exitCode == 0, qPrintable(two.err));
        QCOMPARE(json(two)["world_size"].toInt(), 2);
    }
    void ranksThatWereAskedForAreAmongTheSettings() {
        const auto o = relaunch({w->config(), "trainer.max_steps=5", "--ranks", "1"});
        QVERIFY2(o.exitCode == 0, qPrintable(o.err));
        const QString id = json(o)["id"].toString();
        QVERIFY2(namesOneDevice(effective(id)), qPrintable(effective(id)));
        QCOMPARE(json(o)["overrides"].toArray(), QJsonArray{"trainer.max_steps=5"}); // only what the user wrote

        const auto more = relaunch({"--relaunch", id, "trainer.max_steps=7"});
        QVERIFY2(more.exitCode == 0, qPrintable(more.err));
        QCOMPARE(json(more)["world_size"].toInt(), 1);
        QVERIFY(namesOneDevice(effective(json(more)["id"].toString())));
    }
    /// --ranks was not given for a resumed run, and its recipe uses all devices: here that would be one rank.
    void asManyRanksAsTheRunHad() {
        const auto o = relaunch({w->config(), "trainer.max_steps=5", "trainer.devices=-1", "--ranks", "2"});
        QVERIFY2(o.exitCode == 0, qPrintable(o.err));
        const QString id = json(o)["id"].toString();
        replaceIn(id + "/run.json", "\"ranks_asked\": *2", "\"ranks_asked\": 0");
        replaceIn(id + "/effective.yaml", "devices: *['\"]?2['\"]?", "devices: -1");
        const auto again = relaunch({"--relaunch", id});
        QVERIFY2(again.exitCode == 0, qPrintable(again.err));
        QCOMPARE(json(again)["world_size"].toInt(), 2);
        const auto more = relaunch({"--relaunch", json(again)["id"].toString()}); // and so does a repeat of the repeat
        QVERIFY2(more.exitCode == 0, qPrintable(more.err));
        QCOMPARE(json(more)["world_size"].toInt(), 2);
        const auto one = relaunch({"--relaunch", id, "--ranks", "1"});
        QVERIFY2(one.exitCode == 0, qPrintable(one.err));
        QCOMPARE(json(one)["world_size"].toInt(), 1);
        const auto byHand = relaunch({"--relaunch", id, "trainer.devices=-1"});
        QVERIFY2(byHand.exitCode == 0, qPrintable(byHand.err));
        QCOMPARE(json(byHand)["world_size"].toInt(), 1);
    }
    void ranksToAskFor_data() {
        QTest::addColumn<QString>("devices");
        QTest::addColumn<QString>("change");
        QTest::addColumn<int>("asked");
        QTest::addColumn<int>("ranks");
        QTest::newRow("all that there are") << "-1" << QString() << 0 << 2;
        QTest::newRow("auto") << "auto" << QString() << 0 << 2;
        QTest::newRow("nothing said") << QString() << QString() << 0 << 2;
        QTest::newRow("from elsewhere") << "${oc.env:GPUS}" << QString() << 0 << 2;
        QTest::newRow("a number") << "2" << QString() << 0 << 0;
        QTest::newRow("a quoted number") << "'2'" << QString() << 0 << 0;
        QTest::newRow("GPUs") << "[1, 3]" << QString() << 0 << 0;
        QTest::newRow("changed to a number") << "-1"
                                             << "trainer.devices=2" << 0 << 0;
        QTest::newRow("changed to all") << "4"
                                        << "++trainer.devices=-1" << 0 << 2;
        QTest::newRow("another change") << "-1"
                                        << "trainer.max_steps=2" << 0 << 2;
        QTest::newRow("asked for") << "4" << QString() << 2 << 2;
    }
    void ranksToAskFor() {
        QFETCH(QString, devices);
        QFETCH(QString, change);
        QFETCH(int, asked);
        launch::RunInfo run;
        run.worldSize = 2;
        run.ranksAsked = asked;
        if (!change.isEmpty())
            run.overrides = {change.toStdString()};
        const QString line = devices.isEmpty() ? QString() : "  devices: " + devices + '\n';
        QTEST(launch::ranksToRepeat(run, ("trainer:\n  max_steps: 3\n" + line).toStdString()), "ranks");
    }
    void refused_data() {
        QTest::addColumn<QStringList>("args");
        QTest::addColumn<QString>("words");
        QTest::newRow("no such run") << QStringList{"--relaunch", "nobody"} << "nobody";
        QTest::newRow("resumed, too") << QStringList{"--relaunch", "last", "--resume", "last"} << "--resume";
        QTest::newRow("a wrong key") << QStringList{"--relaunch", first, "model.optim.lrr=1"} << "model.optim.lr";
    }
    void refused() {
        QFETCH(QStringList, args);
        QFETCH(QString, words);
        const auto before = w->leftovers();
        const auto o = relaunch(args);
        QCOMPARE(o.exitCode, int(launch::kBadInput));
        QVERIFY2(o.err.contains(words), qPrintable(o.err));
        QCOMPARE(w->leftovers(), before);
    }
};

RANKSCOPE_CORE_TEST(TestRelaunch)
#include "tst_relaunch.moc"
