// SPDX-License-Identifier: GPL-3.0-or-later
// Every sentence of the risk rules is known to the translation.
#include "core/base/files/file.h"
#include "core/config/effective/effective.h"
#include "core/config/risks/risk_rules.h"
#include "tests/support/test_runner.h"
#include "widgets/config/labels/rule_texts.h"

#include <QRegularExpression>
#include <QTest>

#include <set>
#include <string>

using namespace rankscope;

class TestRuleTexts : public QObject {
    Q_OBJECT

    static bool known(const std::string& text) {
        static const QRegularExpression slot(QStringLiteral("%\\d"));
        for (const char* english : ui::ruleTexts()) {
            QStringList fixed;
            for (const QString& part : QString::fromUtf8(english).split(slot))
                fixed << QRegularExpression::escape(part);
            const QRegularExpression pattern(QRegularExpression::anchoredPattern(fixed.join(QStringLiteral("(.+?)"))));
            if (pattern.match(QString::fromStdString(text)).hasMatch())
                return true;
        }
        return false;
    }

private slots:
    void explanationsAndRemedies() {
        std::set<std::string> all(ui::ruleTexts().begin(), ui::ruleTexts().end());
        QCOMPARE(all.size(), ui::ruleTexts().size());
        for (const config::RiskRule& rule : config::riskRules()) {
            QVERIFY2(all.count(rule.explanation) == 1, rule.id.c_str());
            QVERIFY2(rule.remedy.empty() || all.count(rule.remedy) == 1, rule.id.c_str());
        }
        QVERIFY(!known("no rule says this"));
    }

    /// Of recipes that set off many of them.
    void reasons() {
        const std::string root = RANKSCOPE_SOURCE_DIR;
        const auto text = readFile(root + "/configs/quickstart.yaml");
        QVERIFY(text);
        config::Surroundings s;
        s.machine = config::MachineFacts{2, 0, 1'000'000'000};
        s.ranks = 4;
        s.device = "cpu";
        s.rankMemoryBytes = 2'000'000'000;
        s.lostToImbalance = 0.4;
        s.batchesPerEpoch = 7;
        s.paths = {{"model.train_ds.manifest_filepath", "a", false}, {"model.train_ds.noise_manifest", "b", false}};
        s.train.emplace();
        s.train->lines = 100;
        s.train->used = 50;
        s.train->tooLong = 50;
        s.train->median = 2;
        s.train->p95 = s.train->longest = 30;
        std::set<std::string> seen;
        const std::vector<std::vector<std::string>> recipes{
            {"trainer.devices=4"},
            {"trainer.devices=4", "trainer.sync_batchnorm=false", "model.encoder.sync_max_audio_length=false",
             "model.train_ds.num_workers=0", "model.train_ds.drop_last=false", "model.train_ds.shuffle=false",
             "trainer.precision=16-mixed", "model.optim.lr=9", "model.optim.sched.d_model=512",
             "model.optim.sched.warmup_steps=900", "trainer.accumulate_grad_batches=3", "trainer.strategy=fsdp",
             "model.train_ds.max_duration=null", "model.train_ds.min_duration=0"},
            {"trainer.devices=4", "trainer.num_nodes=2", "trainer.strategy=ddp_find_unused_parameters_true",
             "+rankscope.length_sync.timeout_s=3", "+rankscope.length_sync.barrier=true",
             "+rankscope.ddp.comm_hook=fp16_compress_hook", "+rankscope.ddp.bucket_cap_mb=0.5",
             "+rankscope.collective_timeout_s=9", "+rankscope.join_seconds=2", "rankscope.stall.min_seconds=10",
             "trainer.check_val_every_n_epoch=1", "trainer.accumulate_grad_batches=3"}};
        for (const auto& overrides : recipes)
            for (const auto& risk : config::risksOf(config::evaluate(*text, "q.yaml", overrides), s)) {
                QVERIFY2(known(risk.reason), risk.reason.c_str());
                seen.insert(risk.rule->id);
            }
        QVERIFY2(seen.size() >= 35, QByteArray::number(int(seen.size())));
    }
};

RANKSCOPE_CORE_TEST(TestRuleTexts)
#include "tst_rule_texts.moc"
