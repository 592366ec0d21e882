// SPDX-License-Identifier: Apache-2.0
// Applies trainer.precision and trainer.deterministic as Lightning does.
#pragma once

#include "core/config/recipe/recipe.h"
#include "core/trainer/autocast.h"
#include "core/trainer/loop/precision/grad_scaler.h"

#include <memory>
#include <string>

namespace rankscope::trainer {

/// Parameters, gradients and optimizer state are float32 in every mode.
class Precision {
public:
    Precision() = default; ///< float32
    /// `name`: "32", "bf16-mixed" or "16-mixed", which on a CPU becomes bf16-mixed, as in Lightning. Throws
    /// std::invalid_argument, with the key, for any other.
    Precision(const std::string& name, at::Device device);

    /// Returns a scope that enables autocast for forward and loss. Backward runs outside it.
    AutocastScope forward() const { return {m_device, m_products}; }
    at::ScalarType products() const { return m_products; }
    GradScaler* scaler() const { return m_scaler.get(); } ///< null: gradients need no scaling
    std::string sentence() const;                         ///< for the log; empty for float32
    std::string warning() const { return m_warning; }     ///< empty: the precision is the requested one

private:
    at::DeviceType m_device = at::kCPU;
    at::ScalarType m_products = at::kFloat;
    std::shared_ptr<GradScaler> m_scaler;
    std::string m_warning;
};

/// Sets torch.use_deterministic_algorithms and cuDNN's benchmark for the whole process. On a GPU it sets
/// CUBLAS_WORKSPACE_CONFIG: call it before CUDA is used and before threads are started.
void useDeterminism(const config::TrainerConfig& trainer);

} // namespace rankscope::trainer
