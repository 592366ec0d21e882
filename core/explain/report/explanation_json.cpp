// SPDX-License-Identifier: Apache-2.0
#include "core/explain/report/explanation_json.h"

#include "core/explain/collectives/collective_name.h"
#include "core/explain/report/explanation_words.h"

namespace rankscope::explain {
namespace {

using nlohmann::json;

template <class T> json orNull(const std::optional<T>& value) {
    return value ? json(*value) : json();
}

/// Writes a text for people, in English and as what other languages are made of.
void say(json& object, const char* key, const Message& message) {
    object[key] = message.english();
    object[std::string(key) + "_message"] = message.toJson();
}

json placesJson(const std::vector<Place>& places) {
    json list = json::array();
    for (const Place& place : places)
        list.push_back({{"file", place.file}, {"line", place.line > 0 ? json(place.line) : json()}});
    return list;
}

json callJson(const CollectiveCall& call) {
    return {{"group", call.group},
            {"sequence", orNull(call.sequence)},
            {"op", operationName(call.op)},
            {"elements_in", orNull(call.elementsIn)},
            {"elements_out", orNull(call.elementsOut)},
            {"dtype", call.dtype},
            {"code", call.codePlace}};
}

json rankJson(const RankRow& row) {
    return {{"rank", row.rank},
            {"state", presenceName(row.presence)},
            {"last_completed", orNull(row.lastCompleted)},
            {"waits_in", row.stuckIn ? callJson(*row.stuckIn) : json()},
            {"waited_s", row.waitedMs ? json(static_cast<double>(*row.waitedMs) / 1000) : json()},
            {"since_realtime_ns", orNull(row.sinceNs)},
            {"places", placesJson(row.places)}};
}

json actionsJson(const std::vector<Action>& actions) {
    json list = json::array();
    for (const Action& action : actions) {
        json one{{"key", action.key}, {"value", action.value}};
        say(one, "text", action.text);
        list.push_back(std::move(one));
    }
    return list;
}

json causeJson(const ProbableCause& cause) {
    json evidence = json::array();
    for (const Statement& statement : cause.evidence) {
        json one{{"certainty", certaintyName(statement.certainty)}, {"places", placesJson(statement.places)}};
        say(one, "text", statement.text);
        evidence.push_back(std::move(one));
    }
    json one{{"id", cause.id},
             {"ranks", cause.ranks},
             {"evidence", std::move(evidence)},
             {"actions", actionsJson(cause.actions)}};
    say(one, "title", cause.title);
    return one;
}

json namesJson(const std::vector<NamedCollective>& names) {
    json list = json::array();
    for (const NamedCollective& name : names) {
        json one{{"tag", name.tag}, {"recipe", name.recipe}, {"trainer", name.trainer}};
        say(one, "name", name.name);
        say(one, "arithmetic", name.arithmetic);
        list.push_back(std::move(one));
    }
    return list;
}

json filesJson(const std::vector<InputFile>& files) {
    json list = json::array();
    for (const InputFile& file : files) {
        json one{{"name", file.name},   {"kind", file.kind == InputFile::Kind::Dump ? "dump" : "log"},
                 {"bytes", file.bytes}, {"lines", file.lines},
                 {"ranks", file.ranks}, {"starts_late", file.startsLate}};
        say(one, "problem", file.problem);
        list.push_back(std::move(one));
    }
    return list;
}

} // namespace

json explanationJson(const Explanation& explanation) {
    json ranks = json::array(), causes = json::array(), lacking = json::array(), lackingMessages = json::array();
    for (const RankRow& row : explanation.ranks)
        ranks.push_back(rankJson(row));
    for (const ProbableCause& cause : explanation.causes)
        causes.push_back(causeJson(cause));
    for (const Message& one : explanation.lacking) {
        lacking.push_back(one.english());
        lackingMessages.push_back(one.toJson());
    }
    json all{{"verdict", verdictName(explanation.verdict)},
             {"group", explanation.group},
             {"ranks", std::move(ranks)},
             {"collective", namesJson(explanation.names)},
             {"causes", std::move(causes)},
             {"now", actionsJson(explanation.now)},
             {"next_time", actionsJson(explanation.nextTime)},
             {"lacking", std::move(lacking)},
             {"lacking_messages", std::move(lackingMessages)},
             {"files", filesJson(explanation.files)}};
    say(all, "summary", explanation.summary);
    return all;
}

} // namespace rankscope::explain
