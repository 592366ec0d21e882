// SPDX-License-Identifier: Apache-2.0
// Risk rules: what a setting does to the ranks, how bad that may get, and what cures it. Listed in docs/rules.md.
#pragma once

#include "core/config/effective/loaded_recipe.h"
#include "core/config/risks/risk_context.h"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace rankscope::config {

enum class RiskSeverity : std::uint8_t {
    Info,    ///< what the setting does to the ranks; nothing is wrong
    Caution, ///< costs time or figures
    Danger,  ///< ranks may hang, or the run fails or trains nothing
};
std::string_view riskSeverityName(RiskSeverity severity); ///< "info", "caution", "danger"

/// A setting that cures it: applied with one click.
struct RiskRemedy {
    std::string key;
    ValueText value; ///< empty: the key is to be removed
};

struct RiskRule {
    std::string id;                ///< "length-sync-blocks"
    std::vector<std::string> keys; ///< it concerns these, and its mark stands there; empty: it may be any key
    RiskSeverity severity = RiskSeverity::Info;
    std::string explanation; ///< two or three sentences: why, and when it does not matter
    std::string remedy;      ///< what to do, a sentence; empty: nothing is to be done
    std::string prevents;    ///< the diagnosis' cause ("data_loading"), or a heading of docs/diagnosis.md ("#memory")
};

/// A rule that applies.
struct Risk {
    const RiskRule* rule = nullptr; ///< lives for ever
    std::string key;                ///< where its mark stands
    std::string reason;             ///< one line, with the recipe's own figures
    std::optional<RiskRemedy> set;  ///< where the remedy is a setting
    std::vector<RiskRemedy> also;   ///< what has to be set with it, or the remedy is only half of one
};

const std::vector<RiskRule>& riskRules();
const RiskRule* riskRule(std::string_view id);

/// Every rule that applies, the most severe first, then in the table's order.
std::vector<Risk> risksOf(const Effective& effective, const Surroundings& surroundings = {});

/// One line on what the effective value of `key` does to collectives, batches per rank or process layout; empty:
/// nothing worth a mark. Of the rules that need the recipe alone.
std::string riskOf(const std::string& key, const Node& root, const Facts& facts);

} // namespace rankscope::config
