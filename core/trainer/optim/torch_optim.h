// SPDX-License-Identifier: Apache-2.0
// All of model.optim: what changes the weights, and how fast.
#pragma once

#include "core/trainer/optim/learning_rate_schedule.h"
#include "core/trainer/optim/optimizers.h"
