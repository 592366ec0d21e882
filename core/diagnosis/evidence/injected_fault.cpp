// SPDX-License-Identifier: Apache-2.0
#include "core/diagnosis/evidence/injected_fault.h"

#include "core/diagnosis/evidence/incident_sentence.h"
#include "core/diagnosis/evidence/remedy.h"
#include "core/diagnosis/stalls/pause_scan.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdint>
#include <optional>
#include <string_view>
#include <utility>

namespace rankscope::diagnosis {

namespace {

/// "KIND on rank 1 at step 60 to 64, 5 s, phase forward"
struct FaultText {
    std::string_view kind, details;
    int rank = -1;
    std::int64_t first = -1, last = -1; ///< steps in which it acts; -1: not limited to steps
};

/// Removes `word` from the front of the text. Returns false if the text does not begin with it.
bool takeWord(std::string_view& text, std::string_view word) {
    if (!text.starts_with(word))
        return false;
    text.remove_prefix(word.size());
    return true;
}

template <class Number> bool takeNumber(std::string_view& text, Number& number) {
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    text.remove_prefix(static_cast<std::size_t>(end - text.data()));
    return error == std::errc{};
}

std::optional<FaultText> parseDescription(std::string_view text) {
    FaultText fault;
    const auto on = text.find(" on rank ");
    if (on == std::string_view::npos)
        return std::nullopt;
    fault.kind = text.substr(0, on);
    text.remove_prefix(on);
    if (!takeWord(text, " on rank ") || !takeNumber(text, fault.rank))
        return std::nullopt;
    if (takeWord(text, " at step ")) {
        if (!takeNumber(text, fault.first))
            return std::nullopt;
        fault.last = fault.first;
        if (takeWord(text, " and all that follow"))
            fault.last = INT64_MAX - 1;
        else if (takeWord(text, " to ") && !takeNumber(text, fault.last))
            return std::nullopt;
    }
    fault.details = text;
    return fault;
}

/// The causes of the incidents that a fault of this kind produces; for a death, isItsEnd() is checked as well.
struct Outcome {
    std::string_view kind;
    std::array<Cause, 3> causes;
};
constexpr Outcome kOutcomes[] = {
    {"data_loading", {Cause::DataLoading}},
    {"slow_reader", {Cause::DataLoading}},
    {"preprocessing", {Cause::Preprocessing, Cause::SlowCompute}},
    {"long_batch", {Cause::LongBatch, Cause::SlowCompute, Cause::Preprocessing}},
    {"uneven_batches", {Cause::UnevenBatches}},
    {"no_length_sync", {Cause::MismatchedCollective, Cause::Dead}},
    {"other_settings", {Cause::ConfigurationDiffers, Cause::MismatchedCollective, Cause::UnevenBatches}},
    {"never_joined", {Cause::NeverJoined}},
    {"stopped", {Cause::Stopped, Cause::Paused}},
    {"dead", {Cause::Dead}},
    {"out_of_memory", {Cause::Dead}},
    {"slow_compute", {Cause::SlowCompute}},
    {"slow_rank", {Cause::SlowCompute, Cause::Preprocessing}},
    {"checkpoint", {Cause::Checkpoint}},
    {"nan_input", {Cause::NotFinite}},
    {"inf_loss", {Cause::NotFinite}},
    {"empty_batch", {Cause::EmptyBatch}},
    {"stuck_collective", {Cause::InsideCollective}},
};

/// Returns true if the rank ended as the fault is meant to end it.
bool isItsEnd(const FaultText& fault, const Evidence& evidence) {
    if (fault.kind == "out_of_memory")
        return evidence.outOfMemory.value_or(false);
    const std::string signal = evidence.signalName.value_or("");
    if (fault.kind == "no_length_sync") // Gloo aborts if a message is too long
        return signal == "SIGABRT";
    const std::string end = signal.empty() ? fmt::format(", exit_code {},", evidence.exitCode.value_or(0))
                                           : fmt::format(", signal {},", signal);
    return fmt::format("{},", fault.details).find(end) != std::string::npos;
}

bool makes(const FaultText& fault, const Incident& in) {
    const auto* outcome = std::ranges::find(kOutcomes, fault.kind, &Outcome::kind);
    if (outcome == std::end(kOutcomes) || in.cause == Cause::Unknown ||
        std::ranges::find(outcome->causes, in.cause) == outcome->causes.end())
        return false;
    if (in.cause == Cause::Paused)
        return in.evidence.paused == kRanksPaused;
    return in.cause != Cause::Dead || isItsEnd(fault, in.evidence);
}

/// A late rank may be noticed one step after the fault, and a slow rank is reported at the end of its window of steps.
bool actsAt(const FaultText& fault, const Incident& in) {
    return fault.first < 0 || (in.step >= fault.first - 1 && (in.straggler || in.step <= fault.last + 1));
}

} // namespace

std::string injectedFault(const Incident& in, std::span<const std::string> faults) {
    for (const std::string& text : faults) {
        const auto fault = parseDescription(text);
        if (!fault)
            continue;
        const bool acts = in.cause == Cause::Paused || // a pause affects all ranks, so none is the holder
                          std::ranges::find(in.holders, fault->rank) != in.holders.end();
        if (acts && makes(*fault, in) && actsAt(*fault, in))
            return text;
    }
    return {};
}

Message remedyText(const Incident& in, std::span<const std::string> faults) {
    const std::string fault = injectedFault(in, faults);
    Message cure = remedyText(in);
    if (fault.empty())
        return cure;
    return cure.empty() ? Message("This fault was injected by rankscope.faults ({})", fault)
                        : Message("This fault was injected by rankscope.faults ({}). If it were real: {}", fault,
                                  std::move(cure));
}

Message sentence(const Incident& in, std::int64_t nowNs, std::span<const std::string> faults) {
    if (injectedFault(in, faults).empty())
        return sentence(in, nowNs);
    return {"{} {}.", sentence(in, nowNs, false), remedyText(in, faults)};
}

nlohmann::json toJson(const Incident& in, std::int64_t runStartNs, std::span<const std::string> faults) {
    nlohmann::json object = toJson(in, runStartNs);
    const std::string fault = injectedFault(in, faults);
    object["injected_fault"] = fault.empty() ? nlohmann::json(nullptr) : nlohmann::json(fault);
    object["sentence"] = sentence(in, in.closedNs ? in.closedNs : in.detectedNs, faults).english();
    return object;
}

} // namespace rankscope::diagnosis
