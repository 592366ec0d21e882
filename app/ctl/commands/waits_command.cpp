// SPDX-License-Identifier: Apache-2.0
#include "app/ctl/commands/commands.h"
#include "app/ctl/reports/run_report.h"
#include "app/ctl/reports/waits_report.h"
#include "core/base/text/console.h"
#include "core/base/values/result.h"
#include "core/launch/run/launch_spec.h"

#include <fmt/format.h>

#include <cmath>

namespace rankscope::ctl {

static Result<std::int64_t> nanoseconds(double seconds, const char* option) {
    if (!std::isfinite(seconds) || std::abs(seconds) > 1e9)
        return fail(Errc::BadInput, fmt::format("{} is no time within a run", seconds), option);
    return static_cast<std::int64_t>(seconds * 1e9);
}

static Result<store::StepInterval> stepsOf(store::RunReader& reader, const WaitsArgs& args) {
    if (!args.from && !args.to)
        return store::StepInterval{args.fromStep.value_or(0), args.toStep.value_or(INT64_MAX - 1)};
    const auto from = nanoseconds(args.from.value_or(0), "--from"), to = nanoseconds(args.to.value_or(1e9), "--to");
    if (!from || !to)
        return tl::unexpected(from ? to.error() : from.error());
    return reader.stepsBetween(*from, *to);
}

Result<int> waits(const WaitsArgs& args) {
    if ((args.from || args.to) && (args.fromStep || args.toStep))
        return fail(Errc::BadInput, "give steps or seconds, not both", "--from-step, --from");
    RS_TRY_ASSIGN(const auto run, wholeRunOf(args.run));
    RS_TRY_ASSIGN(auto reader, store::RunReader::open(run.store()));
    RS_TRY_ASSIGN(const auto steps, stepsOf(reader, args));
    RS_TRY_ASSIGN(const auto report, reader.explainWaits(steps));
    tellCondition(reader, run);
    console::print("{}", args.run.json ? dumped(waitsJson(report)) + "\n" : waitsText(report));
    return launch::kDone;
}

} // namespace rankscope::ctl
