// SPDX-License-Identifier: Apache-2.0
// What a process reports as one rank of a run that another program trains.
#pragma once

#include "core/base/values/error.h"
#include "core/observer/collective_log.h"
#include "core/observer/gradient_exposure.h"
#include "core/observer/resource_sampler.h"
#include "core/telemetry/board/control_page.h"

#include <array>
#include <atomic>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace rankscope::observer {

/// Which rank of the run the process is.
struct RankIdentity {
    int rank = 0, worldSize = 1;                    ///< over all hosts
    int localRank = 0;                              ///< on its host
    std::int64_t totalSteps = 0, stepsPerEpoch = 0; ///< 0: not known
    std::string device;                             ///< "cpu", "cuda:0"
};

/// The rank that this process is, as rank_interface.h reports it. All times are monotonic ns of this host. A record
/// that finds no room in the journal is lost and counted.
class RankObserver {
public:
    /// Creates ranks/<rank> below the run's folder, with board and journal, and appends the anchor. Returns an error if
    /// a file cannot be created; nothing is reported then.
    static Result<std::unique_ptr<RankObserver>> open(const std::filesystem::path& runFolder,
                                                      const RankIdentity& identity);

    /// Changes what is known about the rank. Another rank is an error.
    Result<void> identify(const RankIdentity& identity);
    /// Appends the end record and ends the threads that open() started. The journal and board stay mapped, because
    /// other threads may still write to them. `exitCode`: that of the process, as far as it is known.
    void end(telemetry::EndCause cause, int exitCode, std::string_view text);

    RankTelemetry& telemetry() { return *m_telemetry; }
    /// Returns why records are missing: they could not be written, or the rank's folder was removed.
    Result<void> check() const;

    /// Returns the number of a group: 0 for the first that has all ranks, otherwise a hash of its name and members.
    std::uint32_t group(std::string_view name, std::string_view backend, std::vector<std::int32_t> ranks);
    /// Begins a collective, on the thread that issues it. An empty `call.tag` means the next gradient bucket in
    /// backward. Returns 0 if it is not recorded: the group is not known, or too many collectives are open.
    CollectiveHandle enter(std::uint32_t group, CollectiveCall call);

    // Called by the training thread.
    /// Begins backward, in which gradient buckets are numbered from 0.
    void beginBackward();
    /// Ends it. Returns how long this thread was blocked after it had handed over the last bucket, in ns.
    std::int64_t endBackward();

    /// Appends the batch of the step that runs, and shows it on the board.
    void batch(telemetry::BatchRecord record);
    /// Appends a step, with the audio samples per second that follow from its batch.
    void stepEnd(telemetry::StepRecord record);

    /// Returns the step before which all ranks leave; INT64_MAX: no stop is requested. The page may be created later.
    std::int64_t stopAtStep();

private:
    static constexpr std::size_t kGroups = 64;
    struct Group {
        std::atomic<std::uint32_t> number{0};
        std::unique_ptr<CollectiveLog> log;
    };

    RankObserver(std::filesystem::path runFolder, const RankIdentity& identity, RankTelemetry telemetry);
    void appendAnchor();
    void appendGroup(std::uint32_t number, std::string_view name, std::string_view backend,
                     const std::vector<std::int32_t>& ranks);
    void addLog(std::uint32_t number);
    CollectiveLog* logOf(std::uint32_t number) const;

    std::filesystem::path folder() const { return m_runFolder / "ranks" / std::to_string(m_identity.rank); }

    const std::filesystem::path m_runFolder;
    const std::int64_t m_openedNs, m_openedRealtimeNs; ///< read one after the other
    RankIdentity m_identity;
    std::shared_ptr<RankTelemetry> m_telemetry;

    std::mutex m_groupsMutex;                                                 ///< of group(); enter() reads without it
    std::optional<std::pair<std::string, std::vector<std::int32_t>>> m_world; ///< the group with number 0
    std::set<std::uint32_t> m_recorded;
    std::array<Group, kGroups> m_groups;
    std::atomic<std::size_t> m_groupCount{0};

    std::atomic<bool> m_inBackward{false};
    std::atomic<std::uint32_t> m_bucket{0};
    GradientExposure m_exposure;

    struct StepSamples {
        std::int64_t step = -1, samples = -1;
    };
    std::array<StepSamples, 8> m_samples; ///< of the last steps, by step; -1: not known

    std::optional<telemetry::ControlPage> m_control;
    std::int64_t m_controlTriedNs = 0;
    std::unique_ptr<ResourceSampler> m_sampler;
};

} // namespace rankscope::observer
