// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/config/load.h"

namespace rankscope::config {

/// One line on what the effective value of `key` does to collectives, batches per rank or process layout; empty:
/// nothing worth a mark.
std::string riskOf(const std::string& key, const Node& root, const Facts& facts);

} // namespace rankscope::config
