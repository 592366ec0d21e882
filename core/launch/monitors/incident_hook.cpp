// SPDX-License-Identifier: Apache-2.0
#include "core/launch/monitors/incident_hook.h"

#include "core/diagnosis/evidence/injected_fault.h"
#include "core/launch/run/run_folder.h"
#include "core/telemetry/format/note_markers.h"

#include <fmt/format.h>

namespace rankscope::launch {

using diagnosis::Transition;
using nlohmann::json;

static constexpr std::size_t kMostHooksWaiting = 32;
static constexpr double kHookSeconds = 10;
static constexpr int kMostNotes = 1000;

IncidentHook::IncidentHook(std::vector<std::string> argv, const RunInfo& info, const RunPaths& run,
                           std::int64_t startNs)
    : m_option(info.watched() ? telemetry::kAlertOfCommandLine : telemetry::kAlertOfRecipe),
      m_argv(std::move(argv)), m_run{{"id", info.id},
                                     {"name", info.name},
                                     {"path", run.dir.string()},
                                     {"world_size", info.worldSize}},
      m_faults(info.faults), m_startNs(startNs) {}

static const char* eventOf(const Transition& transition) {
    return transition.kind == Transition::TransitionKind::Closed ? "closed" : "opened";
}

std::string hookInput(const Transition& transition, const json& run, std::int64_t startNs,
                      std::span<const std::string> faults) {
    const json input{{"event", eventOf(transition)},
                     {"run", run},
                     {"incident", diagnosis::toJson(transition.incident, startNs, faults)}};
    return input.dump(-1, ' ', false, json::error_handler_t::replace) + "\n";
}

static std::string subjectOf(const Transition& transition) {
    return fmt::format("incident {} ({})", transition.incident.id, eventOf(transition));
}

void IncidentHook::enqueue(const std::vector<Transition>& transitions) {
    if (m_argv.empty())
        return;
    for (const Transition& transition : transitions) {
        if (transition.kind == Transition::TransitionKind::Updated)
            continue;
        if (m_waiting.size() < kMostHooksWaiting)
            m_waiting.push_back({hookInput(transition, m_run, m_startNs, m_faults), subjectOf(transition)});
        else
            ++m_dropped;
    }
}

void IncidentHook::note(std::vector<HookNote>& notes, telemetry::NoteSeverity severity, const std::string& what) {
    if (++m_notes > kMostNotes)
        return;
    notes.push_back({severity, fmt::format("{}{} {}{}", m_option, m_argv.front(), what,
                                           m_notes == kMostNotes ? " (later calls are not reported)" : "")});
}

IncidentHook::HookNote IncidentHook::cutOff() const {
    return {telemetry::NoteSeverity::Warning,
            fmt::format("{}the command was still running some seconds after the run's end and was killed", m_option)};
}

std::vector<IncidentHook::HookNote> IncidentHook::round(std::int64_t nowNs) {
    std::vector<HookNote> notes;
    if (m_running) {
        const auto end = m_running->poll(nowNs);
        if (!end)
            return notes;
        m_running.reset();
        const std::string what = end->problem();
        note(notes, what.empty() ? telemetry::NoteSeverity::Info : telemetry::NoteSeverity::Warning,
             fmt::format("was run for {} and {}", m_subject, what.empty() ? "ended with exit code 0" : what));
    }
    if (m_dropped > 0)
        note(notes, telemetry::NoteSeverity::Warning,
             fmt::format("missed {} changes: it is too slow", std::exchange(m_dropped, 0)));
    if (!m_waiting.empty())
        start(notes, nowNs);
    return notes;
}

void IncidentHook::start(std::vector<HookNote>& notes, std::int64_t nowNs) {
    HookCall call = std::move(m_waiting.front());
    m_waiting.pop_front();
    m_subject = std::move(call.subject);
    auto started = HelperProcess::start({m_argv, std::move(call.input), kHookSeconds, 4096}, nowNs);
    if (started)
        m_running.emplace(std::move(*started));
    else
        note(notes, telemetry::NoteSeverity::Warning,
             fmt::format("could not be started for {}: {}", m_subject, started.error().what.english()));
}

} // namespace rankscope::launch
