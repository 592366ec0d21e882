// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/trainer/libtorch.h"

#include <ATen/autocast_mode.h>

namespace rankscope::trainer {

/// Applies torch.autocast(device, dtype) during its lifetime: matrix products and convolutions of this thread use
/// `dtype`, operations that need more range stay in float32. With float32, autocast is off, even inside another scope.
/// The end of the outermost scope drops the cached casts of the weights.
class AutocastScope {
public:
    AutocastScope(at::DeviceType device, at::ScalarType dtype)
        : m_device(device), m_wasEnabled(at::autocast::is_autocast_enabled(device)),
          m_before(at::autocast::get_autocast_dtype(device)) {
        const bool enabled = dtype != at::kFloat;
        at::autocast::set_autocast_enabled(device, enabled);
        if (enabled)
            at::autocast::set_autocast_dtype(device, dtype);
        at::autocast::increment_nesting();
    }
    ~AutocastScope() {
        if (at::autocast::decrement_nesting() == 0)
            at::autocast::clear_cache();
        at::autocast::set_autocast_enabled(m_device, m_wasEnabled);
        at::autocast::set_autocast_dtype(m_device, m_before);
    }
    AutocastScope(const AutocastScope&) = delete;
    AutocastScope& operator=(const AutocastScope&) = delete;

private:
    at::DeviceType m_device;
    bool m_wasEnabled;
    at::ScalarType m_before;
};

} // namespace rankscope::trainer
