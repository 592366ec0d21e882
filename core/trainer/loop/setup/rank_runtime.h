// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/values/error.h"
#include "core/config/recipe/checkpoint_recipe.h"
#include "core/config/recipe/recipe.h"
#include "core/plan/steps/step_schedule.h"
#include "core/trainer/checks/check_result.h"
#include "core/trainer/data/batches/batch_loader.h"
#include "core/trainer/distributed/parallel/data_parallel.h"
#include "core/trainer/distributed/parallel/length_sync.h"
#include "core/trainer/loop/faults/fault_injector.h"
#include "core/trainer/loop/precision/autocast_precision.h"
#include "core/trainer/loop/process/run_log.h"
#include "core/trainer/optim/learning_rate_schedule.h"
#include "core/trainer/optim/optimizers.h"
#include "core/trainer/ssl/nest_model.h"

#include <torch/optim/optimizer.h>

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace rankscope::trainer {

using plan::StepSchedule;
using plan::ValidationPlan;

/// State that a checkpoint stores as text in addition to weights, optimizer and random numbers, such as a gradient
/// scaler's. It is the same on all ranks.
struct StatePart {
    std::string name;
    std::function<std::string()> save;
    std::function<Result<void>(const std::string&)> load;
};

/// One of the sets that validation_ds names (core/config/recipe/validation_sets.h).
struct ValidationLoader {
    std::string lossName;
    bool monitored = true;
    std::unique_ptr<BatchLoader> loader;
};

/// Everything that one rank trains with, built from the recipe and the environment.
struct RankRuntime {
    const config::Recipe& recipe;
    RankEnvironment me;
    at::Device device{at::kCPU};
    std::shared_ptr<observer::RankTelemetry> telemetry;
    RunLog log;

    Precision precision;
    std::shared_ptr<Faults> faults;
    std::unique_ptr<BatchLoader> loader;
    std::vector<ValidationLoader> validationLoaders; ///< one for each set of the plan; empty: no validation
    StepSchedule plan;
    ValidationPlan validation;
    NestModel model{nullptr};
    std::vector<torch::Tensor> parameters;  ///< trainable
    bool led = false;                       ///< whether a supervisor started the ranks and chose their number
    std::shared_ptr<ObservedGroup> group;   ///< null for a single rank
    std::shared_ptr<LengthSync> lengthSync; ///< null for a single rank
    std::unique_ptr<DataParallel> parallel; ///< null for a single rank
    std::unique_ptr<torch::optim::Optimizer> optimizer;
    std::optional<LearningRateSchedule> schedule;
    std::string configText;            ///< the text from which `recipe` was read
    config::CheckpointRecipe keeping;  ///< from the same text
    std::vector<StatePart> stateParts; ///< filled while the rank is built
};

} // namespace rankscope::trainer
