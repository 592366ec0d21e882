// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

namespace rankscope::trainer {

/// When the device, not the thread that feeds it, comes to a place.
class StreamTimer {
public:
    virtual ~StreamTimer() = default;
    /// Puts a mark behind what the calling thread has queued so far.
    virtual void mark() = 0;
    /// Waits until the device has passed every mark since the last call; their times on the monotonic clock, in ns, in
    /// order.
    virtual std::vector<std::int64_t> times() = 0;
};

} // namespace rankscope::trainer
