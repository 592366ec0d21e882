// SPDX-License-Identifier: Apache-2.0
#include "app/ctl/commands/commands.h"
#include "app/ctl/reports/run_report.h"
#include "app/ctl/reports/text_table.h"
#include "core/base/text/console.h"
#include "core/base/text/terminal_safe.h"
#include "core/base/text/unit_format.h"
#include "core/base/values/result.h"
#include "core/launch/figures/step_batch.h"
#include "core/launch/run/launch_spec.h"

#include <fmt/format.h>

namespace rankscope::ctl {

using nlohmann::json;

static json batchJson(const launch::StepBatch& batch) {
    json utterances = json::array();
    for (const auto& one : batch.utterances)
        utterances.push_back(
            {{"file", one.file}, {"offset_s", one.offset}, {"duration_s", one.duration}, {"micro_batch", one.micro}});
    return {{"rank", batch.rank},
            {"step", batch.step},
            {"epoch", batch.epoch},
            {"basis", "recipe_and_seed"},
            {"seconds", batch.seconds()},
            {"remark", batch.remark},
            {"utterances", std::move(utterances)}};
}

static std::string batchText(const launch::StepBatch& batch) {
    using Align = Table::Align;
    Table table({{"offset", Align::Right}, {"duration", Align::Right}, {"file", Align::Left}});
    for (const auto& one : batch.utterances)
        table.add({fmt::format("{:.2f} s", one.offset),
                   one.duration > 0 ? fmt::format("{:.2f} s", one.duration) : std::string("to the end"),
                   printableLine(one.file)});
    std::string text =
        fmt::format("step {} of epoch {} on rank {}: {} utterances, {:.1f} s of speech; derived from the recipe and "
                    "the seed\n",
                    batch.step, batch.epoch, batch.rank, batch.utterances.size(), batch.seconds());
    if (!batch.remark.empty())
        text += fmt::format("but {}\n", batch.remark);
    return text + table.text();
}

Result<int> batch(const BatchArgs& args) {
    RS_TRY_ASSIGN(const auto run, wholeRunOf(args.run));
    RS_TRY_ASSIGN(const auto found, launch::batchOfStep(run, args.step, args.rank));
    console::print("{}", args.run.json ? dumped(batchJson(found)) + "\n" : batchText(found));
    return launch::kDone;
}

} // namespace rankscope::ctl
