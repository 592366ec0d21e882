// SPDX-License-Identifier: Apache-2.0
#include "core/config/effective/read_recipe.h"
#include "core/config/recipe/recipe.h"
#include "tests/core/config/support.h"
#include "tests/support/test_runner.h"

using namespace rankscope;
using namespace rankscope::config;
using namespace rankscope::config::test;

class TestRecipe : public QObject {
    Q_OBJECT

    static Recipe read(const std::string& text) {
        auto recipe = readRecipe(text, "r.yaml");
        if (!recipe)
            qFatal("%s", recipe.error().message().c_str());
        return *recipe;
    }
    static Recipe with(const std::vector<std::string>& overrides) {
        const Effective e = evaluate(goodRecipe(), "r.yaml", overrides);
        if (auto error = firstError(e, "r.yaml"))
            qFatal("%s", error->message().c_str());
        return read(e.text);
    }

private Q_SLOTS:
    void commandForIncidents() {
        QVERIFY(with({}).rankscope.onIncident.empty());
        QVERIFY(with({"+rankscope.on_incident=null"}).rankscope.onIncident.empty());
        QCOMPARE(with({"+rankscope.on_incident=[mail, -s, 'a b', 7]"}).rankscope.onIncident,
                 (std::vector<std::string>{"mail", "-s", "a b", "7"}));
        for (const char* bad : {"[[a]]", "['']", "[null]", "[{a: 1}]", "mail", "7"}) {
            const auto e = evaluate(goodRecipe(), "r.yaml", {std::string("+rankscope.on_incident=") + bad});
            const auto error = firstError(e, "r.yaml");
            QVERIFY2(error && error->message().find("on_incident") != std::string::npos, bad);
        }
    }
    void lengthSync() {
        const RankscopeConfig plain = with({}).rankscope;
        QVERIFY(!plain.lengthSync.timeoutSeconds && !plain.lengthSync.barrier);
        const RankscopeConfig safe = with({"+rankscope.length_sync={timeout_s: 2.5, barrier: true}"}).rankscope;
        QCOMPARE(safe.lengthSync.timeoutSeconds.value(), 2.5);
        QVERIFY(safe.lengthSync.barrier);
        for (const char* bad : {"{timeout_s: 0}", "{timeout_s: -1}", "{timeout_s: soon}", "{timeout_s: 1e9}",
                                "{barrier: 3}", "{timeout: 1}"}) {
            const Effective e = evaluate(goodRecipe(), "r.yaml", {std::string("+rankscope.length_sync=") + bad});
            const auto error = firstError(e, "r.yaml");
            QVERIFY2(error && error->message().find("rankscope.length_sync") != std::string::npos,
                     error ? error->message().c_str() : bad);
        }
    }

    void modelSectionAlone() {
        const Recipe r = read(dataText("model_section.yaml"));
        const ModelConfig& m = r.model;
        QCOMPARE(m.numBooks, 2);
        QCOMPARE(m.codeDim, 8);
        COMPARE_TEXT(m.maskPosition, "pre_conv"); // default in the code
        QCOMPARE(m.preprocessor.windowLength(), 400);
        QCOMPARE(m.preprocessor.hopLength(), 160);
        QCOMPARE(m.preprocessor.dither, 0.0);
        QCOMPARE(m.preprocessor.nFft, 0);
        QCOMPARE(m.preprocessor.preemph.value(), 0.97);
        QCOMPARE(m.preprocessor.highfreq, 0.0);
        COMPARE_TEXT(m.preprocessor.melNorm, "slaney");
        QCOMPARE(m.masking.featIn, 80);
        QCOMPARE(m.masking.maskProb, 0.5);
        QVERIFY(!m.masking.allowOverlap);
        COMPARE_TEXT(m.quantizer.distFn, "cosine");
        QCOMPARE(m.quantizer.combineTimeSteps, 8);
        QCOMPARE(m.quantizer.numClasses, 64);
        QVERIFY((m.encoder.attContextSize == std::array<int, 2>{4, 2}));
        QVERIFY(m.encoder.convContextCausal);
        QVERIFY((m.encoder.convContextSize.value() == std::array<int, 2>{8, 0}));
        QCOMPARE(m.encoder.subsamplingConvChannels, -1);
        QCOMPARE(m.encoder.dropoutEmb, 0.1);
        QVERIFY(m.encoder.syncMaxAudioLength);
        QVERIFY(!m.decoder.useBias);
        COMPARE_TEXT(m.decoder.initMode, "xavier_uniform");
        QCOMPARE(m.optim.lr, 0.5);
        QVERIFY((m.optim.betas == std::array<double, 2>{0.9, 0.999}));
        QCOMPARE(m.optim.weightDecay, 0.01);
        COMPARE_TEXT(m.optim.sched.name, "NoamAnnealing");
        QCOMPARE(m.optim.sched.dModel, 32);
        QCOMPARE(m.optim.sched.warmupSteps.value(), 4);
        QVERIFY(!m.optim.sched.warmupRatio);
        QVERIFY(r.train.manifests.empty());
        QVERIFY(!r.validation);
    }

    void defaultsAreTheCodes() {
        // the initial values of the structs in recipe.h are the defaults in the facts
        const Recipe r = read(dataText("model_section.yaml"));
        const EncoderConfig e;
        QCOMPARE(r.model.encoder.ffExpansionFactor, e.ffExpansionFactor);
        QCOMPARE(r.model.encoder.nHeads, e.nHeads);
        QCOMPARE(r.model.encoder.posEmbMaxLen, e.posEmbMaxLen);
        COMPARE_TEXT(r.model.encoder.convNormType, e.convNormType);
        QCOMPARE(r.model.encoder.dropoutAtt, e.dropoutAtt);
        QCOMPARE(r.model.masking.maxMaskRatio, MaskingConfig{}.maxMaskRatio);
        QCOMPARE(r.model.loss.maskThreshold, LossConfig{}.maskThreshold);
        QCOMPARE(r.model.optim.eps, OptimConfig{}.eps);
        QCOMPARE(r.model.preprocessor.logZeroGuardValue, PreprocessorConfig{}.logZeroGuardValue);
        QCOMPARE(r.rankscope.stallMinSeconds, RankscopeConfig{}.stallMinSeconds);
        QCOMPARE(r.rankscope.retentionSteps, RankscopeConfig{}.retentionSteps);
        QCOMPARE(r.trainer.bucketCapMb, TrainerConfig{}.bucketCapMb);
        QCOMPARE(r.trainer.broadcastBuffers, TrainerConfig{}.broadcastBuffers);
        COMPARE_TEXT(r.trainer.devices, "auto");
        COMPARE_TEXT(r.trainer.strategy, "auto");
        QCOMPARE(r.trainer.accumulateGradBatches, 1);
    }

    void wholeRecipe() {
        const Recipe r = with({"model.train_ds.noise_manifest=[n1.json,n2.json]", "trainer.devices=4",
                               "model.validation_ds.manifest_filepath=val.json", "trainer.max_steps=300"});
        COMPARE_TEXT(r.name, "NEST-FastConformer-Medium");
        QVERIFY(r.train.manifests == std::vector<std::string>{"train.json"});
        QVERIFY((r.train.noiseManifests == std::vector<std::string>{"n1.json", "n2.json"}));
        QCOMPARE(r.train.batchSize, 8);
        QCOMPARE(r.train.numWorkers, 8);
        QVERIFY(r.train.dropLast && r.train.shuffle && r.train.pinMemory);
        QCOMPARE(r.train.maxDuration, 60.0);
        QVERIFY(r.train.augmentor.present);
        QCOMPARE(r.train.augmentor.maxRNoise, 20.0);
        QVERIFY(r.validation);
        QVERIFY(!r.validation->shuffle);
        QVERIFY(!r.validation->dropLast);
        COMPARE_TEXT(r.trainer.devices, "4");
        COMPARE_TEXT(r.trainer.precision, "32");
        QCOMPARE(r.trainer.maxSteps, 300);
        QCOMPARE(r.trainer.valEveryBatches, 2500);
        QCOMPARE(r.trainer.valEveryNEpochs, 1);
        QCOMPARE(r.trainer.sanityValSteps, 0);
        QVERIFY(r.trainer.syncBatchnorm);
        QCOMPARE(r.model.optim.sched.minLr, 1e-6);
        QVERIFY(r.configHash != 0);
    }

    void validationWithoutManifestIsNone() { QVERIFY(!with({}).validation); }

    void manifestsAreOneOrManyOrNested() {
        QVERIFY(
            (with({"model.train_ds.manifest_filepath=[a,b]"}).train.manifests == std::vector<std::string>{"a", "b"}));
        QVERIFY((with({"model.train_ds.manifest_filepath=[[a],[b]]"}).train.manifests ==
                 std::vector<std::string>{"a", "b"}));
        QVERIFY(
            (with({"model.train_ds.manifest_filepath='a,b'"}).train.manifests == std::vector<std::string>{"a", "b"}));
    }

    void devices() {
        COMPARE_TEXT(with({"trainer.devices=-1"}).trainer.devices, "-1");
        COMPARE_TEXT(with({"trainer.devices=auto"}).trainer.devices, "auto");
        COMPARE_TEXT(with({"trainer.devices=[0,2]"}).trainer.devices, "0,2");
        COMPARE_TEXT(with({"trainer.devices=[2]"}).trainer.devices, "2,"); // a list of one is not a count
        COMPARE_TEXT(with({"trainer.devices='0, 2'"}).trainer.devices, "0, 2");
    }

    void strategies() {
        Recipe r = with({"trainer.strategy=ddp_find_unused_parameters_true"});
        COMPARE_TEXT(r.trainer.strategy, "ddp");
        QVERIFY(r.trainer.findUnusedParameters);
        r = with({"trainer.strategy={_target_:lightning.pytorch.strategies.DDPStrategy,gradient_as_bucket_view:true}"});
        COMPARE_TEXT(r.trainer.strategy, "ddp");
        QVERIFY(r.trainer.gradientAsBucketView);
        r = with({"+rankscope.ddp.bucket_cap_mb=3", "+rankscope.ddp.static_graph=true"});
        QCOMPARE(r.trainer.bucketCapMb.value(), 3.0);
        QVERIFY(r.trainer.staticGraph);
        QVERIFY(!with({}).trainer.bucketCapMb);
    }

    void processGroupBackends() {
        const char* gloo = "trainer.strategy={_target_:lightning.pytorch.strategies.DDPStrategy,process_group_backend:"
                           "gloo}";
        COMPARE_TEXT(with({gloo}).trainer.processGroupBackend, "gloo");
        COMPARE_TEXT(
            with({"trainer.strategy={_target_:lightning.pytorch.strategies.DDPStrategy}"}).trainer.processGroupBackend,
            "");
        COMPARE_TEXT(with({}).trainer.processGroupBackend, "");
    }

    void communicationHooks() {
        COMPARE_TEXT(with({}).trainer.commHook, "");
        COMPARE_TEXT(with({"+rankscope.ddp.comm_hook=bf16_compress_hook"}).trainer.commHook, "bf16_compress_hook");
        COMPARE_TEXT(with({"trainer.strategy={_target_:lightning.pytorch.strategies.DDPStrategy,ddp_comm_hook:{"
                           "_target_:hydra.utils.get_method,path:torch.distributed.algorithms.ddp_comm_hooks."
                           "default_hooks.fp16_compress_hook}}"})
                         .trainer.commHook,
                     "fp16_compress_hook");
    }

    void precisionsAsLightningNamesThem_data() {
        QTest::addColumn<QString>("written");
        QTest::addColumn<QString>("read");
        const auto row = [](const char* written, const char* read) { QTest::newRow(written) << written << read; };
        row("null", "32");
        row("32", "32");
        row("'32'", "32");
        row("32-true", "32");
        row("16", "16-mixed");
        row("'16'", "16-mixed");
        row("16-mixed", "16-mixed");
        row("bf16", "bf16-mixed");
        row("bf16-mixed", "bf16-mixed");
    }
    void precisionsAsLightningNamesThem() {
        QFETCH(QString, written);
        QFETCH(QString, read);
        COMPARE_TEXT(with({"trainer.precision=" + written.toStdString()}).trainer.precision, read.toStdString());
    }

    void deterministicModes() {
        COMPARE_TEXT(with({}).trainer.deterministic, "false");
        COMPARE_TEXT(with({"+trainer.deterministic=true"}).trainer.deterministic, "true");
        COMPARE_TEXT(with({"+trainer.deterministic=warn"}).trainer.deterministic, "warn");
        QVERIFY(!with({"~trainer.benchmark"}).trainer.benchmark);
        QVERIFY(with({"trainer.benchmark=true"}).trainer.benchmark.value());
    }

    void rankscopeSection() {
        const Recipe r =
            with({"+rankscope.stall.min_seconds=0.5", "+rankscope.stall.factor=3", "+rankscope.straggler.share=0.1",
                  "+rankscope.straggler.window_steps=7", "+rankscope.join_seconds=5", "+rankscope.seed=11",
                  "+rankscope.collective_timeout_s=90", "+rankscope.stop_grace_s=2", "+rankscope.retention.steps=100",
                  "+rankscope.threads_per_rank=3", "+rankscope.data.shuffle_within_tars=true",
                  "+rankscope.data.batches_within_buckets=true", "+rankscope.data.tar_readers=1",
                  "+rankscope.data.reorder_buckets=true", "+rankscope.validation.mean_over_ranks=true",
                  "+rankscope.faults=[{kind:dead,rank:1,step:6,signal:SIGSEGV},{kind:long_batch,steps:4,seconds:30}]"});
        QCOMPARE(r.rankscope.stallMinSeconds, 0.5);
        QCOMPARE(r.rankscope.stallFactor, 3.0);
        QCOMPARE(r.rankscope.stragglerShare, 0.1);
        QCOMPARE(r.rankscope.stragglerWindowSteps, 7);
        QCOMPARE(r.rankscope.joinSeconds, 5.0);
        QCOMPARE(r.rankscope.collectiveTimeoutSeconds, 90.0);
        QCOMPARE(r.rankscope.stopGraceSeconds, 2.0);
        QCOMPARE(r.rankscope.retentionSteps, 100);
        QCOMPARE(r.rankscope.threadsPerRank, 3);
        QVERIFY(r.train.tarred.shuffleWithin && r.train.bucketing.batchesWithin && r.rankscope.meanValLoss);
        QVERIFY(r.train.readers() == 1 && r.train.bucketing.reorder);
        const Recipe plain = with({"model.train_ds.num_workers=6"}); // NeMo's default
        QVERIFY(plain.train.readers() == 6 && !plain.train.bucketing.reorder);
        QVERIFY(!plain.train.tarred.shuffleWithin && !plain.train.bucketing.batchesWithin &&
                !plain.rankscope.meanValLoss);
        QCOMPARE(r.trainer.seed.value(), 11);
        QCOMPARE(r.rankscope.faults.size(), std::size_t{2});
        COMPARE_TEXT(r.rankscope.faults[0].kind, "dead");
        COMPARE_TEXT(r.rankscope.faults[0].signal, "SIGSEGV");
        QCOMPARE(r.rankscope.faults[0].step, 6);
        QCOMPARE(r.rankscope.faults[1].rank, 0);
        QCOMPARE(r.rankscope.faults[1].seconds, 30.0);
        QCOMPARE(r.rankscope.faults[1].steps, 4);
    }

    void epochs() {
        QCOMPARE(with({"trainer.max_epochs=null", "trainer.max_steps=-1"}).trainer.maxEpochs, 1000);
        QCOMPARE(with({"trainer.max_epochs=3"}).trainer.maxEpochs, 3);
        QCOMPARE(with({"trainer.val_check_interval=0.25"}).trainer.valEveryShare, 0.25);
        QCOMPARE(with({"trainer.check_val_every_n_epoch=null"}).trainer.valEveryNEpochs, 0);
    }

    /// Lightning's _determine_batch_limits: 1 is a batch, 1.0 is all of them, 3.0 is three batches, 2.5 is an error.
    void limitsCountBatchesAsInLightning() {
        const auto train = [&](const char* value) {
            return with({std::string("+trainer.limit_train_batches=") + value}).trainer.limitTrain;
        };
        QCOMPARE(train("1").count, 1);
        QCOMPARE(train("1.0").count, -1);
        QCOMPARE(train("1.0").share, 1.0);
        QCOMPARE(train("0.5").share, 0.5);
        QCOMPARE(train("3.0").count, 3);
        QCOMPARE(train("1e3").count, 1000);
        QCOMPARE(with({"+trainer.limit_val_batches=2.0"}).trainer.limitVal.count, 2);
        QCOMPARE(with({"trainer.val_check_interval=5e0"}).trainer.valEveryBatches, 5);
        QCOMPARE(with({"trainer.val_check_interval=1.0"}).trainer.valEveryBatches, 0);
        QCOMPARE(with({"trainer.val_check_interval=1"}).trainer.valEveryBatches, 1);
        for (const char* key : {"limit_train_batches", "limit_val_batches", "val_check_interval"}) {
            const std::string text =
                replaced(goodRecipe(), "trainer:\n", std::string("trainer:\n  ") + key + ": 2.5\n");
            const Effective e = evaluate(key == std::string("val_check_interval")
                                             ? replaced(text, "  val_check_interval: 2500", "  # as above")
                                             : text,
                                         "r.yaml");
            const Problem* problem = problemOf(e, std::string("trainer.") + key);
            QVERIFY2(problem && problem->severity == Problem::Severity::Error && problem->at.line > 1, key);
            QVERIFY2(problem->text.english().find(
                         "is 2.5, must be a share from 0.0 to 1.0 or a whole number of batches") != std::string::npos,
                     problem->text.english().c_str());
        }
        QVERIFY(firstError(evaluate(goodRecipe(), "r.yaml", {"trainer.val_check_interval=0"}), "r.yaml"));
    }

    void timeLimit() {
        QCOMPARE(with({}).trainer.maxTimeSeconds, 0.0);
        QCOMPARE(with({"trainer.max_time='01:02:03:04'"}).trainer.maxTimeSeconds, 86400.0 + 2 * 3600 + 3 * 60 + 4);
        QCOMPARE(with({"trainer.max_time={hours: 1.5, seconds: 6}"}).trainer.maxTimeSeconds, 5406.0);
        // with max_time, neither epochs nor steps get a default limit
        QCOMPARE(
            with({"trainer.max_epochs=null", "trainer.max_steps=-1", "trainer.max_time={days: 2}"}).trainer.maxEpochs,
            -1);
        const TrainerConfig c = with({"trainer.max_time={days: 2}", "trainer.min_steps=7"}).trainer;
        QCOMPARE(c.minSteps, 7);
        QCOMPARE(c.minEpochs, 1);
        QCOMPARE(with({"trainer.min_steps=7", "trainer.min_epochs=3"}).trainer.minEpochs, 3);
        for (const char* bad : {"'12 hours'", "'1:2:3:4'", "{fortnights: 1}", "{hours: many}", "'00:00:00:00'", "7"}) {
            const Effective e = evaluate(goodRecipe(), "r.yaml", {std::string("trainer.max_time=") + bad});
            const auto error = firstError(e, "r.yaml");
            QVERIFY2(error && error->message().find("trainer.max_time") != std::string::npos, bad);
        }
    }
    void wordsForNumbers() {
        QCOMPARE(with({"+model.preprocessor.log_zero_guard_value=tiny"}).model.preprocessor.logZeroGuardValue,
                 static_cast<double>(std::numeric_limits<float>::min()));
        QVERIFY(!with({"+model.preprocessor.preemph=null"}).model.preprocessor.preemph);
        COMPARE_TEXT(with({"model.preprocessor.normalize=null"}).model.preprocessor.normalize, "null");
    }

    void hashTellsConfigurationsApart() {
        const std::uint64_t one = with({}).configHash;
        QCOMPARE(with({}).configHash, one);
        QVERIFY(with({"model.optim.lr=4.0"}).configHash != one);
        QVERIFY(with({"model.encoder.sync_max_audio_length=false"}).configHash != one);
        // a comment does not change the hash
        QCOMPARE(read("# hello\n" + goodRecipe()).configHash, read(goodRecipe()).configHash);
    }

    void missingManifestIsAnError() {
        const auto recipe = readRecipe(sourceText("configs/nest_small.yaml"), "nest_small.yaml");
        QVERIFY(!recipe);
        QVERIFY(recipe.error().what.english().find("model.train_ds.manifest_filepath") != std::string::npos);
    }
};

RANKSCOPE_CORE_TEST(TestRecipe)
#include "tst_recipe.moc"
