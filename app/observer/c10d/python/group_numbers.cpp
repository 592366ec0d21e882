// SPDX-License-Identifier: Apache-2.0
#include "app/observer/c10d/python/group_numbers.h"

#include "app/observer/c10d/python/python_api.h"

namespace rankscope::observer {

namespace {

/// Returns an empty name for a group without backends, whose name PyTorch does not return.
const std::string& nameOf(const c10d::ProcessGroup& group) {
    try {
        return group.getGroupName();
    } catch (const c10::Error&) {
        static const std::string& nameless = *new std::string; // never freed: kernels may run until the process ends
        return nameless;
    }
}

} // namespace

std::uint32_t GroupNumbers::of(const c10d::ProcessGroup& group) {
    const std::string& name = nameOf(group);
    {
        const std::lock_guard lock(m_mutex);
        const auto known = m_known.find(&group);
        if (known != m_known.end() && known->second.name == name)
            return known->second.number;
    }
    // Without the lock: it takes the GIL, whose holder may be waiting for the lock.
    const std::uint32_t number = m_ask ? m_ask(name.c_str()) : RS_C10D_UNKNOWN_GROUP;
    InterruptedCallback::raiseLater();
    const std::lock_guard lock(m_mutex);
    m_known.insert_or_assign(&group, Known{name, number});
    return number;
}

void GroupNumbers::forget() {
    const std::lock_guard lock(m_mutex);
    m_known.clear();
}

} // namespace rankscope::observer
