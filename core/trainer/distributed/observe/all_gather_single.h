// SPDX-License-Identifier: Apache-2.0
// One name for what LibTorch 2.15 calls all_gather_single and 2.11 _allgather_base, which 2.15 warns of.
#pragma once

#include <torch/types.h>

namespace rankscope::trainer {

/// `input` [n] of all ranks, one after the other, into `output` [ranks x n]. `group`: a c10d::ProcessGroup.
template <class Group> auto allGatherSingle(Group& group, at::Tensor& output, at::Tensor& input) {
    if constexpr (requires { group.all_gather_single(output, input); })
        return group.all_gather_single(output, input);
    else
        return group._allgather_base(output, input);
}

} // namespace rankscope::trainer
