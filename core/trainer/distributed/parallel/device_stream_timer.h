// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/observer/stream_timer.h"

#include <c10/core/Device.h>
#include <c10/core/Event.h>

#include <cstddef>

namespace rankscope::trainer {

/// Times events of the device's current stream (CUDA events on a GPU). They are tied to the monotonic clock when the
/// last one has passed: the clock is read then, and the others are placed before it. The error is the time that waiting
/// for an event takes to return, some 10 us.
class DeviceStreamTimer final : public observer::StreamTimer {
public:
    explicit DeviceStreamTimer(c10::Device device) : m_device(device) {}

    void mark() override;
    std::vector<std::int64_t> times() override;

private:
    c10::Device m_device;
    std::vector<c10::Event> m_events; ///< reused
    std::size_t m_marks = 0;
    std::int64_t m_lastNs = 0; ///< no earlier time is returned
};

} // namespace rankscope::trainer
