// SPDX-License-Identifier: Apache-2.0
// Training across two hosts without a supervisor: ranks are started as torchrun and srun start them, and by torchrun
// itself if RANKSCOPE_TORCHRUN names it.
#include "core/launch/recovery/rank_collection.h"
#include "tests/acceptance/trained_run.h"
#include "tests/acceptance/two_hosts.h"
#include "tests/support/test_runner.h"

#include <QDir>
#include <QFile>
#include <QIODevice>
#include <QJsonDocument>
#include <QProcess>
#include <QRegularExpression>
#include <QTemporaryDir>
#include <QTest>

#include <array>
#include <map>

using namespace rankscope;
using namespace rankscope::test;

namespace {

constexpr int kSteps = 6, kEndMs = 240'000;

QByteArray contents(const QString& path) {
    QFile file(path);
    return file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray();
}

} // namespace

class AcceptTwoHosts : public QObject {
    Q_OBJECT

    std::unique_ptr<TwoHosts> m_hosts;
    QTemporaryDir m_dir;
    QString m_config;
    int m_runs = 0;

    using Processes = std::array<std::unique_ptr<QProcess>, 2>;

    static QString trainer() { return RANKSCOPE_BIN_DIR "/rankscope-trainer"; }
    QString folder(int host) const { return m_dir.filePath(QString("run%1-host%2").arg(m_runs).arg(host)); }
    QString log(int host) const { return folder(host) + ".log"; }

    QStringList train(int host) const { return {trainer(), "train", m_config, "--run-dir", folder(host)}; }

    /// Returns the variables that torchrun sets, for one rank per host.
    static QStringList torchrunsEnvironment(int host) {
        return {QString("RANK=%1").arg(host), "LOCAL_RANK=0",      "WORLD_SIZE=2",
                "LOCAL_WORLD_SIZE=1",         "MASTER_PORT=29511", "MASTER_ADDR=" + TwoHosts::address(0),
                "OMP_NUM_THREADS=1"};
    }

    Processes start(const std::array<QStringList, 2>& environment, const std::array<QStringList, 2>& command) {
        Processes processes;
        for (int host : {0, 1})
            processes[static_cast<std::size_t>(host)] = m_hosts->start(
                host, environment[static_cast<std::size_t>(host)], command[static_cast<std::size_t>(host)], log(host));
        return processes;
    }

    static std::array<int, 2> exitCodes(Processes& processes) {
        std::array<int, 2> codes{-1, -1};
        for (std::size_t i = 0; i < 2; ++i)
            if (processes[i]->waitForFinished(kEndMs))
                codes[i] = processes[i]->exitCode();
        return codes;
    }

    QByteArray bothLogs() const { return "host a:\n" + contents(log(0)) + "\nhost b:\n" + contents(log(1)); }

    /// Checks that both hosts trained the same model, and that their folders can be collected into a run.
    void checkTrained(const QStringList& folders) {
        const QRegularExpression weights("finished after 6 steps, weights ([0-9a-f]{16})");
        const auto a = weights.match(QString::fromUtf8(contents(log(0)))),
                   b = weights.match(QString::fromUtf8(contents(log(1))));
        QVERIFY2(a.hasMatch() && b.hasMatch(), bothLogs());
        QCOMPARE(a.captured(1), b.captured(1));

        const QString runs = m_dir.filePath(QString("runs%1").arg(m_runs));
        const Outcome collected = ctl(QStringList{"collect"} + folders + QStringList{"--runs", runs, "--json"}, 60'000);
        QVERIFY2(collected.exitCode == 0, collected.err);
        const QString path = QJsonDocument::fromJson(collected.out).object()["path"].toString();
        const auto shown = QJsonDocument::fromJson(ctl({"show", path, "--json"}, 60'000).out).object();
        QCOMPARE(shown["state"].toString(), QString("finished"));
        QCOMPARE(shown["world_size"].toInt(), 2);
        QCOMPARE(shown["steps"].toInt(), kSteps);
        const auto ranks = shown["ranks"].toArray();
        for (int r : {0, 1}) {
            QCOMPARE(ranks[r].toObject()["host"].toString(), TwoHosts::name(r));
            QCOMPARE(ranks[r].toObject()["weights_hash"].toString(), a.captured(1));
        }
        checkClocks(path);
    }

    /// Checks that, on one clock, no rank leaves a collective before all have entered or waits longer than its step.
    void checkClocks(const QString& path) {
        auto reader = store::RunReader::open((path + "/run.sqlite").toStdString());
        QVERIFY(reader);
        const auto rows = reader->collectives(0, kSteps, 100'000);
        QVERIFY(rows && rows->size() > 2 * kSteps);
        struct Meeting {
            std::array<std::int64_t, 2> arrived{}, done{};
        };
        std::map<std::pair<std::uint32_t, std::uint64_t>, Meeting> meetings;
        for (const auto& row : *rows) {
            QVERIFY2(row.waitNs >= 0, "a collective without its peer");
            if (!launch::synchronises(row.op))
                continue;
            auto& meeting = meetings[{row.group, row.sequence}];
            meeting.arrived[static_cast<std::size_t>(row.rank)] = row.arrivedNs;
            meeting.done[static_cast<std::size_t>(row.rank)] = row.doneNs;
        }
        QVERIFY(meetings.size() > kSteps);
        for (const auto& [key, meeting] : meetings) {
            const std::int64_t last = std::max(meeting.arrived[0], meeting.arrived[1]);
            QVERIFY2(meeting.done[0] >= last && meeting.done[1] >= last,
                     qPrintable(QString("sequence %1: arrived %2 %3, done %4 %5")
                                    .arg(key.second)
                                    .arg(meeting.arrived[0])
                                    .arg(meeting.arrived[1])
                                    .arg(meeting.done[0])
                                    .arg(meeting.done[1])));
        }
    }

private Q_SLOTS:
    void initTestCase() {
        m_hosts = std::make_unique<TwoHosts>();
        if (!m_hosts->problem().isEmpty())
            QSKIP(qPrintable("no network namespaces here: " + m_hosts->problem()));
        if (!m_hosts->ownClocks())
            qInfo("the kernel has no time namespaces: both hosts share a clock");
        const QString manifest = toneManifest(m_dir, 24, {1.2, 1.6, 2.1});
        const Outcome resolved = ctl(
            {"resolve", RANKSCOPE_SOURCE_DIR "/configs/quickstart.yaml", "model.train_ds.manifest_filepath=" + manifest,
             "model.train_ds.noise_manifest=null", "model.train_ds.batch_augmentor.prob=0.0", "~model.validation_ds",
             "model.train_ds.batch_size=2", "model.train_ds.num_workers=1", "model.masking.mask_prob=0.08",
             QString("trainer.max_steps=%1").arg(kSteps), "trainer.accelerator=cpu"},
            60'000);
        QVERIFY2(resolved.exitCode == 0, resolved.err);
        m_config = m_dir.filePath("effective.yaml");
        QFile file(m_config);
        QVERIFY(file.open(QIODevice::WriteOnly) && file.write(resolved.out) == resolved.out.size());
    }
    void init() { ++m_runs; }
    void cleanupTestCase() { m_hosts.reset(); }

    void byTorchrunsEnvironment() {
        auto ranks = start({torchrunsEnvironment(0), torchrunsEnvironment(1)}, {train(0), train(1)});
        QVERIFY2((exitCodes(ranks) == std::array<int, 2>{0, 0}), bothLogs());
        checkTrained({folder(0), folder(1)});
    }

    /// Uses a folder that both hosts share.
    void bySlurmsEnvironment() {
        std::array<QStringList, 2> environment;
        for (int host : {0, 1})
            environment[static_cast<std::size_t>(host)] = {QString("SLURM_PROCID=%1").arg(host),
                                                           QString("SLURM_NODEID=%1").arg(host),
                                                           "SLURM_LOCALID=0",
                                                           "SLURM_STEP_NUM_TASKS=2",
                                                           "SLURM_STEP_TASKS_PER_NODE=1(x2)",
                                                           "SLURM_STEP_NODELIST=" + TwoHosts::address(0) + ",b",
                                                           "SLURM_JOB_ID=4711",
                                                           "OMP_NUM_THREADS=1"};
        auto ranks = start(environment, {train(0), QStringList{trainer(), "train", m_config, "--run", folder(0)}});
        QVERIFY2((exitCodes(ranks) == std::array<int, 2>{0, 0}), bothLogs());
        checkTrained({folder(0)});
    }

    void glooGoesByTheInterfaceThatIsNamed() {
        auto good = start({torchrunsEnvironment(0) + QStringList{"GLOO_SOCKET_IFNAME=net0"},
                           torchrunsEnvironment(1) + QStringList{"GLOO_SOCKET_IFNAME=net0"}},
                          {train(0), train(1)});
        QVERIFY2((exitCodes(good) == std::array<int, 2>{0, 0}), bothLogs());
        ++m_runs;
        // with an interface that does not exist, the rendezvous store is reached, but the other rank is not
        const QStringList wrong{"GLOO_SOCKET_IFNAME=no-such-interface"};
        auto bad = start({torchrunsEnvironment(0) + wrong, torchrunsEnvironment(1) + wrong}, {train(0), train(1)});
        const auto codes = exitCodes(bad);
        QVERIFY2(codes[0] == 3 && codes[1] == 3, bothLogs());
        QVERIFY2(contents(log(0)).contains("no-such-interface"), bothLogs());
    }

    void byTorchrun() {
        const QString torchrun = qEnvironmentVariable("RANKSCOPE_TORCHRUN");
        if (torchrun.isEmpty())
            QSKIP("RANKSCOPE_TORCHRUN names no torchrun");
        std::array<QStringList, 2> command;
        for (int host : {0, 1})
            command[static_cast<std::size_t>(host)] = QStringList{torchrun,
                                                                  "--nnodes",
                                                                  "2",
                                                                  "--node-rank",
                                                                  QString::number(host),
                                                                  "--nproc-per-node",
                                                                  "1",
                                                                  "--master-addr",
                                                                  TwoHosts::address(0),
                                                                  "--master-port",
                                                                  "29533",
                                                                  "--no-python"} +
                                                      train(host);
        auto ranks = start({QStringList{"OMP_NUM_THREADS=1"}, QStringList{"OMP_NUM_THREADS=1"}}, command);
        QVERIFY2((exitCodes(ranks) == std::array<int, 2>{0, 0}), bothLogs());
        checkTrained({folder(0), folder(1)});
    }

    void whatCannotBeCollected() {
        const auto refused = [&](const QStringList& folders, const char* says) {
            const Outcome o = ctl(QStringList{"collect"} + folders + QStringList{"--runs", m_dir.filePath("none")});
            return o.exitCode == 2 && o.err.contains(says) && !QDir(m_dir.filePath("none")).exists();
        };
        QVERIFY(refused({m_dir.filePath("nowhere")}, "contains no rank"));
        const QString first = m_dir.filePath("run1-host0");
        QVERIFY(refused({first, first}, "contains rank 0, but so does"));
        // the other host's folder is missing: a remark says so, and the rest is collected
        const QString runs = m_dir.filePath("half");
        const Outcome half = ctl({"collect", first, "--runs", runs, "--json"});
        QVERIFY2(half.exitCode == 0, half.err);
        QVERIFY2(half.err.contains("no records of rank 1"), half.err);
        const QString path = QJsonDocument::fromJson(half.out).object()["path"].toString();
        const auto shown = QJsonDocument::fromJson(ctl({"show", path, "--json"}).out).object();
        QCOMPARE(shown["state"].toString(), QString("failed"));
        QCOMPARE(shown["cause"].toString(), QString("rank 1 left no records"));
    }
};

RANKSCOPE_CORE_TEST(AcceptTwoHosts)
#include "tst_run_two_hosts.moc"
