// SPDX-License-Identifier: Apache-2.0
// What every thread of another process is doing, as function names: a copy of its stack is unwound with elfutils'
// libdwfl.
#pragma once

#include "core/base/text/library_versions.h"
#include "core/launch/stacks/native_threads.h"

#include <vector>

namespace rankscope::launch {

struct NativeStacks {
    std::vector<NativeThread> threads; ///< the main thread first
    int threadsLeftOut = 0;
};

/// Copies and unwinds the stacks of all threads. Call it in a process that does nothing else: libdwfl reads files that
/// it cannot trust, and a thread that is held when the caller dies goes on. Unsupported on machines other than x86-64.
Result<NativeStacks> takeNativeStacks(pid_t pid, const StackLimits& limits = {});

/// The libdw that is loaded.
LinkedLibrary elfutilsLinked();

} // namespace rankscope::launch
