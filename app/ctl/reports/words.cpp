// SPDX-License-Identifier: Apache-2.0
#include "app/ctl/reports/words.h"

#include "core/base/console/console.h"
#include "core/diagnosis/model/incident_titles.h"

#include <algorithm>
#include <array>
#include <iterator>
#include <string_view>
#include <utility>

namespace rankscope::ctl {

/// Returns the item of the value; the first one for a number that is none.
template <std::size_t N, class Value> static Message itemOf(const std::array<Message, N>& items, Value value) {
    const auto i = static_cast<std::size_t>(value);
    return items[i < N ? i : 0];
}

Message causeWord(diagnosis::Cause cause, Language language) {
    return language == Language::English ? Message(std::string(causeName(cause))) : causeTitle(cause);
}

Message closeReasonWord(diagnosis::CloseReason reason, Language language) {
    return language == Language::English ? Message(std::string(closeReasonName(reason))) : closeReasonTitle(reason);
}

Message stateWord(launch::RunState state) {
    static const std::array<Message, 8> words{"starting", "running", "stopping", "finished",
                                              "failed",   "stopped", "lost",     "imported"};
    return itemOf(words, state);
}

Message checkStatusWord(telemetry::CheckStatus status) {
    static const std::array<Message, 3> words{"passed", "failed", "skipped"};
    return itemOf(words, status);
}

Message checkWord(const std::string& name, Language language) {
    static const std::pair<std::string_view, Message> titles[] = {
        {"configuration", "Configuration"},
        {"settings", "Effective settings"},
        {"loader", "Loader"},
        {"dataset", "Data"},
        {"batches_per_epoch", "Batches per epoch"},
        {"model", "Model"},
        {"devices", "Devices"},
        {"processes", "Processes"},
        {"shards", "Data shards"},
        {"initial_weights", "Initial weights"},
        {"resume", "Step to resume from"},
        {"effective_values", "Requested and effective"},
        {"first_batch", "First batch"},
        {"batch_lengths", "Lengths in the first batch"},
        {"finite_input", "Finite input"},
    };
    const auto* found =
        std::find_if(std::begin(titles), std::end(titles), [&](const auto& t) { return t.first == name; });
    return language == Language::English || found == std::end(titles) ? Message(name) : found->second;
}

Message phaseWord(telemetry::Phase phase) {
    return phase == telemetry::Phase::None ? Message("no phase") : Message(std::string(phaseName(phase)));
}

std::string lineOf(const Message& message) {
    return console::text(message) + "\n";
}

std::string durationText(std::int64_t ns) {
    return formatDuration(ns, console::outputLanguage());
}

void tellError(const Error& error) {
    console::sayError({"rankscopectl: {}", error.message(console::errorLanguage())});
}

} // namespace rankscope::ctl
