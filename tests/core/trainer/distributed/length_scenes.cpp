// SPDX-License-Identifier: Apache-2.0
#include "core/base/values/clock.h"
#include "core/trainer/distributed/parallel/length_sync.h"
#include "tests/core/trainer/distributed/run_ranks.h"

#include <latch>
#include <stdexcept>
#include <thread>
#include <vector>

namespace rankscope::test {

using namespace trainer;

namespace {

constexpr std::int64_t kPatienceNs = 20'000'000'000;

std::unique_ptr<LengthSync> make(
    const std::shared_ptr<ObservedGroup>& group, std::optional<int> timeoutMs,
    LengthSync::TimeoutHandler told = [](const LengthTimeout&) {}) {
    LengthSync::Options options;
    if (timeoutMs)
        options.timeout = std::chrono::milliseconds(*timeoutMs);
    auto sync = LengthSync::create(group, options, std::move(told));
    if (!sync)
        throw std::runtime_error(sync.error().message());
    return std::move(*sync);
}

/// Returns whether all collectives that were left open have completed.
bool settles(LengthSync& sync) {
    const std::int64_t until = monotonicNs() + kPatienceNs;
    while (sync.open() > 0 && monotonicNs() < until)
        std::this_thread::yield();
    return sync.open() == 0;
}

} // namespace

LateLengths lateLengths(const std::filesystem::path& dir, int timeoutMs) {
    LateLengths story;
    story.ranks.resize(2);
    std::latch ahead(1);
    const auto results = runRanks(dir, [&](const auto& group, observer::RankTelemetry&, RankResult&) {
        const int rank = group->rank();
        auto& mine = story.ranks[static_cast<std::size_t>(rank)];
        const auto sync = make(group, rank == 0 ? timeoutMs : 20'000, [&](const LengthTimeout& timeout) {
            mine.timeoutSequences.push_back(static_cast<std::int64_t>(timeout.sequence));
        });
        if (rank == 1)
            ahead.wait();
        for (const std::int64_t local :
             rank == 0 ? std::vector<std::int64_t>{100, 101, 102} : std::vector<std::int64_t>{200, 50, 300})
            mine.values.push_back(sync->largest(local));
        if (rank == 0) {
            mine.openBefore = sync->open();
            ahead.count_down();
        }
        mine.settled = settles(*sync);
        group->barrier("met");
        mine.values.push_back(sync->largest(rank == 0 ? 7 : 8));
        mine.timeouts = sync->timeouts();
        group->barrier("end");
    });
    for (std::size_t r = 0; r < 2; ++r) {
        story.ranks[r].thrown = results[r].thrown;
        story.ranks[r].records = results[r].peerTraffic; // everything outside group 0
    }
    return story;
}

RankResults punctualLengths(const std::filesystem::path& dir) {
    return runRanks(dir, [](const auto& group, observer::RankTelemetry&, RankResult& result) {
        for (const auto timeout : {std::optional<int>(20'000), std::optional<int>()}) {
            const auto sync = make(group, timeout);
            for (const std::int64_t local : {1000, 1, 16'777'215})
                result.values.push_back(static_cast<float>(sync->largest(local - group->rank())));
            if (sync->timeouts() != 0)
                throw std::runtime_error("nobody was late");
            group->barrier("before the group ends");
        }
    });
}

RankResults peerLeavesLengthSync(const std::filesystem::path& dir) {
    return runRanks(dir, [](const auto& group, observer::RankTelemetry&, RankResult&) {
        const auto sync = make(group, 20'000);
        group->barrier("both");
        if (group->rank() == 0)
            sync->largest(5); // rank 1's connections close
    });
}

} // namespace rankscope::test
