// SPDX-License-Identifier: Apache-2.0
// Every fault that can be injected is diagnosed: right rank, phase and cause, at most 2 s after the threshold passed.
#include "tests/acceptance/trained_run.h"
#include "tests/support/test_runner.h"

#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>
#include <QTest>

using namespace rankscope;
using namespace rankscope::test;

class AcceptFaults : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void faults_data() {
        QTest::addColumn<QString>("fault");
        QTest::addColumn<QString>("cause");
        QTest::addColumn<QStringList>("phases");
        QTest::addColumn<int>("holder");
        QTest::addColumn<int>("exitCode");
        QTest::newRow("data_loading") << "{kind: data_loading, rank: 1, step: 25, seconds: 4}"
                                      << "data_loading" << QStringList{"data_wait"} << 1 << 0;
        QTest::newRow("data_loading, rank 0") << "{kind: data_loading, rank: 0, step: 25, seconds: 4}"
                                              << "data_loading" << QStringList{"data_wait"} << 0 << 0;
        QTest::newRow("slow_compute, once") << "{kind: slow_compute, rank: 1, step: 25, seconds: 4}"
                                            << "slow_compute" << QStringList{"forward"} << 1 << 0;
        QTest::newRow("slow_compute, steadily") << "{kind: slow_compute, rank: 0, step: 20, steps: 60, seconds: 0.3}"
                                                << "slow_compute" << QStringList{"forward"} << 0 << 0;
        QTest::newRow("long_batch") << "{kind: long_batch, rank: 1, step: 25, seconds: 240}"
                                    << "long_batch"
                                    << QStringList{"preprocess", "augment", "forward", "loss", "backward"} << 1 << 0;
        QTest::newRow("stopped") << "{kind: stopped, rank: 1, step: 25, seconds: 4}"
                                 << "stopped" << QStringList{} << 1 << 0;
        QTest::newRow("dead by SIGKILL") << "{kind: dead, rank: 1, step: 25, signal: SIGKILL}"
                                         << "dead" << QStringList{} << 1 << 3;
        QTest::newRow("dead by SIGSEGV") << "{kind: dead, rank: 0, step: 25, signal: SIGSEGV}"
                                         << "dead" << QStringList{} << 0 << 3;
        QTest::newRow("dead by exit") << "{kind: dead, rank: 1, step: 25, exit_code: 7}"
                                      << "dead" << QStringList{} << 1 << 3;
    }
    void faults() {
        QFETCH(QString, fault);
        QFETCH(QString, cause);
        QFETCH(QStringList, phases);
        QFETCH(int, holder);
        QFETCH(int, exitCode);
        TestRun run;
        RunOptions o;
        o.manifest = toneManifest(run.dir(), 24, {1.5, 2.0});
        o.steps = 90;
        o.faults = "[" + fault + "]";
        const Outcome outcome = run.launch(o);
        QVERIFY2(outcome.exitCode == exitCode, outcome.err.constData());
        const QJsonArray incidents = told(run);
        QCOMPARE(incidents.size(), 1);
        const QJsonObject in = incidents.first().toObject();
        QCOMPARE(in["cause"].toString(), cause);
        QCOMPARE(in["holders"].toArray(), QJsonArray{holder});
        if (!phases.isEmpty())
            QVERIFY2(phases.contains(in["phase"].toString()), qPrintable(in["phase"].toString()));
        if (cause != "dead") {
            QCOMPARE(in["waiters"].toArray(), QJsonArray{1 - holder});
            QVERIFY(!in["closed_s"].isNull());
        }
        if (cause == "data_loading" || cause == "stopped")
            QVERIFY(in["collective"].toObject()["tag"].toString().size() > 0);
        if (!in["straggler"].toBool()) {
            const double threshold = in["evidence"].toObject()["threshold_s"].toDouble();
            const double after = in["detected_after_s"].toDouble() - (cause == "dead" ? 0 : threshold);
            qInfo("seen %.2f s after the threshold of %.2f s", after, threshold);
            QVERIFY2(after <= 2.0, qPrintable(QString::number(after)));
        }
        if (cause == "dead") { // the run is over within 2 s of the death, with the cause
            const auto info = run.info();
            QCOMPARE(info.state, launch::RunState::Failed);
            QVERIFY2(QString::fromStdString(info.cause.english())
                         .contains(QString("rank %1").arg(holder), Qt::CaseInsensitive),
                     info.cause.english().c_str());
            const double ended = static_cast<double>(info.endRealtimeNs - info.startRealtimeNs) * 1e-9;
            const double died = in["opened_s"].toDouble();
            qInfo("died at %.2f s, run over at %.2f s", died, ended);
            QVERIFY(ended - died < 2.0);
        }
    }

    /// Faults as `launch --fault` takes them, on rank 1 unless only rank 0 can have them. Each causes exactly one
    /// incident.
    void asked_data() {
        QTest::addColumn<QString>("fault");
        QTest::addColumn<QString>("cause");
        QTest::addColumn<QStringList>("phases");
        QTest::addColumn<QString>("place");
        QTest::addColumn<int>("exitCode");
        const auto row = [](const char* fault, const char* cause, const QStringList& phases, const char* place = "",
                            int exitCode = 0) {
            QTest::newRow(fault) << fault << cause << phases << place << exitCode;
        };
        row("slow_reader:rank=1,step=25,steps=2,seconds=2", "data_loading", {"data_wait"});
        row("preprocessing:rank=1,step=25,seconds=4", "preprocessing", {"preprocess"});
        row("preprocessing:rank=1,step=25,seconds=4,phase=augment", "preprocessing", {"augment"});
        row("slow_compute:rank=1,step=25,seconds=4,layer=2", "slow_compute", {"forward"}, "layer 2");
        row("slow_compute:rank=1,step=25,seconds=4,place=subsampling", "slow_compute", {"forward"}, "subsampling -1");
        row("slow_compute:rank=1,step=25,seconds=4,place=decoder", "slow_compute", {"forward"}, "decoder -1");
        row("slow_compute:rank=1,step=25,seconds=4,phase=backward", "slow_compute", {"backward"});
        row("stopped:rank=1,step=25,seconds=4,phase=backward", "stopped", {"backward"});
        row("checkpoint:rank=0,step=25,seconds=4", "checkpoint", {"checkpoint"});
        row("empty_batch:rank=1,step=25", "empty_batch", {"loss"}); // its gradient is 0, so the weights stay finite
        row("dead:rank=1,step=25,exit_code=9,phase=data_wait", "dead", {"data_wait"}, "", 3);
        row("out_of_memory:rank=1,step=25,megabytes=64", "dead", {"forward"}, "", 3);
    }
    void asked() {
        QFETCH(QString, fault);
        QFETCH(QString, cause);
        QFETCH(QStringList, phases);
        QFETCH(QString, place);
        QFETCH(int, exitCode);
        TestRun run;
        RunOptions o;
        o.manifest = toneManifest(run.dir(), 24, {1.5, 2.0});
        o.steps = 60;
        o.more = {"--fault", fault, "trainer.val_check_interval=30"}; // a checkpoint after each validation
        const Outcome outcome = run.launch(o);
        QVERIFY2(outcome.exitCode == exitCode, outcome.err.constData());
        const QJsonArray incidents = told(run);
        QCOMPARE(incidents.size(), 1);
        const QJsonObject in = incidents.first().toObject(), evidence = in["evidence"].toObject();
        QCOMPARE(in["cause"].toString(), cause);
        QCOMPARE(in["holders"].toArray(), QJsonArray{fault.contains("rank=0") ? 0 : 1});
        QVERIFY2(phases.contains(in["phase"].toString()), qPrintable(in["phase"].toString()));
        if (!place.isEmpty())
            QCOMPARE(QString("%1 %2").arg(evidence["place"].toString()).arg(evidence["layer"].toInt()), place);
        if (fault.startsWith("out_of_memory")) {
            QVERIFY(evidence["out_of_memory"].toBool());
            QVERIFY2(run.info().cause.english().find("rank 1 ran out of memory") != std::string::npos,
                     run.info().cause.english().c_str());
        }
        tellsThatItWasDisturbed(run);
    }

private:
    /// Returns the incidents, and prints them to the test's log.
    static QJsonArray told(const TestRun& run) {
        const QJsonArray incidents = run.incidents();
        for (const auto& v : incidents)
            qInfo().noquote() << v.toObject()["sentence"].toString()
                              << QJsonDocument(v.toObject()["evidence"].toObject()).toJson(QJsonDocument::Compact);
        return incidents;
    }
    /// Checks that run.json, the first note, and the rank at the moment the fault began all report it.
    static void tellsThatItWasDisturbed(const TestRun& run) {
        QCOMPARE(run.info().faults.size(), std::size_t(1));
        const auto notes = run.reader().notes(0, 1000);
        QVERIFY(notes && !notes->empty());
        QVERIFY2(notes->front().text.starts_with("Faults were asked for: "), notes->front().text.c_str());
        const auto begins = std::count_if(notes->begin(), notes->end(), [&](const auto& note) {
            return note.text == "fault begins: " + run.info().faults.front();
        });
        QCOMPARE(begins, 1);
    }
};

RANKSCOPE_CORE_TEST(AcceptFaults)
#include "tst_run_faults.moc"
