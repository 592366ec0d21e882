// SPDX-License-Identifier: Apache-2.0
// The text of a machine to plan for, the operations of a step, the time they take on that machine, and the commands
// that start the run there.
#include "core/base/files/file.h"
#include "core/config/effective/effective.h"
#include "core/config/effective/read_recipe.h"
#include "core/launch/prepare/launch_preview.h"
#include "core/plan/cost/target_machine.h"
#include "core/plan/cost/training_flops.h"
#include "core/plan/result/launch_commands.h"
#include "core/plan/result/plan_json.h"
#include "tests/support/test_runner.h"

#include <QFile>
#include <QProcess>
#include <QTemporaryDir>
#include <QTest>

#include <algorithm>
#include <cmath>

using namespace rankscope;

class TestTarget : public QObject {
    Q_OBJECT

    static config::Effective recipe(const std::string& file, const std::vector<std::string>& overrides) {
        auto effective = config::evaluateFile(
            qEnvironmentVariable("RANKSCOPE_SOURCE_DIR").toStdString() + "/configs/" + file, overrides);
        if (!effective)
            qFatal("%s", effective.error().message().c_str());
        return std::move(*effective);
    }
    static config::Recipe read(const config::Effective& effective) {
        auto recipe = config::readRecipe(effective.text, "r.yaml");
        if (!recipe)
            qFatal("%s", recipe.error().message().c_str());
        return std::move(*recipe);
    }
    static plan::Plan planned(const config::Effective& effective, const std::string& machine) {
        launch::DryRunOptions options;
        options.target = *plan::targetFromText(machine);
        options.machine = options.target.node;
        auto plan = launch::dryRun(effective, "my recipe.yaml", options);
        if (!plan)
            qFatal("%s", plan.error().message().c_str());
        return std::move(*plan);
    }
    static bool hasRisk(const plan::Plan& plan, const char* id) {
        return std::any_of(plan.risks.begin(), plan.risks.end(), [&](const auto& risk) { return risk.rule->id == id; });
    }

private Q_SLOTS:
    void namedMachines() {
        const auto one = plan::targetFromText("8xH100");
        QVERIFY2(one, one ? "" : one.error().message().c_str());
        QCOMPARE(one->name, std::string("8 x H100 80 GB"));
        QCOMPARE(one->node.gpus, 8);
        QCOMPARE(one->node.gpuMemoryBytes, std::int64_t{80'000'000'000});
        QCOMPARE(one->node.gpuComputeCapability, 90);
        QCOMPARE(one->nodes, 0);
        QVERIFY(one->halfFlops > 9e14 && one->singleFlops > 6e13);
        const auto two = plan::targetFromText("2x8xa100, memory=40G, cores=48, ram=1T");
        QVERIFY2(two, two ? "" : two.error().message().c_str());
        QCOMPARE(two->name, std::string("2 nodes of 8 x A100 40 GB"));
        QCOMPARE(two->nodes, 2);
        QCOMPARE(two->node.cores, 48);
        QCOMPARE(two->node.memoryBytes, std::int64_t{1'000'000'000'000});
        const auto own = plan::targetFromText("gpus=4,memory=48GiB,tflops=180,nodes=3");
        QVERIFY(own && own->node.gpus == 4 && own->nodes == 3 && own->halfFlops == 180e12);
        QCOMPARE(own->node.gpuMemoryBytes, std::int64_t{48} << 30);
        QCOMPARE(plan::targetFromText("gpus=4,memory=48G")->halfFlops, 0.0);
    }

    /// Names may be written in either case, also those that contain an x.
    void anXInAName() {
        for (const char* text : {"2x4xRTX4090", "2x4xrtx4090", "2 x 4 x Rtx4090"}) {
            const auto target = plan::targetFromText(text);
            QVERIFY2(target, target ? "" : target.error().message().c_str());
            QCOMPARE(target->name, std::string("2 nodes of 4 x RTX4090 24 GB"));
        }
    }

    void whatIsNoMachine_data() {
        QTest::addColumn<QString>("text");
        QTest::addColumn<QString>("says");
        QTest::newRow("empty") << ""
                               << "is not a machine";
        QTest::newRow("no number") << "H100"
                                   << "is not a machine";
        QTest::newRow("unknown GPU") << "8xB900"
                                     << "unknown GPU 'B900'";
        QTest::newRow("no GPUs") << "cores=8"
                                 << "it has no GPUs";
        QTest::newRow("too many") << "900xH100"
                                  << "is not a number of GPUs from 1 to 64";
        QTest::newRow("a fraction") << "1.5xH100"
                                    << "is not a number of GPUs";
        QTest::newRow("no memory") << "gpus=4"
                                   << "memory per GPU is not given";
        QTest::newRow("no unit") << "gpus=4,memory=80"
                                 << "'80' is not a size such as 80G";
        QTest::newRow("odd unit") << "8xH100,ram=5Q"
                                  << "is not a size";
        QTest::newRow("unknown key") << "8xH100,disk=5T"
                                     << "'disk' is not a machine key";
        QTest::newRow("not a pair") << "8xH100,fast"
                                    << "'fast' is not of the form KEY=VALUE";
        QTest::newRow("not finite") << "8xH100,tflops=inf"
                                    << "not a number of teraflops";
    }
    void whatIsNoMachine() {
        QFETCH(QString, text);
        QFETCH(QString, says);
        const auto target = plan::targetFromText(text.toStdString());
        QVERIFY(!target);
        QVERIFY2(QString::fromStdString(target.error().message()).contains(says), target.error().message().c_str());
        QCOMPARE(target.error().where, std::string("--machine"));
    }

    /// A Transformer-like model needs about 6 operations per parameter and frame for forward and backward, plus
    /// attention, which grows with the square of the length.
    void operationsFollowFromTheShapes() {
        const auto nest = read(recipe("nest_large.yaml", {"model.train_ds.manifest_filepath=a.json"}));
        const double frames = 8 * 60 / 0.08, parameters = 112.96e6;
        const double flops = plan::trainingFlops(nest.model, 8, 60);
        QVERIFY2(flops > 6 * parameters * frames && flops < 9 * parameters * frames, QByteArray::number(flops));
        QVERIFY(std::abs(plan::trainingFlops(nest.model, 16, 60) / flops - 2) < 0.01);
        QVERIFY(plan::trainingFlops(nest.model, 4, 120) > flops);
    }

    void operationsInWords() {
        QCOMPARE(plan::flopsText(0), std::string("0 flop"));
        QCOMPARE(plan::flopsText(3.99e9), std::string("3.99 Gflop"));
        QCOMPARE(plan::flopsText(989e12), std::string("989 Tflop"));
        QCOMPARE(plan::flopsText(999.7e12), std::string("1 Pflop"));
    }

    void aMachineIsPlannedFor() {
        const auto large = recipe("nest_large.yaml", {"trainer.precision=bf16-mixed"});
        const auto plan = planned(large, "8xH100");
        QCOMPARE(plan.machine, std::string("8 x H100 80 GB"));
        QCOMPARE(plan.device, std::string("cuda"));
        QCOMPARE(plan.ranks, 8);
        QCOMPARE(plan.memory.available, std::int64_t{80'000'000'000});
        QVERIFY(!plan.disk && !hasRisk(plan, "memory-short") && !hasRisk(plan, "workers-beyond-cores"));
        const auto small = planned(large, "8xH100,memory=8G,cores=8");
        QVERIFY(hasRisk(small, "memory-short") && hasRisk(small, "workers-beyond-cores"));
    }

    /// The time follows from the operations and the share of the peak rate, which is stated with it.
    void speedHasABasis() {
        const auto large = recipe("nest_large.yaml", {"trainer.precision=bf16-mixed"});
        const auto plan = planned(large, "8xH100");
        QVERIFY(plan.speed);
        QCOMPARE(plan.speed->share, plan::kAssumedShare);
        QCOMPARE(plan.speed->peakFlops, 989e12);
        QVERIFY(plan.speed->run.empty() && !plan.speed->ofManifest);
        QCOMPARE(plan.speed->epochSeconds, 0.0); // no manifest is set
        const double step = plan.speed->flopsPerStep / (0.3 * 989e12);
        QVERIFY(std::abs(plan.speed->stepSeconds / step - 1) < 1e-9);
        QVERIFY(std::abs(plan.speed->audioPerSecond * step / (8 * 8 * 60) - 1) < 1e-9);
        QCOMPARE(planned(recipe("nest_large.yaml", {"trainer.precision=32"}), "8xH100").speed->peakFlops, 67e12);
        QVERIFY(!planned(large, "gpus=8,memory=80G").speed); // no estimate without a peak rate
        const auto json = planJson(plan);
        QCOMPARE(json.at("speed").at("share").get<double>(), 0.3);
        QVERIFY(planJson(planned(large, "gpus=8,memory=80G")).at("speed").is_null());
    }

    void linesToCopy() {
        auto effective = recipe("nest_large.yaml", {});
        auto plan = planned(effective, "8xH100");
        QCOMPARE(plan.start.size(), std::size_t{3});
        QCOMPARE(plan.start[0].command, std::string("rankscopectl launch 'my recipe.yaml'"));
        QVERIFY(QString::fromStdString(plan.start[1].command).contains("torchrun --standalone --nproc-per-node 8"));
        QVERIFY(QString::fromStdString(plan.start[2].command).contains("sbatch --nodes=1 --ntasks-per-node=8"));
        plan.nodes = 2;
        const auto lines = plan::launchCommands(plan, {"r.yaml", {"a.b=it's", "x=[1, 2]"}, 0});
        QCOMPARE(lines.size(), std::size_t{2}); // rankscopectl launches on one machine
        QVERIFY(QString::fromStdString(lines[0].command).contains("--nnodes 2"));
        // a shell splits the command into the original words
        QProcess shell;
        shell.start("sh", {"-c", QString("printf '%s|' %1")
                                     .arg(QString::fromStdString(plan::shellWord("a.b=it's") + " " +
                                                                 plan::shellWord("x=[1, 2]")))});
        QVERIFY(shell.waitForFinished());
        QCOMPARE(shell.readAllStandardOutput(), QByteArray("a.b=it's|x=[1, 2]|"));
    }
};

RANKSCOPE_CORE_TEST(TestTarget)
#include "tst_target_machine.moc"
