// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/launch/recording/run_recording.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace rankscope::launch {

/// Returns the settings of a recording that begins `elapsedNs` after the run. In a watched run, whose ranks have begun
/// to join before that, they have that much less time left to do so, but at least 30 s of it.
SupervisionSettings settingsAfter(SupervisionSettings settings, bool watched, std::int64_t elapsedNs);

/// The recording of a run, which begins when the number of ranks is known and the store can be made. Until then, keeps
/// the run's notes and why the recording cannot begin.
class DeferredRecording {
public:
    /// Uses the references as long as it lives.
    DeferredRecording(const PreparedLaunch& plan, RunMonitors& monitors) : m_plan(plan), m_monitors(monitors) {}

    /// Begins the recording in the store, which exists. `info`: has the number of ranks. `control`: must outlive this
    /// object. `nowNs`: monotonic, as in all functions.
    Result<void> open(const RunInfo& info, telemetry::ControlPage& control, std::int64_t nowNs);
    /// Makes the store and begins the recording if it has not begun and the number of ranks is known. After an error,
    /// which trouble() then describes, calls of the next 500 ms do nothing.
    void openIfDue(const RunInfo& info, telemetry::ControlPage& control, std::int64_t nowNs);
    /// Ends the recording without storing an end.
    void close() { m_recording.reset(); }

    explicit operator bool() const { return m_recording.has_value(); }
    /// The recording; call these only after it has begun.
    RunRecording* operator->() { return &*m_recording; }
    const RunRecording* operator->() const { return &*m_recording; }
    /// Returns the store; null: it does not exist yet.
    store::RunWriter* store() { return m_recording ? &m_recording->store() : nullptr; }

    /// Stores a note, or keeps it until the recording begins; it is a warning then.
    void note(telemetry::NoteSeverity severity, const std::string& text, std::int64_t nowNs);
    /// Records an error of the run's store or of its run.json; does nothing before the recording has begun.
    void onStoreError(const Error& error, std::int64_t nowNs);
    /// Records whether the step after which the ranks leave could be written to the control page.
    void reportControlPage(const Result<void>& named, std::int64_t nowNs);
    /// Records that the run's folder was removed or renamed, and what follows (`what`).
    void noteFolderGone(Message what);

    bool isFolderGone() const { return m_folderGone; }
    /// Returns whether the store could not be written and is tried again.
    bool isRetrying() const { return m_recording && m_recording->isRetrying(); }
    /// Returns whether a round should follow immediately, because a journal holds more than the last one read.
    bool hasMore() const { return m_recording && m_recording->hasMore() && !m_recording->isRetrying(); }
    /// Returns what cannot be written now, or why the recording cannot begin; empty: nothing.
    const Message& trouble() const { return m_recording ? m_recording->errors().trouble() : m_startTrouble; }
    /// As StoreErrorReporter::storedUntilNs(); 0 before the recording has begun.
    std::int64_t storedUntilNs() const { return m_recording ? m_recording->errors().storedUntilNs() : 0; }
    std::vector<diagnosis::Incident> openIncidents() const {
        return m_recording ? m_recording->openIncidents() : std::vector<diagnosis::Incident>();
    }

private:
    const PreparedLaunch& m_plan;
    RunMonitors& m_monitors;
    std::optional<RunRecording> m_recording;
    std::vector<std::string> m_earlyNotes; ///< until it begins
    Message m_startTrouble;                ///< why it cannot begin; empty: it can
    std::int64_t m_retryAtNs = 0;          ///< openIfDue() does nothing before this time.
    bool m_folderGone = false;
};

} // namespace rankscope::launch
