// SPDX-License-Identifier: Apache-2.0
#include "core/trainer/loop/faults/fault_actions.h"

#include "core/base/files/file.h"
#include "core/base/values/clock.h"

#include <fmt/format.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <limits>
#include <memory>
#include <new>
#include <system_error>
#include <vector>

namespace rankscope::trainer {
namespace {

std::int64_t threadCpuNs() {
    timespec now{};
    ::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return static_cast<std::int64_t>(now.tv_sec) * 1'000'000'000 + now.tv_nsec;
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

/// Returns the address space of this process, in bytes.
std::int64_t addressSpace() {
    const auto statm = readFile("/proc/self/statm");
    const std::int64_t pages = statm ? std::strtoll(statm->c_str(), nullptr, 10) : 0;
    if (pages <= 0)
        throw std::system_error(std::make_error_code(std::errc::io_error), "/proc/self/statm");
    return pages * ::sysconf(_SC_PAGESIZE);
}

template <class Enum> std::optional<Enum> valueNamed(std::string_view name, std::string_view (*nameOf)(Enum)) {
    for (int i = 0; i < static_cast<int>(Enum::Count); ++i)
        if (nameOf(static_cast<Enum>(i)) == name)
            return static_cast<Enum>(i);
    return std::nullopt;
}

} // namespace

void extendBatch(Batch& batch, std::int64_t samples) {
    if (batch.audio.size(1) >= samples)
        return;
    batch.audio = repeatTo(batch.audio, batch.audioLen, samples);
    batch.noisy = repeatTo(batch.noisy, batch.noisyLen, samples);
    batch.audioLen.fill_(samples);
    batch.noisyLen.fill_(samples);
    std::fill(batch.samples.begin(), batch.samples.end(), samples);
}

void spoilBatch(Batch& batch, std::int64_t sampleRate) {
    const std::int64_t from = batch.samples.front() / 2;
    for (const torch::Tensor& audio : {batch.audio, batch.noisy}) {
        audio[0]
            .slice(0, from, from + std::max<std::int64_t>(1, sampleRate / 100))
            .fill_(std::numeric_limits<float>::quiet_NaN());
    }
}

int signalByName(const std::string& name) {
    for (int number = 1; number < 32; ++number) {
        const char* known = ::sigabbrev_np(number);
        if (known && name == fmt::format("SIG{}", known))
            return number;
    }
    return 0;
}

void die(const config::FaultConfig& fault) {
    if (fault.signal.empty())
        ::_exit(fault.exitCode);
    const int number = signalByName(fault.signal);
    ::signal(number, SIG_DFL);
    ::raise(number);
}

void exhaustMemory(std::int64_t megabytes) {
    constexpr std::int64_t kMiB = 1 << 20, kPiece = 4 * kMiB;
    rlimit limit{};
    ::getrlimit(RLIMIT_AS, &limit);
    const auto most = static_cast<rlim_t>(addressSpace() + megabytes * kMiB);
    limit.rlim_cur = limit.rlim_max == RLIM_INFINITY ? most : std::min(most, limit.rlim_max);
    if (::setrlimit(RLIMIT_AS, &limit) != 0)
        throw std::system_error(errno, std::generic_category(), "setrlimit(RLIMIT_AS)");
    std::vector<std::unique_ptr<char[]>> taken;
    for (std::int64_t bytes = 0; bytes <= megabytes * kMiB; bytes += kPiece) {
        taken.emplace_back(new char[kPiece]);
        std::memset(taken.back().get(), 1, kPiece);
    }
    // freed memory of the process served all allocations so far; one that needs new memory is certain to fail
    taken.emplace_back(new char[static_cast<std::size_t>(most)]);
}

void spinFor(double seconds, const std::function<bool()>& interrupted) {
    const std::int64_t until = monotonicNs() + static_cast<std::int64_t>(seconds * 1e9);
    while (monotonicNs() < until && !interrupted()) {
    }
}

std::optional<telemetry::Phase> phaseNamed(std::string_view name) {
    return valueNamed(name, telemetry::phaseName);
}

std::optional<telemetry::ForwardSite> placeNamed(std::string_view name) {
    return valueNamed(name, telemetry::placeName);
}

void ComputeDrag::mark() {
    m_markNs = threadCpuNs();
}

std::int64_t ComputeDrag::sinceMark() const {
    return m_markNs == 0 ? 0 : threadCpuNs() - m_markNs;
}

void ComputeDrag::stretch(double factor, const std::function<bool()>& interrupted) {
    burn(static_cast<std::int64_t>((factor - 1) * static_cast<double>(sinceMark())), interrupted);
}

void ComputeDrag::burn(std::int64_t cpuNs, const std::function<bool()>& interrupted) {
    const std::int64_t until = threadCpuNs() + cpuNs;
    while (threadCpuNs() < until && !interrupted()) {
    }
    mark();
}

} // namespace rankscope::trainer
