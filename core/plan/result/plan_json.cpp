// SPDX-License-Identifier: Apache-2.0
#include "core/plan/result/plan_json.h"

namespace rankscope::plan {
namespace {

using Json = nlohmann::json;

Json factsJson(const config::ManifestFacts& f) {
    return {{"lines", f.lines},     {"used", f.used},          {"too_short", f.tooShort}, {"too_long", f.tooLong},
            {"bad", f.bad},         {"first_bad", f.firstBad}, {"seconds", f.seconds},    {"shortest_s", f.shortest},
            {"median_s", f.median}, {"p95_s", f.p95},          {"longest_s", f.longest}};
}

Json dataJson(const DataPlan& d) {
    Json ranks = Json::array();
    for (const RankShare& r : d.ranks)
        ranks.push_back({{"rank", r.rank},
                         {"batches", r.batches},
                         {"utterances", r.utterances},
                         {"speech_s", r.speechSeconds},
                         {"padded_s", r.paddedSeconds},
                         {"longest_s", r.longestSeconds},
                         {"waits_s", r.waitsSeconds}});
    return {{"section", d.section},
            {"manifest", factsJson(d.facts)},
            {"problem", d.problem},
            {"batches_per_rank", d.batchesPerRank},
            {"ranks", ranks},
            {"padding_share", d.paddingShare},
            {"imbalance", d.imbalance},
            {"longest_batch_s", d.longestBatchSeconds},
            {"longest_batch_size", d.longestBatchSize}};
}

Json processesJson(const std::vector<Process>& processes) {
    Json out = Json::array();
    for (const Process& p : processes) {
        Json environment = Json::object();
        for (const auto& [name, value] : p.environment)
            environment[name] = value;
        out.push_back(
            {{"rank", p.rank}, {"local_rank", p.localRank}, {"device", p.device}, {"environment", environment}});
    }
    return out;
}

Json collectivesJson(const std::vector<CollectivePlan>& collectives) {
    Json out = Json::array();
    for (const CollectivePlan& c : collectives)
        out.push_back({{"tag", c.tag},
                       {"op", c.op},
                       {"phase", c.phase},
                       {"dtype", c.dtype},
                       {"calls", c.calls},
                       {"bytes", c.bytes},
                       {"blocks", c.blocks},
                       {"certain", c.certain}});
    return out;
}

Json risksJson(const std::vector<config::Risk>& risks) {
    Json out = Json::array();
    for (const config::Risk& r : risks) {
        Json item{{"id", r.rule->id},
                  {"severity", std::string(config::riskSeverityName(r.rule->severity))},
                  {"key", r.key},
                  {"reason", r.reason},
                  {"remedy", r.rule->remedy},
                  {"prevents", r.rule->prevents}};
        if (r.set)
            item["set"] = {{"key", r.set->key}, {"value", r.set->value}};
        for (const config::RiskRemedy& more : r.also)
            item["also"].push_back({{"key", more.key}, {"value", more.value}});
        out.push_back(std::move(item));
    }
    return out;
}

Json obstaclesJson(const std::vector<Obstacle>& obstacles) {
    Json out = Json::array();
    for (const Obstacle& o : obstacles)
        out.push_back({{"refused", o.refused}, {"kind", o.kind}, {"key", o.key}, {"text", o.text}});
    return out;
}

Json speedJson(const SpeedPlan& s) {
    return {{"flops_per_step", s.flopsPerStep},
            {"flops_per_second", s.flopsPerSecond},
            {"step_s", s.stepSeconds},
            {"epoch_s", s.epochSeconds},
            {"audio_per_second", s.audioPerSecond},
            {"of_manifest", s.ofManifest},
            {"peak_flops", s.peakFlops},
            {"share", s.share},
            {"measured_steps", s.measuredSteps},
            {"run", s.run}};
}

} // namespace

Json planJson(const Plan& p) {
    Json out{{"name", p.name}, {"device", p.device}, {"ranks", p.ranks}, {"nodes", p.nodes}};
    out["processes"] = processesJson(p.processes);
    out["train"] = dataJson(p.train);
    out["validation"] = p.validation ? dataJson(*p.validation) : Json(nullptr);
    out["other_validation"] = Json::array();
    for (const DataPlan& other : p.otherValidation)
        out["other_validation"].push_back(dataJson(other));
    out["steps"] = {{"batches_per_epoch", p.steps.batchesPerEpoch},
                    {"steps_per_epoch", p.steps.stepsPerEpoch},
                    {"total_steps", p.steps.totalSteps},
                    {"validation_every_batches", p.steps.validationEveryBatches},
                    {"validation_batches", p.steps.validationBatches},
                    {"global_batch", p.steps.globalBatch}};
    out["model"] = {{"trainable", p.model.trainable},
                    {"frozen", p.model.frozen},
                    {"buffers", p.model.buffers},
                    {"problem", p.model.problem}};
    out["memory"] = {{"weights", p.memory.weights},     {"gradients", p.memory.gradients},
                     {"optimizer", p.memory.optimizer}, {"activations", p.memory.activations},
                     {"program", p.memory.program},     {"total", p.memory.total},
                     {"available", p.memory.available}, {"estimated", true}};
    out["collectives"] = collectivesJson(p.collectives);
    out["risks"] = risksJson(p.risks);
    out["warnings"] = p.warnings;
    out["machine"] = p.machine;
    out["obstacles"] = obstaclesJson(p.obstacles);
    out["disk"] = p.disk
                      ? Json{{"folder", p.disk->folder}, {"needed", p.disk->needed}, {"available", p.disk->available}}
                      : Json(nullptr);
    out["speed"] = p.speed ? speedJson(*p.speed) : Json(nullptr);
    out["start"] = Json::array();
    for (const StartLine& line : p.start)
        out["start"].push_back({{"program", line.program}, {"command", line.command}});
    return out;
}

} // namespace rankscope::plan
