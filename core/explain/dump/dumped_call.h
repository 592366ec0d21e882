// SPDX-License-Identifier: Apache-2.0
// The words of a dump: operations, types, ranks.
#pragma once

#include "core/explain/model/hang_evidence.h"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace rankscope::explain {

/// Returns the operation of a profiling name: "nccl:_all_gather_base", "gloo:barrier", "nccl:recv 0<-1".
CollectiveOp opOfProfilingName(std::string_view name);

/// Returns "float32" for "Float", PyTorch's name of the type in C++; an unknown name in lower case.
std::string dtypeOfDump(std::string_view name);

/// Reads "[0, 1, 2]". Returns none if it is something else or a rank is out of range.
std::optional<std::vector<int>> ranksOfText(std::string_view text);

} // namespace rankscope::explain
