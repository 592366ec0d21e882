// SPDX-License-Identifier: Apache-2.0
// The output of the commands, which must stay stable because scripts and the window rely on it.
#include "core/launch/run/launch_spec.h"
#include "core/store/write/run_writer.h"
#include "tests/process/launched_run.h"
#include "tests/support/test_runner.h"

#include <QDir>
#include <QJsonArray>
#include <QJsonDocument>
#include <QTest>

#include <sys/stat.h>

#include <array>
#include <cmath>
#include <filesystem>

using namespace rankscope;
using namespace rankscope::test;

class TestCommands : public QObject {
    Q_OBJECT
    static inline std::unique_ptr<Workplace> w;

    static QJsonObject json(const Outcome& o) { return QJsonDocument::fromJson(o.out.toUtf8()).object(); }
    static launch::RunPaths copyOfTheRun(const Workplace& other, const char* id) {
        const launch::RunPaths run{std::filesystem::path(other.runsDir().toStdString()) / id};
        std::filesystem::create_directories(run.dir.parent_path());
        std::filesystem::copy(w->run().dir, run.dir, std::filesystem::copy_options::recursive);
        return run;
    }
    static QJsonObject readObject(const std::filesystem::path& file) {
        QFile in(QString::fromStdString(file.string()));
        if (!in.open(QIODevice::ReadOnly))
            qFatal("cannot read %s", file.c_str());
        return QJsonDocument::fromJson(in.readAll()).object();
    }
    static void writeObject(const std::filesystem::path& file, const QJsonObject& object) {
        QFile out(QString::fromStdString(file.string()));
        if (!out.open(QIODevice::WriteOnly) || out.write(QJsonDocument(object).toJson()) < 2)
            qFatal("cannot write %s", file.c_str());
    }
    static Outcome ctl(QStringList args) { return w->ctl(args << "--runs" << w->runsDir()); }

private Q_SLOTS:
    void initTestCase() {
        w = std::make_unique<Workplace>();
        w->setTarget("do=stall at=10 seconds=1.2");
        const auto o = w->launch({"--json"});
        QVERIFY2(o.exitCode == 0, qPrintable(o.err));
        QCOMPARE(json(o)["state"].toString(), QString("finished"));
        QCOMPARE(json(o)["steps"].toInt(), 30);
    }
    void cleanupTestCase() { w.reset(); }

    void help_data() {
        QTest::addColumn<QStringList>("args");
        QTest::newRow("all") << QStringList{};
        for (const char* c : {"launch", "list", "show", "stop", "diagnose", "stacks", "watch", "compare", "plan",
                              "verify", "export", "import", "waits", "scaling", "explain"})
            QTest::newRow(c) << QStringList{c};
    }
    void help() {
        QFETCH(QStringList, args);
        const auto o = w->ctl(args << "--help");
        QCOMPARE(o.exitCode, 0);
        QVERIFY(o.out.contains("Usage"));
        QVERIFY(o.err.isEmpty());
    }
    void version() {
        const auto o = w->ctl({"--version"});
        QCOMPARE(o.exitCode, 0);
        QVERIFY(o.out.startsWith("rankscopectl 0."));
    }
    void list() {
        const auto runs = json(ctl({"list", "--json"}))["runs"].toArray();
        QCOMPARE(runs.size(), 1);
        QCOMPARE(runs[0].toObject()["state"].toString(), QString("finished"));
        const auto text = ctl({"list"}).out;
        QVERIFY(text.contains("finished") && text.contains(runs[0].toObject()["id"].toString()));
        QCOMPARE(w->ctl({"list", "--runs", w->path("none")}).exitCode, 0);
    }
    void show() {
        const auto o = json(ctl({"show", "last", "--json"}));
        QCOMPARE(o["world_size"].toInt(), 2);
        QCOMPARE(o["total_steps"].toInt(), 30);
        const auto ranks = o["ranks"].toArray();
        QCOMPARE(ranks.size(), 2);
        // rank 1 stalled: rank 0 waited, and the wait is charged to rank 1
        QVERIFY(ranks[0].toObject()["waited_s"].toDouble() > 1.1);
        QVERIFY(ranks[1].toObject()["waited_s"].toDouble() < 0.5);
        QVERIFY(ranks[1].toObject()["held_s"].toDouble() > 1.1);
        QCOMPARE(ranks[0].toObject()["weights_hash"], ranks[1].toObject()["weights_hash"]);
        QVERIFY(!o["counters"].toArray().isEmpty());
        const auto text = ctl({"show", "last"}).out;
        for (const char* part : {"finished", "held others", "data_loading", "records", "30 of 30", "to waiting"})
            QVERIFY2(text.contains(part), qPrintable(text));

        Workplace alone; // a single rank neither waits nor holds others
        alone.setTarget("steps=5 ms=5");
        QCOMPARE(alone.launch({"--ranks", "1"}).exitCode, 0);
        const auto other = alone.ctl({"show", "last", "--runs", alone.runsDir()}).out;
        const QStringList cells = other.section("held others", 1).section('\n', 1, 1).split(' ', Qt::SkipEmptyParts);
        QVERIFY2(cells.count(QString("-")) >= 2 && !cells.contains(QString("ns")), qPrintable(other));
    }
    void diagnose() {
        const auto o = ctl({"diagnose", "last", "--json"});
        const auto incidents = json(o)["incidents"].toArray();
        QCOMPARE(incidents.size(), 1);
        const auto i = incidents[0].toObject();
        for (const char* key : {"cause", "phase", "holders", "waiters", "collective", "step", "opened_s",
                                "detected_after_s", "closed_s", "remedy", "evidence"})
            QVERIFY2(i.contains(key), key);
        for (const char* key : {"tag", "op", "seq"})
            QVERIFY2(i["collective"].toObject().contains(key), key);
        QVERIFY(ctl({"diagnose", "last"}).out.contains("data_loading"));
        // the detector's input was recorded: diagnosing it again gives the same result
        const auto again = ctl({"diagnose", "last", "--replay", "--json"});
        QVERIFY2(again.exitCode == 0, qPrintable(again.err + again.out));
        QCOMPARE(json(again)["identical"].toBool(), true);
        QVERIFY(json(again)["rounds"].toInt() > 10);
        QCOMPARE(json(again)["incidents"].toArray(), incidents);
        QVERIFY(ctl({"diagnose", "last", "--replay"}).out.contains("1 incident byte-identical"));
    }
    void waits() {
        const auto report = json(ctl({"waits", "last", "--json"}));
        QCOMPARE(report["steps"].toInt(), 30);
        QCOMPARE(report["single_steps"].toInt(), 30);
        const auto worst = report["ranking"].toArray()[0].toObject();
        QCOMPARE(worst["rank"].toInt(), 1);
        QCOMPARE(worst["mostly_phase"].toString(), QString("data_wait"));
        QCOMPARE(worst["mostly_tag"].toString(), QString("gradient"));
        QVERIFY(worst["wait_ns"].toDouble() > 1.1e9);
        QVERIFY(worst["holder_phases_ns"].toObject()["data_wait"].toDouble() > 1.1e9);
        QVERIFY(worst["blocked_ns"].toDouble() > 1.1e9);
        QVERIFY(report["prediction"].toObject()["balanced"].toObject()["gains_ns"].toDouble() > 0.5e9);
        QVERIFY(report["prediction"].toObject()["without_length_sync"].isNull()); // the target has none
        QVERIFY(report["length_lateness"].toArray()[0].toObject()["frames_max"].toObject()["pearson"].isNull());
        const auto text = ctl({"waits", "last"}).out;
        for (const char* part :
             {"rank 1 kept the others waiting", "data_wait", "ranks balanced", "gradient", "lost to waiting"})
            QVERIFY2(text.contains(part), qPrintable(text));
        // every command reports the same figure
        const double lostNs = report["lost_ns"].toDouble();
        const double gainNs = report["prediction"].toObject()["balanced"].toObject()["gains_ns"].toDouble();
        const auto lost = json(ctl({"show", "last", "--json"}))["lost"].toObject();
        QVERIFY2(std::abs(lost["lost_s"].toDouble() * 1e9 - lostNs) < 1e3, qPrintable(QString::number(lostNs)));
        QVERIFY2(std::abs(gainNs - lostNs) < 0.01 * lostNs, qPrintable(QString::number(gainNs)));
        QCOMPARE(lost["steps"].toInt(), 30);
        QVERIFY(lost["share"].toDouble() > 0 && lost["share"].toDouble() < 1 && !lost["estimated"].toBool());
    }
    /// Its supervisor is gone, and nothing could close it in the store.
    void anOpenIncidentOfAnEndedRun() {
        Workplace other;
        const auto run = copyOfTheRun(other, "20260101-100000-open-0001");
        {
            auto store = store::RunWriter::reopen(run.store());
            QVERIFY(store);
            diagnosis::Transition opened;
            opened.incident.id = 99;
            opened.incident.holders = {1};
            opened.incident.waiters = {0};
            opened.incident.openedNs = opened.incident.detectedNs = store->meta().startNs + 1'000'000'000;
            QVERIFY(store->commit({}, std::array{opened}));
        }
        for (const char* command : {"show", "diagnose"}) {
            const QString text = other.ctl({command, QString::fromStdString(run.dir.string())}).out;
            QVERIFY2(text.contains("from 1.0 s, last recorded as open") && !text.contains("still open"),
                     qPrintable(text));
        }
    }
    /// No collective records a wait that only the end of the run ended.
    void waitsUntilTheRunsEnd() {
        Workplace other;
        const auto run = copyOfTheRun(other, "20260101-100000-stop-0001");
        {
            auto store = store::RunWriter::reopen(run.store());
            QVERIFY(store);
            diagnosis::Transition stall;
            stall.incident.id = 99;
            stall.incident.cause = diagnosis::Cause::DataLoading;
            stall.incident.phase = telemetry::Phase::DataWait;
            stall.incident.holders = {1};
            stall.incident.waiters = {0};
            stall.incident.step = 30; // the run has 30 steps
            stall.incident.collective = {"gradient", telemetry::CollectiveOp::AllReduce, 0, 90, true};
            stall.incident.openedNs = stall.incident.detectedNs = store->meta().startNs + 100'000'000'000;
            stall.incident.closedNs = store->meta().startNs + 140'000'000'000;
            stall.incident.closed = diagnosis::CloseReason::StoppedByUser;
            QVERIFY(store->commit({}, std::array{stall}));
        }
        const QString path = QString::fromStdString(run.dir.string());
        const auto report = json(other.ctl({"waits", path, "--json"}));
        QCOMPARE(report["total"].toObject()["until_end_ns"].toDouble(), 40e9);
        QVERIFY(report["total"].toObject()["wait_ns"].toDouble() > 41e9); // with the stall that ended
        const auto lost = json(other.ctl({"show", path, "--json"}))["lost"].toObject();
        QVERIFY(std::abs(lost["lost_s"].toDouble() * 1e9 - report["lost_ns"].toDouble()) < 1e3);
        const auto text = other.ctl({"waits", path}).out;
        QVERIFY2(text.contains("40.0 s of it until the run's end"), qPrintable(text));
        const auto before = json(other.ctl({"waits", path, "--json", "--to-step", "29"}));
        QCOMPARE(before["total"].toObject()["until_end_ns"].toDouble(), 0.0);
        const auto there = json(other.ctl({"waits", path, "--json", "--from", "120"}));
        QCOMPARE(there["total"].toObject()["wait_ns"].toDouble(), 40e9);
        QCOMPARE(there["first_step"].toInt(), 30);
    }
    void waitsOfAPart() {
        // the stall is in step 10
        const auto before = json(ctl({"waits", "last", "--json", "--to-step", "9"}));
        QCOMPARE(before["steps"].toInt(), 10);
        QVERIFY(before["total"].toObject()["wait_ns"].toDouble() < 0.5e9);
        const auto at = json(ctl({"waits", "last", "--json", "--from-step", "10", "--to-step", "10"}));
        QVERIFY(at["total"].toObject()["wait_ns"].toDouble() > 1.1e9);
        const double middle = (at["begin_ns"].toDouble() + at["end_ns"].toDouble()) / 2e9;
        const auto byTime = json(ctl({"waits", "last", "--json", "--from", QString::number(middle, 'f', 6), "--to",
                                      QString::number(middle, 'f', 6)}));
        QCOMPARE(byTime["first_step"].toInt(), 10);
        QCOMPARE(byTime["last_step"].toInt(), 10);
        QCOMPARE(ctl({"waits", "last", "--from-step", "500"}).out, QString("no steps\n"));
        const auto both = ctl({"waits", "last", "--from-step", "1", "--to", "3"});
        QCOMPARE(both.exitCode, int(launch::kBadInput));
        QVERIFY2(both.err.contains("--from"), qPrintable(both.err));
        QCOMPARE(ctl({"waits", "last", "--from", "nan"}).exitCode, int(launch::kBadInput));
        QCOMPARE(ctl({"waits", "last", "--from-step", "x"}).exitCode, int(launch::kBadInput));
    }
    void scalingNeedsABaseline() {
        const auto o = ctl({"scaling", "last"});
        QCOMPARE(o.exitCode, int(launch::kBadInput));
        QVERIFY2(o.err.contains("trainer.devices=1") && o.err.count('\n') == 1, qPrintable(o.err));
        const auto itself = ctl({"scaling", "last", "--baseline", "last"});
        QCOMPARE(itself.exitCode, int(launch::kBadInput));
        QVERIFY2(itself.err.contains("has 2 ranks"), qPrintable(itself.err));

        Workplace other; // some shells expand a ~ that is not quoted
        other.setTarget("steps=30 ms=5");
        QCOMPARE(other.launch({"--ranks", "2", "--fault", "data_loading:rank=1,step=10,seconds=1"}).exitCode, 0);
        const auto faulty = other.ctl({"scaling", "last", "--runs", other.runsDir()});
        QVERIFY2(faulty.err.contains(" '~rankscope.faults' "), qPrintable(faulty.err));
    }
    /// Exports event files, and imports them as a run that is marked as imported.
    void exportAndImport() {
        const auto out = ctl({"export", "last", "--format", "tensorboard", "--output", w->path("events")});
        QVERIFY2(out.exitCode == 0, qPrintable(out.err));
        QVERIFY2(out.err.contains("2 event files"), qPrintable(out.err));
        const auto in = w->ctl({"import", w->path("events"), "--runs", w->path("others"), "--json"});
        QVERIFY2(in.exitCode == 0, qPrintable(in.err));
        QCOMPARE(json(in)["world_size"].toInt(), 2);
        QCOMPARE(json(in)["series"].toObject()["train/loss"].toObject()["stored_as"].toString(), QString("loss"));
        const auto shown = json(w->ctl({"show", "last", "--runs", w->path("others"), "--json"}));
        QCOMPARE(shown["state"].toString(), QString("imported"));
        QCOMPARE(shown["steps"].toInt(), 30);
        const auto text = w->ctl({"show", "last", "--runs", w->path("others")}).out;
        QVERIFY2(text.contains("imported: from " + w->path("events")), qPrintable(text));
        QCOMPARE(w->ctl({"watch", "last", "--runs", w->path("others")}).exitCode, 0);
        QCOMPARE(w->ctl({"diagnose", "last", "--runs", w->path("others")}).exitCode, 0);
    }
    void exportTraceAndPage() {
        const auto trace = ctl({"export", "last", "--format", "chrome-trace", "--output", w->path("t.json")});
        QVERIFY2(trace.exitCode == 0, qPrintable(trace.err));
        QFile file(w->path("t.json"));
        QVERIFY(file.open(QIODevice::ReadOnly));
        QVERIFY(QJsonDocument::fromJson(file.readAll()).object()["traceEvents"].toArray().size() > 2 * 30);
        const auto page = ctl({"export", "last", "--format", "html", "--output", w->path("p.html")});
        QVERIFY2(page.exitCode == 0, qPrintable(page.err));
        QFile report(w->path("p.html"));
        QVERIFY(report.open(QIODevice::ReadOnly));
        const auto text = report.readAll().replace("<wbr/>", "");
        QVERIFY(text.contains("<h2>Incidents</h2>") && text.contains("<h3>1. ") && text.contains("trainer.devices"));
    }
    void exportsThatAreRefused_data() {
        QTest::addColumn<QStringList>("args");
        QTest::addColumn<QString>("words");
        QTest::newRow("nothing") << QStringList{} << "--format";
        QTest::newRow("no place") << QStringList{"--format", "csv"} << "--output";
        QTest::newRow("two places") << QStringList{"--format", "csv", "--output", "a", "--csv", "b"} << "--csv";
        QTest::newRow("format") << QStringList{"--format", "xml", "--output", "a"} << "tensorboard";
        QTest::newRow("series") << QStringList{"--csv", "a", "--series", "los"} << "did you mean loss";
        QTest::newRow("rank") << QStringList{"--csv", "a", "--ranks", "0,2"} << "ranks 0 to 1";
        QTest::newRow("part of a page") << QStringList{"--format", "html", "--output", "a", "--ranks", "0"}
                                        << "whole run";
        QTest::newRow("steps") << QStringList{"--csv", "a", "--from-step", "9", "--to-step", "8"} << "--to-step 8";
    }
    void exportsThatAreRefused() {
        QFETCH(QStringList, args);
        QFETCH(QString, words);
        const auto o = ctl(QStringList{"export", "last"} + args);
        QCOMPARE(o.exitCode, int(launch::kBadInput));
        QVERIFY2(o.err.contains(words) && o.err.count('\n') == 1, qPrintable(o.err));
    }
    void exportPartOfIt() {
        const auto o = ctl({"export", "last", "--csv", w->path("part"), "--series", "loss,wait/all_s", "--ranks", "1",
                            "--from-step", "10", "--to-step", "14"});
        QVERIFY2(o.exitCode == 0, qPrintable(o.err));
        QFile steps(w->path("part/steps.csv"));
        QVERIFY(steps.open(QIODevice::ReadOnly));
        const auto lines = steps.readAll().split('\n');
        QCOMPARE(lines.size(), 1 + 5 + 1);
        QCOMPARE(lines[0], QByteArray("rank,step,epoch,flags,begin_ns,end_ns,loss,wait_ns\r"));
        QVERIFY(lines[1].startsWith("1,10,"));
    }
    void exportCsv() {
        const auto o = ctl({"export", "last", "--csv", w->path("csv")});
        QVERIFY2(o.exitCode == 0, qPrintable(o.err));
        for (const char* name : {"steps.csv", "collectives.csv", "phases.csv", "incidents.csv", "notes.csv"})
            QVERIFY2(QFile::exists(w->path("csv/") + name), name);
        QFile steps(w->path("csv/steps.csv"));
        QVERIFY(steps.open(QIODevice::ReadOnly));
        QCOMPARE(steps.readAll().count('\n'), 1 + 2 * 30);
    }
    /// For CI: exit code 1 if something differs, 0 if nothing does, 2 if one cannot be read.
    void compare() {
        const auto all = w->ctl({"compare", w->config(), "--json"});
        QVERIFY2(all.exitCode == 1, qPrintable(all.err));
        QVERIFY(!QJsonDocument::fromJson(all.out.toUtf8()).isNull());
        const auto text = w->ctl({"compare", w->config(), "--only-different"});
        QCOMPARE(text.exitCode, 1);
        QVERIFY(text.out.contains("trainer.devices"));
        const auto nest = w->ctl({"compare", RANKSCOPE_TEST_DIR "/../../configs/nest_large.yaml"});
        QVERIFY2(nest.out.contains("9,999 x 512 (position table)"), qPrintable(nest.out));
        const auto same = w->ctl({"compare", w->config(), "--with", w->config(), "--only-different"});
        QCOMPARE(same.exitCode, 0);
        QVERIFY(!same.out.contains("trainer.devices"));
        const auto open = w->ctl({"compare", RANKSCOPE_TEST_DIR "/../../configs/nest_large.yaml", "--with",
                                  RANKSCOPE_TEST_DIR "/../../configs/nest_small.yaml", "--only-different", "--json"});
        QCOMPARE(open.exitCode, 1);
        QStringList keys;
        for (const auto& item : json(open)["keys"].toArray())
            keys << item.toObject()["key"].toString();
        QVERIFY(keys.contains("model.encoder.d_model") && !keys.contains("model.train_ds.manifest_filepath"));
    }
    void compareRuns() {
        Workplace two;
        const auto on = [&](QStringList args) { return two.ctl(args << "--runs" << two.runsDir()); };
        for (const QStringList& more : {QStringList{}, QStringList{"++rankscope.stall.min_seconds=0.7"}}) {
            const auto o = two.launch(more);
            QVERIFY2(o.exitCode == 0, qPrintable(o.err));
        }
        const auto runs = json(on({"list", "--json"}))["runs"].toArray();
        QCOMPARE(runs.size(), 2);
        const QString first = runs[1].toObject()["id"].toString();
        const auto differ = on({"compare", first, "--with", "last", "--only-different", "--json"});
        QCOMPARE(differ.exitCode, 1);
        const auto keys = json(differ)["keys"].toArray();
        QCOMPARE(keys.size(), 1);
        QCOMPARE(keys[0].toObject()["key"].toString(), QString("rankscope.stall.min_seconds"));
        QCOMPARE(json(differ)["mine"].toString(), first);
        QCOMPARE(on({"compare", "last", "--with", "last"}).exitCode, 0);
        // compares a run with the file that it was launched with, and with NeMo's defaults
        const auto itself = on({"compare", first, "--with", two.config(), "--only-different"});
        QVERIFY2(itself.exitCode == 0, qPrintable(itself.out + itself.err));
        QCOMPARE(on({"compare", first}).exitCode, 1);
        const auto none = on({"compare", "nothing"});
        QCOMPARE(none.exitCode, 2);
        QVERIFY(none.err.contains("nothing") && none.err.count('\n') == 1);
    }
    void plan() {
        const QStringList words{"plan", w->config(), "--ranks", "2"};
        const auto o = w->ctl(words + QStringList{"--json"});
        QVERIFY2(o.exitCode == 0, qPrintable(o.err));
        const auto plan = json(o);
        QCOMPARE(plan["ranks"].toInt(), 2);
        QCOMPARE(plan["processes"].toArray()[1].toObject()["environment"].toObject()["RANK"].toString(), QString("1"));
        QVERIFY(plan["model"].toObject()["trainable"].toInt() > 1000);
        const auto text = w->ctl(words);
        QCOMPARE(text.exitCode, 0);
        const auto order = plan["collectives_in_order"].toObject();
        for (const char* trainer : {"nemo", "rankscope"})
            QVERIFY(!order[trainer].toObject()["step"].toArray().isEmpty());
        for (const char* part : {"WORLD_SIZE=2", "trainable parameters", "collectives of a step", "no-workers",
                                 "collectives of a step of NeMo", "(position table)", "Risk rules"})
            QVERIFY2(text.out.contains(part), qPrintable(text.out));
        const auto faulty = w->ctl(words + QStringList{"+rankscope.faults=[{kind: stopped, rank: 1, step: 1}]"});
        QVERIFY2(faulty.out.contains(" '~rankscope.faults'\n"), qPrintable(faulty.out + faulty.err));
        QCOMPARE(w->ctl({"plan", "none.yaml"}).exitCode, 2);
        QCOMPARE(w->ctl({"plan", w->config(), "no.such.key=1"}).exitCode, 2);
        QCOMPARE(w->ctl({"plan", w->config(), "--ranks", "0"}).exitCode, 2);
        QCOMPARE(json(ctl({"list", "--json"}))["runs"].toArray().size(), 1); // `plan` starts nothing and writes nothing
    }
    void weightsAreTheTrainers() {
        w->file("say", "#!/bin/sh\necho \"$@\"\nexit 1\n");
        QFile::setPermissions(w->path("say"), QFile::ReadOwner | QFile::ExeOwner);
        Workplace other;
        other.setTrainer(w->path("say"));
        const auto o = other.ctl({"verify", "a.safetensors", "b.yaml"});
        QCOMPARE(o.exitCode, int(launch::kCheckFailed));
        QCOMPARE(o.out.trimmed(), QString("verify a.safetensors b.yaml"));
        const std::pair<QStringList, const char*> others[] = {
            {{"verify", "a.safetensors", "b.yaml", "--weights", "c.nemo"},
             "verify a.safetensors b.yaml --weights c.nemo"},
            {{"weights", "a file.nemo"}, "weights a file.nemo"},
            {{"weights", "--json", "a.nemo"}, "weights a.nemo --json"},
            {{"convert", "a.nemo", "b.ckpt"}, "convert a.nemo b.ckpt"},
            {{"convert", "a.ckpt", "b.nemo", "--config", "c.yaml"}, "convert a.ckpt b.nemo --config c.yaml"}};
        for (const auto& [arguments, passed] : others)
            QCOMPARE(other.ctl(arguments).out.trimmed(), QString(passed));
        QCOMPARE(other.ctl({"convert", "a.nemo"}).exitCode, int(launch::kBadInput));
    }
    /// Names, causes and notes of another user's run cannot control the terminal or forge rows.
    void foreignTextObeysNothing() {
        Workplace other;
        const auto run = copyOfTheRun(other, "20260101-000000-x\x1b[31m\nFAKE-0001");
        auto info = readObject(run.runJson());
        const QString evil = QString::fromUtf8("\x1b]0;PWNED\x07\x1b[31mx\r\nFAKE  finished\xC2\x9B"
                                               "31m\xE2\x80\xAE");
        for (const char* key : {"cause", "name", "resumed_from", "relaunched_from"})
            info[key] = evil;
        info["faults"] = QJsonArray{evil};
        writeObject(run.runJson(), info);
        {
            auto store = store::RunWriter::reopen(run.store());
            QVERIFY(store);
            diagnosis::Transition opened;
            opened.incident.id = 99;
            opened.incident.holders = {1};
            opened.incident.waiters = {0};
            opened.incident.collective.tag = evil.toStdString();
            opened.incident.remedy.text = evil.toStdString();
            opened.incident.openedNs = store->meta().startNs + 1000;
            opened.incident.detectedNs = store->meta().startNs + 2000;
            opened.incident.evidence = diagnosis::evidenceFromJson(
                {{"file", evil.toStdString()}, {evil.toStdString(), {{"deep", evil.toStdString()}}}});
            QVERIFY(store->commit({}, std::array{opened}));
            QVERIFY(store->finish());
        }
        const QString path = QString::fromStdString(run.dir.string());
        const QList<QStringList> commands{{"list", "--runs", other.runsDir()},
                                          {"show", path},
                                          {"diagnose", path},
                                          {"watch", path},
                                          {"stop", path},
                                          {"waits", path},
                                          {"diagnose", path, "--replay"},
                                          {"show", path, "--json"},
                                          {"list", "--json", "--runs", other.runsDir()},
                                          {"watch", path, "--json"},
                                          {"compare", w->config(), "--with", path},
                                          {"compare", path, "--with", QString::fromStdString(w->run().dir.string())},
                                          {"show", "none" + evil, "--runs", other.runsDir()}};
        for (const QStringList& command : commands) {
            const auto o = other.ctl(command);
            for (const QChar c : o.out + o.err) {
                const bool fine = c == '\n' || (c >= QChar(0x20) && c != QChar(0x7f) &&
                                                !(c > QChar(0x7f) && c < QChar(0xa0)) && c != QChar(0x202e));
                QVERIFY2(fine, qPrintable(command.join(' ') + ": " + QString::number(c.unicode(), 16)));
            }
            QVERIFY2(!(o.out + o.err).contains("\nFAKE"), qPrintable(o.out + o.err));
        }
        QCOMPARE(other.ctl(commands[0]).out.count('\n'), 2);                           // the header and one run
        QCOMPARE(json(other.ctl({"show", path, "--json"}))["cause"].toString(), evil); // the value itself is unchanged
    }
    /// A run folder with a pipe in place of a file must not block commands that read all runs.
    void pipesInARunsFolderHoldNobodyUp() {
        for (const char* file : {"lock", "run.json", "marks.json", "run.sqlite-wal", "effective.yaml"}) {
            Workplace other;
            const auto run = copyOfTheRun(other, "20260101-000000-x-0001");
            auto info = readObject(run.runJson());
            info["state"] = "running";
            info["host"] = "elsewhere";
            writeObject(run.runJson(), info);
            std::filesystem::remove(run.dir / file);
            QCOMPARE(::mkfifo((run.dir / file).c_str(), 0600), 0);
            const QString path = QString::fromStdString(run.dir.string());
            const QList<QStringList> commands{
                {"list", "--runs", other.runsDir()}, {"show", path}, {"export", path, "--csv", other.path("csv")}};
            for (const QStringList& command : commands)
                QVERIFY2(other.ctl(command, 10'000).exitCode >= 0, qPrintable(command.join(' ') + ": " + file));
        }
    }
    /// The export writes into the pipe, which stays a pipe; it does not wait for a missing reader.
    void exportIntoAPipe() {
        const QString pipe = w->path("pipe");
        QCOMPARE(::mkfifo(qPrintable(pipe), 0600), 0);
        const auto unread =
            w->ctl({"export", "last", "--format", "html", "--output", pipe, "--runs", w->runsDir()}, 10'000);
        QCOMPARE(unread.exitCode, int(launch::kBadInput));
        QVERIFY2(unread.err.contains("no process reads"), qPrintable(unread.err));
        QProcess reader;
        reader.start("cat", {pipe});
        QVERIFY(reader.waitForStarted());
        Outcome written;
        for (int tries = 0; tries < 50 && written.exitCode != 0; ++tries) { // until cat has opened it
            QTest::qWait(50);
            written = ctl({"export", "last", "--format", "html", "--output", pipe});
        }
        QVERIFY2(written.exitCode == 0, qPrintable(written.err));
        QVERIFY(reader.waitForFinished());
        const QByteArray page = reader.readAllStandardOutput();
        QVERIFY(page.startsWith("<!DOCTYPE html>") && page.endsWith("</html>\n"));
        QVERIFY(std::filesystem::is_fifo(pipe.toStdString()));
    }
    void aDamagedRunIsListedAndRefused() {
        Workplace other;
        QDir().mkpath(other.runsDir() + "/20260101-000000-x-0001");
        other.file("runs/20260101-000000-x-0001/run.json", "{");
        const auto list = other.ctl({"list", "--runs", other.runsDir()});
        QCOMPARE(list.exitCode, 0);
        QVERIFY2(list.out.contains("damaged"), qPrintable(list.out));
        const auto show = other.ctl({"show", "last", "--runs", other.runsDir()});
        QCOMPARE(show.exitCode, int(launch::kBadInput));
        QVERIFY2(show.err.contains("run.json"), qPrintable(show.err));
    }
    void linksNeitherTorchNorQt() {
        QProcess ldd;
        ldd.start("ldd", {QStringLiteral(RANKSCOPE_BIN_DIR "/rankscopectl")});
        QVERIFY(ldd.waitForFinished(10'000));
        const QByteArray libraries = ldd.readAllStandardOutput();
        QVERIFY(libraries.contains("libc.so"));
        QVERIFY2(!libraries.contains("torch") && !libraries.contains("Qt") && !libraries.contains("libc10"), libraries);
    }
};

RANKSCOPE_CORE_TEST(TestCommands)
#include "tst_commands.moc"
