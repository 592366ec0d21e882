// SPDX-License-Identifier: Apache-2.0
#include "app/ctl/commands/commands.h"
#include "app/ctl/reports/run_report.h"
#include "core/base/text/console.h"
#include "core/base/text/unit_format.h"
#include "core/base/values/result.h"
#include "core/launch/run/launch_spec.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace rankscope::ctl {

using nlohmann::json;
using store::ReplayReport;

static json replayJson(const ReplayReport& r, std::int64_t startNs) {
    json incidents = json::array(), differences = json::array(), gaps = json::array();
    for (const auto& in : r.incidents)
        incidents.push_back(diagnosis::toJson(in, startNs));
    for (const auto& d : r.differences)
        differences.push_back(
            {{"id", d.id},
             {"stored", d.stored.empty() ? json(nullptr) : json::parse(d.stored, nullptr, false)},
             {"replayed", d.replayed.empty() ? json(nullptr) : json::parse(d.replayed, nullptr, false)}});
    for (const auto& gap : r.gaps)
        gaps.push_back({{"after_round", gap.afterRound}, {"rounds", gap.rounds}});
    return {{"identical", r.identical()},
            {"rounds", r.rounds},
            {"pieces", r.pieces},
            {"bytes", r.bytes},
            {"detector_version", r.detectorVersion},
            {"same", r.same},
            {"differences", differences},
            {"not_recorded", r.unrecorded},
            {"gaps", gaps},
            {"incidents", incidents}};
}

/// The first field in which two canonical texts differ.
static std::string firstDifference(const ReplayReport::Difference& d) {
    if (d.stored.empty())
        return "it is not stored";
    if (d.replayed.empty())
        return "the replay has none";
    const json stored = json::parse(d.stored, nullptr, false), replayed = json::parse(d.replayed, nullptr, false);
    for (const auto& [key, value] : stored.items())
        if (replayed.value(key, json()) != value)
            return fmt::format("{} was {}, is {}", key, dumped(value), dumped(replayed.value(key, json())));
    return "the same figures in other words";
}

static std::string replayText(const ReplayReport& r) {
    std::string text =
        fmt::format("{} rounds diagnosed again from {} pieces ({} bytes), recorded by detector {}\n",
                    formatCount(r.rounds), formatCount(r.pieces), formatCount(r.bytes), r.detectorVersion);
    for (const auto& gap : r.gaps)
        text += fmt::format("{} rounds after round {} are not recorded any more\n", formatCount(gap.rounds),
                            formatCount(gap.afterRound));
    if (!r.unrecorded.empty())
        text += fmt::format("of incident {} what led to it is not recorded any more\n", fmt::join(r.unrecorded, ", "));
    if (r.otherStates > 0)
        text += fmt::format("{} groups began with another state than the detector comes to now\n", r.otherStates);
    for (const auto& d : r.differences)
        text += fmt::format("incident {} differs: {}\n", d.id, firstDifference(d));
    text += fmt::format("{} incident{} byte-identical{}\n", formatCount(r.same), r.same == 1 ? "" : "s",
                        r.identical() ? "" : fmt::format(", {} not", r.differences.size()));
    return text;
}

Result<int> replay(const RunArgs& args) {
    RS_TRY_ASSIGN(const auto run, wholeRunOf(args));
    RS_TRY_ASSIGN(auto reader, store::RunReader::open(run.store()));
    RS_TRY_ASSIGN(const auto report, reader.replay());
    if (args.json)
        console::print("{}\n", dumped(replayJson(report, reader.meta().startNs)));
    else
        console::print("{}", replayText(report));
    return report.identical() ? launch::kDone : launch::kCheckFailed;
}

} // namespace rankscope::ctl
