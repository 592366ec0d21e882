// SPDX-License-Identifier: GPL-3.0-or-later
// A page of problems in Chinese: no sentence remains in English.
#include "core/config/risks/risk_rules.h"
#include "tests/support/test_runner.h"
#include "widgets/config/model/recipe_model.h"
#include "widgets/config/page/config_page.h"
#include "widgets/config/page/info_pane.h"
#include "widgets/config/page/recipe_text_pane.h"
#include "widgets/config/problems/key_detail.h"
#include "widgets/config/problems/problem_model.h"
#include "widgets/config/tree/recipe_view.h"
#include "widgets/main_window/settings/window_language.h"
#include "widgets/models/text/text_format.h"
#include "widgets/theme/theme.h"

#include <QAbstractButton>
#include <QLabel>
#include <QLineEdit>
#include <QRegularExpression>
#include <QTest>

using namespace rankscope;
using namespace rankscope::ui;

/// Returns three consecutive English words outside quotes, if any; names of keys, classes and paths are one word each.
static QString englishIn(QString text) {
    static const QRegularExpression quoted(QStringLiteral("\"[^\"]*\"")),
        sentence(QStringLiteral("(?<![\\w./-])[A-Za-z]+(?:'s)? [a-z]{2,} [a-z]{2,}(?![\\w./-])"));
    return sentence.match(text.remove(quoted)).captured();
}

class ConfigLanguage : public QObject {
    Q_OBJECT

private slots:
    void initTestCase() {
        qputenv("RANKSCOPECTL", "/nowhere/rankscopectl");
        Theme::instance().apply(Theme::Mode::Light);
        setLanguage(QStringLiteral("zh"));
    }

    void theCheckSeesEnglish() {
        QVERIFY(!englishIn(QStringLiteral("unknown key name; did you mean names")).isEmpty());
        QVERIFY(englishIn(QStringLiteral("未知的键 model.encoder.n_layer；是否想写 n_layers")).isEmpty());
    }

    void everyRuleIsTranslated() {
        QVERIFY(config::riskRules().size() >= 20);
        for (const config::RiskRule& rule : config::riskRules())
            for (const Message* text : {&rule.explanation, &rule.remedy}) {
                if (text->empty())
                    continue;
                const QString chinese = messageText(*text);
                QVERIFY2(chinese != QString::fromStdString(text->english()), text->english().c_str());
                QVERIFY2(englishIn(chinese).isEmpty(), qPrintable(chinese));
            }
    }

    void problemsAreTranslated_data() {
        QTest::addColumn<QByteArray>("yaml");
        const auto add = [](const char* name, const QByteArray& yaml) { QTest::newRow(name) << yaml; };
        add("unknown keys",
            "trainer:\n  devicez: 2\n  zzzz: 1\nmodle:\n  a: 1\nmine: 3\nmodel:\n  encoder:\n    n_layer: 3\n");
        add("wrong types", "trainer:\n  devices: {a: 1}\n  max_steps: many\n  sync_batchnorm: 7.5\n  precision: 12\n"
                           "model:\n  train_ds:\n    batch_size: [1]\n    shuffle: maybe\n    manifest_filepath: 3\n"
                           "  optim:\n    betas: [2, 3]\n    lr: abc\n  encoder: 5\n");
        add("ranges", "trainer:\n  max_steps: -7\n  num_nodes: 0\nrankscope:\n  threads_per_rank: 99999\n  stall:\n"
                      "    min_seconds: 0\n    factor: 0.1\n  length_sync:\n    timeout_s: 1e9\n  on_incident: text\n"
                      "  retention: {steps: 99999999999999999999}\n");
        add("contradictions",
            "model:\n  train_ds:\n    manifest_filepath: ???\n    min_duration: 5\n    max_duration: 2\n"
            "    batch_size: 2\n  encoder:\n    d_model: 100\n    n_heads: 7\n    conv_kernel_size: 4\n"
            "    conv_norm_type: layer_norm\n    feat_in: 3\n  decoder:\n    num_classes: 5\n"
            "    feat_in: 9\n  quantizer:\n    num_classes: 6\n    combine_time_steps: 3\n"
            "  masking:\n    block_size: 7\n    mask_prob: 3\n");
        add("broken text", "a: [1, 2\nb: 3\n");
        add("tab", "a:\n\tb: 1\n");
        add("quote", "a: \"b\nc: 1\n");
        add("colon", "a: b: c\n");
        add("twice", "a: 1\na: 2\n");
        add("anchor", "a: *none\n");
        add("two documents", "a: 1\n---\nb: 2\n");
        add("empty", "");
        add("no map", "- 1\n- 2\n");
        add("interpolation",
            "a: ${b.c}\nb: ${a}\nc: ${oc.env:RANKSCOPE_NO_SUCH}\nd: ${c\ne: ${nobody:1}\nname: ${nam}\n");
        add("faults",
            "rankscope:\n  faults:\n    - kind: data_loading\n      rank: -1\n      megabytes: 3\n"
            "    - kind: nothing\n    - 5\n    - {kind: dead, signal: SIGFOO}\n    - {kind: other_settings}\n");
        add("checkpoints",
            "exp_manager:\n  exp_dir: /tmp\n  ema: {enable: true}\n  checkpoint_callback_params:\n"
            "    every_n_train_steps: 5\n    every_n_epochs: 2\n    save_top_k: 5\n    monitor: nothing\n"
            "    filename: 'a{b'\n    postfix: .x\n    dirpath: /x\ninit_from_nemo_model: 5\n"
            "init_from_pretrained_model: name\n");
        add("not supported",
            "trainer:\n  strategy: fsdp\n  accelerator: tpu\n  precision: 64\nmodel:\n  train_ds:\n"
            "    is_tarred: true\n    shard_strategy: x\n    tarred_audio_filepaths: []\n"
            "    manifest_filepath: [[a], b]\n  encoder:\n    self_attention_model: nope\n"
            "    subsampling: vggnet\n    reduction: conv\n    use_pytorch_sdpa: true\n"
            "    att_context_size: [3]\n  preprocessor:\n    window: kaiser\n    normalize: x\n"
            "    lowfreq: 9000\n  optim:\n    name: novograd\n    sched:\n      name: WarmupAnnealing\n"
            "      warmup_steps: 3\n      warmup_ratio: 0.1\n  spec_augment: {freq_masks: 1}\n");
        add("risks",
            "trainer:\n  devices: 2\n  sync_batchnorm: true\n  precision: 16-mixed\n  accumulate_grad_batches: 4\n"
            "  use_distributed_sampler: false\n  deterministic: true\n  max_steps: 100\n"
            "  strategy: ddp_find_unused_parameters_true\nmodel:\n  train_ds:\n    manifest_filepath: x.json\n"
            "    num_workers: 0\n    drop_last: false\n    shuffle: false\n    batch_size: 4\n  optim:\n"
            "    name: adamw\n    lr: 0.0001\n    sched: {name: NoamAnnealing, d_model: 5, warmup_steps: 100}\n"
            "  encoder:\n    stochastic_depth_drop_prob: 0.3\nrankscope:\n  collective_timeout_s: 5\n"
            "  length_sync: {timeout_s: 2}\n  ddp: {bucket_cap_mb: 0.1, comm_hook: noop_hook, static_graph: true}\n");
    }

    void problemsAreTranslated() {
        QFETCH(QByteArray, yaml);
        ConfigPage page;
        page.resize(1300, 800);
        page.show();
        QVERIFY(page.file()->openText(yaml.toStdString(), QStringLiteral("a.yaml"), {}));
        QTRY_VERIFY(page.isComplete());
        QVERIFY(page.textPane()->info()->problems()->rowCount() +
                    static_cast<int>(page.recipe()->model()->risks().size()) >
                0);
        for (int i = 0; i < page.textPane()->info()->problems()->rowCount(); ++i) {
            const QString text = page.textPane()->info()->problems()->index(i).data().toString();
            QVERIFY2(englishIn(text).isEmpty(), qPrintable(text));
        }
        for (const config::Risk& risk : page.recipe()->model()->risks()) {
            const QString text = messageText(risk.reason);
            QVERIFY2(englishIn(text).isEmpty(), qPrintable(text));
            emit page.recipe()->explainRequested(QString::fromStdString(risk.key));
            const QString all = page.textPane()->info()->detail()->plainText();
            QVERIFY2(englishIn(all).isEmpty(), qPrintable(englishIn(all) + QLatin1String(" in ") + all));
        }
        for (const QLabel* label : page.findChildren<QLabel*>())
            QVERIFY2(englishIn(label->text()).isEmpty(), qPrintable(label->text()));
        for (const QAbstractButton* button : page.findChildren<QAbstractButton*>())
            QVERIFY2(englishIn(button->text() + QLatin1Char('\n') + button->toolTip()).isEmpty(),
                     qPrintable(button->text() + button->toolTip()));
    }

    void whatTheTreeRefusesIsTranslated() {
        for (const char* yaml : {"a: [1\n", "a: &x {b: 1}\nc: *x\n", "a: 1\n"}) {
            ConfigFile file;
            QVERIFY(file.openText(yaml, QStringLiteral("a.yaml"), {}));
            for (const char* key : {"a.b", "c.b", "a", "nothing.at.all"})
                for (const auto& done :
                     {file.setValue(QLatin1String(key), QStringLiteral("[")),
                      file.renameKey(QLatin1String(key), QStringLiteral("c")), file.removeKey(QLatin1String(key)),
                      file.moveKey(QLatin1String(key), QStringLiteral("a"), {})})
                    if (!done) {
                        const QString text = messageText(done.error());
                        QVERIFY2(englishIn(text).isEmpty(), qPrintable(text));
                    }
        }
    }
};

RANKSCOPE_GUI_TEST(ConfigLanguage)
#include "tst_config_language.moc"
