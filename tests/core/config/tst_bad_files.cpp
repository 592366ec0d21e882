// SPDX-License-Identifier: Apache-2.0
// Bad input: each is named with its line, its column, and the nearest known key.
#include "core/config/recipe.h"
#include "tests/core/config/support.h"

using namespace rankscope;
using namespace rankscope::config;
using namespace rankscope::config::test;

class TestBadFiles : public QObject {
    Q_OBJECT

    /// Where `what` stands in the text.
    static Position positionOf(const std::string& text, const std::string& what) {
        const auto at = text.find(what);
        const auto line =
            static_cast<int>(std::count(text.begin(), text.begin() + static_cast<std::ptrdiff_t>(at), '\n'));
        const auto begin = text.rfind('\n', at) + 1; // npos + 1 is 0
        return {line + 1, static_cast<int>(at - begin) + 1};
    }

private slots:
    void named_data() {
        QTest::addColumn<QString>("was");
        QTest::addColumn<QString>("becomes");
        QTest::addColumn<QString>("at"); ///< the text that the position points to
        QTest::addColumn<QString>("key");
        QTest::addColumn<QString>("says");
        const auto row = [](const char* name, const char* was, const char* becomes, const char* at, const char* key,
                            const char* says) { QTest::newRow(name) << was << becomes << at << key << says; };
        row("unknown key", "n_layers: 16", "n_layer: 16", "n_layer: 16", "model.encoder.n_layer",
            "unknown key model.encoder.n_layer; did you mean model.encoder.n_layers");
        row("unknown section", "  encoder:\n", "  encodr:\n", "encodr", "model.encodr",
            "unknown key model.encodr; did you mean model.encoder");
        row("wrong place", "  max_epochs: -1", "  lr: 1", "lr: 1", "trainer.lr", "did you mean");
        row("text for a number", "batch_size: 8 ", "batch_size: many ", "many ", "model.train_ds.batch_size",
            "must be a whole number, not the text many");
        row("negative", "batch_size: 8 ", "batch_size: -8 ", "-8 ", "model.train_ds.batch_size", "must be at least 1");
        row("fraction", "n_layers: 16", "n_layers: 16.5", "16.5", "model.encoder.n_layers",
            "must be a whole number, not the float 16.5");
        row("quoted bool", "sync_batchnorm: true", "sync_batchnorm: \"true\"", "\"true\"", "trainer.sync_batchnorm",
            "must be true or false");
        row("not a number", "lr: 5.0", "lr: .nan", ".nan", "model.optim.lr", "not a finite number");
        row("probability", "prob: 0.5 ", "prob: 1.5 ", "1.5 ", "model.train_ds.batch_augmentor.prob",
            "must be at most 1");
        row("choice", "mask_position: pre_conv", "mask_position: preconv", "preconv", "model.mask_position",
            "must be one of pre_conv, post_conv; did you mean pre_conv");
        row("section for a value", "lr: 5.0", "lr: {a: 1}", "{a: 1}", "model.optim.lr",
            "must be a number, not a section");
        row("value for a section", "  loss:\n", "  loss: 5\n  no_loss:\n", "5\n  no_loss", "model.loss",
            "is a section, not 5");
        row("list length", "betas: [0.9, 0.98]", "betas: [0.9]", "[0.9]", "model.optim.betas", "two numbers");
        row("devices", "devices: -1", "devices: 0", "0 ", "trainer.devices", "give a count");
        row("a hook by its name alone", "  strategy: ddp",
            "  strategy: {_target_: lightning.pytorch.strategies.DDPStrategy, ddp_comm_hook: {_target_: "
            "torch.distributed.algorithms.ddp_comm_hooks.default_hooks.fp16_compress_hook, _partial_: true}}",
            "{_target_: torch", "trainer.strategy.ddp_comm_hook", "hydra.utils.get_method");
        row("precision", "precision: 32", "precision: 31", "31\n", "trainer.precision", "must be one of");
        row("heads", "n_heads: 4", "n_heads: 3", "3\n", "model.encoder.n_heads", "must divide model.encoder.d_model");
        row("even kernel", "conv_kernel_size: 9", "conv_kernel_size: 8", "8\n", "model.encoder.conv_kernel_size",
            "odd");
        row("durations", "min_duration: 1.0", "min_duration: 61.0", "61.0", "model.train_ds.min_duration",
            "must not be above model.train_ds.max_duration");
        row("shapes", "feat_in: ${model.encoder.d_model}", "feat_in: 255", "255", "model.decoder.feat_in",
            "must equal model.encoder.d_model, which is 256");
        row("absent", "    d_model: 256\n", "", "_target_: nemo.collections.asr.modules.ConformerEncoder",
            "model.encoder.d_model", "is absent; NeMo ConformerEncoder requires it");
        row("interpolation", "${model.code_dim}", "${model.code_dm}", "${model.code_dm}", "model.quantizer.code_dim",
            "did you mean model.code_dim");
        row("unknown rankscope key",
            "exp_manager: ", "rankscope:\n  stall:\n    min_second: 1\nexp_manager: ", "min_second",
            "rankscope.stall.min_second", "did you mean rankscope.stall.min_seconds");
        row("fault kind", "exp_manager: ", "rankscope: {faults: [{kind: dataloading}]}\nexp_manager: ", "dataloading",
            "rankscope.faults.kind", "did you mean data_loading");
        row("fault key", "exp_manager: ", "rankscope: {faults: [{kind: dead, ranks: 1}]}\nexp_manager: ", "ranks: 1",
            "rankscope.faults.ranks", "did you mean rank");
        row("null", "d_model: 256", "d_model: null", "null\n", "model.encoder.d_model",
            "must be a whole number, not null");
        row("manifest", "manifest_filepath: train.json", "manifest_filepath: [a.json, 5]", "[a.json, 5]",
            "model.train_ds.manifest_filepath", "must be a path or a list of paths");
    }
    void named() {
        QFETCH(QString, was);
        QFETCH(QString, becomes);
        QFETCH(QString, at);
        QFETCH(QString, key);
        QFETCH(QString, says);
        const std::string text = replaced(goodRecipe(), was.toStdString(), becomes.toStdString());
        const Effective e = evaluate(text, "dir/r.yaml");
        const Problem* problem = nullptr;
        for (const auto& p : e.problems)
            if (!problem && p.key == key.toStdString() && p.severity == Problem::Severity::Error)
                problem = &p;
        QVERIFY2(problem, e.problems.empty() ? "no problem at all" : e.problems[0].text.c_str());
        QVERIFY2(QString::fromStdString(problem->text).contains(says), problem->text.c_str());
        // the changed place: after the point where the texts part
        const auto parted = text.find(becomes.isEmpty() ? "ConformerEncoder" : becomes.toStdString());
        const auto begin = becomes.isEmpty() ? 0 : parted;
        const Position from = positionOf(text, text.substr(text.find(at.toStdString(), begin)));
        QCOMPARE(problem->at.line, from.line);
        QCOMPARE(problem->at.column, from.column);
        const auto error = firstError(e, "dir/r.yaml");
        QVERIFY(error && error->code == Errc::BadInput);
        QVERIFY(error->message().rfind("dir/r.yaml:", 0) == 0);
        const auto recipe = readRecipe(text, "dir/r.yaml");
        QVERIFY(!recipe);
        QVERIFY2(recipe.error().message().rfind("dir/r.yaml:", 0) == 0, recipe.error().message().c_str());
    }

    void brokenYaml() {
        const std::string text = replaced(goodRecipe(), "betas: [0.9, 0.98]", "betas: [0.9, 0.98");
        const Effective e = evaluate(text, "r.yaml");
        QCOMPARE(e.problems.size(), std::size_t{1});
        QVERIFY(e.rows.empty());
        const auto error = firstError(e, "r.yaml");
        QVERIFY(error);
        const int line = positionOf(text, "betas: [").line;
        QVERIFY2(e.problems[0].at.line >= line && e.problems[0].at.line <= line + 1, error->message().c_str());
        QVERIFY(e.problems[0].text.rfind("broken YAML: ", 0) == 0);
    }

    void emptyAndScalarFiles() {
        for (const char* text : {"", "\n# nothing\n", "word", "- a\n- b\n", "5"}) {
            const Effective e = evaluate(text, "r.yaml");
            QVERIFY2(!e.ok(), text);
            QVERIFY2(e.problems[0].at.line >= 1, text);
            QVERIFY(!readRecipe(text, "r.yaml"));
        }
        const Effective e = evaluate("trainer: {devices: 1}\n", "r.yaml");
        COMPARE_TEXT(firstError(e, "r.yaml")->message(), "r.yaml:1:1: there is no section model");
    }

    void missingSections() {
        std::string text = goodRecipe();
        const auto begin = text.find("  quantizer:"), end = text.find("  encoder:");
        text.erase(begin, end - begin);
        const Effective e = evaluate(text, "r.yaml");
        QVERIFY(problemOf(e, "model.quantizer"));
        QVERIFY(problemOf(e, "model.quantizer")->severity == Problem::Severity::Error);
    }

    void everySingleByteDamageIsSurvived() {
        const std::string text = goodRecipe();
        for (std::size_t i = 0; i < text.size(); i += 7) {
            std::string damaged = text;
            damaged[i] = "\t:{[\"'&*|#-\x00\xff\n ${"[i % 17];
            const Effective e = evaluate(damaged, "r.yaml");
            for (const auto& p : e.problems)
                QVERIFY(!p.text.empty());
            const auto recipe = readRecipe(damaged, "r.yaml");
            QVERIFY(recipe || !recipe.error().message().empty());
        }
    }

    void everyTruncationIsSurvived() {
        const std::string text = goodRecipe();
        for (std::size_t i = 0; i < text.size(); i += 29)
            QVERIFY(!evaluate(text.substr(0, i), "r.yaml").problems.empty());
    }
};

QTEST_GUILESS_MAIN(TestBadFiles)
#include "tst_bad_files.moc"
