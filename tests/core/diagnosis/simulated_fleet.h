// SPDX-License-Identifier: Apache-2.0
// Simulates the ranks of a training run, one step at a time and with a simulated clock: hours pass in seconds, and
// hundreds of ranks cost no more than their records. The ranks fill boards and journals as the trainer does (length
// sync, SyncBatchNorm, overlapped gradient buckets, epochs, validation, checkpoints, warm-up and jitter), and show the
// requested faults.
#pragma once

#include "core/diagnosis/detector/detector.h"

#include <cstdint>
#include <functional>
#include <optional>
#include <random>
#include <string>
#include <vector>

namespace rankscope::diagnosis::test {

struct FleetOptions {
    int world = 2;
    std::uint64_t seed = 1;
    std::int64_t firstStep = 0; ///< above 0: the run was resumed from a checkpoint
    bool lengthSync = true;
    int syncBatchNorms = 2, buckets = 3, batchSize = 8;
    double secondsPerSecond = 0.02;        ///< forward's seconds per second of the longest utterance
    double meanLength = 7, maxLength = 20; ///< seconds; heavy-tailed, cut at the maximum
    std::int64_t stepsPerEpoch = 700;
    std::int64_t validateEvery = 500, validationBatches = 40; ///< 0: never
    std::int64_t checkpointEvery = 300;
    double checkpointSeconds = 0.8; ///< average time that rank 0 takes to write one
    double hiccups = 1e-3;          ///< share of steps in which a rank is held up for up to 0.6 s
    double warmUpSeconds = 1.5;     ///< additional time of the first step
    std::int64_t tickNs = 100'000'000;
};

enum class FleetFault : std::uint8_t {
    Loader,
    Forward,
    Preprocess,
    LongBatch,
    Checkpoint,
    Stopped,
    Killed,
    NotFinite,
    Empty,
    SkipsSync,
    SlowRank,      ///< `seconds` is a factor: forward and backward take that many times as long
    Throttled,     ///< the same, caused by the CPU quota of its control group
    StoppedInside, ///< in the step's last collective, which all have entered
    Count
};

struct PlannedFault {
    static constexpr std::int64_t kForever = std::int64_t{1} << 50;
    FleetFault kind = FleetFault::Loader;
    int rank = 0;
    std::int64_t step = 0;
    double seconds = 5;
    std::int64_t steps = 1;

    bool acts(std::int64_t s) const { return s >= step && s - step < steps; }
};

class SimulatedFleet {
public:
    explicit SimulatedFleet(FleetOptions options, std::vector<PlannedFault> faults = {});

    /// Advances to the supervisor's next round. The result is valid until the next call.
    const Observation& tick(RunOutcomeSeen end = RunOutcomeSeen::Running);
    std::int64_t nowNs() const { return m_now; }
    std::int64_t step() const { return m_step; } ///< being simulated
    bool broken() const { return m_broken; }     ///< a fault has ended the run: no rank continues
    const std::vector<telemetry::AnyRecord>& recordsOf(int rank) const {
        return m_records[static_cast<std::size_t>(rank)];
    }

private:
    using Change = std::function<void(telemetry::BoardSnapshot&, ProcessView&)>;
    struct Event {
        std::int64_t atNs = 0;
        Change change;                              ///< to board and process; may be null
        std::optional<telemetry::AnyRecord> record; ///< appended at this time
    };
    struct Rank {
        telemetry::BoardSnapshot board;
        ProcessView process;
        std::vector<Event> events;
        std::size_t next = 0;
        std::int64_t ns = 0; ///< simulated up to this time
        std::int64_t frames = 0;
        bool gone = false;
    };

    void buildStep();
    void load(int rank, const PlannedFault* fault);
    void train();
    void finishStep();
    void validate();
    void checkpoint();
    void phase(int rank, telemetry::Phase phase, double seconds);
    void place(int rank, telemetry::ForwardSite place, int layer = -1);
    void meet(const std::string& tag, std::int64_t count, bool blocks, double transferSeconds);
    void enter(Rank& rank, std::uint64_t sequence, const std::string& tag, std::int64_t count, std::int64_t atNs);
    void leave(Rank& rank, std::uint64_t sequence, std::int64_t atNs);
    void append(Rank& rank, std::int64_t atNs, telemetry::AnyRecord record);
    std::vector<std::int64_t> leavingTimes(const std::string& tag, std::int64_t latest, std::int64_t done);
    void breakMismatched(int odd);
    void setResources();
    const PlannedFault* faultOf(int rank, FleetFault kind) const;
    double jitter();
    double uniform(double from, double to) { return std::uniform_real_distribution<double>(from, to)(m_random); }
    double longest(int rank);

    FleetOptions m_o;
    std::vector<PlannedFault> m_faults;
    std::mt19937_64 m_random;
    std::vector<Rank> m_ranks;
    std::vector<std::vector<telemetry::AnyRecord>> m_records;
    std::vector<std::int64_t> m_begins;
    Observation m_observation;
    std::int64_t m_now = 1'000'000'000'000, m_step;
    std::uint64_t m_sequence = 0;
    bool m_broken = false, m_validates = false;
};

} // namespace rankscope::diagnosis::test
