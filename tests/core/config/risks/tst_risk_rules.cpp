// SPDX-License-Identifier: Apache-2.0
// Every rule fires when it should and not otherwise; following its advice silences it; the list in the documentation
// matches the code.
#include "core/config/risks/risk_rules.h"
#include "core/diagnosis/model/incident.h"
#include "tests/core/config/risks/rule_cases.h"
#include "tests/core/config/support.h"
#include "tests/support/test_runner.h"

#include <QRegularExpression>

#include <set>

using namespace rankscope::config;
using namespace rankscope::config::test;

namespace {

Effective recipe(const Words& more) {
    return evaluate(sourceText("configs/quickstart.yaml"), "quickstart.yaml", with(kBase, more));
}

const Risk* riskIn(const std::vector<Risk>& risks, const std::string& id) {
    const auto it = std::find_if(risks.begin(), risks.end(), [&](const Risk& r) { return r.rule->id == id; });
    return it == risks.end() ? nullptr : &*it;
}

bool isTranslated(const rankscope::Message& message) {
    return !message.pattern().empty() && message.text(rankscope::Language::Chinese) != message.english();
}

/// Returns GitHub's anchor for a heading: lower case, spaces as hyphens, no other punctuation.
std::string anchor(QString heading) {
    heading = heading.toLower().remove(QRegularExpression(QStringLiteral("[^a-z0-9 _-]")));
    return "#" + heading.replace(' ', '-').toStdString();
}

} // namespace

class TestRules : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void everyRuleHasACase() {
        std::set<std::string> ids;
        for (const RiskRule& rule : riskRules()) {
            QVERIFY2(cases().count(rule.id) == 1, rule.id.c_str());
            QVERIFY2(ids.insert(rule.id).second, rule.id.c_str());
            QVERIFY2(rule.explanation.english().size() > 40, rule.id.c_str());
            QVERIFY2(!rule.remedy.empty() || rule.severity == RiskSeverity::Info, rule.id.c_str());
            for (const rankscope::Message* text : {&rule.explanation, &rule.remedy})
                QVERIFY2(text->empty() || isTranslated(*text), text->english().c_str());
        }
        QCOMPARE(cases().size(), ids.size());
        QVERIFY(ids.size() >= 20);
        QVERIFY(riskRule("no-workers") && !riskRule("no-such-rule"));
    }

    void theBaseIsHealthy() {
        RiskContext s;
        s.train = s.validation = speech();
        const Effective e = recipe({});
        const auto error = launchError(e, "quickstart.yaml");
        QVERIFY2(!error, error ? error->message().c_str() : "");
        for (const Risk& risk : risksOf(e, s))
            QVERIFY2(risk.rule->severity == RiskSeverity::Info, risk.rule->id.c_str());
    }

    void firesAndIsSilent_data() {
        QTest::addColumn<QString>("id");
        for (const RiskRule& rule : riskRules())
            QTest::newRow(rule.id.c_str()) << QString::fromStdString(rule.id);
    }
    void firesAndIsSilent() {
        const std::string id = QTest::currentDataTag();
        if (id == "interpolation-empty" || id == "value-from-environment")
            return; // tested by valuesOfTheFile()
        const Case& one = cases().at(id);
        RiskContext around, calm;
        if (one.around)
            one.around(around);
        (one.calm ? one.calm : one.around ? one.around : [](RiskContext&) {})(calm);
        const Effective e = recipe(one.fires);
        QVERIFY2(!e.rows.empty(), "the overrides do not apply");
        for (const auto& problem : e.problems)
            QVERIFY2(!QString::fromStdString(problem.text.english()).startsWith("override"),
                     problem.text.english().c_str());
        const auto risks = risksOf(e, around);
        const Risk* fired = riskIn(risks, id);
        QVERIFY2(fired, "does not fire");
        const std::string reason = fired->reason.english();
        QVERIFY(!reason.empty() && reason.find('\n') == std::string::npos);
        QVERIFY2(isTranslated(fired->reason), reason.c_str());
        const auto& keys = fired->rule->keys;
        QVERIFY2(std::find(keys.begin(), keys.end(), fired->key) != keys.end(), fired->key.c_str());
        QVERIFY2(!riskIn(risksOf(recipe(one.silent), calm), id), "fires where it should not");
        if (!fired->set || !one.remedyCures)
            return;
        Words cured = with(kBase, one.fires);
        cured.push_back(fired->set->value.empty() ? "~" + fired->set->key
                                                  : "++" + fired->set->key + "=" + fired->set->value);
        const Effective after = evaluate(sourceText("configs/quickstart.yaml"), "quickstart.yaml", cured);
        RiskContext same;
        if (one.around)
            one.around(same);
        if (id == "gpus-idle" || id == "more-devices-than-gpus")
            same.device = "cuda";
        QVERIFY2(!riskIn(risksOf(after, same), id), cured.back().c_str());
    }

    /// The machine may be another one than this: a plan for it is made here.
    void theMachineThatIsPlannedForIsNamed() {
        RiskContext four;
        four.machine = MachineFacts{};
        four.machine->gpus = 4;
        const Words gpu{"trainer.accelerator=gpu", "trainer.devices=8"};
        const auto tooMany = risksOf(recipe(gpu), four);
        const Risk* risk = riskIn(tooMany, "more-devices-than-gpus");
        QVERIFY(risk);
        COMPARE_TEXT(risk->reason.english(), "requests 8 GPUs, but the machine has 4");
        const auto idle = risksOf(recipe({"trainer.accelerator=cpu"}), four);
        risk = riskIn(idle, "gpus-idle");
        QVERIFY(risk);
        COMPARE_TEXT(risk->reason.english(), "ranks run on the CPU, while the machine has 4 GPUs");
    }

    void valuesOfTheFile() {
        const auto text = replaced(sourceText("configs/quickstart.yaml"), "num_workers: 1",
                                   "num_workers: ${oc.env:RANKSCOPE_NO_SUCH_VARIABLE,1}");
        const Words nodes{"trainer.num_nodes=2"};
        QVERIFY(riskIn(risksOf(evaluate(text, "f.yaml", nodes)), "value-from-environment"));
        QVERIFY(!riskIn(risksOf(evaluate(text, "f.yaml")), "value-from-environment"));
        const auto empty = replaced(sourceText("configs/quickstart.yaml"), "conv_context_size: null",
                                    "conv_context_size: ${model.encoder.nothing}\n    nothing: null");
        const auto risks = risksOf(evaluate(empty, "f.yaml"));
        const Risk* risk = riskIn(risks, "interpolation-empty");
        QVERIFY(risk);
        COMPARE_TEXT(risk->key, "model.encoder.conv_context_size");
        QVERIFY(!riskIn(risksOf(evaluate(sourceText("configs/quickstart.yaml"), "f.yaml")), "interpolation-empty"));
    }

    void aWarmUpThatIsLongerThanTheRunIsNotCalledAsLong() {
        const auto risks = risksOf(recipe({"model.optim.sched.warmup_steps=500"}));
        const Risk* risk = riskIn(risks, "warmup-beyond-run");
        QVERIFY(risk);
        COMPARE_TEXT(risk->reason.english(), "the warm-up (500 steps) is at least as long as the run (400 steps)");
    }

    void worstFirst() {
        const auto risks = risksOf(evaluate(sourceText("configs/quickstart.yaml"), "q.yaml"));
        QVERIFY(risks.size() > 3);
        for (std::size_t i = 1; i < risks.size(); ++i)
            QVERIFY(risks[i - 1].rule->severity >= risks[i].rule->severity);
        COMPARE_TEXT(risks.front().rule->id, "length-sync-blocks");
    }

    /// The marks in the window: a row shows the reason of the most severe rule at its key.
    void rowsCarryTheSameReasons() {
        Effective e = recipe({"trainer.sync_batchnorm=true", "model.encoder.sync_max_audio_length=true"});
        attachRisks(e);
        int marked = 0;
        for (const KeyRow& row : e.rows)
            for (const Risk& risk : risksOf(e))
                if (risk.key == row.key) {
                    QVERIFY(row.risk == risk.reason);
                    ++marked;
                    break;
                }
        QVERIFY(marked >= 3);
    }

    void preventsWhatTheDiagnosisKnows() {
        std::set<std::string> headings;
        const QRegularExpression heading(QStringLiteral("^#+ (.+)$"), QRegularExpression::MultilineOption);
        const QString text = QString::fromStdString(sourceText("docs/diagnosis.md"));
        for (auto it = heading.globalMatch(text); it.hasNext();)
            headings.insert(anchor(it.next().captured(1)));
        for (const RiskRule& rule : riskRules()) {
            const bool section = rule.prevents.starts_with("#");
            QVERIFY2(section
                         ? headings.count(rule.prevents) == 1
                         : rankscope::diagnosis::causeFromName(rule.prevents) != rankscope::diagnosis::Cause::Unknown,
                     (rule.id + ": " + rule.prevents).c_str());
            QVERIFY2(section || text.contains(QString::fromStdString("`" + rule.prevents + "`")), rule.id.c_str());
        }
    }

    /// docs/rules.md has "| `id` | severity | keys | …", one row per rule, in the table's order.
    void documented() {
        const QString text = QString::fromStdString(sourceText("docs/rules.md"));
        const QRegularExpression row(QStringLiteral("^\\| `([a-z0-9-]+)` \\| (\\w+) \\|([^|]*)\\|([^|]*)\\|([^|]*)\\|"),
                                     QRegularExpression::MultilineOption);
        auto it = row.globalMatch(text);
        for (const RiskRule& rule : riskRules()) {
            QVERIFY2(it.hasNext(), rule.id.c_str());
            const auto match = it.next();
            COMPARE_TEXT(match.captured(1).toStdString(), rule.id);
            COMPARE_TEXT(match.captured(2).toStdString(), std::string(riskSeverityName(rule.severity)));
            for (const std::string& key : rule.keys)
                QVERIFY2(match.captured(3).contains(QString::fromStdString("`" + key + "`")),
                         (rule.id + " " + key).c_str());
            QVERIFY2(match.captured(5).contains(QString::fromStdString(rule.prevents)), rule.id.c_str());
        }
        QVERIFY(!it.hasNext());
    }
};

RANKSCOPE_CORE_TEST(TestRules)
#include "tst_risk_rules.moc"
