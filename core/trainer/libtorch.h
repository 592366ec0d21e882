// SPDX-License-Identifier: Apache-2.0
// What most of the trainer uses of LibTorch. torch/torch.h also has its data loaders, TorchScript and all of its
// layers, which take ten more seconds of a compiler that reads them. A file that needs more includes it.
#pragma once

#include <torch/nn/module.h>
#include <torch/nn/modules/conv.h>
#include <torch/nn/modules/linear.h>
#include <torch/nn/pimpl.h>
#include <torch/types.h>
#include <torch/utils.h>
