// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/config/check/loaded_recipe.h"

#include <string>

namespace rankscope::config {

/// Adds warnings that block a launch, for everything that NeMo accepts and Rankscope's trainer does not support yet,
/// and notes on sections that NeMo uses and Rankscope does not.
void checkSupport(Loaded& loaded, const KeySchema& facts);
/// Returns whether NeMo reads the key although it is not in the facts of any class: it is not unknown, and
/// checkSupport() reports it.
bool isReportedBySupport(const std::string& key);

} // namespace rankscope::config
