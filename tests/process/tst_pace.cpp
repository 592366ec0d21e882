// SPDX-License-Identifier: Apache-2.0
// How fast a run trains: what launch, watch and show print during and after a stall; a plan that measures; the
// utterances of a step.
#include "core/launch/run/launch_spec.h"
#include "tests/process/launched_run.h"
#include "tests/support/test_runner.h"

#include <QDir>
#include <QJsonArray>
#include <QJsonDocument>
#include <QRegularExpression>
#include <QTest>

#include <csignal>
#include <memory>

using namespace rankscope;
using namespace rankscope::test;

class TestPace : public QObject {
    Q_OBJECT

    static QJsonObject json(const QString& text) { return QJsonDocument::fromJson(text.toUtf8()).object(); }
    static QList<QJsonObject> lines(const QString& text) {
        QList<QJsonObject> all;
        for (const QString& line : text.split('\n', Qt::SkipEmptyParts))
            all << json(line);
        return all;
    }
    static QStringList temporaryFolders() {
        return QDir::temp().entryList({"rankscope-measure-*"}, QDir::Dirs | QDir::Hidden);
    }

private Q_SLOTS:
    /// 20 steps per second; rank 1 holds up step 40 for 5 s. An epoch has 60 steps.
    void duringAndAfterAStall() {
        Workplace w;
        w.setTarget("steps=150 ms=50 do=stall at=40 seconds=5 epoch=60");
        const auto run = w.start({"trainer.max_steps=150"});
        QTRY_VERIFY_WITH_TIMEOUT(w.runsAt(40), 30'000);
        QProcess watching;
        watching.start(QStringLiteral(RANKSCOPE_BIN_DIR "/rankscopectl"),
                       {"watch", QString::fromStdString(w.run().dir.string()), "--json"});
        const auto show = [&](const QStringList& more) {
            return w.ctl(QStringList{"show", "last", "--runs", w.runsDir()} + more).out;
        };
        QJsonObject pace;
        QTRY_VERIFY_WITH_TIMEOUT((pace = json(show({"--json"}))["pace"].toObject())["stalled"].isObject(), 10'000);
        QCOMPARE(pace["stalled"].toObject()["ranks"].toArray(), QJsonArray{1});
        for (const char* none : {"steps_per_second", "audio_hours_per_second", "left_s", "epoch_left_s"})
            QVERIFY2(pace[none].isNull(), none);
        // the open wait already counts
        const QJsonArray ranks = json(show({"--json"}))["ranks"].toArray();
        const double waited = ranks[0].toObject()["waited_s"].toDouble();
        QVERIFY2(waited > 0.5, QByteArray::number(waited));
        QVERIFY(std::abs(ranks[1].toObject()["held_s"].toDouble() - waited) < 0.1);
        const QString text = show({});
        QVERIFY2(text.contains(QRegularExpression("state    stalled \\d+ s, rank 1\n")) && !text.contains("rate "),
                 qPrintable(text));

        QTRY_VERIFY_WITH_TIMEOUT(w.runsAt(62), 20'000);
        QTRY_VERIFY_WITH_TIMEOUT((pace = json(show({"--json"}))["pace"].toObject())["stalled"].isNull(), 5'000);
        const double rate = pace["steps_per_second"].toDouble();
        QVERIFY2(rate > 8 && rate < 20, QByteArray::number(rate)); // if the stall were included: below 4
        const double audio = pace["audio_hours_per_second"].toDouble() * 3600;
        QVERIFY2(std::abs(audio / rate - 8) < 0.1, QByteArray::number(audio / rate)); // 2 ranks, 4 utterances of 1 s
        QCOMPARE(pace["steps_per_epoch"].toInt(), 60);
        const double stepsLeft = pace["epoch_left_s"].toDouble() * rate;
        QVERIFY2(stepsLeft > 0.5 && stepsLeft < 60.5, QByteArray::number(stepsLeft));
        QVERIFY(pace["left_s"].toDouble() >= pace["epoch_left_s"].toDouble());

        QVERIFY(run->waitForFinished(30'000) && watching.waitForFinished(10'000));
        const QString said = QString::fromUtf8(run->readAllStandardError());
        static const QRegularExpression stalled("stalled \\d+ s, rank 1  step (\\d+) of 150[^\n]*");
        QVERIFY2(stalled.match(said).hasMatch(), qPrintable(said));
        auto each = stalled.globalMatch(said);
        while (each.hasNext())
            QVERIFY(!each.peekNext().captured().contains("left") && !each.next().captured().contains("steps/s"));
        static const QRegularExpression rates("([\\d.]+) steps/s");
        for (auto at = rates.globalMatch(said); at.hasNext();)
            QVERIFY2(at.peekNext().captured(1).toDouble() > 8, qPrintable(at.next().captured()));
        QVERIFY2(said.contains("h of audio/s") && said.contains("left"), qPrintable(said));
        int known = 0;
        for (const QJsonObject& line : lines(QString::fromUtf8(watching.readAllStandardOutput()))) {
            if (line["event"] != "progress" || line["steps_per_second"].isNull())
                continue;
            ++known;
            QVERIFY2(line["steps_per_second"].toDouble() > 8, QJsonDocument(line).toJson());
            QVERIFY(!line["audio_hours_per_second"].isNull());
        }
        QVERIFY(known > 3);
        const QJsonObject ended = json(show({"--json"}));
        QVERIFY(ended["pace"].isNull());
        const double mean = ended["mean_steps_per_s"].toDouble(); // includes the stall
        QVERIFY2(mean > 5 && mean < 16, QByteArray::number(mean));
        QVERIFY(show({}).contains(QStringLiteral("rate     %1 steps/s, mean of the run\n").arg(mean, 0, 'f', 2)));
    }

    /// A measurement leaves nothing behind, and no run appears.
    void aPlanThatMeasures() {
        Workplace w;
        w.setTarget("steps=100000 ms=20");
        const QStringList args{"plan", w.config(), "--calibrate", "10", "--runs", w.runsDir()};
        const auto o = w.ctl(args + QStringList{"--json"});
        QVERIFY2(o.exitCode == 0, qPrintable(o.err));
        const auto speed = json(o.out)["speed"].toObject();
        QCOMPARE(speed["measured_steps"].toInt(), 10);
        QVERIFY(speed["run"].toString().isEmpty());
        // with one utterance, an epoch is one step; the target's batches are four times as large
        QVERIFY2(speed["step_s"].toDouble() > 0.003 && speed["step_s"].toDouble() < 0.1,
                 QByteArray::number(speed["step_s"].toDouble()));
        QCOMPARE(speed["epoch_s"].toDouble(), speed["step_s"].toDouble());
        const auto told = lines(o.err);
        QVERIFY(told.size() > 2);
        QCOMPARE(told.last()["step"].toInt(), 13);
        QCOMPARE(told.last()["of"].toInt(), 13);
        QVERIFY(w.leftovers().empty());
        QVERIFY2(temporaryFolders().isEmpty(), qPrintable(temporaryFolders().join(' ')));
        const auto text = w.ctl(args);
        QVERIFY2(text.out.contains("measured just now on this machine, 10 steps"), qPrintable(text.out));
    }

    void aMeasurementIsCalledOff() {
        Workplace w;
        w.setTarget("steps=100000 ms=20");
        QProcess plan;
        plan.setProcessEnvironment(w.environment());
        plan.setWorkingDirectory(w.path("."));
        plan.start(QStringLiteral(RANKSCOPE_BIN_DIR "/rankscopectl"),
                   {"plan", w.config(), "--calibrate", "1000", "--json"});
        QByteArray said;
        QTRY_VERIFY_WITH_TIMEOUT((said += plan.readAllStandardError()).contains("\"step\":7"), 20'000);
        QVERIFY(!temporaryFolders().isEmpty());
        QCOMPARE(::kill(static_cast<pid_t>(plan.processId()), SIGTERM), 0);
        QVERIFY(plan.waitForFinished(20'000));
        QCOMPARE(plan.exitCode(), int(launch::kBadInput));
        QVERIFY(plan.readAllStandardError().contains("cancelled"));
        QVERIFY(temporaryFolders().isEmpty());
    }

    void aMeasurementThatFails() {
        Workplace w;
        w.setTarget("do=crash at=1");
        const auto o = w.ctl({"plan", w.config(), "--calibrate", "10"});
        QCOMPARE(o.exitCode, int(launch::kBadInput));
        QVERIFY2(o.err.contains("SIGSEGV"), qPrintable(o.err));
        QVERIFY(temporaryFolders().isEmpty());
        const auto elsewhere = w.ctl({"plan", w.config(), "--calibrate", "10", "--machine", "8xH100"});
        QVERIFY(elsewhere.exitCode == int(launch::kBadInput) && elsewhere.err.contains("--machine"));
        QCOMPARE(w.ctl({"plan", w.config(), "--calibrate", "0"}).exitCode, int(launch::kBadInput));
    }

    /// Computed by hand: 8 utterances of 1 s in order, two ranks, batches of four.
    void theUtterancesOfAStep() {
        Workplace w;
        QByteArray manifest;
        for (int i = 0; i < 16; ++i)
            manifest += "{\"audio_filepath\": \"a.wav\", \"offset\": " + QByteArray::number(i) + ", \"duration\": 1}\n";
        w.file("manifest.json", manifest);
        w.setTarget("steps=4 ms=1");
        QCOMPARE(w.launch({"++trainer.use_distributed_sampler=false", "++model.train_ds.shuffle=false"}).exitCode, 0);
        const auto batch = [&](const QStringList& more) {
            return w.ctl(QStringList{"batch", "last", "--runs", w.runsDir()} + more);
        };
        const auto o = json(batch({"--step", "1", "--rank", "1", "--json"}).out);
        QCOMPARE(o["epoch"].toInt(), 0);
        QVERIFY2(o["remark"].toString().isEmpty(), qPrintable(o["remark"].toString()));
        QCOMPARE(o["seconds"].toDouble(), 4.0);
        const auto all = o["utterances"].toArray();
        QCOMPARE(all.size(), 4);
        for (int i = 0; i < 4; ++i) {
            QCOMPARE(all[i].toObject()["offset_s"].toDouble(), 4.0 + i);
            QVERIFY(all[i].toObject()["file"].toString().endsWith("a.wav"));
        }
        const QString text = batch({"--step", "1"}).out;
        QVERIFY2(text.contains("derived from the recipe and the seed") && text.contains("4.00 s"), qPrintable(text));
        QVERIFY(batch({"--step", "99"}).err.contains("no step 99"));
        QVERIFY(batch({"--step", "1", "--rank", "7"}).err.contains("no rank 7"));
        QVERIFY(batch({"--step", "x"}).exitCode == int(launch::kBadInput));
        QTest::qWait(20);
        w.file("manifest.json", manifest);
        QVERIFY(batch({"--step", "1"}).err.contains("written after the run began"));
    }
};

RANKSCOPE_CORE_TEST(TestPace)
#include "tst_pace.moc"
