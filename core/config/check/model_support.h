// SPDX-License-Identifier: Apache-2.0
// What the trainer can build of what a NeMo YAML can say: the one list that a launch's check and the model itself ask.
#pragma once

#include "core/config/recipe/recipe.h"

#include <string>
#include <vector>

namespace rankscope::config {

struct ModelProblem {
    std::string key;   ///< below `model`: "encoder.n_heads"
    std::string value; ///< what it is
    std::string need;  ///< what the trainer takes
};

/// Everything in this model that the trainer would not build as NeMo does; the first is the one to report.
std::vector<ModelProblem> modelProblems(const ModelConfig& config);
std::vector<ModelProblem> frontEndProblems(const PreprocessorConfig& config);
/// "model.encoder.n_heads: 5 is not supported (must divide d_model 32)"
std::string toText(const ModelProblem& problem);

/// NeMo changes some values itself: when masking comes after sub-sampling (mask_position: post_conv), and the context
/// of att_context_style chunked_limited_with_rc.
ModelConfig asBuilt(ModelConfig config);

/// Groups of conv_norm_type "group_normN"; 0 when it is no such name.
int normGroups(const std::string& convNormType);

/// NeMo normalises nothing for null, NA, none, or any other word.
bool isNoNormalisation(const std::string& normalize);

} // namespace rankscope::config
