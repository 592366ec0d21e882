// SPDX-License-Identifier: Apache-2.0
#include "core/launch/monitors/incident_hook.h"

#include "core/diagnosis/evidence/injected_fault.h"
#include "core/launch/run/run_folder.h"

#include <fmt/format.h>

namespace rankscope::launch {

using diagnosis::Transition;
using nlohmann::json;

static constexpr std::size_t kMostHooksWaiting = 32;
static constexpr double kHookSeconds = 10;
static constexpr int kMostNotes = 5;

IncidentHook::IncidentHook(std::vector<std::string> argv, const RunInfo& info, const RunPaths& run,
                           std::int64_t startNs)
    : m_argv(std::move(argv)), m_run{{"id", info.id},
                                     {"name", info.name},
                                     {"path", run.dir.string()},
                                     {"world_size", info.worldSize}},
      m_faults(info.faults), m_startNs(startNs) {}

std::string hookInput(const Transition& transition, const json& run, std::int64_t startNs,
                      std::span<const std::string> faults) {
    const json input{{"event", transition.kind == Transition::TransitionKind::Closed ? "closed" : "opened"},
                     {"run", run},
                     {"incident", diagnosis::toJson(transition.incident, startNs, faults)}};
    return input.dump(-1, ' ', false, json::error_handler_t::replace) + "\n";
}

void IncidentHook::tell(const std::vector<Transition>& transitions) {
    if (m_argv.empty())
        return;
    for (const Transition& transition : transitions) {
        if (transition.kind == Transition::TransitionKind::Updated)
            continue;
        if (m_waiting.size() < kMostHooksWaiting)
            m_waiting.push_back(hookInput(transition, m_run, m_startNs, m_faults));
        else
            ++m_dropped;
    }
}

void IncidentHook::problem(std::vector<std::string>& notes, const std::string& what) {
    if (++m_problems > kMostNotes)
        return;
    notes.push_back(fmt::format("rankscope.on_incident: {} {}{}", m_argv.front(), what,
                                m_problems == kMostNotes ? " (further failures are not reported)" : ""));
}

std::vector<std::string> IncidentHook::round(std::int64_t nowNs) {
    std::vector<std::string> notes;
    if (m_running) {
        const auto end = m_running->poll(nowNs);
        if (!end)
            return notes;
        m_running.reset();
        if (const std::string what = end->problem(); !what.empty())
            problem(notes, what);
    }
    if (m_dropped > 0)
        problem(notes, fmt::format("missed {} changes: it is too slow", std::exchange(m_dropped, 0)));
    if (m_waiting.empty())
        return notes;
    HelperProcess::HelperCommand command{m_argv, std::move(m_waiting.front()), kHookSeconds, 4096};
    m_waiting.pop_front();
    auto started = HelperProcess::start(command, nowNs);
    if (started)
        m_running.emplace(std::move(*started));
    else
        problem(notes, "could not be started: " + started.error().what.english());
    return notes;
}

} // namespace rankscope::launch
