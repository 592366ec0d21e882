// SPDX-License-Identifier: Apache-2.0
// The part of LibTorch that most of the trainer uses. torch/torch.h also has its data loaders, TorchScript and all
// layers, which take the compiler ten more seconds to read. A file that needs more includes torch/torch.h itself.
#pragma once

#include <torch/nn/module.h>
#include <torch/nn/modules/conv.h>
#include <torch/nn/modules/linear.h>
#include <torch/nn/pimpl.h>
#include <torch/types.h>
#include <torch/utils.h>
