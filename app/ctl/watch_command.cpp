// SPDX-License-Identifier: Apache-2.0
// Follows a run from any terminal: it only reads the run's folder.
#include "app/ctl/commands.h"
#include "app/ctl/progress_line.h"
#include "app/ctl/run_report.h"
#include "core/base/clock.h"
#include "core/base/console.h"
#include "core/base/printable.h"
#include "core/base/text.h"
#include "core/launch/store_lag.h"
#include "core/launch/supervisor.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <deque>
#include <map>
#include <optional>
#include <thread>
#include <utility>

namespace rankscope::ctl {

using diagnosis::Incident;
using nlohmann::json;

static constexpr auto kPeriod = std::chrono::milliseconds(300);
static constexpr std::int64_t kRateWindowNs = 20'000'000'000;

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
        if (m_reader && m_reader->outdated()) { // another one writes to it now, or nobody any more
            m_reader.reset();
            m_version = -1;
        }
        if (!m_reader)
            if (auto reader = store::RunReader::open(m_run.store()))
                m_reader.emplace(std::move(*reader));
        if (m_reader)
            if (const auto ranks = m_reader->ranks())
                takeRanks(*ranks);
        tellLag(info);
        if (m_behind)
            m_progress.stepsPerSecond = 0; // not known
        tellProgress();
        const std::int64_t version = m_reader ? m_reader->version() : -1;
        if (!m_reader || version == m_version)
            return;
        if (const auto incidents = m_reader->incidents()) {
            m_version = version;
            for (const Incident& incident : *incidents)
                tellIncident(incident);
        }
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

    void takeRanks(const std::vector<store::RankSummary>& ranks) {
        m_progress.step = ranks.empty() ? -1 : INT64_MAX;
        m_progress.loss = 0;
        for (const auto& rank : ranks) {
            m_progress.step = std::min(m_progress.step, rank.lastStep);
            m_progress.loss += rank.lastLoss / static_cast<double>(ranks.size());
        }
        const std::int64_t now = monotonicNs();
        m_seen.emplace_back(now, m_progress.step);
        while (m_seen.front().first < now - kRateWindowNs)
            m_seen.pop_front();
        const auto seconds = static_cast<double>(now - m_seen.front().first) * 1e-9;
        m_progress.stepsPerSecond =
            seconds > 0 ? static_cast<double>(m_progress.step - m_seen.front().second) / seconds : 0;
    }

    void tellProgress() {
        if (!m_json)
            return m_line.show(m_progress);
        const auto& p = m_progress;
        if (p.state != m_toldState)
            print({{"event", "state"}, {"state", launch::runStateName(p.state)}});
        if (p.step != m_toldStep)
            print({{"event", "progress"},
                   {"step", p.step + 1},
                   {"total_steps", p.totalSteps},
                   {"loss", std::isfinite(p.loss) ? json(p.loss) : json(nullptr)},
                   {"steps_per_second", p.stepsPerSecond}});
        m_toldState = p.state;
        m_toldStep = p.step;
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
    std::deque<std::pair<std::int64_t, std::int64_t>> m_seen; ///< when, which step
    std::optional<launch::RunState> m_toldState;
    std::int64_t m_toldStep = -1;
    bool m_behind = false;
    std::map<std::int64_t, Told> m_told;
};

} // namespace

Result<int> watch(const RunArgs& args) {
    const auto runs = runsDirOf(args.runsDir);
    auto run = launch::findRun(runs ? *runs : std::filesystem::path("."), args.run);
    if (!run)
        return tl::unexpected(run.error());
    return Watcher(std::move(*run), args.json).follow();
}

} // namespace rankscope::ctl
