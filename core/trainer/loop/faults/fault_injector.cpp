// SPDX-License-Identifier: Apache-2.0
#include "core/trainer/loop/faults/fault_injector.h"

#include "core/base/values/clock.h"
#include "core/config/effective/effective.h"
#include "core/config/recipe/fault_spec.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <utility>

namespace rankscope::trainer {

using telemetry::ForwardSite;
using telemetry::Phase;

namespace {

constexpr auto kLook = std::chrono::milliseconds(20); // how often a sleeping fault checks whether to end

Phase phaseOf(const config::FaultConfig& fault) {
    const config::FaultKind* kind = config::faultKind(fault.kind);
    const std::string name = !fault.phase.empty()            ? fault.phase
                             : kind && !kind->phases.empty() ? std::string(kind->phases.front())
                                                             : "";
    return phaseNamed(name).value_or(Phase::None);
}

ForwardSite placeOf(const config::FaultConfig& fault) {
    return fault.layer >= 0 ? ForwardSite::Layer : placeNamed(fault.place).value_or(ForwardSite::None);
}

} // namespace

Result<std::string> textForRank(const std::string& text, const config::Recipe& recipe, int rank) {
    std::vector<std::string> overrides;
    for (const auto& fault : recipe.rankscope.faults)
        if (fault.kind == "other_settings" && fault.rank == rank)
            overrides.push_back("++" + fault.set);
    if (overrides.empty())
        return text;
    const std::string where = fmt::format("other_settings of rank {}", rank);
    const auto changed = config::evaluate(text, where, overrides);
    if (const auto error = config::launchError(changed, where))
        return tl::unexpected(*error);
    return changed.text;
}

Faults::Faults(const std::vector<config::FaultConfig>& all, int rank, int sampleRate, std::function<bool()> interrupted,
               Tell tell)
    : m_sampleRate(sampleRate), m_interrupted(std::move(interrupted)), m_tell(std::move(tell)) {
    for (const auto& fault : all)
        if (fault.rank == rank)
            m_mine.push_back({fault, phaseOf(fault), placeOf(fault)});
}

std::vector<std::string> Faults::sentences() const {
    std::vector<std::string> all;
    std::transform(m_mine.begin(), m_mine.end(), std::back_inserter(all),
                   [](const Fault& fault) { return "fault asked for: " + config::faultSpecText(fault); });
    return all;
}

bool Faults::acts(const Fault& fault, std::int64_t step) {
    const std::int64_t steps = fault.kind == "uneven_batches" ? config::kToTheEnd : fault.steps;
    return step >= fault.step && step - fault.step < steps;
}

Faults::Fault* Faults::acting(std::string_view kind, std::int64_t step) {
    const auto found = std::find_if(m_mine.begin(), m_mine.end(),
                                    [&](const Fault& fault) { return fault.kind == kind && acts(fault, step); });
    return found == m_mine.end() ? nullptr : &*found;
}

const Faults::Fault* Faults::begins(std::string_view kind, std::int64_t step) {
    Fault* fault = acting(kind, step);
    if (fault)
        tell(*fault, step);
    return fault;
}

void Faults::tell(Fault& fault, std::int64_t step) {
    {
        const std::lock_guard lock(m_mutex);
        if (std::exchange(fault.told, true))
            return;
    }
    m_tell(step, "fault begins: " + config::faultSpecText(fault));
}

void Faults::sleepFor(double seconds) {
    const std::int64_t until = monotonicNs() + static_cast<std::int64_t>(seconds * 1e9);
    std::unique_lock lock(m_mutex);
    for (;;) {
        const std::int64_t left = until - monotonicNs();
        if (left <= 0 || m_cancelled || m_interrupted())
            return;
        m_changed.wait_for(lock, std::min<std::chrono::nanoseconds>(kLook, std::chrono::nanoseconds(left)));
    }
}

void Faults::beforeBatch(std::int64_t index) {
    const auto [step, micro] = m_plan.positionOf(index);
    for (Fault& fault : m_mine) {
        if (fault.kind != "data_loading" || micro != 0 || !acts(fault, step))
            continue;
        {
            std::unique_lock lock(m_mutex);
            while (m_wanted < index && !m_cancelled && !m_interrupted())
                m_changed.wait_for(lock, kLook);
        }
        tell(fault, step);
        sleepFor(fault.seconds);
    }
}

void Faults::beforeFile(std::int64_t index) {
    if (const Fault* fault = begins("slow_reader", m_plan.positionOf(index).step))
        sleepFor(fault->seconds);
}

void Faults::afterBatch(std::int64_t index, Batch& batch) {
    const auto [step, micro] = m_plan.positionOf(index);
    if (const Fault* fault = acting("long_batch", step))
        extendBatch(batch, static_cast<std::int64_t>(fault->seconds * m_sampleRate));
    if (micro == 0 && acting("nan_input", step))
        spoilBatch(batch, m_sampleRate);
}

void Faults::beforeJoin() {
    for (Fault& fault : m_mine) {
        if (fault.kind == "never_joined") {
            tell(fault, -1);
            sleepFor(fault.seconds);
        }
    }
}

void Faults::wants(std::int64_t index) {
    if (!any())
        return;
    const std::lock_guard lock(m_mutex);
    m_wanted = index;
    m_changed.notify_all();
}

void Faults::enter(Phase phase, std::int64_t step) {
    if (phase == Phase::ToDevice) { // the batch was changed when it was made, ahead of its step
        begins("long_batch", step);
        begins("nan_input", step);
    }
    for (Fault& fault : m_mine) {
        if (fault.where != phase || phase == Phase::None || fault.spot != ForwardSite::None || !acts(fault, step) ||
            fault.actedAt == step)
            continue;
        fault.actedAt = step;
        tell(fault, step);
        if (fault.kind == "slow_compute" || fault.kind == "preprocessing")
            spinFor(fault.seconds, m_interrupted);
        else if (fault.kind == "stopped")
            ::raise(SIGSTOP); // until SIGCONT is sent
        else if (fault.kind == "dead")
            die(fault);
        else if (fault.kind == "out_of_memory")
            exhaustMemory(fault.megabytes);
    }
    drag(std::exchange(m_phase, phase), step);
}

void Faults::enter(ForwardSite place, int layer, std::int64_t step) {
    for (Fault& fault : m_mine) {
        const bool here = fault.where == m_phase && fault.spot == place && (fault.layer < 0 || fault.layer == layer);
        if (fault.kind != "slow_compute" || place == ForwardSite::None || !here || !acts(fault, step) ||
            fault.actedAt == step)
            continue;
        fault.actedAt = step;
        tell(fault, step);
        spinFor(fault.seconds, m_interrupted);
    }
    if (const Fault* slow = acting("slow_rank", step); slow && m_phase == Phase::Forward)
        m_drag.stretch(slow->factor, m_interrupted); // what was computed since the last place
}

/// Backward reports too few places to be stretched at them, so its extra time, measured on the previous one, is burnt
/// before it.
void Faults::drag(Phase before, std::int64_t step) {
    const Fault* slow = begins("slow_rank", step);
    if (!slow)
        return;
    if (before == Phase::Backward)
        m_backwardNs = m_drag.sinceMark();
    if (m_phase == Phase::Backward)
        m_drag.burn(static_cast<std::int64_t>((slow->factor - 1) * static_cast<double>(m_backwardNs)), m_interrupted);
    else
        m_drag.mark();
}

void Faults::insideCollective(std::string_view tag, std::int64_t step) {
    for (Fault& fault : m_mine) {
        const bool named =
            fault.collective.empty() || tag == fault.collective || tag.starts_with(fault.collective + ":");
        if (fault.kind == "stuck_collective" && step == fault.step && named && fault.actedAt != step) {
            fault.actedAt = step;
            tell(fault, step);
            sleepFor(fault.seconds);
        }
    }
}

void Faults::inCheckpoint(std::int64_t step) {
    for (Fault& fault : m_mine) {
        if (fault.kind == "checkpoint" && step >= fault.step && fault.times < fault.steps) {
            ++fault.times;
            tell(fault, step);
            sleepFor(fault.seconds);
        }
    }
}

void Faults::cancel() {
    const std::lock_guard lock(m_mutex);
    m_cancelled = true;
    m_changed.notify_all();
}

} // namespace rankscope::trainer
