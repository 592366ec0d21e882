// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace rankscope::trainer {

/// Lists the tensors of a .nemo, .ckpt or .safetensors file with shape, type and a hash of all. Returns the exit code:
/// 0, or 2 if the file is missing or damaged (reported on stderr).
int runWeights(const std::string& file, bool json);

/// Writes the weights of `in` as `out`, in the format given by its extension. `config` (may be empty): a recipe by
/// which the weights are checked and ordered. A .nemo file gets it as model_config.yaml; without it, that of `in`.
/// Returns the exit code: 0, 2 bad input, 3 `out` could not be written.
int runConvert(const std::string& in, const std::string& out, const std::string& config);

} // namespace rankscope::trainer
