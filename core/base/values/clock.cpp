// SPDX-License-Identifier: Apache-2.0
#include "core/base/values/clock.h"

#include <ctime>

namespace rankscope {

static std::int64_t read(clockid_t id) {
    timespec t{};
    clock_gettime(id, &t);
    return std::int64_t{t.tv_sec} * 1'000'000'000 + t.tv_nsec;
}

std::int64_t monotonicNs() {
    return read(CLOCK_MONOTONIC);
}
std::int64_t realtimeNs() {
    return read(CLOCK_REALTIME);
}

} // namespace rankscope
