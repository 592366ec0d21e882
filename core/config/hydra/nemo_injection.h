// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/config/yaml/node.h"

#include <string>

namespace rankscope::config {

/// What NeMo's model puts into its own configuration before anything reads it: a data set without a sample_rate gets
/// the model's, an optimizer without a name is the class that its _target_ names, or adam. `root`: a resolved tree.
void injectAsNemo(Node& root);

/// "adamw" of "torch.optim.AdamW"; empty: a class that is not known here.
std::string optimizerOfClass(const std::string& target);

} // namespace rankscope::config
