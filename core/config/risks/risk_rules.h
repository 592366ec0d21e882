// SPDX-License-Identifier: Apache-2.0
// Risk rules: what a setting does to the ranks, how bad that may get, and what cures it. Listed in docs/rules.md.
#pragma once

#include "core/config/effective/effective.h"
#include "core/config/risks/risk.h"
#include "core/config/risks/risk_context.h"

#include <string_view>
#include <vector>

namespace rankscope::config {

const std::vector<RiskRule>& riskRules();
const RiskRule* riskRule(std::string_view id); ///< null: there is none

/// Every rule that applies, the most severe first, then in the table's order.
std::vector<Risk> risksOf(const Effective& effective, const Surroundings& surroundings = {});

/// Fills KeyRow::risk of every row: one line on what the key's effective value does to collectives, batches per rank or
/// process layout, by the rules that need the recipe alone.
void attachRisks(Effective& effective);

} // namespace rankscope::config
