// SPDX-License-Identifier: Apache-2.0
// Invalid recipes: each problem is reported with line, column and the nearest known key.
#include "core/config/effective/read_recipe.h"
#include "core/config/recipe/recipe.h"
#include "tests/core/config/support.h"
#include "tests/support/test_runner.h"

using namespace rankscope;
using namespace rankscope::config;
using namespace rankscope::config::test;

class TestBadFiles : public QObject {
    Q_OBJECT

    /// Returns the position of `what` in the text.
    static Position positionOf(const std::string& text, const std::string& what) {
        const auto at = text.find(what);
        const auto line =
            static_cast<int>(std::count(text.begin(), text.begin() + static_cast<std::ptrdiff_t>(at), '\n'));
        const auto begin = text.rfind('\n', at) + 1; // npos + 1 is 0
        return {line + 1, static_cast<int>(at - begin) + 1};
    }

private Q_SLOTS:
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
            "model.encoder.d_model", "is missing; NeMo ConformerEncoder requires it");
        row("interpolation", "${model.code_dim}", "${model.code_dm}", "${model.code_dm}", "model.quantizer.code_dim",
            "did you mean model.code_dim");
        row("unknown rankscope key",
            "exp_manager: ", "rankscope:\n  stall:\n    min_second: 1\nexp_manager: ", "min_second",
            "rankscope.stall.min_second", "did you mean rankscope.stall.min_seconds");
        const auto beyond = [&](const char* key, const char* most) { // for users who mean "never"
            const QString name = QString::fromLatin1(key).section('.', -1),
                          section = QString::fromLatin1(key).section('.', 1, -2);
            const QString inside = name + ": 1e18";
            row(qPrintable(QString("%1 without end").arg(key)), "exp_manager: ",
                qPrintable("rankscope: {" + (section.isEmpty() ? inside : section + ": {" + inside + "}") +
                           "}\nexp_manager: "),
                "1e18", key, most);
        };
        beyond("rankscope.stop_grace_s", "is 1e18, must be at most 86400");
        beyond("rankscope.join_seconds", "is 1e18, must be at most 86400");
        beyond("rankscope.collective_timeout_s", "is 1e18, must be at most 604800");
        beyond("rankscope.stall.min_seconds", "is 1e18, must be at most 86400");
        beyond("rankscope.stall.factor", "is 1e18, must be at most 1000000");
        beyond("rankscope.ddp.bucket_cap_mb", "is 1e18, must be at most 1048576");
        row("retention without end", "exp_manager: ",
            "rankscope: {retention: {steps: 9000000000000000000}}\nexp_manager: ", "9000000000000000000",
            "rankscope.retention.steps", "must be at most 1000000000");
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
        QVERIFY2(problem, e.problems.empty() ? "no problem at all" : e.problems[0].text.english().c_str());
        QVERIFY2(QString::fromStdString(problem->text.english()).contains(says), problem->text.english().c_str());
        // the changed place: search from the point where the texts begin to differ
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

    void broken_data() {
        QTest::addColumn<QByteArray>("text");
        QTest::addColumn<int>("line");
        QTest::addColumn<int>("column");
        QTest::addColumn<QString>("says");
        const auto row = [](const char* name, const std::string& text, int line, int column, const char* says) {
            QTest::newRow(name) << QByteArray::fromStdString(text) << line << column << says;
        };
        row("tab", "model:\n\tencoder: 1\n", 2, 1, "a tab; YAML is indented with spaces only");
        row("unclosed quote", "name: x\nmodel:\n  a: \"text\n  b: 1\n", 3, 6,
            "the quote that begins here is never closed");
        row("duplicate key", "model:\n  a: 1\n  b: 2\n  a: 3\n", 4, 3,
            "the key a appears twice in this section, first in line 2");
        row("unclosed bracket", "model:\n  a: [1, 2\n  b: 1\n", 3, 4, "it begins on line 2");
        row("indentation", "model:\n  a: 1\n   b: 2\n", 3, 5,
            "a colon that does not make a key here; check the indentation");
        row("less indentation", "model:\n    a: 1\n  b: 2\n", 3, 3, "a key is expected here; check the indentation");
        row("no colon", "model:\n  a: 1\n  word\n  b: 1\n", 3, 3, "a colon and a space are missing after a key");
        row("forbidden begin", "model:\n  a: @b\n", 2, 6, "a value cannot begin with @; put it in quotes");
        row("not UTF-8", "model:\n  a: caf\xe9\n", 2, 9, "not UTF-8 text");
        row("control character", std::string("model:\n  a: x\0y\n", 16), 2, 7, "a control character (0x00)");
        row("unknown alias", "model: &m\n  a: *n\n", 2, 6, "there is no anchor &n above for the alias *n");
        row("anchor twice", "a: &m 1\nb: &m 2\n", 2, 4, "the anchor &m appears twice");
        row("anchor's name", "a: {&m: 1}\n", 1, 5, "a name has letters, digits, - and _");
        row("no value in brackets", "a: [1, , 2]\n", 1, 8, "a value is missing in the list");
        row("carriage return", "a: 1\rb: 2\n", 1, 5, "a carriage return that does not end a line");
        row("line separator", "a: x\xe2\x80\xa8y\n", 1, 5, "the character U+2028");
        row("equals", "a: =\n", 1, 4, "= alone means something else");
        row("unclosed map", "a: {b: 1\nc: 2\n", 2, 2, "a comma or } is missing here (it begins on line 1)");
        row("alias of itself", "model: &m\n  a: *m\n", 2, 6, "an alias inside its own anchor");
        row("unknown tag", "model:\n  a: !python/object:os.system 1\n", 2, 6,
            "the tag !python/object:os.system is unknown");
        row("tag that does not fit", "model:\n  a: !!int word\n", 2, 6, "word does not match its tag");
        row("two documents", "model:\n  a: 1\n---\nmodel: 2\n", 3, 1, "a second YAML document");
        row("bad merge", "x: 1\nmodel:\n  <<: 5\n", 3, 7, "<< takes a section or a list of sections");
        row("list as key", "model:\n  [1, 2]: 3\n", 2, 3, "a key must be a word");
        std::string deep = "a: ";
        deep.append(5000, '[').append(5000, ']');
        row("too deep", deep, 1, 103, "more than 100 nested sections and lists");
        std::string laughs = "a: &a [x, x, x, x, x, x, x, x, x, x]\n";
        for (char c = 'b'; c < 'k'; ++c) {
            laughs += std::string(1, c) + ": &" + c + " [";
            for (int i = 0; i < 10; ++i)
                laughs += (i ? ", *" : "*") + std::string(1, static_cast<char>(c - 1));
            laughs += "]\n";
        }
        row("a billion laughs", laughs, 6, 8, "more than 200000 values, counting aliases");
    }
    void broken() {
        QFETCH(QByteArray, text);
        QFETCH(int, line);
        QFETCH(int, column);
        QFETCH(QString, says);
        const Effective e = evaluate(text.toStdString(), "r.yaml");
        QCOMPARE(e.problems.size(), std::size_t{1});
        const auto error = firstError(e, "r.yaml");
        QVERIFY(error);
        QVERIFY2(QString::fromStdString(error->what.english()).contains(says), error->what.english().c_str());
        COMPARE_TEXT(error->where, "r.yaml:" + std::to_string(line) + ":" + std::to_string(column));
        QVERIFY(!readRecipe(text.toStdString(), "r.yaml"));
    }

    void circleIsNamed() {
        const std::string text = replaced(goodRecipe(), "num_books: 1", "num_books: ${model.quantizer.num_books}");
        const Effective e = evaluate(text, "r.yaml");
        const Problem* problem = problemOf(e, "model.num_books");
        QVERIFY(problem);
        QVERIFY2(problem->text.english().find(
                     "is circular: model.num_books -> model.quantizer.num_books -> model.num_books") !=
                     std::string::npos,
                 problem->text.english().c_str());
        const Position at = positionOf(text, "${model.quantizer.num_books}");
        QCOMPARE(problem->at.line, at.line);
        QCOMPARE(problem->at.column, at.column);
    }

    void wrongOverridesAreNamed() {
        for (const auto& [written, says] : std::vector<std::pair<std::string, std::string>>{
                 {"model.encoder.n_layer=5", "did you mean model.encoder.n_layers"},
                 {"+model.encoder.n_layers=5", "already exists"},
                 {"~model.encoder.n_layer", "did you mean model.encoder.n_layers"},
                 {"model.encoder.n_layers", "is written as key=value"},
                 {"model.optim.betas=[0.9,0.98", "a list needs"},
                 {"model.optim.lr=1,2", "a sweep"}}) {
            const Effective e = evaluate(goodRecipe(), "r.yaml", {written});
            QCOMPARE(errorCount(e), 1);
            QVERIFY2(e.problems[0].text.english().find("override \"" + written + "\"") == 0,
                     e.problems[0].text.english().c_str());
            QVERIFY2(e.problems[0].text.english().find(says) != std::string::npos,
                     e.problems[0].text.english().c_str());
        }
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
        QVERIFY(e.problems[0].text.english().rfind("invalid YAML: ", 0) == 0);
    }

    void emptyAndScalarFiles() {
        for (const char* text : {"", "\n# nothing\n", "word", "- a\n- b\n", "5"}) {
            const Effective e = evaluate(text, "r.yaml");
            QVERIFY2(!e.ok(), text);
            QVERIFY2(e.problems[0].at.line >= 1, text);
            QVERIFY(!readRecipe(text, "r.yaml"));
        }
        const Effective e = evaluate("trainer: {devices: 1}\n", "r.yaml");
        COMPARE_TEXT(firstError(e, "r.yaml")->message(), "r.yaml:1:1: there is no model section");
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

RANKSCOPE_CORE_TEST(TestBadFiles)
#include "tst_bad_files.moc"
