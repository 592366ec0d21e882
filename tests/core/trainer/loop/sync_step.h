// SPDX-License-Identifier: Apache-2.0
// One training step of NEST by two ranks with SyncBatchNorm, beside the same step by one rank on the joined batch.
// Without Qt, whose keywords clash with Torch's headers.
#pragma once

#include <string>

namespace rankscope::test {

struct StepComparison {
    std::string problem;        ///< what kept the comparison from being made
    long long maskedFrames = 0; ///< of each half
    double jointLoss = 0, averagedLoss = 0;
    double worstGradient = 0; ///< largest deviation / (1e-4 x the tensor's largest + 1e-5); within tolerance: <= 1
    std::string worstGradientName;
    double worstStatistic = 0;   ///< of batch norm's running statistics, relative
    double weightsWithin = 0;    ///< share of weights within 1e-4 after the optimizer step
    bool ranksEqual = false;     ///< both ranks' weights, bit by bit
    double worstWithoutSync = 0; ///< as worstGradient, when the ranks do not exchange statistics
};

StepComparison compareStep();

} // namespace rankscope::test
