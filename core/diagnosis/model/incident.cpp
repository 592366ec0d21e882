// SPDX-License-Identifier: Apache-2.0
#include "core/diagnosis/model/incident.h"

#include <algorithm>

namespace rankscope::diagnosis {

std::string_view causeName(Cause cause) {
    const auto i = static_cast<std::size_t>(cause);
    return i < kCauseNames.size() ? kCauseNames[i] : kCauseNames[0];
}

Cause causeFromName(std::string_view name) {
    const auto it = std::find(kCauseNames.begin(), kCauseNames.end(), name);
    return it == kCauseNames.end() ? Cause::Unknown : static_cast<Cause>(it - kCauseNames.begin());
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

std::string hydraOverride(const Remedy& remedy) {
    const std::string plain = remedy.key + "=" + remedy.value, text = remedy.text.english();
    const auto at = remedy.key.empty() ? std::string::npos : text.find(plain);
    if (at == std::string::npos)
        return {};
    return at > 0 && text[at - 1] == '+' ? "+" + plain : plain;
}

bool isOfOneStep(const Incident& in) {
    if (in.straggler || in.step < 0 || in.evidence.holdUps.value_or(1) > 1)
        return false;
    switch (in.cause) {
    case Cause::DataLoading:
    case Cause::Preprocessing:
    case Cause::LongBatch:
    case Cause::Stopped:
    case Cause::SlowCompute:
    case Cause::Checkpoint:
        return true; // also if no rank waits, as in a run of one rank
    default:
        return in.collective.known;
    }
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
                                {"remedy", {in.remedy.text.english(), in.remedy.key, in.remedy.value}},
                                {"evidence", toJson(in.evidence)}};
    return all.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

} // namespace rankscope::diagnosis
