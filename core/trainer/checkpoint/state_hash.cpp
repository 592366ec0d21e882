// SPDX-License-Identifier: Apache-2.0
#include "core/trainer/checkpoint/state_hash.h"

#include "core/base/text/unit_format.h"

#include <array>
#include <bit>
#include <cstring>

namespace rankscope::trainer {
namespace {

constexpr std::uint64_t kOdd = 0x9E3779B97F4A7C15ull; ///< 2^64 / golden ratio

std::uint64_t mix(std::uint64_t h, std::uint64_t value) {
    return std::rotl(h ^ (value * kOdd), 29) * 0xBF58476D1CE4E5B9ull;
}

/// Four independent lanes hide the latency of the multiplication.
std::uint64_t hashBytes(const void* data, std::size_t size, std::uint64_t seed) {
    const auto* p = static_cast<const unsigned char*>(data);
    std::array<std::uint64_t, 4> lanes{seed, seed + kOdd, seed ^ size, ~seed};
    for (; size >= 32; p += 32, size -= 32)
        for (std::size_t i = 0; i < 4; ++i) {
            std::uint64_t word;
            std::memcpy(&word, p + 8 * i, sizeof word);
            lanes[i] = mix(lanes[i], word);
        }
    for (; size > 0; ++p, --size)
        lanes[0] = mix(lanes[0], *p);
    std::uint64_t h = lanes[0];
    for (std::size_t i = 1; i < 4; ++i)
        h = mix(h, lanes[i]);
    return h ^ (h >> 31);
}

} // namespace

std::uint64_t stateHash(const StateDict& state) {
    std::uint64_t h = hash64("state");
    for (const auto& [name, tensor] : state) {
        h = hash64(name, h);
        h = mix(h, static_cast<std::uint64_t>(tensor.scalar_type()));
        for (const std::int64_t n : tensor.sizes())
            h = mix(h, static_cast<std::uint64_t>(n));
        const auto host = tensor.detach().to(torch::kCPU).contiguous();
        h = hashBytes(host.const_data_ptr(), host.nbytes(), h);
    }
    return h;
}

} // namespace rankscope::trainer
