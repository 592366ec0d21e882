// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace rankscope::exchange {

/// NeMo's models save their configuration as hparams.yaml with all of it under `cfg`; in a recipe that is `model`. Any
/// other text stays as it is.
std::string recipeOfHparams(std::string text);

} // namespace rankscope::exchange
