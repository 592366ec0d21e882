// SPDX-License-Identifier: Apache-2.0
// What every thread of another process is doing, as function names: a copy of its registers and stack is unwound with
// elfutils' libdwfl. The process goes on unharmed: each thread is held only while it is copied, tenths of a ms; a
// process that is stopped (SIGSTOP) stays stopped.
#pragma once

#include "core/base/text/library_versions.h"
#include "core/base/values/error.h"

#include <sys/types.h>

#include <string>
#include <vector>

namespace rankscope::launch {

struct StackLimits {
    int threads = 32, frames = 64;
    double seconds = 5; ///< frames that are found later have no names, threads none at all
};

/// One thread; the innermost frame first.
struct NativeThread {
    int tid = 0;
    std::string name;                ///< as the program set it
    std::string doing;               ///< "runs", "sleeps in futex_wait_queue", "stopped": by the kernel
    std::vector<std::string> frames; ///< "at::native::add(…)+0x2f (libtorch_cpu.so)"
    std::string remark;              ///< how frames were found where there are no unwind tables; why there are none
};

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
