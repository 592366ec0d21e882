// SPDX-License-Identifier: Apache-2.0
// One training step as the trainer runs it, timed phase by phase.
#pragma once

#include "core/base/values/error.h"
#include "tests/bench/kernel_times.h"

#include <array>
#include <cstdint>
#include <string>
#include <vector>

namespace rankscope::bench {

struct StepOptions {
    std::string config = RANKSCOPE_CONFIGS "/nest_small.yaml";
    std::vector<std::string> overrides;
    bool ownSizes = true; ///< use the sizes below; false: those of the recipe
    int dModel = 176, layers = 16, heads = 4, classes = 8192, threads = 1, batch = 8, steps = 6;
    double seconds = 5.0;
    bool cuda = false;    ///< run on the first GPU; its own clock then measures the times
    bool tf32 = false;    ///< compute float32 products and convolutions in TF32
    bool kernels = false; ///< run one more step under the profiler
};

/// The phases in the order in which they run; the last is the whole step.
inline constexpr std::array<const char*, 8> kPhases{"mel",          "quantizer", "mask",      "encoder",
                                                    "decoder_loss", "backward",  "optimizer", "step"};

struct StepResult {
    std::int64_t parameters = 0;
    int rank = 0, ranks = 1;
    std::array<std::vector<double>, kPhases.size()> ms; ///< of each step after the first
    std::vector<double> losses;                         ///< of every step
    double peakMiB = 0;                                 ///< of the process
    double peakGpuMiB = 0, reservedGpuMiB = 0;          ///< of the GPU, as its allocator counts them; 0 without one
    std::vector<KernelTime> kernels;                    ///< of one step, the longest first; empty: not requested

    double median(std::size_t phase) const;
};

/// Times of one rank's whole step, in ms. The three kinds take turns, so that other load on the machine affects all
/// alike.
struct ScalingResult {
    int rank = 0;
    std::vector<double> alone; ///< while the other ranks wait
    std::vector<double> apart; ///< all ranks at once without exchange: what the machine can do
    std::vector<double> both;  ///< all ranks at once, with the exchange of gradients
};

/// Trains on random audio with weights drawn from seed 0 and AdamW, as tools/nemo_speed.py does with NeMo. With RANK
/// and WORLD_SIZE in the environment it is one rank of several, as in nemo_ddp_speed.py.
Result<StepResult> runSteps(const StepOptions& options);

/// Measures what several ranks cost each other; needs WORLD_SIZE > 1.
Result<ScalingResult> runScaling(const StepOptions& options);

double median(std::vector<double> values); ///< 0 if there are no values

} // namespace rankscope::bench
