// SPDX-License-Identifier: Apache-2.0
#include "core/diagnosis/model/incident.h"

#include <algorithm>
#include <array>

namespace rankscope::diagnosis {

static constexpr std::array<std::string_view, static_cast<std::size_t>(Cause::Count)> kCauses{"unknown",
                                                                                              "data_loading",
                                                                                              "preprocessing",
                                                                                              "long_batch",
                                                                                              "uneven_batches",
                                                                                              "mismatched_collective",
                                                                                              "configuration_differs",
                                                                                              "never_joined",
                                                                                              "stopped",
                                                                                              "dead",
                                                                                              "slow_compute",
                                                                                              "checkpoint",
                                                                                              "not_finite",
                                                                                              "empty_batch",
                                                                                              "inside_collective",
                                                                                              "asked_to_leave"};

std::string_view causeName(Cause cause) {
    const auto i = static_cast<std::size_t>(cause);
    return i < kCauses.size() ? kCauses[i] : kCauses[0];
}

Cause causeFromName(std::string_view name) {
    const auto it = std::find(kCauses.begin(), kCauses.end(), name);
    return it == kCauses.end() ? Cause::Unknown : static_cast<Cause>(it - kCauses.begin());
}

std::string_view closeReasonName(CloseReason reason) {
    switch (reason) {
    case CloseReason::Open:
        return "open";
    case CloseReason::Recovered:
        return "recovered";
    case CloseReason::RunEnded:
        return "run_ended";
    case CloseReason::StoppedByUser:
        return "stopped_by_user";
    }
    return "open";
}

std::string canonicalText(const Incident& in) {
    const nlohmann::json all = {{"id", in.id},
                                {"cause", causeName(in.cause)},
                                {"phase", telemetry::phaseName(in.phase)},
                                {"holders", in.holders},
                                {"waiters", in.waiters},
                                {"collective_known", in.collective.known},
                                {"tag", in.collective.known ? in.collective.tag : std::string()},
                                {"op", in.collective.known ? telemetry::opName(in.collective.op) : std::string_view()},
                                {"group", in.collective.known ? in.collective.group : 0},
                                {"sequence", in.collective.known ? in.collective.sequence : 0},
                                {"step", in.step},
                                {"straggler", in.straggler},
                                {"opened_ns", in.openedNs},
                                {"detected_ns", in.detectedNs},
                                {"closed_ns", in.closedNs},
                                {"closed", closeReasonName(in.closed)},
                                {"remedy", {in.remedy.text, in.remedy.key, in.remedy.value}},
                                {"evidence", in.evidence}};
    return all.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

static double seconds(std::int64_t ns) {
    return static_cast<double>(ns) * 1e-9;
}

nlohmann::json toJson(const Incident& in, std::int64_t runStartNs) {
    nlohmann::json collective = nullptr;
    if (in.collective.known)
        collective = {{"tag", in.collective.tag},
                      {"op", telemetry::opName(in.collective.op)},
                      {"group", in.collective.group},
                      {"seq", in.collective.sequence}};
    nlohmann::json remedy = nullptr;
    if (!in.remedy.text.empty())
        remedy = {{"text", in.remedy.text}, {"key", in.remedy.key}, {"value", in.remedy.value}};
    return {{"id", in.id},
            {"cause", causeName(in.cause)},
            {"phase", telemetry::phaseName(in.phase)},
            {"holders", in.holders},
            {"waiters", in.waiters},
            {"collective", collective},
            {"step", in.step},
            {"straggler", in.straggler},
            {"opened_s", seconds(in.openedNs - runStartNs)},
            {"detected_after_s", seconds(in.detectedNs - in.openedNs)},
            {"closed_s", in.closedNs ? nlohmann::json(seconds(in.closedNs - runStartNs)) : nlohmann::json(nullptr)},
            {"closed", closeReasonName(in.closed)},
            {"remedy", remedy},
            {"sentence", sentence(in, in.closedNs ? in.closedNs : in.detectedNs)},
            {"evidence", in.evidence}};
}

} // namespace rankscope::diagnosis
