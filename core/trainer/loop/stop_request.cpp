// SPDX-License-Identifier: Apache-2.0
#include "core/trainer/loop/stop_request.h"

#include "core/base/clock.h"

#include <signal.h>

#include <atomic>
#include <limits>

namespace rankscope::trainer {
namespace {

std::atomic<std::int64_t> g_signalledAtNs{0};
static_assert(std::atomic<std::int64_t>::is_always_lock_free);

void onStopSignal(int) {
    std::int64_t none = 0;
    g_signalledAtNs.compare_exchange_strong(none, monotonicNs()); // clock_gettime is async-signal-safe
}

} // namespace

bool stopSignalled() {
    return stopSignalledAtNs() != 0;
}

std::int64_t stopSignalledAtNs() {
    return g_signalledAtNs.load(std::memory_order_relaxed);
}

void installStopSignals() {
    g_signalledAtNs = 0;
    struct sigaction action {};
    action.sa_handler = onStopSignal;
    action.sa_flags = SA_RESTART;
    sigemptyset(&action.sa_mask);
    ::sigaction(SIGTERM, &action, nullptr);
    ::sigaction(SIGINT, &action, nullptr);
    // a peer that died while Gloo writes to it is a failed collective, not the end of this process
    ::signal(SIGPIPE, SIG_IGN);
}

bool StopRule::leaves(std::int64_t nextStep, std::int64_t stopAtStep, std::int64_t signalledAtNs,
                      std::int64_t nowNs) const {
    if (hasControlPage && stopAtStep != std::numeric_limits<std::int64_t>::max()) {
        return nextStep >= stopAtStep;
    }
    if (signalledAtNs == 0) {
        return false;
    }
    return !hasControlPage || nowNs - signalledAtNs > kPatienceNs;
}

} // namespace rankscope::trainer
