// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "app/observer/c10d/call_reader.h"
#include "app/observer/c10d/python/call_places.h"
#include "app/observer/c10d/python/group_numbers.h"

#include <torch/csrc/distributed/c10d/Work.hpp>

#include <atomic>
#include <cstdint>
#include <typeinfo>

namespace rankscope::observer {

/// State that all kernels share. There is one object, which is never freed.
struct KernelState {
    KernelState(rs_c10d_resolve resolve, rs_c10d_group group) : groups(group), places(resolve) {}

    GroupNumbers groups;
    CallPlaces places;
    std::atomic<bool> off{false}; ///< after the first error
};

/// The dispatch keys to which a kernel at BackendSelect passes a call on.
inline const c10::DispatchKeySet kBelow(c10::DispatchKeySet::FULL_AFTER, c10::DispatchKey::BackendSelect);

/// Reports the calls of one operator: when the calling thread arrived, when the backend accepted the call, and when it
/// ended.
class CallObserver {
public:
    CallObserver(telemetry::CollectiveOp op, KernelState& state) : m_op(op), m_state(state) {}

    /// Reports a call; `read` returns its CallFacts. Returns the handle of rs_enter().
    template <class Read> std::uint64_t enter(const Read& read) noexcept {
        if (!isOn())
            return 0;
        try {
            return report(read());
        } catch (...) {
            switchOff();
            return 0;
        }
    }
    /// Reports that the backend has thrown an exception.
    void refused(std::uint64_t handle) noexcept;
    /// Reports that the backend has accepted the call and, if `work` is null, waited for its end. May replace `work`,
    /// which the program receives.
    void follow(c10::intrusive_ptr<c10d::Work>& work, std::uint64_t handle) noexcept;

private:
    bool isOn() const noexcept;
    std::uint64_t report(const CallFacts& call);
    bool hasFuture(const c10d::Work& work) const;
    c10::intrusive_ptr<c10::ivalue::Future> futureOf(c10d::Work& work);
    void switchOff() noexcept;

    const telemetry::CollectiveOp m_op;
    KernelState& m_state;
    std::atomic<const std::type_info*> m_futureless{nullptr}; ///< a class of work that has no future
};

} // namespace rankscope::observer
