// SPDX-License-Identifier: Apache-2.0
// The speed that an earlier run of the same model reached on this machine, from its store; and which runs do not count.
#include "core/base/files/atomic_file.h"
#include "core/config/effective/effective.h"
#include "core/config/effective/read_recipe.h"
#include "core/launch/figures/speed_calibration.h"
#include "core/launch/host/host_facts.h"
#include "core/launch/run/run_folder.h"
#include "core/plan/cost/training_flops.h"
#include "tests/core/store/synthetic.h"
#include "tests/support/test_runner.h"

#include <QTemporaryDir>
#include <QTest>

#include <cmath>
#include <cstring>
#include <filesystem>

using namespace rankscope;

class TestReached : public QObject {
    Q_OBJECT

    static constexpr std::int64_t kStepNs = 100'000'000;
    static constexpr int kSteps = 40, kRanks = 2;

    std::string m_text;
    std::optional<config::Recipe> m_recipe;

    /// Creates a run in which each step of each rank took 0.1 s for a batch of so many samples.
    launch::RunInfo run(const std::filesystem::path& runs, const std::string& id, double samples,
                        const std::string& effective) const {
        const launch::RunPaths paths{runs / id};
        std::filesystem::create_directories(paths.dir);
        launch::RunInfo info;
        info.id = id;
        info.name = "r";
        info.state = launch::RunState::Finished;
        info.worldSize = kRanks;
        info.host = launch::hostName();
        if (!launch::writeRunInfo(paths, info) || !writeFileAtomic(paths.effective(), effective, 0600))
            qFatal("no run could be made");
        auto store = store::RunWriter::open(paths.store(), synthetic::meta(kRanks));
        if (!store)
            qFatal("%s", store.error().message().c_str());
        for (int rank = 0; rank < kRanks; ++rank) {
            std::vector<synthetic::AnyRecord> records;
            telemetry::AnchorRecord anchor;
            std::strcpy(anchor.device, "cpu");
            records.push_back(synthetic::AnyRecord::of(anchor));
            for (int i = 0; i < kSteps; ++i) {
                telemetry::StepRecord step;
                step.header.step = i;
                step.beginNs = synthetic::kStartNs + i * kStepNs;
                step.endNs = step.beginNs + kStepNs;
                step.samplesPerSecond = samples / (static_cast<double>(kStepNs) * 1e-9);
                records.push_back(synthetic::AnyRecord::of(step));
            }
            synthetic::commit(*store, rank, records);
        }
        return info;
    }
    static plan::Plan planned(int ranks, const char* device) {
        plan::Plan plan;
        plan.ranks = ranks;
        plan.device = device;
        return plan;
    }

private Q_SLOTS:
    void initTestCase() {
        const auto effective = config::evaluateFile(qEnvironmentVariable("RANKSCOPE_SOURCE_DIR").toStdString() +
                                                        "/configs/quickstart.yaml",
                                                    {"~rankscope.faults", "model.train_ds.manifest_filepath=a.json"});
        QVERIFY(effective);
        m_text = effective->text;
        auto recipe = config::readRecipe(m_text, "r.yaml");
        QVERIFY2(recipe, recipe ? "" : recipe.error().message().c_str());
        m_recipe = std::move(*recipe);
    }

    void theRateOfAnEarlierRun() {
        const QTemporaryDir dir;
        const std::filesystem::path runs = dir.path().toStdString();
        QVERIFY(launch::earlierSpeed(runs, planned(kRanks, "cpu"), *m_recipe).run.empty());
        const double seconds = 3, samples = seconds * 16000 * m_recipe->train.batchSize;
        run(runs, "20260101-120000-r-aaaa", samples, m_text);
        const auto reached = launch::earlierSpeed(runs, planned(kRanks, "cpu"), *m_recipe);
        QCOMPARE(reached.run, std::string("20260101-120000-r-aaaa"));
        const double expected = plan::trainingFlops(m_recipe->model, m_recipe->train.batchSize, seconds) / 0.1;
        QVERIFY2(std::abs(reached.flopsPerSecond / expected - 1) < 0.01,
                 QByteArray::number(reached.flopsPerSecond / expected));
        // a plan based on it predicts the same time per step
        plan::Plan again = planned(kRanks, "cpu");
        again.train.ranks.push_back(
            {0, 10, 10 * m_recipe->train.batchSize, 0, 10 * seconds * m_recipe->train.batchSize});
        again.train.batchesPerRank = 10;
        const auto speed = plan::speedAt(again, *m_recipe, reached.flopsPerSecond);
        QVERIFY2(std::abs(speed.stepSeconds - 0.1) < 0.001, QByteArray::number(speed.stepSeconds));
        // a different number of ranks, or another device, does not count
        QVERIFY(launch::earlierSpeed(runs, planned(4, "cpu"), *m_recipe).run.empty());
        QVERIFY(launch::earlierSpeed(runs, planned(kRanks, "cuda"), *m_recipe).run.empty());
    }

    void whatDoesNotCount() {
        const QTemporaryDir dir;
        const std::filesystem::path runs = dir.path().toStdString();
        const launch::RunPaths paths{runs / "20260101-120000-r-aaaa"};
        auto info = run(runs, "20260101-120000-r-aaaa", 48000, m_text);
        const auto counts = [&] {
            return launch::writeRunInfo(paths, info) &&
                   !launch::earlierSpeed(runs, planned(kRanks, "cpu"), *m_recipe).run.empty();
        };
        QVERIFY(counts());
        info.faults = {"data_loading on rank 1 at step 3, 5 s"};
        QVERIFY(!counts());
        info.faults.clear();
        info.host = "elsewhere";
        QVERIFY(!counts());
        info.host = launch::hostName();
        QVERIFY(counts());
        auto other = *m_recipe; // another model
        other.model.encoder.nLayers += 1;
        QVERIFY(launch::earlierSpeed(runs, planned(kRanks, "cpu"), other).run.empty());
    }
};

RANKSCOPE_CORE_TEST(TestReached)
#include "tst_earlier_speed.moc"
