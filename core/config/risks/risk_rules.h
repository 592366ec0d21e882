// SPDX-License-Identifier: Apache-2.0
// Risk rules: what a setting does to the ranks, how bad that can get, and how to fix it. Listed in docs/rules.md.
#pragma once

#include "core/config/effective/effective.h"
#include "core/config/risks/risk.h"
#include "core/config/risks/risk_context.h"

#include <string_view>
#include <vector>

namespace rankscope::config {

const std::vector<RiskRule>& riskRules();
const RiskRule* riskRule(std::string_view id); ///< null: unknown

/// Returns every rule that applies, the most severe first, then in the table's order.
std::vector<Risk> risksOf(const Effective& effective, const RiskContext& surroundings = {});

/// Fills KeyRow::risk of every row: one line on how the key's effective value affects collectives, batches per rank or
/// process layout, by the rules that need only the recipe.
void attachRisks(Effective& effective);

} // namespace rankscope::config
