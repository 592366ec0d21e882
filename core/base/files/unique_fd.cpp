// SPDX-License-Identifier: Apache-2.0
#include "core/base/files/unique_fd.h"

#include <unistd.h>

namespace rankscope {

UniqueFd& UniqueFd::operator=(UniqueFd&& other) noexcept {
    if (this != &other) {
        reset();
        m_fd = std::exchange(other.m_fd, -1);
    }
    return *this;
}

void UniqueFd::reset() {
    if (m_fd >= 0)
        ::close(std::exchange(m_fd, -1));
}

} // namespace rankscope
