// SPDX-License-Identifier: Apache-2.0
// Says in a .nemo file after how many steps its weights were taken: in a comment, the first line of model_config.yaml.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

namespace rankscope::trainer {

/// Returns the line for weights after this many optimizer steps, with its line feed. Put it before the configuration.
std::string nemoStepsLine(std::int64_t steps);

/// Returns the steps that a .nemo gives, from its first kilobyte; none: it was not written by a run, or by an older
/// version or NeMo, or it is damaged. `fd`: the file, open for reading; its position stays.
std::optional<std::int64_t> stepsOfNemo(int fd);

} // namespace rankscope::trainer
