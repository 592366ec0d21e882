// SPDX-License-Identifier: Apache-2.0
#include "core/plan/result/plan_json.h"

namespace rankscope::plan {
namespace {

using Json = nlohmann::json;

template <class T, class Item> Json arrayOf(const std::vector<T>& list, const Item& item) {
    Json out = Json::array();
    for (const T& one : list)
        out.push_back(item(one));
    return out;
}

/// Adds a text for people: in English for programs, and as a message for the window.
void addText(Json& into, const char* key, const Message& text) {
    into[key] = text.english();
    into["message"] = text.toJson();
}

Json textsOf(const std::vector<Message>& list) {
    return arrayOf(list, [](const Message& one) { return one.english(); });
}

Json factsJson(const config::ManifestFacts& f) {
    return {{"lines", f.lines},
            {"used", f.used},
            {"too_short", f.tooShort},
            {"too_long", f.tooLong},
            {"bad", f.bad},
            {"first_bad", textsOf(f.firstBad)},
            {"seconds", f.seconds},
            {"shortest_s", f.shortest},
            {"median_s", f.median},
            {"p95_s", f.p95},
            {"longest_s", f.longest}};
}

Json shareJson(const RankShare& r) {
    return {{"rank", r.rank},
            {"batches", r.batches},
            {"utterances", r.utterances},
            {"speech_s", r.speechSeconds},
            {"padded_s", r.paddedSeconds},
            {"longest_s", r.longestSeconds},
            {"waits_s", r.waitsSeconds}};
}

Json dataJson(const DataPlan& d) {
    Json out{{"section", d.section},
             {"manifest", factsJson(d.facts)},
             {"batches_per_rank", d.batchesPerRank},
             {"ranks", arrayOf(d.ranks, shareJson)},
             {"padding_share", d.paddingShare},
             {"imbalance", d.imbalance},
             {"longest_batch_s", d.longestBatchSeconds},
             {"longest_batch_size", d.longestBatchSize}};
    addText(out, "problem", d.problem);
    return out;
}

Json processJson(const Process& p) {
    Json environment = Json::object();
    for (const auto& [name, value] : p.environment)
        environment[name] = value;
    return {{"rank", p.rank}, {"local_rank", p.localRank}, {"device", p.device}, {"environment", environment}};
}

Json collectiveJson(const CollectivePlan& c) {
    return {{"tag", c.tag},
            {"op", c.op},
            {"phase", c.phase},
            {"dtype", c.dtype},
            {"calls", c.calls},
            {"bytes", c.bytes},
            {"blocks", c.blocks},
            {"certain", c.certain},
            {"elements_least", c.leastElements},
            {"elements_most", c.mostElements},
            {"count", c.count.english()},
            {"message", c.count.toJson()}};
}

Json plannedJson(const PlannedCollective& c) {
    Json out{{"tag", c.tag},
             {"op", c.op},
             {"phase", c.phase},
             {"dtype", c.dtype},
             {"when", std::string(inBatchesName(c.when))},
             {"calls", c.calls},
             {"elements_in", c.elements},
             {"elements_out", c.elementsOut},
             {"blocks", c.blocks},
             {"certain", c.certain}};
    out["terms"] = arrayOf(c.terms, [](const CountTerm& term) {
        return Json{{"factors", term.factors}, {"what", term.what.english()}, {"message", term.what.toJson()}};
    });
    return out;
}

Json inOrderJson(const TrainerCollectives& c) {
    return {{"obstacle", c.obstacle.english()},
            {"obstacle_message", c.obstacle.toJson()},
            {"batches", c.batches},
            {"one_bucket_steps", c.oneBucketSteps},
            {"sums", arrayOf(sumByTag(c), collectiveJson)},
            {"start", arrayOf(c.start, plannedJson)},
            {"first_step", arrayOf(c.firstStep, plannedJson)},
            {"rebuild", arrayOf(c.rebuild, plannedJson)},
            {"step", arrayOf(c.step, plannedJson)},
            {"validation", arrayOf(c.validation, plannedJson)}};
}

Json riskJson(const config::Risk& r) {
    Json item{{"id", r.rule->id},
              {"severity", std::string(config::riskSeverityName(r.rule->severity))},
              {"key", r.key},
              {"reason", r.reason.english()},
              {"message", r.reason.toJson()},
              {"remedy", r.rule->remedy.english()},
              {"prevents", r.rule->prevents}};
    if (r.set)
        item["set"] = {{"key", r.set->key}, {"value", r.set->value}};
    for (const config::RiskRemedy& more : r.also)
        item["also"].push_back({{"key", more.key}, {"value", more.value}});
    return item;
}

Json obstacleJson(const Blocker& o) {
    Json out{{"refused", o.refused}, {"kind", o.kind}, {"key", o.key}};
    addText(out, "text", o.text);
    return out;
}

Json startJson(const StartLine& line) {
    return {{"program", line.program}, {"command", line.command}};
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
    out["processes"] = arrayOf(p.processes, processJson);
    out["train"] = dataJson(p.train);
    out["validation"] = p.validation ? dataJson(*p.validation) : Json(nullptr);
    out["other_validation"] = arrayOf(p.otherValidation, dataJson);
    out["steps"] = {{"batches_per_epoch", p.steps.batchesPerEpoch},
                    {"steps_per_epoch", p.steps.stepsPerEpoch},
                    {"total_steps", p.steps.totalSteps},
                    {"validation_every_batches", p.steps.validationEveryBatches},
                    {"validation_batches", p.steps.validationBatches},
                    {"global_batch", p.steps.globalBatch}};
    out["model"] = {{"trainable", p.model.trainable}, {"frozen", p.model.frozen}, {"buffers", p.model.buffers}};
    addText(out["model"], "problem", p.model.problem);
    out["memory"] = {{"weights", p.memory.weights},     {"gradients", p.memory.gradients},
                     {"optimizer", p.memory.optimizer}, {"activations", p.memory.activations},
                     {"program", p.memory.program},     {"total", p.memory.total},
                     {"available", p.memory.available}, {"estimated", true}};
    out["collectives"] = Json::array();
    for (const TrainerCollectives& trainer : p.collectives)
        if (trainer.trainer == Trainer::Rankscope)
            out["collectives"] = arrayOf(sumByTag(trainer), collectiveJson);
    out["collectives_in_order"] = collectivesJson(p.collectives);
    out["risks"] = arrayOf(p.risks, riskJson);
    out["warnings"] = textsOf(p.warnings);
    out["warning_messages"] = arrayOf(p.warnings, [](const Message& one) { return one.toJson(); });
    out["machine"] = p.machine;
    out["obstacles"] = arrayOf(p.obstacles, obstacleJson);
    out["disk"] = p.disk
                      ? Json{{"folder", p.disk->folder}, {"needed", p.disk->needed}, {"available", p.disk->available}}
                      : Json(nullptr);
    out["speed"] = p.speed ? speedJson(*p.speed) : Json(nullptr);
    out["start"] = arrayOf(p.start, startJson);
    return out;
}

Json collectivesJson(const std::vector<TrainerCollectives>& trainers) {
    Json out = Json::object();
    for (const TrainerCollectives& one : trainers)
        out[std::string(trainerName(one.trainer))] = inOrderJson(one);
    return out;
}

} // namespace rankscope::plan
