// SPDX-License-Identifier: Apache-2.0
// Counts the operations of a training step from the shapes of the model, and estimates from them how long an epoch
// takes on a machine of which only the data sheet is known.
#pragma once

#include "core/config/recipe/recipe.h"
#include "core/plan/cost/target_machine.h"
#include "core/plan/result/plan.h"

#include <optional>
#include <string>

namespace rankscope::plan {

/// Returns the floating-point operations (a multiply-add counts as two) of forward and backward, which is counted as
/// two forwards, for utterances of equal length.
double trainingFlops(const config::ModelConfig& model, double utterances, double secondsEach);

/// Returns a text such as "3.99 Gflop" or "989 Tflop".
std::string flopsText(double flops);

/// The share of a GPU's peak rate that training is assumed to reach if it has not been measured; stated with each
/// figure.
inline constexpr double kAssumedShare = 0.3;

/// Returns the speed that results from this rate of one rank, which must include all time that the rank waits.
SpeedPlan speedAt(const Plan& plan, const config::Recipe& recipe, double flopsPerSecond);

/// Returns the speed at the assumed share of the GPU's peak rate, less the time ranks wait for longer batches; none if
/// the peak rate is not known. Does not count loading, exchange of gradients, validation or checkpoints.
std::optional<SpeedPlan> estimatedSpeed(const Plan& plan, const config::Recipe& recipe, const TargetMachine& target);

} // namespace rankscope::plan
