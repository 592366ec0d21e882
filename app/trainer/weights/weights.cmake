# SPDX-License-Identifier: Apache-2.0
# The commands `weights` and `convert`, as a library: the trainer and its test link it.
rankscope_torch_library(rankscope_weights
    SOURCES ${CMAKE_CURRENT_LIST_DIR}/weights_commands.cpp
    PUBLIC rankscope_ssl rankscope_checkpoint rankscope_config)
target_compile_options(rankscope_weights PRIVATE -O1) # it leads ATen's operators, as core/trainer/loop does
