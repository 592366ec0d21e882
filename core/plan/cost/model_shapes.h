// SPDX-License-Identifier: Apache-2.0
// The tensors of a model, computed without building it: names, shapes and order of what the trainer builds
// (trainer/ssl/nest_model.h).
#pragma once

#include "core/config/recipe/recipe.h"

#include <cstdint>
#include <string>
#include <vector>

namespace rankscope::plan {

struct TensorShape {
    std::string name; ///< in the state dict
    std::vector<std::int64_t> shape;
    int elementBytes = 4;
    bool trainable = true; ///< false: frozen, or a buffer
    bool buffer = false;
    bool again = false;      ///< another name of an earlier tensor: counted once
    std::int64_t usedAt = 0; ///< position in forward: backward computes gradients from the highest to the lowest

    std::int64_t count() const;
    std::string typeName() const; ///< "float32", "float64", "int64"
};

/// Returns the tensors in the order of the state dict.
std::vector<TensorShape> modelShapes(const config::ModelConfig& model);

/// Returns the indices in `shapes` of the trainable tensors: in the model's order, and in the order in which backward
/// finishes them.
std::vector<std::size_t> trainableTensors(const std::vector<TensorShape>& shapes);
std::vector<std::size_t> gradientOrder(const std::vector<TensorShape>& shapes);

} // namespace rankscope::plan
