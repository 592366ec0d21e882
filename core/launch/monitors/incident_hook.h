// SPDX-License-Identifier: Apache-2.0
// rankscope.on_incident and --on-incident: a command that is run for every incident that opens or closes, one call
// after the other.
#pragma once

#include "core/diagnosis/model/incident.h"
#include "core/launch/process/helper_process.h"

#include <nlohmann/json.hpp>

#include <deque>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace rankscope::launch {

struct RunInfo;
struct RunPaths;

/// Calls the command once for every incident that opens or closes. If too many calls wait, further ones are dropped and
/// counted in a note.
class IncidentHook {
public:
    /// A note for the run; a warning if the call failed.
    struct HookNote {
        telemetry::NoteSeverity severity = telemetry::NoteSeverity::Info;
        std::string text;
    };

    /// Does nothing if `argv` is empty.
    IncidentHook(std::vector<std::string> argv, const RunInfo& info, const RunPaths& run, std::int64_t startNs);

    /// Queues a call for each incident that has opened or closed.
    void enqueue(const std::vector<diagnosis::Transition>& transitions);
    /// Starts and ends the calls that are due; never waits. Returns a note on each call that has ended or could not be
    /// made; after the first thousand, it reports no more.
    std::vector<HookNote> round(std::int64_t nowNs);
    /// Returns the note on a call that is still running at the end of the run.
    HookNote cutOff() const;
    /// Returns whether no call runs or waits.
    bool idle() const { return !m_running && m_waiting.empty(); }

private:
    /// One call: the command's input, and what it is about.
    struct HookCall {
        std::string input;
        std::string subject; ///< "incident 3 (opened)"
    };
    void note(std::vector<HookNote>& notes, telemetry::NoteSeverity severity, const std::string& what);
    void start(std::vector<HookNote>& notes, std::int64_t nowNs);

    std::string_view m_option; ///< that named the command, with the colon
    std::vector<std::string> m_argv;
    nlohmann::json m_run;
    std::vector<std::string> m_faults;
    std::int64_t m_startNs = 0;
    std::deque<HookCall> m_waiting;
    std::string m_subject; ///< of the running call
    std::optional<HelperProcess> m_running;
    int m_dropped = 0, m_notes = 0;
};

/// Returns the command's input: {"event": "opened" | "closed", "run": {…}, "incident": {…}}, as diagnose --json prints
/// it. `faults`: RunInfo::faults.
std::string hookInput(const diagnosis::Transition& transition, const nlohmann::json& run, std::int64_t startNs,
                      std::span<const std::string> faults);

} // namespace rankscope::launch
