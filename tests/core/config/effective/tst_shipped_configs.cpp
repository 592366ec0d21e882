// SPDX-License-Identifier: Apache-2.0
#include "core/config/effective/read_recipe.h"
#include "core/config/recipe/recipe.h"
#include "tests/core/config/support.h"
#include "tests/support/test_runner.h"

using namespace rankscope::config;
using namespace rankscope::config::test;

class TestShippedConfigs : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void recipes_data() {
        QTest::addColumn<QString>("file");
        QTest::addColumn<int>("dModel");
        QTest::addColumn<int>("heads");
        QTest::addColumn<int>("layers");
        QTest::addColumn<int>("kernel");
        QTest::addColumn<double>("decay");
        QTest::addColumn<bool>("scaled");
        QTest::newRow("small") << "nest_small.yaml" << 176 << 4 << 16 << 9 << 0.0 << true;
        QTest::newRow("medium") << "nest_medium.yaml" << 256 << 4 << 16 << 9 << 1e-3 << true;
        QTest::newRow("large") << "nest_large.yaml" << 512 << 8 << 17 << 9 << 1e-3 << true;
        QTest::newRow("xlarge") << "nest_xlarge.yaml" << 1024 << 8 << 24 << 9 << 1e-3 << false;
        QTest::newRow("xxlarge") << "nest_xxlarge.yaml" << 1024 << 8 << 42 << 5 << 1e-3 << false;
    }
    void recipes() {
        QFETCH(QString, file);
        const std::string text = sourceText("configs/" + file.toStdString());
        const Effective e = evaluate(text, file.toStdString());
        QCOMPARE(errorCount(e), 1); // no training manifest
        COMPARE_TEXT(e.problems[0].key, "model.train_ds.manifest_filepath");
        const Effective given = evaluate(text, file.toStdString(), {"model.train_ds.manifest_filepath=a.json"});
        const auto error = launchError(given, "f");
        QVERIFY2(!error, error ? error->message().c_str() : "");
        const auto recipe = readRecipe(given.text, "effective.yaml");
        QVERIFY2(recipe, recipe ? "" : recipe.error().message().c_str());
        const EncoderConfig& encoder = recipe->model.encoder;
        QTEST(encoder.dModel, "dModel");
        QTEST(encoder.nHeads, "heads");
        QTEST(encoder.nLayers, "layers");
        QTEST(encoder.convKernelSize, "kernel");
        QTEST(recipe->model.optim.weightDecay, "decay");
        QTEST(encoder.xscaling, "scaled");
        QTEST(encoder.useBias, "scaled");
        QVERIFY(recipe->trainer.syncBatchnorm);
        QVERIFY(recipe->model.nemo == NemoVersion::V3_0_0);
    }

    void largeIsNemosOwn() {
        const Effective e = evaluate(sourceText("configs/nest_large.yaml"), "nest_large.yaml");
        for (const auto& row : e.rows)
            QVERIFY2(!row.differs || row.key == "name" || row.key == "exp_manager.name" ||
                         row.key == "exp_manager.checkpoint_callback_params.filename",
                     row.key.c_str());
    }

    void quickstart() {
        const Effective e = evaluate(sourceText("configs/quickstart.yaml"), "quickstart.yaml");
        const auto error = launchError(e, "quickstart.yaml");
        QVERIFY2(!error, error ? error->message().c_str() : "");
        const auto recipe = readRecipe(e.text, "effective.yaml");
        QVERIFY(recipe);
        COMPARE_TEXT(recipe->name, "quickstart");
        QVERIFY(recipe->model.nemo == NemoVersion::V3_0_0);
        COMPARE_TEXT(recipe->trainer.devices, "2");
        QVERIFY(recipe->validation);
        QVERIFY(recipe->model.encoder.syncMaxAudioLength);
        QCOMPARE(recipe->rankscope.faults.size(), std::size_t{1});
        COMPARE_TEXT(recipe->rankscope.faults[0].kind, "data_loading");
        QCOMPARE(recipe->rankscope.faults[0].rank, 1);
        QVERIFY(recipe->rankscope.faults[0].seconds > recipe->rankscope.stallMinSeconds);
        QVERIFY(recipe->trainer.maxSteps > recipe->rankscope.faults[0].step);
        // the file's comment says how to get a healthy run
        const Effective healthy =
            evaluate(sourceText("configs/quickstart.yaml"), "quickstart.yaml", {"~rankscope.faults"});
        QVERIFY(readRecipe(healthy.text, "effective.yaml")->rankscope.faults.empty());
    }

    void nemosOwnFileWhenItIsHere() {
        const QString dir = qEnvironmentVariable("RANKSCOPE_NEMO_DIR");
        if (dir.isEmpty())
            QSKIP("RANKSCOPE_NEMO_DIR names no folder with NeMo's sources");
        const auto e = evaluateFile((dir + "/examples/asr/conf/ssl/nest/nest_fast-conformer.yaml").toStdString());
        QVERIFY(e);
        QCOMPARE(errorCount(*e), 1);
        for (const auto& row : e->rows)
            QVERIFY2(!row.differs, row.key.c_str());
    }
};

RANKSCOPE_CORE_TEST(TestShippedConfigs)
#include "tst_shipped_configs.moc"
