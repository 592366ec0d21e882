// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/trainer/libtorch.h"

#include <cstdint>
#include <string>
#include <vector>

namespace rankscope::trainer {

struct GradScalerOptions { // names and defaults of torch.amp.GradScaler
    double initScale = 65536, growthFactor = 2, backoffFactor = 0.5;
    std::int64_t growthInterval = 2000;
};

/// torch.amp.GradScaler for one optimizer: the loss is scaled up so that half-precision gradients do not vanish; a step
/// whose gradients overflow is skipped and the scale lowered. Per step: scale() each loss, unscale(), the optimizer's
/// step unless overflowed(), update(). Gradients are averaged over the ranks first, so all ranks make the same
/// decision.
class GradScaler {
public:
    explicit GradScaler(at::Device device, const GradScalerOptions& options = {});

    torch::Tensor scale(const torch::Tensor& loss) const { return loss * m_scale; }
    /// Divides the gradients in place and looks for NaN and infinities; parameters without a gradient are left out.
    void unscale(const std::vector<torch::Tensor>& parameters);
    /// After unscale(): whether a gradient was not finite. Waits for the device.
    bool overflowed() const { return m_found.item<float>() != 0; }
    void update();

    double currentScale() const { return m_scale.item<double>(); }
    std::int64_t skippedSteps() const { return m_skipped; }

    /// Returns "scale growth_tracker skipped", which a checkpoint stores.
    std::string state() const;
    /// Throws std::invalid_argument if `state` is not of the form that state() returns.
    void setState(const std::string& state);

private:
    GradScalerOptions m_options;
    torch::Tensor m_scale;   ///< float32 scalar
    torch::Tensor m_tracker; ///< int32 scalar: steps since the scale last changed
    torch::Tensor m_found;   ///< float32 scalar, 1: this step overflowed
    std::int64_t m_skipped = 0;
};

} // namespace rankscope::trainer
