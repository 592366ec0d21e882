// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/observer/rank_telemetry.h"

#include <condition_variable>
#include <memory>
#include <mutex>
#include <thread>

namespace rankscope::observer {

/// Appends a ResourceRecord every second from its own thread, and one at the end.
class ResourceSampler {
public:
    explicit ResourceSampler(std::shared_ptr<RankTelemetry> telemetry);
    ~ResourceSampler();
    ResourceSampler(const ResourceSampler&) = delete;
    ResourceSampler& operator=(const ResourceSampler&) = delete;

private:
    void run();

    std::shared_ptr<RankTelemetry> m_telemetry;
    std::mutex m_mutex;
    std::condition_variable m_changed;
    bool m_ending = false;
    std::thread m_thread;
};

} // namespace rankscope::observer
