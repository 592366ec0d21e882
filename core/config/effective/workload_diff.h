// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

namespace rankscope::config {

/// Keys whose values differ between two effective.yaml texts, apart from those that no step's cost depends on: the
/// number of ranks, where the run ends, what it is called, what it logs and saves, and Rankscope's own. Empty: steps of
/// both do the same work.
std::vector<std::string> differingWork(const std::string& a, const std::string& b);

} // namespace rankscope::config
