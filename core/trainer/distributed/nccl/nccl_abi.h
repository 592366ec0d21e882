// SPDX-License-Identifier: Apache-2.0
// The interface that rankscope-nccl exports. Both sides are built from one source tree against one LibTorch, so C++
// objects may cross it.
#pragma once

#include <torch/csrc/distributed/c10d/Backend.hpp>
#include <torch/csrc/distributed/c10d/Store.hpp>

#include <cstddef>
#include <cstdint>

namespace rankscope::trainer {

inline constexpr int kNcclAbiVersion = 2;

struct NcclPlugin {
    int version;
    int (*deviceCount)(); ///< 0 when there is no driver
    /// Null on failure; `error` then holds the reason.
    c10::intrusive_ptr<c10d::Backend> (*makeBackend)(const c10::intrusive_ptr<c10d::Store>& store, int rank,
                                                     int worldSize, int deviceIndex, std::int64_t timeoutMs,
                                                     char* error, std::size_t errorSize);
    int (*ncclVersion)(); ///< of the loaded NCCL, in its own encoding: 22809 is 2.28.9
};

/// The one exported symbol: const NcclPlugin* rankscope_nccl_plugin().
inline constexpr const char* kNcclPluginSymbol = "rankscope_nccl_plugin";
using NcclPluginEntry = const NcclPlugin* (*)();

} // namespace rankscope::trainer
