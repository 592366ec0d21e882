// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/config/edit/document.h"
#include "core/config/risks/risk_rules.h"

#include <memory>
#include <string>
#include <vector>

namespace rankscope::ui {

/// Everything that can be derived from a recipe's text alone, except Effective::text.
struct Evaluated : config::Effective {
    std::vector<config::Risk> risks; ///< of rules that need only the recipe
    std::shared_ptr<const config::Document> document;
};
using Evaluation = std::shared_ptr<const Evaluated>;

/// Evaluates a recipe. Do not call it in the window's thread if the text is long.
Evaluation evaluated(const std::string& text, const std::string& fileName,
                     const std::vector<std::string>& overrides = {});
Evaluation evaluated(std::shared_ptr<const config::Document> document, const std::vector<std::string>& overrides);

/// Returns whether both have the same keys in the same order, whatever their values.
bool haveSameKeys(const config::Effective& a, const config::Effective& b);

} // namespace rankscope::ui
