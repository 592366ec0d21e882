// SPDX-License-Identifier: Apache-2.0
// The ranks' rendezvous before they have a process group, and the address by which they are reached.
#pragma once

#include "core/base/values/error.h"
#include "core/trainer/distributed/rendezvous/rank_environment.h"

#include <torch/csrc/distributed/c10d/Store.hpp>

#include <chrono>
#include <cstdint>
#include <string>

namespace rankscope::trainer {

/// Connects to the store at MASTER_ADDR:MASTER_PORT; rank 0 hosts it unless torchrun's agent does.
Result<c10::intrusive_ptr<c10d::Store>> connectStore(const RankEnvironment& me, std::chrono::milliseconds timeout);

/// Waits until every rank has called this. The error names the missing ranks.
Result<void> awaitRanks(c10d::Store& store, int rank, int worldSize, std::chrono::milliseconds timeout);

/// Returns this host's address on the network by which it reaches `host`; other ranks reach it by the same network. On
/// `host` itself, whose name often resolves to a loopback address: the address of the first interface that is up.
/// Empty: none found.
std::string ownAddressTowards(const std::string& host, std::uint16_t port);

} // namespace rankscope::trainer
