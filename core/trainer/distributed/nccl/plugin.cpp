// SPDX-License-Identifier: Apache-2.0
// The only code that needs libtorch_cuda, the CUDA runtime and NCCL.
#include "core/trainer/distributed/nccl/nccl_abi.h"

#include <c10/cuda/CUDAFunctions.h>
#include <torch/csrc/distributed/c10d/ProcessGroupNCCL.hpp>

#include <algorithm>
#include <cstring>
#include <exception>
#include <string>

namespace {

using rankscope::trainer::kNcclAbiVersion;
using rankscope::trainer::NcclPlugin;

int deviceCount() {
    return c10::cuda::device_count();
} // does not throw; 0 without a driver

c10::intrusive_ptr<c10d::Backend> makeBackend(const c10::intrusive_ptr<c10d::Store>& store, int rank, int worldSize,
                                              int deviceIndex, std::int64_t timeoutMs, char* error,
                                              std::size_t errorSize) {
    try {
        c10::cuda::set_device(static_cast<c10::DeviceIndex>(deviceIndex));
        auto options = c10d::ProcessGroupNCCL::Options::create();
        options->timeout = std::chrono::milliseconds(timeoutMs);
        return c10::make_intrusive<c10d::ProcessGroupNCCL>(store, rank, worldSize, options);
    } catch (const std::exception& e) {
        const std::string text(e.what());
        const std::size_t length = std::min({text.find('\n'), text.size(), errorSize - 1});
        std::memcpy(error, text.data(), length);
        error[length] = '\0';
        return nullptr;
    }
}

int ncclVersion() {
    return c10d::getNcclVersionNumber();
}

const NcclPlugin kPlugin{kNcclAbiVersion, &deviceCount, &makeBackend, &ncclVersion};

} // namespace

extern "C" __attribute__((visibility("default"))) const NcclPlugin*
rankscope_nccl_plugin() { // NOLINT(readability-identifier-naming): named like a C symbol
    return &kPlugin;
}
