// SPDX-License-Identifier: Apache-2.0
// The checks before and at start, with real ranks: a sound run passes all of them and shows that; ranks whose settings
// differ end instead of hanging, with a sentence that names key, ranks and values.
#include "tests/acceptance/trained_run.h"
#include "tests/support/test_runner.h"

#include <QDir>
#include <QElapsedTimer>
#include <QFile>
#include <QIODevice>
#include <QJsonDocument>
#include <QJsonObject>
#include <QProcess>
#include <QProcessEnvironment>
#include <QTcpServer>
#include <QTemporaryDir>
#include <QTest>

#include <array>
#include <map>
#include <tuple>

using namespace rankscope;
using namespace rankscope::test;

namespace {

std::map<QString, QJsonObject> checksOf(const QString& run) {
    const auto shown = QJsonDocument::fromJson(ctl({"show", run, "--json"}, 60'000).out).object();
    std::map<QString, QJsonObject> checks;
    for (const auto& check : shown["checks"].toArray())
        checks[check.toObject()["name"].toString()] = check.toObject();
    return checks;
}

} // namespace

class AcceptChecks : public QObject {
    Q_OBJECT

    QTemporaryDir m_dir;
    QString m_manifest;
    int m_made = 0;

    /// Returns an effective configuration, as `rankscopectl resolve` writes it for torchrun.
    QString config(const QStringList& more) {
        const QString path = m_dir.filePath(QString("effective%1.yaml").arg(m_made++));
        const Outcome resolved =
            ctl(QStringList{"resolve", RANKSCOPE_SOURCE_DIR "/configs/quickstart.yaml",
                            "model.train_ds.manifest_filepath=" + m_manifest, "model.train_ds.noise_manifest=null",
                            "model.train_ds.batch_augmentor.prob=0.0", "~model.validation_ds",
                            "model.train_ds.batch_size=2", "model.masking.mask_prob=0.08", "trainer.max_steps=6",
                            "rankscope.faults=[]"} +
                    more,
                60'000);
        QFile file(path);
        if (resolved.exitCode != 0 || !file.open(QIODevice::WriteOnly) || file.write(resolved.out) < 0)
            qFatal("%s", resolved.err.constData());
        return path;
    }

    struct Ranks {
        QString folder;
        std::vector<int> exitCodes;
        std::vector<QByteArray> errors;
        qint64 tookMs = 0;
    };
    /// Starts one process per configuration, as torchrun would. `numbers`: the rank that each process claims to be.
    Ranks start(const QStringList& configs, const std::vector<int>& numbers, int worldSize) {
        QTcpServer probe;
        probe.listen(QHostAddress::LocalHost);
        const QString port = QString::number(probe.serverPort());
        probe.close();
        Ranks ranks;
        ranks.folder = m_dir.filePath(QString("run%1").arg(m_made++));
        QElapsedTimer clock;
        clock.start();
        std::vector<std::unique_ptr<QProcess>> processes;
        for (qsizetype i = 0; i < configs.size(); ++i) {
            auto environment = QProcessEnvironment::systemEnvironment();
            const QString number = QString::number(numbers[static_cast<std::size_t>(i)]);
            for (const auto& [name, value] :
                 std::map<QString, QString>{{"RANK", number},
                                            {"LOCAL_RANK", number},
                                            {"WORLD_SIZE", QString::number(worldSize)},
                                            {"LOCAL_WORLD_SIZE", QString::number(worldSize)},
                                            {"MASTER_ADDR", "127.0.0.1"},
                                            {"MASTER_PORT", port},
                                            {"OMP_NUM_THREADS", "1"}})
                environment.insert(name, value);
            processes.push_back(std::make_unique<QProcess>());
            processes.back()->setProcessEnvironment(environment);
            const bool second =
                std::count(numbers.begin(), numbers.begin() + i, numbers[static_cast<std::size_t>(i)]) > 0;
            processes.back()->start(RANKSCOPE_BIN_DIR "/rankscope-trainer",
                                    {"train", configs[i], "--run-dir", ranks.folder + (second ? "-second" : "")});
        }
        for (auto& process : processes) {
            const bool ended = process->waitForFinished(120'000);
            if (!ended)
                process->kill(), process->waitForFinished(5000);
            ranks.exitCodes.push_back(ended ? process->exitCode() : -1);
            ranks.errors.push_back(process->readAllStandardError());
        }
        ranks.tookMs = clock.elapsed();
        return ranks;
    }
    std::map<QString, QJsonObject> collected(const Ranks& ranks) {
        const Outcome o = ctl({"collect", ranks.folder, "--runs", m_dir.filePath("collected"), "--json"}, 60'000);
        return checksOf(QJsonDocument::fromJson(o.out).object()["path"].toString());
    }

private Q_SLOTS:
    void initTestCase() { m_manifest = toneManifest(m_dir, 25, {1.2, 1.6, 2.1}); }

    /// torchrun and srun do not warn that a run will leave nothing behind: rank 0 does, before it trains.
    void withoutAFolderNothingIsKept() {
        TestRun run;
        RunOptions o;
        o.manifest = m_manifest;
        o.steps = 2;
        o.ranks = 1;
        QCOMPARE(run.launch(o).exitCode, 0);
        const QString config = QString::fromStdString(run.paths().effective().string());
        const auto warned = [&](bool withFolder) {
            const QTemporaryDir place;
            QStringList arguments{"train", config};
            if (withFolder)
                arguments << "--run-dir" << place.filePath("run");
            QProcess process;
            process.setWorkingDirectory(RANKSCOPE_SOURCE_DIR); // the recipe's paths are relative to it
            process.start(RANKSCOPE_BIN_DIR "/rankscope-trainer", arguments);
            const bool ended = process.waitForFinished(120'000);
            const QByteArray said = process.readAllStandardError();
            if (!ended || process.exitCode() != 0)
                qWarning("%s", said.constData());
            const bool left = !QDir(place.path()).isEmpty();
            return std::tuple(ended && process.exitCode() == 0, said.contains("--run-dir"), left);
        };
        QCOMPARE(warned(false), std::tuple(true, true, false));
        QCOMPARE(warned(true), std::tuple(true, false, true));
    }
    void aSoundRunPassesAll() {
        TestRun run;
        RunOptions o;
        o.manifest = m_manifest;
        o.steps = 4;
        QCOMPARE(run.launch(o).exitCode, 0);
        const QString path = QString::fromStdString(run.paths().dir.string());
        const auto checks = checksOf(path);
        for (const char* name :
             {"configuration", "settings", "loader", "dataset", "batches_per_epoch", "model", "devices", "processes",
              "shards", "initial_weights", "effective_values", "first_batch", "batch_lengths", "finite_input"}) {
            const auto found = checks.find(name);
            QVERIFY2(found != checks.end(), name);
            QVERIFY2(found->second["status"].toString() == "passed", qPrintable(found->second["text"].toString()));
            qInfo().noquote() << name << "-" << found->second["text"].toString();
        }
        QCOMPARE(checks.size(), std::size_t{14});
        // 13 per rank, in batches of 2 of which the incomplete one is dropped: 24 in all, without the utterance that
        // was repeated to give both ranks the same number
        QCOMPARE(checks.at("shards")["text"].toString(),
                 QString("25 utterances on 2 ranks, none twice, 1 not used in this epoch"));
        QVERIFY(checks.at("first_batch")["text"].toString().contains("[2, 80, "));
        QVERIFY(ctl({"show", path}, 60'000).out.contains("✓ configuration"));
    }

    void ranksThatWouldHangEnd_data() {
        QTest::addColumn<QString>("override");
        QTest::addColumn<QString>("check");
        QTest::addColumn<QString>("says");
        QTest::newRow("length sync") << "model.encoder.sync_max_audio_length=false"
                                     << "configuration"
                                     << "model.encoder.sync_max_audio_length is true on rank 0 and false on rank 1";
        QTest::newRow("length sync timeout") << "+rankscope.length_sync={timeout_s: 2}"
                                             << "configuration"
                                             << "rankscope.length_sync.timeout_s is null on rank 0 and 2 on rank 1";
        QTest::newRow("SyncBN") << "trainer.sync_batchnorm=false"
                                << "configuration"
                                << "trainer.sync_batchnorm is true on rank 0 and false on rank 1";
        QTest::newRow("batch size") << "model.train_ds.batch_size=3"
                                    << "configuration"
                                    << "model.train_ds.batch_size is 2 on rank 0 and 3 on rank 1";
        QTest::newRow("last step") << "trainer.max_steps=9"
                                   << "configuration"
                                   << "trainer.max_steps is 6 on rank 0 and 9 on rank 1";
    }
    void ranksThatWouldHangEnd() {
        QFETCH(QString, override);
        QFETCH(QString, check);
        QFETCH(QString, says);
        const Ranks ranks = start({config({}), config({override})}, {0, 1}, 2);
        for (std::size_t r : {0u, 1u}) {
            QVERIFY2(ranks.exitCodes[r] == 2, ranks.errors[r]);
            QVERIFY2(ranks.errors[r].contains(("check " + check + ": " + says).toUtf8()), ranks.errors[r]);
        }
        const auto checks = collected(ranks);
        const auto found = checks.find(check);
        QVERIFY(found != checks.end());
        QCOMPARE(found->second["status"].toString(), QString("failed"));
        QVERIFY(found->second["ended_the_run"].toBool());
        QVERIFY2(found->second["text"].toString().startsWith(says), qPrintable(found->second["text"].toString()));
        QVERIFY(!checks.count("first_batch")); // nothing was trained
    }

    void otherDataUnderTheSameName() {
        QTemporaryDir other;
        const QString fewer = toneManifest(other, 19, {1.2, 1.6, 2.1});
        const Ranks ranks = start({config({}), config({"model.train_ds.manifest_filepath=" + fewer})}, {0, 1}, 2);
        for (std::size_t r : {0u, 1u})
            QVERIFY2(ranks.exitCodes[r] == 2 && ranks.errors[r].contains("utterances is 25 on rank 0 and 19 on rank 1"),
                     ranks.errors[r]);
        const auto checks = collected(ranks);
        QCOMPARE(checks.at("configuration")["status"].toString(), QString("passed")); // paths may differ between hosts
        QCOMPARE(checks.at("dataset")["status"].toString(), QString("failed"));
        QCOMPARE(checks.at("batches_per_epoch")["status"].toString(), QString("failed"));
    }

    void whatDoesNotHangIsToldAndGoesOn() {
        const Ranks ranks =
            start({config({"model.train_ds.num_workers=1"}), config({"model.train_ds.num_workers=2"})}, {0, 1}, 2);
        for (std::size_t r : {0u, 1u})
            QVERIFY2(ranks.exitCodes[r] == 0, ranks.errors[r]);
        const auto checks = collected(ranks);
        QCOMPARE(checks.at("loader")["status"].toString(), QString("failed"));
        QVERIFY(!checks.at("loader")["ended_the_run"].toBool());
        QCOMPARE(checks.at("loader")["text"].toString(),
                 QString("model.train_ds.num_workers is 1 on rank 0 and 2 on rank 1"));
        QCOMPARE(checks.at("first_batch")["status"].toString(), QString("passed"));
    }

    void twoProcessesOfOneRank() {
        const QString one = config({"trainer.max_steps=60"});
        const Ranks ranks = start({one, one, one}, {0, 1, 1}, 2);
        QVERIFY2(ranks.exitCodes[0] == 0, ranks.errors[0]);
        const std::size_t refused = ranks.exitCodes[1] == 2 ? 1 : 2;
        QVERIFY2(ranks.exitCodes[refused] == 2 &&
                     ranks.errors[refused].contains("another process also claims to be rank 1"),
                 ranks.errors[refused]);
        QVERIFY2(ranks.exitCodes[3 - refused] == 0, ranks.errors[3 - refused]);
    }

    void moreProcessesThanDevices() {
        const QString one = config({"trainer.devices=1"});
        const Ranks ranks = start({one, one}, {0, 1}, 2);
        QVERIFY2(ranks.exitCodes[0] == 0, ranks.errors[0]);
        QCOMPARE(collected(ranks).at("processes")["text"].toString(),
                 QString("2 processes, but trainer.devices 1 makes 1: the global batch is not the recipe's"));
    }

    void oneRankChecksWhatItCan() {
        const Ranks ranks = start({config({"trainer.devices=1"})}, {0}, 1);
        QVERIFY2(ranks.exitCodes[0] == 0, ranks.errors[0]);
        const auto checks = collected(ranks);
        for (const char* name :
             {"effective_values", "processes", "shards", "first_batch", "batch_lengths", "finite_input"})
            QVERIFY2(checks.count(name) && checks.at(name)["status"].toString() == "passed", name);
        QCOMPARE(checks.size(), std::size_t{6});
    }
};

RANKSCOPE_CORE_TEST(AcceptChecks)
#include "tst_run_checks.moc"
