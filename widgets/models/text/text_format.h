// SPDX-License-Identifier: GPL-3.0-or-later
// Short texts that several pages share: durations, ranks, times of day, names of causes and phases.
#pragma once

#include "core/base/text/message.h"
#include "core/base/values/error.h"
#include "core/diagnosis/model/incident.h"
#include "core/telemetry/format/records.h"

#include <QString>

#include <cstdint>
#include <vector>

namespace rankscope::ui {

QString toQString(std::string_view text);
QString messageText(const Message& message); ///< in the language of the window
/// Returns where the error happened, unchanged, followed by what happened.
QString messageText(const Error& error);
/// Returns a text after the key or file it is about: "batch_size: …", with the colon of the language.
QString placedText(const QString& where, const QString& what);
QString durationText(std::int64_t ns); ///< "3.2 s", or "3.2 秒" in a Chinese window
QString countText(std::int64_t n);
QString stepRangeText(std::int64_t first, std::int64_t last); ///< "step 3", "steps 3 to 7"
QString ranksText(const std::vector<int>& ranks);             ///< "rank 3", "ranks 0, 2", "12 ranks"
QString listedRanks(QString ranks);                           ///< from "0, 2", with the comma of the language
QString causeText(diagnosis::Cause cause);                    ///< in the user's language
QString phaseText(telemetry::Phase phase);                    ///< the recipe's word: "data_wait"
QString closeReasonText(diagnosis::CloseReason reason);
QString severityText(telemetry::NoteSeverity severity);
/// Returns "12:04:31", the local time of a moment given as wall-clock ns since 1970.
QString clockText(std::int64_t realtimeNs);
/// Returns the language of the window's translations.
Language currentLanguage();

} // namespace rankscope::ui
