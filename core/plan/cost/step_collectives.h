// SPDX-License-Identifier: Apache-2.0
// Plans what the ranks exchange in training, call by call, as NeMo (PyTorch's DistributedDataParallel under Lightning's
// DDPStrategy) and as rankscope-trainer do it. NeMo's lists were compared with what NeMo 2.7.3 and 3.0.0 called on
// torch 2.11 and Lightning 2.4 (tests/nemo/collectives.py); SyncBatchNorm's follow from PyTorch's sources.
#pragma once

#include "core/config/recipe/recipe.h"
#include "core/plan/cost/model_shapes.h"
#include "core/plan/result/planned_collective.h"

#include <vector>

namespace rankscope::plan {

/// Returns the collectives in the order in which each of `ranks` ranks calls them. Without a process group (one rank,
/// and no backend that the recipe names) the lists are empty. Checkpoints, and Lightning's barriers around start and
/// end, are not part of it.
TrainerCollectives plannedCollectives(Trainer trainer, const config::Recipe& recipe,
                                      const std::vector<TensorShape>& shapes, int ranks);

/// Returns the model's tensors with the buffer that NeMo's model has and the state dict has not, the position table,
/// and with the order in which NeMo's backward finishes gradients.
std::vector<TensorShape> nemoShapes(const config::ModelConfig& model, const std::vector<TensorShape>& shapes);

/// Returns the trainer's settings as NeMo reads them: without those of the section `rankscope`.
config::TrainerConfig asNemoReads(const config::TrainerConfig& trainer);

} // namespace rankscope::plan
