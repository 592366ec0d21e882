// SPDX-License-Identifier: Apache-2.0
#include "core/base/process/signals_blocked.h"

namespace rankscope {

SignalsBlocked::SignalsBlocked() {
    sigset_t all;
    sigfillset(&all);
    ::pthread_sigmask(SIG_SETMASK, &all, &m_before);
}

SignalsBlocked::~SignalsBlocked() {
    ::pthread_sigmask(SIG_SETMASK, &m_before, nullptr);
}

} // namespace rankscope
