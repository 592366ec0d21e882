// SPDX-License-Identifier: Apache-2.0
// Copies the registers and stacks of another process's threads. The process goes on unharmed: each thread is held only
// while it is copied, tenths of a ms; a process that is stopped (SIGSTOP) stays stopped.
#pragma once

#include "core/base/values/error.h"

#include <sys/types.h>

#include <cstddef>
#include <cstdint>
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

/// Registers and stack of one thread at one moment; the machine's words.
struct ThreadImage {
    static constexpr std::size_t kRegisters = 17; ///< as DWARF numbers them on x86-64: rsp is 7, the address 16
    NativeThread thread;
    std::uint64_t registers[kRegisters] = {};
    std::vector<std::uint64_t> stack; ///< from the stack pointer on, upwards
    bool taken = false;
};

/// All threads' images, at most `limits.threads`. Permission says what forbids it and what to do.
Result<std::vector<ThreadImage>> copyThreads(pid_t pid, const StackLimits& limits, int& leftOut);

} // namespace rankscope::launch
