// SPDX-License-Identifier: Apache-2.0
// What the trainer uses of LibTorch. torch/torch.h also has its data loaders, TorchScript and the rest of its layers, which
// take four more seconds and 350 MB of a compiler that reads them.
#pragma once

#include <torch/autograd.h>
#include <torch/cuda.h>
#include <torch/nn/functional/normalization.h>
#include <torch/nn/init.h>
#include <torch/nn/module.h>
#include <torch/nn/modules/activation.h>
#include <torch/nn/modules/batchnorm.h>
#include <torch/nn/modules/container/sequential.h>
#include <torch/nn/modules/conv.h>
#include <torch/nn/modules/linear.h>
#include <torch/nn/modules/normalization.h>
#include <torch/nn/pimpl.h>
#include <torch/optim/adamw.h>
#include <torch/optim/rmsprop.h>
#include <torch/optim/sgd.h>
#include <torch/types.h>
#include <torch/utils.h>
