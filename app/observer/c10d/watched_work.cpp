// SPDX-License-Identifier: Apache-2.0
#include "app/observer/c10d/watched_work.h"

#include "core/observer/rank_interface.h"

#include <utility>

namespace rankscope::observer {

WatchedWork::WatchedWork(c10::intrusive_ptr<c10d::Work> inner, std::uint64_t handle)
    : Work(-1, inner->retrieveOpType()), m_inner(std::move(inner)), m_handle(handle) {}

WatchedWork::~WatchedWork() {
    end(false);
}

bool WatchedWork::isCompleted() {
    const bool completed = m_inner->isCompleted();
    if (completed)
        end(!m_inner->isSuccess());
    return completed;
}

bool WatchedWork::wait(std::chrono::milliseconds timeout) {
    try {
        const bool completed = m_inner->wait(timeout);
        end(!completed);
        return completed;
    } catch (...) {
        end(true);
        throw;
    }
}

void WatchedWork::end(bool failed) noexcept {
    if (const std::uint64_t handle = m_handle.exchange(0))
        rs_done(handle, failed ? 1 : 0);
}

} // namespace rankscope::observer
