// SPDX-License-Identifier: Apache-2.0
// The detector: a pure function (state, records and boards, now) -> (state, transitions). No clock, no file, no thread:
// the same code runs live, over a recorded run, and in tests with a simulated clock.
#pragma once

#include "core/base/values/byte_codec.h"
#include "core/diagnosis/model/incident.h"
#include "core/telemetry/board/board.h"

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace rankscope::diagnosis {

/// Grows with every change of what the detector concludes from the same observations.
inline constexpr int kDetectorVersion = 6;
/// Whose saved states load() takes, too.
inline constexpr int kOldestDetectorVersion = 3;
/// The first one that tests every rank for being slow (slow_ranks.h).
inline constexpr int kVersionOfSlowRanks = 4;

/// Keys rankscope.stall.* and rankscope.straggler.*.
struct Settings {
    double stallMinSeconds = 2.0;
    double stallFactor = 5.0;     ///< x the run's typical step
    double stragglerShare = 0.25; ///< of the step that one rank holds the others for
    int stragglerWindowSteps = 50;
    double joinSeconds = 60.0; ///< rendezvous that takes longer is an incident
    int numWorkers = -1;       ///< model.train_ds.num_workers, for the remedy; -1 unknown
    int prefetchFactor = -1;
    bool lengthSync = true;
    std::optional<bool> dropLast; ///< model.train_ds.drop_last, for the remedy; none: unknown
    int sampleRate = 16000;
    std::uint64_t configHash = 0; ///< of the configuration that was launched; 0: not known
};

/// A rank's process as the supervisor sees it.
struct ProcessView {
    enum class State : std::uint8_t { NotStarted, Running, Stopped, Exited, Signalled, Gone } state = State::NotStarted;
    int exitCode = 0;         ///< Exited
    int signal = 0;           ///< Signalled, or the stopping signal
    std::int64_t sinceNs = 0; ///< when the supervisor saw the state first
    bool outOfMemory = false; ///< killed by the kernel for memory
    std::string lastLines;    ///< of its log, when it ended badly
    /// Of somebody else than its supervisor, where all leave because of it; its signal is 0 otherwise.
    telemetry::LeaveRequest asked = {};
    std::string askedBy = {}; ///< name of the user who asked; empty: not known
};

/// What a rank's process and device take, as the supervisor measured it over the last second or so. Negative: unknown.
struct ResourceView {
    double cpuShare = -1;               ///< CPU seconds per second; 1.0 = one core busy
    double cpuThrottledShare = -1;      ///< of its control group's periods, those in which the CPU quota held it back
    std::int64_t rssBytes = -1;         ///< of the process
    std::int64_t swapBytes = -1;        ///< of the process
    double majorFaultsPerSecond = -1;   ///< page faults that read from disk
    double writeBytesPerSecond = -1;    ///< handed to the disk by the process
    std::int64_t memoryUsedBytes = -1;  ///< of the control group, or of the host where there is no limit
    std::int64_t memoryLimitBytes = -1; ///< of the control group, or the host's memory
    std::int64_t gpuUsedBytes = -1;     ///< by this process
    std::int64_t gpuTotalBytes = -1;    ///< of its device
    double gpuClockShare = -1;          ///< SM clock / its maximum
    double gpuTemperature = -1;         ///< degrees Celsius
    std::string gpuThrottle;            ///< why the device slows its clock; empty: it does not, or unknown
    double cpuQuota = -1;               ///< processors that its control group may use; without a quota unknown, too
    double cpuThrottledTimeShare = -1;  ///< for how long the quota held it back, summed over processors
};

struct RankObservation {
    int rank = 0;
    std::optional<telemetry::BoardSnapshot> board; ///< none: not there yet
    ProcessView process;
    std::optional<ResourceView> resources;         ///< none: not measured yet
    std::span<const telemetry::AnyRecord> records; ///< new since the last call, in order
};

enum class RunEnd : std::uint8_t { Running, Finished, Failed, StoppedByUser };

struct Observation {
    std::int64_t nowNs = 0;
    std::vector<RankObservation> ranks; ///< one per rank, in order
    RunEnd end = RunEnd::Running;       ///< other than Running: everything that is open closes
};

struct Transition {
    enum class Kind : std::uint8_t { Opened, Updated, Closed } kind = Kind::Opened;
    Incident incident; ///< whole, as it stands after the transition
};

class Detector {
public:
    Detector(int worldSize, Settings settings);
    Detector(Detector&&) noexcept;
    Detector& operator=(Detector&&) noexcept;
    ~Detector();

    std::vector<Transition> advance(const Observation& observation);
    std::vector<Incident> open() const;
    bool anyOpen() const;
    double typicalStepSeconds() const; ///< median over the newest steps of all ranks; 0 before the first
    double thresholdSeconds() const;

    /// All that it knows, as bytes: another one that loads them goes on exactly as this one would.
    void save(WireWriter& out) const;
    /// False when they are not a detector's of this world size and of a version since kOldestDetectorVersion; it must
    /// not be used then.
    bool load(WireReader& in);

    struct State; ///< the detector's own

private:
    std::unique_ptr<State> m;
};

/// The tile of a rank (UI.md): what it does now, in words.
enum class RankState : std::uint8_t { Starting, Computing, Waiting, Holder, Stopped, Dead, Finished, Unknown };
std::string_view rankStateName(RankState state);

struct RankStatus {
    RankState state = RankState::Unknown;
    std::string words; ///< "waits 1.2 s for rank 1, gradient bucket 3"
};

/// Pure; `open` are the incidents that are open now. A board whose process is gone never counts as computing.
std::vector<RankStatus> rankStatuses(const Observation& observation, const std::vector<Incident>& open,
                                     Language language = Language::English);

} // namespace rankscope::diagnosis
