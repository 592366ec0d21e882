// SPDX-License-Identifier: Apache-2.0
#include "core/trainer/distributed/rank_environment.h"

#include "core/telemetry/records.h"

#include <fmt/format.h>

#include <charconv>
#include <cstdlib>
#include <string_view>

namespace rankscope::trainer {
namespace {

/// An integer from the environment within [low, high]; `missing` when the variable is not set.
Result<int> number(const EnvironmentLookup& lookup, const char* name, int missing, int low, int high) {
    const char* text = lookup(name);
    if (!text || !*text) {
        return missing;
    }
    const std::string_view view(text);
    int value = 0;
    const auto [end, error] = std::from_chars(view.data(), view.data() + view.size(), value);
    if (error != std::errc{} || end != view.data() + view.size() || value < low || value > high) {
        return fail(Errc::BadInput, fmt::format("must be a whole number from {} to {}, not \"{}\"", low, high, view),
                    fmt::format("environment variable {}", name));
    }
    return value;
}

} // namespace

bool RankEnvironment::onLoopback() const {
    return masterAddress == "localhost" || masterAddress.starts_with("127.");
}

Result<RankEnvironment> readRankEnvironment(const EnvironmentLookup& lookup) {
    RankEnvironment me;
    const char* rankText = lookup("RANK");
    if (!rankText || !*rankText) {
        return me;
    }
    const auto world = number(lookup, "WORLD_SIZE", 1, 1, telemetry::kMaxRanks);
    if (!world) {
        return tl::unexpected(world.error());
    }
    const auto rank = number(lookup, "RANK", 0, 0, *world - 1);
    if (!rank) {
        return tl::unexpected(rank.error());
    }
    const auto localWorld = number(lookup, "LOCAL_WORLD_SIZE", *world, 1, *world);
    if (!localWorld) {
        return tl::unexpected(localWorld.error());
    }
    const auto localRank = number(lookup, "LOCAL_RANK", *rank, 0, *world - 1);
    if (!localRank) {
        return tl::unexpected(localRank.error());
    }
    const auto port = number(lookup, "MASTER_PORT", me.masterPort, 1, 65535);
    if (!port) {
        return tl::unexpected(port.error());
    }
    const auto attempt = number(lookup, "TORCHELASTIC_RESTART_COUNT", 0, 0, 1'000'000);
    if (!attempt) {
        return tl::unexpected(attempt.error());
    }
    me.attempt = *attempt;
    me.rank = *rank;
    me.worldSize = *world;
    me.localRank = *localRank;
    me.localWorldSize = *localWorld;
    me.masterPort = static_cast<std::uint16_t>(*port);
    if (const char* address = lookup("MASTER_ADDR"); address && *address) {
        me.masterAddress = address;
    }
    const char* agent = lookup("TORCHELASTIC_USE_AGENT_STORE");
    me.agentStore = agent && std::string_view(agent) == "True";
    return me;
}

Result<RankEnvironment> readRankEnvironment() {
    return readRankEnvironment([](const char* name) { return std::getenv(name); });
}

} // namespace rankscope::trainer
