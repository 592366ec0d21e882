// SPDX-License-Identifier: Apache-2.0
// Any invalid input: exit code 2, one line that names the input, no run folder, no traceback.
#include "tests/acceptance/trained_run.h"
#include "tests/support/test_runner.h"

#include <QDir>
#include <QFile>
#include <QIODevice>
#include <QJsonDocument>
#include <QTest>

#include <sys/stat.h>
#include <unistd.h>

using namespace rankscope;
using namespace rankscope::test;

class AcceptBadInput : public QObject {
    Q_OBJECT
private:
    static void isRefused(TestRun& run, const Outcome& o, const QStringList& names) {
        QVERIFY2(o.exitCode == 2, qPrintable(QString("exit %1: %2").arg(o.exitCode).arg(QString::fromUtf8(o.err))));
        const QString err = QString::fromUtf8(o.err).trimmed();
        QCOMPARE(err.count('\n'), 0);
        for (const auto& name : names)
            QVERIFY2(err.contains(name), qPrintable(err));
        QVERIFY(QDir(run.runsDir()).entryList(QDir::AllEntries | QDir::NoDotAndDotDot | QDir::Hidden).isEmpty());
    }
    static QString put(TestRun& run, const QString& name, const QByteArray& text) {
        QFile f(run.dir().filePath(name));
        if (!f.open(QIODevice::WriteOnly))
            return {};
        f.write(text);
        return f.fileName();
    }

private Q_SLOTS:
    void missingConfig() {
        TestRun run;
        isRefused(run, ctl({"launch", "no-such.yaml", "--runs", run.runsDir()}), {"no-such.yaml"});
    }
    void brokenYaml() {
        TestRun run;
        const QString file = put(run, "broken.yaml", "model:\n  encoder: {d_model: 64\n  n_layers: 2\n");
        isRefused(run, ctl({"launch", file, "--runs", run.runsDir()}), {"broken.yaml:"});
    }
    void overrides_data() {
        QTest::addColumn<QString>("override_");
        QTest::addColumn<QStringList>("names");
        QTest::newRow("unknown key") << "+model.encoder.n_layer=2" << QStringList{"model.encoder.n_layer", "n_layers"};
        QTest::newRow("wrong type") << "model.encoder.n_layers=many" << QStringList{"model.encoder.n_layers"};
        QTest::newRow("out of range") << "model.train_ds.batch_size=-1" << QStringList{"model.train_ds.batch_size"};
        QTest::newRow("missing manifest")
            << "model.train_ds.manifest_filepath=/no/such/manifest.json" << QStringList{"/no/such/manifest.json"};
        QTest::newRow("precision not there") << "trainer.precision=bf16-true" << QStringList{"trainer.precision"};
    }
    void overrides() {
        QFETCH(QString, override_);
        QFETCH(QStringList, names);
        TestRun run;
        RunOptions o;
        o.manifest = toneManifest(run.dir(), 4, {1.0});
        o.more << override_;
        isRefused(run, run.launch(o), names);
    }
    void devicesBeyondWhatIsThere() {
        TestRun run;
        RunOptions o;
        o.manifest = toneManifest(run.dir(), 4, {1.0});
        auto args = run.launchArgs(o);
        args.removeAt(args.indexOf("--ranks") + 1);
        args.removeAll("--ranks");
        args << "trainer.devices=512";
        isRefused(run, ctl(args), {"trainer.devices", "512"});
    }
    void emptyManifest() {
        TestRun run;
        RunOptions o;
        o.manifest = put(run, "empty.json", "");
        isRefused(run, run.launch(o), {"empty.json"});
    }
    void brokenManifestLine() {
        TestRun run;
        RunOptions o;
        o.manifest =
            put(run, "bad.json", "{\"audio_filepath\": \"a.wav\", \"duration\": 1.5}\n{\"audio_filepath\": \n");
        isRefused(run, run.launch(o), {"bad.json:2"});
    }
    void runsFolderThatCannotBeWritten() {
        TestRun run;
        RunOptions o;
        o.manifest = toneManifest(run.dir(), 4, {1.0});
        auto args = run.launchArgs(o);
        // a file is in the folder's place: this fails for root as well
        const QString file = put(run, "occupied", "x");
        args[args.indexOf("--runs") + 1] = file + "/runs";
        const Outcome outcome = ctl(args);
        QCOMPARE(outcome.exitCode, 2);
        QVERIFY2(outcome.err.contains("occupied"), outcome.err.constData());
        if (::geteuid() != 0) {
            const QString folder = run.dir().filePath("readonly");
            QDir().mkpath(folder);
            ::chmod(qPrintable(folder), 0500);
            args[args.indexOf("--runs") + 1] = folder + "/runs";
            const Outcome denied = ctl(args);
            QCOMPARE(denied.exitCode, 2);
            QVERIFY2(denied.err.contains("readonly"), denied.err.constData());
        }
    }
    void allAudioBroken() {
        TestRun run;
        put(run, "zero.wav", "");
        put(run, "noise.wav", QByteArray(5000, 'x'));
        RunOptions o;
        o.manifest = put(run, "audio.json",
                         "{\"audio_filepath\": \"zero.wav\", \"duration\": 1.5}\n{\"audio_filepath\": \"noise.wav\", "
                         "\"duration\": 1.5}\n"
                         "{\"audio_filepath\": \"gone.wav\", \"duration\": 1.5}\n{\"audio_filepath\": \"zero.wav\", "
                         "\"duration\": 2.5}\n");
        const Outcome outcome = run.launch(o);
        // found during training, so there is a run, which records why it failed
        QCOMPARE(outcome.exitCode, 3);
        QCOMPARE(run.info().state, launch::RunState::Failed);
        const QString said =
            QString::fromUtf8(outcome.err + outcome.out) + QString::fromStdString(run.info().cause.english());
        QVERIFY2(said.contains(".wav"), qPrintable(said));
        QVERIFY2(!said.contains("terminate called"), qPrintable(said));
    }
    void someAudioBrokenIsSkippedAndNamed() {
        TestRun run;
        RunOptions o;
        o.manifest = toneManifest(run.dir(), 12, {1.0});
        put(run, "tone3.wav", "not audio at all");
        o.steps = 8;
        const Outcome outcome = run.launch(o);
        QVERIFY2(outcome.exitCode == 0, outcome.err.constData());
        auto reader = run.reader();
        const auto notes = reader.notes(0, 1000);
        QVERIFY(notes);
        const bool named = std::any_of(notes->begin(), notes->end(),
                                       [](const auto& n) { return n.text.find("tone3.wav") != std::string::npos; });
        QVERIFY(named);
        // counted where a user looks; 8 steps of 2 ranks x 2 utterances use the 12 files more than once
        const QString folder = QString::fromStdString(run.paths().dir.string());
        int skipped = 0;
        for (const auto& counter :
             QJsonDocument::fromJson(ctl({"show", folder, "--json"}).out).object()["counters"].toArray())
            if (counter.toObject()["name"].toString() == "skipped_files")
                skipped += counter.toObject()["value"].toInt();
        QVERIFY(skipped >= 1);
        QVERIFY(ctl({"show", folder}).out.contains("skipped_files"));
    }
    void tooManyBrokenStopTheRun() {
        TestRun run;
        RunOptions o;
        o.manifest = toneManifest(run.dir(), 12, {1.0});
        for (const char* name : {"tone3.wav", "tone5.wav", "tone8.wav", "tone11.wav"})
            put(run, name, "not audio at all");
        o.steps = 8;
        o.ranks = 1;
        o.more << "+rankscope.max_broken_share=0.2";
        const Outcome outcome = run.launch(o);
        QCOMPARE(outcome.exitCode, 3);
        QVERIFY2(run.info().cause.english().find("rankscope.max_broken_share") != std::string::npos,
                 run.info().cause.english().c_str());
        const QString said =
            QString::fromUtf8(outcome.err + outcome.out) + QString::fromStdString(run.info().cause.english());
        QVERIFY2(said.contains(".wav"), qPrintable(said));
    }
    void runsThatAreNotThere() {
        TestRun run;
        for (const char* command : {"show", "stop", "diagnose"}) {
            const Outcome o = ctl({command, run.runsDir() + "/nothing"});
            QCOMPARE(o.exitCode, 2);
            QVERIFY2(o.err.contains("nothing"), o.err.constData());
        }
        QCOMPARE(ctl({"no-such-command"}).exitCode, 2);
        QCOMPARE(ctl({"verify", "no.safetensors", "no.yaml"}).exitCode, 2);
    }
};

RANKSCOPE_CORE_TEST(AcceptBadInput)
#include "tst_run_bad_input.moc"
