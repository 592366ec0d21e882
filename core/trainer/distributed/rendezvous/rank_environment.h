// SPDX-License-Identifier: Apache-2.0
// Reads which rank this process is: from torchrun's environment variables, or from those of srun and mpirun.
#pragma once

#include "core/base/values/error.h"

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

namespace rankscope::trainer {

struct RankEnvironment {
    int rank = 0, localRank = 0, worldSize = 1;
    int localWorldSize = 1; ///< ranks on this host
    std::string masterAddress = "127.0.0.1";
    std::uint16_t masterPort = 29500;
    bool agentStore = false; ///< whether torchrun's agent already hosts the store
    int attempt = 0;         ///< how often the agent has restarted this group
    bool oneHost = false;    ///< whether the launcher says that all ranks are on this host

    bool alone() const { return worldSize == 1; }
    /// Whether the rendezvous is on this host, so that nothing needs to listen beyond the loopback.
    bool onLoopback() const;
};

using EnvironmentLookup = std::function<const char*(const char* name)>;

/// Returns the environment of the first launcher whose variables are set:
///  - torchrun: RANK, WORLD_SIZE, LOCAL_RANK, LOCAL_WORLD_SIZE, MASTER_ADDR, MASTER_PORT, TORCHELASTIC_USE_AGENT_STORE,
///    TORCHELASTIC_RESTART_COUNT. Without RANK: NODE_RANK x LOCAL_WORLD_SIZE + LOCAL_RANK.
///  - mpirun: OMPI_COMM_WORLD_*, or PMI_RANK, PMI_SIZE, MPI_LOCALRANKID, MPI_LOCALNRANKS
///  - srun: SLURM_PROCID, SLURM_STEP_NUM_TASKS, SLURM_LOCALID, SLURM_STEP_TASKS_PER_NODE. The rendezvous is on the
///    first host of SLURM_STEP_NODELIST, at a port derived from SLURM_JOB_ID, as in Lightning.
/// MASTER_ADDR and MASTER_PORT always apply if they are set. Without a launcher: rank 0 of 1.
Result<RankEnvironment> readRankEnvironment(const EnvironmentLookup& lookup);
Result<RankEnvironment> readRankEnvironment(); ///< from this process's environment

/// "node[07-09,12],gpu3" -> "node07".
std::string firstHost(std::string_view slurmNodeList);
/// "2(x3),1" at node 3 -> 1; 0 if the text does not say.
int tasksOnNode(std::string_view slurmTasksPerNode, int node);

} // namespace rankscope::trainer
