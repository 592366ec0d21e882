// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/diagnosis/detector/detector.h"
#include "core/diagnosis/model/wait_times.h"
#include "core/diagnosis/recording/recording.h"
#include "core/launch/monitors/run_monitors.h"
#include "core/launch/process/rank_monitor.h"
#include "core/launch/recording/journal_drain.h"
#include "core/launch/recording/program_recipe.h"
#include "core/launch/recording/store_error_reporter.h"
#include "core/launch/run/launch_spec.h"
#include "core/telemetry/board/control_page.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace rankscope::launch {

/// What the ranks of a run write, moved into its store and diagnosed, one round after the other. It begins when the
/// number of ranks is known.
class RunRecording {
public:
    /// Uses the references as long as it lives. `drain`: has the run's store.
    RunRecording(const RunInfo& info, const SupervisionSettings& settings, Drain drain, telemetry::ControlPage& control,
                 RunMonitors& monitors);
    RunRecording(const RunRecording&) = delete; // its parts refer to each other
    RunRecording& operator=(const RunRecording&) = delete;

    /// What the supervisor knows in a round.
    struct Round {
        std::int64_t nowNs = 0;
        diagnosis::RunOutcomeSeen end = diagnosis::RunOutcomeSeen::Running;
        diagnosis::UnwatchedTime unwatched = {};
        bool stopping = false, leaving = false; ///< as for RankMonitor::view()
    };
    /// Reads what is new, diagnoses and stores it. Returns the changes of incidents.
    std::vector<diagnosis::Transition> advance(const Round& round, std::vector<RankMonitor>& ranks);
    /// Notes that the ranks had no supervisor from `sinceNs` on, when the one before this ended, if that is long enough
    /// for an incident.
    void takeOver(std::int64_t sinceNs, std::int64_t nowNs);
    /// Begins a new diagnosis, because the ranks were started again. Closes the incidents that are open.
    void restart(const Round& round, std::vector<RankMonitor>& ranks);

    /// Lets remedies name the keys of the program's recipe from now on.
    void use(const ProgramRecipe& recipe);

    std::vector<diagnosis::Incident> openIncidents() const { return m_detector->open(); }
    /// Returns whether a journal holds more than the last round read.
    bool hasMore() const { return m_more; }
    /// Returns whether the store could not be written and is tried again.
    bool isRetrying() const { return m_retryAtNs != 0; }
    /// Returns whether everything that was read is stored, and nothing is left to read.
    bool isComplete() const { return !m_more && !m_drain.pending(); }
    /// Writes run.sqlite again if it was removed. Call it only after the run has ended: someone deleting the folder
    /// must not find new files appearing in it.
    void rewriteStore(std::int64_t nowNs);
    void removeJournals() { m_drain.removeJournals(); }
    /// Stores how the run ended, with a note, and closes the store. `info`: has its state.
    Result<void> end(const RunInfo& info, const std::string& note, std::int64_t nowNs);

    store::RunWriter& store() { return m_drain.store(); }
    StoreErrorReporter& errors() { return m_errors; }
    const StoreErrorReporter& errors() const { return m_errors; }

private:
    diagnosis::Observation observationOf(const Round& round, const std::vector<RankMonitor>& ranks) const;
    std::vector<diagnosis::Transition> diagnose(const diagnosis::Observation& observation);
    void keepRecording(const std::vector<diagnosis::Transition>& transitions, bool end);
    void checkUnwatched(const diagnosis::Observation& observation,
                        const std::vector<diagnosis::Transition>& transitions);
    void noteUnwatched(const diagnosis::TimeSpan& time, std::string_view why);
    void commit(std::vector<diagnosis::Transition> transitions, std::int64_t nowNs);

    std::int64_t m_startNs;
    int m_worldSize;
    diagnosis::Settings m_settings;
    RunMonitors& m_monitors;
    Drain m_drain;
    StoreErrorReporter m_errors;
    std::optional<diagnosis::Detector> m_detector;
    diagnosis::InputRecorder m_recorder;
    bool m_more = false;
    std::int64_t m_retryAtNs = 0; ///< when a failed commit is tried again; 0: none failed
};

} // namespace rankscope::launch
