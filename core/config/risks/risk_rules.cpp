// SPDX-License-Identifier: Apache-2.0
#include "core/config/risks/risk_rules.h"

#include "core/config/risks/risk_rules_data.h"
#include "core/config/risks/risk_rules_run.h"
#include "core/config/risks/risk_rules_strategy.h"

#include <algorithm>
#include <unordered_map>

namespace rankscope::config {
namespace {

const std::vector<RuleEntry>& table() {
    static const std::vector<RuleEntry> all = [] {
        std::vector<RuleEntry> t;
        for (const auto& part : {strategyRules(), dataRules(), runRules()})
            t.insert(t.end(), part.begin(), part.end());
        return t;
    }();
    return all;
}

/// Rules that need the recipe alone, by severity: a key shows the reason of the most severe one.
const std::vector<const RuleEntry*>& rulesOfKeys() {
    static const std::vector<const RuleEntry*> all = [] {
        std::vector<const RuleEntry*> rules;
        for (const RuleEntry& entry : table())
            if (!entry.rule.keys.empty())
                rules.push_back(&entry);
        std::ranges::stable_sort(
            rules, [](const RuleEntry* a, const RuleEntry* b) { return a->rule.severity > b->rule.severity; });
        return rules;
    }();
    return all;
}

} // namespace

const std::vector<RiskRule>& riskRules() {
    static const std::vector<RiskRule> all = [] {
        std::vector<RiskRule> rules;
        for (const RuleEntry& entry : table())
            rules.push_back(entry.rule);
        return rules;
    }();
    return all;
}

const RiskRule* riskRule(std::string_view id) {
    const auto& all = riskRules();
    const auto it = std::ranges::find_if(all, [&](const RiskRule& rule) { return rule.id == id; });
    return it == all.end() ? nullptr : &*it;
}

std::vector<Risk> risksOf(const Effective& effective, const RiskContext& surroundings) {
    const RuleValues values(effective.rows, surroundings);
    std::vector<Risk> risks;
    const auto& rules = riskRules();
    for (std::size_t i = 0; i < rules.size(); ++i)
        if (auto fired = table()[i].check(values)) {
            std::string key = fired->key;
            for (const std::string& own : rules[i].keys)
                if (key.empty() && values.hasKey(own))
                    key = own;
            risks.push_back({&rules[i], key.empty() ? rules[i].keys.front() : key, std::move(fired->reason),
                             std::move(fired->set), std::move(fired->also)});
        }
    std::ranges::stable_sort(risks, [](const Risk& a, const Risk& b) { return a.rule->severity > b.rule->severity; });
    return risks;
}

void attachRisks(Effective& effective) {
    const RiskContext nothing;
    const RuleValues values(effective.rows, nothing);
    std::unordered_map<std::string, Message> reasons;
    for (const RuleEntry* entry : rulesOfKeys())
        if (const auto fired = entry->check(values))
            for (const std::string& key : entry->rule.keys)
                if (fired->key.empty() || fired->key == key)
                    reasons.emplace(key, fired->reason);
    for (KeyRow& row : effective.rows)
        if (const auto reason = reasons.find(row.key); reason != reasons.end())
            row.risk = reason->second;
}

} // namespace rankscope::config
