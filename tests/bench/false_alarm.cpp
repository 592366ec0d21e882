// SPDX-License-Identifier: Apache-2.0
// Feeds healthy runs to the real detector in simulated time: anything it reports is a false alarm. Each run is recorded
// as the supervisor records it and diagnosed again from the recording, with the same result.
//
//   bench_false_alarm [--hours 24] [--seed 1] [--ranks 8]
//
// Heavy-tailed lengths, epochs, validation, checkpoints, jitter and hiccups, warm-up, resumed runs, with and without
// length sync and SyncBatchNorm. `--hours` for each number of ranks up to `--ranks`. Exit code 1: a false alarm, or a
// recording with another result.
#include "core/base/values/clock.h"
#include "core/diagnosis/evidence/incident_sentence.h"
#include "core/diagnosis/recording/recording.h"
#include "tests/bench/support.h"
#include "tests/core/diagnosis/simulated_fleet.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <string>

using namespace rankscope;
using namespace rankscope::diagnosis;
using namespace rankscope::diagnosis::test;

namespace {

struct Tally {
    double hours = 0;
    std::int64_t incidents = 0, steps = 0, runs = 0, rounds = 0;
    std::int64_t otherwise = 0; ///< recordings that could not be diagnosed again, or gave another result
};

/// Records what a detector sees, and diagnoses the recording at the same time.
class Recorded {
public:
    explicit Recorded(int world) : m_recorder(world, {}), m_detector(world, {}) {}

    std::vector<Transition> advance(const Observation& o) {
        m_recorder.record(o, m_detector);
        auto transitions = m_detector.advance(o);
        for (const Transition& t : transitions)
            m_live[t.incident.id] = toJson(t.incident, 0).dump();
        ++m_rounds;
        add(m_recorder.take(transitions, m_detector.anyOpen(), o.end != RunOutcomeSeen::Running));
        return transitions;
    }
    std::int64_t rounds() const { return m_rounds; }
    /// Returns how the recording's result differs; empty: it does not.
    std::string difference() const {
        if (!m_problem.empty())
            return m_problem;
        std::map<std::int64_t, std::string> again;
        for (const auto& [id, incident] : m_replay.incidents())
            again[id] = toJson(incident, 0).dump();
        if (again != m_live)
            return "other incidents";
        return m_replay.rounds() == m_rounds && m_replay.ended() ? "" : "rounds are missing";
    }

private:
    void add(const std::optional<RecordingChunk>& piece) {
        if (piece && m_problem.empty())
            if (const auto added = m_replay.add(*piece); !added)
                m_problem = added.error().message();
    }

    InputRecorder m_recorder;
    Detector m_detector;
    DetectorReplay m_replay;
    std::int64_t m_rounds = 0;
    std::map<std::int64_t, std::string> m_live;
    std::string m_problem;
};

/// Simulates one run of a random kind, at most a few hours long.
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
    options.secondsPerSecond = pick(0.003, 0.01, 0.04, 0.12); // from a small model on a GPU to a large one on a CPU
    options.meanLength = pick(4, 8, 13);
    // at most a few times the mean, as in real recipes: a longer batch does hold up the other ranks
    options.maxLength = std::min(pick(16.7, 20, 35), 4.5 * options.meanLength);
    options.stepsPerEpoch = static_cast<std::int64_t>(pick(60, 700, 5000));
    options.validateEvery = static_cast<std::int64_t>(pick(0, 100, 1000));
    options.validationBatches = static_cast<std::int64_t>(pick(10, 60));
    options.checkpointEvery = static_cast<std::int64_t>(pick(0, 100, 1000));
    options.checkpointSeconds = pick(0.1, 0.4, 0.8);
    options.hiccups = pick(1e-4, 1e-3, 5e-3);
    options.warmUpSeconds = pick(0.2, 1, 2);
    SimulatedFleet fleet(options);
    Recorded recorded(world);
    const std::int64_t end = fleet.nowNs() + static_cast<std::int64_t>(seconds * 1e9);
    for (bool more = true; more;) {
        more = fleet.nowNs() + options.tickNs < end;
        for (const Transition& t :
             recorded.advance(fleet.tick(more ? RunOutcomeSeen::Running : RunOutcomeSeen::Finished)))
            if (t.kind == Transition::TransitionKind::Opened) {
                ++tally.incidents;
                fmt::print("false alarm, {} ranks, seed {}, {:.1f} s: {}\n  {}\n", world, seed,
                           static_cast<double>(fleet.nowNs() - end) * 1e-9 + seconds,
                           sentence(t.incident, fleet.nowNs()).english(), toJson(t.incident.evidence).dump());
            }
    }
    if (const std::string difference = recorded.difference(); !difference.empty()) {
        ++tally.otherwise;
        fmt::print("recording, {} ranks, seed {}: {}\n", world, seed, difference);
    }
    ++tally.runs;
    tally.rounds += recorded.rounds();
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
    std::int64_t incidents = 0, otherwise = 0;
    double simulated = 0;
    for (const int world : {1, 2, 4, 8, 16, 64}) {
        if (world > a.at("--ranks"))
            break;
        Tally tally;
        const std::int64_t begin = monotonicNs();
        for (std::uint64_t run = 0; tally.hours < hours - 1e-9; ++run) {
            const double wanted = 3600 * (run % 4 == 3 ? 3.0 : 0.7); // short runs exercise the warm-up often
            healthyRun(world,
                       static_cast<std::uint64_t>(a.at("--seed")) * 1'000'003 + run * 101 +
                           static_cast<std::uint64_t>(world),
                       std::min(wanted, 3600 * (hours - tally.hours)), tally);
        }
        fmt::print("{:>3} ranks: {:.1f} simulated hours in {} runs, {} steps: {} incidents; recorded, and {} rounds "
                   "diagnosed again: {} runs say otherwise ({:.1f} s)\n",
                   world, tally.hours, tally.runs, tally.steps, tally.incidents, tally.rounds, tally.otherwise,
                   static_cast<double>(monotonicNs() - begin) * 1e-9);
        incidents += tally.incidents;
        otherwise += tally.otherwise;
        simulated += tally.hours;
    }
    fmt::print("{} false alarms in {:.1f} simulated hours, and {} recordings that say otherwise\n", incidents,
               simulated, otherwise);
    return incidents == 0 && otherwise == 0 ? 0 : 1;
}
