// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/config/recipe/evaluation.h"

#include "core/config/effective/effective.h"

#include <algorithm>

namespace rankscope::ui {

Evaluation evaluated(std::shared_ptr<const config::Document> document, const std::vector<std::string>& overrides) {
    auto result = std::make_shared<Evaluated>();
    static_cast<config::Effective&>(*result) = config::evaluate(*document, overrides, config::builtinSchema(), false);
    config::attachRisks(*result);
    result->risks = config::risksOf(*result);
    result->document = std::move(document);
    return result;
}

Evaluation evaluated(const std::string& text, const std::string& fileName, const std::vector<std::string>& overrides) {
    return evaluated(std::make_shared<const config::Document>(config::Document::fromText(text, fileName)), overrides);
}

bool haveSameKeys(const config::Effective& a, const config::Effective& b) {
    return std::equal(a.rows.begin(), a.rows.end(), b.rows.begin(), b.rows.end(),
                      [](const config::KeyRow& x, const config::KeyRow& y) { return x.key == y.key; });
}

} // namespace rankscope::ui
