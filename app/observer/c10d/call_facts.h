// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <ATen/core/Tensor.h>
#include <torch/csrc/distributed/c10d/ProcessGroup.hpp>

#include <cstdint>
#include <optional>

namespace rankscope::observer {

/// The facts about a collective that its arguments contain.
struct CallFacts {
    /// Adds a tensor to those that this rank contributes.
    void add(const at::Tensor& tensor);
    void forgetPayload();

    const c10d::ProcessGroup* group = nullptr;
    std::int64_t elements = 0; ///< contributed by this rank; -1: not known, for sparse tensors
    std::uint8_t dtype = 0;    ///< c10::ScalarType of the first tensor
    bool floating = false;
    std::optional<bool> async; ///< the caller continues before the end; none: the operator has no such argument

private:
    bool m_hasType = false;
};

} // namespace rankscope::observer
