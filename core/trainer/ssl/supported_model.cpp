// SPDX-License-Identifier: Apache-2.0
#include "core/trainer/ssl/supported_model.h"

#include "core/config/check/model_support.h"

#include <stdexcept>

namespace rankscope::trainer {

void checkSupported(const config::ModelConfig& config) {
    const auto problems = config::modelProblems(config);
    if (!problems.empty())
        throw std::invalid_argument(config::toText(problems.front()));
}

std::vector<std::string> withoutEffect(const config::ModelConfig& c) {
    std::vector<std::string> notes;
    if (c.specAugment.freqMasks > 0 || c.specAugment.timeMasks > 0)
        notes.emplace_back(
            "model.spec_augment: this model never calls it, in NeMo neither: masking alone hides frames");
    return notes;
}

} // namespace rankscope::trainer
