// SPDX-License-Identifier: Apache-2.0
// All of model.optim: what changes the weights, and how fast.
#pragma once

#include "core/trainer/ssl/optimizers.h"
#include "core/trainer/ssl/schedule.h"
