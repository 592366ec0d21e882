// SPDX-License-Identifier: Apache-2.0
// exp_manager's checkpoint keys, init_from_*, the names of checkpoints, and what may change when a run is resumed.
#include "core/base/files/atomic_file.h"
#include "core/config/effective/key_diff.h"
#include "core/config/effective/read_recipe.h"
#include "core/config/recipe/checkpoint_name.h"
#include "core/config/recipe/checkpoint_recipe.h"
#include "tests/core/config/support.h"
#include "tests/support/test_runner.h"

#include <QTemporaryDir>

#include <limits>

using namespace rankscope;
using namespace rankscope::config;
using namespace rankscope::config::test;

class TestCheckpointKeys : public QObject {
    Q_OBJECT

    static Effective with(const std::vector<std::string>& overrides) {
        return evaluate(goodRecipe(), "r.yaml", overrides);
    }
    static CheckpointRecipe recipe(const std::vector<std::string>& overrides) {
        const Effective e = with(overrides);
        if (auto error = launchError(e, "r.yaml"))
            qFatal("%s", error->message().c_str());
        auto read = readCheckpointRecipe(e.text, "r.yaml");
        if (!read)
            qFatal("%s", read.error().message().c_str());
        return *read;
    }

private Q_SLOTS:
    void withoutSection() {
        const auto c = recipe({"~exp_manager", "++trainer.enable_checkpointing=true"}).checkpoint;
        QVERIFY(c.enabled && c.saveLast && c.nemoAtEnd && !c.resumeIfExists);
        QCOMPARE(c.saveTopK, 0);
        QCOMPARE(c.everyNEpochs, 1);
        QVERIFY(!recipe({"~exp_manager", "++trainer.enable_checkpointing=false"}).checkpoint.enabled);
    }
    void nemosDefaults() {
        const auto c = recipe({"~exp_manager", "+exp_manager={name: exp}"}).checkpoint;
        QVERIFY(c.enabled && c.saveLast && c.nemoAtEnd && !c.alwaysSaveNemo && !c.larger && c.saveOnStop);
        QCOMPARE(c.monitor, std::string("val_loss"));
        QCOMPARE(c.saveTopK, 3);
        QCOMPARE(c.everyNEpochs, 1);
        QCOMPARE(c.everyNSteps, std::int64_t(0));
        QCOMPARE(c.fileName, std::string("exp--{val_loss:.4f}-{epoch}"));
        QCOMPARE(c.nemoName, std::string("exp.nemo"));
        QVERIFY(!c.mayBeMissing);
    }
    void everythingIsRead() {
        const auto c =
            recipe({"~exp_manager",
                    "+exp_manager={name: a/b, resume_if_exists: true, resume_ignore_no_checkpoint: true, "
                    "create_preemption_callback: false, checkpoint_callback_params: {monitor: train_loss, mode: "
                    "max, save_top_k: -1, save_last: false, every_n_train_steps: 7, every_n_epochs: 0, "
                    "always_save_nemo: true, save_best_model: true, save_nemo_on_train_end: false, async_save: "
                    "true, save_on_train_epoch_end: true, prefix: pre, auto_insert_metric_name: false}}"})
                .checkpoint;
        QVERIFY(c.larger && !c.saveLast && c.alwaysSaveNemo && c.saveBestModel && !c.nemoAtEnd && c.asyncSave);
        QVERIFY(c.atEpochEnd && !c.namedMetrics && c.resumeIfExists && c.mayBeMissing && !c.saveOnStop);
        QCOMPARE(c.saveTopK, -1);
        QCOMPARE(c.everyNSteps, std::int64_t(7));
        QCOMPARE(c.everyNEpochs, 0);
        QCOMPARE(c.nemoName, std::string("pre.nemo"));
        QCOMPARE(c.fileName, std::string("a-b--{train_loss:.4f}-{epoch}"));
        const auto off = recipe({"~exp_manager", "+exp_manager={create_checkpoint_callback: false}"}).checkpoint;
        QVERIFY(!off.enabled);
    }

    void refused_data() {
        QTest::addColumn<QString>("params");
        QTest::addColumn<QString>("complaint");
        const auto row = [](const char* params, const char* complaint) {
            QTest::newRow(params) << params << complaint;
        };
        row("every_n_train_steps: 5", "set every_n_epochs: 0");
        row("monitor: null, save_top_k: 2", "without a value to monitor");
        row("monitor: val_wer", "it takes null, val_loss, train_loss");
        row("dirpath: /tmp", "checkpoint_callback_params.dirpath is /tmp: not supported");
        row("save_weights_only: true", "save_weights_only is true: not supported");
        row("train_time_interval: '00:01:00:00'", "train_time_interval");
        row("postfix: .bin", "must end in .nemo");
        row("filename: 'x/{step}'", "is a folder");
        row("filename: 'x{step'", "an unmatched brace");
        row("filename: '{step:.2f}'", "a whole number with a fraction");
        row("filename: '{val_loss:%s}'", "has the field");
        row("filename: .hidden", "does not begin with a dot");
    }
    void refused() {
        QFETCH(QString, params);
        QFETCH(QString, complaint);
        const Effective e =
            with({"~exp_manager", "+exp_manager={checkpoint_callback_params: {" + params.toStdString() + "}}"});
        const auto error = launchError(e, "r.yaml");
        QVERIFY(error.has_value());
        QVERIFY2(QString::fromStdString(error->message()).contains(complaint), error->message().c_str());
        QVERIFY(!readCheckpointRecipe(e.text, "r.yaml"));
    }
    /// A file system allows 255 bytes. A longer name would fail only when the first checkpoint is written, hours later.
    void namesThatNoFileMayHave_data() {
        QTest::addColumn<QString>("manager");
        QTest::addColumn<QString>("key");
        const QString chinese = QString(80, QChar(0x8bad)), latin = QString(240, QLatin1Char('n'));
        QTest::newRow("240 letters") << "name: " + latin << "exp_manager.name has 240 bytes";
        QTest::newRow("80 characters") << "name: " + chinese << "exp_manager.name has 240 bytes";
        QTest::newRow("file name") << "name: n, checkpoint_callback_params: {filename: '" + latin + "'}"
                                   << "checkpoint_callback_params.filename has 240 bytes";
        QTest::newRow("width") << "name: n, checkpoint_callback_params: {filename: '{val_loss:300.2f}'}"
                               << "checkpoint_callback_params.filename has 17 bytes";
        QTest::newRow("prefix") << "name: n, checkpoint_callback_params: {prefix: '" + latin + "'}"
                                << "checkpoint_callback_params.prefix has 240 bytes";
        QTest::newRow("200 letters") << "name: " + latin.left(180) << "";
        QTest::newRow("not kept") << "name: " + latin + ", create_checkpoint_callback: false"
                                  << "";
    }
    void namesThatNoFileMayHave() {
        QFETCH(QString, manager);
        QFETCH(QString, key);
        const Effective e = with({"~exp_manager", "+exp_manager={" + manager.toStdString() + "}"});
        const auto error = launchError(e, "r.yaml");
        QCOMPARE(error.has_value(), !key.isEmpty());
        if (error)
            QVERIFY2(QString::fromStdString(error->message()).contains(key), error->message().c_str());
    }
    /// A file can be created with the longest name that is accepted.
    void theLongestNameIsAFile() {
        const QTemporaryDir dir;
        const auto name = CheckpointName::parse(std::string(CheckpointName::kMostBytes, 'n'), true);
        QVERIFY(name);
        QCOMPARE(name->longest(), CheckpointName::kMostBytes);
        const auto path = [&](const std::string& file) {
            return dir.filePath(QString::fromStdString(file)).toStdString();
        };
        QVERIFY(writeFileAtomic(path(name->format({}) + "-v12.safetensors"), "x").has_value());
        QVERIFY(writeFileAtomic(path(std::string(CheckpointName::kMostNemoBytes, 'n')), "x").has_value());
        QVERIFY(!writeFileAtomic(path(std::string(CheckpointName::kMostNemoBytes + 1, 'n')), "x"));
    }
    void refusedElsewhere() {
        for (const char* other :
             {"+exp_manager={ema: {enable: true}}", "+exp_manager={max_time_per_run: '00:01:00:00'}",
              "+exp_manager={create_early_stopping_callback: true}"})
            QVERIFY2(launchError(with({"~exp_manager", other}), "r.yaml").has_value(), other);
    }

    void weightsToBeginWith() {
        const auto one = recipe({"+init_from_nemo_model=/models/a.nemo"}).initialWeights;
        QCOMPARE(one.size(), std::size_t(1));
        QCOMPARE(one[0].path, std::string("/models/a.nemo"));
        QVERIFY(one[0].include.empty() && one[0].exclude.empty());
        const auto two =
            recipe({"+init_from_ptl_ckpt={m0: {path: a.ckpt, include: [encoder]}, m1: {path: b.ckpt, exclude: "
                    "[embed, decoder]}}"})
                .initialWeights;
        QCOMPARE(two.size(), std::size_t(2));
        QCOMPARE(two[0].include, (std::vector<std::string>{"encoder"}));
        QCOMPARE(two[1].exclude, (std::vector<std::string>{"embed", "decoder"}));
        for (const char* bad : {"+init_from_pretrained_model=nvidia/x", "+init_from_nemo_model={m: {include: [a]}}",
                                "+init_from_nemo_model=[a]"})
            QVERIFY2(launchError(with({bad}), "r.yaml").has_value(), bad);
        QVERIFY(launchError(with({"+init_from_nemo_model=a", "+init_from_ptl_ckpt=b"}), "r.yaml").has_value());
    }

    /// init_strict is a NeMo key, so it is not unknown; a note says how it acts here.
    void initStrict() {
        for (const char* value : {"true", "false"}) {
            const Effective e = with({std::string("+init_strict=") + value, "+init_from_nemo_model=a.nemo"});
            QVERIFY(!launchError(e, "r.yaml"));
            const Problem* told = problemOf(e, "init_strict");
            QVERIFY(told && told->severity == Problem::Severity::Info);
            QVERIFY2(told->text.english().find("matched by name") != std::string::npos, told->text.english().c_str());
        }
        const Effective wrong = with({"+init_strict=often"});
        QVERIFY(!wrong.ok());
        COMPARE_TEXT(problemOf(wrong, "init_strict")->text.english(),
                     "init_strict must be true or false, not the text often");
    }

    /// Hydra composes a recipe from several files; the contents of the others are not known here.
    void hydrasDefaults() {
        for (const char* harmless : {"[_self_]", "[_self_, override hydra/launcher: submitit]", "null"})
            QVERIFY2(!launchError(with({std::string("+defaults=") + harmless}), "r.yaml"), harmless);
        const auto error = launchError(with({"+defaults=[_self_, {optim: adamw}, base_trainer]"}), "r.yaml");
        QVERIFY(error);
        QVERIFY2(error->what.english().starts_with("defaults names optim, base_trainer: Hydra composes"),
                 error->what.english().c_str());
    }

    void namesAreFilledIn() {
        const std::map<std::string, double> values{{"epoch", 3}, {"step", 1200}, {"val_loss", 4.5678}};
        const auto name = [&](const char* text, bool named) {
            const auto parsed = CheckpointName::parse(text, named);
            return parsed ? parsed->format(values) : "error: " + parsed.error().english();
        };
        QCOMPARE(name("NEST--{val_loss:.3f}-{step}", true), std::string("NEST--val_loss=4.568-step=1200"));
        QCOMPARE(name("{epoch:02d}_{val_loss:.1e}", false), std::string("03_4.6e+00"));
        QCOMPARE(name("plain", true), std::string("plain"));
        QCOMPARE(name("{val_wer:.2f}", true), std::string("val_wer=0.00")); // as in Lightning
        QCOMPARE(name("{val/loss:.1f}", true), std::string("val_loss=0.0"));
        QCOMPARE(CheckpointName::parse("{epoch}{step}x{val_loss}", true)->fields(),
                 (std::vector<std::string>{"epoch", "step", "val_loss"}));
        for (const char* bad :
             {"", "{", "}", "{}", "{a b}", "{a:1000f}", "{a:.f}", "{a:.123f}", "{a:x}", "{a!r}", "a/b"})
            QVERIFY2(!CheckpointName::parse(bad, true), bad);
    }

    void whatMayChangeWhenARunGoesOn() {
        const std::string before = with({"+rankscope.seed=1"}).text;
        const auto compare = [&](const std::vector<std::string>& overrides) {
            auto all = overrides;
            all.insert(all.begin(), "+rankscope.seed=1");
            return checkResumable(before, with(all).text, "run 1");
        };
        QVERIFY(compare({}).has_value());
        QVERIFY(compare({"++trainer.max_steps=77", "++trainer.log_every_n_steps=3", "++model.train_ds.num_workers=9",
                         "++rankscope.stop_grace_s=3", "++trainer.devices=2", "++name=other",
                         "++model.train_ds.manifest_filepath=moved.json"})
                    .has_value());
        for (const char* other :
             {"++model.encoder.dropout=0.25", "++trainer.accumulate_grad_batches=2", "++model.train_ds.batch_size=17",
              "++trainer.gradient_clip_val=1.5", "++rankscope.seed=2", "++model.optim.lr=0.001234"}) {
            const auto result = compare({other});
            const QString key = QString(other).mid(2).section('=', 0, 0);
            QVERIFY2(!result && QString::fromStdString(result.error().message()).contains(key), other);
        }
        const auto many = compare({"++model.encoder.dropout=0.25", "++trainer.accumulate_grad_batches=2"});
        QVERIFY2(!many &&
                     many.error().message().find("run 1: was written with a different recipe: model.encoder.dropout "
                                                 "was") == 0,
                 many ? "" : many.error().message().c_str());
        // writing out a default is not a change
        QVERIFY(checkResumable(before, before + "\n", "x").has_value());
    }
};

RANKSCOPE_CORE_TEST(TestCheckpointKeys)
#include "tst_checkpoint_keys.moc"
