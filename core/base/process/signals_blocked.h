// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <csignal>

namespace rankscope {

/// Blocks all signals of the calling thread during its lifetime. A thread that is started meanwhile has them blocked
/// for good, so that the process's handlers never run in it.
class SignalsBlocked {
public:
    SignalsBlocked();
    ~SignalsBlocked();
    SignalsBlocked(const SignalsBlocked&) = delete;
    SignalsBlocked& operator=(const SignalsBlocked&) = delete;

private:
    sigset_t m_before;
};

} // namespace rankscope
