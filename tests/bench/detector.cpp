// SPDX-License-Identifier: Apache-2.0
// Measures what a round of the detector costs by the number of ranks; the cost must not grow faster than their number.
//
//   bench_detector [--ranks 1024] [--seconds 60]
//
// healthy: no rank waits for long; one holds: all but one wait; half hold: the worst case for finding who holds whom.
#include "core/base/values/clock.h"
#include "core/diagnosis/recording/recording.h"
#include "tests/bench/support.h"
#include "tests/core/diagnosis/simulated_fleet.h"

#include <fmt/format.h>

#include <algorithm>

using namespace rankscope;
using namespace rankscope::diagnosis;
using namespace rankscope::diagnosis::test;

namespace {

struct Cost {
    double meanUs = 0, worstUs = 0, recordUs = 0, bytesPerRound = 0;
    std::int64_t incidents = 0, records = 0;
};

Cost measure(int ranks, double seconds, int holders) {
    FleetOptions options;
    options.world = ranks;
    options.hiccups = 0;
    std::vector<PlannedFault> faults;
    for (int h = 0; h < holders; ++h)
        faults.push_back({FleetFault::Loader, h * std::max(1, ranks / std::max(1, holders)), 20, seconds});
    SimulatedFleet fleet(options, faults);
    Detector detector(ranks, {});
    InputRecorder recorder(ranks, {});
    Cost cost;
    std::int64_t rounds = 0, total = 0, recording = 0;
    while (holders > 0 && fleet.step() < 20)
        (void)detector.advance(fleet.tick());
    for (const std::int64_t end = fleet.nowNs() + static_cast<std::int64_t>(seconds * 1e9); fleet.nowNs() < end;
         ++rounds) {
        const Observation& o = fleet.tick();
        for (const auto& r : o.ranks)
            cost.records += static_cast<std::int64_t>(r.records.size());
        const std::int64_t begin = monotonicNs();
        recorder.record(o, detector);
        const std::int64_t recorded = monotonicNs();
        const auto transitions = detector.advance(o);
        const std::int64_t advanced = monotonicNs();
        const auto piece = recorder.take(transitions, detector.anyOpen(), false);
        recording += recorded - begin + monotonicNs() - advanced;
        total += advanced - recorded;
        cost.worstUs = std::max(cost.worstUs, static_cast<double>(advanced - recorded) / 1e3);
        cost.bytesPerRound += piece ? static_cast<double>(piece->bytes.size()) : 0;
        for (const auto& t : transitions)
            cost.incidents += t.kind == Transition::TransitionKind::Opened;
    }
    cost.meanUs = static_cast<double>(total) / 1e3 / static_cast<double>(rounds);
    cost.recordUs = static_cast<double>(recording) / 1e3 / static_cast<double>(rounds);
    cost.bytesPerRound /= static_cast<double>(rounds);
    return cost;
}

} // namespace

int main(int argc, char** argv) {
    bench::Arguments a{{"--ranks", 1024}, {"--seconds", 60}};
    if (!bench::parse(argc, argv, a, nullptr, 1)) {
        fmt::print(stderr, "usage: bench_detector [--ranks N] [--seconds S]\n");
        return 2;
    }
    fmt::print("{:>6} {:>10} {:>12} {:>14} {:>12} {:>12} {:>14} {:>10}\n", "ranks", "", "round us", "us per rank",
               "worst us", "record us", "bytes a round", "incidents");
    for (const int ranks : {8, 64, 256, 1024}) {
        if (ranks > a.at("--ranks"))
            break;
        const auto seconds = static_cast<double>(a.at("--seconds"));
        const std::pair<const char*, int> cases[] = {{"healthy", 0}, {"one holds", 1}, {"half hold", ranks / 2}};
        for (const auto& [name, holders] : cases) {
            const Cost c = measure(ranks, seconds, holders);
            fmt::print("{:>6} {:>10} {:>12.1f} {:>14.3f} {:>12.1f} {:>12.1f} {:>14.0f} {:>10}\n", ranks, name, c.meanUs,
                       c.meanUs / ranks, c.worstUs, c.recordUs, c.bytesPerRound, c.incidents);
        }
    }
    return 0;
}
