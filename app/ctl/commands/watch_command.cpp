// SPDX-License-Identifier: Apache-2.0
#include "app/ctl/commands/watch_command.h"

#include "app/ctl/reports/progress_line.h"
#include "app/ctl/reports/run_report_text.h"
#include "core/base/text/console.h"
#include "core/base/text/terminal_safe.h"
#include "core/base/text/unit_format.h"
#include "core/base/values/clock.h"
#include "core/base/values/result.h"
#include "core/diagnosis/evidence/incident_sentence.h"
#include "core/launch/figures/run_pace.h"
#include "core/launch/figures/store_lag.h"
#include "core/launch/recovery/run_recovery.h"
#include "core/launch/run/launch_spec.h"
#include "core/launch/supervise/progress_reporter.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <map>
#include <optional>
#include <thread>
#include <utility>
#include <vector>

namespace rankscope::ctl {

using diagnosis::Incident;
using nlohmann::json;

static constexpr auto kPeriod = std::chrono::milliseconds(300);

namespace {

class Watcher {
public:
    Watcher(launch::RunPaths run, bool asJson) : m_run(std::move(run)), m_json(asJson) {}

    Result<int> follow() {
        for (;;) {
            auto info = launch::readRunInfo(m_run);
            if (info && info->state == launch::RunState::Lost) // its supervisor was killed: end it truthfully
                if (auto recovered = launch::recover(m_run); recovered)
                    info = launch::readRunInfo(m_run);
            if (!info)
                return tl::unexpected(info.error());
            look(*info); // after its state: of an ended run the store is complete
            if (console::flush() != 0)
                return launch::kDone; // nobody listens any more
            if (!launch::isLive(info->state))
                return end(*info);
            std::this_thread::sleep_for(kPeriod);
        }
    }

private:
    void look(const launch::RunInfo& info) {
        m_progress.state = info.state;
        m_progress.totalSteps = info.totalSteps;
        if (m_reader && m_reader->outdated()) { // the writer has changed or is gone
            m_reader.reset();
            m_version = -1;
        }
        if (!m_reader)
            if (auto reader = store::RunReader::open(m_run.store()))
                m_reader.emplace(std::move(*reader));
        const std::int64_t version = m_reader ? m_reader->version() : -1;
        const bool moved = m_reader && version != m_version && takeStore();
        if (moved)
            m_version = version;
        tellLag(info);
        takePace(monotonicNs());
        tellProgress();
        if (moved)
            for (const Incident& incident : m_incidents)
                tellIncident(incident);
    }

    /// False where its incidents cannot be read now.
    bool takeStore() {
        const auto ranks = m_reader->ranks();
        auto incidents = m_reader->incidents();
        if (!ranks || !incidents)
            return false;
        m_incidents = std::move(*incidents);
        m_progress.step = ranks->empty() ? -1 : INT64_MAX;
        m_progress.loss = 0;
        for (const auto& rank : *ranks) {
            m_progress.step = std::min(m_progress.step, rank.lastStep);
            m_progress.loss += rank.lastLoss / static_cast<double>(ranks->size());
        }
        if (!m_sampleRate)
            m_sampleRate = launch::sampleRateOf(m_run);
        m_pace = launch::readPace(*m_reader, *ranks, m_incidents, *m_sampleRate);
        m_progress.stepsPerEpoch = launch::stepsPerEpochOf(m_run);
        return true;
    }

    /// While the store lags, neither a stall nor a rate can be reported.
    void takePace(std::int64_t nowNs) {
        m_progress.nowNs = nowNs;
        m_progress.standstill = m_behind || !launch::isLive(m_progress.state) ? diagnosis::Standstill{}
                                                                              : diagnosis::standstillOf(m_incidents);
        m_progress.stepsPerSecond = m_behind ? 0 : m_pace.steps.stepsPerSecond(nowNs);
        m_progress.audioPerSecond = m_pace.audioPerSecond(m_progress.stepsPerSecond);
    }

    /// Once when the store falls behind, and once when it has all again.
    void tellLag(const launch::RunInfo& info) {
        const auto lag = launch::storeLag(m_run, info, monotonicNs());
        const bool told = std::exchange(m_behind, lag.has_value());
        if (lag.has_value() == told)
            return;
        if (m_json)
            return print({{"event", lag ? "store_behind" : "store_complete"},
                          {"text", lag ? launch::lagText(*lag) : std::string()}});
        m_line.clear();
        if (lag)
            console::print(
                "The store is behind its ranks: {}. They go on; what they measure is kept in their journals.\n",
                printableLine(launch::lagText(*lag)));
        else if (launch::isLive(info.state))
            console::print("The store has all again.\n");
    }

    void tellProgress() {
        if (!m_json)
            return m_line.show(m_progress);
        const auto& p = m_progress;
        if (p.state != m_toldState)
            print({{"event", "state"}, {"state", launch::runStateName(p.state)}});
        if (p.step != m_toldStep)
            print(progressJson());
        m_toldState = p.state;
        m_toldStep = p.step;
    }

    json progressJson() const {
        const auto& p = m_progress;
        const bool knows = !p.standstill && p.stepsPerSecond > 0;
        const auto known = [&](double value) { return knows && value > 0 ? json(value) : json(nullptr); };
        const auto left = [&](std::int64_t steps) {
            return known(static_cast<double>(launch::timeOf(steps, p.stepsPerSecond)) * 1e-9);
        };
        return {{"event", "progress"},
                {"step", p.step + 1},
                {"total_steps", p.totalSteps},
                {"loss", std::isfinite(p.loss) ? json(p.loss) : json(nullptr)},
                {"steps_per_second", known(p.stepsPerSecond)},
                {"audio_hours_per_second", known(p.audioPerSecond / 3600)},
                {"left_s", left(p.totalSteps - p.step - 1)},
                {"epoch_left_s", left(launch::leftOfEpoch(p.step + 1, p.stepsPerEpoch, p.totalSteps))}};
    }

    /// Once when it opens, when its cause becomes another, and when it closes.
    void tellIncident(const Incident& incident) {
        Told& told = m_told[incident.id];
        const bool closed = incident.closed != diagnosis::CloseReason::Open;
        if (!told.opened || (told.cause != incident.cause && !told.closed))
            print(told.opened ? "updated" : "opened", incident);
        if (closed && !told.closed)
            print("closed", incident);
        told = {true, closed, incident.cause};
    }

    void print(const char* event, const Incident& incident) {
        const std::int64_t start = m_reader->meta().startNs;
        if (m_json)
            return print({{"event", event}, {"incident", diagnosis::toJson(incident, start)}});
        m_line.clear();
        const std::string at = formatDuration(std::max<std::int64_t>(0, incident.openedNs - start));
        if (std::string_view(event) == "closed")
            console::print("{}  {} over after {} ({})\n", at, diagnosis::causeName(incident.cause),
                           formatDuration(incident.closedNs - incident.openedNs),
                           diagnosis::closeReasonName(incident.closed));
        else
            console::print(
                "{}  {}\n", at,
                printableLine(diagnosis::sentence(incident, std::max(incident.detectedNs, incident.openedNs))));
    }
    static void print(const json& event) {
        console::print("{}\n", printableJson(event.dump(-1, ' ', false, json::error_handler_t::replace)));
    }

    Result<int> end(const launch::RunInfo& info) {
        m_line.clear();
        const bool done = info.state == launch::RunState::Finished || info.state == launch::RunState::Imported;
        const int code = done                                      ? launch::kDone
                         : info.state == launch::RunState::Stopped ? launch::kStopped
                                                                   : launch::kRankFailed;
        if (m_json)
            print({{"event", "end"},
                   {"state", launch::runStateName(info.state)},
                   {"cause", info.cause},
                   {"exit_code", code}});
        else
            console::print("{}\n", endText(info));
        return code;
    }

    struct Told {
        bool opened = false, closed = false;
        diagnosis::Cause cause = diagnosis::Cause::Unknown;
    };
    launch::RunPaths m_run;
    bool m_json;
    std::optional<store::RunReader> m_reader;
    std::int64_t m_version = -1; ///< of the store, when its incidents were read
    ProgressLine m_line;
    launch::Progress m_progress;
    launch::RunPace m_pace;
    std::vector<Incident> m_incidents;  ///< all, as of the version
    std::optional<double> m_sampleRate; ///< of its recipe; none: not read yet
    std::optional<launch::RunState> m_toldState;
    std::int64_t m_toldStep = -1;
    bool m_behind = false;
    std::map<std::int64_t, Told> m_told;
};

} // namespace

Result<int> watch(const RunArgs& args) {
    RS_TRY_ASSIGN(auto run, runOf(args));
    return Watcher(std::move(run), args.json).follow();
}

} // namespace rankscope::ctl
