// SPDX-License-Identifier: GPL-3.0-or-later
// Reads messages from the JSON of rankscopectl, which has each as English text and in a form that can be translated.
#pragma once

#include "core/base/text/message.h"

#include <QJsonObject>

namespace rankscope::ui {

/// Returns the message, or the English text if there is no message, as in the JSON of an older version.
Message messageOf(const QJsonValue& message, const QString& english);
/// Returns the message of an object whose English text is in the member `name`.
Message messageIn(const QJsonObject& json, const char* name);
/// Returns the error that a command wrote to standard error as an event; null if the lines have none.
QJsonObject errorEvent(const QByteArray& standardError);

} // namespace rankscope::ui
