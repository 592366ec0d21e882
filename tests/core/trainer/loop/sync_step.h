// SPDX-License-Identifier: Apache-2.0
// One training step of NEST by two ranks with SyncBatchNorm, compared with the same step by one rank on the joined
// batch. Free of Qt, whose keywords clash with Torch's headers.
#pragma once

#include <string>

namespace rankscope::test {

struct StepComparison {
    std::string problem;        ///< why the comparison could not be made
    long long maskedFrames = 0; ///< in each half
    double jointLoss = 0, averagedLoss = 0;
    double worstGradient = 0; ///< largest deviation / (1e-4 x the tensor's largest + 1e-5); up to 1 is within tolerance
    std::string worstGradientName;
    double worstStatistic = 0;   ///< of batch norm's running statistics, relative
    double weightsWithin = 0;    ///< share of weights within 1e-4 after the optimizer step
    bool ranksEqual = false;     ///< both ranks have the same weights, bit by bit
    double worstWithoutSync = 0; ///< the same as worstGradient if the ranks do not exchange statistics
};

StepComparison compareStep();

} // namespace rankscope::test
