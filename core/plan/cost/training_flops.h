// SPDX-License-Identifier: Apache-2.0
// How many operations a training step takes, counted from the shapes of the model; and from them how long an epoch
// takes on a machine of which only the data sheet is known.
#pragma once

#include "core/config/recipe/recipe.h"
#include "core/plan/result/plan.h"
#include "core/plan/cost/target_machine.h"

#include <optional>
#include <string>

namespace rankscope::plan {

/// Floating-point operations (a multiplication with its addition counts as two) of forward and backward, which is
/// counted as two forwards, for utterances of the same length.
double trainingFlops(const config::ModelConfig& model, double utterances, double secondsEach);

/// "3.99 Gflop", "989 Tflop".
std::string flopsText(double flops);

/// What of a GPU's best rate a training reaches, where nobody has measured it: an assumption, told with each figure.
inline constexpr double kAssumedShare = 0.3;

/// At a rate of one rank with everything that it waits for.
SpeedPlan speedAt(const Plan& plan, const config::Recipe& recipe, double flopsPerSecond);

/// At the assumed share of the GPU's best rate, less what ranks wait for longer batches; none where the best rate is
/// not known. Counts neither loading, exchange of gradients, validation nor checkpoints.
std::optional<SpeedPlan> reckonedSpeed(const Plan& plan, const config::Recipe& recipe, const Target& target);

} // namespace rankscope::plan
