// SPDX-License-Identifier: Apache-2.0
#include "core/config/risks/rule_inputs.h"

#include "core/base/values/saturating.h"
#include "core/config/yaml/scalar.h"
#include "core/config/yaml/yaml_parser.h"

#include <algorithm>

namespace rankscope::config {

RuleValues::RuleValues(const std::vector<KeyRow>& rows, const RiskContext& surroundings)
    : m_rows(rows), m_context(surroundings) {
    m_byKey.reserve(rows.size());
    for (const KeyRow& row : rows)
        m_byKey.emplace(row.key, &row);
}

std::optional<Node> RuleValues::written(const std::string& key) const {
    const auto row = m_byKey.find(key);
    if (row == m_byKey.end())
        return std::nullopt;
    const KeyRow& found = *row->second;
    if (found.effective)
        return parseValue(*found.effective);
    return found.isOpen ? std::optional(parseValue("???")) : std::nullopt;
}

std::optional<Node> RuleValues::node(const std::string& key) const {
    auto value = written(key);
    return value && !value->unresolved && !isMissing(*value) ? value : std::nullopt;
}

bool RuleValues::isOpen(const std::string& key) const {
    const auto value = written(key);
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

double RuleValues::number(const std::string& key, double fallback) const {
    const auto n = node(key);
    return n ? asDouble(*n).value_or(fallback) : fallback;
}

std::string RuleValues::text(const std::string& key) const {
    const auto n = node(key);
    return n && n->isScalar() ? n->text : "";
}

bool RuleValues::oneRank() const {
    return m_context.ranks > 0 ? m_context.ranks == 1
                               : number("trainer.devices", 2) == 1 && number("trainer.num_nodes", 1) == 1;
}

int RuleValues::ranks() const {
    if (m_context.ranks > 0)
        return m_context.ranks;
    const double devices = number("trainer.devices", 0), nodes = number("trainer.num_nodes", 1);
    return devices >= 1 && devices <= 1e6 && nodes >= 1 && nodes <= 1e6 ? static_cast<int>(devices * nodes) : 0;
}

int RuleValues::ranksHere() const {
    return static_cast<int>(m_context.ranks /
                            std::max<std::int64_t>(1, saturatingInt64(number("trainer.num_nodes", 1))));
}

std::optional<RuleHit> firedIf(bool applies, Message reason, std::optional<RiskRemedy> set, std::string key) {
    return applies ? std::optional(RuleHit{std::move(reason), std::move(set), std::move(key)}) : std::nullopt;
}

} // namespace rankscope::config
