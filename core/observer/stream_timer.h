// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

namespace rankscope::observer {

/// Measures when the device, not the thread that feeds it, reaches a point in its work.
class StreamTimer {
public:
    virtual ~StreamTimer() = default;
    /// Queues a mark after the work that the calling thread has queued so far.
    virtual void mark() = 0;
    /// Waits until the device has passed every mark since the last call; returns their times on the monotonic clock, in
    /// ns, in order.
    virtual std::vector<std::int64_t> times() = 0;
};

} // namespace rankscope::observer
