// SPDX-License-Identifier: Apache-2.0
#include "core/base/process/heap_trim.h"

#include <cstdlib> // says which C library it is

#if defined(__GLIBC__)
#include <malloc.h>
#endif

namespace rankscope {

void disableTrim() {
#if defined(__GLIBC__)
    // the environment's own tuning (MALLOC_TRIM_THRESHOLD_ and others) is read before main and is overridden here
    ::mallopt(M_MMAP_MAX, 0);                // otherwise blocks beyond 32 MiB would be mapped each time
    ::mallopt(M_TRIM_THRESHOLD, 0x7FFFFFFF); // nothing is returned to the system
    ::mallopt(M_TOP_PAD, 64 * 1024 * 1024);
#endif
}

void trimHeap() {
#if defined(__GLIBC__)
    ::malloc_trim(0);
#endif
}

} // namespace rankscope
