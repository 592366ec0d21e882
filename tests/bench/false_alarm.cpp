// SPDX-License-Identifier: Apache-2.0
// Healthy runs through the real detector at simulated time: whatever it raises is a false alarm.
//
//   bench_false_alarm [--hours 24] [--seed 1] [--ranks 8]
//
// Heavy-tailed lengths, epochs, validation, checkpoints, jitter and hiccups, warm-up, resumed runs, with and without
// length sync and SyncBatchNorm. `--hours` for each number of ranks up to `--ranks`. Exit code 1: a false alarm.
#include "core/base/clock.h"
#include "tests/bench/support.h"
#include "tests/core/diagnosis/simulated_fleet.h"

#include <fmt/format.h>

#include <algorithm>

using namespace rankscope;
using namespace rankscope::diagnosis;
using namespace rankscope::diagnosis::test;

namespace {

struct Tally {
    double hours = 0;
    std::int64_t incidents = 0, steps = 0, runs = 0;
};

/// One run, of a few hours at most, of one of many kinds.
void healthyRun(int world, std::uint64_t seed, double seconds, Tally& tally) {
    std::mt19937_64 random(seed);
    const auto pick = [&](auto... v) {
        const double values[] = {static_cast<double>(v)...};
        return values[random() % sizeof...(v)];
    };
    FleetOptions options;
    options.world = world;
    options.seed = random();
    options.firstStep = static_cast<std::int64_t>(pick(0, 0, 1200, 33'333));
    options.lengthSync = random() % 4 != 0;
    options.syncBatchNorms = static_cast<int>(pick(0, 2, 8));
    options.buckets = static_cast<int>(pick(1, 4));
    options.batchSize = static_cast<int>(pick(4, 8, 16));
    options.secondsPerSecond = pick(0.003, 0.01, 0.04, 0.12); // from small on a GPU to large on a CPU
    options.meanLength = pick(4, 8, 13);
    // the longest of a recipe are a few times the mean: beyond that one batch does hold the others up
    options.maxLength = std::min(pick(16.7, 20, 35), 4.5 * options.meanLength);
    options.stepsPerEpoch = static_cast<std::int64_t>(pick(60, 700, 5000));
    options.validateEvery = static_cast<std::int64_t>(pick(0, 100, 1000));
    options.validationBatches = static_cast<std::int64_t>(pick(10, 60));
    options.checkpointEvery = static_cast<std::int64_t>(pick(0, 100, 1000));
    options.checkpointSeconds = pick(0.1, 0.4, 0.8);
    options.hiccups = pick(1e-4, 1e-3, 5e-3);
    options.warmUpSeconds = pick(0.2, 1, 2);
    SimulatedFleet fleet(options);
    Detector detector(world, {});
    const std::int64_t end = fleet.nowNs() + static_cast<std::int64_t>(seconds * 1e9);
    while (fleet.nowNs() < end)
        for (const Transition& t : detector.advance(fleet.tick()))
            if (t.kind == Transition::Kind::Opened) {
                ++tally.incidents;
                fmt::print("false alarm, {} ranks, seed {}, {:.1f} s: {}\n  {}\n", world, seed,
                           static_cast<double>(fleet.nowNs() - end) * 1e-9 + seconds,
                           sentence(t.incident, fleet.nowNs()), t.incident.evidence.dump());
            }
    ++tally.runs;
    tally.hours += seconds / 3600;
    tally.steps += fleet.step() - options.firstStep + 1;
}

} // namespace

int main(int argc, char** argv) {
    bench::Arguments a{{"--hours", 24}, {"--seed", 1}, {"--ranks", 8}, {"--minutes", 0}};
    if (!bench::parse(argc, argv, a, nullptr, 0)) {
        fmt::print(stderr, "usage: bench_false_alarm [--hours H] [--minutes M] [--seed N] [--ranks N]\n");
        return 2;
    }
    const double hours = static_cast<double>(a.at("--hours")) + static_cast<double>(a.at("--minutes")) / 60;
    std::int64_t incidents = 0;
    double simulated = 0;
    for (const int world : {1, 2, 4, 8, 16, 64}) {
        if (world > a.at("--ranks"))
            break;
        Tally tally;
        const std::int64_t begin = monotonicNs();
        for (std::uint64_t run = 0; tally.hours < hours - 1e-9; ++run) {
            const double wanted = 3600 * (run % 4 == 3 ? 3.0 : 0.7); // short ones show the warm-up often
            healthyRun(world,
                       static_cast<std::uint64_t>(a.at("--seed")) * 1'000'003 + run * 101 +
                           static_cast<std::uint64_t>(world),
                       std::min(wanted, 3600 * (hours - tally.hours)), tally);
        }
        fmt::print("{:>3} ranks: {:.1f} simulated hours in {} runs, {} steps: {} incidents ({:.1f} s)\n", world,
                   tally.hours, tally.runs, tally.steps, tally.incidents,
                   static_cast<double>(monotonicNs() - begin) * 1e-9);
        incidents += tally.incidents;
        simulated += tally.hours;
    }
    fmt::print("{} false alarms in {:.1f} simulated hours\n", incidents, simulated);
    return incidents == 0 ? 0 : 1;
}
