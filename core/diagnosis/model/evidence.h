// SPDX-License-Identifier: Apache-2.0
// The figures and names that prove an incident's cause. They are stored and printed as a JSON object, whose keys are
// listed only in kEvidenceFields.
#pragma once

#include <nlohmann/json.hpp>

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>

namespace rankscope::diagnosis {

struct Evidence {
    using Text = std::optional<std::string>;
    using Whole = std::optional<std::int64_t>;
    using Real = std::optional<double>;
    using Flag = std::optional<bool>;

    // the wait
    Real lastedSeconds, thresholdSeconds, typicalStepSeconds, holderPhaseSeconds;
    Whole holdUps; ///< in a row
    Text place;
    Whole layer;
    Flag arrived, handedOver, noStep;
    Text mismatch, setting, collectives, differs, keys;
    Text missing, phaseShares; ///< why the data does not suffice to name a cause; where the holder's time went
    Whole lostRecords;
    Text usualCall, newCall; ///< "all-reduce train.py:40 of 1 element"; the holder's, which no rank had made before
    Whole holderCalls, othersCalls;       ///< from the same line in this step, until now
    Whole holderElements, othersElements; ///< of the buffer
    Whole holderBatches, othersBatches;   ///< in an epoch

    // the batch and its loading
    Text reading, readingPath;
    Real readingSeconds;
    Whole batchSize, queueDepth, queueCapacity;
    Whole holderLongestFrames, othersLongestFrames, holderLongestSamples, othersLongestSamples, maskedFrames;
    Real usualComputeSeconds, lengthExplainsSeconds;

    // a series of short waits
    Real heldSeconds, windowSeconds, lateStepSeconds, share, longestBatchShare, workRatio;
    Whole windowSteps, lastInSteps;

    // the process and its end
    Whole pid, exitCode;
    Text signalName, lastLines;
    Text exception; ///< "ValueError: message (train.py:88)"
    Text workerEnd; ///< how a loader worker ended: "SIGKILL", "exit code 1"
    Whole workers, workersRssBytes;
    Real workersCpuWaitShare; ///< of the time that its loader workers waited for a processor, if it is much
    Flag outOfMemory, diskFull;
    Text sender, senderProgram, senderUser;
    Whole senderPid, senderUid;
    Text paused, pids;
    Real pausedSeconds; ///< of the whole run

    // numbers that are not finite
    Text what, firstTensor;
    Whole lastStep;

    // resources
    Real cpuShare, cpuQuota, cpuThrottledShare, cpuThrottledTimeShare, majorFaultsRate, writeRateBytes;
    Whole rssBytes, swapBytes, writtenBytes;
    Real cpuWaitShare; ///< of the time in which its main thread, or another one, waited for a processor
    Real gpuClockShare, gpuTemperatureCelsius;
    Text gpuThrottle;
    Whole memoryUsedBytes, memoryLimitBytes;
    Real memoryLeftSeconds, memoryGrowthBytes, holderGrowthBytes; ///< growth: bytes per second

    /// What a store has in addition: keys of other versions, and values of another type.
    nlohmann::json other = nlohmann::json::object();

    friend bool operator==(const Evidence&, const Evidence&) = default;
};

struct EvidenceField {
    std::string_view key;
    std::variant<Evidence::Text Evidence::*, Evidence::Whole Evidence::*, Evidence::Real Evidence::*,
                 Evidence::Flag Evidence::*>
        member;
};

inline constexpr auto kEvidenceFields = std::to_array<EvidenceField>({
    {"paused", &Evidence::paused},
    {"paused_s", &Evidence::pausedSeconds},
    {"pids", &Evidence::pids},
    {"exit_code", &Evidence::exitCode},
    {"signal_name", &Evidence::signalName},
    {"sender", &Evidence::sender},
    {"sender_program", &Evidence::senderProgram},
    {"sender_pid", &Evidence::senderPid},
    {"sender_user", &Evidence::senderUser},
    {"sender_uid", &Evidence::senderUid},
    {"out_of_memory", &Evidence::outOfMemory},
    {"what", &Evidence::what},
    {"mismatch", &Evidence::mismatch},
    {"reading", &Evidence::reading},
    {"reading_s", &Evidence::readingSeconds},
    {"reading_path", &Evidence::readingPath},
    {"holder_phase_s", &Evidence::holderPhaseSeconds},
    {"place", &Evidence::place},
    {"layer", &Evidence::layer},
    {"holder_longest_frames", &Evidence::holderLongestFrames},
    {"others_longest_frames", &Evidence::othersLongestFrames},
    {"holder_longest_samples", &Evidence::holderLongestSamples},
    {"others_longest_samples", &Evidence::othersLongestSamples},
    {"usual_compute_s", &Evidence::usualComputeSeconds},
    {"length_explains_s", &Evidence::lengthExplainsSeconds},
    {"batch_size", &Evidence::batchSize},
    {"queue_depth", &Evidence::queueDepth},
    {"queue_capacity", &Evidence::queueCapacity},
    {"hold_ups", &Evidence::holdUps},
    {"held_s", &Evidence::heldSeconds},
    {"share", &Evidence::share},
    {"window_s", &Evidence::windowSeconds},
    {"window_steps", &Evidence::windowSteps},
    {"last_in_steps", &Evidence::lastInSteps},
    {"late_step_s", &Evidence::lateStepSeconds},
    {"longest_batch_share", &Evidence::longestBatchShare},
    {"work_ratio", &Evidence::workRatio},
    {"lasted_s", &Evidence::lastedSeconds},
    {"threshold_s", &Evidence::thresholdSeconds},
    {"typical_step_s", &Evidence::typicalStepSeconds},
    {"pid", &Evidence::pid},
    {"first_tensor", &Evidence::firstTensor},
    {"last_step", &Evidence::lastStep},
    {"setting", &Evidence::setting},
    {"keys", &Evidence::keys},
    {"arrived", &Evidence::arrived},
    {"handed_over", &Evidence::handedOver},
    {"written_bytes", &Evidence::writtenBytes},
    {"write_rate_bytes", &Evidence::writeRateBytes},
    {"rss_bytes", &Evidence::rssBytes},
    {"cpu_share", &Evidence::cpuShare},
    {"cpu_quota", &Evidence::cpuQuota},
    {"cpu_throttled_share", &Evidence::cpuThrottledShare},
    {"cpu_throttled_time_share", &Evidence::cpuThrottledTimeShare},
    {"gpu_clock_share", &Evidence::gpuClockShare},
    {"gpu_temperature_celsius", &Evidence::gpuTemperatureCelsius},
    {"gpu_throttle", &Evidence::gpuThrottle},
    {"masked_frames", &Evidence::maskedFrames},
    {"collectives", &Evidence::collectives},
    {"last_lines", &Evidence::lastLines},
    {"differs", &Evidence::differs},
    {"disk_full", &Evidence::diskFull},
    {"major_faults_rate", &Evidence::majorFaultsRate},
    {"no_step", &Evidence::noStep},
    {"swap_bytes", &Evidence::swapBytes},
    {"missing", &Evidence::missing},
    {"phase_shares", &Evidence::phaseShares},
    {"lost_records", &Evidence::lostRecords},
    {"exception", &Evidence::exception},
    {"worker_end", &Evidence::workerEnd},
    {"workers", &Evidence::workers},
    {"workers_rss_bytes", &Evidence::workersRssBytes},
    {"usual_call", &Evidence::usualCall},
    {"new_call", &Evidence::newCall},
    {"workers_cpu_wait_share", &Evidence::workersCpuWaitShare},
    {"holder_calls", &Evidence::holderCalls},
    {"others_calls", &Evidence::othersCalls},
    {"holder_elements", &Evidence::holderElements},
    {"others_elements", &Evidence::othersElements},
    {"holder_batches", &Evidence::holderBatches},
    {"others_batches", &Evidence::othersBatches},
    {"cpu_wait_share", &Evidence::cpuWaitShare},
    {"memory_used_bytes", &Evidence::memoryUsedBytes},
    {"memory_limit_bytes", &Evidence::memoryLimitBytes},
    {"memory_left_s", &Evidence::memoryLeftSeconds},
    {"memory_growth_bytes", &Evidence::memoryGrowthBytes},
    {"holder_growth_bytes", &Evidence::holderGrowthBytes},
});

/// Returns the key of a member.
template <class T> constexpr std::string_view keyOf(std::optional<T> Evidence::*member) {
    for (const EvidenceField& field : kEvidenceFields)
        if (const auto* same = std::get_if<std::optional<T> Evidence::*>(&field.member); same && *same == member)
            return field.key;
    return {};
}

/// Returns the object that is stored and printed.
nlohmann::json toJson(const Evidence& evidence);
/// Reads such an object; unexpected keys and values go to `other`. Evidence is empty if this is not an object.
Evidence evidenceFromJson(const nlohmann::json& object);

} // namespace rankscope::diagnosis
