// SPDX-License-Identifier: Apache-2.0
// Decides which models of a NeMo YAML the trainer can build: the single list for a launch's check and the model itself.
#pragma once

#include "core/base/text/message.h"
#include "core/config/recipe/recipe.h"

#include <string>
#include <vector>

namespace rankscope::config {

struct ModelProblem {
    std::string key;   ///< below `model`: "encoder.n_heads"
    std::string value; ///< its value
    Message need;      ///< what the trainer requires
};

/// Returns everything in this model that the trainer would not build as NeMo does; the first is the one to report.
std::vector<ModelProblem> modelProblems(const ModelConfig& config);
std::vector<ModelProblem> frontEndProblems(const PreprocessorConfig& config);
/// Returns "model.encoder.n_heads: 5 is not supported (must divide d_model 32)".
Message toText(const ModelProblem& problem);

/// Applies the changes that NeMo makes itself: if masking comes after sub-sampling (mask_position: post_conv), and to
/// the context of att_context_style chunked_limited_with_rc.
ModelConfig asBuilt(ModelConfig config);

/// Returns the number of groups of conv_norm_type "group_normN"; 0 if it is another type.
int normGroups(const std::string& convNormType);

/// Returns whether NeMo does not normalize: for null, NA, none, or any other unknown word.
bool isNoNormalisation(const std::string& normalize);

} // namespace rankscope::config
