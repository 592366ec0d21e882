// SPDX-License-Identifier: Apache-2.0
// Loads the NCCL backend, a separate shared library, only if the device is a GPU: a CPU-only machine needs neither
// libtorch_cuda nor NCCL.
#pragma once

#include "core/base/values/error.h"

#include <torch/csrc/distributed/c10d/Backend.hpp>
#include <torch/csrc/distributed/c10d/Store.hpp>

#include <chrono>
#include <string>

namespace rankscope::trainer {

/// Returns how many CUDA devices this process sees; loads the plug-in. NotFound: it was not built; Unsupported: it
/// cannot be loaded here.
Result<int> cudaDeviceCount();

/// Returns the version of the NCCL that the plug-in uses, such as "2.28.9"; errors as for cudaDeviceCount.
Result<std::string> ncclVersion();

Result<c10::intrusive_ptr<c10d::Backend>> makeNcclBackend(const c10::intrusive_ptr<c10d::Store>& store, int rank,
                                                          int worldSize, at::Device device,
                                                          std::chrono::milliseconds timeout);

} // namespace rankscope::trainer
