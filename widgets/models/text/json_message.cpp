// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/models/text/json_message.h"

#include "core/base/text/untrusted_json.h"

#include <QJsonDocument>

namespace rankscope::ui {

Message messageOf(const QJsonValue& message, const QString& english) {
    const auto json = readJson(QJsonDocument(message.toObject()).toJson(QJsonDocument::Compact).toStdString());
    return json ? Message::fromJson(*json, english.toStdString()) : Message(english.toStdString());
}

Message messageIn(const QJsonObject& json, const char* name) {
    return messageOf(json.value(QLatin1String("message")), json.value(QLatin1String(name)).toString());
}

QJsonObject errorEvent(const QByteArray& standardError) {
    for (const QByteArray& line : standardError.split('\n'))
        if (QJsonObject event = QJsonDocument::fromJson(line).object();
            event.value(QLatin1String("event")).toString() == QLatin1String("error"))
            return event;
    return {};
}

} // namespace rankscope::ui
