// SPDX-License-Identifier: Apache-2.0
// Words and lines in the language of standard output. Names of causes and checks, which programs also see, as in JSON,
// are unchanged in English output; other languages use the window's word.
#pragma once

#include "core/base/values/error.h"
#include "core/diagnosis/model/incident.h"
#include "core/launch/run/run_info.h"
#include "core/telemetry/format/records.h"

#include <cstdint>
#include <string>

namespace rankscope::ctl {

Message causeWord(diagnosis::Cause cause, Language language);
/// Returns how an incident ended as it is shown within a line, such as "open at end of run".
Message closeReasonWord(diagnosis::CloseReason reason, Language language);
Message checkWord(const std::string& name, Language language); ///< of a check before or at start
/// Returns the phase's name, which is the same in all languages, or "no phase".
Message phaseWord(telemetry::Phase phase);

/// Returns the message as one line, with the newline.
std::string lineOf(const Message& message);
std::string durationText(std::int64_t ns);
/// Prints "rankscopectl: where: what" on stderr.
void tellError(const Error& error);

} // namespace rankscope::ctl
