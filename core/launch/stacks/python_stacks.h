// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/launch/stacks/native_stack.h"

#include <sys/types.h>

#include <string>
#include <string_view>
#include <vector>

namespace rankscope::launch {

/// The Python frames of one thread; innermost frame first.
struct PythonThread {
    bool current = false;            ///< The thread that wrote the stacks; it is the main thread as a rule.
    std::vector<std::string> frames; ///< "train_step (/home/me/train.py:88)"
};

/// Returns whether the process has a handler for the signal now. Any other process would be ended by it: one in which
/// Python has shut down, or that has become another program.
bool catchesSignal(pid_t pid, int number);

/// Reads what Python's faulthandler has written. Trusts nothing in it; the number of threads and frames is limited.
std::vector<PythonThread> pythonThreadsOf(std::string_view text, const StackLimits& limits = {});

/// Puts the Python frames of the main thread before its native ones, and adds the other threads' at the end.
/// `mainThread`: its number, which is the process's. Threads that have only Python frames get negative numbers.
void addPythonThreads(std::vector<NativeThread>& threads, const std::vector<PythonThread>& python, int mainThread);

} // namespace rankscope::launch
