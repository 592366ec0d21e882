// SPDX-License-Identifier: Apache-2.0
// Who this process is among its peers: the environment contract of torchrun.
#pragma once

#include "core/base/error.h"

#include <cstdint>
#include <functional>
#include <string>

namespace rankscope::trainer {

struct RankEnvironment {
    int rank = 0, localRank = 0, worldSize = 1;
    int localWorldSize = 1;
    std::string masterAddress = "127.0.0.1";
    std::uint16_t masterPort = 29500;
    bool agentStore = false; ///< torchrun's agent already hosts the store
    int attempt = 0;         ///< how often the agent restarted this group

    bool alone() const { return worldSize == 1; }
    /// The rendezvous is on this host's loopback: nothing needs to listen beyond it.
    bool onLoopback() const;
};

using EnvironmentLookup = std::function<const char*(const char* name)>;

/// RANK, LOCAL_RANK, WORLD_SIZE, LOCAL_WORLD_SIZE, MASTER_ADDR, MASTER_PORT, TORCHELASTIC_USE_AGENT_STORE,
/// TORCHELASTIC_RESTART_COUNT. Without RANK the process is rank 0 of 1.
Result<RankEnvironment> readRankEnvironment(const EnvironmentLookup& lookup);
Result<RankEnvironment> readRankEnvironment(); ///< of this process

} // namespace rankscope::trainer
