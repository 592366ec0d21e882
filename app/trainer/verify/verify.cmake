# SPDX-License-Identifier: Apache-2.0
# The check against a NeMo reference, as a library: the trainer and its test link it.
rankscope_torch_library(rankscope_verify
    SOURCES ${CMAKE_CURRENT_LIST_DIR}/verify.cpp ${CMAKE_CURRENT_LIST_DIR}/verify_model.cpp
            ${CMAKE_CURRENT_LIST_DIR}/verify_reference.cpp ${CMAKE_CURRENT_LIST_DIR}/verify_version.cpp
    PUBLIC rankscope_ssl rankscope_checkpoint rankscope_config)
target_compile_options(rankscope_verify PRIVATE -O1) # it leads ATen's operators, as core/trainer/loop does
