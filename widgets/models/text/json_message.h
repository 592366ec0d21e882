// SPDX-License-Identifier: GPL-3.0-or-later
// Reads texts for people from the JSON of rankscopectl: in English, with the message next to it.
#pragma once

#include "core/base/text/message.h"

#include <QJsonObject>

namespace rankscope::ui {

/// Returns the message; if it is none, as from an older program, the English text.
Message messageOf(const QJsonValue& message, const QString& english);
/// Returns the text at `name` from its member `message`.
Message messageIn(const QJsonObject& json, const char* name);
/// Returns the error that a command wrote to standard error as an event; null if the lines have none.
QJsonObject errorEvent(const QByteArray& standardError);

} // namespace rankscope::ui
