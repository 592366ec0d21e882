// SPDX-License-Identifier: Apache-2.0
#include "app/ctl/reports/progress_line.h"

#include "app/ctl/reports/words.h"
#include "core/base/console/console.h"
#include "core/base/console/text_table.h"
#include "core/base/text/terminal_safe.h"
#include "core/base/values/clock.h"
#include "core/launch/figures/run_pace.h"

#include <fmt/chrono.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <ctime>
#include <vector>

namespace rankscope::ctl {

static constexpr std::int64_t kSecond = 1'000'000'000;

ProgressLine::ProgressLine(Style style) : m_style(style), m_terminal(::isatty(STDERR_FILENO) == 1) {}

/// Returns the parts of the line, which are two spaces apart.
static std::vector<Message> figures(const launch::Progress& p) {
    const bool stands = p.standstill && p.state == launch::RunState::Running;
    std::vector<Message> parts;
    parts.push_back(stands ? Message(diagnosis::standstillText(p.standstill, p.nowNs)) : launch::stateTitle(p.state));
    if (p.step < 0)
        return parts;
    parts.push_back(p.totalSteps > 0 ? Message("step {} of {}", Count{p.step + 1}, Count{p.totalSteps})
                                     : Message("step {}", Count{p.step + 1}));
    if (p.loss)
        parts.push_back(std::isnan(*p.loss) ? Message("loss nan") : Message("loss {:.4f}", *p.loss)); // never "-nan"
    if (p.storedUntilNs != 0) {
        parts.push_back({"store ends {} ago", Duration{std::max<std::int64_t>(0, p.nowNs - p.storedUntilNs)}});
        return parts;
    }
    if (p.standstill || !(p.stepsPerSecond > 0))
        return parts;
    parts.push_back({"{:.2f} steps/s", p.stepsPerSecond});
    if (const Message audio = launch::audioRateText(p.audioPerSecond); !audio.empty())
        parts.push_back(audio);
    if (p.state != launch::RunState::Running)
        return parts;
    if (p.totalSteps > p.step + 1)
        parts.push_back({"{} left", Duration{launch::timeOf(p.totalSteps - p.step - 1, p.stepsPerSecond)}});
    const auto epoch = launch::epochAfter(p.step + 1, p.stepsPerEpoch);
    if (const std::int64_t left = launch::leftOfEpoch(p.step + 1, p.stepsPerEpoch, p.totalSteps); epoch && left > 0)
        parts.push_back({"epoch {}: {} left", *epoch, Duration{launch::timeOf(left, p.stepsPerSecond)}});
    return parts;
}

void ProgressLine::show(const launch::Progress& p) {
    const std::int64_t now = monotonicNs();
    // its text contains a duration and changes ten times a second: print it once
    if (p.incident > m_incident) {
        m_incident = p.incident;
        writeLasting(p.headline);
    }
    if (p.trouble != m_trouble && !p.trouble.empty())
        writeLasting(p.trouble);
    m_trouble = p.trouble;
    const bool stalled = static_cast<bool>(p.standstill);
    const bool changed = p.state != m_state || stalled != m_stalled;
    m_stalled = stalled;
    const bool begins = m_state == launch::RunState::Starting && p.state == launch::RunState::Running;
    m_state = p.state;
    if (!launch::isLive(p.state))
        return; // the run table printed at the end reports it
    if (m_style == Style::Beside) {
        if (begins)
            writeLasting(p.ranks == 1 ? Message("1 rank trains") : Message("{} ranks train", p.ranks));
        return;
    }
    const std::int64_t interval = m_terminal ? kSecond / 5 : 5 * kSecond;
    if (!changed && now - m_lastNs < interval)
        return;
    m_lastNs = now;
    std::string line;
    for (const Message& part : figures(p))
        line += (line.empty() ? "" : "  ") + part.text(language());
    write(line, false);
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

/// Returns the longest beginning of the text that fits into so many columns.
static std::string_view fitting(std::string_view text, int width) {
    std::size_t size = 0;
    while (size < text.size()) {
        const std::size_t more = std::max<std::size_t>(1, characterBytes(text.substr(size)));
        width -= displayWidth(text.substr(size, more));
        if (width < 0)
            break;
        size += more;
    }
    return text.substr(0, size);
}

Language ProgressLine::language() const {
    return m_style == Style::Stamped ? Language::English : console::errorLanguage();
}

void ProgressLine::writeLasting(const Message& message) {
    write(message.text(language()), true);
}

void ProgressLine::write(const std::string& text, bool lasting) {
    const std::string line = (m_style == Style::Beside ? "rankscope: " : "") + printableLine(text);
    if (!m_terminal) {
        console::printError("{}{}\n", m_style == Style::Stamped ? timeStamp() : std::string(), line);
        return;
    }
    clear();
    if (m_style == Style::Beside) // the other program may be in the middle of a line, as with a progress bar
        console::controlTerminal("\r\033[K");
    if (lasting) {
        console::printError("{}\n", line);
        return;
    }
    // a line that wraps cannot be rewritten
    console::printError("{}", fitting(line, std::max(20, terminalWidth(STDERR_FILENO, 100) - 1)));
    m_open = true;
}

} // namespace rankscope::ctl
