// SPDX-License-Identifier: Apache-2.0
// The machine that a plan is made for, if it is not this one: given by a GPU's name, or by its figures.
#pragma once

#include "core/base/values/error.h"
#include "core/config/risks/risk_context.h"

#include <string>
#include <string_view>
#include <vector>

namespace rankscope::plan {

/// A GPU's figures from its data sheet: dense products, without sparsity.
struct GpuModel {
    std::string_view name;      ///< "H100"
    double gigabytes = 0;       ///< 10^9 bytes
    double halfTeraflops = 0;   ///< bfloat16 or float16, 10^12 operations a second
    double singleTeraflops = 0; ///< float32 without TF32
    int computeCapability = 0;
};
const std::vector<GpuModel>& gpuModels();

struct TargetMachine {
    std::string text; ///< as targetFromText() reads it; empty: this machine
    std::string name; ///< "2 nodes of 8 x H100 80 GB"; empty: this machine
    int nodes = 0;    ///< 0: as in the recipe
    config::MachineFacts node;
    double halfFlops = 0, singleFlops = 0; ///< peak operations a second of one GPU; 0: unknown
};

/// Parses "8xH100", "2x8xA100" (nodes first), "4xA100,memory=40G,cores=48,ram=512G", or "gpus=4,memory=48G,tflops=180".
/// Keys: nodes, gpus, memory (of one GPU), cores and ram (of a node), tflops (of one GPU in half precision).
Result<TargetMachine> targetFromText(std::string_view text);

} // namespace rankscope::plan
