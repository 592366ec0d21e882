// SPDX-License-Identifier: Apache-2.0
#include "core/observer/resource_sampler.h"

#include "core/base/files/file.h"
#include "core/base/process/process_identity.h"
#include "core/base/process/signals_blocked.h"

#include <pthread.h>
#include <unistd.h>

#include <chrono>
#include <filesystem>

namespace rankscope::observer {
namespace {

constexpr auto kPeriod = std::chrono::seconds(1);

void sample(RankTelemetry& telemetry) {
    const auto stat = processStat(::getpid());
    if (!stat)
        return;
    telemetry::ResourceRecord record;
    record.header.step = telemetry.step();
    record.rssBytes = stat->rssBytes;
    record.cpuNs = stat->cpuNs;
    std::error_code ignored;
    record.threads = static_cast<std::int32_t>(entriesOf("/proc/self/task", ignored).size());
    telemetry.append(record);
    telemetry.board().dropped(telemetry.dropped());
}

} // namespace

ResourceSampler::ResourceSampler(std::shared_ptr<RankTelemetry> telemetry) : m_telemetry(std::move(telemetry)) {
    const SignalsBlocked blocked; // they belong to the program's own threads
    m_thread = std::thread([this] { run(); });
}

ResourceSampler::~ResourceSampler() {
    {
        const std::lock_guard lock(m_mutex);
        m_ending = true;
    }
    m_changed.notify_all();
    m_thread.join();
}

void ResourceSampler::run() {
    ::pthread_setname_np(::pthread_self(), "rs-resources");
    std::unique_lock lock(m_mutex);
    while (!m_changed.wait_for(lock, kPeriod, [this] { return m_ending; }))
        sample(*m_telemetry);
    sample(*m_telemetry);
}

} // namespace rankscope::observer
