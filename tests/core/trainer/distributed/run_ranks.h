// SPDX-License-Identifier: Apache-2.0
// Includes Torch's headers, so it must not be included by files that use Qt.
#pragma once

#include "core/trainer/distributed/observe/observed_group.h"
#include "tests/core/trainer/distributed/two_ranks.h"

#include <functional>
#include <memory>

namespace rankscope::test {

using Scene =
    std::function<void(const std::shared_ptr<trainer::ObservedGroup>&, observer::RankTelemetry&, RankResult&)>;

/// Runs the scene in two threads, each a rank of a group over Gloo.
RankResults runRanks(const std::filesystem::path& dir, const Scene& scene);

} // namespace rankscope::test
