// SPDX-License-Identifier: Apache-2.0
#include "app/ctl/reports/words.h"

#include "core/base/console/console.h"
#include "core/diagnosis/model/incident_titles.h"
#include "core/store/report/check_summary.h"

#include <cctype>
#include <string>
#include <utility>

namespace rankscope::ctl {

Message causeWord(diagnosis::Cause cause, Language language) {
    return language == Language::English ? Message(std::string(causeName(cause))) : causeTitle(cause);
}

Message closeReasonWord(diagnosis::CloseReason reason, Language language) {
    const Message title = closeReasonTitle(reason);
    if (language != Language::English)
        return title;
    std::string word = title.english(); // within a line
    word.front() = static_cast<char>(std::tolower(static_cast<unsigned char>(word.front())));
    return Message(std::move(word));
}

Message checkWord(const std::string& name, Language language) {
    return language == Language::English ? Message(name) : store::checkTitle(name);
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
