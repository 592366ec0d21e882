// SPDX-License-Identifier: Apache-2.0
// Hand-written CPU loops are compiled twice: for the baseline and for AVX2 with FMA; the machine's is taken at run
// time.
#pragma once

#if defined(__x86_64__) && defined(__GNUC__)
#define RANKSCOPE_HAS_AVX2 1
#else
#define RANKSCOPE_HAS_AVX2 0
#endif

#define RANKSCOPE_INLINE inline __attribute__((always_inline))

namespace rankscope::trainer {

inline bool hasAvx2() {
#if RANKSCOPE_HAS_AVX2
    static const bool yes = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
    return yes;
#else
    return false;
#endif
}

} // namespace rankscope::trainer

/// Defines NAME(PARAMS), which runs BODY(ARGS) in the variant that the machine has. BODY must be RANKSCOPE_INLINE.
#if RANKSCOPE_HAS_AVX2
#define RANKSCOPE_DISPATCH(NAME, BODY, PARAMS, ARGS)                                                                   \
    __attribute__((target("avx2,fma"))) void NAME##Avx2 PARAMS {                                                       \
        BODY ARGS;                                                                                                     \
    }                                                                                                                  \
    void NAME##Base PARAMS {                                                                                           \
        BODY ARGS;                                                                                                     \
    }                                                                                                                  \
    void NAME PARAMS {                                                                                                 \
        return hasAvx2() ? NAME##Avx2 ARGS : NAME##Base ARGS;                                                          \
    }
#else
#define RANKSCOPE_DISPATCH(NAME, BODY, PARAMS, ARGS)                                                                   \
    void NAME PARAMS {                                                                                                 \
        BODY ARGS;                                                                                                     \
    }
#endif
