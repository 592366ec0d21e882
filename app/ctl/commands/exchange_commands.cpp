// SPDX-License-Identifier: Apache-2.0
#include "app/ctl/commands/exchange_commands.h"

#include "app/ctl/reports/run_report_json.h"
#include "core/base/console/console.h"
#include "core/base/console/text_table.h"
#include "core/base/text/terminal_safe.h"
#include "core/base/text/unit_format.h"
#include "core/base/values/result.h"
#include "core/exchange/import/run_import.h"
#include "core/exchange/perfetto/trace_export.h"
#include "core/exchange/report/html_export.h"
#include "core/exchange/tensorboard/series_tags.h"
#include "core/exchange/tensorboard/tensorboard_export.h"
#include "core/launch/process/training_verdict.h"
#include "core/launch/run/launch_spec.h"
#include "core/store/report/csv_export.h"

#include <fmt/format.h>

namespace rankscope::ctl {

using exchange::Selection;
using nlohmann::json;

static Result<store::Metric> metricNamed(const std::string& name) {
    std::vector<std::string> names;
    for (const auto& info : store::metrics()) {
        if (name == info.column || name == exchange::tagOf(info.metric))
            return info.metric;
        names.emplace_back(info.column);
    }
    const std::string near = nearestWord(name, names);
    return fail(Errc::BadInput,
                near.empty() ? Message("no such series; available: {}", fmt::format("{}", fmt::join(names, ", ")))
                             : Message("no such series; did you mean {}?", near),
                "--series " + name);
}

static Result<Selection> selectionOf(const ExportArgs& args, int worldSize) {
    Selection selection;
    for (const std::string& name : args.series) {
        RS_TRY_ASSIGN(const auto metric, metricNamed(name));
        selection.series.push_back(metric);
    }
    for (const int rank : args.ranks)
        if (rank < 0 || rank >= worldSize)
            return fail(Errc::BadInput, {"the run has ranks 0 to {}", worldSize - 1}, fmt::format("--ranks {}", rank));
    selection.ranks = args.ranks;
    selection.steps.first = args.fromStep.value_or(selection.steps.first);
    selection.steps.last = args.toStep.value_or(selection.steps.last);
    if (selection.steps.first > selection.steps.last)
        return fail(Errc::BadInput, {"is below --from-step {}", selection.steps.first},
                    fmt::format("--to-step {}", selection.steps.last));
    return selection;
}

static Result<void> exportPage(const launch::RunPaths& run, store::RunReader& reader, const std::string& output,
                               const ExportArgs& args) {
    if (!args.series.empty() || !args.ranks.empty() || args.fromStep || args.toStep)
        return fail(Errc::BadInput,
                    "an HTML page covers the whole run: leave out --series, --ranks, --from-step and --to-step",
                    "--format html");
    RS_TRY_ASSIGN(auto info, launch::readRunInfo(run));
    RS_TRY(launch::judgeTraining(info, reader));
    return exchange::exportHtml(reader, run, info, output, console::readerLanguage());
}

static Result<void> exportAs(const std::string& format, store::RunReader& reader, const std::string& output,
                             const Selection& selection) {
    if (format == "csv")
        return store::exportCsv(reader.source(), output, selection);
    if (format == "chrome-trace") {
        RS_TRY_ASSIGN(const auto figures, exchange::exportTrace(reader, output, selection));
        console::sayError({"{} steps, {} phases, {} collectives, {} arrows; open it in https://ui.perfetto.dev",
                           Count{figures.steps}, Count{figures.phases}, Count{figures.collectives},
                           Count{figures.arrows}});
        return {};
    }
    RS_TRY_ASSIGN(const auto figures, exchange::exportTensorBoard(reader, output, selection));
    console::sayError({"{} points in {} event files; see them with: tensorboard --logdir {}", Count{figures.points},
                       figures.files, output});
    return {};
}

Result<int> exportRun(const ExportArgs& args) {
    const bool isCsvForm = !args.csvDir.empty();
    if (isCsvForm != (args.format.empty() && args.output.empty()) || (args.format.empty() != args.output.empty()))
        return fail(Errc::BadInput, "say what to write and where: --format FORMAT --output PATH, or --csv DIR",
                    "export");
    RS_TRY_ASSIGN(const auto run, currentRunOf(args.run));
    RS_TRY_ASSIGN(auto reader, store::RunReader::open(run.store()));
    RS_TRY_ASSIGN(const auto selection, selectionOf(args, reader.meta().worldSize));
    const std::string output = isCsvForm ? args.csvDir : args.output;
    RS_TRY(args.format == "html" ? exportPage(run, reader, output, args)
                                 : exportAs(isCsvForm ? "csv" : args.format, reader, output, selection));
    printStoreHealth(reader, run);
    console::writeBytes(output + "\n");
    return launch::kDone;
}

static json importJson(const exchange::Imported& imported) {
    json series = json::object(), remarks = json::array();
    for (const Message& remark : imported.remarks)
        remarks.push_back(remark.english());
    for (const auto& [tag, found] : imported.series)
        series[tag] = {{"stored_as", found.storedAs}, {"points", found.points}};
    return {{"id", imported.info.id},
            {"path", imported.run.dir.string()},
            {"world_size", imported.info.worldSize},
            {"points", imported.points},
            {"series", series},
            {"remarks", remarks},
            {"source", imported.info.importedFrom}};
}

Result<int> import(const ImportArgs& args) {
    RS_TRY_ASSIGN(const auto runs, runsDirOf(args.runsDir));
    RS_TRY_ASSIGN(
        const auto imported,
        exchange::importRun({{args.paths.begin(), args.paths.end()}, args.config, args.name, runs, args.argv}));
    for (const auto& remark : imported.remarks)
        console::sayError(remark);
    if (args.json) {
        console::print("{}\n", dumped(importJson(imported)));
        return launch::kDone;
    }
    const Language language = console::errorLanguage();
    Table table({"series", right("points"), "is"});
    for (const auto& [tag, found] : imported.series)
        table.add({tag, formatCount(found.points),
                   found.storedAs.empty() ? Message("kept under its tag").text(language) : found.storedAs});
    if (!imported.series.empty())
        console::printError("{}", table.text(language));
    console::writeBytes(imported.run.dir.string() + "\n");
    return launch::kDone;
}

} // namespace rankscope::ctl
