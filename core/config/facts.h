// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

namespace rankscope::config {

// configs/nemo/nemo-2.7.3.json and rankscope_keys.json, compiled in: no file is needed at run time.
extern const std::string_view kNemoFactsJson;
extern const std::string_view kRankscopeKeysJson;

} // namespace rankscope::config
