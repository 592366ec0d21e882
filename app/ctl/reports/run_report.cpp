// SPDX-License-Identifier: Apache-2.0
#include "app/ctl/reports/run_report.h"

#include "app/ctl/reports/words.h"
#include "core/base/console/console.h"
#include "core/base/text/terminal_safe.h"
#include "core/base/values/clock.h"
#include "core/base/values/result.h"
#include "core/diagnosis/evidence/not_finite.h"
#include "core/launch/figures/open_waits.h"
#include "core/launch/process/training_verdict.h"
#include "core/launch/run/run_annotations.h"
#include "core/launch/run/run_folder.h"
#include "core/store/report/supervisor_notes.h"
#include "core/telemetry/format/note_markers.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

namespace rankscope::ctl {

std::int64_t RunReport::mostMemory() const {
    std::int64_t most = -1;
    for (const auto& rank : memory)
        most = std::max(most, rank.mostRssBytes);
    return most;
}

std::int64_t RunReport::step() const {
    std::int64_t step = ranks.empty() ? -1 : INT64_MAX;
    for (const auto& rank : ranks)
        step = std::min(step, rank.lastStep);
    return step;
}

diagnosis::RunStall RunReport::standstill() const {
    return !launch::isLive(info.state) || lag ? diagnosis::RunStall{} : diagnosis::currentStall(incidents);
}

std::int64_t RunReport::notFiniteSince() const {
    return launch::isLive(info.state) && !lag ? diagnosis::notFiniteSince(incidents) : -1;
}

double RunReport::stepsPerSecond() const {
    const bool goesOn = launch::isLive(info.state) && !lag && !standstill();
    return goesOn ? pace.steps.stepsPerSecond(nowNs) : 0;
}

static void readStore(RunReport& report, bool withStacks) {
    const auto& i = report.info;
    if (i.worldSize == 0) // no rank was seen, so that there is no store
        return;
    const store::RunMeta known{i.id, i.worldSize, i.startNs, i.startRealtimeNs, i.totalSteps};
    auto reader = store::RunReader::open(report.paths.store(), &known);
    if (!reader) {
        report.storeProblem = reader.error();
        return;
    }
    report.startNs = reader->meta().startNs;
    report.waitsAreSums = reader->meta().waitsAreSums;
    // a part that cannot be read is left out and reported; the others are still read
    const auto take = [&report](auto read, auto& into) {
        if (read)
            into = std::move(*read);
        else if (!report.storeProblem)
            report.storeProblem = read.error();
    };
    std::vector<store::CheckRow> checks;
    take(reader->ranks(), report.ranks);
    take(reader->incidents(), report.incidents);
    take(reader->counters(), report.counters);
    take(reader->software(), report.software);
    std::erase_if(report.software, [](const auto& s) { return s.name == "faulthandler"; }); // the number of its signal
    take(reader->groups(), report.groups);
    take(reader->groupMembers(), report.groupMembers);
    take(reader->validations(-1, 1'000'000), report.validations);
    take(store::readTrainingFigures(*reader, report.ranks), report.figures);
    take(reader->setLosses(), report.setLosses);
    take(reader->memory(), report.memory);
    take(reader->checks(), checks);
    store::LostTimeReader lost;
    bool counted = false;
    take(lost.advance(*reader), counted);
    report.lost = lost.soFar();
    take(store::failedCheckpoints(reader->source()), report.failedCheckpoints);
    if (const auto judged = launch::judgeTraining(report.info, *reader); !judged && !report.storeProblem)
        report.storeProblem = judged.error();
    if (launch::isLive(report.info.state)) {
        report.pace = launch::readPace(*reader, report.ranks, report.incidents, launch::sampleRateOf(report.paths));
        report.stepsPerEpoch = launch::stepsPerEpochOf(report.paths);
    }
    std::vector<store::Note> unwatched;
    take(store::supervisorNotes(reader->source(), {telemetry::kNotWatched}), unwatched);
    for (auto& note : unwatched)
        report.unwatched.push_back(std::move(note.text));
    take(store::alertNotes(reader->source()), report.alerts);
    if (withStacks)
        take(reader->stacks(), report.stacks);
    report.checks = store::summarize(checks);
    if (auto checked = reader->checkQuickly(); !checked && !report.storeProblem)
        report.storeProblem = checked.error();
    if (const Message said = store::describe(reader->condition(), report.paths.store()); !said.empty())
        report.storeProblem = Error{Errc::Malformed, said, report.paths.store().string()};
}

void printStoreHealth(const store::RunReader& reader, const launch::RunPaths& run) {
    if (const Message said = store::describe(reader.condition(), run.store()); !said.empty())
        tellError({Errc::Malformed, said, run.store().string()});
}

Result<RunReport> readReport(const launch::RunPaths& run, bool withStacks) {
    RS_TRY_ASSIGN(auto current, launch::currentRun(run));
    RunReport report{run, std::move(current.info)};
    report.missing = std::move(current.missing);
    if (const auto marks = launch::readMarks(run)) // not part of the measurements: optional
        report.title = marks->title;
    report.startNs = report.info.startNs;
    readStore(report, withStacks);
    report.endNs = report.startNs;
    for (const auto& rank : report.ranks)
        report.endNs = std::max(report.endNs, report.startNs + rank.lastNs);
    report.nowNs = monotonicNs();
    report.lag = launch::storeLag(run, report.info, report.nowNs);
    if (!report.lag) { // else the sums end earlier, and nothing is known about the time since then
        const auto waits = launch::readOpenWaits(run, report.info, report.groupMembers, report.nowNs);
        const auto clock = launch::activeClock(report.incidents, report.nowNs);
        launch::addOpenWaits(waits, report.nowNs, clock, report.ranks);
        launch::addOpenWaits(waits, report.nowNs, clock, report.startNs, report.ranks, report.lost);
    }
    if (!launch::isLive(report.info.state))
        launch::addWaitsAtEnd(report.incidents, report.startNs, report.ranks, report.lost);
    if (report.lag)
        report.endNs = std::max(report.endNs, report.lag->sinceNs);
    else if (launch::isLive(report.info.state) && report.info.host.size())
        report.endNs = std::max(report.endNs, report.nowNs);
    return report;
}

std::vector<std::vector<store::StackRow>> stacksByRank(const RunReport& report) {
    std::vector<std::vector<store::StackRow>> groups;
    for (const store::StackRow& row : report.stacks) {
        if (groups.empty() || groups.back().front().incident != row.incident || groups.back().front().rank != row.rank)
            groups.emplace_back();
        groups.back().push_back(row);
    }
    return groups;
}

bool isRefused(const std::vector<store::StackRow>& rows) {
    return rows.front().thread == 0;
}

std::optional<config::PositionMemory> positionMemory(const RunReport& r, bool& synced) {
    const auto recipe = launch::recordedRecipe(r.paths);
    if (!recipe)
        return std::nullopt;
    synced = recipe->model.encoder.syncMaxAudioLength;
    std::vector<std::int64_t> longest;
    for (const auto& rank : r.memory)
        longest.push_back(rank.longestFrames);
    return config::positionMemory(recipe->model, longest);
}

} // namespace rankscope::ctl
