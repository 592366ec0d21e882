// SPDX-License-Identifier: Apache-2.0
// A dry run, from a recipe to everything that a plan reports.
#include "core/base/files/file.h"
#include "core/config/effective/effective.h"
#include "core/launch/prepare/launch_preview.h"
#include "core/plan/result/plan_json.h"
#include "tests/support/test_runner.h"

#include <QDir>
#include <QFile>
#include <QFileInfo>
#include <QTemporaryDir>
#include <QTest>

#include <algorithm>
#include <filesystem>

using namespace rankscope;

class TestDryRun : public QObject {
    Q_OBJECT

    QTemporaryDir m_dir;

    std::string manifest(const char* name, const QByteArray& text) const {
        QFile file(m_dir.filePath(name));
        if (!file.open(QIODevice::WriteOnly))
            qFatal("cannot write");
        file.write(text);
        return file.fileName().toStdString();
    }
    static config::Effective recipe(const std::string& file, const std::vector<std::string>& overrides) {
        const auto path = qEnvironmentVariable("RANKSCOPE_SOURCE_DIR").toStdString() + "/configs/" + file;
        auto effective = config::evaluateFile(path, overrides);
        if (!effective)
            qFatal("%s", effective.error().message().c_str());
        return std::move(*effective);
    }
    static launch::DryRunOptions machine() {
        launch::DryRunOptions options;
        options.machine = config::MachineFacts{4, 0, 16'000'000'000, 0, true};
        return options;
    }
    static bool hasRisk(const plan::Plan& plan, const char* id) {
        for (const auto& risk : plan.risks)
            if (risk.rule->id == id)
                return true;
        return false;
    }
    std::string good() const {
        QByteArray text;
        for (int i = 0; i < 41; ++i)
            text += "{\"audio_filepath\": \"x.wav\", \"duration\": " + QByteArray::number(1 + i % 7) + "}\n";
        return manifest("good.json", text);
    }

private Q_SLOTS:
    void theLeastOfSeveralGpus() {
        config::MachineFacts facts;
        launch::addGpus(facts, {});
        QCOMPARE(facts.gpuMemoryBytes, std::int64_t{0});
        QCOMPARE(facts.gpuComputeCapability, 0);
        launch::GpuFacts large, small, silent;
        large.totalBytes = 80, large.computeCapability = 75;
        small.totalBytes = 40, small.computeCapability = 90;
        launch::addGpus(facts, {large, silent, small});
        QCOMPARE(facts.gpuMemoryBytes, std::int64_t{40});
        QCOMPARE(facts.gpuComputeCapability, 75);
    }
    void quickstart() {
        const auto file = good();
        const auto effective =
            recipe("quickstart.yaml",
                   {"model.train_ds.manifest_filepath=" + file, "model.validation_ds.manifest_filepath=" + file,
                    "model.train_ds.noise_manifest=null", "model.validation_ds.noise_manifest=null",
                    "trainer.val_check_interval=3", "trainer.accumulate_grad_batches=2"});
        const auto plan = launch::dryRun(effective, "q.yaml", machine());
        QVERIFY2(plan, plan ? "" : plan.error().message().c_str());
        QCOMPARE(plan->ranks, 2);
        QCOMPARE(plan->device, std::string("cpu"));
        QCOMPARE(plan->processes.size(), std::size_t{2});
        const auto& environment = plan->processes[1].environment;
        const auto value = [&](const char* name) -> std::string {
            for (const auto& [key, text] : environment)
                if (key == name)
                    return text;
            return "";
        };
        QCOMPARE(value("RANK"), std::string("1"));
        QCOMPARE(value("WORLD_SIZE"), std::string("2"));
        if (!qEnvironmentVariableIsSet("OMP_NUM_THREADS"))
            QCOMPARE(value("OMP_NUM_THREADS"), std::string("2"));
        // 41 utterances: 21 per rank, five batches of four and one utterance that drop_last leaves out
        QCOMPARE(plan->train.batchesPerRank, std::int64_t{5});
        QCOMPARE(plan->train.ranks[0].utterances, std::int64_t{20});
        QCOMPARE(plan->steps.stepsPerEpoch, std::int64_t{3});
        QCOMPARE(plan->steps.totalSteps, std::int64_t{400});
        QCOMPARE(plan->steps.globalBatch, std::int64_t{16});
        QCOMPARE(plan->steps.validationEveryBatches, std::int64_t{3});
        QCOMPARE(plan->steps.validationBatches, std::int64_t{6}); // validation leaves nothing out
        QCOMPARE(plan->model.trainable, std::int64_t{359'680});
        QVERIFY(plan->model.problem.empty());
        QCOMPARE(plan->memory.available, std::int64_t{8'000'000'000});
        QVERIFY(!plan->collectives.empty());
        QVERIFY(hasRisk(*plan, "length-sync-blocks") && hasRisk(*plan, "faults-on") && !hasRisk(*plan, "path-missing"));
        const auto json = planJson(*plan);
        QCOMPARE(json.at("steps").at("total_steps").get<int>(), 400);
        QCOMPARE(json.at("train").at("ranks").size(), std::size_t{2});
        QCOMPARE(json.at("risks").at(0).at("severity").get<std::string>(), std::string("danger"));
    }

    void openManifestsArePlannedWithoutData() {
        auto options = machine();
        options.ranks = 2;
        const auto plan = launch::dryRun(recipe("nest_large.yaml", {}), "nest_large.yaml", options);
        QVERIFY2(plan, plan ? "" : plan.error().message().c_str());
        QVERIFY(QString::fromStdString(plan->train.problem.english()).contains("???"));
        QCOMPARE(plan->model.trainable, std::int64_t{112'964'608});
        QCOMPARE(plan->steps.totalSteps, std::int64_t{500'000});
        QCOMPARE(plan->steps.batchesPerEpoch, std::int64_t{0});
        QVERIFY(!plan->warnings.empty());
        QVERIFY(hasRisk(*plan, "memory-short")); // 8 x 60 s on 8 GB each
    }

    void dataThatIsWrongIsTold() {
        const auto bad = manifest("bad.json", "{\"audio_filepath\": \"x.wav\", \"duration\": 3}\nno json\n");
        const auto plan = launch::dryRun(
            recipe("quickstart.yaml", {"model.train_ds.manifest_filepath=" + bad, "~model.validation_ds"}), "q.yaml",
            machine());
        QVERIFY(plan);
        QVERIFY(QString::fromStdString(plan->train.problem.english()).contains("bad.json:2"));
        QVERIFY(hasRisk(*plan, "manifest-lines-bad"));
        const auto gone = launch::dryRun(
            recipe("quickstart.yaml", {"model.train_ds.manifest_filepath=/no/such", "~model.validation_ds"}), "q.yaml",
            machine());
        QVERIFY(gone);
        QVERIFY(hasRisk(*gone, "path-missing"));
        QVERIFY(gone->train.ranks.empty() && !gone->train.problem.empty());
    }

    void audioThatIsMissingIsTold() {
        const auto file = good();
        const std::vector<std::string> overrides{"model.train_ds.manifest_filepath=" + file, "~model.validation_ds"};
        const auto gone = launch::dryRun(recipe("quickstart.yaml", overrides), "q.yaml", machine());
        QVERIFY(gone && hasRisk(*gone, "audio-missing"));
        manifest("x.wav", "x");
        const auto there = launch::dryRun(recipe("quickstart.yaml", overrides), "q.yaml", machine());
        QVERIFY(there && !hasRisk(*there, "audio-missing"));
        QVERIFY(QFile::remove(m_dir.filePath("x.wav")));
    }

    static const plan::Blocker* obstacle(const plan::Plan& plan, const std::string& kind) {
        for (const auto& one : plan.obstacles)
            if (one.kind == kind)
                return &one;
        return nullptr;
    }

    /// Everything that a launch checks first, or would fail on, is in the plan, with the key that causes it.
    void whatStandsAgainstALaunch() {
        const auto file = good();
        const std::vector<std::string> sound{
            "model.train_ds.manifest_filepath=" + file, "model.validation_ds.manifest_filepath=" + file,
            "model.train_ds.noise_manifest=null", "model.validation_ds.noise_manifest=null"};
        manifest("x.wav", "x");
        const auto with = [&](std::vector<std::string> more) {
            more.insert(more.begin(), sound.begin(), sound.end());
            return launch::dryRun(recipe("quickstart.yaml", more), "q.yaml", machine());
        };
        const auto fine = with({});
        QVERIFY(fine);
        QCOMPARE(fine->obstacles.size(), std::size_t{0});
        const auto gone =
            with({"model.train_ds.manifest_filepath=/no/such.json", "model.train_ds.noise_manifest=noise/none.json"});
        QVERIFY(gone);
        QCOMPARE(gone->obstacles.size(), std::size_t{2});
        QCOMPARE(gone->obstacles[0].key, std::string("model.train_ds.manifest_filepath"));
        QCOMPARE(gone->obstacles[0].text.english(), std::string("/no/such.json does not exist"));
        QVERIFY(gone->obstacles[0].refused);
        QVERIFY(QString::fromStdString(gone->obstacles[1].text.english())
                    .contains("working folder"));                  // only for a relative path
        const auto large = with({"model.train_ds.batch_size=64"}); // 21 utterances per rank, drop_last
        QVERIFY(large && obstacle(*large, "data") && obstacle(*large, "data")->refused);
        QCOMPARE(obstacle(*large, "data")->key, std::string("model.train_ds.drop_last"));
        const auto open = launch::dryRun(recipe("nest_large.yaml", {}), "n.yaml", machine());
        QVERIFY(open && obstacle(*open, "data") && obstacle(*open, "memory"));
        QVERIFY(!obstacle(*open, "memory")->refused);
        QVERIFY(QFile::remove(m_dir.filePath("x.wav")));
        const auto json = planJson(*open);
        QCOMPARE(json.at("obstacles").at(0).at("kind").get<std::string>(), std::string("data"));
    }

    /// What rankscope-setup installs is checked before a launch is tried.
    void whatSetupBringsIsAskedFor() {
        if (std::filesystem::exists("/var/lib/rankscope/libtorch"))
            QSKIP("this machine has /var/lib/rankscope/libtorch");
        QTemporaryDir installed;
        for (const char* program : {"bin/rankscope-trainer", "lib/rankscope/rankscope-trainer"}) {
            const QString path = installed.filePath(QLatin1String(program));
            QFile file(path);
            QVERIFY(QDir().mkpath(QFileInfo(path).path()) && file.open(QIODevice::WriteOnly));
            QVERIFY(file.setPermissions(QFile::ReadOwner | QFile::WriteOwner | QFile::ExeOwner));
        }
        const QByteArray data = qgetenv("XDG_DATA_HOME"), trainer = qgetenv("RANKSCOPE_TRAINER");
        qputenv("RANKSCOPE_TRAINER", installed.filePath("bin/rankscope-trainer").toLocal8Bit());
        qputenv("XDG_DATA_HOME", installed.path().toLocal8Bit());
        qunsetenv("RANKSCOPE_LIBTORCH");
        const auto effective =
            recipe("quickstart.yaml", {"model.train_ds.manifest_filepath=/nowhere/resources/sample/data/train.json"});
        const auto here = launch::dryRun(effective, "q.yaml", machine());
        auto elsewhere = machine();
        elsewhere.target.name = "8 x H100";
        const auto there = launch::dryRun(effective, "q.yaml", elsewhere);
        trainer.isNull() ? qunsetenv("RANKSCOPE_TRAINER") : qputenv("RANKSCOPE_TRAINER", trainer);
        data.isNull() ? qunsetenv("XDG_DATA_HOME") : qputenv("XDG_DATA_HOME", data);
        QVERIFY(here && there);
        QVERIFY(obstacle(*here, "trainer") && obstacle(*here, "trainer")->refused);
        QVERIFY(QString::fromStdString(obstacle(*here, "trainer")->text.english()).contains("run rankscope-setup"));
        QVERIFY(obstacle(*here, "data"));
        QVERIFY(QString::fromStdString(obstacle(*here, "data")->text.english()).contains("run rankscope-setup"));
        QVERIFY(!obstacle(*there, "trainer"));
        const auto now = launch::dryRun(effective, "q.yaml", machine());
        QVERIFY(now && !obstacle(*now, "trainer"));
    }

    void theDiskOfTheRunsIsLookedAt() {
        auto options = machine();
        const auto large = recipe("nest_large.yaml", {});
        QVERIFY(!launch::dryRun(large, "n.yaml", options)->disk);
        options.runsDir = m_dir.filePath("not/there/yet").toStdString();
        const auto plan = launch::dryRun(large, "n.yaml", options);
        QVERIFY(plan && plan->disk);
        QVERIFY(plan->disk->available > 0);
        QVERIFY(plan->disk->needed > 2 * (plan->memory.weights + plan->memory.optimizer)); // the best and the last
        if (std::filesystem::exists("/sys/kernel")) { // a file system without free space
            options.runsDir = "/sys/kernel";
            const auto full = launch::dryRun(large, "n.yaml", options);
            QVERIFY(full && obstacle(*full, "disk") && !obstacle(*full, "disk")->refused);
        }
    }

    /// The batch size that the remedy sets fits according to the same plan; if none fits, the remedy sets nothing.
    void theSmallerBatchFits() {
        auto options = machine();
        options.ranks = 1;
        const auto memoryShort = [](const plan::Plan& plan) -> const config::Risk* {
            for (const auto& risk : plan.risks)
                if (risk.rule->id == "memory-short")
                    return &risk;
            return nullptr;
        };
        const auto plan =
            launch::dryRun(recipe("nest_large.yaml", {"trainer.accumulate_grad_batches=3"}), "n.yaml", options);
        QVERIFY(plan && memoryShort(*plan));
        const config::Risk* risk = memoryShort(*plan);
        QVERIFY(risk->set && risk->also.size() == 1);
        const int batch = std::stoi(risk->set->value), accumulate = std::stoi(risk->also.front().value);
        QCOMPARE(risk->also.front().key, std::string("trainer.accumulate_grad_batches"));
        QCOMPARE(batch * accumulate, 8 * 3); // a step sees the same number of utterances
        const auto cured =
            launch::dryRun(recipe("nest_large.yaml", {"model.train_ds.batch_size=" + risk->set->value,
                                                      "trainer.accumulate_grad_batches=" + risk->also.front().value}),
                           "n.yaml", options);
        QVERIFY(cured && !memoryShort(*cured));
        options.machine.memoryBytes = 2'000'000'000; // less than weights, gradients and optimizer alone
        const auto hopeless = launch::dryRun(recipe("nest_large.yaml", {}), "n.yaml", options);
        QVERIFY(hopeless && memoryShort(*hopeless));
        QVERIFY(!memoryShort(*hopeless)->set);
        QVERIFY(QString::fromStdString(memoryShort(*hopeless)->reason.english()).contains("batch of one"));
    }

    /// Problems that a rank would find only when it runs: file, key and cause are known before anything starts.
    void weightsToBeginWith_data() {
        QTest::addColumn<QString>("key");
        QTest::addColumn<QString>("path");
        QTest::addColumn<QString>("says");
        const auto row = [](const char* name, const char* key, const QString& path, const char* says) {
            QTest::newRow(name) << QString(key) << path << QString(says);
        };
        const QString data = qEnvironmentVariable("RANKSCOPE_SOURCE_DIR") + "/tests/";
        const auto tensor = [&](const char* name, const QByteArray& header, int bytes) {
            QByteArray size(8, '\0');
            size[0] = static_cast<char>(header.size());
            return QString::fromStdString(manifest(name, size + header + QByteArray(bytes, '\0')));
        };
        row("missing", "init_from_ptl_ckpt", "/no/such.ckpt", "does not exist");
        row("a folder", "init_from_nemo_model", m_dir.path(), "is not a regular file");
        row("no weights", "init_from_ptl_ckpt", QString::fromStdString(good()), "contains no weights");
        row("another model's", "init_from_ptl_ckpt", data + "data/checkpoint/lightning.ckpt",
            "has no tensor of the model");
        row("another model's .nemo", "init_from_nemo_model", data + "fuzz/seeds/nemo/plain.nemo",
            "its first is w, the model's");
        row("damaged", "init_from_nemo_model", data + "fuzz/seeds/nemo/link.nemo", "is a link");
        row("another shape", "init_from_nemo_model",
            tensor("shape", R"({"decoder.decoder_layers.0.weight":{"dtype":"U8","shape":[2,3],"data_offsets":[0,6]}})",
                   6),
            "tensor decoder.decoder_layers.0.weight is [2, 3], the model's is [");
        row("fits", "init_from_nemo_model",
            tensor("fits", R"({"preprocessor.featurizer.window":{"dtype":"U8","shape":[400],"data_offsets":[0,400]}})",
                   400),
            "");
    }
    void weightsToBeginWith() {
        QFETCH(QString, key);
        QFETCH(QString, path);
        QFETCH(QString, says);
        const auto plan = launch::dryRun(
            recipe("quickstart.yaml", {"model.train_ds.manifest_filepath=" + good(), "~model.validation_ds",
                                       "+" + key.toStdString() + "=" + path.toStdString()}),
            "q.yaml", machine());
        QCOMPARE(plan.has_value(), says.isEmpty());
        if (plan)
            return;
        const QString message = QString::fromStdString(plan.error().message());
        QVERIFY2(message.startsWith(key + ": " + path), qPrintable(message));
        QVERIFY2(message.contains(says), qPrintable(message));
    }

    void refusedAsALaunchRefuses() {
        const auto unknown =
            launch::dryRun(recipe("quickstart.yaml", {"+model.encoder.n_layer=3"}), "q.yaml", machine());
        QVERIFY(!unknown);
        QVERIFY2(unknown.error().message().find("n_layer") != std::string::npos, unknown.error().message().c_str());
        const auto many = launch::dryRun(recipe("quickstart.yaml", {"trainer.devices=9"}), "q.yaml", machine());
        QVERIFY(!many);
        QCOMPARE(many.error().where, std::string("trainer.devices"));
        auto stopped = machine();
        stopped.cancelled = [] { return true; };
        const auto file = good();
        QVERIFY(!launch::dryRun(recipe("quickstart.yaml", {"model.train_ds.manifest_filepath=" + file}), "q.yaml",
                                stopped));
    }

    /// Each obstacle names the key that causes it; the risk of the same setting keeps its remedy.
    void limitsThatLeaveNoBatchAreObstacles() {
        const auto file = good();
        for (const bool sound : {false, true}) {
            if (sound)
                manifest("x.wav", "x");
            const auto planned = [&](std::vector<std::string> more) {
                more.insert(more.end(),
                            {"model.train_ds.manifest_filepath=" + file,
                             "model.validation_ds.manifest_filepath=" + file, "model.train_ds.noise_manifest=null",
                             "model.validation_ds.noise_manifest=null"});
                return launch::dryRun(recipe("quickstart.yaml", more), "q.yaml", machine());
            };
            const auto refusals = [](const Result<plan::Plan>& plan, const char* key) {
                return !plan ? -1
                             : static_cast<int>(std::count_if(
                                   plan->obstacles.begin(), plan->obstacles.end(),
                                   [&](const plan::Blocker& one) { return one.refused && one.key == key; }));
            };
            const auto interval =
                planned({"trainer.val_check_interval=6", "trainer.check_val_every_n_epoch=1"}); // of 5 batches
            QCOMPARE(refusals(interval, "trainer.val_check_interval"), 1);
            const auto risk = std::find_if(interval->risks.begin(), interval->risks.end(), [](const config::Risk& one) {
                return one.rule->id == std::string("validation-beyond-epoch");
            });
            QVERIFY(risk != interval->risks.end() && risk->set);
            QCOMPARE(risk->set->key, std::string("trainer.check_val_every_n_epoch"));
            QCOMPARE(refusals(planned({"+trainer.limit_val_batches=0.01"}), "trainer.limit_val_batches"), 1);
            const auto none = planned({"+trainer.limit_train_batches=0.1"});
            QCOMPARE(refusals(none, "trainer.limit_train_batches"), 1);
            QCOMPARE(none->steps.stepsPerEpoch, std::int64_t{0});
            QVERIFY(!hasRisk(*none, "validation-beyond-epoch"));
            QCOMPARE(refusals(planned({"+trainer.limit_train_batches=0.2"}), "trainer.limit_train_batches"), 0);
        }
        QVERIFY(QFile::remove(m_dir.filePath("x.wav")));
    }

    void everyValidationSetIsPlanned() {
        const auto file = good(), other = manifest("other.json", "{\"audio_filepath\": \"x.wav\", \"duration\": 3}\n");
        const auto plan = launch::dryRun(
            recipe("quickstart.yaml", {"model.train_ds.manifest_filepath=" + file, "trainer.val_check_interval=3",
                                       "model.validation_ds.manifest_filepath=[" + other + "," + file + "]",
                                       "model.train_ds.noise_manifest=null", "model.validation_ds.noise_manifest=null",
                                       "+model.validation_ds.val_dl_idx=1"}),
            "q.yaml", machine());
        QVERIFY2(plan, plan ? "" : plan.error().message().c_str());
        QCOMPARE(plan->validation->facts.lines, std::int64_t{41});
        QCOMPARE(plan->otherValidation.size(), std::size_t{1});
        QCOMPARE(plan->otherValidation[0].section, std::string("model.validation_ds (other_val_loss)"));
        QCOMPARE(plan->steps.validationBatches, std::int64_t{6 + 1});
        QCOMPARE(planJson(*plan).at("other_validation").size(), std::size_t{1});
    }

    void thisMachine() {
        const auto facts = launch::machineFacts();
        QVERIFY(facts.cores >= 1);
        QVERIFY(facts.memoryBytes > 100'000'000);
    }
};

RANKSCOPE_CORE_TEST(TestDryRun)
#include "tst_launch_preview.moc"
