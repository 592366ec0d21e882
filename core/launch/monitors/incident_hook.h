// SPDX-License-Identifier: Apache-2.0
// rankscope.on_incident: a command that is run for every incident that opens or closes, one call after the other.
#pragma once

#include "core/diagnosis/model/incident.h"
#include "core/launch/process/helper_process.h"

#include <nlohmann/json.hpp>

#include <deque>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace rankscope::launch {

struct RunInfo;
struct RunPaths;

class IncidentHook {
public:
    /// Does nothing if `argv` is empty.
    IncidentHook(std::vector<std::string> argv, const RunInfo& info, const RunPaths& run, std::int64_t startNs);

    void tell(const std::vector<diagnosis::Transition>& transitions);
    /// Starts and ends the calls that are due; never waits. Returns errors as notes for the run; after a few of
    /// them, it reports no more.
    std::vector<std::string> round(std::int64_t nowNs);
    bool idle() const { return !m_running && m_waiting.empty(); }

private:
    void problem(std::vector<std::string>& notes, const std::string& what);

    std::vector<std::string> m_argv;
    nlohmann::json m_run;
    std::vector<std::string> m_faults;
    std::int64_t m_startNs = 0;
    std::deque<std::string> m_waiting; ///< inputs
    std::optional<HelperProcess> m_running;
    int m_dropped = 0, m_problems = 0;
};

/// Returns the command's input: {"event": "opened" | "closed", "run": {…}, "incident": {…}}, as diagnose --json prints
/// it. `faults`: RunInfo::faults.
std::string hookInput(const diagnosis::Transition& transition, const nlohmann::json& run, std::int64_t startNs,
                      std::span<const std::string> faults);

} // namespace rankscope::launch
