// SPDX-License-Identifier: Apache-2.0
#include "app/ctl/reports/run_report_json.h"

#include "core/base/text/terminal_safe.h"
#include "core/diagnosis/evidence/incident_sentence.h"
#include "core/diagnosis/evidence/injected_fault.h"
#include "core/launch/stacks/stack_json.h"

namespace rankscope::ctl {

using nlohmann::json;
using store::StackRow;

json stacksJson(const RunReport& r) {
    json all = json::array();
    for (const auto& rows : stacksByRank(r)) {
        const StackRow& first = rows.front();
        all.push_back({{"incident", first.incident},
                       {"rank", first.rank},
                       {"role", first.role},
                       {"taken_s", static_cast<double>(first.takenNs) * 1e-9},
                       {"problem", isRefused(rows) ? first.remark : ""},
                       {"threads", isRefused(rows) ? json::array() : launch::threadsJson(launch::threadsOf(rows))}});
    }
    return all;
}

static json known(std::int64_t n) {
    return n < 0 ? json(nullptr) : json(n);
}

json memoryJson(const RunReport& r) {
    bool synced = false;
    const auto tables = positionMemory(r, synced);
    json ranks = json::array();
    for (std::size_t i = 0; i < r.memory.size(); ++i) {
        const auto& m = r.memory[i];
        ranks.push_back({{"rank", m.rank},
                         {"rss_bytes", known(m.rssBytes)},
                         {"most_rss_bytes", known(m.mostRssBytes)},
                         {"most_swap_bytes", known(m.mostSwapBytes)},
                         {"gpu_bytes", known(m.gpuBytes)},
                         {"most_gpu_bytes", known(m.mostGpuBytes)},
                         {"gpu_total_bytes", known(m.gpuTotalBytes)},
                         {"group_used_bytes", known(m.groupUsedBytes)},
                         {"group_limit_bytes", known(m.groupLimitBytes)},
                         {"longest_frames", m.longestFrames > 0 ? json(m.longestFrames) : json(nullptr)},
                         {"positions_synced_bytes", tables ? json(tables->syncedBytes) : json(nullptr)},
                         {"positions_alone_bytes", tables ? json(tables->aloneBytes[i]) : json(nullptr)}});
    }
    return ranks;
}

json lagJson(const RunReport& r) {
    if (!r.lag)
        return nullptr;
    static constexpr const char* kReasons[] = {"supervisor_stopped", "cannot_write", "silent"};
    return {
        {"reason", kReasons[static_cast<std::size_t>(r.lag->reason)]},
        {"since_s", r.lag->sinceNs == 0 ? json(nullptr) : json(static_cast<double>(r.lag->sinceNs - r.startNs) * 1e-9)},
        {"text", Message(launch::lagText(*r.lag)).english()}};
}

static json lostJson(const RunReport& r) {
    if (r.lost.steps == 0)
        return nullptr;
    return {{"lost_s", r.lost.lostNs * 1e-9},
            {"share", r.lost.share()},
            {"of_s", static_cast<double>(r.lost.lastedNs) * 1e-9},
            {"steps", r.lost.steps},
            {"estimated", r.lost.estimated}};
}

static json paceJson(const RunReport& r) {
    const double rate = r.stepsPerSecond();
    const std::int64_t done = r.step() + 1;
    const auto known = [](double value) { return value > 0 ? json(value) : json(nullptr); };
    const auto left = [&](std::int64_t steps) {
        return known(static_cast<double>(launch::timeOf(steps, rate)) * 1e-9);
    };
    const auto standstill = r.standstill();
    return {{"stalled", standstill ? json{{"ranks", standstill.ranks},
                                          {"since_s", static_cast<double>(standstill.sinceNs - r.startNs) * 1e-9}}
                                   : json(nullptr)},
            {"steps_per_second", known(rate)},
            {"audio_hours_per_second", known(r.pace.audioPerSecond(rate) / 3600)},
            {"left_s", left(r.info.totalSteps - done)},
            {"steps_per_epoch", r.stepsPerEpoch > 0 ? json(r.stepsPerEpoch) : json(nullptr)},
            {"epoch_left_s", left(launch::leftOfEpoch(done, r.stepsPerEpoch, r.info.totalSteps))}};
}

json incidentsJson(const RunReport& r) {
    json all = json::array();
    for (const auto& incident : r.incidents)
        all.push_back(diagnosis::toJson(incident, r.startNs, r.info.faults));
    return all;
}

static json missingJson(const RunReport& r) {
    if (!r.missing)
        return nullptr;
    return {{"reason", launch::reasonName(*r.missing)},
            {"why", r.missing->why.message()},
            {"message", r.missing->why.asMessage().toJson()},
            {"in_journals", r.missing->journals},
            {"in_the_way", r.missing->inTheWay},
            {"text", Message(launch::missingText(*r.missing)).english()}};
}

static json alertsJson(const RunReport& r) {
    json alerts = json::array();
    for (const auto& note : r.alerts)
        alerts.push_back({{"time_s", static_cast<double>(note.timeNs) * 1e-9},
                          {"failed", note.severity >= telemetry::NoteSeverity::Warning},
                          {"text", note.text}});
    return alerts;
}

static json ranksJson(const RunReport& r) {
    json ranks = json::array();
    for (const auto& rank : r.ranks)
        ranks.push_back({{"rank", rank.rank},
                         {"host", rank.host},
                         {"device", rank.device},
                         {"steps", rank.lastStep + 1},
                         {"last_loss", rank.lastLoss ? json(*rank.lastLoss) : json(nullptr)},
                         {"waited_s", static_cast<double>(rank.waitedNs) * 1e-9},
                         {"held_s", static_cast<double>(rank.heldNs) * 1e-9},
                         {"ended", rank.ended},
                         {"exit_code", rank.exitCode},
                         {"weights_hash", fmt::format("{:016x}", rank.weightsHash)},
                         {"end_text", rank.endText}});
    return ranks;
}

static json checksJson(const RunReport& r) {
    json checks = json::array();
    for (const auto& c : r.checks)
        checks.push_back({{"name", c.name},
                          {"status", telemetry::checkStatusName(c.status)},
                          {"ended_the_run", c.stops},
                          {"ranks", c.ranks},
                          {"text", c.text}});
    return checks;
}

static json validationsJson(const RunReport& r) {
    json validations = json::array();
    for (const auto& v : r.validations)
        validations.push_back({{"step", v.step},
                               {"val_loss", v.loss},
                               {"batches", v.batches},
                               {"began_s", static_cast<double>(v.beginNs) * 1e-9},
                               {"took_s", static_cast<double>(v.endNs - v.beginNs) * 1e-9}});
    return validations;
}

static json setLossesJson(const RunReport& r) {
    json losses = json::array();
    for (const auto& set : r.setLosses)
        losses.push_back({{"name", set.tag}, {"step", set.step}, {"loss", set.value}});
    return losses;
}

static json softwareJson(const RunReport& r) {
    json software = json::array();
    for (const auto& s : r.software)
        software.push_back({{"name", s.name}, {"version", s.version}, {"ranks", s.ranks}});
    return software;
}

static json groupsJson(const RunReport& r) {
    json groups = json::array();
    for (const auto& g : r.groups)
        groups.push_back({{"number", g.number}, {"name", g.name}, {"backend", g.backend}, {"ranks", g.ranks}});
    return groups;
}

static json countersJson(const RunReport& r) {
    json counters = json::array();
    for (const auto& c : r.counters)
        counters.push_back({{"name", c.name}, {"rank", c.rank}, {"value", c.value}});
    return counters;
}

json reportJson(const RunReport& r) {
    const auto& i = r.info;
    return json{{"id", i.id},
                {"name", i.name},
                {"title", r.title},
                {"path", r.paths.dir.string()},
                {"state", launch::runStateName(i.state)},
                {"cause", i.cause.english()},
                {"end_kind", launch::endKindName(i.reason.kind)},
                {"end_rank", i.reason.rank < 0 ? json(nullptr) : json(i.reason.rank)},
                {"supervisor", launch::supervisorLifeName(i.supervisor)},
                {"exit_code", i.exitCode},
                {"world_size", i.worldSize},
                {"steps", r.step() + 1},
                {"total_steps", i.totalSteps},
                {"pace", launch::isLive(i.state) ? paceJson(r) : json(nullptr)},
                {"lost", lostJson(r)},
                {"not_finite_since", r.notFiniteSince() < 0 ? json(nullptr) : json(r.notFiniteSince())},
                {"failed_checkpoints", {{"count", r.failedCheckpoints.count}, {"newest", r.failedCheckpoints.newest}}},
                {"mean_steps_per_s", r.figures.rate.perSecond()}, // non-finite values are null in JSON
                {"waits_are_sums", r.waitsAreSums},
                {"last_loss", r.figures.lastLoss},
                {"best_loss", r.figures.bestLoss},
                {"val_loss", r.figures.lastValidation()},
                {"best_val_loss", r.figures.bestValidation()},
                {"began_realtime_ns", i.startRealtimeNs},
                {"ended_realtime_ns", i.endRealtimeNs},
                {"faults", i.faults},
                {"unwatched", r.unwatched},
                {"alerts", alertsJson(r)},
                {"ranks", ranksJson(r)},
                {"incidents", incidentsJson(r)},
                {"counters", countersJson(r)},
                {"software", softwareJson(r)},
                {"groups", groupsJson(r)},
                {"validations", validationsJson(r)},
                {"validation_sets", setLossesJson(r)},
                {"memory", memoryJson(r)},
                {"checks", checksJson(r)},
                {"command", i.command},
                {"code_commit", launch::versionOf(i, launch::kCodeVersion)},
                {"recipe_from", i.recipeFrom},
                {"attached", i.attached},
                {"resumed_from", i.resumedFrom},
                {"relaunched_from", i.relaunchedFrom},
                {"overrides", i.overrides},
                {"store_problem", r.storeProblem ? r.storeProblem->message() : std::string()},
                {"not_current", missingJson(r)},
                {"store_behind", lagJson(r)}};
}

static json figuresOf(const RunReport& r) {
    const std::int64_t memory = r.mostMemory();
    return {{"id", r.info.id},
            {"recipe_from", r.info.recipeFrom},
            {"world_size", r.info.worldSize},
            {"steps", r.step() + 1},
            {"last_loss", r.figures.lastLoss}, // non-finite values are null in JSON
            {"best_loss", r.figures.bestLoss},
            {"val_loss", r.figures.lastValidation()},
            {"mean_steps_per_s", r.figures.rate.perSecond()},
            {"lost_share", r.lost.steps > 0 ? json(r.lost.share()) : json(nullptr)},
            {"most_rss_bytes", memory < 0 ? json(nullptr) : json(memory)},
            {"incidents", r.incidents.size()}};
}

json figuresJson(const RunReport& mine, const RunReport& other) {
    return {{"mine", figuresOf(mine)}, {"other", figuresOf(other)}};
}

std::string dumped(const json& value) {
    return printableJson(value.dump(2, ' ', false, json::error_handler_t::replace));
}

} // namespace rankscope::ctl
