// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "app/observer/c10d/python/python_functions.h"

#include <torch/csrc/distributed/c10d/ProcessGroup.hpp>

#include <cstdint>
#include <mutex>
#include <string>
#include <unordered_map>

namespace rankscope::observer {

/// The numbers of process groups. Python is asked once for each group. Any thread may call the functions.
class GroupNumbers {
public:
    explicit GroupNumbers(rs_c10d_group ask) : m_ask(ask) {}

    /// Returns RS_C10D_UNKNOWN_GROUP for a group whose members are not known.
    std::uint32_t of(const c10d::ProcessGroup& group);
    /// Forgets all numbers, because the groups were destroyed and others made.
    void forget();

private:
    struct Known {
        std::string name; ///< another group may have the same address later
        std::uint32_t number;
    };

    rs_c10d_group m_ask;
    std::mutex m_mutex;
    std::unordered_map<const c10d::ProcessGroup*, Known> m_known;
};

} // namespace rankscope::observer
