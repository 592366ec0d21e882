// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/config/labels/core_texts.h"

#include "widgets/models/text/text_format.h"

namespace rankscope::ui {

QString translated(const Message& message) {
    return QString::fromStdString(message.text(currentLanguage()));
}

QString translated(const Error& error) {
    return QString::fromStdString(error.message(currentLanguage()));
}

QString placedText(const QString& where, const QString& what) {
    return QString::fromStdString(placed(where.toStdString(), what.toStdString(), currentLanguage()));
}

} // namespace rankscope::ui
