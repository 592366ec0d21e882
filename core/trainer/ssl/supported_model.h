// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/config/recipe/recipe.h"

#include <string>
#include <vector>

namespace rankscope::trainer {

/// Throws std::invalid_argument that names key and value when the model cannot be built as NeMo would build it.
void checkSupported(const config::ModelConfig& config);

/// Values that NeMo takes but that change nothing in this model, each as a sentence for the log.
std::vector<std::string> withoutEffect(const config::ModelConfig& config);

} // namespace rankscope::trainer
