// SPDX-License-Identifier: Apache-2.0
// A launch that starts nothing, from a recipe to everything that a plan says.
#include "core/base/file.h"
#include "core/launch/dry_run.h"
#include "tests/support/test_runner.h"

#include <QFile>
#include <QTemporaryDir>
#include <QTest>

#include <algorithm>

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
        // 41 utterances: 21 a rank, five batches of four and one that drop_last leaves out
        QCOMPARE(plan->train.batchesPerRank, std::int64_t{5});
        QCOMPARE(plan->train.ranks[0].utterances, std::int64_t{20});
        QCOMPARE(plan->steps.stepsPerEpoch, std::int64_t{3});
        QCOMPARE(plan->steps.totalSteps, std::int64_t{400});
        QCOMPARE(plan->steps.globalBatch, std::int64_t{16});
        QCOMPARE(plan->steps.validationEveryBatches, std::int64_t{3});
        QCOMPARE(plan->steps.validationBatches, std::int64_t{6}); // nothing is left out there
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
        QVERIFY(QString::fromStdString(plan->train.problem).contains("???"));
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
        QVERIFY(QString::fromStdString(plan->train.problem).contains("bad.json:2"));
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

    /// What a rank found once it ran: the file, the key and the cause are known before anything starts.
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
        row("no weights", "init_from_ptl_ckpt", QString::fromStdString(good()), "holds no weights");
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

    /// As an error of a launch, with the key's place in the file.
    void limitsThatLeaveNoBatchAreRefused() {
        const auto file = good();
        const auto planned = [&](std::vector<std::string> more) {
            more.insert(more.end(),
                        {"model.train_ds.manifest_filepath=" + file, "model.validation_ds.manifest_filepath=" + file,
                         "model.train_ds.noise_manifest=null", "model.validation_ds.noise_manifest=null"});
            return launch::dryRun(recipe("quickstart.yaml", more), "q.yaml", machine());
        };
        const auto interval =
            planned({"trainer.val_check_interval=6", "trainer.check_val_every_n_epoch=1"}); // of 5 batches
        QVERIFY(!interval);
        QCOMPARE(interval.error().where, std::string("trainer.val_check_interval"));
        const auto share = planned({"+trainer.limit_val_batches=0.01"});
        QVERIFY(!share && share.error().where == "trainer.limit_val_batches");
        QVERIFY(!planned({"+trainer.limit_train_batches=0.1"}));
        QVERIFY(planned({"+trainer.limit_train_batches=0.2"}));

        auto text = readFile(qEnvironmentVariable("RANKSCOPE_SOURCE_DIR").toStdString() + "/configs/quickstart.yaml");
        QVERIFY(text);
        const auto at = text->find("\ntrainer:\n");
        QVERIFY(at != std::string::npos);
        text->insert(at + 10, "  limit_train_batches: 0.1\n");
        const auto line = std::count(text->begin(), text->begin() + static_cast<std::ptrdiff_t>(at), '\n') + 3;
        const auto written =
            launch::dryRun(config::evaluate(*text, "q.yaml",
                                            {"model.train_ds.manifest_filepath=" + file, "~model.validation_ds",
                                             "model.train_ds.noise_manifest=null"}),
                           "q.yaml", machine());
        QVERIFY(!written);
        const QString where = QString::fromStdString(written.error().where);
        QVERIFY2(where.startsWith(QString("q.yaml:%1:").arg(line)) && where.endsWith(": trainer.limit_train_batches"),
                 qPrintable(where));
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
#include "tst_dry_run.moc"
