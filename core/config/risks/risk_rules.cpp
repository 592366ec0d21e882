// SPDX-License-Identifier: Apache-2.0
#include "core/config/risks/risk_rules.h"

#include "core/base/values/saturating.h"
#include "core/config/risks/rule_inputs.h"
#include "core/config/yaml/scalar.h"

#include <algorithm>
#include <map>
#include <string_view>
#include <unordered_map>

namespace rankscope::config {

std::optional<Node> RuleValues::node(const std::string& key) const {
    auto value = m_lookup(key);
    return value && !value->unresolved && !isMissing(*value) ? value : std::nullopt;
}
bool RuleValues::isOpen(const std::string& key) const {
    const auto value = m_lookup(key);
    return value && isMissing(*value);
}
bool RuleValues::isTrue(const std::string& key) const {
    const auto n = node(key);
    return n && asBool(*n).value_or(false);
}
bool RuleValues::isFalse(const std::string& key) const {
    const auto n = node(key);
    return n && !asBool(*n).value_or(true);
}
bool RuleValues::isNull(const std::string& key) const {
    const auto n = node(key);
    return n && typeOf(*n) == Type::Null;
}
double RuleValues::number(const std::string& key, double otherwise) const {
    const auto n = node(key);
    return n ? asDouble(*n).value_or(otherwise) : otherwise;
}
std::string RuleValues::text(const std::string& key) const {
    const auto n = node(key);
    return n && n->isScalar() ? n->text : "";
}
bool RuleValues::oneRank() const {
    return m_surroundings.ranks > 0 ? m_surroundings.ranks == 1
                                    : number("trainer.devices", 2) == 1 && number("trainer.num_nodes", 1) == 1;
}
int RuleValues::ranks() const {
    if (m_surroundings.ranks > 0)
        return m_surroundings.ranks;
    const double devices = number("trainer.devices", 0), nodes = number("trainer.num_nodes", 1);
    return devices >= 1 && devices <= 1e6 && nodes >= 1 && nodes <= 1e6 ? static_cast<int>(devices * nodes) : 0;
}
int RuleValues::ranksHere() const {
    return static_cast<int>(m_surroundings.ranks /
                            std::max<std::int64_t>(1, truncated(number("trainer.num_nodes", 1))));
}
const std::vector<KeyRow>& RuleValues::rows() const {
    static const std::vector<KeyRow> none;
    return m_rows ? *m_rows : none;
}

namespace {

using Table = std::vector<RuleEntry>;

const Table& table() {
    static const Table all = [] {
        Table t;
        for (const auto& part :
             {lengthSyncRules(), strategyRules(), dataRules(), manifestRules(), optimRules(), runRules()})
            t.insert(t.end(), part.begin(), part.end());
        return t;
    }();
    return all;
}

/// Rules of the recipe alone, by the keys at which their marks stand.
const std::map<std::string, std::vector<const RuleEntry*>>& byKey() {
    static const auto all = [] {
        std::map<std::string, std::vector<const RuleEntry*>> by;
        for (const RuleEntry& entry : table())
            for (const std::string& key : entry.rule.keys)
                by[key].push_back(&entry);
        for (auto& [key, entries] : by)
            std::stable_sort(entries.begin(), entries.end(), [](const RuleEntry* a, const RuleEntry* b) {
                return a->rule.severity > b->rule.severity;
            });
        return by;
    }();
    return all;
}

} // namespace

std::string_view riskSeverityName(RiskSeverity severity) {
    return severity == RiskSeverity::Danger ? "danger" : severity == RiskSeverity::Caution ? "caution" : "info";
}

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
    const auto it = std::find_if(all.begin(), all.end(), [&](const RiskRule& rule) { return rule.id == id; });
    return it == all.end() ? nullptr : &*it;
}

std::vector<Risk> risksOf(const Effective& effective, const Surroundings& surroundings) {
    std::unordered_map<std::string_view, const KeyRow*> byName;
    byName.reserve(effective.rows.size());
    for (const KeyRow& row : effective.rows)
        byName.emplace(row.key, &row);
    const RuleValues values(
        [&](const std::string& key) -> std::optional<Node> {
            const auto row = byName.find(key);
            if (row == byName.end())
                return std::nullopt;
            const KeyRow& found = *row->second;
            if (found.effective)
                return nodeOfText(*found.effective);
            return found.yours == "???" ? std::optional(nodeOfText(*found.yours)) : std::nullopt;
        },
        surroundings, &effective.rows);
    std::vector<Risk> risks;
    const auto& rules = riskRules();
    for (std::size_t i = 0; i < rules.size(); ++i)
        if (auto fired = table()[i].check(values)) {
            std::string key = fired->key;
            for (const std::string& own : rules[i].keys)
                if (key.empty() && byName.count(own) > 0)
                    key = own;
            risks.push_back({&rules[i], key.empty() ? rules[i].keys.front() : key, std::move(fired->reason),
                             std::move(fired->set), std::move(fired->also)});
        }
    std::stable_sort(risks.begin(), risks.end(),
                     [](const Risk& a, const Risk& b) { return a.rule->severity > b.rule->severity; });
    return risks;
}

std::string riskOf(const std::string& key, const Node& root, const Facts& facts) {
    const auto entries = byKey().find(key);
    if (entries == byKey().end())
        return "";
    static const Surroundings nothing;
    const RuleValues values([&](const std::string& name) { return effectiveNode(root, name, facts); }, nothing,
                            nullptr);
    for (const RuleEntry* entry : entries->second)
        if (const auto fired = entry->check(values); fired && (fired->key.empty() || fired->key == key))
            return fired->reason;
    return "";
}

} // namespace rankscope::config
