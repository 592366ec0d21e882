// SPDX-License-Identifier: Apache-2.0
#include "core/launch/host/device_assignment.h"
#include "core/launch/host/host_facts.h"
#include "tests/support/test_runner.h"

#include <QTest>

using namespace rankscope;
using launch::DeviceAssignment;
using launch::Machine;

static config::TrainerConfig trainer(const char* devices, const char* accelerator = "auto",
                                     const char* strategy = "ddp") {
    config::TrainerConfig t;
    t.devices = devices;
    t.accelerator = accelerator;
    t.strategy = strategy;
    return t;
}

class TestDevicePlan : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void takes_data() {
        QTest::addColumn<QString>("devices");
        QTest::addColumn<QString>("accelerator");
        QTest::addColumn<int>("requested");
        QTest::addColumn<int>("gpus");
        QTest::addColumn<QString>("device");
        QTest::addColumn<int>("ranks");
        QTest::addColumn<QString>("ids");
        QTest::newRow("cpu, auto") << "auto"
                                   << "auto" << 0 << 0 << "cpu" << 1 << "";
        QTest::newRow("cpu, all") << "-1"
                                  << "cpu" << 0 << 0 << "cpu" << 1 << "";
        QTest::newRow("cpu, number") << "3"
                                     << "auto" << 0 << 0 << "cpu" << 3 << "";
        QTest::newRow("cpu asked for beside gpus") << "3"
                                                   << "cpu" << 0 << 2 << "cpu" << 3 << "";
        QTest::newRow("cpu, by hand beyond the cores") << "auto"
                                                       << "cpu" << 9 << 0 << "cpu" << 9 << "";
        QTest::newRow("by hand instead of a list") << "0,1"
                                                   << "cpu" << 2 << 0 << "cpu" << 2 << "";
        QTest::newRow("gpu, auto") << "auto"
                                   << "auto" << 0 << 4 << "cuda" << 4 << "0,1,2,3";
        QTest::newRow("gpu, number") << "2"
                                     << "gpu" << 0 << 4 << "cuda" << 2 << "0,1";
        QTest::newRow("gpu, list") << "[0, 2]"
                                   << "gpu" << 0 << 4 << "cuda" << 2 << "0,2";
        QTest::newRow("gpu, list without brackets") << "3,1"
                                                    << "cuda" << 0 << 4 << "cuda" << 2 << "3,1";
        QTest::newRow("gpu, list of all") << "[-1]"
                                          << "gpu" << 0 << 2 << "cuda" << 2 << "0,1";
        QTest::newRow("gpu, by hand") << "auto"
                                      << "gpu" << 1 << 4 << "cuda" << 1 << "0";
    }
    void takes() {
        QFETCH(QString, devices);
        QFETCH(QString, accelerator);
        QFETCH(int, requested);
        QFETCH(int, gpus);
        const auto plan =
            launch::planDevices(trainer(devices.toUtf8(), accelerator.toUtf8()), requested, Machine{gpus, 4});
        QVERIFY2(plan.has_value(), plan ? "" : plan.error().message().c_str());
        QTEST(QString::fromStdString(plan->device), "device");
        QTEST(plan->ranks, "ranks");
        QStringList ids;
        for (const int id : plan->gpuIds)
            ids << QString::number(id);
        QTEST(ids.join(','), "ids");
    }

    void refuses_data() {
        QTest::addColumn<QString>("devices");
        QTest::addColumn<QString>("accelerator");
        QTest::addColumn<QString>("strategy");
        QTest::addColumn<int>("requested");
        QTest::addColumn<int>("gpus");
        QTest::addColumn<QString>("where");
        QTest::addColumn<QString>("says");
        QTest::newRow("beyond the cores") << "64"
                                          << "auto"
                                          << "ddp" << 0 << 0 << "trainer.devices"
                                          << "64 devices";
        QTest::newRow("names the cores") << "64"
                                         << "auto"
                                         << "ddp" << 0 << 0 << "trainer.devices"
                                         << "4 cores";
        QTest::newRow("beyond the gpus") << "3"
                                         << "gpu"
                                         << "ddp" << 0 << 2 << "trainer.devices"
                                         << "3 GPUs";
        QTest::newRow("gpu that is not there") << "0,5"
                                               << "gpu"
                                               << "ddp" << 0 << 2 << "trainer.devices"
                                               << "GPU 5";
        QTest::newRow("gpu twice") << "1,1"
                                   << "gpu"
                                   << "ddp" << 0 << 2 << "trainer.devices"
                                   << "GPU 1 twice";
        QTest::newRow("list on cpu") << "0,1"
                                     << "cpu"
                                     << "ddp" << 0 << 0 << "trainer.devices"
                                     << "GPUs 0, 1";
        QTest::newRow("no gpu") << "1"
                                << "gpu"
                                << "ddp" << 0 << 0 << "trainer.accelerator"
                                << "no NVIDIA GPU";
        QTest::newRow("tpu") << "1"
                             << "tpu"
                             << "ddp" << 0 << 0 << "trainer.accelerator"
                             << "tpu";
        QTest::newRow("word") << "many"
                              << "auto"
                              << "ddp" << 0 << 0 << "trainer.devices"
                              << "many";
        QTest::newRow("zero") << "0"
                              << "auto"
                              << "ddp" << 0 << 0 << "trainer.devices"
                              << "'0'";
        QTest::newRow("minus two") << "-2"
                                   << "auto"
                                   << "ddp" << 0 << 0 << "trainer.devices"
                                   << "-2";
        QTest::newRow("empty") << ""
                               << "auto"
                               << "ddp" << 0 << 0 << "trainer.devices"
                               << "''";
        QTest::newRow("too large a number") << "99999999999"
                                            << "auto"
                                            << "ddp" << 0 << 0 << "trainer.devices"
                                            << "999";
        QTest::newRow("strategy") << "2"
                                  << "auto"
                                  << "fsdp" << 0 << 0 << "trainer.strategy"
                                  << "fsdp";
        QTest::newRow("by hand beyond reason") << "1"
                                               << "auto"
                                               << "ddp" << 1000 << 0 << "--ranks"
                                               << "at most 16";
        QTest::newRow("by hand beyond the gpus") << "1"
                                                 << "gpu"
                                                 << "ddp" << 3 << 2 << "--ranks"
                                                 << "2";
    }
    void refuses() {
        QFETCH(QString, devices);
        QFETCH(QString, accelerator);
        QFETCH(QString, strategy);
        QFETCH(int, requested);
        QFETCH(int, gpus);
        QFETCH(QString, says);
        const auto plan = launch::planDevices(trainer(devices.toUtf8(), accelerator.toUtf8(), strategy.toUtf8()),
                                              requested, Machine{gpus, 4});
        QVERIFY(!plan);
        QTEST(QString::fromStdString(plan.error().where), "where");
        const auto message = QString::fromStdString(plan.error().message());
        QVERIFY2(message.contains(says), qPrintable(message));
    }

    void whatASchedulerLeaves_data() {
        QTest::addColumn<QString>("variable");
        QTest::addColumn<int>("gpus");
        QTest::addColumn<QString>("left");
        QTest::newRow("two of eight") << "2,3" << 8 << "2,3";
        QTest::newRow("their order") << " 3 , 1" << 8 << "3,1";
        QTest::newRow("UUIDs") << "GPU-8932f937-d72c,GPU-1f1" << 4 << "GPU-8932f937-d72c,GPU-1f1";
        QTest::newRow("MIG") << "MIG-GPU-8932f937/1/0" << 1 << "MIG-GPU-8932f937/1/0";
        QTest::newRow("none") << "" << 4 << "";
        QTest::newRow("none by number") << "-1" << 4 << "";
        QTest::newRow("CUDA stops at what is none") << "0,9,1" << 4 << "0";
        QTest::newRow("and at a word") << "1,NoDevFiles" << 4 << "1";
        QTest::newRow("and at what was there") << "1,2,1,3" << 4 << "1,2";
        QTest::newRow("no GPU at all") << "GPU-8932f937" << 0 << "";
    }
    void whatASchedulerLeaves() {
        QFETCH(QString, variable);
        QFETCH(int, gpus);
        QStringList names;
        for (const auto& name : launch::visibleGpus(variable.toStdString(), gpus))
            names << QString::fromStdString(name);
        QTEST(names.join(QLatin1Char(',')), "left");
    }
    /// Ranks get GPUs from the inherited list, in its order: the machine's other GPUs belong to other jobs.
    void anInheritedListIsKept() {
        const std::vector<std::string> visible{"2", "GPU-8932f937", "MIG-1/0", "7"};
        const Machine machine{4, 16, visible};
        const auto given = [&](const char* devices, int ranks) -> std::string {
            const auto plan = launch::planDevices(trainer(devices, "gpu"), ranks, machine);
            if (!plan)
                return plan.error().message();
            for (const auto& [name, value] : launch::rankEnvironment(1, {}, *plan, machine, "1234", false))
                if (name == "CUDA_VISIBLE_DEVICES")
                    return value;
            return "not set";
        };
        QCOMPARE(given("auto", 0), std::string("2,GPU-8932f937,MIG-1/0,7"));
        QCOMPARE(given("2", 0), std::string("2,GPU-8932f937"));
        QCOMPARE(given("auto", 3), std::string("2,GPU-8932f937,MIG-1/0"));
        QCOMPARE(given("3,1", 0), std::string("7,GPU-8932f937")); // positions in the visible list, as torch counts
        QVERIFY2(given("5", 0).find("CUDA_VISIBLE_DEVICES leaves 4") != std::string::npos, given("5", 0).c_str());
        QVERIFY2(given("[4]", 0).find("CUDA_VISIBLE_DEVICES leaves 4") != std::string::npos, given("[4]", 0).c_str());
        const auto none = launch::planDevices(trainer("auto", "gpu"), 0, Machine{0, 16, std::vector<std::string>()});
        QVERIFY(!none && none.error().what.english().find("CUDA_VISIBLE_DEVICES leaves no GPU") != std::string::npos);
        QCOMPARE(launch::planDevices(trainer("auto"), 0, Machine{0, 16, std::vector<std::string>()})->device,
                 std::string("cpu"));
    }
    void theEnvironmentOfThisProcessCounts() {
        const QByteArray before = qgetenv("CUDA_VISIBLE_DEVICES");
        qputenv("CUDA_VISIBLE_DEVICES", "GPU-none-of-this-machine-,");
        const Machine machine = launch::thisMachine();
        QVERIFY(machine.visible.has_value());
        QCOMPARE(machine.gpus, static_cast<int>(machine.visible->size()));
        before.isNull() ? qunsetenv("CUDA_VISIBLE_DEVICES") : qputenv("CUDA_VISIBLE_DEVICES", before);
    }
    void oneRankTakesAnyStrategy() { QVERIFY(launch::planDevices(trainer("1", "cpu", "fsdp"), 0, Machine{0, 4})); }
    void twoRanksRunOnOneCore() {
        QVERIFY(launch::planDevices(trainer("2"), 0, Machine{0, 1}));
        QVERIFY(!launch::planDevices(trainer("3"), 0, Machine{0, 1}));
    }
};

RANKSCOPE_TEST(TestDevicePlan)
#include "tst_device_assignment.moc"
