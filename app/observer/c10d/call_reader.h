// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "app/observer/c10d/call_facts.h"
#include "core/telemetry/format/records.h"

#include <ATen/core/function_schema.h>
#include <ATen/core/stack.h>

#include <cstddef>
#include <optional>

namespace rankscope::observer {

/// Reads the arguments of one operator of c10d from the dispatcher's stack. Made once for each operator from its
/// schema, because the operators and their arguments differ between versions of PyTorch.
class CallReader {
public:
    /// Returns none if the operator has no process group, because it is not a collective then.
    static std::optional<CallReader> of(const c10::FunctionSchema& schema);

    telemetry::CollectiveOp op() const { return m_op; }
    /// Whether its last return value is the work.
    bool returnsWork() const { return m_returnsWork; }

    /// The payload is what this rank contributes: the inputs, except in a scatter, where only one rank has inputs.
    CallFacts read(const torch::jit::Stack& stack) const;

private:
    const c10::IValue& argument(const torch::jit::Stack& stack, std::size_t index) const {
        return stack[stack.size() - m_arguments + index];
    }

    telemetry::CollectiveOp m_op = telemetry::CollectiveOp::Other;
    bool m_returnsWork = false;
    std::size_t m_arguments = 0, m_group = 0;
    std::optional<std::size_t> m_payload, m_async;
};

} // namespace rankscope::observer
