// SPDX-License-Identifier: Apache-2.0
#include "core/trainer/distributed/rendezvous/rank_environment.h"

#include "core/base/values/result.h"
#include "core/telemetry/format/records.h"

#include <fmt/format.h>

#include <array>
#include <charconv>
#include <cstdlib>
#include <optional>

namespace rankscope::trainer {
namespace {

constexpr int kFirstSlurmPort = 15'000; // as in Lightning, plus the last four digits of the job number

/// The variables of one launcher.
struct VariableNames {
    const char *rank, *world, *localRank, *localWorld;
};
constexpr VariableNames kTorchrun{"RANK", "WORLD_SIZE", "LOCAL_RANK", "LOCAL_WORLD_SIZE"};
constexpr VariableNames kOpenMpi{"OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE", "OMPI_COMM_WORLD_LOCAL_RANK",
                                 "OMPI_COMM_WORLD_LOCAL_SIZE"};
constexpr VariableNames kHydra{"PMI_RANK", "PMI_SIZE", "MPI_LOCALRANKID", "MPI_LOCALNRANKS"};
constexpr VariableNames kSlurm{"SLURM_PROCID", "SLURM_STEP_NUM_TASKS", "SLURM_LOCALID", nullptr};

std::optional<int> integer(std::string_view text) {
    int value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    return error == std::errc{} && end == text.data() + text.size() ? std::optional(value) : std::nullopt;
}

tl::unexpected<Error> bad(const char* name, Message what) {
    return fail(Errc::BadInput, std::move(what), fmt::format("environment variable {}", name));
}

class Environment {
public:
    explicit Environment(const EnvironmentLookup& lookup) : m_lookup(lookup) {}

    /// Returns the variable's text; empty if it is not set.
    std::string_view text(const char* name) const {
        const char* value = name ? m_lookup(name) : nullptr;
        return value ? value : "";
    }
    bool has(const char* name) const { return !text(name).empty(); }

    /// Returns a number within [low, high]; `missing` if the variable is not set.
    Result<int> number(const char* name, int missing, int low, int high) const {
        if (!has(name))
            return missing;
        const auto value = integer(text(name));
        if (!value || *value < low || *value > high)
            return bad(name, {"must be a whole number from {} to {}, not \"{}\"", low, high, text(name)});
        return *value;
    }

private:
    const EnvironmentLookup& m_lookup;
};

/// Returns the rank, also for a launcher that gives only its parts.
Result<int> rankOf(const Environment& env, const VariableNames& names, int world) {
    if (env.has(names.rank))
        return env.number(names.rank, 0, 0, world - 1);
    const auto node = env.number("NODE_RANK", 0, 0, world - 1);
    const auto each = env.number("LOCAL_WORLD_SIZE", 1, 1, world);
    const auto local = env.number("LOCAL_RANK", 0, 0, world - 1);
    for (const auto* part : {&node, &each, &local})
        if (!*part)
            return *part;
    const std::int64_t rank = std::int64_t{*node} * *each + *local;
    if (rank >= world)
        return bad("NODE_RANK", {"is {}: with LOCAL_WORLD_SIZE {} and LOCAL_RANK {} this is rank {} of {}", *node,
                                 *each, *local, rank, world});
    return static_cast<int>(rank);
}

const VariableNames* launcher(const Environment& env) {
    if (env.has(kTorchrun.rank) ||
        (env.has("NODE_RANK") && env.has(kTorchrun.localRank) && env.has(kTorchrun.localWorld)))
        return &kTorchrun;
    if (env.has(kOpenMpi.rank))
        return &kOpenMpi;
    if (env.has(kHydra.rank) && env.has(kHydra.localRank)) // srun sets PMI_RANK too, but no local rank
        return &kHydra;
    // only srun sets the step's variables: a batch script has SLURM_PROCID and SLURM_NTASKS without being one of the
    // tasks
    if (env.has(kSlurm.rank) && env.has(kSlurm.world))
        return &kSlurm;
    return nullptr;
}

/// Returns how many ranks this host has; 0 if no variable says so.
Result<int> ranksHere(const Environment& env, const VariableNames& names, int world) {
    if (&names != &kSlurm)
        return env.number(names.localWorld, 0, 1, world);
    const auto node = env.number("SLURM_NODEID", 0, 0, world - 1);
    return node ? tasksOnNode(env.text("SLURM_STEP_TASKS_PER_NODE"), *node) : node;
}

/// Sets the address and port of the rendezvous.
Result<void> master(const Environment& env, const VariableNames& names, RankEnvironment& me) {
    int port = me.masterPort;
    if (&names == &kSlurm) {
        if (const std::string_view job = env.text("SLURM_JOB_ID"); !job.empty())
            port = kFirstSlurmPort + integer(job.substr(job.size() < 4 ? 0 : job.size() - 4)).value_or(0);
        if (!me.oneHost)
            me.masterAddress = firstHost(env.text("SLURM_STEP_NODELIST"));
        if (me.masterAddress.empty() && !env.has("MASTER_ADDR"))
            return bad("SLURM_STEP_NODELIST", "is not set, and neither is MASTER_ADDR: where is rank 0?");
    } else if (&names != &kTorchrun && !me.oneHost && !env.has("MASTER_ADDR")) {
        return bad("MASTER_ADDR", "is not set: with several hosts, ranks need the address of rank 0's host");
    }
    if (env.has("MASTER_ADDR"))
        me.masterAddress = env.text("MASTER_ADDR");
    RS_TRY_ASSIGN(const auto given, env.number("MASTER_PORT", port, 1, 65535));
    me.masterPort = static_cast<std::uint16_t>(given);
    return {};
}

bool loopbackName(std::string_view host) {
    return host == "localhost" || host == "::1" || host.starts_with("127.");
}

Result<RankEnvironment> readAs(const Environment& env, const VariableNames& names) {
    RankEnvironment me;
    const auto world = env.number(names.world, 1, 1, telemetry::kMaxRanks);
    const auto rank = world ? rankOf(env, names, *world) : world;
    const auto here = rank ? ranksHere(env, names, *world) : rank;
    RS_TRY_ASSIGN(const auto attempt, here ? env.number("TORCHELASTIC_RESTART_COUNT", 0, 0, 1'000'000) : here);
    me.worldSize = *world;
    me.rank = *rank;
    me.attempt = attempt;
    me.oneHost = *here == *world;
    me.agentStore = env.text("TORCHELASTIC_USE_AGENT_STORE") == "True";
    RS_TRY(master(env, names, me));
    // if no variable gives the number of ranks on a host: all of them, if they meet on its loopback
    const bool together = me.onLoopback();
    RS_TRY_ASSIGN(const auto localRank, env.number(names.localRank, together ? me.rank : 0, 0, me.worldSize - 1));
    me.localRank = localRank;
    me.localWorldSize = *here > 0 ? *here : together ? me.worldSize : me.localRank + 1;
    return me;
}

} // namespace

std::string firstHost(std::string_view slurmNodeList) {
    const auto bracket = slurmNodeList.find_first_of("[, ");
    std::string host(slurmNodeList.substr(0, bracket));
    if (bracket == std::string_view::npos || slurmNodeList[bracket] != '[')
        return host;
    const std::string_view inside = slurmNodeList.substr(bracket + 1);
    const auto close = inside.find(']');
    host += inside.substr(0, inside.find_first_of("-,]"));
    if (close == std::string_view::npos)
        return host;
    return host + firstHost(inside.substr(close + 1)); // "rack[1-2]-ib", "rack[1-2]n[1-4]"
}

int tasksOnNode(std::string_view slurmTasksPerNode, int node) {
    while (!slurmTasksPerNode.empty()) {
        const auto comma = slurmTasksPerNode.find(',');
        const std::string_view group = slurmTasksPerNode.substr(0, comma);
        slurmTasksPerNode.remove_prefix(comma == std::string_view::npos ? slurmTasksPerNode.size() : comma + 1);
        const auto times = group.find("(x");
        const auto tasks = integer(group.substr(0, times));
        const auto nodes = times == std::string_view::npos ? std::optional(1)
                                                           : integer(group.substr(times + 2, group.size() - times - 3));
        if (!tasks || !nodes || *tasks < 1 || *nodes < 1 || *tasks > telemetry::kMaxRanks)
            return 0;
        if (node < *nodes)
            return *tasks;
        node -= *nodes;
    }
    return 0;
}

bool RankEnvironment::onLoopback() const {
    return oneHost || loopbackName(masterAddress);
}

Result<RankEnvironment> readRankEnvironment(const EnvironmentLookup& lookup) {
    const Environment env(lookup);
    if (const VariableNames* names = launcher(env))
        return readAs(env, *names);
    // several processes that each assume they are alone would overwrite each other's run
    if (const auto world = env.number("WORLD_SIZE", 1, 1, telemetry::kMaxRanks); !world || *world > 1)
        return world ? bad("RANK", {"is not set, but WORLD_SIZE is {}", *world}) : tl::unexpected(world.error());
    return RankEnvironment{};
}

Result<RankEnvironment> readRankEnvironment() {
    return readRankEnvironment([](const char* name) { return std::getenv(name); });
}

} // namespace rankscope::trainer
