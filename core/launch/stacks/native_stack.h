// SPDX-License-Identifier: Apache-2.0
// The call stacks of all threads of another process, as function names: a copy of each thread's registers and stack is
// unwound with elfutils' libdwfl. The process continues unharmed: each thread is held only while it is copied, for
// some tenths of a millisecond; a process that is stopped (SIGSTOP) stays stopped.
#pragma once

#include "core/base/text/library_versions.h"
#include "core/base/values/error.h"

#include <sys/types.h>

#include <string>
#include <vector>

namespace rankscope::launch {

/// Limits of what is taken from one process.
struct StackLimits {
    int threads = 32, frames = 64; ///< frames: of each thread
    double seconds = 5;            ///< frames found later have no names, and threads reached later have no frames
};

/// One thread; innermost frame first.
struct NativeThread {
    int tid = 0;
    std::string name;                ///< as the program set it
    std::string doing;               ///< according to the kernel: "runs", "sleeps in futex_wait_queue", "stopped"
    std::vector<std::string> frames; ///< "at::native::add(…)+0x2f (libtorch_cpu.so)"
    std::string remark;              ///< how frames were found without unwind tables, or why there are none
};

/// The threads of one process.
struct NativeStacks {
    std::vector<NativeThread> threads; ///< the main thread first
    int threadsLeftOut = 0;
};

/// Copies and unwinds the stacks of all threads. Call it in a process that does nothing else: libdwfl reads files that
/// cannot be trusted, and if the caller dies, a thread that it holds is released. Returns Unsupported on machines other
/// than x86-64.
Result<NativeStacks> takeNativeStacks(pid_t pid, const StackLimits& limits = {});

/// Returns name and version of the loaded libdw.
LinkedLibrary elfutilsLinked();

} // namespace rankscope::launch
