// SPDX-License-Identifier: Apache-2.0
#include "core/trainer/distributed/parallel/device_stream_timer.h"

#include "core/base/values/clock.h"

#include <c10/core/impl/VirtualGuardImpl.h>

#include <algorithm>
#include <utility>

namespace rankscope::trainer {

void DeviceStreamTimer::mark() {
    if (m_marks == m_events.size()) {
        m_events.emplace_back(m_device.type(),
                              c10::EventFlag::BACKEND_DEFAULT); // the flag with which events record their time
    }
    m_events[m_marks++].record(c10::impl::VirtualGuardImpl(m_device.type()).getStream(m_device));
}

std::vector<std::int64_t> DeviceStreamTimer::times() {
    std::vector<std::int64_t> times;
    const std::size_t marks = std::exchange(m_marks, 0);
    if (marks == 0)
        return times;
    const c10::Event& last = m_events[marks - 1];
    last.synchronize();
    const std::int64_t now = monotonicNs();
    for (std::size_t i = 0; i < marks; ++i) {
        const double beforeMs = i + 1 < marks ? m_events[i].elapsedTime(last) : 0.0;
        m_lastNs = std::max(m_lastNs, now - static_cast<std::int64_t>(beforeMs * 1e6));
        times.push_back(m_lastNs);
    }
    return times;
}

} // namespace rankscope::trainer
