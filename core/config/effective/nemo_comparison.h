// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/config/effective/effective.h"

#include <nlohmann/json.hpp>

#include <string>

namespace rankscope::config {

/// Returns the table that `rankscopectl compare` prints. `other`: null compares with NeMo's YAML and code.
std::string compareTable(const Effective& mine, const Effective* other, bool onlyDifferent, int width,
                         Language language = Language::English);
nlohmann::json compareJson(const Effective& mine, const Effective* other, bool onlyDifferent);
bool differs(const Effective& mine, const Effective* other);

} // namespace rankscope::config
