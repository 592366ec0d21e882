// SPDX-License-Identifier: Apache-2.0
#include "core/config/effective/read_recipe.h"
#include "core/config/risks/risk_rules.h"
#include "tests/core/config/support.h"
#include "tests/support/test_runner.h"

using namespace rankscope;
using namespace rankscope::config;
using namespace rankscope::config::test;

class TestEffective : public QObject {
    Q_OBJECT

    static Effective with(const std::vector<std::string>& overrides) {
        return evaluate(goodRecipe(), "r.yaml", overrides);
    }
    static std::string risk(const std::string& key, const std::vector<std::string>& overrides) {
        Effective e = with(overrides);
        attachRisks(e);
        return e.find(key) ? e.find(key)->risk.english() : "absent";
    }

private Q_SLOTS:
    void absentFromBothFilesAndStillActing() {
        const Effective e = with({"~model.encoder.sync_max_audio_length"});
        const KeyRow* row = e.find("model.encoder.sync_max_audio_length");
        QVERIFY(row);
        QVERIFY(row->yours); // the file has it; the override removed it
        const std::string text = replaced(goodRecipe(), "    sync_max_audio_length: true\n", "");
        Effective without = evaluate(text, "r.yaml");
        attachRisks(without);
        row = without.find("model.encoder.sync_max_audio_length");
        QVERIFY(row);
        QVERIFY(!row->yours);
        QVERIFY(!row->nemoYaml);
        COMPARE_TEXT(row->code.value(), "true");
        COMPARE_TEXT(row->codeSource, "NeMo ConformerEncoder");
        COMPARE_TEXT(row->effective.value(), "true");
        QVERIFY(row->origin == Origin::Code);
        QVERIFY(row->affectsRanks);
        QVERIFY(!row->differs);
        QVERIFY(!row->risk.empty());
        COMPARE_TEXT(row->type, "bool");
        QCOMPARE(row->at.line, 0);
    }

    void fourValues() {
        const Effective e = with({"model.encoder.dropout_emb=0.3"});
        const KeyRow* row = e.find("model.encoder.dropout_emb");
        COMPARE_TEXT(row->yours.value(), "0.0");
        COMPARE_TEXT(row->nemoYaml.value(), "0.0");
        COMPARE_TEXT(row->code.value(), "0.1");
        COMPARE_TEXT(row->effective.value(), "0.3");
        QVERIFY(row->origin == Origin::Override);
        QVERIFY(row->differs);
        row = e.find("model.encoder.feat_in");
        COMPARE_TEXT(row->yours.value(), "${model.preprocessor.features}");
        COMPARE_TEXT(row->effective.value(), "80");
        QVERIFY(!row->differs);
        QVERIFY(e.find("model.encoder.d_model")->differs); // 256 here, 512 in NeMo's
    }

    void rowsStandInFileOrder() {
        const Effective e = with({});
        const auto index = [&](const char* key) { return e.find(key) - e.rows.data(); };
        QVERIFY(index("name") < index("model.sample_rate"));
        QVERIFY(index("model.encoder.n_layers") < index("model.decoder.feat_in"));
        QVERIFY(index("exp_manager.wandb_logger_kwargs.project") < index("model.encoder.global_tokens"));
        int line = 0;
        for (const auto& row : e.rows)
            if (row.yours) {
                QVERIFY2(row.at.line >= line, row.key.c_str());
                line = row.at.line;
            }
    }

    void missingStaysMissing() {
        const Effective e = evaluate(sourceText("configs/nest_large.yaml"), "nest_large.yaml");
        const KeyRow* row = e.find("model.train_ds.manifest_filepath");
        COMPARE_TEXT(row->yours.value(), "???");
        QVERIFY(!row->effective);
        QVERIFY(!e.ok());
        const auto error = firstError(e, "nest_large.yaml");
        QVERIFY(error);
        QVERIFY(error->message().rfind("nest_large.yaml:" + std::to_string(row->at.line) + ":", 0) == 0);
        QVERIFY(problemOf(e, "model.validation_ds.manifest_filepath")->severity == Problem::Severity::Warning);
    }

    void choicesAndTypes() {
        const Effective e = with({});
        QVERIFY(e.find("model.mask_position")->choices == (std::vector<std::string>{"pre_conv", "post_conv"}));
        COMPARE_TEXT(e.find("model.optim.lr")->type, "float");
        COMPARE_TEXT(e.find("model.encoder.att_context_size")->type, "list");
        COMPARE_TEXT(e.find("trainer.devices")->type, "int");
        COMPARE_TEXT(e.find("trainer.sync_batchnorm")->type, "bool");
        COMPARE_TEXT(e.find("model.encoder.conv_context_size")->type, "list");
    }

    void effectsOfTheStrategy() {
        QVERIFY(with({}).find("rankscope.ddp.bucket_cap_mb"));
        QVERIFY(!with({}).find("trainer.strategy.find_unused_parameters"));
        const Effective e =
            with({"trainer.strategy={_target_:lightning.pytorch.strategies.DDPStrategy,static_graph:true}"});
        QVERIFY2(e.ok(), e.problems.empty() ? "" : e.problems[0].text.english().c_str());
        COMPARE_TEXT(e.find("trainer.strategy.static_graph")->effective.value(), "true");
        COMPARE_TEXT(e.find("trainer.strategy.find_unused_parameters")->effective.value(), "false");
        COMPARE_TEXT(e.find("trainer.strategy.find_unused_parameters")->codeSource, "torch DistributedDataParallel");
        QVERIFY(!e.find("rankscope.ddp.static_graph"));
    }

    void loaderDefaults() {
        const Effective e = with({"~model.train_ds.num_workers", "~model.train_ds.drop_last"});
        COMPARE_TEXT(e.find("model.train_ds.num_workers")->effective.value(), "0");
        COMPARE_TEXT(e.find("model.train_ds.num_workers")->codeSource, "torch DataLoader");
        COMPARE_TEXT(e.find("model.train_ds.drop_last")->effective.value(), "false");
        QVERIFY(e.find("model.train_ds.num_workers")->differs);
    }

    void risks_data() {
        QTest::addColumn<QString>("key");
        QTest::addColumn<QString>("override");
        QTest::addColumn<QString>("says");
        const auto row = [](const char* key, const char* override, const char* says) {
            QTest::newRow(override) << key << override << says;
        };
        row("model.encoder.sync_max_audio_length", "model.encoder.sync_max_audio_length=true", "a blocking all-reduce");
        row("model.encoder.sync_max_audio_length", "model.encoder.sync_max_audio_length=false", "no length all-reduce");
        row("trainer.sync_batchnorm", "model.encoder.n_layers=7", "7 all-gathers");
        row("trainer.sync_batchnorm", "~model.encoder.n_layers", "an all-gather in forward");
        row("trainer.sync_batchnorm", "model.encoder.conv_norm_type=layer_norm", "no effect");
        row("model.encoder.conv_norm_type", "++model.encoder.conv_norm_type=layer_norm", "no effect");
        row("trainer.sync_batchnorm", "trainer.sync_batchnorm=false", "own batch");
        row("model.train_ds.drop_last", "model.train_ds.drop_last=false", "the remainder");
        row("model.train_ds.num_workers", "model.train_ds.num_workers=0", "training thread");
        row("trainer.devices", "trainer.devices=-1", "all available GPUs");
        row("trainer.accumulate_grad_batches", "trainer.accumulate_grad_batches=4", "each of 4 batches");
        row("trainer.strategy", "trainer.strategy=ddp", "a position table of 10.2 MB");
        row("trainer.strategy", "trainer.sync_batchnorm=false", "slowest rank");
        row("model.train_ds.max_duration", "model.train_ds.max_duration=null", "no limit");
        row("trainer.num_nodes", "trainer.num_nodes=2", "network");
        row("trainer.use_distributed_sampler", "trainer.use_distributed_sampler=false", "in its own order");
        row("model.encoder.sync_max_audio_length", "+rankscope.length_sync={timeout_s: 2}",
            "continues with its own longest");
        row("rankscope.length_sync.timeout_s", "+rankscope.length_sync={timeout_s: 3}", "SyncBN");
        row("rankscope.length_sync.barrier", "+rankscope.length_sync={barrier: true}", "before every encoder forward");
        row("rankscope.faults", "+rankscope.faults=[{kind:dead}]", "injects a fault");
    }
    void risks() {
        QFETCH(QString, key);
        QFETCH(QString, override);
        QFETCH(QString, says);
        const std::string text = risk(key.toStdString(), {override.toStdString()});
        QVERIFY2(QString::fromStdString(text).contains(says), text.c_str());
        QVERIFY(QString::fromStdString(text).count('\n') == 0);
    }
    void oneRankHasNoRisk() {
        for (const char* key :
             {"model.encoder.sync_max_audio_length", "trainer.strategy", "trainer.use_distributed_sampler"})
            COMPARE_TEXT(risk(key, {"trainer.devices=1"}), "");
    }

    void textIsCompleteAndReadable() {
        const Effective first = with({"model.optim.lr=0.5", "+rankscope.faults=[{kind:dead,rank:1,step:3}]"});
        QVERIFY(first.text.find("lr: 0.5  # override") != std::string::npos);
        QVERIFY(first.text.find("global_tokens: 0  # NeMo ConformerEncoder") != std::string::npos);
        QVERIFY(first.text.find("feat_in: 80\n") != std::string::npos);
        QVERIFY(first.text.find("${") == std::string::npos);
        const Effective second = evaluate(first.text, "effective.yaml");
        QVERIFY2(second.ok(), second.problems.empty() ? "" : second.problems[0].text.english().c_str());
        for (const auto& row : first.rows) {
            const KeyRow* again = second.find(row.key);
            QVERIFY2(again, row.key.c_str());
            QVERIFY2(again->effective == row.effective, row.key.c_str());
        }
        const auto a = readRecipe(first.text, "a"), b = readRecipe(second.text, "b");
        QVERIFY(a && b);
        QCOMPARE(a->configHash, b->configHash);
    }

    void escapedInterpolationSurvives() {
        const Effective e =
            evaluate(replaced(goodRecipe(), "name: NEST-FastConformer-Medium", "name: 'p\\${x}'"), "r.yaml");
        QVERIFY(e.ok());
        COMPARE_TEXT(e.name, "p${x}");
        COMPARE_TEXT(evaluate(e.text, "r.yaml").name, "p${x}");
    }

    void ownSectionsMayBeUsedInInterpolation() {
        const Effective e = evaluate(replaced(goodRecipe(), "trainer:\n", "my_width: 256\ntrainer:\n"), "r.yaml",
                                     {"model.encoder.d_model=${my_width}"});
        QVERIFY(e.ok());
        COMPARE_TEXT(e.find("model.encoder.d_model")->effective.value(), "256");
        QVERIFY(problemOf(e, "my_width")->severity == Problem::Severity::Info);
    }

    void errorsComeFirst() {
        const Effective e = with({"model.train_ds.is_concat=true", "model.encoder.dropout=7"});
        QVERIFY(e.problems.size() >= 2);
        QVERIFY(e.problems[0].severity == Problem::Severity::Error);
        COMPARE_TEXT(e.problems[0].key, "model.encoder.dropout");
        QVERIFY(std::is_sorted(e.problems.begin(), e.problems.end(),
                               [](const Problem& a, const Problem& b) { return a.severity < b.severity; }));
    }

    void overrideProblems() {
        const Effective e = with({"model.encoder.n_layer=3"});
        QVERIFY(!e.ok());
        QVERIFY2(e.problems[0].text.english().find("did you mean model.encoder.n_layers") != std::string::npos,
                 e.problems[0].text.english().c_str());
        QVERIFY(!with({"model.encoder.n_layers=1,2"}).ok());
        QVERIFY(!with({"+model.encoder.n_layer=3"}).ok()); // added, but unknown
    }

    void whatTheTrainerCannotDo_data() {
        QTest::addColumn<QString>("override");
        QTest::addColumn<QString>("key");
        const auto row = [](const char* override, const char* key) { QTest::newRow(override) << override << key; };
        row("model.train_ds.is_concat=true", "model.train_ds.is_concat");
        row("trainer.precision=bf16-true", "trainer.precision");
        row("trainer.precision=64", "trainer.precision");
        row("trainer.strategy={_target_:lightning.pytorch.strategies.DDPStrategy,init_sync:false}",
            "trainer.strategy.init_sync");
        row("trainer.strategy={_target_:lightning.pytorch.strategies.DDPStrategy,process_group_backend:mpi}",
            "trainer.strategy.process_group_backend");
        row("trainer.strategy={_target_:lightning.pytorch.strategies.DDPStrategy,ddp_comm_hook:{_target_:hydra.utils."
            "get_method,path:torch.distributed.algorithms.ddp_comm_hooks.powerSGD_hook.powerSGD_hook}}",
            "trainer.strategy.ddp_comm_hook");
        row("+trainer.deterministic=wrn", "trainer.deterministic");
        row("trainer.strategy=fsdp", "trainer.strategy");
        row("model.optim.name=novograd", "model.optim.name");
        row("model.optim.sched.name=StepLR", "model.optim.sched.name");
        row("model.optim.sched.name=ReduceLROnPlateau", "model.optim.sched.name");
        row("model.encoder.subsampling=vggnet", "model.encoder.subsampling");
        row("model.encoder.att_context_size=[[70,13],[70,6]]", "model.encoder.att_context_size");
        row("model.encoder.conv_norm_type=group_norm7", "model.encoder.conv_norm_type"); // 256 features
        row("model.encoder.stochastic_depth_start_layer=17", "model.encoder.stochastic_depth_start_layer");
        row("model.encoder.causal_downsampling=true", "model.encoder.causal_downsampling");
        row("+model.encoder.subsampling_conv_chunking_factor=2", "model.encoder.subsampling_conv_chunking_factor");
        row("+model.encoder.global_tokens=1", "model.encoder.global_tokens");
        row("model.preprocessor.normalize={fixed_mean:[0],fixed_std:[1]}", "model.preprocessor.normalize");
        row("+model.preprocessor.n_window_size=400", "model.preprocessor.window_size");
        row("model.preprocessor.pad_to=12", "model.preprocessor.pad_to");
        row("model.encoder._target_=nemo.collections.asr.modules.SqueezeformerEncoder", "model.encoder._target_");
        row("+model.train_ds.use_lhotse=true", "model.train_ds.use_lhotse");
    }
    void whatTheTrainerCannotDo() {
        QFETCH(QString, override);
        QFETCH(QString, key);
        const Effective e = with({override.toStdString()});
        QVERIFY2(e.ok(), e.problems.empty() ? "" : e.problems[0].text.english().c_str()); // NeMo accepts it
        const Problem* problem = nullptr;
        for (const auto& p : e.problems)
            if (p.blocksLaunch && p.key == key.toStdString())
                problem = &p;
        QVERIFY(problem);
        QVERIFY(problem->severity == Problem::Severity::Warning);
        QVERIFY2(problem->text.english().find("not supported by the trainer yet") != std::string::npos,
                 problem->text.english().c_str());
        QVERIFY(!firstError(e, "r.yaml"));
        QVERIFY(launchError(e, "r.yaml"));
        const auto recipe = readRecipe(e.text, "effective.yaml");
        QVERIFY(!recipe);
        QVERIFY(recipe.error().code == Errc::Unsupported);
    }

    void unreadableFile() {
        const auto e = evaluateFile("/nonexistent/recipe.yaml");
        QVERIFY(!e);
        QVERIFY(e.error().code == Errc::NotFound);
        QVERIFY(!evaluateFile("/"));
    }
};

RANKSCOPE_CORE_TEST(TestEffective)
#include "tst_effective.moc"
