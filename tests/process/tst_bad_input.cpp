// SPDX-License-Identifier: Apache-2.0
// Any invalid input: exit code 2, one line that names the input, nothing left behind.
#include "core/launch/run/launch_spec.h"
#include "tests/process/launched_run.h"
#include "tests/support/test_runner.h"

#include <QDir>
#include <QTest>

#include <sys/stat.h>
#include <unistd.h>

using namespace rankscope;
using namespace rankscope::test;

class TestBadInput : public QObject {
    Q_OBJECT
    std::unique_ptr<Workplace> w;

    void isRefused(const Outcome& o, const QStringList& names) const {
        QVERIFY2(o.exitCode == launch::kBadInput, qPrintable(QString("%1: %2").arg(o.exitCode).arg(o.err)));
        QVERIFY2(o.err.startsWith("rankscopectl: "), qPrintable(o.err));
        QVERIFY2(o.err.count('\n') == 1, qPrintable(o.err));
        for (const auto& name : names)
            QVERIFY2(o.err.contains(name), qPrintable(o.err));
        QVERIFY(o.out.isEmpty());
        QCOMPARE(w->leftovers(), std::vector<std::string>{});
    }

private Q_SLOTS:
    void init() { w = std::make_unique<Workplace>(); }

    void aPathThatIsTooLongForAStore() {
        const QString folder = w->path(QString("n").repeated(200) + "/" + QString("n").repeated(255));
        const auto o = w->ctl({"launch", w->config(), "--runs", folder});
        QCOMPARE(o.exitCode, int(launch::kBadInput));
        QVERIFY2(o.err.contains("SQLite allows 504") && o.err.contains("shorter"), qPrintable(o.err));
        QVERIFY(QDir(folder).entryList(QDir::AllEntries | QDir::Hidden | QDir::NoDotAndDotDot).isEmpty());
    }
    void overrides_data() {
        QTest::addColumn<QStringList>("more");
        QTest::addColumn<QStringList>("names");
        using L = QStringList;
        QTest::newRow("unknown key") << L{"+model.encoder.n_layer=2"} << L{"model.encoder.n_layer", "n_layers"};
        QTest::newRow("wrong type") << L{"+model.encoder.n_layers=many"} << L{"model.encoder.n_layers"};
        QTest::newRow("devices beyond what is there") << L{"trainer.devices=512"} << L{"trainer.devices", "512"};
        QTest::newRow("devices named twice, whatever --ranks says")
            << L{"trainer.devices=[0,0]", "--ranks", "2"} << L{"trainer.devices", "twice"};
        QTest::newRow("ranks beyond reason") << L{"--ranks", "5000"} << L{"--ranks", "5000"};
        QTest::newRow("ranks that are none") << L{"--ranks", "zero"} << L{"--ranks"};
        QTest::newRow("negative ranks") << L{"--ranks", "-1"} << L{"--ranks"};
        QTest::newRow("gpu without one") << L{"trainer.accelerator=tpu"} << L{"trainer.accelerator"};
        QTest::newRow("manifest missing")
            << L{"model.train_ds.manifest_filepath=no.json"} << L{"model.train_ds.manifest_filepath", "no.json"};
        QTest::newRow("manifest is a folder") << L{"model.train_ds.manifest_filepath=."} << L{"folder"};
        QTest::newRow("several nodes") << L{"+trainer.num_nodes=2"} << L{"trainer.num_nodes"};
        QTest::newRow("fault of a rank that is not there")
            << L{"+rankscope.faults=[{kind: dead, rank: 5, step: 1}]"} << L{"rankscope.faults", "rank 5"};
        QTest::newRow("--fault of a rank that is not there")
            << L{"--fault", "dead:rank=5,step=1"} << L{"rankscope.faults", "rank 5"};
        QTest::newRow("--fault of no kind") << L{"--fault", "sleepy:rank=1"}
                                            << L{"--fault sleepy", "not a kind of fault"};
        QTest::newRow("--fault with a bad value")
            << L{"--fault", "data_loading:rank=1,seconds=soon"} << L{"--fault data_loading", "seconds"};
        QTest::newRow("--fault without a text") << L{"--fault"} << L{"--fault"};
        QTest::newRow("checkpoint fault of a rank that writes none")
            << L{"--fault", "checkpoint:rank=1"} << L{"rankscope.faults", "only rank 0"};
        QTest::newRow("fault of a layer that is not there")
            << L{"--fault", "slow_compute:layer=4000"} << L{"rankscope.faults", "layer 4000"};
        QTest::newRow("fault of two places") << L{"--fault", "slow_compute:place=decoder,phase=loss"}
                                             << L{"rankscope.faults", "only forward and backward"};
        QTest::newRow("fault of a place that backward does not tell")
            << L{"--fault", "slow_compute:place=decoder,phase=backward"} << L{"rankscope.faults", "decoder"};
        QTest::newRow("other settings that are wrong")
            << L{"--fault", "other_settings:rank=1,set=model.train_ds.batch_size=many"}
            << L{"rankscope.faults", "rank 1", "model.train_ds.batch_size"};
        QTest::newRow("weights that are not there")
            << L{"+init_from_ptl_ckpt=no.ckpt"} << L{"init_from_ptl_ckpt: no.ckpt", "does not exist"};
        QTest::newRow("weights of another model")
            << L{"+init_from_ptl_ckpt=" RANKSCOPE_TEST_DIR "/../data/checkpoint/lightning.ckpt"}
            << L{"init_from_ptl_ckpt", "lightning.ckpt", "has no tensor of the model"};
        QTest::newRow("unknown option") << L{"--rank", "2"} << L{"--rank"};
        QTest::newRow("limit that is neither share nor number")
            << L{"+trainer.limit_train_batches=2.5"} << L{"trainer.limit_train_batches", "2.5", "whole number"};
        QTest::newRow("limit that leaves no batch")
            << L{"+trainer.limit_train_batches=0.0001"} << L{"trainer.limit_train_batches", "less than one"};
    }
    void overrides() {
        QFETCH(QStringList, more);
        QFETCH(QStringList, names);
        isRefused(w->launch(more), names);
    }

    void files_data() {
        QTest::addColumn<QByteArray>("config");
        QTest::addColumn<QStringList>("names");
        QTest::newRow("broken YAML") << QByteArray("model:\n  a: {b\n  c: 1\n") << QStringList{"bad.yaml:"};
        QTest::newRow("binary") << QByteArray("\x00\x01\xff\xfe\x80", 5) << QStringList{"bad.yaml"};
        QTest::newRow("empty") << QByteArray() << QStringList{};
        QTest::newRow("a list") << QByteArray("- 1\n- 2\n") << QStringList{"bad.yaml"};
    }
    void files() {
        QFETCH(QByteArray, config);
        QFETCH(QStringList, names);
        const QString file = w->file("bad.yaml", config);
        isRefused(w->ctl({"launch", file, "--runs", w->runsDir()}), names);
    }
    void missingFile() { isRefused(w->ctl({"launch", "no-such.yaml", "--runs", w->runsDir()}), {"no-such.yaml"}); }
    void manifests_data() {
        QTest::addColumn<QByteArray>("text");
        QTest::addColumn<QStringList>("names");
        QTest::newRow("empty") << QByteArray() << QStringList{"m.json", "empty"};
        QTest::newRow("blank lines") << QByteArray("\n  \n\n") << QStringList{"m.json", "empty"};
        QTest::newRow("broken line") << QByteArray("{\"audio_filepath\": \"a\", \"duration\": 1}\n\n{\"audio\n")
                                     << QStringList{"m.json:3"};
        QTest::newRow("no file named") << QByteArray("{\"duration\": 1}\n")
                                       << QStringList{"m.json:1", "audio_filepath"};
    }
    void manifests() {
        QFETCH(QByteArray, text);
        QFETCH(QStringList, names);
        w->file("m.json", text);
        isRefused(w->launch({"model.train_ds.manifest_filepath=m.json"}), names);
    }
    void audioThatIsNotThere() {
        w->file("m.json", "{\"audio_filepath\": \"gone.wav\", \"duration\": 1}\n"
                          "{\"audio_filepath\": \"gone.wav\", \"duration\": 1}\n"
                          "{\"audio_filepath\": \"a.wav\", \"duration\": 1}\n");
        isRefused(w->launch({"model.train_ds.manifest_filepath=m.json"}),
                  {"model.train_ds.manifest_filepath", "2 of the 3 audio files", "gone.wav", "max_broken_share"});
        QCOMPARE(w->launch({"model.train_ds.manifest_filepath=m.json", "+rankscope.max_broken_share=0.7"}).exitCode, 0);
    }
    void aManifestThatIsAPipe() {
        QCOMPARE(::mkfifo(qPrintable(w->path("m.json")), 0600), 0);
        isRefused(w->launch({"model.train_ds.manifest_filepath=m.json"}, 10'000),
                  {"model.train_ds.manifest_filepath", "m.json", "not a regular file"});
        isRefused(w->launch({"model.train_ds.manifest_filepath=/dev/zero"}, 10'000),
                  {"/dev/zero", "not a regular file"});
    }
    void runsFolderIsAFile() {
        const QString file = w->file("occupied", "x");
        isRefused(w->ctl({"launch", w->config(), "--runs", file}), {"occupied"});
        isRefused(w->ctl({"launch", w->config(), "--runs", file + "/deeper"}), {"occupied"});
    }
    void runsFolderOnAFileSystemThatTakesNothing() {
        isRefused(w->ctl({"launch", w->config(), "--runs", "/proc/rankscope"}), {"/proc/rankscope"});
    }
    void runsFolderReadOnly() {
        if (::geteuid() == 0)
            QSKIP("root may write to a read-only folder");
        QDir().mkpath(w->path("readonly"));
        QFile::setPermissions(w->path("readonly"), QFile::ReadOwner | QFile::ExeOwner);
        isRefused(w->ctl({"launch", w->config(), "--runs", w->path("readonly")}), {"readonly"});
    }
    void trainerMissing() {
        w->setTrainer("/nonexistent/rankscope-trainer");
        isRefused(w->launch(), {"RANKSCOPE_TRAINER", "/nonexistent/rankscope-trainer"});
    }
    void trainerThatIsNoProgram() {
        const QString file = w->file("script", QByteArray(64, '\x01'));
        QFile::setPermissions(file, QFile::ReadOwner | QFile::ExeOwner);
        w->setTrainer(file);
        isRefused(w->launch(), {"script"});
    }
    void runsThatAreNotThere() {
        for (const char* command : {"show", "stop", "diagnose"})
            isRefused(w->ctl({command, "nothing", "--runs", w->runsDir()}), {"nothing"});
        isRefused(w->ctl({"export", "nothing", "--csv", "x", "--runs", w->runsDir()}), {"nothing"});
    }
    void commands() {
        isRefused(w->ctl({"no-such-command"}), {"no-such-command"});
        isRefused(w->ctl({}), {"--help"});
        isRefused(w->ctl({"launch"}), {"CONFIG"});
        isRefused(w->ctl({"compare", "none.yaml"}), {"none.yaml"});
        isRefused(w->ctl({"compare", w->config(), "--with", "none.yaml"}), {"none.yaml"});
    }
};

RANKSCOPE_CORE_TEST(TestBadInput)
#include "tst_bad_input.moc"
