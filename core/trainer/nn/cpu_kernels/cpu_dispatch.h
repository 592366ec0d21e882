// SPDX-License-Identifier: Apache-2.0
// Hand-written CPU loops are compiled three times: for the baseline, for AVX2 with FMA and for AVX-512; the variant for
// the machine is chosen at run time.
#pragma once

#if defined(__x86_64__) && defined(__GNUC__)
#define RANKSCOPE_HAS_VARIANTS 1
#else
#define RANKSCOPE_HAS_VARIANTS 0
#endif

#define RANKSCOPE_INLINE inline __attribute__((always_inline))

namespace rankscope::trainer {

enum class CpuVariant { Base, Avx2, Avx512 };

inline CpuVariant cpuVariant() {
#if RANKSCOPE_HAS_VARIANTS
    static const CpuVariant variant = [] {
        if (!__builtin_cpu_supports("avx2") || !__builtin_cpu_supports("fma"))
            return CpuVariant::Base;
        const bool wide = __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512vl") &&
                          __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512dq");
        return wide ? CpuVariant::Avx512 : CpuVariant::Avx2;
    }();
    return variant;
#else
    return CpuVariant::Base;
#endif
}

} // namespace rankscope::trainer

/// Defines NAME(PARAMS), which runs BODY(ARGS) in the variant for the machine. BODY must be RANKSCOPE_INLINE.
#if RANKSCOPE_HAS_VARIANTS
#define RANKSCOPE_DISPATCH(NAME, BODY, PARAMS, ARGS)                                                                   \
    __attribute__((                                                                                                    \
        target("avx512f,avx512vl,avx512bw,avx512dq,avx2,fma,prefer-vector-width=512"))) void NAME##Avx512 PARAMS {     \
        BODY ARGS;                                                                                                     \
    }                                                                                                                  \
    __attribute__((target("avx2,fma"))) void NAME##Avx2 PARAMS {                                                       \
        BODY ARGS;                                                                                                     \
    }                                                                                                                  \
    void NAME##Base PARAMS {                                                                                           \
        BODY ARGS;                                                                                                     \
    }                                                                                                                  \
    void NAME PARAMS {                                                                                                 \
        switch (cpuVariant()) {                                                                                        \
        case CpuVariant::Avx512:                                                                                       \
            return NAME##Avx512 ARGS;                                                                                  \
        case CpuVariant::Avx2:                                                                                         \
            return NAME##Avx2 ARGS;                                                                                    \
        case CpuVariant::Base:                                                                                         \
            break;                                                                                                     \
        }                                                                                                              \
        NAME##Base ARGS;                                                                                               \
    }
#else
#define RANKSCOPE_DISPATCH(NAME, BODY, PARAMS, ARGS)                                                                   \
    void NAME PARAMS {                                                                                                 \
        BODY ARGS;                                                                                                     \
    }
#endif
