// SPDX-License-Identifier: Apache-2.0
#include "app/ctl/reports/run_report.h"

#include "core/base/text/console.h"
#include "core/base/text/terminal_safe.h"
#include "core/base/values/clock.h"
#include "core/base/values/result.h"
#include "core/launch/recovery/run_recovery.h"
#include "core/launch/run/run_annotations.h"

#include <fmt/format.h>

#include <algorithm>

namespace rankscope::ctl {

std::int64_t RunReport::step() const {
    std::int64_t step = ranks.empty() ? -1 : INT64_MAX;
    for (const auto& rank : ranks)
        step = std::min(step, rank.lastStep);
    return step;
}

diagnosis::Standstill RunReport::standstill() const {
    return !launch::isLive(info.state) || lag ? diagnosis::Standstill{} : diagnosis::standstillOf(incidents);
}

double RunReport::stepsPerSecond() const {
    const bool goesOn = launch::isLive(info.state) && !lag && !standstill();
    return goesOn ? pace.steps.stepsPerSecond(nowNs) : 0;
}

/// A part that cannot be read is left out, and said; the others are there.
class StoreParts {
public:
    explicit StoreParts(std::string& problem) : m_problem(problem) {}
    template <class T> void take(Result<T> read, T& into) {
        if (read)
            into = std::move(*read);
        else if (m_problem.empty())
            m_problem = read.error().message();
    }

private:
    std::string& m_problem;
};

static void readStore(RunReport& report, bool withStacks) {
    const auto& i = report.info;
    const store::RunMeta known{i.id, i.worldSize, i.startNs, i.startRealtimeNs, i.totalSteps};
    auto reader = store::RunReader::open(report.paths.store(), &known);
    if (!reader) {
        report.storeProblem = reader.error().message();
        return;
    }
    report.startNs = reader->meta().startNs;
    StoreParts parts(report.storeProblem);
    std::vector<store::CheckRow> checks;
    parts.take(reader->ranks(), report.ranks);
    parts.take(reader->incidents(), report.incidents);
    parts.take(reader->counters(), report.counters);
    parts.take(reader->validations(-1, 1'000'000), report.validations);
    parts.take(reader->setLosses(), report.setLosses);
    parts.take(reader->memory(), report.memory);
    parts.take(reader->checks(), checks);
    if (launch::isLive(report.info.state)) {
        report.pace = launch::readPace(*reader, report.ranks, report.incidents, launch::sampleRateOf(report.paths));
        report.stepsPerEpoch = launch::stepsPerEpochOf(report.paths);
    }
    if (withStacks)
        parts.take(reader->stacks(), report.stacks);
    std::erase_if(report.validations, [](const auto& v) { return v.rank != 0; });
    report.checks = store::summarize(checks);
    if (auto checked = reader->checkQuickly(); !checked && report.storeProblem.empty())
        report.storeProblem = checked.error().message();
    if (const std::string said = store::describe(reader->condition(), report.paths.store()); !said.empty())
        report.storeProblem = fmt::format("{}: {}", report.paths.store().string(), said);
}

void tellCondition(const store::RunReader& reader, const launch::RunPaths& run) {
    if (const std::string said = store::describe(reader.condition(), run.store()); !said.empty())
        console::printError("rankscopectl: {}: {}\n", printableLine(run.store().string()), printableLine(said));
}

/// The store is left as it is, and the run as run.json has it: what can be read is shown.
static bool isOfTheStore(const Error& error) {
    return error.code == Errc::Malformed || error.code == Errc::Unsupported;
}

Result<RunReport> readReport(const launch::RunPaths& run, bool withStacks) {
    RS_TRY_ASSIGN(auto info, launch::readRunInfo(run));
    const auto recovered = launch::recover(run);
    if (!recovered && !isOfTheStore(recovered.error()))
        return tl::unexpected(recovered.error());
    if (recovered) {
        RS_TRY_ASSIGN(info, launch::readRunInfo(run));
    }
    RunReport report{run, std::move(info)};
    if (const auto marks = launch::readMarks(run)) // they are no part of what was measured: it is shown without them
        report.title = marks->title;
    report.startNs = report.info.startNs;
    readStore(report, withStacks);
    if (!recovered && report.storeProblem.empty()) // of the store's folder: its lock is none
        report.storeProblem = recovered.error().message();
    report.endNs = report.startNs;
    for (const auto& rank : report.ranks)
        report.endNs = std::max(report.endNs, report.startNs + rank.lastNs);
    report.nowNs = monotonicNs();
    report.lag = launch::storeLag(run, report.info, report.nowNs);
    if (report.lag)
        report.endNs = std::max(report.endNs, report.lag->sinceNs);
    else if (launch::isLive(report.info.state) && report.info.host.size())
        report.endNs = std::max(report.endNs, report.nowNs);
    return report;
}

} // namespace rankscope::ctl
