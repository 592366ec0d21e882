// SPDX-License-Identifier: Apache-2.0
#include "core/trainer/loop/faults.h"

#include "core/base/clock.h"

#include <fmt/format.h>
#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstring>
#include <utility>

namespace rankscope::trainer {
namespace {

constexpr auto kLook = std::chrono::milliseconds(20); // how often a sleeping fault looks whether it shall end

std::int64_t nanoseconds(double seconds) {
    return static_cast<std::int64_t>(seconds * 1e9);
}

void spinFor(double seconds, const std::function<bool()>& interrupted) {
    const std::int64_t until = monotonicNs() + nanoseconds(seconds);
    while (monotonicNs() < until && !interrupted()) {
    }
}

/// Ends this process as the fault says; does not return unless the signal is ignored.
void die(const config::FaultConfig& fault) {
    if (fault.signal.empty()) {
        ::_exit(fault.exitCode);
    }
    const int number = signalByName(fault.signal);
    ::signal(number, SIG_DFL);
    ::raise(number);
}

std::string sentence(const config::FaultConfig& fault) {
    const std::string when = fault.steps > 1
                                 ? fmt::format("at steps {} to {}", fault.step, fault.step + fault.steps - 1)
                                 : fmt::format("at step {}", fault.step);
    if (fault.kind == "dead") {
        return fmt::format("fault asked for: this rank dies {} ({})", when,
                           fault.signal.empty() ? fmt::format("exit code {}", fault.exitCode) : fault.signal);
    }
    return fmt::format("fault asked for: {} {}, {:g} s", fault.kind, when, fault.seconds);
}

torch::Tensor repeatTo(const torch::Tensor& audio, const torch::Tensor& lengths, std::int64_t samples) {
    auto extended = torch::empty({audio.size(0), samples}, audio.options()); // [B, samples]
    for (std::int64_t row = 0; row < audio.size(0); ++row) {
        const std::int64_t length = std::max<std::int64_t>(1, lengths[row].item<std::int64_t>());
        const auto one = audio[row].slice(0, 0, length);
        extended[row].copy_(one.repeat({(samples + length - 1) / length}).slice(0, 0, samples));
    }
    return extended;
}

} // namespace

int signalByName(const std::string& name) {
    for (int number = 1; number < 32; ++number) {
        const char* known = ::sigabbrev_np(number);
        if (known && name == fmt::format("SIG{}", known)) {
            return number;
        }
    }
    return 0;
}

void extendBatch(Batch& batch, std::int64_t samples) {
    if (batch.audio.size(1) >= samples) {
        return;
    }
    batch.audio = repeatTo(batch.audio, batch.audioLen, samples);
    batch.noisy = repeatTo(batch.noisy, batch.noisyLen, samples);
    batch.audioLen.fill_(samples);
    batch.noisyLen.fill_(samples);
    std::fill(batch.samples.begin(), batch.samples.end(), samples);
}

Faults::Faults(const std::vector<config::FaultConfig>& all, int rank, int sampleRate, std::function<bool()> interrupted)
    : m_sampleRate(sampleRate), m_interrupted(std::move(interrupted)) {
    std::copy_if(all.begin(), all.end(), std::back_inserter(m_mine),
                 [rank](const config::FaultConfig& fault) { return fault.rank == rank; });
}

std::vector<std::string> Faults::sentences() const {
    std::vector<std::string> all;
    std::transform(m_mine.begin(), m_mine.end(), std::back_inserter(all), sentence);
    return all;
}

bool Faults::acts(const config::FaultConfig& fault, std::int64_t step) const {
    return step >= fault.step && step < fault.step + fault.steps;
}

void Faults::sleepFor(double seconds) {
    const std::int64_t until = monotonicNs() + nanoseconds(seconds);
    std::unique_lock lock(m_mutex);
    for (;;) {
        const std::int64_t left = until - monotonicNs();
        if (left <= 0 || m_cancelled || m_interrupted()) {
            return;
        }
        m_changed.wait_for(lock, std::min<std::chrono::nanoseconds>(kLook, std::chrono::nanoseconds(left)));
    }
}

void Faults::beforeBatch(std::int64_t index) {
    const auto [step, micro] = m_plan.positionOf(index);
    for (const auto& fault : m_mine) {
        if (fault.kind != "data_loading" || micro != 0 || !acts(fault, step)) {
            continue;
        }
        {
            std::unique_lock lock(m_mutex);
            while (m_wanted < index && !m_cancelled && !m_interrupted()) {
                m_changed.wait_for(lock, kLook);
            }
        }
        sleepFor(fault.seconds);
    }
}

void Faults::afterBatch(std::int64_t index, Batch& batch) {
    const std::int64_t step = m_plan.positionOf(index).step;
    for (const auto& fault : m_mine) {
        if (fault.kind == "long_batch" && acts(fault, step)) {
            extendBatch(batch, static_cast<std::int64_t>(fault.seconds * m_sampleRate));
        }
    }
}

void Faults::wants(std::int64_t index) {
    if (!any()) {
        return;
    }
    const std::lock_guard lock(m_mutex);
    m_wanted = index;
    m_changed.notify_all();
}

void Faults::inForward(std::int64_t step) {
    for (const auto& fault : m_mine) {
        if (!acts(fault, step)) {
            continue;
        }
        if (fault.kind == "slow_compute") {
            spinFor(fault.seconds, m_interrupted);
        } else if (fault.kind == "stopped") {
            ::raise(SIGSTOP); // until somebody sends SIGCONT
        } else if (fault.kind == "dead") {
            die(fault);
        }
    }
}

void Faults::cancel() {
    const std::lock_guard lock(m_mutex);
    m_cancelled = true;
    m_changed.notify_all();
}

} // namespace rankscope::trainer
