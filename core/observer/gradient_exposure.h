// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/observer/collective_log.h"

#include <atomic>
#include <cstdint>

namespace rankscope::observer {

/// Measures how long backward blocks the training thread after it has handed over the last bucket of gradients. That
/// time is written to the bucket's record; the other buckets are transferred while backward computes.
class GradientExposure {
public:
    explicit GradientExposure(RankTelemetry& telemetry) : m_telemetry(telemetry) {}
    ~GradientExposure() { keep(0, -1); }

    /// Takes a bucket whose record measures its exposure as the last one so far. Any thread.
    void entered(CollectiveHandle bucket) { keep(bucket, -1); }
    /// Called after backward. Returns the time in ns; 0: no bucket was handed over since the last call.
    std::int64_t finish();

private:
    void keep(CollectiveHandle bucket, std::int64_t exposedNs);

    RankTelemetry& m_telemetry;
    std::atomic<CollectiveHandle> m_last{0};
};

} // namespace rankscope::observer
