// SPDX-License-Identifier: Apache-2.0
#include "app/ctl/reports/progress_line.h"

#include "app/ctl/reports/text_table.h"
#include "core/base/text/console.h"
#include "core/base/text/terminal_safe.h"
#include "core/base/text/unit_format.h"
#include "core/base/values/clock.h"
#include "core/launch/figures/run_pace.h"

#include <fmt/chrono.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <ctime>

namespace rankscope::ctl {

static constexpr std::int64_t kSecond = 1'000'000'000;

ProgressLine::ProgressLine(bool stamped) : m_stamped(stamped), m_terminal(::isatty(STDERR_FILENO) == 1) {}

static std::string figures(const launch::Progress& p) {
    const bool stands = p.standstill && p.state == launch::RunState::Running;
    std::string line = stands ? diagnosis::standstillText(p.standstill, p.nowNs).english()
                              : std::string(launch::runStateName(p.state));
    if (p.step < 0)
        return line;
    line += p.totalSteps > 0 ? fmt::format("  step {} of {}", formatCount(p.step + 1), formatCount(p.totalSteps))
                             : fmt::format("  step {}", formatCount(p.step + 1));
    line += std::isnan(p.loss) ? std::string("  loss nan") : fmt::format("  loss {:.4f}", p.loss); // never "-nan"
    if (p.storedUntilNs != 0)
        return line +
               fmt::format("  store ends {} ago", formatDuration(std::max<std::int64_t>(0, p.nowNs - p.storedUntilNs)));
    if (p.standstill || !(p.stepsPerSecond > 0))
        return line;
    line += fmt::format("  {:.2f} steps/s", p.stepsPerSecond);
    if (const std::string audio = launch::audioRateText(p.audioPerSecond); !audio.empty())
        line += "  " + audio;
    if (p.state != launch::RunState::Running)
        return line;
    if (p.totalSteps > p.step + 1)
        line += fmt::format("  {} left", formatDuration(launch::timeOf(p.totalSteps - p.step - 1, p.stepsPerSecond)));
    const auto epoch = launch::epochAfter(p.step + 1, p.stepsPerEpoch);
    if (const std::int64_t left = launch::leftOfEpoch(p.step + 1, p.stepsPerEpoch, p.totalSteps); epoch && left > 0)
        line += fmt::format("  epoch {}: {} left", *epoch, formatDuration(launch::timeOf(left, p.stepsPerSecond)));
    return line;
}

void ProgressLine::show(const launch::Progress& p) {
    const std::int64_t now = monotonicNs();
    // its text contains a duration and changes ten times a second: print it once
    if (p.incident > m_incident) {
        m_incident = p.incident;
        write(p.headline, true);
    }
    if (p.trouble != m_trouble && !p.trouble.empty())
        write(p.trouble, true);
    m_trouble = p.trouble;
    const bool stalled = static_cast<bool>(p.standstill);
    const bool changed = p.state != m_state || stalled != m_stalled;
    m_stalled = stalled;
    m_state = p.state;
    if (!launch::isLive(p.state))
        return; // the run table printed at the end reports it
    const std::int64_t interval = m_terminal ? kSecond / 5 : 5 * kSecond;
    if (!changed && now - m_lastNs < interval)
        return;
    m_lastNs = now;
    write(figures(p), false);
}

void ProgressLine::clear() {
    if (m_open)
        console::controlTerminal("\r\033[K");
    m_open = false;
}

/// Returns the time in the format of the ranks' logs.
static std::string timeStamp() {
    const std::int64_t ms = realtimeNs() / 1'000'000;
    return fmt::format("{:%Y-%m-%d %H:%M:%S}.{:03} ", fmt::localtime(static_cast<std::time_t>(ms / 1000)), ms % 1000);
}

void ProgressLine::write(const std::string& text, bool lasting) {
    const std::string line = printableLine(text);
    if (!m_terminal) {
        console::printError("{}{}\n", m_stamped ? timeStamp() : std::string(), line);
        return;
    }
    clear();
    if (lasting) {
        console::printError("{}\n", line);
        return;
    }
    std::string cut = line; // a line that wraps cannot be rewritten
    const int width = std::max(20, terminalWidth(STDERR_FILENO, 100) - 1);
    while (displayWidth(cut) > width)
        cut.pop_back();
    console::printError("{}", cut);
    m_open = true;
}

} // namespace rankscope::ctl
